"""Draw the strategies anew: `python -m agent.strategies` writes the generated part of docs/strategies.md."""

from agent.strategies import STRATEGIES
from agent.strategies.page import renew_page
from include.settings import PROJECT_ROOT

if __name__ == "__main__":
    page = PROJECT_ROOT / "docs" / "strategies.md"
    page.write_text(renew_page(page.read_text(encoding="utf-8"), STRATEGIES), encoding="utf-8")
