"""From what a user names (a URL, a file, a number of rows) to a source."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args
from urllib.parse import parse_qsl

from include.errors import UsageError
from include.settings import Settings
from include.source.reader import SourceReader
from include.source.spec import SourceKind, SourceSpec, check_url


def source_from_url(url: str, settings: Settings) -> SourceSpec:
    """Return the source behind a URL; it is asked once, for its metadata.

    A simulator says there what it serves, so that the same file on another port is the same source.

    Raises:
        UsageError: when the URL is malformed.
        TransientError: when the source cannot be reached or does not answer.
        TerminalError: when what answers is no SODA end point, or lacks the data set.
    """
    token = settings.app_token.get_secret_value() if settings.app_token else None
    address = check_url(url)
    plain = SourceSpec("socrata", address, settings.dataset_id, identity="", app_token=token)
    with SourceReader(plain, settings=settings) as reader:
        identity = _announced(reader.metadata()) or f"socrata:{plain.domain}/{settings.dataset_id}"
    kind, _, details = identity.partition(":")
    if kind not in get_args(SourceKind):
        raise UsageError(f"the source calls itself {identity!r}", expected=f"one of {', '.join(get_args(SourceKind))}")
    known = dict(parse_qsl(details.replace(",", "&"))) if kind == "generator" else {}
    return SourceSpec(
        kind=cast(SourceKind, kind),
        url=address,
        dataset_id=settings.dataset_id,
        identity=identity,
        app_token=token,
        rows=int(known["rows"]) if "rows" in known else None,
        seed=int(known["seed"]) if "seed" in known else None,
    )


def source_from_file(path: Path, *, dataset_id: str = "") -> SourceSpec:
    """Return the source of a CSV or Parquet file of crime rows, which `served` serves.

    Raises:
        UsageError: when there is no such file, or it cannot be read.
    """
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", expected="a CSV or Parquet file of crime rows"
        ) from error
    return SourceSpec("file", url="", dataset_id=dataset_id, identity="", path=str(path.resolve()))


def source_from_generator(rows: int, seed: int | None = None, *, dataset_id: str = "") -> SourceSpec:
    """Return the source of generated rows, which `served` serves.

    Raises:
        UsageError: when no rows are asked for.
    """
    if rows < 1:
        raise UsageError(f"{rows} rows to generate", expected="at least 1")
    return SourceSpec("generator", url="", dataset_id=dataset_id, identity="", rows=rows, seed=seed)


@contextmanager
def served(source: SourceSpec, *, settings: Settings) -> Iterator[SourceSpec]:
    """Yield the source with its URL and identity; a file or a generator is served by a simulator process meanwhile.

    Raises:
        UsageError: when the file holds no crime rows.
        TransientError: when the source cannot be reached.
        TerminalError: when the simulator does not start.
    """
    if source.url:
        yield source if source.identity else source_from_url(source.url, settings)
        return
    # The simulator and what it needs stay out of a process that pulls from elsewhere.
    from include.source.simulator import start_process

    options: dict[str, Any] = {} if source.seed is None else {"seed": source.seed}
    process = start_process(file=Path(source.path) if source.path else None, rows=source.rows, tied=True, **options)
    try:
        found = source_from_url(process.url, settings)
        yield replace(found, path=source.path, rows=source.rows or found.rows, seed=source.seed or found.seed)
    finally:
        process.stop()


def _announced(metadata: dict[str, Any]) -> str | None:
    fields = (metadata.get("metadata") or {}).get("custom_fields") or {}
    identity = (fields.get("simulator") or {}).get("identity")
    return str(identity) if identity else None
