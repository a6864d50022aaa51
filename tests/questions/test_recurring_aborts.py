"""The same abort in the same tasks of every run is no outage."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case, RunCases
from blade.questions import recurring_aborts


def _cases(lost: set[int], state: str = "infrastructure") -> list[Case]:
    made = [case(task, passed=task % 2 == 0 and task not in lost) for task in range(40)]
    for task in lost:
        made[task].state, made[task].reason = state, f"exec /image_{task}.sh: no such file"
    return made


def _runs(first: set[int], second: set[int], state: str = "infrastructure") -> list[RunCases]:
    return [run_of("old", _cases(first, state)), run_of("new", _cases(second, state))]


def test_the_same_abort_in_the_same_tasks_of_all_runs_is_the_benchmarks() -> None:
    answer = recurring_aborts.ask(_runs({3, 5, 8}, {3, 5, 8}))
    assert answer is not None
    (one,) = answer["aborts"]
    assert (one["tasks"], one["rollouts"], one["by_run"]) == (["3", "5", "8"], 6, {"old": 3, "new": 3})
    told = words(recurring_aborts.tell(answer))
    assert (
        "In 3 tasks of 40 every attempt of both runs ends alike: the 6 rollouts are broken by infrastructure (3, 5 and "
        "8); by chance it would be 0.22 (p = 0.0015)." in told
    )
    assert "not an outage: a rerun will end the same way." in told
    assert "Without them: old 19 of 37 (51.4%) and new 19 of 37 (51.4%)." in told
    assert "3 tasks (3, 5 and 8) are broken by infrastructure in every attempt of every run" in "".join(
        sentence.text for sentence in recurring_aborts.brief(answer)
    )


def test_a_limit_that_every_run_meets_in_the_same_tasks_is_told_as_a_limit() -> None:
    answer = recurring_aborts.ask(_runs({3, 5, 8}, {3, 5, 8}, "timed_out"))
    assert answer is not None
    assert "the 6 rollouts run out of time" in words(recurring_aborts.tell(answer))
    assert "do not fit into the current limit" in words(recurring_aborts.tell(answer))
    assert list(recurring_aborts.brief(answer)) == []


def test_a_limit_that_most_runs_meet_is_told_where_nobody_passes_and_never_where_somebody_does() -> None:
    """The fourth run gives up before the limit in task 5; in task 8 it passes."""
    runs = [run_of(name, _cases({3, 5, 8}, "truncated")) for name in ("a", "b", "c")]
    runs.append(run_of("quits", _cases({3}, "truncated")))
    answer = recurring_aborts.ask(runs)
    assert answer is not None
    (abort,) = answer["aborts"]
    assert (abort["tasks"], abort["rollouts"], abort["fewest_runs"]) == (["3", "5"], 7, 3)
    assert (
        "In 2 tasks of 40 every attempt of at least 3 of the 4 runs ends alike, and no run passes: 7 rollouts are cut "
        "off (3 and 5); by chance it would be " in words(recurring_aborts.tell(answer))
    )
    broken = [run_of(name, _cases({3, 5, 8})) for name in ("a", "b", "c")]
    assert recurring_aborts.ask([*broken, run_of("well", _cases(set()))]) is None, "an outage may hit most runs"


def test_an_outage_of_one_run_and_losses_at_random_are_not_told() -> None:
    assert recurring_aborts.ask(_runs({3, 5, 8}, {4, 6, 9})) is None
    assert recurring_aborts.ask(_runs(set(range(20)), set(range(12, 32)))) is None
    assert recurring_aborts.ask(_runs({3, 5, 8}, {3, 5, 8})[:1]) is None


def _row(task: int, agent: str, *, broken: bool) -> Json:
    fields: Json = {"reward": 0.0, "error": "ConnectionRefusedError: sandbox did not start"} if broken else {}
    return row(task, **{"reward": float(task % 2), "agent_ref": {"name": agent}, **fields})


def test_the_recommendation_does_not_send_such_tasks_to_be_run_again(tmp_path: Path) -> None:
    rows = {agent: [_row(task, agent, broken=task in {3, 5, 8}) for task in range(40)] for agent in ("old", "new")}
    analysis = analysed(*(write(tmp_path / f"{agent}.jsonl", lines) for agent, lines in rows.items()))
    (repair,) = [one for one in analysis.interventions if one.kind == "environment"]
    assert repair.cheap_test == (
        "Run only these rollouts again. In 3 of its tasks every attempt of every run ends so: fix the task or the "
        "harness there; a rerun will not help."
    )
