"""What models cost, from `prices.yaml`."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

_FILE = Path(__file__).with_name("prices.yaml")


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Return the US dollars of a call."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


def price_of(model: str) -> Price:
    """Return the price of `provider:model`; 0 when the file does not know it, as for models of one's own server."""
    return _prices().get(model, Price())


@lru_cache(maxsize=1)
def _prices() -> dict[str, Price]:
    listed = yaml.safe_load(_FILE.read_text(encoding="utf-8"))["usd_per_million_tokens"]
    return {name: Price(tokens_in=float(row["in"]), tokens_out=float(row["out"])) for name, row in listed.items()}
