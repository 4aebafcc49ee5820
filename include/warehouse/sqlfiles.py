"""The SQL files of the project."""

from functools import lru_cache
from typing import LiteralString

from include.settings import SQL_DIR


@lru_cache(maxsize=256)
def load_sql(name: str) -> LiteralString:
    """Return the text of a file under `sql/`, for example `load_sql("snapshot/build.sql")`.

    The text counts as literal for the type checker: it is part of the program, as a string in the code would be.

    Raises:
        FileNotFoundError: when there is no such file.
        ValueError: when the name leads out of `sql/`.
    """
    path = (SQL_DIR / name).resolve()
    if not path.is_relative_to(SQL_DIR.resolve()):
        raise ValueError(f"{name} lies outside sql/")
    return path.read_text(encoding="utf-8")
