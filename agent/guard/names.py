"""Names as PostgreSQL reads them."""

import string

from sqlglot import exp

MAX_NAME_BYTES = 63
"""PostgreSQL cuts longer names, so that two different ones can become the same."""

_FOLD = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def folded(identifier: exp.Expr | str | None) -> str:
    """Return the name PostgreSQL looks up: lower case when unquoted.

    Only ASCII letters fold in a UTF-8 database. Python's `lower()`, and so sqlglot's `normalize_identifiers`, also maps
    other characters onto ASCII ones (the Kelvin sign becomes a k), which makes two names of one.
    """
    if identifier is None:
        return ""
    if isinstance(identifier, str):
        return identifier.translate(_FOLD)
    if isinstance(identifier, exp.Identifier) and identifier.args.get("quoted"):
        return identifier.name
    return identifier.name.translate(_FOLD)
