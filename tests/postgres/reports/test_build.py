"""The page: with no, one and many weeks of history, failed arms, hostile texts; its numbers are those of `ops`."""

from pathlib import Path

import pytest

from agent.reports import build_report
from include.dataset import DISCLAIMER
from tests.postgres.reports.conftest import SNAPSHOT, answer, ops, read_json
from tests.postgres.reports.page import Page

pytestmark = pytest.mark.postgres

OVERALL = "Figures by arm, mean over repeats (the paper's table 11)"
RIGHT = [answer(number, "correct") for number in (4, 5, 31, 32, 71, 72)]


@pytest.fixture
def build(store, settings, tmp_path):
    def run():
        report = build_report(store, settings=settings, out_dir=tmp_path / "reports")
        html = Path(report.path).read_text(encoding="utf-8")
        return report, Page(html), html

    return run


def test_without_a_benchmark_the_page_says_so(build, store):
    report, page, _ = build()
    assert report.summary["verdict"] == f"Snapshot {SNAPSHOT} (98,765 rows) is published; no benchmark has run on it."
    assert report.summary["arms"] == []
    assert report.summary["verdict"] in page.text
    assert DISCLAIMER in page.text
    assert ops(store, "SELECT report_id, batch_id, path FROM ops.report") == [(report.report_id, None, report.path)]


def test_without_a_snapshot_there_is_nothing_to_report(new_warehouse, settings, tmp_path):
    report = build_report(new_warehouse, settings=settings, out_dir=tmp_path / "deep" / "er")
    assert "nothing to report yet" in report.summary["verdict"]
    assert report.summary["snapshot_id"] is None
    Page(Path(report.path).read_text())


def test_first_week_has_nothing_to_compare_with(build, write_run):
    write_run("b1", RIGHT)
    report, page, _ = build()
    assert "semantic answered 6 of 6 right: 100.0% [61.0% to 100.0%]" in report.summary["verdict"]
    assert "no run before it" in report.summary["verdict"]
    assert "No earlier run of this arm" in page.text
    assert "One measurement so far" in page.text
    assert "svg" not in page.tags


def test_later_weeks_show_what_moved(build, write_run):
    write_run("b0", RIGHT, weeks_ago=20)
    write_run("b1", [*RIGHT[:5], answer(72, "wrong", sql="SELECT 'old'")], weeks_ago=2)
    write_run("b2", [*RIGHT[:5], answer(72, "wrong")], weeks_ago=1)
    lost = answer(4, "wrong", sql="SELECT 'new'", first_rows=((1, "got this"),))
    write_run("b3", [lost, *RIGHT[1:]])
    report, page, html = build()
    (arm,) = report.summary["arms"]
    assert (arm["regressions"], arm["fixed"], arm["flaky"], arm["p_value"]) == ([4], [72], [], 1.0)
    assert "1 gained and 1 lost since the run before (no more than chance, exact McNemar p = 1.00)" in page.text
    assert "Lost: 4" in page.text
    assert "SELECT 4" in page.text
    assert "SELECT 'new'" in page.text
    assert "1 | got this" in page.text
    assert "Fixed: 72" in page.text
    assert page.text.index("Lost: 4") < page.text.index("Figures by arm")
    # The batch of 20 weeks ago is out of the trend of 12 weeks.
    assert "3 measurements" in html
    assert "svg" in page.tags


def test_a_drop_beyond_chance_is_called_so(build, write_run):
    write_run("b1", [answer(number, "correct") for number in range(4, 24)], weeks_ago=1)
    write_run("b2", [answer(number, "wrong" if number < 12 else "correct") for number in range(4, 24)])
    report, _, _ = build()
    assert "0 gained and 8 lost since the run before (more than chance" in report.summary["verdict"]
    assert report.summary["arms"][0]["p_value"] == pytest.approx(2 * 0.5**8)


def test_infrastructure_is_neither_lost_nor_counted(build, write_run):
    write_run("b1", RIGHT, weeks_ago=1)
    write_run("b2", [answer(4, "infrastructure"), *RIGHT[1:]])
    report, page, _ = build()
    assert "answered 5 of 5 right" in report.summary["verdict"]
    assert report.summary["arms"][0]["regressions"] == []
    assert page.tables["Outcomes by kind"][1] == ["semantic", "1", "5", "0", "0", "0", "0", "0", "1"]


def test_repeats_that_disagree_are_flaky_and_spread(build, write_run):
    write_run("b1", RIGHT, repeat=1)
    write_run("b1", [*RIGHT[:5], answer(72, "wrong")], repeat=2)
    report, page, _ = build()
    (arm,) = report.summary["arms"]
    assert (arm["flaky"], arm["repeats"]) == ([72], 2)
    assert arm["ex_default"] == pytest.approx((1 + 5 / 6) / 2)
    spread = page.tables["Mean and standard deviation over repeats"][1]
    assert spread == ["semantic", "2", "100.0% ± 0.0", "91.7% ± 11.8", "91.7% ± 11.8"]


def test_an_arm_that_failed_does_not_hide_the_others(build, write_run):
    write_run("b1", RIGHT)
    write_run("b1", RIGHT[:2], arm="agent_1/2", error="the daily quota is used up")
    report, page, _ = build()
    by_arm = {arm["arm"]: arm for arm in report.summary["arms"]}
    assert (by_arm["agent_1/2"]["failed_runs"], by_arm["agent_1/2"]["ex_default"]) == (1, None)
    assert by_arm["semantic"]["ex_default"] == 1.0
    assert report.summary["verdict"].count("semantic answered") == 1
    assert "the daily quota is used up" in page.text


def test_when_every_arm_failed_the_verdict_says_so(build, write_run):
    write_run("b1", [], error="no key")
    report, page, _ = build()
    assert "no arm finished" in report.summary["verdict"]
    assert "no finished run" in page.text


@pytest.mark.parametrize("judged", [True, False])
def test_tiles_with_and_without_a_judge(build, write_run, judged):
    marks = {"ex": True, "sq": 4} if judged else {}
    write_run("b1", [answer(4, "correct", **marks), answer(5, "wrong", **marks)], judge="m@1" if judged else None)
    report, page, _ = build()
    (arm,) = report.summary["arms"]
    assert (arm["ex"], arm["sq"]) == ((1.0, 4.0) if judged else (None, None))
    assert ("No judge is configured" in page.text) is not judged
    assert ("goal 4.0 (met)" in page.text) is judged
    assert page.tables[OVERALL][1][3:5] == (["100.0%", "4.00"] if judged else ["-", "-"])


HOSTILE = "<script>alert('x')</script><img src=http://evil.test/a.png onerror=alert(1)> \"&'"


def test_hostile_texts_stay_text(build, write_run):
    bad = answer(
        4,
        "wrong",
        sql=f"SELECT '{HOSTILE}'",
        answer=HOSTILE,
        first_rows=((HOSTILE,),),
    )
    failed = answer(5, "invalid", error={"node": HOSTILE, "message": HOSTILE}, failure_kind=HOSTILE)
    write_run("b1", [answer(4, "correct", sql=HOSTILE), answer(5, "correct")], weeks_ago=1, arm=f"semantic/{HOSTILE}")
    write_run("b2", [bad, failed], arm=f"semantic/{HOSTILE}")
    write_run("b2", [], arm="other", error=HOSTILE)
    _, page, html = build()
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert not [address for address in page.addresses if address.startswith("http")]
    assert page.text.count("alert('x')") >= 6
    assert "<b>old</b>" in page.text
    assert "onerror=alert(1)>" not in html


def test_nothing_is_fetched_from_anywhere(build, write_run):
    write_run("b1", RIGHT, weeks_ago=1)
    write_run("b2", RIGHT)
    _, page, html = build()
    assert [address for address in page.addresses if not address.startswith("#")] == []
    assert {"script", "link", "iframe", "object", "img"} & set(page.tags) == set()
    assert "@import" not in html
    assert "url(" not in html


def test_numbers_of_the_page_are_those_of_ops(build, write_run, store):
    bench = write_run(
        "b1", [*RIGHT, answer(6, "wrong", tokens_in=800, tokens_out=50, cost=0.25), answer(7, "no_query")]
    )
    report, page, _ = build()
    (metrics,) = ops(store, "SELECT metrics FROM ops.benchmark_run WHERE bench_id = %s", bench)[0]
    names = ("vsr", "em", "ex", "sq", "ex_strict", "ex_default", "ex_lenient", "ex_robust", "ex_default_nonempty")
    shown = ["-" if metrics[name] is None else f"{metrics[name]:.1%}" for name in names]
    assert page.tables[OVERALL][1] == ["semantic", *shown]

    by_tier = ops(
        store,
        "SELECT tier, count(*), avg((outcome IN ('correct', 'wrong'))::int)::float8,"
        " avg((outcome = 'correct')::int)::float8 FROM ops.benchmark_answer WHERE bench_id = %s GROUP BY 1",
        bench,
    )
    expected = {tier: [str(count), f"{ran:.1%}", f"{right:.1%}", f"{right:.1%}"] for tier, count, ran, right in by_tier}
    rows = page.tables["By tier, first repeat"][1:]
    assert [row[1] for row in rows] == ["easy", "medium", "hard"]
    assert {row[1]: row[2:] for row in rows} == expected

    outcomes = dict(
        ops(store, "SELECT outcome, count(*) FROM ops.benchmark_answer WHERE bench_id = %s GROUP BY 1", bench)
    )
    assert page.tables["Outcomes by kind"][1] == [
        "semantic",
        "1",
        *(str(outcomes.get(name, 0)) for name in ("correct", "wrong", "no_query", "invalid", "refused")),
        "0",
        "0",
    ]
    (effort,) = ops(
        store,
        "SELECT sum(tokens_in), sum(tokens_out), sum(tokens_in) / 8 + sum(tokens_out), sum(cost)"
        " FROM ops.benchmark_answer WHERE bench_id = %s",
        bench,
    )
    cells = page.tables["Effort of each run"][1]
    assert cells[2:6] == [f"{effort[0]:,}", f"{effort[1]:,}", f"{effort[2]:,.0f}", f"{effort[3]:.2f}"]
    assert cells[8] == "42"

    facts = " ".join(" ".join(row) for row in page.tables["Snapshot"])
    for number in ("98,765 rows", "12,345 received", "1,201 new", "302 changed", "77 with", "14 deleted", "5 rejected"):
        assert number in facts
    assert "LATITUDE (block donor): 4,321" in facts
    assert "WARD" not in facts
    assert "1,201 rows added, 302 changed, 14 removed" in facts
    document = read_json(report.json_path)
    assert document["arms"][0]["ex_default"] == metrics["ex_default"]
    assert ops(store, "SELECT summary ->> 'verdict' FROM ops.report") == [(report.summary["verdict"],)]


def test_wrong_answers_are_read_first(build, write_run):
    write_run("b1", [*RIGHT[:2], answer(6, "wrong"), answer(7, "no_query")])
    _, page, _ = build()
    assert "easy: 2 of 4 right" in page.text
    assert [row[0] for row in page.tables["Id"][1:]] == ["6", "7", "4", "5"]


def test_golds_that_moved_with_the_data_are_listed(build, write_run, store):
    write_run("b1", RIGHT, weeks_ago=1, snapshot_id="snap_old")
    write_run("b2", RIGHT)
    with store.owner() as conn:
        for snapshot, digest in (("snap_old", "a"), (SNAPSHOT, "b")):
            for question, own in ((4, digest), (5, "same")):
                conn.execute(
                    "INSERT INTO ops.gold_result VALUES (%s, %s, %s, 0, 1, %s, '{}', 1)",
                    (snapshot, "f" * 64, question, own),
                )
    report, page, _ = build()
    assert report.summary["moved_golds"] == [4]
    assert ["Golds that moved", "4"] in page.tables["Snapshot"]


def test_old_data_are_called_stale(build, store):
    with store.owner() as conn:
        conn.execute("UPDATE ops.snapshot SET newest_incident = now() - interval '60 days'")
    assert build()[0].summary["stale"] is True
