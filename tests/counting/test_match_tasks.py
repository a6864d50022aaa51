"""The best rule joins the tasks of all runs; what a simulated user says is no task's text; doubts are said first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, analysed, bare, message, request, response, row, write

import blade
from blade import api
from blade.errors import UsageError
from blade.model import Analysis
from blade.options import Options

TASKS = 20


def opening(task: int, run: str, equal: int = 3) -> dict[str, Any]:
    """What a simulated user says first: the same words in every run for a few tasks only."""
    text = f"I want {task}." if task < equal else f"Hello from {run}: it is about {task}."
    return {"responses_create_params": request(text)}


def talks(run: str, *, tasks: Sequence[int] = range(TASKS), equal: int = 3, **fields: Any) -> list[dict[str, Any]]:
    return [
        row(task, 0, float(task % 2), **({"task_id": str(task)} | opening(task, run, equal) | fields)) for task in tasks
    ]


def runs_of(folder: Path, *runs: list[dict[str, Any]], **options: Any) -> Analysis:
    return analysed(*(write(folder / f"{'abcdefg'[n]}.jsonl", rows) for n, rows in enumerate(runs)), **options)


def test_a_bare_number_joins_what_a_simulated_user_words_anew(tmp_path: Path) -> None:
    made = runs_of(tmp_path, *(talks(run) for run in "abc"))
    assert [(item["rule"], item["detail"], item["common"], item["weak"]) for item in made.identity] == [
        ("domain_id", "the field 'task_id'", TASKS, False)
    ] * 2
    assert len(made.tasks) == TASKS
    assert all(set(task.runs) == {"a", "b", "c"} for task in made.tasks)
    assert {task.key_source for task in made.tasks} == {"domain_id"}
    assert [change.common_tasks for change in made.changes] == [TASKS] * 2


def test_it_joins_them_without_expected_answers_too(tmp_path: Path) -> None:
    made = runs_of(tmp_path, *(talks(run, expected_answer=ABSENT) for run in "ab"))
    assert made.identity[0]["common"] == TASKS
    assert not made.identity[0]["weak"]
    assert made.identity[0]["alternatives"][0]["detail"] == "the index"


def test_a_number_that_nothing_confirms_is_said_first(tmp_path: Path) -> None:
    made = runs_of(tmp_path, *(talks(run, equal=0, expected_answer=ABSENT) for run in "ab"))
    assert made.identity[0]["common"] == TASKS
    assert made.identity[0]["weak"]
    first = api.render(api.report(made)).split("\n\n")[1]
    assert first.startswith(
        "Tasks of `a` and `b` were matched by the field 'task_id', which only numbers the tasks and which nothing else "
        "in the rows confirms."
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"response": response(message("Well?"), message("Yes.", "user"), message("Done."))},
        {"metadata": "named"},
    ],
)
def test_a_talk_in_one_setting_and_a_field_that_agrees_confirm_it(tmp_path: Path, fields: dict[str, Any]) -> None:
    made = []
    for run in "ab":
        rows = talks(run, equal=0, expected_answer=ABSENT, **fields)
        for one in rows:
            one["responses_create_params"]["instructions"] = "Be kind."
            one["metadata"] = {"customer": f"customer {one['task_id']}"} if "metadata" in fields else None
        made.append(rows)
    assert not runs_of(tmp_path, *made).identity[0]["weak"]


def test_numbers_join_no_tasks_whose_own_openings_all_differ(tmp_path: Path) -> None:
    """An environment that answers as a user speaks in every rollout; yet each task opens in its own words."""

    def played(run: str, tasks: int) -> list[dict[str, Any]]:
        said = response(message("a"), message("No a. 4 turns remain.", role="user"), message("b"))
        asked = [{"role": "system", "content": "You play.", "type": "message"}]
        fields = {"response": said, "expected_answer": ABSENT, "extracted_answer": ABSENT}
        return [
            row(task, attempt, 1.0, task_id=str(task), **fields)
            | {"responses_create_params": {"input": [*asked, *request(f"{run} {task}: _ _ _")["input"]]}}
            for task in range(tasks)
            for attempt in range(2)
        ]

    made = runs_of(tmp_path, played("hard", 12), played("easy", 6))
    assert made.identity[0]["common"] == 0
    assert made.changes[0].verdict == "not_comparable"
    again = runs_of(tmp_path / "again", played("hard", 12), played("hard", 6))
    assert again.identity[0]["common"] == 6


def test_texts_that_differ_between_attempts_are_no_rule(tmp_path: Path) -> None:
    def rows(run: str) -> list[dict[str, Any]]:
        return [row(t, a, expected_answer=ABSENT, **opening(t, f"{run}{a}", 0)) for t in range(5) for a in range(2)]

    shared = [{**one, "task_id": f"t{one['_ng_task_index']}"} for one in rows("a")]
    other = [{**one, "task_id": f"t{one['_ng_task_index']}"} for one in rows("b")]
    made = runs_of(tmp_path, shared, other)
    assert made.identity[0]["common"] == 5
    assert [item["detail"] for item in made.identity[0]["alternatives"]] == ["the index"]
    assert runs_of(tmp_path, rows("a"), rows("b")).identity[0]["rule"] == "none"


def test_one_rule_names_a_task_in_all_runs_even_where_the_baseline_lacks_it(tmp_path: Path) -> None:
    many = range(TASKS)
    made = runs_of(tmp_path, talks("a", tasks=many[:-1]), *(talks(run, tasks=many) for run in "bc"))
    assert len(made.tasks) == TASKS
    assert set(made.tasks[-1].runs) == {"a", "b", "c"}
    few = runs_of(tmp_path, talks("a", tasks=many[:4]), *(talks(run, tasks=many[2:]) for run in "bc"))
    assert len(few.tasks) == TASKS
    assert {len(task.runs) for task in few.tasks[4:]} == {2}


def test_an_id_whose_texts_stand_under_other_ids_is_not_taken(tmp_path: Path) -> None:
    left = [row(t, task_id=f"t{t}", expected_answer=ABSENT) for t in range(5)]
    right = [row(t, task_id=f"t{4 - t}", expected_answer=ABSENT) for t in range(5)]
    (item,) = runs_of(tmp_path, left, right).identity
    assert (item["rule"], item["common"]) == ("text", 5)
    assert {"rule": "domain_id", "detail": "the field 'task_id'", "common": 5,
            "against": "the texts of 4 of them stand under other tasks"} in item["alternatives"]  # fmt: skip


@pytest.mark.parametrize("named", [True, False])
def test_a_place_in_the_order_joins_no_other_task_that_took_it(tmp_path: Path, named: bool) -> None:
    def rows(offset: int) -> list[dict[str, Any]]:
        numbers = [task + offset if task < 3 else task for task in range(12)]
        return [
            row(
                place,
                task_id=f"t{number}" if named else ABSENT,
                expected_answer=ABSENT,
                responses_create_params=request(f"Task number {number}, please."),
            )
            for place, number in enumerate(numbers)
        ]

    (item,) = runs_of(tmp_path, rows(0), rows(100)).identity
    assert (item["rule"], item["common"]) == ("domain_id" if named else "text", 9)


def test_a_run_that_the_common_rule_leaves_alone_is_joined_by_its_own(tmp_path: Path) -> None:
    first = [row(t, task_id=f"t{t}", **opening(t, "a", 0)) for t in range(10)]
    moved = [row(9 - t, task_id=f"t{t}", expected_answer=str(2 * t), **opening(t, "b", 0)) for t in range(10)]
    renamed = [row(t, task_id=f"new-{t}") for t in range(10)]
    made = runs_of(tmp_path, first, moved, renamed)
    assert [(item["rule"], item["common"]) for item in made.identity] == [("domain_id", 10), ("index", 10)]
    assert len(made.tasks) == 10


def few_in_common() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    left = [row(t, expected_answer=f"a{t}") for t in range(10)]
    right = [row(t, 0, 0.0, expected_answer=f"b{t}", **opening(t, "b", 0)) for t in range(8)]
    return left, [*right, *left[8:]]


def test_below_four_fifths_the_first_line_says_so_in_every_form(tmp_path: Path) -> None:
    made = runs_of(tmp_path, *few_in_common())
    told = (
        "Only 2 of 10 tasks of the smaller run (20.0%) were matched between a and b, by the task's own text and its "
        "expected answer; every comparison of the two rests on those. Other rules: the index would match 10, but "
        "expected answers differ on 8 of them. --match-by FIELD says which field names the tasks."
    )
    report = api.report(made)
    assert report.notice is not None
    assert " ".join(sentence.text for sentence in report.notice.sentences) == told
    markdown = api.render(report).split("\n\n")[1]
    assert markdown.replace("`", "") == told
    assert " ".join(api.render(report, "terminal").split("\n\n")[0].split("\n")[1:]).replace("  ", " ") == told
    page = api.render(report, "html")
    assert page.index('class="notice"') < page.index("<section")
    assert " ".join(api.render_change(made, "terminal").split()).startswith(f"a → b {told}")
    claims = {claim.section: claim.value for claim in report.claims() if claim.section == "notice"}
    assert claims == {"notice": 0.2}


def test_no_rule_at_all_is_said_first_too_and_a_full_match_is_not(tmp_path: Path) -> None:
    left, right = few_in_common()
    notice = api.report(runs_of(tmp_path, left[:8], right[:8])).notice
    assert notice is not None
    assert notice.sentences[0].text.startswith("No task of a was matched with one of b: no domain id, text or index")
    assert api.report(runs_of(tmp_path, left, left)).notice is None


def test_the_user_names_the_field(tmp_path: Path) -> None:
    rows = [[row(t, case={"code": f"c{t}"}, expected_answer=f"{run}{t}", **opening(t, run, 0)) for t in range(5)]
            for run in "ab"]  # fmt: skip
    assert runs_of(tmp_path, *rows).identity[0]["rule"] == "none"
    (item,) = runs_of(tmp_path, *rows, match_by="case.code").identity
    assert (item["rule"], item["detail"], item["common"]) == ("domain_id", "the field 'case.code'", 5)
    assert runs_of(tmp_path, *rows, match_by="index").identity[0]["common"] == 5


def test_where_rows_have_no_index_the_named_field_tells_the_attempts_of_a_task(tmp_path: Path) -> None:
    rows = [[bare(t, case=f"c{t}", response=response(message(f"{run}{a}")), **opening(t, f"{run}{a}", 0))
             for t in range(4) for a in range(2)] for run in "ab"]  # fmt: skip
    made = runs_of(tmp_path, *rows, match_by="case")
    assert [(run.tasks, run.rollouts) for run in made.runs] == [(4, 8)] * 2
    assert made.identity[0]["common"] == 4


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("case.cod", "the rows of a have no field of that name. Nearest in all runs: case.code."),
        ("code", "Nearest in all runs: case.code"),
        ("reward", "in a the field holds measures or flags"),
        ("agent_ref.name", "in a several tasks have the same value"),
        ("kind", "in a 5 of 5 tasks have several values, such as task 0"),
    ],
)
def test_a_field_that_cannot_name_tasks_is_refused_with_the_nearest(tmp_path: Path, field: str, words: str) -> None:
    rows = [[row(t, a, case={"code": f"c{t}"}, kind=f"k{a}") for t in range(5) for a in range(2)] for _ in "ab"]
    with pytest.raises(UsageError) as error:
        runs_of(tmp_path, *rows, match_by=field)
    assert words in str(error.value)
    assert str(error.value).startswith(f"--match-by {field}: ")


def test_swapping_the_runs_joins_the_same_tasks(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name, rows in zip("ab", few_in_common(), strict=True)]
    there, back = (blade.analyze(*order, options=Options(cache=False)).identity[0] for order in (paths, paths[::-1]))
    assert {**there, "base": "", "candidate": ""} == {**back, "base": "", "candidate": ""}


def test_what_a_simulated_user_says_first_is_no_difference_of_the_runs(tmp_path: Path) -> None:
    talk = response(message("Well?"), message("Yes.", "user"), message("Done."))
    differing = {}
    for spoken, answer in ((False, response(message("Done."))), (True, talk)):
        (change,) = runs_of(tmp_path, *(talks(run, response=answer) for run in "ab")).changes
        differing[spoken] = [entry["field"] for entry in change.passport]
    assert differing == {False: ["prompt"], True: []}


def test_runs_that_share_nothing_with_the_first_are_matched_with_each_other(tmp_path: Path) -> None:
    def asked(split: str, tasks: int, reward: float) -> list[dict[str, Any]]:
        return [
            row(task, 0, reward, task_id=f"{split}-{task}", expected_answer=ABSENT)
            | {"responses_create_params": request(f"Question {task} of {split}?")}
            for task in range(tasks)
        ]

    made = runs_of(
        tmp_path, asked("test", 5, 1.0), asked("valid", 3, 0.0), asked("valid", 4, 0.0), asked("dev", 2, 1.0)
    )
    assert [item["common"] for item in made.identity] == [0, 0, 0]
    assert sorted(sorted(task.runs) for task in made.tasks) == [["a"]] * 5 + [["b", "c"]] * 3 + [["c"]] + [["d"]] * 2
    told = api.render(api.report(made))
    assert "Of 11 tasks, 4 are passed by no run" in told
    assert "Passed by one run alone" not in told
    assert " pp" not in told.split("## Score Change")[1].split("\n## ")[0]
    assert "No task of `b` could be matched with one of `a`, so their scores are not subtracted" in told
    assert "Not comparable with `a` task by task: `b`, `c` and `d`." in told


def test_runs_of_different_tasks_are_said_to_be_that(tmp_path: Path) -> None:
    left = [row(t, task_id=f"t{t}") for t in range(5)]
    right = [row(t, task_id=f"t{t}") for t in range(5, 10)]
    (item,) = runs_of(tmp_path, left, right).identity
    assert item["rule"] == "none"
    told = "both name their tasks by the field 'task_id', and share no name and no text: they ran different tasks"
    assert item["detail"] == told


@pytest.mark.parametrize(("customers", "joined"), [(14, TASKS), (TASKS, 0)])
def test_tasks_that_have_each_others_keys_stay_the_same_tasks(tmp_path: Path, customers: int, joined: int) -> None:
    """Customers who come more than once tell that no task moved; names that are one task's own may be a numbering."""

    def talked(run: str, swapped: int) -> list[dict[str, Any]]:
        return [
            row(
                task,
                attempt,
                task_id=str(task),
                expected_answer=f"answer {task ^ 1 if task < swapped else task}",
                metadata={"customer": f"customer {task % customers}"},
                **opening(task, f"{run}{attempt}", 0),
            )
            for task in range(TASKS)
            for attempt in range(2)
        ]

    made = runs_of(tmp_path, talked("a", 0), talked("b", 6))
    assert made.changes[0].common_tasks == joined
