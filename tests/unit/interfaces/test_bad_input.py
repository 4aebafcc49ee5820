"""Bad input of every command: one clear error, the right exit code, one JSON document with --json, no stack trace."""

import http.server
import json
import socket
import threading
from collections.abc import Iterator

import pytest

from agent.interfaces.cli import main
from include.settings import get_settings

QUESTION = "How many thefts were there in 2017?"
SQL = "SELECT count(*) FROM crime_incidents"


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held.getsockname()[1]


@pytest.fixture
def html_source() -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"<html><body>Down for maintenance</body></html>"
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def fails(ended, *, code, says):
    """Check that the command ended with the code and one document that says so."""
    assert ended.code == code, ended
    error = ended.document["error"]
    assert set(error) == {"kind", "seen", "expected", "action"}
    assert says in " ".join(error.values()), error
    assert "Traceback" not in ended.err
    return error


USAGE = [
    (["ask", "", "--json"], "question"),
    (["ask", "  \n ", "--json"], "question"),
    (["ask", QUESTION, "--strategy", "nope", "--json"], "unknown strategy 'nope'"),
    (["ask", QUESTION, "--strategy", "agent_1", "--stage", "9", "--json"], "unknown prompt stage '9'"),
    (["ask", QUESTION, "--relevance", "loose", "--json"], "unknown relevance rule 'loose'"),
    (["ask", QUESTION, "--strategy", "agent_1", "--json"], "GROQ_API_KEY"),
    (["sql", " ", "--json"], "the SQL is empty"),
    (["bench", "--strategy", "nope", "--json"], "unknown strategy 'nope'"),
    (["bench", "--arms", "nope", "--json"], "unknown arm set 'nope'"),
    (["bench", "--arms", "keyless", "--strategy", "semantic", "--json"], "an arm set and single arms"),
    (["bench", "--questions", "absent.yaml", "--json"], "absent.yaml"),
    (["ingest", "--full", "--incremental", "--json"], "more than one of"),
    (["ingest", "--source-file", "a.csv", "--source-url", "http://a.test", "--json"], "both"),
    (["ingest", "--source-file", "absent.csv", "--json"], "absent.csv cannot be read"),
    (["ingest", "--source-url", "no url at all", "--json"], "no url at all"),
    (["simulate", "--rows", "1000", "--file", "a.csv", "--json"], "both --rows and --file"),
    (["simulate", "--file", "absent.csv", "--json"], "absent.csv"),
    (["simulate", "--rows", "1000", "--fault", "nope", "--json"], "nope"),
]


@pytest.mark.parametrize(("arguments", "says"), USAGE, ids=[" ".join(case[0][:4]) for case in USAGE])
def test_wrong_use_exits_2(crime, dead_database, arguments, says):
    fails(crime(*arguments, **dead_database), code=2, says=says)


@pytest.mark.parametrize(
    "arguments",
    [
        ["snapshots", "list"],
        ["snapshots", "show", "snap_1"],
        ["snapshots", "publish", "snap_1"],
        ["snapshots", "rollback"],
        ["ask", QUESTION],
        ["sql", SQL],
        ["bench"],
        ["report"],
    ],
    ids=" ".join,
)
def test_dead_database_exits_1_and_keeps_the_password(crime, dead_database, arguments):
    ended = crime(*arguments, "--json", **dead_database)
    fails(ended, code=1, says="127.0.0.1:9")
    assert "secret-word" not in ended.out + ended.err
    spoken = crime(*arguments, **dead_database)
    assert (spoken.code, spoken.out) == (1, "")
    assert spoken.err.startswith("error: ")


@pytest.mark.parametrize("arguments", [["snapshots", "list"], ["ask", QUESTION], ["report"]], ids=" ".join)
def test_a_warehouse_that_was_never_started_says_how_to_start_it(crime, arguments):
    fails(crime(*arguments, "--json"), code=1, says="crime up")


def test_doctor_reports_a_dead_database_as_a_finding(crime, dead_database):
    ended = crime("doctor", "--json", **dead_database)
    assert ended.code == 3
    wrong = {finding["name"] for finding in ended.document["findings"] if not finding["ok"]}
    assert ended.document["ok"] is False
    assert wrong
    assert "Python" not in wrong
    assert "secret-word" not in ended.out


def test_port_in_use(crime, taken_port):
    fails(crime("simulate", "--rows", "1000", "--port", str(taken_port), "--json"), code=2, says=str(taken_port))


def test_source_that_answers_html(crime, dead_database, html_source):
    ended = crime("ingest", "--full", "--source-url", html_source, "--json", **dead_database)
    fails(ended, code=1, says="HTML")


def test_source_that_nobody_serves(crime, dead_database):
    ended = crime("ingest", "--source-url", "http://127.0.0.1:9", "--json", CRIME_SOURCE_ATTEMPTS="1", **dead_database)
    fails(ended, code=1, says="127.0.0.1:9")


def test_file_of_something_else(crime, dead_database, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    error = fails(crime("simulate", "--file", str(other), "--json"), code=2, says="other.csv")
    assert error["seen"]


@pytest.mark.parametrize("command", [["up"], ["demo", "--rows", "10000"], ["down"]], ids=" ".join)
def test_home_that_cannot_be_written(crime, tmp_path, command):
    (tmp_path / "file").write_text("in the way")
    ended = crime(*command, "--json", CRIME_HOME=str(tmp_path / "file" / "home"))
    if command == ["down"]:
        assert (ended.code, ended.document) == (0, {"stopped": []})
    else:
        fails(ended, code=1, says=str(tmp_path / "file"))


@pytest.mark.parametrize("port", ["-1", "70000", "eight"])
def test_wrong_setting_is_named(crime, port):
    fails(crime("snapshots", "list", "--json", CRIME_AIRFLOW_PORT=port), code=2, says="CRIME_AIRFLOW_PORT")


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "--rows", "5"],
        ["demo", "--rows", "many"],
        ["bench", "--repeats", "0"],
        ["nope"],
        ["ask"],
        ["ask", "--x"],
    ],
    ids=" ".join,
)
def test_what_the_parser_refuses_exits_2(crime, arguments):
    ended = crime(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err


@pytest.mark.parametrize("arguments", [["demo", "--rows", "5"], ["nope"], ["ask"], ["snapshots", "nope"]], ids=" ".join)
def test_with_json_what_the_parser_refuses_is_a_document_too(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--json"])
    assert ended.value.code == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["kind"] == "UsageError"
    assert error["action"].startswith("crime")


def test_the_entry_point_passes_exit_codes_on(monkeypatch, dead_database):
    for name, value in dead_database.items():
        monkeypatch.setenv(name, value)
    for words, code in ((["snapshots", "list", "--json"], 1), (["doctor", "--json"], 3), (["ask", "", "--json"], 2)):
        get_settings.cache_clear()
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == code, words
