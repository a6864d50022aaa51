"""What a comparison says of small pairs of runs made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import message, request, response, row, write

import blade
from blade.model import Change
from blade.summary.change_words import gap


def changed(tmp_path: Path, base: list[Any], candidate: list[Any], **settings: Any) -> Change:
    a, b = write(tmp_path / "a.jsonl", base), write(tmp_path / "b.jsonl", candidate)
    (change,) = blade.analyze(a, b, options=blade.Options(cache=False, **settings)).changes
    assert sum(part.points for part in change.parts) == pytest.approx(change.delta or 0.0, abs=1e-9)
    return change


def runs(tasks: int, rate: float, **fields: Any) -> list[Any]:
    return [
        row(task, attempt, float((task * 4 + attempt) % 10 < 10 * rate), **fields)
        for task in range(tasks)
        for attempt in range(4)
    ]


def test_one_moved_setting_is_the_treatment(tmp_path: Path) -> None:
    change = changed(
        tmp_path,
        runs(6, 0.5),
        [
            one
            | {
                "responses_create_params": request(
                    f"What is {one['_ng_task_index']} and {one['_ng_task_index']}?", temperature=1.0
                )
            }
            for one in runs(6, 0.5)
        ],
    )
    assert [(item["field"], item["role"]) for item in change.passport] == [("sampling.temperature", "treatment")]
    assert change.separable


def test_a_task_that_only_one_run_has_is_no_second_cause(tmp_path: Path) -> None:
    other = [one | {"agent_ref": {"name": "other_agent"}} for one in runs(40, 0.5)]
    few = changed(tmp_path, runs(39, 0.5), other)
    assert few.confounded_with == ()
    assert {item["field"] for item in few.passport if item["role"]} == {"agent", "tasks"}
    many = changed(tmp_path, runs(30, 0.5), other)
    assert many.confounded_with == (), "the change is told on the common tasks, and the others are a part of their own"
    assert {item["field"]: item["role"] for item in many.passport} == {"agent": "treatment", "tasks": "unknown"}


def test_several_moved_settings_are_not_separable_unless_the_user_says_which(tmp_path: Path) -> None:
    other = [
        one | {"agent_ref": {"name": "other_agent"}, "response": response(message("x"), model="other-model")}
        for one in runs(6, 0.5)
    ]
    change = changed(tmp_path, runs(6, 0.5), other)
    assert not change.separable
    assert set(change.confounded_with) == {"model", "agent"}
    told = changed(tmp_path, runs(6, 0.5), other, treatment=("model",))
    assert {item["field"]: item["role"] for item in told.passport} == {"model": "treatment", "agent": "control_moved"}


def test_the_same_outputs_scored_otherwise_are_the_verifier(tmp_path: Path) -> None:
    base = runs(8, 0.8)
    harsher = [one | {"reward": 0.0} if one["_ng_task_index"] < 4 else one for one in base]
    change = changed(tmp_path, base, harsher)
    assert change.verdict == "real"
    (part,) = change.parts
    assert (part.cause, part.sub, part.status, part.named) == ("verifier", "change", "identified", True)
    assert change.shared_outputs["reward_differs"] > 0


def test_runs_of_other_tasks_are_refused(tmp_path: Path) -> None:
    base = runs(6, 0.5)
    other = [
        one
        | {
            "responses_create_params": request(f"Name colour {one['_ng_task_index']}."),
            "expected_answer": f"c{one['_ng_task_index']}",
        }
        for one in runs(6, 0.5)
    ]
    change = changed(tmp_path, base, other)
    assert change.verdict == "not_comparable"
    assert change.common_tasks == 0
    assert "not" in change.reason.lower() or "No" in change.reason


def test_scores_on_other_scales_of_other_tasks_have_no_difference(tmp_path: Path) -> None:
    base = runs(6, 0.5)
    other = [
        one
        | {"reward": 1.7 + 0.02 * one["_ng_task_index"], "responses_create_params": request(f"Name {place // 4}.")}
        | {"expected_answer": f"c{one['_ng_task_index']}"}
        for place, one in enumerate(runs(6, 0.5))
    ]
    change = changed(tmp_path, base, other)
    text, _ = gap(change, 0, "unit")
    assert text == "The rewards of {candidate} and {base} are on different scales, so their scores are not subtracted"


def test_a_run_against_itself_changes_nothing(tmp_path: Path) -> None:
    change = changed(tmp_path, runs(8, 0.5), runs(8, 0.5))
    assert change.delta == 0
    assert not change.parts
    assert not change.flips
    assert change.verdict == "noise"


def test_few_common_tasks_give_no_verdict(tmp_path: Path) -> None:
    better = [one | {"response": response(message(f"new {one['_ng_rollout_index']}"))} for one in runs(3, 0.9)]
    change = changed(tmp_path, runs(3, 0.2), better)
    assert change.verdict == "inconclusive"
    assert "3 common tasks" in change.reason


def test_no_interval_goes_beyond_what_scores_can_differ_by(tmp_path: Path) -> None:
    """Three tasks, one of which moves: t alone says −110 to +177 points."""
    texts = [response(message(f"{name} loaf")) for name in ("rye", "oat")]
    first, second = (
        [row(task, 0, float(task == 0 or (better and task == 1)), response=texts[better]) for task in range(3)]
        for better in (False, True)
    )
    change = changed(tmp_path, first, second)
    assert change.interval == (-1.0, 1.0)
    assert all(part.interval is None or -1 <= part.interval[0] <= part.interval[1] <= 1 for part in change.parts)


def test_a_tool_that_began_to_fail_is_named_where_it_stands(tmp_path: Path) -> None:
    def used(task: int, attempt: int, reward: float, text: str) -> Any:
        call = {"type": "function_call", "name": "find_room", "call_id": "c", "arguments": f'{{"n": {attempt}}}'}
        output = {"type": "function_call_output", "call_id": "c", "output": text}
        return row(task, attempt, reward, response=response(call, output, message(f"done {attempt}")))

    good = [used(task, attempt, 1.0, "room 3") for task in range(20) for attempt in range(4)]
    bad = [
        used(task, attempt, 0.0, "Error: column gone") if attempt else used(task, 0, 1.0, "room 3")
        for task in range(20)
        for attempt in range(4)
    ]
    change = changed(tmp_path, good, bad)
    first = change.parts[0]
    assert (first.cause, first.named, first.where["tool"]) == ("behaviour", True, "find_room")
    assert first.where["message"] == "Error: column gone"
    assert first.evidence[0]["quote"] == "Error: column gone"


def test_a_fraction_and_a_percentage_are_one_scale(tmp_path: Path) -> None:
    change = changed(tmp_path, runs(10, 0.5), [one | {"reward": 100 * one["reward"]} for one in runs(10, 0.5)])
    assert [part.cause for part in change.parts if part.named] == ["reward_rescaled"]
    assert change.delta_common == pytest.approx(0.0)


def test_a_changed_key_is_the_verifier_and_not_the_model(tmp_path: Path) -> None:
    def run(salt: str, keys: dict[int, str]) -> list[Any]:
        made = []
        for task in range(20):
            for attempt in range(4):
                key = keys.get(task, str(2 * task))
                answer = str(2 * task) if (task + attempt) % 4 else "wrong"
                said = response(message(f"{salt} {task} {attempt}"))
                fields = {"expected_answer": key, "extracted_answer": answer, "task_id": f"t{task}"}
                made.append(row(task, attempt, float(answer == key), response=said, **fields))
        return made

    change = changed(tmp_path, run("a", {}), run("b", {3: "seven", 11: "nine"}))
    first = change.parts[0]
    assert (first.cause, first.sub, first.status, first.named) == ("verifier", "gold", "identified", True)
    assert first.points == pytest.approx(-2 * 0.75 / 20)
    assert not [part for part in change.parts if part.cause == "behaviour" and abs(part.points) > 1e-9]


def test_shared_passes_exclude_a_changed_verifier_and_shared_failures_do_not(tmp_path: Path) -> None:
    def run(salt: str, shared: str, lost: int) -> list[Any]:
        """Forty tasks of four: a shared pass, a shared failure, and two rows of the run's own, `lost` of which fail."""
        made = []
        for task in range(40):
            told = [("pass", 1.0), ("fail", 0.0), (f"{salt} one", float(task >= lost)), (f"{salt} two", 1.0)]
            for attempt, (text, reward) in enumerate(told):
                said = text if text == shared else f"{salt} {text}"
                made.append(row(task, attempt, reward, response=response(message(f"{said} {task}"))))
        return made

    for shared, status in (("pass", "identified"), ("fail", "assumed")):
        change = changed(tmp_path, run("a", shared, 0), run("b", shared, 30))
        assert change.shared_outputs["identical"] == 40
        (part,) = change.parts
        assert (part.cause, part.named, part.status) == ("behaviour", True, status)


def test_rows_told_by_the_form_of_their_ids_are_set_apart_and_assumed(tmp_path: Path) -> None:
    def run(salt: str, form: str) -> list[Any]:
        return [
            row(
                task,
                attempt,
                float(attempt > 0),
                response=response(message(f"{salt} {task} {attempt}"), id=f"{form if not attempt else 'resp_'}{task}a"),
            )
            for task in range(20)
            for attempt in range(4)
        ]

    change = changed(tmp_path, run("a", "resp_"), run("b", "chatcmpl-"))
    part = next(part for part in change.parts if part.cause == "foreign_rows")
    assert (part.named, part.status, part.rollouts) == (True, "assumed", 20)
    assert part.points == pytest.approx(-0.25)


def test_rows_missing_without_a_manifest_are_bounded(tmp_path: Path) -> None:
    whole = runs(10, 0.5)
    change = changed(tmp_path, whole, [one for place, one in enumerate(whole) if place not in {3, 17, 30}])
    part = next(part for part in change.parts if part.cause == "coverage")
    assert (part.sub, part.status, part.named, part.rollouts) == ("rows_missing", "bounds", True, 3)


def test_a_reward_against_the_rows_own_verdict_is_the_verifiers_doing(tmp_path: Path) -> None:
    """No two outputs are alike; only the row itself tells that a right answer got nothing."""

    def made(run: str, broken: bool) -> list[Any]:
        return [
            row(
                task,
                attempt,
                float(right and not (broken and task % 2)),
                response=response(message(f"{run} says {task}.{attempt}")),
                is_correct=right,
            )
            for task in range(24)
            for attempt in range(4)
            if (right := (task + attempt) % 4 != 0) is not None
        ]

    change = changed(tmp_path, made("one", False), made("two", True))
    first = change.parts[0]
    assert (first.cause, first.sub, first.status, first.named) == ("verifier", "change", "assumed", True)
    assert first.points == pytest.approx(-9 / 24)
    assert first.where["field"] == "is_correct"
    assert not change.views["behaviour"]
