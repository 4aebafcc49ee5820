import pickle
import threading

import pytest

from agent.meter import Budget, BudgetExceededError, Meter


def test_counts_stop_at_their_budget_before_the_work_begins():
    done = []
    with Meter(Budget(model_calls=2)) as meter:
        for _ in range(2):
            with meter.charge("model_calls"):
                done.append(1)
        with pytest.raises(BudgetExceededError) as raised, meter.charge("model_calls"):
            done.append(1)
    assert (len(done), meter.count("model_calls")) == (2, 2)
    assert (raised.value.kind, raised.value.limit) == ("model_calls", 2)


@pytest.mark.parametrize("kind", ["probes", "repairs", "candidates"])
def test_a_kind_without_budget_is_refused_by_name(kind):
    with Meter(Budget(model_calls=5)) as meter, pytest.raises(BudgetExceededError) as raised, meter.charge(kind):
        pass
    assert raised.value.kind == kind


@pytest.mark.parametrize(
    ("budget", "kind"),
    [(Budget(model_calls=9, tokens=150), "tokens"), (Budget(model_calls=9, cost=0.5), "cost")],
)
def test_tokens_and_cost_stop_the_next_call_not_the_finished_one(budget, kind):
    with Meter(budget) as meter:
        with meter.charge("model_calls"):
            pass
        meter.record(tokens_in=100, tokens_out=60, cost=0.6, seconds=1.0)
        with pytest.raises(BudgetExceededError) as raised, meter.charge("model_calls"):
            pass
    assert raised.value.kind == kind
    assert (meter.tokens_in, meter.tokens_out, meter.cost, meter.model_seconds) == (100, 60, 0.6, 1.0)


def test_seconds_stop_and_the_clock_stops_at_the_end():
    with Meter(Budget(model_calls=9, seconds=0.0)) as meter:
        with pytest.raises(BudgetExceededError) as raised, meter.charge("model_calls"):
            pass
        assert meter.seconds_left == 0
    assert raised.value.kind == "seconds"
    assert meter.seconds == meter.seconds


def test_threads_cannot_overdraw():
    meter = Meter(Budget(probes=50))
    passed = []

    def probe() -> None:
        try:
            with meter.charge("probes"):
                passed.append(1)
        except BudgetExceededError:
            pass

    threads = [threading.Thread(target=probe) for _ in range(80)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(passed) == 50


def test_the_error_survives_pickling():
    error = pickle.loads(pickle.dumps(BudgetExceededError("tokens", 10)))
    assert (error.kind, error.limit, str(error)) == ("tokens", 10, str(BudgetExceededError("tokens", 10)))
