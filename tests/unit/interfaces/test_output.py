"""Tables on narrow terminals, hostile text, figures."""

import io
import json
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pytest
import typer
from rich.console import Console

from agent.interfaces.cli import output
from include.errors import RefusedError, TerminalError, TransientError, UsageError

ARM = {
    "name": "semantic",
    "scored": 96,
    "vsr": 0.906,
    "em": 0.761,
    "ex_default": 0.88,
    "ex_strict": 0.772,
    "ex_lenient": 0.88,
    "ex_robust": None,
}


@pytest.fixture
def terminal(monkeypatch):
    """Return a function that runs a printing function on a terminal of a width and returns what stands there."""

    def show(width, work):
        screen = io.StringIO()
        monkeypatch.setattr(output, "stdout", Console(file=screen, width=width, force_terminal=False))
        work()
        return screen.getvalue()

    return show


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_tables_keep_within_the_terminal(terminal, width):
    rows = [("a name that is much longer than its column would like", "1,234", "x" * 90), ("b", "5", "")]
    text = terminal(width, lambda: output.print_table(("name", "count", "note"), rows))
    assert max(map(len, text.splitlines())) <= width
    assert text.count("x") == 90


def test_figures_of_arms_fit_a_terminal_of_80(terminal):
    lines = terminal(80, lambda: output.print_arms([ARM, {**ARM, "name": "agent_2/2/relevance-paper"}])).splitlines()
    assert [line.split() for line in lines if "semantic" in line] == [
        ["semantic", "96", "90.6%", "76.1%", "88.0%", "77.2%", "88.0%"]
    ]
    head = next(line for line in lines if "arm" in line)
    assert head.split() == ["arm", "asked", "VSR", "EM", "EX", "strict", "lenient", "robust"]
    assert sum(bool(line.strip()) for line in lines) == 4  # head, rule and one line an arm


def test_numbers_stand_to_the_right(terminal):
    text = terminal(80, lambda: output.print_table(("name", "rows"), [("a", "1,234"), ("b", "5")]))
    ends = [len(line.rstrip()) for line in text.splitlines() if line.strip() and line.strip()[0] in "ab"]
    assert len(set(ends)) == 1


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("bell\x07 and back\x08", "bell\\x07 and back\\x08"),
        ("[bold]no markup[/bold]", "\\[bold]no markup\\[/bold]"),
        ("right\u202eto left", "right\\u202eto left"),
        ("two\nlines", "two\nlines"),
        ("a\ttab", "a\\ttab"),
        ("été 東京", "été 東京"),
        (None, ""),
        (0, "0"),
        (Decimal("1.50"), "1.50"),
    ],
)
def test_control_characters_are_shown_not_obeyed(value, shown):
    assert output.plain(value) == shown


def test_hostile_cells_reach_the_terminal_as_text(terminal):
    text = terminal(80, lambda: output.print_table(("c",), [("\x1b]0;title\x07[red]x[/red]",)]))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[red]x[/red]" in text


@dataclass(frozen=True)
class Result:
    day: date
    share: Decimal


def test_json_is_one_document_of_plain_values(capsys):
    output.run_command(lambda: Result(date(2024, 1, 2), Decimal("0.5")), as_json=True, render=lambda _: None)
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"day": "2024-01-02", "share": "0.5"}
    assert captured.err == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TransientError("a time-out"), 1),
        (TerminalError("drift"), 1),
        (UsageError("no such thing"), 2),
        (RefusedError("a gate said no"), 3),
    ],
)
@pytest.mark.parametrize("as_json", [True, False])
def test_each_kind_of_error_has_its_exit_code(capsys, error, code, as_json):
    def work():
        raise error

    with pytest.raises(typer.Exit) as ended:
        output.run_command(work, as_json=as_json, render=lambda _: None)
    assert ended.value.exit_code == code
    captured = capsys.readouterr()
    if as_json:
        assert json.loads(captured.out)["error"]["seen"] == error.seen
    else:
        assert captured.out == ""
        assert captured.err == f"error: {error}\n"


def test_errors_show_control_characters_as_text(capsys):
    def work():
        raise UsageError("unknown strategy '\x1b[2J'")

    with pytest.raises(typer.Exit):
        output.run_command(work, as_json=False, render=lambda _: None)
    assert "\x1b" not in capsys.readouterr().err
