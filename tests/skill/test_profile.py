"""Fields of rows, counted in one pass with bounded memory; what each is for."""

from __future__ import annotations

from typing import Any

from blade.skill.profile import (
    MOST_DISTINCT,
    MOST_FIELDS,
    MOST_LEVELS,
    WIDEST,
    Field,
    Profile,
    ProfileLevel,
    ProfileRow,
)
from blade.skill.roles import Role, Setting, association, role
from blade.skill.schema import types


def profiled(*rows: dict[str, Any], scores: list[float] | None = None, tasks: list[str] | None = None) -> Profile:
    made = Profile()
    for place, row in enumerate(rows):
        score = scores[place] if scores else row.get("reward")
        made.add(row, ProfileRow(score, tasks[place] if tasks else str(place)))
    return made


def roles_of(made: Profile, **given: Any) -> dict[str, Role]:
    base: dict[str, Any] = {"reward_field": "reward", "id_field": None, "slices": frozenset(), "inputs": frozenset()}
    setting = Setting(**{**base, "references": frozenset(), "whole": made.scored, **given})
    told: dict[str, Role] = {}
    for field in made.ordered():
        told[field.name] = role(field, setting, told)
    return told


def test_nested_fields_lists_and_nulls_are_told_apart() -> None:
    made = profiled(
        {"a": {"b": 1, "c": [{"d": "x"}, {"d": None}]}, "e": None, "f.g": True},
        {"a": {"b": 1.5, "c": []}, "e": "long" * 40},
    )
    fields = made.fields
    assert {name: types(field) for name, field in fields.items()} == {
        "a": "object",
        "a.b": "float or int",
        "a.c": "list",
        "a.c[]": "object",
        "a.c[].d": "str or null",
        "e": "str or null",
        "f\\.g": "bool",
    }
    assert (fields["a.c[].d"].rows, fields["a.c"].rows) == (1, 2)
    assert fields["a.c"].sizes == (0, 2)
    assert [field.name for field in made.ordered()][:3] == ["a", "a.b", "a.c"]


def test_memory_does_not_grow_with_the_rows() -> None:
    made = profiled(*({"id": f"t{n}", "many": {f"k{n}": n}, f"top{n}": 1} for n in range(3 * MOST_DISTINCT)))
    assert len(made.fields) <= MOST_FIELDS
    assert made.dropped
    assert made.fields["id"].many
    assert made.fields["id"].distinct == MOST_DISTINCT
    assert made.fields["id"].levels is None or len(made.fields["id"].levels) <= MOST_LEVELS
    assert made.fields["many"].wide
    assert sum(name.startswith("many.") for name in made.fields) <= WIDEST


def test_a_judges_transcript_is_told_of_and_not_listed() -> None:
    made = profiled({"judge_evaluations": [{"response": {"output": [{"text": "x"}]}, "verdict_label": "A"}]})
    assert set(made.fields) == {
        "judge_evaluations",
        "judge_evaluations[]",
        "judge_evaluations[].response",
        "judge_evaluations[].verdict_label",
    }
    assert roles_of(made)["judge_evaluations[].verdict_label"].kind == "verifier field: judge"


def test_association_is_said_with_its_rows() -> None:
    rows = [{"ok": "yes" if n % 2 == 0 else "no", "same": float(n % 2 == 0), "x": n, "flat": 1} for n in range(10)]
    made = profiled(*rows, scores=[float(n % 2 == 0) for n in range(10)])
    said = {name: association(field, made.scored) for name, field in made.fields.items()}
    assert said["ok"] == "mean score 0.00 at `no` (n = 5), 1.00 at `yes` (n = 5)"
    assert said["same"] == "equals the score on all 10 rows that have it"
    assert said["x"] == "correlation −0.17 with the score (n = 10)"
    assert said["flat"] == ""


def test_a_field_that_only_failures_have_says_so() -> None:
    rows: list[dict[str, Any]] = [{"error_code": -2} if n < 4 else {} for n in range(6)]
    made = profiled(*rows, scores=[0.0] * 4 + [1.0] * 2)
    field = made.fields["error_code"]
    assert association(field, made.scored) == "mean score 0.00 where it stands (n = 4), 1.00 elsewhere (n = 2)"


def test_roles_come_from_names_places_and_behaviour() -> None:
    rows: list[dict[str, Any]] = [
        {
            "_ng_task_index": task,
            "_ng_rollout_index": attempt,
            "reward": float(attempt),
            "expected_answer": f"gold{task}",
            "extracted_answer": f"said{attempt}",
            "agent_timed_out": False,
            "flavour": "sweet" if task else "sour",
            "wobble": attempt,
            "fixed": 3,
            "never": None,
            "difficulty": task,
            "response": {"output": []},
            "agent_ref": {"name": "a"},
        }
        for task in range(3)
        for attempt in range(2)
    ]
    made = profiled(*rows, tasks=[str(row["_ng_task_index"]) for row in rows])
    told = {name: str(found) for name, found in roles_of(made, slices=frozenset({"difficulty"})).items()}
    assert told["_ng_task_index"].startswith("task id")
    assert told["_ng_rollout_index"].startswith("attempt id")
    assert told["reward"].startswith("reward")
    assert told["expected_answer"].startswith("gold")
    assert told["extracted_answer"].startswith("verifier field: extracted answer")
    assert told["agent_timed_out"].startswith("verifier field: trouble: claims `timed_out` where true")
    assert told["difficulty"].startswith("metadata slice")
    assert told["flavour"] == "task metadata: the same in all attempts at a task"
    assert told["wobble"].startswith("verifier field: differs between attempts at one task")
    assert told["fixed"].startswith("unknown: one value on every row")
    assert told["never"] == "unknown: always null"
    assert told["response.output"].startswith("transcript")
    assert told["agent_ref.name"] == "run setting"


def test_what_is_the_same_within_runs_and_differs_between_them_is_a_setting() -> None:
    made = Profile()
    for run, name in enumerate(("weak", "strong")):
        for task in range(4):
            made.add({"policy": name, "mood": f"{name}{task % 2}"}, ProfileRow(0.0, (run, task), run))
    told = roles_of(made)
    assert told["policy"].kind == "run setting"
    assert told["mood"].kind == "unknown"


def test_with_one_attempt_per_task_a_plain_name_stays_unknown() -> None:
    made = profiled({"flavour": "sweet"}, {"flavour": "sour"}, scores=[0.0, 1.0])
    assert str(roles_of(made)["flavour"]).startswith("unknown: with one attempt per task")


def test_a_gold_name_that_differs_between_attempts_is_not_believed() -> None:
    made = profiled({"answer": "a"}, {"answer": "b"}, scores=[0.0, 1.0], tasks=["t", "t"])
    assert roles_of(made)["answer"].kind == "unknown"


def test_a_field_without_scores_has_no_association() -> None:
    field = Field("x")
    field.add(1, 3, ProfileRow())
    assert association(field, ProfileLevel()) == ""
