"""A mode is told as a cause only where what it tells of separates failures from passes inside the runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.made_cases import case, run_of
from tests.gym_rows import analysed, write
from tests.questions.made_cases import called, said, task_row, user, words
from tests.questions.made_cases import case as rollout
from tests.questions.made_cases import run_of as rollouts

from blade.diagnosis.commonest_failure import commonest_failure
from blade.diagnosis.separation import JudgedCases
from blade.document import Paragraph
from blade.model import Analysis, Change, Part
from blade.summary.change_words import causes_told

NOBODY = "Error: reader not found"
GUESSED = called("find_reader", {"card": "AB-000"}, NOBODY)
FOUND = called("find_reader", {"card": "KL-417"}, '{"reader": "Ada"}')


def runs(folder: Path, *, guessing_passes: int) -> Analysis:
    """In `old` 20 rollouts guess a card and stay without one; so many of 20 that pass guess one and get past it."""
    old = [task_row(task, user("A book."), GUESSED, said("No card."), passed=False) for task in range(20)]
    for task in range(20, 60):
        first = [GUESSED] if task < 20 + guessing_passes else []
        passed = task < 40 or task % 2 == 0
        old.append(task_row(task, user("Card KL-417."), *first, FOUND, said("Lent."), passed=passed))
    new = [task_row(task, user("Card KL-417."), FOUND, said("Here it is."), passed=True) for task in range(60)]
    return analysed(write(folder / "old.jsonl", old), write(folder / "new.jsonl", new))


def guessing(analysis: Analysis) -> tuple[Change, Part, str]:
    (change,) = analysis.changes
    (part,) = [part for part in change.parts if part.sub == "invented_lookup"]
    return change, part, words([Paragraph(tuple(causes_told(change, "unit")))])


def test_what_passes_do_as_often_goes_with_a_change_and_is_no_cause_of_it(tmp_path: Path) -> None:
    _, part, told = guessing(runs(tmp_path, guessing_passes=20))
    assert part.named
    assert part.blame == "unexplained"
    assert "model behaviour" not in told
    assert (
        "Correlated with the change, but not shown to be its cause: look-ups only of values that nobody gave "
        "(+33.3 pp; looks up a value that nobody gave: in 20 of 30 failures and 20 of 30 passes of old)." in told
    )


def test_failing_calls_that_passes_make_as_often_are_not_shown_first(tmp_path: Path) -> None:
    """A library is missing for everybody: whoever tries it out meets the same error, and half of them pass."""
    missing = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'kettle'"
    rows = [
        task_row(
            task, called("shell", {"command": f"python try_{task}.py"}, missing), said("Done."), passed=task % 2 == 0
        )
        for task in range(20)
    ]
    analysis = analysed(write(tmp_path / "one.jsonl", rows))
    (mode,) = [mode for mode in analysis.modes if mode.detector == "tool_keeps_failing"]
    assert mode.separation is not None
    assert (mode.separation["passes"], mode.separation["failures"]) == ([10, 10], [10, 10])
    assert not mode.separation["separates"]
    assert commonest_failure(analysis) is None
    assert not any("failing calls" in item.change for item in analysis.interventions)


def test_what_only_failures_do_is_a_cause(tmp_path: Path) -> None:
    _, part, told = guessing(runs(tmp_path, guessing_passes=0))
    assert (part.blame, "in_passes" in part.where) == ("model", False)
    assert "Significant causes: model behaviour (look-ups only of values that nobody gave) (+33.3 pp)" in told
    assert "Goes with the change" not in told


def separation(shown: str, hidden: str, tasks: int) -> tuple[bool, bool]:
    """Whether a rule separates that fired on some passes and failures (P, F) and not on others; and if that was tested.

    Rollouts go round the tasks.
    """
    rows = [(letter, ["gave_up"]) for letter in shown] + [(letter, []) for letter in hidden]
    cases = [
        case(str(place % tasks), place, float(letter == "P"), fired=fired) for place, (letter, fired) in enumerate(rows)
    ]
    found = JudgedCases([run_of(*cases)]).separation("gave_up", "gave_up")
    return found["separates"], found["p"] is not None


@pytest.mark.parametrize(
    ("shown", "hidden", "tasks", "expected"),
    [
        ("F" * 12, "P" * 12 + "F" * 12, 1, (True, True)),
        ("F" * 12 + "P" * 12, "P" * 12 + "F" * 12, 1, (False, True)),
        ("F" * 6 + "P" * 12, "P" * 6 + "F" * 18, 1, (False, True)),  # it goes with passing
        ("F" * 3, "P" * 6 + "F" * 12, 1, (True, False)),  # too few for a test, and no pass shows it
        ("F" * 3 + "P" * 2, "P" * 6 + "F" * 12, 1, (False, False)),  # too few, and passes show it as often
        ("F" * 20, "", 1, (True, False)),  # a run in which all fail that way
        ("FP" * 10, "FP" * 10, 2, (False, True)),  # tasks that always pass or never: its runs are compared
    ],
)
def test_it_is_tested_where_a_test_can_tell(
    shown: str,
    hidden: str,
    tasks: int,
    expected: tuple[bool, bool],
) -> None:
    assert separation(shown, hidden, tasks) == expected


def test_rollouts_are_compared_with_others_of_their_task() -> None:
    """Hard tasks show it and fail, easy ones pass without it; inside the tasks it makes no difference."""
    cases = []
    for task in range(40):
        hard = task < 20
        for attempt, fired in enumerate((hard, hard, hard, not hard)):
            passed = attempt % 2 == 0 if hard else task % 2 == 0
            cases.append(case(f"t{task}", attempt, float(passed), fired=["gave_up"] if fired else []))
    found = JudgedCases([run_of(*cases)]).separation("gave_up", "gave_up")
    assert not found["separates"]


def test_what_passes_show_more_than_half_as_often_is_no_cause_however_sure_it_goes_with_failing() -> None:
    """60 of 100 failures and 40 of 100 passes: the test is sure, and most of these failures have another cause."""
    cases = [rollout(task, passed=passed) for task in range(100) for passed in (True, False)]
    for made in cases:
        task = int(made.key)
        made.signs = frozenset({"calls_nothing"} if task < (40 if made.passed else 60) else ())
    often = JudgedCases([rollouts("one", cases)]).separation("no_core_action", "calls_nothing")
    assert (often["passes"], often["failures"], often["separates"]) == ([40, 100], [60, 100], False)
    for made in cases:
        made.signs = frozenset({"calls_nothing"} if int(made.key) < (20 if made.passed else 60) else ())
    seldom = JudgedCases([rollouts("one", cases)]).separation("no_core_action", "calls_nothing")
    assert seldom["separates"]
