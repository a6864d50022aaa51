"""Who is who inside a run, and what happens to rows that stand twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, bare, flaws, message, read, request, response, row, write
from tests.gym_rows import analysed as analysed_runs

Count = Callable[..., dict[str, Any]]


def said(text: str, at: float | None = None) -> Any:
    return response(message(text), created_at=at)


def keys(run: Any) -> list[tuple[str, int]]:
    return sorted(run.facts.select("task", "attempt").rows())


def test_the_stamped_index_comes_before_any_id(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(3, 5, problem_id="x"), row(4, 2, problem_id="y")])
    (run,) = read(path)
    assert keys(run) == [("3", 5), ("4", 2)]
    assert sorted(run.facts["label"].to_list()) == ["x", "y"]
    assert not run.keys_inferred


def test_without_an_index_an_id_that_names_one_task_tells_it(tmp_path: Path) -> None:
    rows = [bare(task, task_id=f"t{task}", response=said(f"{task}{n}")) for task in range(2) for n in range(2)]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert keys(run) == [("t0", 0), ("t0", 1), ("t1", 0), ("t1", 1)]
    assert run.keys_inferred


def test_an_id_that_names_two_tasks_is_not_used(tmp_path: Path) -> None:
    rows = [bare(task, id=1 if task < 2 else task) for task in range(4)]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert set(run.facts["key_source"].to_list()) == {"text"}
    assert run.facts["task"].n_unique() == 4


def test_where_a_simulated_user_opens_an_id_tells_the_task_and_the_words_do_not(tmp_path: Path) -> None:
    talk = [message("Well?"), message("Yes.", "user"), message("Done.")]
    rows = [
        bare(t, task_id=str(t), responses_create_params=request(f"{n}: about {t}"), response=response(*talk, id=f"{n}"))
        for t in range(3)
        for n in range(2)
    ]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert keys(run) == [(str(task), attempt) for task in range(3) for attempt in range(2)]
    alone = [{**one, "response": response(message("Done."))} for one in rows]
    assert read(write(tmp_path / "b.jsonl", alone))[0].facts["task"].n_unique() == 6


def test_the_same_prompt_with_other_metadata_is_another_task(tmp_path: Path) -> None:
    same = request("Find the law.")
    rows = [bare(0, responses_create_params=same, difficulty=level) for level in ("easy", "medium", "hard")]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert run.facts["task"].n_unique() == 3


def test_a_row_that_shows_nothing_of_its_task_stands_for_itself(tmp_path: Path) -> None:
    rows = [{"reward": 1.0, "response": said(f"{n}")} for n in range(3)]
    made = analysed_runs(write(tmp_path / "a.jsonl", rows))
    assert made.runs[0].tasks == 3
    assert flaws(made)["key-from-line"] == 3


def test_attempts_without_a_stamp_are_counted_by_time_not_by_place(tmp_path: Path) -> None:
    rows = [row(0, _ng_rollout_index=ABSENT, response=said(f"{at}", at)) for at in (30.0, 10.0, 20.0)]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert run.facts.sort("attempt")["created_at"].to_list() == [10.0, 20.0, 30.0]
    assert run.facts.sort("attempt")["attempt"].to_list() == [0, 1, 2]


@pytest.mark.parametrize(("stamp", "attempts"), [(17.0, 1), (0, 3), (None, 3)])
def test_equal_rows_without_a_stamp_are_copies_only_if_a_clock_says_so(
    tmp_path: Path, stamp: float | None, attempts: int
) -> None:
    rows = [bare(0, response=said("same", stamp))] * 3
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert run.graded.height == attempts
    assert run.facts["attempt"].n_unique() == attempts


def test_an_exact_copy_is_set_aside_and_said(tmp_path: Path, counted: Count) -> None:
    rows = [row(0), row(1, 0, 0.0), row(0)]
    made = counted(write(tmp_path / "a.jsonl", rows))
    run = made["runs"][0]
    assert run["rollouts"] == 3
    assert run["denominator"]["counted"] == 2
    (flaw,) = made["flaws"]
    assert flaw["slug"] == "duplicate-rows"
    assert flaw["rows"] == 1
    assert flaw["statement"].startswith("1 row repeats another row")


def test_the_score_as_found_still_counts_the_copies(tmp_path: Path, counted: Count) -> None:
    rows = [row(0, 0), row(0, 1, 0.0), row(0, 0), row(0, 0)]
    metrics = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]["metrics"]
    assert metrics["score"] == pytest.approx(0.5)
    assert metrics["score_as_found"] == pytest.approx(0.75)


def test_the_same_output_and_score_written_anew_is_a_copy(tmp_path: Path) -> None:
    again = row(0, 0, note="written again")
    (run,) = read(write(tmp_path / "a.jsonl", [row(0), again, row(1, 0, 0.0)]))
    assert run.graded.height == 2


def test_rows_that_contradict_each_other_are_all_counted_and_said(tmp_path: Path, counted: Count) -> None:
    made = counted(write(tmp_path / "a.jsonl", [row(0, 0, 1.0), row(0, 0, 0.0), row(1)]))
    assert made["runs"][0]["metrics"]["rollouts"] == 3
    assert made["runs"][0]["metrics"]["score"] == pytest.approx(0.75)
    (flaw,) = made["flaws"]
    assert (flaw["slug"], flaw["rows"]) == ("conflicting-rows", 2)


def test_shards_that_number_alike_are_other_attempts(tmp_path: Path, counted: Count) -> None:
    for seed in range(3):
        rows = [row(task, 0, float(seed > task), response=said(f"{seed}")) for task in range(2)]
        write(tmp_path / f"rollouts-rs{seed}.jsonl", rows)
    made = counted(tmp_path)
    assert made["flaws"] == []
    run = made["runs"][0]
    assert (run["tasks"], run["metrics"]["rollouts"]) == (2, 6)
    assert run["metrics"]["tasks_used"] == {"1": 2, "2": 2, "3": 2}


def test_a_row_copied_into_two_shards_is_one_attempt(tmp_path: Path) -> None:
    copied = row(1, 0, response=said("the same"))
    sparse = row(2, 13, response=said("far"))
    for seed in range(2):
        here = [row(0, 0, response=said(f"{seed}")), row(1, 0, response=said(f"only {seed}")), copied]
        write(tmp_path / f"rollouts-rs{seed}.jsonl", [*here, sparse] if seed else here)
    (run,) = read(tmp_path)
    assert run.graded["task"].value_counts().sort("task").rows() == [("0", 2), ("1", 3), ("2", 1)]
    assert run.facts.filter(run.facts["task"] == "2")["attempt"].to_list() == [13]


def test_several_agents_in_one_file_are_one_run_each(tmp_path: Path, counted: Count) -> None:
    rows = [row(task, agent_ref={"name": name}) for task in range(3) for name in ("one", "two")]
    made = counted(write(tmp_path / "a.jsonl", rows))
    assert [run["name"] for run in made["runs"]] == ["a@one", "a@two"]
    assert [run["rollouts"] for run in made["runs"]] == [3, 3]
    assert made["identity"][0]["common"] == 3


def test_skill_variants_have_their_own_share_of_the_manifest(tmp_path: Path, counted: Count) -> None:
    def variant(name: str) -> dict[str, Any]:
        return {"skills_ref": {"path": "p", "hash": name, "skills": []}}

    places = [(task, "aaa" if task < 3 else "bbb") for task in range(7)]
    rows = [row(task, **variant(name)) for task, name in places[:6]]
    rows[0] |= {"agent_ref": None}
    write(tmp_path / "rollouts.jsonl", rows)
    inputs = [row(task, response=ABSENT, reward=ABSENT, **variant(name)) for task, name in places]
    write(tmp_path / "rollouts_materialized_inputs.jsonl", inputs)
    runs = counted(tmp_path)["runs"]
    assert [run["name"].rpartition("+")[2] for run in runs] == ["aaa", "bbb"]
    assert [(run["rollouts"], run["expected"]) for run in runs] == [(3, 3), (3, 4)]


def _named(task: int, attempt: int, **fields: object) -> Json:
    return row(task, attempt, **fields)


def test_tasks_are_called_by_the_name_that_their_author_gives_them(tmp_path: Path) -> None:
    """One to one with the index, without blanks: whatever the field is called, where tasks have several attempts."""
    rows = [_named(task, attempt, errand=f"kitchen-{task}", zone="north") for task in range(10) for attempt in range(2)]
    (run,) = read(write(tmp_path / "rollouts.jsonl", rows))
    assert (run.id_field, sorted(set(run.facts["label"]))) == ("errand", [f"kitchen-{task}" for task in range(10)])
    (few,) = read(write(tmp_path / "few.jsonl", rows[:12]))
    assert few.id_field is None, "in so few tasks a category may differ from task to task"


def test_with_one_attempt_a_task_its_field_must_be_called_a_name(tmp_path: Path) -> None:
    rows = [_named(task, 0, ticket_ref=f"desk-{task}", sandbox_id=f"box-{9 - task}") for task in range(10)]
    (run,) = read(write(tmp_path / "rollouts.jsonl", rows))
    assert run.id_field == "ticket_ref"
    rows = [_named(task, 0, errand=f"kitchen-{task}", sandbox_id=f"box-{9 - task}") for task in range(10)]
    (run,) = read(write(tmp_path / "others.jsonl", rows))
    assert (run.id_field, sorted(run.facts["label"])) == (None, [str(task) for task in range(10)])


def test_ids_that_a_program_drew_and_sentences_are_no_names_of_tasks(tmp_path: Path) -> None:
    drawn = [f"{task}f86d081884c7d659a2feaa0c55ad0{task}5" for task in range(10)]
    rows = [
        _named(task, attempt, case_key=drawn[task], case_name=f"open the door {task}")
        for task in range(10)
        for attempt in range(2)
    ]
    (run,) = read(write(tmp_path / "rollouts.jsonl", rows))
    assert run.id_field is None


def page_row(task: int, attempt: int, *, intent: bool = True, **fields: Any) -> Any:
    """A prompt that shows a page, with other numbers in every attempt."""
    shown = request(f"Find jar {task}. The page: [{100 * task + attempt}] link 'Jars'")
    told = {"intent": f"Find the jar number {task}."} if intent else {}
    return bare(
        task,
        task_id=task,
        responses_create_params=shown,
        response=said(f"{task} {attempt}", at=float(task + attempt)),
        expected_answer=None,
        extracted_answer=None,
        **told,
        **fields,
    )


def test_a_page_in_the_prompt_that_differs_by_attempt_does_not_part_a_task(tmp_path: Path) -> None:
    rows = [page_row(task, attempt) for task in range(12) for attempt in range(3)]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert keys(run) == sorted((str(task), attempt) for task in range(12) for attempt in range(3))


def test_where_nothing_goes_with_the_id_other_texts_are_other_tasks(tmp_path: Path) -> None:
    rows = [page_row(task, attempt, intent=False) for task in range(12) for attempt in range(3)]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert run.facts["task"].n_unique() == 36


def test_a_number_of_the_attempt_is_no_task(tmp_path: Path) -> None:
    rows = [
        bare(task, sample_id=attempt, intent=f"Try it {attempt} times.", expected_answer=None, extracted_answer=None)
        for task in range(12)
        for attempt in range(3)
    ]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert run.facts["task"].n_unique() == 12


def test_an_id_that_goes_with_the_texts_is_believed_whatever_is_taken_for_the_key(tmp_path: Path) -> None:
    rows = [
        bare(task, question_id=f"q{task}", expected_answer=f"{attempt}") for task in range(6) for attempt in range(2)
    ]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert keys(run) == [(f"q{task}", attempt) for task in range(6) for attempt in range(2)]


def test_without_a_time_of_the_response_the_row_tells_when_it_was(tmp_path: Path) -> None:
    rows = [
        row(0, 0, started_at="2025-09-14T21:56:51Z"),
        row(1, 0, metadata={"timestamp": 1757887011000}),
        row(2, 0, end_time="2025-09-14T21:56:51", response=said("x", at=7.0)),
        row(3, 0, started_at="yesterday", time=12.5),
    ]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    times = dict(run.facts.select("task", "created_at").rows())
    assert times == {"0": 1757887011.0, "1": 1757887011.0, "2": 7.0, "3": None}
