"""In which part of the tasks a failure mode concentrates, and how much of it is at tasks that nobody passes."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis import features as feature_module
from blade.diagnosis.cases import RunCases
from blade.findings import Cite, fired
from blade.questions import mode_parts

TASKS, ATTEMPTS = 40, 4
SIGN = {"context_overflow": fired(Cite(0, "", 0, 1, "x"), detail="too long")}


@pytest.fixture(autouse=True)
def _no_phrases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_module, "likely_phrases", lambda _runs, _cases: [])


def made(name: str, full: Callable[[int], bool], passed: Callable[[int, int], bool]) -> RunCases:
    """Every fourth task is of the web; those that `full` names outgrow the window in all failing attempts."""
    cases = [case(task, passed=passed(task, attempt)) for task in range(TASKS) for attempt in range(ATTEMPTS)]
    for one in cases:
        if full(int(one.key)) and not one.passed:
            one.show(SIGN)
    run = run_of(name, cases)
    run.known["task levels"] = {str(task): {"service": "files" if task % 4 else "web"} for task in range(TASKS)}
    run.run.graded.insert_column(0, run.run.graded["model"].alias("attempt"))
    return run


def test_the_part_that_holds_most_of_them_is_told_with_those_that_nobody_passes() -> None:
    runs = [
        made(name, lambda task: task % 4 == 0 or task == 1, lambda task, attempt: task >= 8 and attempt > 1)
        for name in ("a", "b", "c")
    ]
    answer = mode_parts.ask(runs)
    assert answer is not None
    (entry,) = answer["signs"]
    assert (entry["failures"], entry["inside"], entry["rollouts"], entry["unpassed"]) == (84, 72, 120, 36)
    told = words(mode_parts.tell(answer))
    assert told.startswith(
        "Of 84 failures (and 0 passes) with the sign “context window exceeded”, 72 of the failures are where service "
        "is web: in 60.0% of 120 rollouts there, elsewhere in 3.3% of 360 (rank test over tasks p = "
    )
    assert told.endswith("36 of them are at tasks that no run passes: mending this need not pass them.")


def test_what_is_everywhere_or_lies_by_chance_says_nothing() -> None:
    assert mode_parts.ask([made("a", lambda task: task % 2 == 0, lambda _, attempt: attempt > 1)]) is None
    claims = 0
    for seed in range(60):
        generator = random.Random(seed)
        struck = {task for task in range(TASKS) if generator.random() < 0.3}
        claims += mode_parts.ask([made("a", struck.__contains__, lambda _, attempt: attempt > 1)]) is not None
    assert claims <= 2
