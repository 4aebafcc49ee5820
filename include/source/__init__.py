"""The source: a SODA end point, real or simulated, the pages pulled from it, and what may go wrong with it."""

from include.source.drift import check_columns
from include.source.errors import (
    BrokenBodyError,
    LandingError,
    NotDataError,
    SchemaDriftError,
    SourceBusyError,
    SourceDownError,
    SourceMixError,
    SourceRejectedError,
)
from include.source.landing import (
    Landed,
    land_task,
    landed_runs,
    read_landed,
    remove_landed,
    remove_task,
    task_folder,
)
from include.source.open import served, source_from_file, source_from_generator, source_from_url
from include.source.pages import CHUNK_BYTES, Page, instant, page_records
from include.source.paging import ROW_COLUMNS, Cursor, LandTask, plan_ids
from include.source.reader import Extent, MonthCount, SourceReader
from include.source.spec import SourceKind, SourceSpec, check_url

__all__ = [
    "CHUNK_BYTES",
    "ROW_COLUMNS",
    "BrokenBodyError",
    "Cursor",
    "Extent",
    "LandTask",
    "Landed",
    "LandingError",
    "MonthCount",
    "NotDataError",
    "Page",
    "SchemaDriftError",
    "SourceBusyError",
    "SourceDownError",
    "SourceKind",
    "SourceMixError",
    "SourceReader",
    "SourceRejectedError",
    "SourceSpec",
    "check_columns",
    "check_url",
    "instant",
    "land_task",
    "landed_runs",
    "page_records",
    "plan_ids",
    "read_landed",
    "remove_landed",
    "remove_task",
    "served",
    "source_from_file",
    "source_from_generator",
    "source_from_url",
    "task_folder",
]
