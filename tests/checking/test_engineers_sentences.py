"""Sentences as engineers write them over several runs: true ones are never wrong, false ones are never right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import message, read, response, row, write

from blade import api
from blade.checking import CitedCounts, ReportCheck, check_text
from blade.renderers import markdown

Checker = Callable[[str], ReportCheck]
PASSED = {"north": range(9), "south": range(3), "east": range(6), "west": range(2, 6), "centre": range(5, 12)}
BROKEN = {"north": 1, "south": 5, "east": 2, "west": 4, "centre": 3}
"""So many rollouts of each run have a call that the tool refuses."""
TASKS = 12


def attempt(run: str, task: int) -> dict[str, Any]:
    answer = "Error: no such room" if task >= TASKS - BROKEN[run] else "booked"
    steps = [
        {"type": "function_call", "name": "book", "arguments": '{"room": 1}', "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": answer},
        message("bash: uv: command not found" if task == 11 else f"Done, {run} {task}."),
    ]
    ending = {"failure_mode": "tool_refused" if answer.startswith("Error") else "unset"}
    return row(task, 0, float(task in PASSED[run]), task_id=str(task), response=response(*steps), verifier=ending)


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    folder = tmp_path_factory.mktemp("five")
    runs = read(*(write(folder / f"{run}.jsonl", [attempt(run, task) for task in range(TASKS)]) for run in PASSED))
    analysis = api.analyze_runs(runs)
    report = api.report(analysis)
    of_run = {run: {"rollouts": float(number)} for run, number in {**BROKEN, "north": 7}.items()}
    cited = {"0a1b2c3d": CitedCounts(of_run | {"": {"rollouts": 21.0}}, sought=frozenset({"6"}))}
    compared = partial(api.compare_pair, runs)
    return lambda text: check_text(text, report, analysis, runs, cited, compared)


def outcome(result: ReportCheck) -> str:
    return "wrong" if result.wrong else "listed" if result.unverifiable else "right"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("east scores 25.0 pp above south.", "east scores 35.0 pp above south."),
        ("A call is refused in 21 rollouts [q:0a1b2c3d]; north leads.", "It is refused in 20 rollouts [q:0a1b2c3d]."),
        (
            "**east is slow.** Its score is not shown to differ from south (50.0% against 25.0%).",
            "**east is slow.** Its score is not shown to differ from south (60.0% against 25.0%).",
        ),
        ("south and east differ: south scores 25.0 pp less.", "south lies 12.5 pp behind east."),
        ("Of 12 rollouts north passes 9 of 12 (75.0%).", "Of 12 rollouts north passes 9 of 12 (57.0%)."),
        ("Task 3 passes in 3 of 5 runs.", "Task 3 passes in 2 of 5 runs."),
        ("3 of 5 runs pass task 3.", "1 of 5 runs pass task 3."),
        (
            "Task 0 passes in north, west fails it; task 3 passes 1 of 1 attempts in west and 0 of 1 in south.",
            "Task 0 passes in north, west fails it; task 3 passes 0 of 1 attempts in west and 0 of 1 in south.",
        ),
        ("north is at 75.0 % and south at 25.0 %.", "north is at 65.0 % and south at 25.0 %."),
        ("north reaches only 75.0 % (9 of 12).", "north reaches only 58.3 % (7 of 12)."),
        ("north passes 9 of its 12 rollouts, i.e. 75.0 %.", "north passes 8 of its 12 rollouts, i.e. 66.7 %."),
        ("Over all runs task 3 passes 3 of 5 attempts.", "Over all runs task 3 passes 1 of 5 attempts."),
        ("Tasks 0 and 1 are 1/1 for south.", "Tasks 0 and 1 are 0/1 for south."),
        ("Twelve tasks pass in at least one run.", "Eleven tasks pass in at least one run."),
        (
            "There are 6 tasks that north passes and south does not.",
            "There are 7 tasks that north passes and south never.",
        ),
        ("centre is the only run that solves task 9.", "north is the only run that solves task 9."),
        ("Nobody but centre passes task 9.", "Everybody passes tasks 9 and 10."),
        (
            "Task 9 passes in centre, while the other four fail it.",
            "Task 9 fails in centre, while the other four pass it.",
        ),
        ("south has 5 tool_refused rows.", "south has 7 tool_refused rows."),
        ("tool_refused is set in 5 south rows, 2 east rows and 4 west rows.", "In west 5 tool_refused rows are left."),
        ("task 3 passes 1 of 1 in north and in east.", "task 3 passes 1 of 1 in north and in south."),
        ("9 tasks pass in all attempts of north.", "8 tasks pass in all attempts of north."),
        ("In task 3 north's last message is “Done, north 3.”", "In task 3 north's last message is “Done, south 3.”"),
        ("south fails task 3 0 of 1.", "north fails task 3 1 of 1."),
        (
            "Beside the 75.0% of north, 21 rollouts hold it [q:0a1b2c3d].",
            "Beside the 65.0% of north, 21 rollouts [q:0a1b2c3d].",
        ),
    ],
)
def test_a_true_sentence_is_right_and_a_false_one_wrong(check: Checker, true: str, false: str) -> None:
    assert outcome(check(true)) == "right"
    assert outcome(check(false)) == "wrong"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (
            "Calls that the tool answers with an error: north 1, south 5, east 2, west 4 and centre 3.",
            "Calls that the tool answers with an error: north 1, south 5, east 3, west 4 and centre 3.",
        ),
        (
            "7 of the 21 are of north [q:0a1b2c3d]: 7 rollouts of north, 5 of south, 2 of east and 4 of west.",
            "21 rollouts hold it [q:0a1b2c3d]: 7 rollouts of north, 5 of south, 2 of east and 6 of west.",
        ),
    ],
)
def test_a_list_of_runs_is_right_where_such_a_list_is_known(check: Checker, true: str, false: str) -> None:
    assert outcome(check(true)) == "right"
    assert outcome(check(false)) == "listed"


@pytest.mark.parametrize(
    "sentence",
    [
        "On the tasks both ran it is 3 of 9 against 6 of 9, not 25.0% against 50.0%.",
        "Task 3 is hard to read: 3 of 5 runs change the booking, and north fails by another call.",
        "An agent that does nothing scores 1 of 17 (5.9%).",
        "Task 7 passes nowhere but in north, and the user says so in 2 of 5 judged rollouts.",
        "Task 3 (4 of 5 attempts of south book twice).",
        "Without them north passes 4 of 9 judged rollouts (44.4%). south and west cannot be audited for this.",
        "It is no score of west: 44.4% is 4 of 9 of north.",
        "Task 3 of west rests on a score of 0.7456 that it wrote itself.",
        "The user invents a value in 9 rollouts of north.",
        "The user names an order in 9 of 12 rollouts of north.",
        "Task 3 is at fault: without these 3 north passes 6 of 9.",
        "Older models are ahead of newer ones.",
        "The five runs use different models.",
        "west stands at 45.0 % without its lost rows.",
        "All of the 5 tool_refused rows of south pass.",
        "Tasks 2 and 3 are 1/1 for south.",
    ],
)
def test_what_counts_something_else_is_listed_and_never_called_wrong(check: Checker, sentence: str) -> None:
    assert outcome(check(sentence)) == "listed"


@pytest.mark.parametrize(
    "sentence",
    [
        'In task 11 "bash: uv: command not found" ends 1 of 1 attempts of south, which fails.',
        "Tasks 3 and 4 are one task twice, and yet west passes only 4 and south only 3.",
        "3 tasks pass in one run alone: 9, 10 and 11.",
    ],
)
def test_words_of_others_deny_nothing_and_names_count_nothing(check: Checker, sentence: str) -> None:
    assert not check(sentence).wrong
    assert all(thing.kind.value != "number" or thing.said != "11" for thing in check(sentence).things)


def test_a_part_of_a_count_is_no_task_that_bears_its_number(check: Checker) -> None:
    sentence = "In tasks 2, 7 and 4 it is found in 21 rollouts, 7 of them of north [q:0a1b2c3d]."
    things = check(sentence).things
    assert not check(sentence).wrong
    assert ("number", "7", "right") in [(thing.kind.value, thing.said, thing.outcome.value) for thing in things]


def test_a_run_that_is_named_by_the_way_does_not_speak(check: Checker) -> None:
    assert not check("The model says “Done, north 3.” (task 3, which east solves).").wrong
    assert check("The model of east says “Done, north 3.” (task 3).").wrong


def test_the_report_on_a_pair_passes_word_for_word(check: Checker, tmp_path: Path) -> None:
    runs = read(
        *(write(tmp_path / f"{run}.jsonl", [attempt(run, t) for t in range(TASKS)]) for run in ("south", "east"))
    )
    sections = {section.name: section for section in api.report(api.analyze_runs(runs)).sections}
    text = markdown.section(sections["score_change"])
    sentences = [line for line in text.splitlines() if line.startswith("`east` scores")]
    assert sentences
    assert not check(sentences[0]).wrong
    turned = check(sentences[0].replace("above", "below"))
    assert turned.wrong


@pytest.mark.parametrize(
    ("listed", "wrong"),
    [
        ("The key wants the shelf (8479046075) [q:0a1b2c3d].", "The room is asked for in 15 [q:0a1b2c3d]."),
        ("7 of the 19 rollouts are of north [q:0a1b2c3d].", "7 of 19 rollouts are of north [q:0a1b2c3d]."),
        ("It finds 6 rows where more are wanted [q:0a1b2c3d].", "It finds 8 rows where more are wanted [q:0a1b2c3d]."),
        ("This alone fails north in tasks 9 and 10.", "North alone fails tasks 9 and 10."),
    ],
)
def test_what_may_be_of_something_else_is_listed(check: Checker, listed: str, wrong: str) -> None:
    assert (outcome(check(listed)), outcome(check(wrong))) == ("listed", "wrong")


def test_a_likeness_is_no_rate(check: Checker) -> None:
    assert not check("Task 9 fails in north (24.59% similar).").wrong
    assert check("Task 9 scores 24.59% in north.").wrong
