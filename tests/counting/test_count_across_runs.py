"""Several runs side by side: which tasks are the same, the table of tasks, slices, and under what settings each ran."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, bare, given, message, read, request, response, row, write

Count = Callable[..., dict[str, Any]]


def joined(counted: Count, folder: Path, left: list[Any], right: list[Any]) -> tuple[str, int, dict[str, Any]]:
    made = counted(write(folder / "left.jsonl", left), write(folder / "right.jsonl", right))
    (item,) = made["identity"]
    both = sum(sum(run["attempts"] > 0 for run in task["runs"].values()) == 2 for task in made["tasks"])
    assert both == item["common"]
    return item["rule"], item["common"], made


def asked(text: str) -> dict[str, Any]:
    return {"responses_create_params": request(text)}


def test_a_domain_id_joins_tasks_whose_index_moved(tmp_path: Path, counted: Count) -> None:
    left = [row(t, question_id=f"q{t}", expected_answer=f"a{t}") for t in range(4)]
    right = [row(3 - t, question_id=f"q{t}", expected_answer=f"a{t}", **asked("another template")) for t in range(1, 4)]
    rule, common, made = joined(counted, tmp_path, left, right)
    assert (rule, common) == ("domain_id", 3)
    assert [task["task"] for task in made["tasks"]] == ["q0", "q1", "q2", "q3"]
    assert {task["key_source"] for task in made["tasks"] if len(task["runs"]) == 2} == {"domain_id"}


def test_an_id_under_which_other_answers_are_expected_joins_nothing(tmp_path: Path, counted: Count) -> None:
    left = [row(t, question_id=f"q{t}", expected_answer=f"a{t}", **asked(f"left {t}")) for t in range(4)]
    right = [row(t, question_id=f"q{t}", expected_answer=f"b{t}", **asked(f"right {t}")) for t in range(4)]
    assert joined(counted, tmp_path, left, right)[:2] == ("none", 0)


def test_an_id_that_only_repeats_the_index_is_no_id(tmp_path: Path, counted: Count) -> None:
    left = [row(t, task_id=t, expected_answer=ABSENT, **asked(f"question {t}")) for t in range(5)]
    right = [row(4 - t, task_id=4 - t, expected_answer=ABSENT, **asked(f"question {t}")) for t in range(5)]
    rule, common, _ = joined(counted, tmp_path, left, right)
    assert (rule, common) == ("text", 5)


def test_text_joins_runs_of_which_one_has_no_index(tmp_path: Path, counted: Count) -> None:
    rule, common, _ = joined(counted, tmp_path, [bare(t) for t in range(5)], [row(t) for t in range(3, 8)])
    assert (rule, common) == ("text", 2)


def test_an_expected_answer_that_one_side_lacks_is_ignored(tmp_path: Path, counted: Count) -> None:
    right = [row(t, expected_answer=ABSENT) for t in range(5)]
    assert joined(counted, tmp_path, [row(t) for t in range(5)], right)[:2] == ("text", 5)


def test_the_index_joins_only_where_answers_agree(tmp_path: Path, counted: Count) -> None:
    left = [row(t, **asked(f"old words around {t}")) for t in range(5)]
    right = [row(t, **asked(f"new words around {t}")) for t in range(5)]
    assert joined(counted, tmp_path, left, right)[:2] == ("index", 5)
    other = [row(t, expected_answer=f"other {t}", **asked(f"new words around {t}")) for t in range(5)]
    assert joined(counted, tmp_path, left, other)[:2] == ("none", 0)


def test_the_materialized_inputs_speak_before_the_rows(tmp_path: Path, counted: Count) -> None:
    """A game adds its first observation to the prompt: the rows differ, the inputs do not."""
    for name in ("left", "right"):
        rows = [row(t, expected_answer=ABSENT, **asked(f"{name} sees {t}")) for t in range(5)]
        write(tmp_path / name / "rollouts.jsonl", rows)
        inputs = [given(t, expected_answer=None) for t in range(5)]
        write(tmp_path / name / "rollouts_materialized_inputs.jsonl", inputs)
    made = counted(tmp_path / "left", tmp_path / "right")
    assert (made["identity"][0]["rule"], made["identity"][0]["common"]) == ("text", 5)


def test_tasks_that_are_not_the_same_stand_apart_even_under_one_name(tmp_path: Path, counted: Count) -> None:
    left = [row(0, expected_answer="a", **asked("left"))]
    right = [row(0, expected_answer="b", **asked("right"))]
    rule, _, made = joined(counted, tmp_path, left, right)
    assert rule == "none"
    assert [task["task"] for task in made["tasks"]] == ["0", "0 (right)"]


def test_a_missing_task_is_not_taken_for_one_that_bears_its_number_as_a_name(tmp_path: Path, counted: Count) -> None:
    rows = [row(t, problem_id=str(t + 1)) for t in range(3)]
    write(tmp_path / "rollouts.jsonl", rows)
    write(tmp_path / "rollouts_materialized_inputs.jsonl", [given(t) for t in range(4)])
    made = counted(tmp_path)
    (name,) = [run["name"] for run in made["runs"]]
    assert {task["task"]: task["runs"][name]["bucket"] for task in made["tasks"]} == {
        "1": "always",
        "2": "always",
        "3": "always",
        "task 3": "missing",
    }


def test_numbers_are_listed_in_their_own_order(tmp_path: Path, counted: Count) -> None:
    made = counted(write(tmp_path / "a.jsonl", [row(t) for t in (10, 9, 2)]))
    assert [task["task"] for task in made["tasks"]] == ["2", "9", "10"]


def slices_of(made: dict[str, Any]) -> dict[str, dict[str, tuple[int, float]]]:
    found: dict[str, dict[str, tuple[int, float]]] = {}
    for line in made["runs"][0]["slices"]:
        found.setdefault(line["field"], {})[line["level"]] = (line["tasks"], line["score"])
    return found


def test_a_slice_is_constant_per_task_and_has_few_levels(tmp_path: Path, counted: Count) -> None:
    rows = [
        row(t, a, float(t % 2), category="odd" if t % 2 else "even", source=f"s{t}", split=f"{a}", dataset="one")
        for t in range(6)
        for a in range(2)
    ]
    made = counted(write(tmp_path / "a.jsonl", rows))
    assert slices_of(made) == {"category": {"even": (3, 0.0), "odd": (3, 1.0)}}
    assert made["tasks"][1]["slices"] == {"category": "odd"}


def test_fields_of_the_outcome_are_no_slices(tmp_path: Path, counted: Count) -> None:
    rows = [row(t, 0, float(t % 2), verdict="yes" if t % 2 else "no", metadata={"level": t % 2}) for t in range(6)]
    assert set(slices_of(counted(write(tmp_path / "a.jsonl", rows)))) == {"metadata.level"}


def test_a_declared_slice_is_the_only_one(tmp_path: Path, counted: Count) -> None:
    rows = [row(t, category="ab"[t % 2], difficulty="xyz"[t % 3]) for t in range(6)]
    path = write(tmp_path / "a.jsonl", rows)
    assert set(slices_of(counted(path))) == {"category", "difficulty"}
    assert set(slices_of(counted(path, slices=("difficulty",)))) == {"difficulty"}


def test_settings_are_told_from_the_rows(tmp_path: Path, counted: Count) -> None:
    rows = [
        row(t, responses_create_params=request("q", temperature=0.2 if t else 0.7, top_p=0.9), reward=float(t))
        for t in range(3)
    ]
    run = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]
    assert (run["model"], run["agent"], run["skills"]) == ("a-model", "an_agent", None)
    assert run["sampling"] == {"temperature": 0.2, "top_p": 0.9}
    assert run["sampling_varies"] == ["temperature"]


def test_two_models_in_one_file_are_not_one_model(tmp_path: Path, counted: Count) -> None:
    rows = [row(t, response=response(message("x"), model=f"m{min(t, 1)}")) for t in range(3)]
    run = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]
    assert run["model"] is None
    assert run["models"] == {"m1": 2, "m0": 1}


def test_notes_and_config_beside_the_run_are_kept(tmp_path: Path, counted: Count) -> None:
    path = write(tmp_path / "rollouts.jsonl", [row(t, a) for t in range(2) for a in range(2)])
    (tmp_path / "NOTES.md").write_text("The cluster was flaky.\n", encoding="utf-8")
    (tmp_path / "config.yaml").write_text("checkpoint: step_7\nrun: {num_repeats: 3, limit: 4}\n", encoding="utf-8")
    run = counted(path)["runs"][0]
    assert run["notes"] == "The cluster was flaky."
    assert run["checkpoint"] == "step_7"
    assert run["expected"] == 12


def test_the_baseline_is_the_first_run_unless_another_is_named(tmp_path: Path, counted: Count) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", [row(t) for t in range(3)]) for name in ("one", "two", "three")]
    assert [item["base"] for item in counted(*paths)["identity"]] == ["one", "one"]
    again = counted(*paths, baseline="three")
    assert [run["name"] for run in again["runs"]] == ["three", "one", "two"]
    assert {item["base"] for item in again["identity"]} == {"three"}


@pytest.mark.parametrize("many", [1, 51])
def test_a_field_with_one_level_or_too_many_is_no_slice(tmp_path: Path, counted: Count, many: int) -> None:
    rows = [row(t, category=f"c{t % many}") for t in range(110)]
    assert slices_of(counted(write(tmp_path / "a.jsonl", rows))) == {}


def _passes(*runs: list[Json], folder: Path) -> list[tuple[float | None, str, int]]:
    paths = [write(folder / f"run{place}.jsonl", rows) for place, rows in enumerate(runs)]
    return [(run.rule.threshold, run.rule.source, int(run.facts["passed"].sum())) for run in read(*paths)]


def test_what_a_pass_is_holds_for_all_runs(tmp_path: Path) -> None:
    binary = [row(task, reward=float(task < 3)) for task in range(6)]
    graded = [row(task, reward=(1.0, 0.5, 0.0)[task % 3]) for task in range(6)]
    source = "binary rewards in some runs"
    assert _passes(binary, graded, folder=tmp_path / "one") == [(1.0, source, 3), (1.0, source, 2)]
    assert _passes(graded, graded, folder=tmp_path / "two") == [(None, "no pass threshold is declared", 0)] * 2
    percent = [row(task, reward=100.0 * (task % 2)) for task in range(6)]
    assert [one[0] for one in _passes(binary, percent, folder=tmp_path / "three")] == [1.0, None]


def test_a_flag_that_holds_for_all_rows_says_what_a_pass_is_in_all_runs(tmp_path: Path) -> None:
    def flagged(*rewards: float) -> list[Json]:
        return [row(task, reward=reward, is_correct=reward >= 0.6) for task, reward in enumerate(rewards)]

    one, two = flagged(0.8, 0.2, 0.9, 0.1), flagged(0.6, 0.7, 0.3, 0.5)
    source = "field 'is_correct' in all runs"
    assert _passes(one, two, folder=tmp_path) == [(0.6, source, 2), (0.6, source, 2)]
