"""Every setting of the platform, read from the environment (prefix `CRIME_`) and an optional `.env` file.

Provider keys also answer to their usual names (`GROQ_API_KEY`, `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`). Nothing else in
the project reads the environment.
"""

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from include.errors import UsageError

PROJECT_ROOT = Path(__file__).resolve().parent.parent
SQL_DIR = PROJECT_ROOT / "sql"


class Settings(BaseSettings):
    """Typed settings. Sizes are in bytes, times in seconds, shares between 0 and 1 unless a name says otherwise."""

    model_config = SettingsConfigDict(
        env_prefix="CRIME_",
        env_file=PROJECT_ROOT / ".env",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        env_ignore_empty=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )

    home: Path = PROJECT_ROOT / "var"
    """Everything the platform writes: the embedded server, landing pages, reports, logs."""

    # Warehouse. Without `owner_url` the embedded server under `home` is used.
    database: str = "chicago_crime"
    """Name of the warehouse's database."""
    owner_url: str | None = Field(default=None, repr=False)
    """URL of the warehouse as `crime_owner`; none = the embedded server."""
    reader_url: str | None = Field(default=None, repr=False)
    """The same as `crime_reader`: everything the agent runs."""
    analyst_url: str | None = Field(default=None, repr=False)
    """The same as `crime_analyst`: people and their tools."""
    admin_url: str | None = Field(default=None, repr=False)
    """A superuser's URL on the server of `owner_url`: only the bootstrap uses it."""
    airflow_db_password: SecretStr | None = None
    """Set: `crime bootstrap` also makes Airflow's metadata database and its role."""
    embedded_port: int = Field(default=0, ge=0, le=65_535)
    """0 = a free port, chosen at the first start and kept."""
    snapshot_keep: int = Field(default=3, ge=1)
    """Newest snapshots that the weekly retention keeps."""

    # Source.
    source_url: str = "https://data.cityofchicago.org"
    """Base URL of the Socrata source, for the command line; DAGs take it from the connection `socrata_chicago`."""
    dataset_id: str = "ijzp-q8t2"
    """Socrata's id of the data set."""
    app_token: SecretStr | None = None
    """Socrata application token; none = requests share a throttled pool by address."""
    source_timeout: float = Field(default=60.0, gt=0, le=86_400)
    """Of connecting to the source and of each read from it; a source that trickles is not bounded as a whole."""
    source_attempts: int = Field(default=6, ge=1)
    """Sends of one request when the source is down, busy or answers something broken."""
    source_backoff: float = Field(default=1.0, ge=0)
    """First pause before a repeated request; the next ones double, up to a minute."""
    page_rows: int = Field(default=50_000, ge=1)
    """Rows of one page."""
    page_format: Literal["csv", "json"] = "csv"
    """Format of the landed pages."""
    full_ranges: int = Field(default=4, ge=1)
    """Id ranges of a full load, each a mapped task."""
    overlap_hours: float = Field(default=24.0, ge=0)
    """An increment starts this long before the watermark."""

    # Gates.
    shrink_limit: float = Field(default=0.01, ge=0, le=1)
    """Share of rows a snapshot may lose against the published one, unless forced."""
    reject_limit: float = Field(default=0.0001, ge=0, le=1)
    """Share of received rows that may be rejected before the run stops."""
    freshness_days: int = 14
    """Age of the newest incident from which on the freshness gate warns and the weekly check alerts."""
    publish_patience: float = Field(default=600.0, ge=0, le=86_400)
    """Seconds the publication keeps trying for its locks before the snapshot is held."""

    # Agent.
    groq_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("CRIME_GROQ_API_KEY", "GROQ_API_KEY", "groq_api_key")
    )
    """Key for Groq, the first provider looked for."""
    groq_base_url: str | None = None
    """Another address for the Groq client."""
    groq_model: str = "openai/gpt-oss-120b"
    """Model asked of Groq."""
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("CRIME_OPENAI_API_KEY", "OPENAI_API_KEY", "openai_api_key")
    )
    """Key for OpenAI or a compatible server, the second."""
    openai_base_url: str | None = None
    """Base URL of any OpenAI-compatible server (Ollama, vLLM, llama.cpp), ending in /v1."""
    openai_model: str | None = None
    """Model asked of the OpenAI-compatible server; needed with either of the two above."""
    anthropic_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("CRIME_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY", "anthropic_api_key")
    )
    """Key for Anthropic, the third."""
    anthropic_base_url: str | None = None
    """Another address for the Anthropic client."""
    anthropic_model: str = "claude-sonnet-4-5"
    """Model asked of Anthropic."""
    judge_model: str | None = None
    """Model of the judge as `provider:model`; none = no judge."""
    model_timeout: float = Field(default=60.0, gt=0, le=86_400)
    """Of one request to a provider."""
    model_attempts: int = Field(default=5, ge=1)
    """Sends of one request when the provider is throttling or down."""
    model_tokens_per_minute: int | None = Field(default=None, ge=1)
    """Kept by a token bucket per process and model; none = learnt from the provider's first refusal."""
    model_requests_per_minute: int | None = Field(default=None, ge=1)
    """The same for requests."""
    statement_timeout: float = Field(default=30.0, gt=0, le=86_400)
    """Of one query through the guard."""
    ask_max_rows: int = Field(default=1_000, ge=1)
    """Rows after which an answer is cut, and says so."""
    bench_max_rows: int = Field(default=200_000, ge=1)
    """The same in the benchmark, where a cut result is never correct."""
    max_result_bytes: int = Field(default=64 * 2**20, ge=1)
    """Size after which a result is cut."""
    max_plan_cost: float = Field(default=5e7, gt=0)
    """PostgreSQL's cost estimate above which a query is refused."""
    bench_parallel: int = Field(default=8, ge=1)
    """Questions of one benchmark run asked at the same time."""
    git_sha: str | None = None
    """Commit the code was built from; none = asked of git where there is a checkout."""

    # Orchestration.
    schedules: bool = True
    """False leaves DAG runs to triggers and assets: the demo and the tests."""
    airflow_port: int = Field(default=0, ge=0, le=65_535)
    """0 = 8080 where it is free at the first start, else a free port, kept from then on."""
    benchmark_arms: str | None = None
    """Arm set of the nightly benchmark; none = `nightly` with a provider key, else `keyless`."""

    # Delivery.
    smtp_url: str | None = Field(default=None, repr=False)
    """smtp://user:password@host:port, for the report and the alerts of the command line."""
    mail_to: str = ""
    """Addresses, separated by commas."""
    mail_from: str = "crime-platform@localhost"
    """Sender's address."""
    webhook_url: str | None = Field(default=None, repr=False)
    """Receives the report's summary and the alerts as JSON."""

    @property
    def landing_dir(self) -> Path:
        """Where landed pages lie."""
        return self.home / "landing"

    @property
    def export_dir(self) -> Path:
        """Where snapshots are exported to, unless told otherwise."""
        return self.home / "exports"

    @property
    def report_dir(self) -> Path:
        """Where reports are written."""
        return self.home / "reports"


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """Return the settings of this process, read once.

    Raises:
        UsageError: a variable has a value that cannot be read; the message names each.
    """
    try:
        return Settings()
    except ValidationError as error:
        faults = "; ".join(
            f"{_variable(fault['loc'])} is {fault['input']!r}: {fault['msg']}" for fault in error.errors()
        )
        raise UsageError(faults, action="correct it in the environment or in .env") from error


def _variable(location: tuple[int | str, ...]) -> str:
    name = str(location[0])
    return name if name.isupper() else f"CRIME_{name.upper()}"
