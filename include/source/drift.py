"""Whether the source still has the columns the platform needs, in the types it knows."""

from collections.abc import Mapping

from include.dataset import SOURCE_FIELDS
from include.source.errors import SchemaDriftError

UNUSED = frozenset({"location"})
"""Published, known and not requested."""
_SAME_TYPE = {"checkbox": "boolean", "calendar_date": "floating_timestamp"}


def check_columns(published: Mapping[str, str]) -> list[str]:
    """Compare the published columns with the ones needed and return a warning for each new one.

    Args:
        published: name to type, as the X-SODA2 headers or the metadata of the data set name them.

    Raises:
        SchemaDriftError: when a needed column is missing or has another type.
    """
    needed = {field.name: field.header_type for field in SOURCE_FIELDS if not field.name.startswith(":")}
    missing = [name for name in needed if name not in published]
    retyped = [
        f"{name} is {published[name]}, was {kind}"
        for name, kind in needed.items()
        if name in published and _same(published[name]) != _same(kind)
    ]
    if missing or retyped:
        parts = [f"missing: {', '.join(missing)}"] * bool(missing) + [f"retyped: {'; '.join(retyped)}"] * bool(retyped)
        raise SchemaDriftError(
            f"the source's columns changed; {'; '.join(parts)}",
            expected=f"the {len(needed)} columns of include/dataset, with their types",
            action="nothing was pulled: adapt include/dataset to the source's new form, then run again",
        )
    new = [name for name in published if name not in needed and name not in UNUSED and not name.startswith(":")]
    return [f"the source has a new column, {name} ({published[name]}); it is not loaded" for name in new]


def _same(kind: str) -> str:
    return _SAME_TYPE.get(kind.lower(), kind.lower())
