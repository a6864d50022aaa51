"""Twice the text is twice the work, by the calls that are made: no clock, so no processor and no load has a part in it.

What one call costs, above all one search of a pattern, is measured by benchmarks/linear_time.py.
"""

from __future__ import annotations

import cProfile
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks import linear_time
from benchmarks.linear_time import PIECES, main, superlinear


def calls(work: Callable[[], object]) -> float:
    """How many functions are called, ours and those of C. A few thousand are free: the first of a kind prepares."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return 5_000.0 + sum(entry.callcount for entry in profile.getstats())


def test_twice_the_text_is_twice_the_work(tmp_path: Path) -> None:
    assert superlinear(list(PIECES), 5_000, tmp_path, calls) == {}


def every_pair(text: str) -> int:
    """Looks at every pair of places."""
    return sum(place.bit_length() for end in range(len(text)) for place in range(end))


def test_work_that_grows_with_the_square_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_time, "template", every_pair)
    assert set(superlinear(["a"], 400, tmp_path, calls)) == {"masks"}


def test_the_measurement_names_the_stage_in_which_every_round_is_superlinear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a clock that the test turns: the masks take the square, the pages only in the first round."""
    rounds = iter(range(100))
    cost = {"hello": 0.0}

    def stages(texts: list[str], _folder: Path, _meter: object) -> dict[str, float]:
        (text,) = texts
        if text == "hello":
            cost["round"] = next(rounds)
        return {"masks": len(text) ** 2 / 100, "pages": float(len(text)) ** (1.0 if cost["round"] else 2.0)}

    monkeypatch.setattr(linear_time, "stages", stages)
    monkeypatch.setattr(sys, "argv", ["linear_time", "--length", "10", "a"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert capsys.readouterr().out == "'a': masks 1.0 s, 4.0 s\n"
