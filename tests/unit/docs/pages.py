"""The pages of the documentation and what they say: links, fenced blocks, inline code, commands."""

import re
from dataclasses import dataclass
from pathlib import Path

from include.settings import PROJECT_ROOT

PAGES = (PROJECT_ROOT / "README.md", *sorted((PROJECT_ROOT / "docs").glob("*.md")))
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_WORDS = r"((?:\"[^\"\n]*\"|'[^'\n]*'|[^\n#|;)\"'])*)"
_COMMAND = re.compile(rf"(?:^|(?<=[;&|(]))\s*(?:docker compose exec (?:--?\S+ )*\S+ )?(crime|make)\b{_WORDS}")


@dataclass(frozen=True)
class Page:
    """One page, its prose apart from its fenced blocks."""

    path: Path
    text: str

    @property
    def blocks(self) -> list[tuple[str, str]]:
        return _FENCE.findall(self.text)

    @property
    def prose(self) -> str:
        return _FENCE.sub("", self.text)

    @property
    def inline(self) -> list[str]:
        return _INLINE.findall(self.prose)

    @property
    def links(self) -> list[str]:
        return _LINK.findall(self.prose)

    @property
    def commands(self) -> list[tuple[str, str]]:
        """Every `crime` and `make` call, in shell blocks and inline code: program and the rest of the line."""
        shell = [line for kind, body in self.blocks if kind in ("sh", "console") for line in body.splitlines()]
        lines = [line.removeprefix("$ ") for line in shell] + self.inline
        return [(program, rest) for line in lines for program, rest in _COMMAND.findall(line)]


def read_pages() -> list[Page]:
    return [Page(path, path.read_text(encoding="utf-8")) for path in PAGES]
