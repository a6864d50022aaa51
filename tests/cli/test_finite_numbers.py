"""NaN and infinity are no limits: a gate at NaN would never fail, and a threshold at NaN would pass nobody."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from tests.command_line import blade
from tests.gym_rows import row, write

from blade.cli.finite_numbers import FiniteFloat, FiniteRange


@pytest.mark.parametrize("kind", [FiniteFloat(), FiniteRange(0)])
def test_finite_numbers_are_taken_as_they_are(kind: click.ParamType[float]) -> None:
    assert [kind.convert(text, None, None) for text in ("0", "1.5", "1e9", 2)] == [0, 1.5, 1e9, 2]
    for text in ("nan", "inf", "Infinity", "1e999", float("nan")):
        with pytest.raises(click.BadParameter, match="is not a finite number"):
            kind.convert(text, None, None)


def test_limits_still_hold() -> None:
    with pytest.raises(click.BadParameter, match="not in the range"):
        FiniteRange(0).convert("-1", None, None)


@pytest.mark.parametrize(
    "words",
    [
        ("analyze", "--pass-threshold", "nan"),
        ("analyze", "--every", "inf"),
        ("analyze", "--idle", "nan"),
        ("compare", "--max-drop", "nan"),
        ("compare", "--confidence", "nan"),
    ],
)
def test_commands_refuse_them(tmp_path: Path, words: tuple[str, str, str]) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", [row(task) for task in range(3)]) for name in ("one", "two")]
    done = blade(*words, *paths, folder=tmp_path)
    assert done.returncode == 2
    assert f"Invalid value for '{words[1]}': {words[2]} is not a finite number." in done.stderr
    assert sorted(tmp_path.iterdir()) == paths
