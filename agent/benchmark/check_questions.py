"""`make check-questions`: print how varied the 100 questions are and refuse a set that breaks a rule.

Without a published snapshot the golds are linted but not run.
"""

import sys
from collections.abc import Iterator
from functools import partial

from agent.benchmark.gold_lint import lint_gold
from agent.benchmark.gold_runs import GoldRun, run_golds
from agent.benchmark.questions import QuestionSet, load_questions
from agent.benchmark.variety import Variety, measure_variety, names_otherwise
from agent.guard import Caller, Guard, Limits
from include.errors import EXIT_REFUSED, PlatformError
from include.settings import get_settings
from include.warehouse import Warehouse, require_snapshot

TIERS = {"easy": 30, "medium": 40, "hard": 30}
RESERVED = {"easy": 3, "medium": 1}
MIN_SKELETONS = 60
MAX_OPENING_SHARE = 0.15
MIN_WITHOUT_QUESTION = 20
MIN_RENAMED = 30
MIN_CONSTRUCTS = 2
MAX_EMPTY = 5


def main() -> int:
    """Print the figures and the broken rules; return the exit code."""
    try:
        questions = load_questions()
        faults = [fault for question in questions.questions for fault in lint_gold(question)]
        variety = measure_variety(questions)
        faults += broken_rules(questions, variety)
        runs, note = _run_on_published(questions)
    except PlatformError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    faults += broken_runs(runs)
    sys.stdout.write("\n".join([*_lines(questions, variety), *_run_lines(runs, note)]) + "\n")
    for fault in faults:
        sys.stderr.write(f"broken: {fault}\n")
    return EXIT_REFUSED if faults else 0


def broken_rules(questions: QuestionSet, variety: Variety) -> list[str]:
    """Return the rules of variety that the set breaks."""
    words, times = variety.openings[0]
    thin = [str(number) for number, found in variety.constructs.items() if len(found) < MIN_CONSTRUCTS]
    rules = {
        f"tiers are {variety.tiers}, not {TIERS}": variety.tiers == TIERS,
        f"reserved are {variety.reserved}, not {RESERVED}": variety.reserved == RESERVED,
        f"{variety.skeletons} SQL skeletons, fewer than {MIN_SKELETONS}": variety.skeletons >= MIN_SKELETONS,
        f"{times} questions begin with {words!r}": times <= MAX_OPENING_SHARE * variety.questions,
        f"{variety.without_question} are commands or without a verb": variety.without_question >= MIN_WITHOUT_QUESTION,
        f"{variety.renamed} name a value in other words": variety.renamed >= MIN_RENAMED,
        f"hard golds with fewer than {MIN_CONSTRUCTS} constructs: {', '.join(thin)}": not thin,
    }
    return [rule for rule, kept in rules.items() if not kept] + list(_wrong_tags(questions))


def broken_runs(runs: tuple[GoldRun, ...]) -> list[str]:
    """Return what went wrong when the golds ran."""
    faults = [f"question {run.question_id}, gold {run.number}: {run.fault}" for run in runs if run.fault]
    empty = sorted({run.question_id for run in runs if run.number == 1 and run.empty})
    if len(empty) > MAX_EMPTY:
        faults.append(f"{len(empty)} golds return nothing: {empty}")
    return faults


def _wrong_tags(questions: QuestionSet) -> Iterator[str]:
    for question in questions.questions:
        form = {"imperative", "verbless"} & set(question.tags)
        if form and "?" in question.question:
            yield f"question {question.id} is tagged {form.pop()} and asks a question"
        if "renamed" in question.tags and not names_otherwise(question):
            yield f"question {question.id} is tagged renamed and names every value as stored"


def _run_on_published(questions: QuestionSet) -> tuple[tuple[GoldRun, ...], str]:
    """Return the runs on the published snapshot and its id, or none and why."""
    settings = get_settings()
    try:
        warehouse = Warehouse.from_settings(settings)
        with warehouse.owner() as conn:
            snapshot = require_snapshot(conn, None).snapshot_id
    except PlatformError as error:
        return (), f"golds were not run: {error}"
    caller = Caller(interface="check", node="gold")
    limits = Limits.for_bench(settings)
    with Guard(warehouse, settings=settings, audit=False) as guard:
        execute = partial(guard.execute, schema=snapshot, caller=caller, limits=limits)
        return run_golds(questions, execute=execute), snapshot


def _lines(questions: QuestionSet, variety: Variety) -> Iterator[str]:
    words, times = variety.openings[0]
    yield f"{questions.name} version {questions.version}, {questions.content_hash[:12]}"
    yield f"questions               {variety.questions} ({_counts(variety.tiers)})"
    yield f"reserved                {_counts(variety.reserved)}"
    yield f"SQL skeletons           {variety.skeletons} (at least {MIN_SKELETONS})"
    yield f"most frequent opening   {words!r}, {times} of {variety.questions} (at most {MAX_OPENING_SHARE:.0%})"
    yield f"imperative or verbless  {variety.without_question} (at least {MIN_WITHOUT_QUESTION})"
    yield f"values renamed          {variety.renamed} (at least {MIN_RENAMED})"
    totals = {name: 0 for name in ("cte", "window", "subquery", "set operation", "self-join")}
    for found in variety.constructs.values():
        for name in found:
            totals[name] += 1
    yield f"hard golds              {_counts(totals)}; each has at least {min(map(len, variety.constructs.values()))}"


def _run_lines(runs: tuple[GoldRun, ...], note: str) -> Iterator[str]:
    if not runs:
        yield note
        return
    empty = sorted({run.question_id for run in runs if run.number == 1 and run.empty})
    skipped = sorted({run.question_id for run in runs if run.skipped})
    yield f"golds run               {len(runs) - sum(run.skipped for run in runs)} on {note}"
    yield f"empty                   {len(empty)} (at most {MAX_EMPTY}): {', '.join(map(str, empty)) or 'none'}"
    if skipped:
        yield f"years missing           {', '.join(map(str, skipped))}"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


if __name__ == "__main__":
    sys.exit(main())
