"""Make new texts out of the guard's fixtures: splices, swapped names, wrappers, odd spellings."""

import random
import re
from collections.abc import Callable, Sequence

_PIECE = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|\w+|\s+|[^\w\s]")
_NAMES = (
    "app.secret", "public.secret", "secret", '"public"."secret"', '"SECRET"', "pg_authid", "pg_catalog.pg_stats",
    "pg_settings", "information_schema.tables", "pg_largeobject", "snap_test.crime_incidents", "ops.query_audit",
    "crime_incidents", "district_names", "(SELECT * FROM secret)", "LATERAL (TABLE secret)", "ONLY secret",
    "ROWS FROM (app.bump())",
)  # fmt: skip
_CALLS = (
    "app.bump()", "bump()", "app.bump_def()", "lo_create(0)", "lo_from_bytea(0, 'x')", "pg_sleep(5)",
    "set_config('transaction_read_only', 'off', false)", "query_to_xml('TABLE secret', true, true, '')",
    "pg_advisory_lock(7)", "current_setting('is_superuser')", "nextval('app.counter')", "pg_read_file('PG_VERSION')",
    "pg_notify('a', 'b')", "'app.secret'::regclass", "pg_terminate_backend(pg_backend_pid())", "user",
    "(SELECT v FROM app.secret LIMIT 1)", "(TABLE secret)", "(app.secret).v", "ts_stat('TABLE secret')",
)  # fmt: skip
_WRITES = (
    "INSERT INTO app.touched VALUES (1)", "DELETE FROM crime_incidents", "DROP TABLE crime_incidents",
    "COPY secret TO STDOUT", "CREATE TEMP TABLE t AS TABLE secret", "SET ROLE crime_owner", "LOCK TABLE secret",
    "DO $$ BEGIN PERFORM app.bump(); END $$", "COMMIT", "VACUUM", "NOTIFY a", "UPDATE app.touched SET n = 2",
)  # fmt: skip
_WRAPPERS = (
    "SELECT * FROM ({0}) AS t", "WITH secret AS ({0}) SELECT * FROM secret", "WITH w AS ({1}) {0}", "({0})",
    'WITH "SECRET" AS ({0}) SELECT * FROM SECRET', "{0} UNION ALL SELECT v FROM secret", "{0}; {1}", "{1}; {0}",
    "SELECT ({0})", "SELECT EXISTS ({0})", "WITH a AS ({0}), b AS ({1} RETURNING 1) TABLE b", "EXPLAIN ANALYZE {0}",
    "SELECT ARRAY({0})", "{0} FOR UPDATE", "SELECT * INTO app.made FROM ({0}) AS t", "{0} --\n; {1}",
    "SELECT count(*) FROM crime_incidents, LATERAL ({0}) AS t", "WITH RECURSIVE r AS ({0} UNION TABLE secret) TABLE r",
)  # fmt: skip
_GLUE = ("/**/", "/*; {0} */", "--\n", "\t", "\u00a0", "\ufeff", "\u200b", "\v", "\n\n", " . ", "$$", "\\", "'", '"')


def mutated(texts: Sequence[str], *, rng: random.Random) -> str:
    """Return a new text made of the given ones."""
    text = rng.choice(texts)
    for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
        text = rng.choice(_STEPS)(text, texts, rng)
    return text


def _splice(text: str, texts: Sequence[str], rng: random.Random) -> str:
    one, other = _PIECE.findall(text), _PIECE.findall(rng.choice(texts))
    return "".join(one[: rng.randint(0, len(one))] + other[rng.randint(0, len(other)) :])


def _transplant(text: str, texts: Sequence[str], rng: random.Random) -> str:
    one, other = _PIECE.findall(text), _PIECE.findall(rng.choice(texts))
    at, start = rng.randint(0, len(one)), rng.randint(0, len(other))
    return "".join(one[:at] + other[start : start + rng.randint(1, 12)] + one[at + rng.randint(0, 3) :])


def _name(text: str, _texts: Sequence[str], rng: random.Random) -> str:
    tables = r"(?i)\b(crime_incidents|district_names|community_area_names|ward_names|secret)\b"
    return re.sub(tables, lambda found: rng.choice((found[0], rng.choice(_NAMES))), text)


def _call(text: str, _texts: Sequence[str], rng: random.Random) -> str:
    calls = list(re.finditer(r"\b[a-z_]+\([^()]*\)|\"[A-Z_]+\"|\b\d+\b", text))
    if not calls:
        return text + " + " + rng.choice(_CALLS)
    chosen = rng.choice(calls)
    return text[: chosen.start()] + rng.choice(_CALLS) + text[chosen.end() :]


def _wrap(text: str, _texts: Sequence[str], rng: random.Random) -> str:
    return rng.choice(_WRAPPERS).replace("{0}", text).replace("{1}", rng.choice(_WRITES))


def _spell(text: str, _texts: Sequence[str], rng: random.Random) -> str:
    pieces = _PIECE.findall(text)
    words = [number for number, piece in enumerate(pieces) if piece[0].isalpha() or piece[0] == "_"]
    if not words:
        return text
    at = rng.choice(words)
    word = pieces[at]
    escaped = 'U&"\\' + f"{ord(word[0]):04x}" + word[1:] + '"'
    pieces[at] = rng.choice(
        (word.upper(), word.title(), f'"{word}"', f'"{word.upper()}"', escaped, f"pg_catalog.{word}")
    )
    return "".join(pieces)


def _glue(text: str, _texts: Sequence[str], rng: random.Random) -> str:
    pieces = _PIECE.findall(text)
    at = rng.randint(0, len(pieces))
    return "".join([*pieces[:at], rng.choice(_GLUE).replace("{0}", rng.choice(_WRITES)), *pieces[at:]])


_STEPS: tuple[Callable[[str, Sequence[str], random.Random], str], ...] = (
    _splice, _transplant, _name, _name, _call, _call, _wrap, _wrap, _spell, _glue,
)  # fmt: skip
