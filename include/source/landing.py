"""Landed pages: one folder a run, one sub-folder a task, with a manifest that a retry continues."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from include.settings import Settings
from include.source.errors import LandingError
from include.source.pages import Page, write_page
from include.source.paging import START, Cursor, LandTask, plan_page
from include.source.reader import SourceReader
from include.source.retry import with_retries

_MANIFEST = "manifest.jsonl"
_END = "end"


@dataclass(frozen=True)
class Landed:
    """What a task landed. `complete` is false while pages are still to come."""

    folder: Path
    pages: tuple[Page, ...] = ()
    complete: bool = False

    @property
    def rows(self) -> int:
        """Records in all pages."""
        return sum(page.rows for page in self.pages)

    @property
    def last(self) -> Cursor:
        """Where the last page ended."""
        return self.pages[-1].last if self.pages else START


def land_task(
    reader: SourceReader,
    task: LandTask,
    folder: Path,
    *,
    settings: Settings,
    on_page: Callable[[Page], None] = lambda _: None,
) -> Landed:
    """Pull the rows of a task into `folder`, continuing after the last whole page that lies there.

    A page shorter than asked does not end the task, since a server may cap its pages: a count of the rest does.

    Raises:
        TransientError: when the source failed `settings.source_attempts` times for one page.
        TerminalError: when the source refuses or drifts, or pages cannot be written.
    """
    landed = read_landed(folder)
    if landed.complete:
        return landed
    _clear_remains(folder, landed)
    pages = list(landed.pages)
    while True:
        after = pages[-1].last if pages else START
        target = folder / f"page-{len(pages):05d}.{settings.page_format}.gz"

        def pull(after: Cursor = after, target: Path = target) -> Page:
            query = plan_page(task, after, limit=settings.page_rows)
            return write_page(reader.page(query, form=settings.page_format), target, task=task, after=after)

        page = with_retries(pull, settings=settings)
        if page.rows and page.last == after:
            raise LandingError(
                f"a page of {page.rows} rows, none with a readable key",
                expected="an id in each row",
                action="report it",
            )
        if page.rows:
            pages.append(page)
            _note(folder, asdict(page))
            on_page(page)
        else:
            target.unlink()
        if page.rows < settings.page_rows and reader.count_after(task, page.last if page.rows else after) == 0:
            _note(folder, {_END: len(pages)})
            return Landed(folder, tuple(pages), complete=True)


def read_landed(folder: Path) -> Landed:
    """Return what lies in a folder: the pages of the manifest, up to the first one that is missing.

    Raises:
        LandingError: when the manifest cannot be read.
    """
    pages: list[Page] = []
    try:
        lines = (folder / _MANIFEST).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return Landed(folder)
    except OSError as error:
        raise LandingError(f"{folder / _MANIFEST} cannot be read: {error.strerror}") from error
    for line in lines:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            break  # a line cut by a crash: its page is pulled again
        if _END in entry:
            return Landed(folder, tuple(pages), complete=entry[_END] == len(pages))
        if not (folder / entry["file"]).is_file():
            break
        pages.append(_page(entry))
    return Landed(folder, tuple(pages))


def task_folder(settings: Settings, run_id: str, name: str) -> Path:
    """Return where the pages of a task lie."""
    return settings.landing_dir / run_id / name


def landed_runs(settings: Settings) -> Iterator[str]:
    """Yield the runs that have landed pages, oldest first."""
    if settings.landing_dir.is_dir():
        yield from sorted(path.name for path in settings.landing_dir.iterdir() if path.is_dir())


def remove_landed(settings: Settings, run_id: str) -> None:
    """Remove all pages of a run."""
    shutil.rmtree(settings.landing_dir / run_id, ignore_errors=True)


def remove_task(folder: Path) -> None:
    """Remove the pages of one task."""
    shutil.rmtree(folder, ignore_errors=True)


def _page(entry: dict[str, Any]) -> Page:
    return Page(**entry | {"header": tuple(entry["header"]), "last": Cursor(**entry["last"])})


def _clear_remains(folder: Path, landed: Landed) -> None:
    """Leave only the pages of the manifest, and a manifest of only these."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        keep = {page.file for page in landed.pages}
        for path in folder.iterdir():
            if path.name not in keep:
                path.unlink()
        for page in landed.pages:
            _note(folder, asdict(page))
    except OSError as error:
        raise _unwritable(folder, error) from error


def _note(folder: Path, entry: dict[str, object]) -> None:
    try:
        with (folder / _MANIFEST).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> LandingError:
    return LandingError(
        f"{folder} cannot be written: {error.strerror or error}",
        expected="room and the right to write there",
        action="free space, or set CRIME_HOME to a disk with room, then run again",
    )
