"""Advice over all runs: it follows from the answers, is ranked, and speaks of no run by its place alone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, user, words

from blade.diagnosis.remedies import START
from blade.document import Advice, say
from blade.findings import Intervention
from blade.model import Analysis
from blade.questions import not_looked_up, partial_scores, tool_errors
from blade.registry import plugins
from blade.sections import executive_summary, recommendations
from blade.summary.advice import RETRY, _distinct_tasks, advised

STOP = "Yes, please proceed.\n\n###END###"


def _key(number: str) -> Json:
    action = {"name": "cancel_order", "arguments": {"order_id": number}}
    return {"verifier": {"expected_actions": [action], "expected_outputs": []}}


def _row(task: int, *, cut: bool) -> Json:
    number = f"#W{task}55555"
    read = called("get_order", {"order_id": number}, {"order_id": number, "status": "open"})
    ask = said("Shall I cancel it? Please confirm.")
    done = called("cancel_order", {"order_id": number}, "ok")
    parts = (read, ask, user(STOP)) if cut else (read, ask, user("Yes."), done, said("Done."))
    return task_row(task, *parts, passed=not cut, **_key(number))


@pytest.fixture(scope="module")
def three_runs(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """The first run loses six tasks to its user, the second two to a broken service, the last one nothing."""
    folder = tmp_path_factory.mktemp("advice")
    runs = {name: [_row(task, cut=name == "a" and task < 6) for task in range(10)] for name in ("a", "b", "c")}
    runs["b"][:2] = [task_row(task, passed=False, error="503 Service Unavailable") for task in range(2)]
    return analysed(*(write(folder / f"{name}.jsonl", rows) for name, rows in runs.items()))


def test_the_advice_covers_the_runs_that_fail_and_not_the_last(three_runs: Analysis) -> None:
    first = advised(three_runs)[0]
    assert first.change.startswith("Do not let the simulated user end a conversation in the message that accepts")
    assert first.rollouts == 6
    told = words(recommendations.build(three_runs))
    assert "Do not let the simulated user end a conversation" in told
    assert not re.search(r"\b\d+[.] Have the simulated user", told), "a number would stand alone in a short report"
    assert "Nothing else is known to be wrong in 6 of 6 failures that end so" in told
    assert "a 6 (0, 1, 2, 3, 4 and 5)" in told
    assert "Infrastructure broke 2 rollouts of b." in told
    assert "What to change in c" not in told


def test_the_first_screen_tells_the_same_steps(three_runs: Analysis) -> None:
    told = words(executive_summary.build(three_runs))
    assert "Next (environment): Do not let the simulated user end a conversation" in told
    assert "of these failures with the key" not in told


def test_rollouts_that_never_started_are_told_apart_from_those_that_broke(three_runs: Analysis) -> None:
    (step, *_) = (*three_runs.interventions, *three_runs.other_interventions)
    barred = replace(step, change=START.change, run="b", rollouts=1, tasks=("0",), tasks_total=1)
    broken = next(item for item in advised(replace(three_runs, interventions=(barred,))) if item.change == RETRY)
    assert broken.because.text == "Infrastructure broke 1 rollout of b elsewhere."


ORDER: Json = {
    "tool": "move",
    "after_change": {"tool": "swap", "rollouts": 4, "runs": {"a": ["1"], "b": ["2"]}, "accepted": 9}
    | {"other_order_accepted": 2, "other_order_refused": 0},
    "runs": [],
}


def test_a_call_that_is_refused_after_another_is_to_come_first() -> None:
    (item,) = tool_errors.advise({"errors": [ORDER]})
    assert item.change == (
        "Say in the prompt, or in the description of move, that it comes before swap where both concern the same object"
    )
    assert item.because.text == (
        "move is refused after it in 4 rollouts (a: 1; b: 2); none of 9 accepted calls came after it."
    )


def test_calls_that_are_refused_in_either_order_exclude_each_other_and_an_order_never_tried_is_not_advised() -> None:
    either, untried = ({**ORDER["after_change"], "other_order_accepted": 0, "other_order_refused": n} for n in (3, 0))
    (item,) = tool_errors.advise({"errors": [{**ORDER, "after_change": either}]})
    assert item.change == "Say in the prompt that only one of move and swap can be made for one object"
    assert list(tool_errors.advise({"errors": [{**ORDER, "after_change": untried}]})) == []


def test_the_state_that_a_tool_needs_and_what_others_use_instead() -> None:
    state = {"field": "status", "value": "open", "usual": "sent", "rollouts": 5, "runs": {"a": ["1"]}}
    followed: dict[str, Any] = {"switched": {"edit": ["1", "2"], "drop": ["3"]}}
    runs = [{"run": "a", "followed": followed}, {"run": "a", "followed": {"switched": {"drop": ["4"], "edit": ["5"]}}}]
    (item,) = tool_errors.advise({"errors": [{"tool": "swap", "state": state, "runs": runs}]})
    assert item.change.endswith("that it needs status “sent”; for “open” rollouts that go on use edit")
    assert item.rollouts == 5


def test_the_tool_that_is_denied_is_named() -> None:
    denial = {"run": "a", "false": 3, "tool": "get_item", "tasks": ["1", "2", "3", "4"], "false_tasks": ["1", "2", "3"]}
    (item,) = not_looked_up.advise({"denials": {"runs": [denial]}, "unread": []})
    assert item.change.startswith("Say in the prompt what get_item shows")
    assert item.because.text == (
        "It is the nearest cause known of 3 failures, and their runs call it elsewhere: a 3 (1, 2 and 3)."
    )


def test_parts_that_the_verifier_hides_are_to_be_recorded() -> None:
    fields = [{"field": "v.outputs", "never_with": ["v.actions"], "runs": [{"run": "a", "perfect": 4}]}]
    (item,) = partial_scores.advise({"fields": fields})
    assert item.change == "Have the verifier record v.actions on every row, next to v.outputs"
    assert (item.rollouts, item.worth) == (0, 0)


def test_without_failures_nothing_is_advised(tmp_path: Path) -> None:
    rows = [_row(task, cut=False) for task in range(10)]
    assert advised(analysed(write(tmp_path / "a.jsonl", rows))) == []


def test_a_task_that_several_runs_never_start_is_counted_once() -> None:
    def never(run: str, *tasks: str, more: int = 0) -> Intervention:
        return Intervention(
            "environment", "", None, None, exact=False, tasks=tasks, because=(), cheap_test="", prediction="",
            run=run, tasks_total=len(tasks) + more,
        )  # fmt: skip

    assert _distinct_tasks([never("a", "jar", "lid"), never("b", "lid")]) == "2 tasks"
    assert _distinct_tasks([never("a", "jar", "lid", more=3), never("b", "lid")]) == "at least 5 tasks"


def test_a_run_of_which_no_rollout_was_spared_is_not_simply_run_again(tmp_path: Path) -> None:
    well = [_row(task, cut=False) for task in range(6)]
    broken = [task_row(task, passed=False, error="503 Service Unavailable") for task in range(6)]
    analysis = analysed(write(tmp_path / "well.jsonl", well), write(tmp_path / "broken.jsonl", broken))
    told = words(recommendations.build(analysis))
    assert "No rollout of broken was spared: look at the error before another run." in told, told
    some = analysed(write(tmp_path / "well.jsonl", well), write(tmp_path / "some.jsonl", broken[:2] + well[2:]))
    assert "was spared" not in words(recommendations.build(some))


def test_what_puts_the_scores_in_doubt_goes_before_what_mends_more_failures(
    three_runs: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two questions ask for one matcher: one step with both reasons."""

    def asks(reason: str, rollouts: int) -> SimpleNamespace:
        step = Advice("verifier", "Use one matcher", say(reason), rollouts, 0.5, before_scores=True)
        return SimpleNamespace(advise=lambda _: [step])

    known = {**plugins("questions"), "a_first": asks("One reason.", 1), "b_second": asks("Another.", 2)}
    monkeypatch.setattr("blade.summary.advice.plugins", lambda _: known)
    first, second, *_ = advised(
        replace(three_runs, investigation={**three_runs.investigation, "a_first": {}, "b_second": {}})
    )
    assert (first.change, first.because.text, first.rollouts) == ("Use one matcher", "One reason. Another.", 2)
    assert second.worth > first.worth
