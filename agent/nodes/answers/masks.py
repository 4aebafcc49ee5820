"""Hiding what holds digits but is no number: stored names, codes, quoted texts, list marks."""

import calendar
import re
from datetime import date, datetime

from agent.guard import QueryResult

_LETTERS = str.maketrans("0123456789", "\u0101\u0113\u0123\u012b\u0137\u013c\u0146\u014d\u0157\u0161")
_LIST_MARK = re.compile(r"(?m)^\s*(?:\d{1,3}[.)]|#\d{1,3}\b)\s")


def hide_digits(name: str) -> str:
    """Return a name with a letter for each digit, another letter for another digit, so that names stay apart."""
    return name.translate(_LETTERS)


def mask_names(text: str, *, question: str, result: QueryResult) -> str:
    """Return the text with the digits inside names replaced by letters, at the same length.

    Names are the texts of cells, string literals of the SQL and quoted parts of the question, whatever their case.
    Dates of the result are hidden in the forms people write them.
    """
    names = _cell_names(result)
    names |= {name for name in re.findall(r"'((?:[^']|'')*)'", result.sql_run) if _has_letters_and_digits(name)}
    names |= {name for name in re.findall(r"[\"'\u201c]([^\"'\u201d]+)[\"'\u201d]", question) if re.search(r"\d", name)}
    words = " ".join(text.lower().split())
    for name in sorted(names, key=len, reverse=True):
        if " ".join(name.lower().split()) not in words:
            continue
        pattern = r"\s+".join(re.escape(part) for part in name.split())
        text = re.sub(rf"(?<!\w){pattern}(?!\w)", _hide, text, flags=re.IGNORECASE)
    return _LIST_MARK.sub(_hide, text)


def _cell_names(result: QueryResult) -> set[str]:
    names: set[str] = set()
    for row in result.rows:
        for cell in row:
            if isinstance(cell, str) and re.search(r"\d", cell):
                names.add(cell)
            elif isinstance(cell, datetime):
                names |= _dates(cell.date()) | {cell.isoformat(sep=" ", timespec="minutes"), cell.isoformat(sep=" ")}
            elif isinstance(cell, date):
                names |= _dates(cell)
    return {name for name in names if name.strip()}


def _dates(day: date) -> set[str]:
    month = calendar.month_name[day.month]
    return {
        day.isoformat(),
        f"{month} {day.day}, {day.year}",
        f"{month} {day.day} {day.year}",
        f"{day.day} {month} {day.year}",
        f"{day.month}/{day.day}/{day.year}",
        f"{day.month:02}/{day.day:02}/{day.year}",
    }


def _has_letters_and_digits(name: str) -> bool:
    return bool(re.search(r"\d", name)) and bool(re.search(r"[^\W\d]", name))


def _hide(found: re.Match[str]) -> str:
    return hide_digits(found.group())
