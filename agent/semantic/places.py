"""Names of other places, from the locale data of Babel: countries, and the cities that name time zones."""

from functools import lru_cache

from agent.semantic.text import stems

HOME = frozenset({"chicago"})


@lru_cache(maxsize=1)
def place_names() -> frozenset[tuple[str, ...]]:
    """Return the word stems of every known place but this city; needs about 50 ms the first time."""
    from babel import Locale  # imported late: only texts with unknown names need it

    locale = Locale("en")
    names = [name for code, name in locale.territories.items() if code.isalpha()]
    for zone, data in locale.time_zones.items():
        names.append(str(data.get("city") or zone.rsplit("/", 1)[-1].replace("_", " ")))
    return frozenset(stems(name) for name in names if stems(name)) - {(name,) for name in HOME}
