"""One score for outcomes that differ: told where a verifier's field varies under a reward that does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import one_score
from blade.summary.next_steps import next_steps

GAMES = 20


def run_of(path: Path, won: Callable[[int], object], reward: Callable[[int], float] = lambda _: 1.0) -> Path:
    def game(number: int) -> Json:
        said = response(message(f"I open door {number}."))
        return row(number, 0, reward(number), response=said) | {"verifier": {"details": {"won": won(number)}}}

    return write(path, [game(number) for number in range(GAMES)])


def test_a_field_that_differs_where_all_score_alike_is_told_and_asked_about_first(tmp_path: Path) -> None:
    old = run_of(tmp_path / "old.jsonl", lambda number: number >= 6)
    new = run_of(tmp_path / "new.jsonl", lambda number: number >= 5)
    analysis = analysed(f"old={old}", f"new={new}")
    assert words(one_score.tell(analysis.investigation["one_score"])) == (
        "All 40 judged rollouts have a reward of 1, but verifier.details.won is true in 29 and false in 11 (true in "
        "old 14 of 20 and new 15 of 20): the score does not measure that."
    )
    assert next_steps(analysis)[0].text == (
        "Next (verifier): Settle what the score is to measure: whether verifier.details.won counts, and score the "
        "stored rollouts again. It differs between rollouts (29 true, 11 false) that all have one reward."
    )


@pytest.mark.parametrize(
    ("won", "reward"),
    [
        (lambda number: number > 0, lambda _: 1.0),
        (lambda number: number % 2 == 0, lambda number: float(number % 2)),
        (lambda number: number, lambda _: 1.0),
        (lambda _: True, lambda _: 1.0),
    ],
    ids=["one exception", "rewards differ", "no field of yes and no", "the field is constant"],
)
def test_it_says_nothing(tmp_path: Path, won: Callable[[int], object], reward: Callable[[int], float]) -> None:
    assert "one_score" not in analysed(run_of(tmp_path / "run.jsonl", won, reward)).investigation
