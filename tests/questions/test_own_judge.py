"""Rollouts that are judged by the model that answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import own_judge


def _rows(judge: str) -> list[Json]:
    return [row(task, 0, float(task % 2), verifier={"judge_model": judge, "kind": "judge"}) for task in range(8)]


def _model(rows: list[Json], model: str) -> list[Json]:
    return [{**one, "response": {**one["response"], "model": model}} for one in rows]


def test_a_model_that_judges_its_own_answers_is_named(tmp_path: Path) -> None:
    own = write(tmp_path / "own.jsonl", _model(_rows("bakery/loaf-4"), "loaf-4-2025-01-31"))
    other = write(tmp_path / "other.jsonl", _model(_rows("bakery/loaf-4"), "roll-2"))
    answer = analysed(own, other).investigation["own_judge"]
    text = words(own_judge.tell(answer))
    assert "own: bakery/loaf-4 judges 8 of 8 rollouts, and is the model that answers there." in text, text
    assert "other:" not in text
    assert len(list(own_judge.brief(answer))) == 1


def test_another_judge_says_nothing(tmp_path: Path) -> None:
    rows = _model(_rows("bakery/roll-2"), "loaf-4")
    assert "own_judge" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("openai/loaf-4", "loaf-4-20250131", True),
        ("bakery:loaf:latest", "loaf", True),
        ("bakery:loaf:latest", "roll:latest", False),
        ("loaf-4", "loaf-4-mini", False),
    ],
)
def test_names_of_models_are_compared_without_provider_and_date(first: str, second: str, alike: bool) -> None:
    assert (own_judge.bare_model(first) == own_judge.bare_model(second)) is alike
