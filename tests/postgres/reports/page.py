"""A report's page read back: its tables by caption, its text, what it would fetch."""

import re
from html.parser import HTMLParser


class Page(HTMLParser):
    """Parses the page strictly enough to notice tags that never close.

    Attributes:
        tables: caption -> rows of cell texts, the head first.
        tags: every tag that was opened.
        text: all text outside style.
    """

    VOID = frozenset({"meta", "br", "link", "img", "path", "rect", "circle", "line"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self._rows: list[list[str]] = []
        self._caption = ""
        self.feed(html)
        self.close()
        assert self._open == [], self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action")]
        if tag not in self.VOID:
            self._open.append(tag)
        if tag == "table":
            self._rows, self._caption = [], ""
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.VOID:
            return
        assert self._open.pop() == tag
        if tag == "table":
            self.tables[self._caption or self._rows[0][0]] = self._rows

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            return
        self.text += data
        if "caption" in self._open:
            self._caption += data
        elif {"td", "th"} & set(self._open) and self._rows and self._rows[-1]:
            self._rows[-1][-1] = re.sub(r"\s+", " ", self._rows[-1][-1] + data)
