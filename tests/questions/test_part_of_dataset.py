"""A part of the dataset: told by what the settings say of the whole."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import RunCases
from blade.questions import part_of_dataset


def run(name: str, tasks: int, samples: Any) -> RunCases:
    made = run_of(name, [case(task, passed=True) for task in range(tasks)])
    made.run.raw = SimpleNamespace(flaws=(), config={"dataset_samples": samples})  # type: ignore[misc, assignment]
    return made


def told(*runs: RunCases) -> str:
    answer = part_of_dataset.ask(runs)
    return words(part_of_dataset.tell(answer)) if answer else ""


def test_runs_of_one_part_are_told_together_and_others_one_by_one() -> None:
    first, second = run("a", 10, 250), run("b", 10, 250)
    text = "10 of the 250 samples of {} dataset (4.0%): the score is not that of the whole dataset."
    assert told(first) == f"a holds {text.format('its')}"
    assert told(first, second) == f"a and b hold {text.format('their')}"
    assert told(first, run("c", 5, 250)) == f"a holds {text.format('its')} Also a part: c 5 of 250."


def test_only_a_small_part_belongs_on_the_first_screen() -> None:
    for tasks, heads in ((10, 1), (200, 0)):
        answer = part_of_dataset.ask([run("a", tasks, 250)])
        assert answer is not None
        assert len(list(part_of_dataset.brief(answer))) == heads


@pytest.mark.parametrize("samples", [10, 3, None, True, "31"])
def test_a_whole_dataset_or_none_that_is_counted_says_nothing(samples: Any) -> None:
    assert told(run("a", 10, samples)) == ""
