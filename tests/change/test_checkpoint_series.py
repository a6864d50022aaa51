"""Checkpoints of one model: their order, the trend, and the first change that is real with all pairs counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import message, response, row, write

import blade
from blade.model import Analysis
from blade.renderers.html.verdict import verdict
from blade.stats.trend import order_p, order_statistic

TASKS = 40


def analysis_of(folder: Path, passes: dict[str, int], **options: object) -> Analysis:
    """Each run passes its first tasks, both attempts; paths are given in the order of their names."""
    paths: list[str] = []
    for number, (name, many) in enumerate(sorted(passes.items())):
        rows = [row(task, attempt, float(task < many)) for task in range(TASKS) for attempt in range(2)]
        paths.append(f"{name}={write(folder / f'{number}.jsonl', rows)}")
    return blade.analyze(*paths, options=blade.Options(cache=False, **options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def rising(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    passes = {"step-500": 10, "step-1000": 10, "step-2k": 12, "step-4000": 28, "step-10000": 30}
    return analysis_of(tmp_path_factory.mktemp("rising"), passes)


def words(analysis: Analysis, section: str) -> str:
    made = blade.report(analysis)
    return blade.render(made).partition(f"## {section}\n")[2].partition("\n## ")[0]


def test_steps_are_ordered_by_their_number_and_not_by_their_letters(rising: Analysis) -> None:
    assert rising.series is not None
    assert rising.series["runs"] == ["step-500", "step-1000", "step-2k", "step-4000", "step-10000"]
    assert rising.series["scores"] == [0.25, 0.25, 0.3, 0.7, 0.75]
    assert (rising.series["rises"], rising.series["falls"], rising.series["pairs"]) == (9, 0, 10)


def test_the_first_real_change_is_told_with_an_interval_over_all_pairs(rising: Analysis) -> None:
    assert rising.series is not None
    first = rising.series["first_real"]
    assert (first["base"], first["candidate"]) == ("step-500", "step-4000")
    assert first["delta"] == pytest.approx(0.45)
    alone = next(change for change in rising.changes if change.candidate == "step-4000")
    assert rising.runs[0].name == "step-1000", "the baseline is the run given first"
    assert alone.interval is not None
    assert first["interval"][1] - first["interval"][0] > alone.interval[1] - alone.interval[0], "wider than one pair's"
    assert [(step["base"], step["candidate"]) for step in rising.series["real_steps"]] == [("step-2k", "step-4000")]


def test_the_report_says_it_first_and_shows_the_trend(rising: Analysis) -> None:
    summary = words(rising, "Executive Summary")
    assert "Over 5 checkpoints of one model the score goes from 25.0% (`step-500`) to 75.0% (`step-10000`)" in summary
    assert "The first change that is real is at `step-4000`: +45.0 pp against `step-500`" in summary
    assert "Difference: Real against `step-1000`, on these tasks and on new ones (95% intervals): `step-" in summary
    assert "among so many pairs" not in summary, "each is real with all pairs counted, too"
    lines = [line for line in summary.splitlines() if "●" in line]
    assert [line.split("`")[1] for line in lines] == ["step-500", "step-1000", "step-2k", "step-4000", "step-10000"]
    assert lines[0].index("●") < lines[3].index("●") < lines[4].index("●")
    section = words(rising, "Checkpoints")
    assert "these are real by themselves: step-2k → step-4000 (+40.0 pp)" in section
    assert "higher in 9 and lower in 0: a trend beyond chance (p = 0.017, by the order alone)" in section


def test_where_no_pair_differs_no_change_is_called_real(tmp_path: Path) -> None:
    series = analysis_of(tmp_path, {"m_2026-01-05": 20, "m_2026-02-05": 21, "m_2026-03-01": 20})
    assert series.series is not None
    assert series.series["first_real"] is None
    section = words(series, "Checkpoints")
    assert "No change between any two of them is real, all 3 pairs taken together." in section
    assert "which a random order may show as well" in section


@pytest.mark.parametrize(
    "names", [("run-1", "run-2", "run-3"), ("step-1", "step-2", "other"), ("gpt-4", "gpt-5", "o-3")]
)
def test_numbered_runs_and_other_models_are_no_series(tmp_path: Path, names: tuple[str, ...]) -> None:
    assert analysis_of(tmp_path, dict.fromkeys(names, 20)).series is None


def test_the_checkpoint_that_is_given_orders_runs_of_any_name(tmp_path: Path) -> None:
    given = {"a": "ckpt-900", "b": "ckpt-30", "c": "ckpt-100"}
    series = analysis_of(tmp_path, dict.fromkeys("abc", 20), checkpoint=given).series
    assert series is not None
    assert series["runs"] == ["b", "c", "a"]


def test_the_order_has_an_exact_p() -> None:
    assert order_statistic([1, 2, 2, 3]) == (5, 0)
    assert order_p([1, 2]) is None
    assert order_p([1, 2, 3]) == pytest.approx(2 / 6)
    assert order_p([1, 2, 3, 4, 5]) == pytest.approx(2 / 120)
    assert order_p([2, 1, 3, 4, 5]) == pytest.approx(10 / 120)
    assert order_p([3, 1, 2]) == 1.0


def test_what_is_real_by_itself_alone_is_not_called_real_beside_the_trend(tmp_path: Path) -> None:
    """One pair of twenty-one would be called real if it had been compared alone."""
    passes = {f"step-{number}00": 20 for number in range(1, 8)} | {"step-400": 26}
    paths = []
    for name, many in passes.items():
        rows = [
            row(task, attempt, float(task < many), response=response(message(f"{name} says {task} or {attempt}.")))
            for task in range(TASKS)
            for attempt in range(2)
        ]
        paths.append(f"{name}={write(tmp_path / f'{name}.jsonl', rows)}")
    series = blade.analyze(*paths, options=blade.Options(cache=False))
    assert series.series is not None
    assert [change.candidate for change in series.changes if change.verdict == "real"] == ["step-400"]
    assert series.series["real_pairs"] == []
    summary = words(series, "Executive Summary")
    assert "No change between any two of them is real, all 21 pairs taken together." in summary
    assert "Real against" not in summary
    alone = "Real compared with `step-100` alone, but chance may explain it among so many pairs of checkpoints"
    assert f"{alone}: `step-400` +15.0 pp" in summary
    (card,) = [one for one in verdict(series) if one.candidate == "step-400"]
    assert (card.kind, card.words.startswith("real by itself, but chance may explain it")) == ("inconclusive", True)
