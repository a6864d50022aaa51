"""What tools print in one stretch of time alone, at tasks that pass at other times."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import called, case, run_of, said, words

from blade.questions import disturbed_words, printed_in_time, undisturbed

FIRST = 1_700_000_000.0
"""2023-11-14 22:13 in universal time."""
TASKS = 20
DOWN = "The catalogue of jars is away for a while"


def rollout(task: int, attempt: int, place: int, *, down: bool, passed: bool, timed: bool = True) -> Json:
    items = called("look", {"jar": task}, DOWN if down else f"jar {task} on the shelf")
    output = [*items, *said("So it is.")]
    return row(
        task,
        attempt,
        float(passed),
        task_id=f"t{task}",
        response={"id": "r", "model": "m", "output": output, "created_at": FIRST + 600 * place if timed else None},
        expected_answer=None,
        extracted_answer=None,
    )


def jars(path: Path, down: range, passing: tuple[int, ...] = (), *, timed: bool = True) -> Path:
    """Three attempts, one after another; what lies between fails on the same notice."""
    rows = []
    for place in range(3 * TASKS):
        attempt, task = divmod(place, TASKS)
        is_down = place in down
        passed = (place in passing) if is_down else place % 5 > 0
        rows.append(rollout(task, attempt, place, down=is_down, passed=passed, timed=timed))
    return write(path, rows)


def told(path: Path) -> str:
    answer = analysed(path).investigation.get("printed_in_time")
    return words(printed_in_time.tell(answer)) if answer else ""


def test_a_stretch_is_told_with_its_times_tasks_and_the_score_without_it(tmp_path: Path) -> None:
    text = told(jars(tmp_path / "jars.jsonl", range(25, 33), passing=(27,)))
    assert text.startswith("Between 2023-11-15 02:23 UTC and 2023-11-15 03:33 UTC tools print “"), text
    assert (
        "in 8 rollouts of jars (t10, t11, t12, t5, t6, t7, t8 and t9), 1 of which passes; of the 16 other rollouts of "
        "these tasks 12 pass, and hardly any meets it: it came from outside. 8 rollouts of the run lie in that time. "
        "Without those that print it jars passes 42 of 52 (80.8%). Passes there may be unearned (t7)."
    ) in text, text


def test_it_is_an_outage_of_the_health_page_and_a_step_to_take(tmp_path: Path) -> None:
    answer = analysed(jars(tmp_path / "jars.jsonl", range(25, 33), passing=(27,))).investigation["printed_in_time"]
    (item,) = printed_in_time.health(answer)
    assert (item["check"], item["severity"]) == ("outage_window", "high")
    (advice,) = printed_in_time.advise(answer)
    assert (advice.kind, advice.because.text) == ("environment", "7 of them failed.")


@pytest.mark.parametrize("timed", [True, False], ids=["the rollouts pass", "no times"])
def test_without_a_loss_or_a_time_nothing_is_said(tmp_path: Path, timed: bool) -> None:
    passing = tuple(range(25, 33)) if timed else (27,)
    assert told(jars(tmp_path / "jars.jsonl", range(25, 33), passing=passing, timed=timed)) == ""


def test_a_notice_that_always_goes_with_some_tasks_is_of_these_tasks(tmp_path: Path) -> None:
    rows = []
    for place in range(3 * TASKS):
        attempt, task = divmod(place, TASKS)
        down = 5 <= task < 13
        rows.append(rollout(task, attempt, place, down=down, passed=not down and place % 5 > 0))
    assert told(write(tmp_path / "jars.jsonl", rows)) == ""


def hard(path: Path, down: range, *, elsewhere: int | None = None) -> Path:
    """Three attempts at hard tasks, of which every third passes at other times; `elsewhere` prints the notice, too."""
    rows = []
    for place in range(3 * TASKS):
        attempt, task = divmod(place, TASKS)
        is_down = place in down
        passed = place == down.start if is_down else place % 3 == 0
        rows.append(rollout(task, attempt, place, down=is_down or place == elsewhere, passed=passed))
    return write(path, rows)


def test_where_all_print_it_and_nobody_else_half_as_many_passes_are_enough(tmp_path: Path) -> None:
    text = told(hard(tmp_path / "jars.jsonl", range(24, 38)))
    assert "in 14 rollouts of jars" in text, text
    assert "1 of which passes; of the 28 other rollouts of these tasks 9 pass, and hardly any meets it" in text, text


def test_a_notice_that_another_rollout_prints_must_cost_more(tmp_path: Path) -> None:
    assert told(hard(tmp_path / "jars.jsonl", range(24, 38), elsewhere=3)) == ""


def test_its_failures_are_the_infrastructures_in_modes_labels_and_advice(tmp_path: Path) -> None:
    analysis = analysed(jars(tmp_path / "jars.jsonl", range(25, 33), passing=(27,)))
    (mode,) = (mode for mode in analysis.modes if mode.id == "dead_stretch")
    assert (mode.name, mode.blame) == ("tools down for a stretch of time", "infrastructure")
    assert (mode.runs["jars"]["rollouts"], mode.runs["jars"]["any_rollouts"]) == (7, 8)
    labelled = [*analysis.labels, *analysis.rollout_labels]
    down = [label for label in labelled if label.rule == "tools_were_down"]
    assert {label.labels for label in down} == {("IR",)}
    assert "its tools were down, as in the rollouts before and after it" in down[0].why
    (change,) = (item for item in analysis.interventions if item.mode == "dead_stretch")
    assert (change.kind, change.rollouts) == ("environment", 7)


def test_failures_elsewhere_in_time_are_no_outage(tmp_path: Path) -> None:
    analysis = analysed(jars(tmp_path / "jars.jsonl", range(3, 60, 8)))
    assert "dead_stretch" not in {mode.id for mode in analysis.modes}


def silent(path: Path, down: range, *, answered: int | None = None) -> Path:
    """Three attempts that look twice: what lies between finds nothing, as any rollout may with one of its looks."""
    rows = []
    for place in range(3 * TASKS):
        attempt, task = divmod(place, TASKS)
        is_down = place in down
        empty = "0 entries in the list for “{jar}”. Try other words for it, or fewer of them."
        lid, base = f"lid of jar {task}", f"base of jar {task}"
        found = "\n".join(f"Jar {task}, shelf {shelf}, of grey clay and turned on the wheel." for shelf in range(12))
        first = empty.format(jar=lid) if is_down or place % 7 == 0 else found
        second = empty.format(jar=base) if (is_down and place != answered) or place % 7 == 3 else found
        items = [*called("look", {"jar": lid}, first), *called("look", {"jar": base}, second), *said("So it is.")]
        row_time = FIRST + 600 * place
        rows.append(
            row(
                task,
                attempt,
                float(place % 5 > 0 and not is_down),
                task_id=f"t{task}",
                response={"id": "r", "model": "m", "output": items, "created_at": row_time},
                expected_answer=None,
                extracted_answer=None,
            )
        )
    return write(path, rows)


def test_a_tool_that_answers_nothing_else_for_a_time_is_down_though_others_meet_its_words_too(tmp_path: Path) -> None:
    text = told(silent(tmp_path / "jars.jsonl", range(24, 36)))
    assert (
        "look answers nothing but “0 entries in the list for “…”. Try other words for it, or fewer of them.” in 12 "
        "rollouts of jars (t10, t11, t12, t13, t14, t15, t4, t5, t6, t7, t8 and t9), none of which passes; of the 24 "
        "other rollouts of these tasks 18 pass, and hardly any gets nothing else: it came from outside. 12 rollouts "
        "of the run lie in that time, and whoever calls look then gets nothing else. Without those that get nothing "
        "else jars passes 39 of 48 (81.2%)."
    ) in text, text


def test_who_is_answered_in_between_is_not_among_them(tmp_path: Path) -> None:
    text = told(silent(tmp_path / "jars.jsonl", range(24, 36), answered=30))
    assert "in 11 rollouts of jars" in text, text
    assert "12 rollouts of the run lie in that time. Without those that get nothing else" in text, text


def test_rollouts_whose_tools_were_down_tell_nothing_of_what_a_run_does() -> None:
    cases = [case(task, passed=True) for task in range(4)]
    cases[0].in_dead_stretch = True
    assert undisturbed(run_of("jars", cases)) == cases[1:]
    assert (disturbed_words(12), disturbed_words(0)) == (" (12 rollouts whose tools were down left out)", "")
