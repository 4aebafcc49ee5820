"""The benchmark: questions, arms, runs, comparison, figures."""

from agent.benchmark.arm_sets import load_arms
from agent.benchmark.batch import Batch, BenchRequest, bench_request, finish_batch, plan_batch, run_benchmark
from agent.benchmark.figures import BenchReport
from agent.benchmark.questions import Question, QuestionSet, load_questions
from agent.benchmark.runner import run_arm
from agent.benchmark.statistics import mcnemar_exact, smallest_detectable_loss, wilson_interval

__all__ = [
    "Batch",
    "BenchReport",
    "BenchRequest",
    "Question",
    "QuestionSet",
    "bench_request",
    "finish_batch",
    "load_arms",
    "load_questions",
    "mcnemar_exact",
    "plan_batch",
    "run_arm",
    "run_benchmark",
    "smallest_detectable_loss",
    "wilson_interval",
]
