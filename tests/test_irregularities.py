"""Irregularities seen in committed Gym runs, first half: which file is what, who is who, where the transcript is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import ABSENT, analysed, bare, flaws, given, message, only_run, read, request, response, row, write

from blade.errors import NoRuns

REPLY = {"type": "function_call_output", "call_id": "c1", "output": "sunny"}
CALL = {"type": "function_call", "name": "weather", "arguments": "{}", "call_id": "c1"}


# 1. not JSON at all
def test_a_placeholder_is_no_run_and_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "example_rollouts.jsonl", [b"<ROW TO COME>"] * 5)
    with pytest.raises(NoRuns, match=r"example_rollouts.jsonl: no rollouts in this file; it is a placeholder"):
        read(path)


def test_a_placeholder_beside_a_run_is_listed_and_the_run_is_counted(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(0), row(1, reward=0.0)])
    write(tmp_path / "b.jsonl", [b"<ROW TO COME>"] * 5)
    analysis = analysed(tmp_path)
    assert [run.name for run in analysis.runs] == ["a"]
    assert {file.path.name: file.kind for file in analysis.inventory} == {"b.jsonl": "placeholder"}


# 2. input rows under the name of rollouts
def test_input_rows_named_rollouts_are_inputs_and_no_zeros(tmp_path: Path) -> None:
    path = write(tmp_path / "example_rollouts.jsonl", [given(0), given(1)])
    with pytest.raises(NoRuns, match="input rows"):
        read(path)


def test_stray_input_rows_in_a_folder_are_not_the_manifest_of_the_run_beside_them(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(0)])
    write(tmp_path / "example_rollouts.jsonl", [given(task) for task in range(9)])
    assert only_run(tmp_path).denominator.expected_source != "manifest"


# 3. no id of any kind
def test_rows_without_any_id_are_told_apart_by_content(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [bare(0), bare(1, 0.0), bare(2)])
    analysis = analysed(path)
    assert [task.key_source for task in analysis.tasks] == ["text"] * 3
    assert flaws(analysis)["key-from-text"] == 3
    assert analysis.runs[0].metrics["score"] == pytest.approx(2 / 3)


def test_rows_that_show_nothing_stand_each_for_a_task(tmp_path: Path) -> None:
    rows = [{"reward": 1.0, "response": response(message("yes"))}, {"reward": 0.0, "response": response(message("no"))}]
    analysis = analysed(write(tmp_path / "a.jsonl", rows))
    assert [task.key_source for task in analysis.tasks] == ["line", "line"]
    assert flaws(analysis)["key-from-line"] == 2


# 4. one prompt, several tasks; one task, several rows
def test_echoed_metadata_keeps_tasks_with_one_prompt_apart(tmp_path: Path) -> None:
    same = request("Find the law.")
    rows = [bare(0, 0.0, responses_create_params=same, difficulty=level) for level in ("easy", "medium", "hard")]
    assert only_run(write(tmp_path / "a.jsonl", rows)).tasks == 3


def test_identical_prompt_and_gold_without_index_are_repeats(tmp_path: Path) -> None:
    said = [bare(0, 1.0, response=response(message(text), created_at=place)) for place, text in enumerate("abcd")]
    run = only_run(write(tmp_path / "a.jsonl", [*said, bare(1, 0.0)]))
    assert (run.tasks, run.rollouts) == (2, 5)
    assert run.metrics["score"] == pytest.approx(0.5)


# 5. empty prompts
@pytest.mark.parametrize("fields", [{"problem_id": "p{}"}, {"task_id": "t{}"}, {"metadata": {"instance_id": "i{}"}}])
def test_an_empty_prompt_does_not_make_one_task_of_many(tmp_path: Path, fields: dict[str, object]) -> None:
    def filled(place: int) -> dict[str, object]:
        text = fields if "metadata" not in fields else {"metadata": {"instance_id": f"i{place}"}}
        return {key: value.format(place) if isinstance(value, str) else value for key, value in text.items()}

    rows = [bare(0, 1.0, responses_create_params={"input": []}, expected_answer="", **filled(n)) for n in range(4)]
    run = only_run(write(tmp_path / "a.jsonl", rows))
    assert (run.tasks, run.key_source) == (4, "domain_id")


def test_a_task_kept_in_the_requests_metadata_is_found_there(tmp_path: Path) -> None:
    asked = [{"input": [], "metadata": {"problem_statement": f"Mend bug {n}."}} for n in range(3)]
    rows = [bare(0, 1.0, responses_create_params=params, expected_answer="") for params in asked]
    assert only_run(write(tmp_path / "a.jsonl", rows)).tasks == 3


# 6. the prompt of the row is not the prompt of the dataset
def test_the_index_beats_a_prompt_that_the_environment_changed(tmp_path: Path) -> None:
    rows = [row(0, n, float(n % 2), responses_create_params=request(f"Your hand: {n}")) for n in range(5)]
    run = only_run(write(tmp_path / "a.jsonl", rows))
    assert (run.tasks, run.key_source) == (1, "index")


# 7. the index is not stable across runs
def test_tasks_of_two_runs_are_matched_by_text_not_by_index(tmp_path: Path) -> None:
    first = write(tmp_path / "one.jsonl", [row(n) for n in range(6)])
    moved = [row(n) | {"_ng_task_index": (n + 2) % 6, "reward": float(n != 3)} for n in range(6)]
    second = write(tmp_path / "two.jsonl", moved)
    analysis = analysed(first, second)
    assert analysis.identity[0]["rule"] == "text"
    (changed,) = [task for task in analysis.tasks if task.runs["two"].mean == 0]
    assert changed.text.startswith("What is 3 and 3")
    assert changed.runs["one"].mean == 1


def test_other_tasks_under_the_same_index_are_not_compared(tmp_path: Path) -> None:
    first = write(tmp_path / "one.jsonl", [row(n) for n in range(6)])
    other = [row(n, responses_create_params=request(f"Name river {n}."), expected_answer=f"r{n}") for n in range(6)]
    analysis = analysed(first, write(tmp_path / "two.jsonl", other))
    assert (analysis.identity[0]["rule"], analysis.identity[0]["common"]) == ("none", 0)


# 8. a key that stands there twice
def test_an_exact_copy_is_counted_once_and_said(tmp_path: Path) -> None:
    rows = [row(0), row(1, reward=0.0), row(1, reward=0.0)]
    analysis = analysed(write(tmp_path / "a.jsonl", rows))
    assert flaws(analysis)["duplicate-rows"] == 1
    assert analysis.runs[0].metrics["micro"] == pytest.approx(0.5)


def test_rows_that_contradict_each_other_are_both_kept_and_said(tmp_path: Path) -> None:
    rows = [row(0), row(1, reward=0.0), row(1, reward=1.0, response=response(message("another answer")))]
    analysis = analysed(write(tmp_path / "a.jsonl", rows))
    assert flaws(analysis)["conflicting-rows"] == 2
    assert analysis.runs[0].denominator.counted == 3


# 9. sparse, unordered, uneven
def test_sparse_and_uneven_indices_are_taken_as_they_are(tmp_path: Path) -> None:
    keys = [(81, 8), (86, 13), (81, 4), (86, 3), (81, 9)]
    run = only_run(write(tmp_path / "a.jsonl", [row(task, attempt) for task, attempt in keys]))
    assert (run.tasks, run.rollouts) == (2, 5)
    assert {task.task: task.runs["a"].attempts for task in analysed(tmp_path / "a.jsonl").tasks} == {"81": 3, "86": 2}


def test_the_order_of_the_rows_changes_nothing(tmp_path: Path) -> None:
    rows = [row(task, attempt, float((task + attempt) % 3 == 0)) for task in range(4) for attempt in range(3)]
    there = only_run(write(tmp_path / "x" / "a.jsonl", rows))
    back = only_run(write(tmp_path / "y" / "a.jsonl", rows[::-1]))
    assert (there.metrics, there.buckets, there.statuses) == (back.metrics, back.buckets, back.statuses)


# 10. an id that is neither unique nor of one type
def test_an_id_that_names_two_tasks_is_not_used(tmp_path: Path) -> None:
    rows = [bare(n, 1.0, id=name) for n, name in enumerate([1, 1, "118-0", "verb_1", 1000])]
    run = only_run(write(tmp_path / "a.jsonl", rows))
    assert (run.tasks, run.key_source) == (5, "text")


# 11. no response, no request
def test_a_row_with_its_answer_elsewhere_is_still_a_graded_rollout(tmp_path: Path) -> None:
    rows = [
        bare(n, float(n > 1), response=ABSENT, provenance_id=f"p{n}", policy_response=f"says {n}") for n in range(3)
    ]
    for made in rows:
        del made["response"], made["responses_create_params"]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert set(run.facts["state"]) <= {"ok", "malformed"}
    assert run.graded.height == 3
    assert run.facts["output_hash"].n_unique() == 3


# 12. output items that are lists
def test_lists_of_items_are_read_through(tmp_path: Path) -> None:
    turns = [[message("look", role="user"), CALL], [REPLY], [message("It is sunny.")]]
    (run,) = read(write(tmp_path / "a.jsonl", [row(0, response=response(*turns, contains_transitions=True))]))
    facts = run.facts.row(0, named=True)
    assert (facts["calls"], facts["outputs"], facts["messages"], facts["user_turns"]) == (1, 1, 1, 1)
    assert facts["tools_called"] == ["weather"]
    assert facts["ends_on"] == "message"


# 13. the transcript is not in the response
def test_an_empty_output_alone_is_no_crash(tmp_path: Path) -> None:
    rows = [row(n, 0, float(n % 2), response=response(), model_patch=f"diff {n}") for n in range(4)]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert "infrastructure" not in set(run.facts["state"])


def test_an_empty_output_with_an_error_is_infrastructure(tmp_path: Path) -> None:
    lost = row(0, 0, 0.0, response=response(), extracted_answer=ABSENT, exception_type="RuntimeError")
    (run,) = read(write(tmp_path / "a.jsonl", [lost, *(row(n) for n in range(1, 5))]))
    assert run.facts.filter(run.facts["task"] == "0")["state"].to_list() == ["infrastructure"]


# 14. other roles inside the output
def test_turns_of_others_are_not_the_models(tmp_path: Path) -> None:
    other = [{"role": role, "content": "Go north.", "type": "message"} for role in ("system", "user", "developer")]
    (run,) = read(write(tmp_path / "a.jsonl", [row(0, response=response(*other, message("I go north.")))]))
    facts = run.facts.row(0, named=True)
    assert (facts["user_turns"], facts["messages"]) == (3, 1)


def test_what_others_say_does_not_change_the_output_hash(tmp_path: Path) -> None:
    said = [row(n, response=response(message(f"turn {n}", role="user"), message("north"))) for n in range(2)]
    (run,) = read(write(tmp_path / "a.jsonl", said))
    assert run.facts["output_hash"].n_unique() == 1


# 15. calls and outputs do not pair
@pytest.mark.parametrize(
    ("items", "calls", "outputs"),
    [([CALL, CALL, REPLY], 2, 1), ([{**REPLY, "call_id": "never issued"}], 0, 1), ([CALL], 1, 0)],
)
def test_unpaired_calls_are_counted_and_are_no_trouble(
    tmp_path: Path, items: list[object], calls: int, outputs: int
) -> None:
    (run,) = read(write(tmp_path / "a.jsonl", [row(0, response=response(*items)), row(1)]))
    facts = run.facts.row(0, named=True)
    assert (facts["calls"], facts["outputs"], facts["state"]) == (calls, outputs, "ok")
