"""What is proposed, in which order, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.diagnosis.made import a_run, attempt, moded, rules, saw

from blade.diagnosis import remedies
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.interventions import failing_totals, find_interventions
from blade.diagnosis.labels import find_labels
from blade.diagnosis.remedies import Remedy
from blade.diagnosis.votes import vote_gain
from blade.findings import Intervention

FAKE = {
    "zz_made_up_id": Remedy("ids", "rl", "prompt", "BI", "Look ids up", "Try it."),
    "zz_no_retest": Remedy("tests", "harness", "harness", "BI", "Test again", "Try it."),
    "zz_cut_bracket": Remedy("verifier", "verifier", "verifier", "TI", "Repair the verifier", "Score again."),
    "zz_format": Remedy("format", "prompt", "prompt", "BI", "Show the format", "Score again."),
}


@pytest.fixture(autouse=True)
def _rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    known = remedies._by_rule()
    monkeypatch.setattr(remedies, "_by_rule", lambda: {**known, **FAKE})
    with rules():
        yield


def planned(*runs: RunCases, half_width: float | None = None) -> tuple[Intervention, ...]:
    modes = moded(*runs)
    return find_interventions(runs, modes, find_labels(runs, modes), half_width=half_width)


def hits(rule: str, tasks: range, *, each: int = 1, of: int = 4) -> list[Case]:
    return [attempt(i, i >= each, saw(rule) if i < each else {}, task=f"{rule}{t}") for t in tasks for i in range(of)]


def test_a_counted_pattern_becomes_an_intervention() -> None:
    (found,) = planned(a_run(*hits("zz_no_retest", range(10))))
    assert (found.kind, found.rollouts, found.tasks_total, found.run) == ("harness", 10, 10, "a")
    assert found.summary == "Test again: 10 rollouts of 10 tasks (zz no retest)."
    assert found.points is not None
    assert found.interval is not None
    assert found.interval[0] <= found.points <= found.interval[1]
    assert len(found.because) == 10
    assert found.within is not None
    assert found.within < 10
    assert found.prediction.startswith(f"At most {found.within} of 40 rollouts")


def test_below_eight_tasks_there_are_no_points() -> None:
    (found,) = planned(a_run(*hits("zz_no_retest", range(7))))
    assert (found.points, found.interval, found.exact) == (None, None, False)
    assert found.note == "fewer than 8 tasks are hit"
    assert found.most == pytest.approx(0.25)


@pytest.mark.parametrize(("tasks", "each", "words"), [(1, 4, "4 rollouts of 1 task"), (1, 1, "1 rollout of 1 task")])
def test_a_single_task_that_fails_in_a_known_way_gets_a_proposal_without_points(
    tasks: int, each: int, words: str
) -> None:
    (found,) = planned(a_run(*hits("zz_no_retest", range(tasks), each=each, of=5)))
    assert found.summary == f"Test again: {words} (zz no retest)."
    assert (found.points, found.note) == (None, "fewer than 8 tasks are hit")


def test_three_failures_by_content_in_one_task_suffice() -> None:
    assert [item.rollouts for item in planned(wrong(range(1), passes=0))] == [5]
    assert planned(a_run(*wrong(range(1), passes=0).cases[:2])) == ()


def test_one_hard_fault_of_the_verifier_is_enough() -> None:
    (found,) = planned(a_run(*hits("zz_cut_bracket", range(1))))
    assert (found.kind, found.rollouts) == ("verifier", 1)


def test_points_that_scoring_again_gives_back_are_exact() -> None:
    (found,) = planned(a_run(*hits("zz_format", range(3))))
    assert (found.points, found.exact, found.interval) == (0.25, True, None)


def test_no_reward_is_learned_from_where_nothing_ever_passes() -> None:
    (never,) = planned(a_run(*hits("zz_made_up_id", range(9), each=4)))
    (mixed,) = planned(a_run(*hits("zz_made_up_id", range(9), each=2)))
    assert (never.kind, mixed.kind) == ("prompt", "rl")


def wrong(tasks: range, *, passes: int) -> RunCases:
    cases = [
        attempt(i, i < passes, {} if i < passes else saw("zz_wrong"), task=f"t{t}", answer="7" if i < passes else "9")
        for t in tasks
        for i in range(5)
    ]
    return a_run(*cases)


def ruled(run: RunCases, rule: str) -> Intervention:
    """What is proposed where this rule gave every label."""
    modes = moded(run)
    labels = [replace(label, rule=rule) for label in find_labels((run,), modes)]
    (found,) = find_interventions((run,), modes, labels)
    return found


@pytest.mark.parametrize(
    ("passes", "rule", "helps"),
    [
        (2, "sometimes_right", remedies.UNSTEADY),
        (0, "wrong_answer", remedies.UNSETTLED),
        (0, "another_run_passes", remedies.UNSETTLED),
        (0, "same_wrong_answer", remedies.AGREEING),
    ],
)
def test_wrong_answers_alone_are_to_be_read_and_nothing_is_trained_for_them(
    passes: int, rule: str, helps: Remedy
) -> None:
    found = ruled(wrong(range(9), passes=passes), rule)
    assert (found.kind, found.change) == ("data", helps.change)
    assert found.change in remedies.ONLY_READING
    assert (found.points, found.prediction) == (None, "")
    assert not re.search(r"\b(train|teach)", f"{found.summary} {found.cheap_test}", re.IGNORECASE)


def test_a_fact_is_given_only_where_a_rule_names_what_is_not_known() -> None:
    found = ruled(wrong(range(9), passes=0), "explicit_ignorance")
    assert (found.kind, found.change) == ("prompt", remedies.KNOWLEDGE.change)


def answering(task: str, *answers: str | None, mark: str = "zz_wrong") -> list[Case]:
    """One attempt per answer; 7 is right."""
    return [
        attempt(i, told == "7", {} if told == "7" else saw(mark), task=task, answer=told)
        for i, told in enumerate(answers)
    ]


def test_a_vote_counts_at_the_tasks_that_it_is_recommended_for() -> None:
    """Nine tasks waver and win by a vote; three others, which fail by their format, would lose by one."""
    wavering = [case for t in range(9) for case in answering(f"t{t}", "7", "7", "7", "9", "8")]
    losing = [case for t in range(3) for case in answering(f"f{t}", "7", "7", "9", "9", "9", mark="zz_format")]
    found = {item.change: item for item in planned(a_run(*wavering, *losing))}[remedies.RELIABILITY.change]
    assert found.tasks_total == 9
    assert found.points == pytest.approx(9 * 0.4 / 12)
    assert (found.interval, found.exact) == (None, False)
    assert found.note == "the gain of a majority vote over the stored attempts"


@pytest.mark.parametrize("answers", [("7", "9", "9", "9", "8"), (None, "9", "9", "9", "8")])
def test_a_vote_that_loses_is_not_proposed(answers: tuple[str | None, ...]) -> None:
    cases = [case for t in range(9) for case in answering(f"t{t}", "7", *answers)]
    (found,) = planned(a_run(*cases))
    assert (found.change, found.points) == (remedies.UNSTEADY.change, None)


def test_without_stored_answers_or_enough_tasks_there_is_no_vote() -> None:
    few = [case for t in range(7) for case in answering(f"t{t}", "7", "7", "7", "9", "8")]
    assert remedies.RELIABILITY.change not in {item.change for item in planned(a_run(*few))}
    cases = wrong(range(9), passes=2).cases
    for case in cases:
        case.answer = None
    assert remedies.RELIABILITY.change not in {item.change for item in planned(a_run(*cases))}
    assert vote_gain(a_run(*cases), {"t0"}) is None


def test_what_never_passes_is_not_said_to_pass_now_and_then() -> None:
    """Answers that differ every time speak for unreliable knowledge, also where none of them is right."""
    never = [case for t in range(9) for case in answering(f"n{t}", "1", "2", "3", "4", "5")]
    mixed = [case for t in range(9) for case in answering(f"m{t}", "7", "7", "7", "9", "8")]
    run = a_run(*never, *mixed)
    modes = moded(run)
    labels = [replace(label, labels=("UK",), confidence=0.8) for label in find_labels((run,), modes)]
    found = {item.change: item for item in find_interventions((run,), modes, labels)}
    assert set(found) == {remedies.RELIABILITY.change, remedies.UNSETTLED.change}
    assert {task[0] for task in found[remedies.RELIABILITY.change].tasks} == {"m"}
    never_passing = found[remedies.UNSETTLED.change]
    assert {task[0] for task in never_passing.tasks} == {"n"}
    told = f"{never_passing.summary} {never_passing.cheap_test} {never_passing.note}"
    assert not any(words in told for words in ("now and then", "vote", "retr"))


def test_repairs_of_the_measurement_come_first_only_where_they_outweigh_its_uncertainty() -> None:
    run = a_run(*hits("zz_cut_bracket", range(3)), *hits("zz_no_retest", range(12), each=2))
    assert [item.kind for item in planned(run, half_width=0.01)] == ["verifier", "harness"]
    assert [item.kind for item in planned(run, half_width=0.5)] == ["harness", "verifier"]


def test_a_rule_that_fires_on_passes_as_readily_is_refused() -> None:
    cases = [attempt(i, i > 1, saw("zz_no_retest"), task=f"t{t}") for t in range(9) for i in range(4)]
    assert planned(a_run(*cases)) == ()


def test_of_several_runs_the_last_is_meant_and_named() -> None:
    base, candidate = a_run(*hits("zz_no_retest", range(9))), a_run(*hits("zz_format", range(9)), name="b")
    (found,) = planned(base, candidate)
    assert (found.run, found.change) == ("b", "Show the format")
    assert "9 rollouts of 9 tasks of b (zz format)" in found.summary


def test_a_run_that_passes_everything_needs_nothing() -> None:
    assert planned(a_run(*(attempt(i, True) for i in range(4)))) == ()
    assert planned(a_run()) == ()


def test_no_rollout_is_in_two_interventions() -> None:
    run = a_run(*hits("zz_no_retest", range(9)), *hits("zz_format", range(9)), *wrong(range(9), passes=2).cases)
    found = planned(run)
    totals = failing_totals(moded(run), found)["a"]
    assert totals["rollouts"] == 45
    assert totals["addressed"] == sum(item.rollouts for item in found) <= 45


def test_every_remedy_names_rules_that_can_be_and_kinds_that_there_are() -> None:
    kinds = {"harness", "prompt", "verifier", "data", "environment", "sft", "rl", "skill"}
    for remedy in remedies._by_rule().values():
        assert {remedy.kind, remedy.never} <= kinds
        assert remedy.change
        assert not remedy.change.endswith(".")
        assert remedy.test.endswith((".", "?"))


def test_a_window_that_overflows_is_not_answered_by_a_larger_limit_of_tokens() -> None:
    known = remedies._by_rule()
    assert known["context_overflow"].name != known["truncated_max_tokens"].name
    assert "shorten tool outputs" in known["context_overflow"].change
    assert "Raise the limit" in known["turn_limit"].change
