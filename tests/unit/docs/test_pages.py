"""What the documentation names must exist, and what exists must be named."""

import importlib
import inspect
import re
import shlex
from collections.abc import Iterator

import click
import pytest
import typer

from agent.arms import RELEVANCE_RULES, STAGES
from agent.benchmark import load_arms
from agent.interfaces.cli.app import app
from agent.strategies import STRATEGIES
from agent.strategies.page import renew_page
from include.errors import EXIT_FAILED, EXIT_REFUSED, EXIT_USAGE, PlatformError
from include.settings import PROJECT_ROOT, Settings
from include.settings_page import settings_markdown
from tests.unit.docs.pages import Page, read_pages

READ = read_pages()
BY_NAME = {page.path.name: page for page in READ}
EVERY_PAGE = pytest.mark.parametrize("page", READ, ids=lambda page: page.path.name)
ERROR_PACKAGES = (
    "include.source", "include.ingest", "include.quality", "include.warehouse", "include.notify", "agent.guard",
    "agent.llm", "agent.meter", "agent.benchmark",
)  # fmt: skip


def root_command() -> click.Group:
    command = typer.main.get_command(app)
    assert isinstance(command, click.Group) or hasattr(command, "commands")
    return command  # type: ignore[return-value]  # typer vendors its own click: the same attributes


def leaves(command: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, child in getattr(command, "commands", {}).items():
        if hasattr(child, "commands"):
            yield from leaves(child, (*path, name))
        else:
            yield (*path, name)


def options_of(path: tuple[str, ...]) -> set[str]:
    command: object = root_command()
    for name in path:
        command = command.commands[name]  # type: ignore[attr-defined]  # a group, by `leaves`
    return {"--help"} | {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)  # type: ignore[attr-defined]
    }


def settings_variables() -> set[str]:
    return set(re.findall(r"`([A-Z_]+)`", settings_markdown()))


def error_classes() -> set[str]:
    found = set()
    for package in ERROR_PACKAGES:
        base = PROJECT_ROOT.joinpath(*package.split("."))
        files = base.rglob("*.py") if base.is_dir() else [base.with_suffix(".py")]
        for file in files:
            if "__main__" in file.name or not re.search(r"^class \w+\(.*\w", file.read_text(), re.MULTILINE):
                continue
            module = importlib.import_module(".".join(file.relative_to(PROJECT_ROOT).with_suffix("").parts))
            for name, kind in inspect.getmembers(module, inspect.isclass):
                if issubclass(kind, PlatformError) and kind.__module__ == module.__name__:
                    found.add(name)
    return found


@EVERY_PAGE
def test_commands_and_options_exist(page: Page) -> None:
    known = set(leaves(root_command()))
    wrong = []
    for program, rest in page.commands:
        if program != "crime":
            continue
        words = shlex.split(rest.replace("…", ""), posix=True)
        path = next((tuple(words[:n]) for n in (2, 1) if tuple(words[:n]) in known), None)
        groups = {leaf[:1] for leaf in known if len(leaf) > 1}
        if path is None:
            if words and tuple(words) not in groups and not words[0].startswith(("-", "_")):
                wrong.append(f"crime {rest.strip()}: no such command")
            continue
        unknown = {word.split("=")[0] for word in words if word.startswith("--")} - options_of(path)
        if unknown:
            wrong.append(f"crime {rest.strip()}: no such option {unknown}")
    assert not wrong


@EVERY_PAGE
def test_make_targets_exist(page: Page) -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (PROJECT_ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {rest.split()[0] for program, rest in page.commands if program == "make" and rest.split()}
    assert named <= targets


@EVERY_PAGE
def test_relative_links_resolve(page: Page) -> None:
    inner = [link for link in page.links if "://" not in link]
    dead = [link for link in inner if not (page.path.parent / link.split("#")[0]).exists()]
    assert not dead


@EVERY_PAGE
def test_paths_in_code_exist(page: Page) -> None:
    """Inline code that looks like a path of the project is one."""
    tops = ("dags", "plugins", "include", "agent", "sql", "tests", "docs", "bench")
    paths = [text for text in page.inline if re.fullmatch(r"[\w.-]+/[\w./-]*", text) and text.split("/")[0] in tops]
    dead = [path for path in paths if not (PROJECT_ROOT / path).exists()]
    assert not dead


@EVERY_PAGE
def test_test_targets_of_make_exist(page: Page) -> None:
    named = re.findall(r'ARGS="?([^"`\n]+)"?', page.text)
    dead = [path for group in named for path in group.split() if not (PROJECT_ROOT / path).exists()]
    assert not dead


@EVERY_PAGE
def test_variables_exist(page: Page) -> None:
    named = set(re.findall(r"\b(?:CRIME_[A-Z_]+|[A-Z]+_API_KEY)\b", page.prose))
    columns = {"CRIME_TYPE", "CRIME_CATEGORY"}
    assert named - columns <= settings_variables()


@EVERY_PAGE
def test_dags_exist(page: Page) -> None:
    dags = {path.stem for path in (PROJECT_ROOT / "dags").glob("*.py")}
    named = set(re.findall(r"`((?:ingest|benchmark|report|maintain)_[a-z_]+)`", page.prose)) - {"benchmark_run"}
    assert named <= dags


def test_every_command_is_documented() -> None:
    named = {rest.strip() for page in READ for program, rest in page.commands if program == "crime"}
    missing = [
        " ".join(leaf) for leaf in leaves(root_command()) if not any(rest.startswith(" ".join(leaf)) for rest in named)
    ]
    assert not missing


def test_every_dag_and_param_is_documented() -> None:
    page = BY_NAME["schedule.md"].text
    for path in (PROJECT_ROOT / "dags").glob("*.py"):
        assert f"`{path.stem}`" in page
        for param in re.findall(r'^    "(\w+)": Param\(', path.read_text(), re.MULTILINE):
            assert f"| `{path.stem}` | `{param}` |" in page


def test_every_error_is_documented() -> None:
    page = BY_NAME["operate.md"].text
    family = {"ModelError"}
    assert {name for name in error_classes() - family if f"`{name}`" not in page} == set()


def test_documented_errors_exist() -> None:
    named = set(re.findall(r"`(\w+(?:Error|Refusal|Timeout|Failed))`", BY_NAME["operate.md"].text))
    assert named - {"TransientError", "TerminalError"} <= error_classes()


def test_exit_codes_are_those_of_the_code() -> None:
    assert (EXIT_FAILED, EXIT_USAGE, EXIT_REFUSED) == (1, 2, 3)
    for name in ("query.md", "operate.md"):
        text = BY_NAME[name].text
        assert "0" in text
        assert all(re.search(rf"(\| {code} \||\b{code} (failed|wrong|a check))", text) for code in (1, 2, 3))


def test_strategies_stages_and_arm_sets_are_documented() -> None:
    page = BY_NAME["strategies.md"].text
    for name in (*STRATEGIES, *map(str, STAGES), *RELEVANCE_RULES):
        assert f"`{name}`" in page
    for name in re.findall(r"--arms (\w+)", "".join(page.text for page in READ)):
        assert load_arms(name)


def test_the_settings_page_is_current() -> None:
    assert BY_NAME["settings.md"].text == settings_markdown(), "run `make docs`"


def test_every_setting_says_what_it_means() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_the_strategies_page_is_current() -> None:
    text = BY_NAME["strategies.md"].text
    assert renew_page(text, STRATEGIES) == text, "run `make docs`"
