"""What is counted in partitions, or while a run is written, is what a full analysis counts."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.command_line import blade as command
from tests.gym_rows import row, write

import blade
from blade.counting.partitions import Partitions
from blade.counting.summary import Summary
from blade.engine.following import last_line_end
from blade.errors import InputError, UsageError
from blade.facts.cache import FactsCache
from blade.model import RunAnalysis
from blade.overview import page, summary_line
from blade.simulate import Scenario, cause, write_run

WRITER = """
import sys, time
rows = open(sys.argv[1], "rb").read()
cut = [int(len(rows) * share) for share in (0, 0.13, 0.3, 0.31, 0.6, 0.9, 1)]
with open(sys.argv[2], "ab", buffering=0) as out:
    for one, two in zip(cut, cut[1:]):
        out.write(rows[one:two])
        time.sleep(0.15)
"""


def assert_agrees(found: Summary, run: RunAnalysis) -> None:
    """Every number that both tell."""
    assert (found.rollouts, found.graded) == (run.rollouts - found.copies, run.denominator.graded)
    assert found.score == pytest.approx(run.metrics["score"])
    assert found.tasks == run.metrics["tasks"]
    assert found.interval == pytest.approx(run.metrics["score_interval"])
    if found.expected is not None:
        assert found.expected == run.denominator.expected
        assert found.coverage == pytest.approx(run.metrics["coverage"])
        assert found.bounds == pytest.approx(run.denominator.bounds)
    if run.score_threshold is not None and found.pass_at_k is not None:
        assert {str(k): value for k, value in found.pass_at_k.items()} == pytest.approx(run.metrics["pass_at_k"])
        assert found.buckets is not None
        assert run.buckets is not None
        assert {**found.buckets, "missing": run.buckets["missing"]} == run.buckets


@pytest.fixture(params=["plain", "copies", "partial", "no index", "missing rows"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    rows = [row(n, k, reward=float((n + k) % 3 == 0)) for n in range(9) for k in range(3)]
    if request.param == "copies":
        rows += rows[4:9]
    if request.param == "partial":
        rows = [row(n, k, reward=(n % 5) / 4) for n in range(9) for k in range(3)]
    if request.param == "no index":
        rows = [{key: value for key, value in one.items() if not key.startswith("_ng")} for one in rows]
        for number, one in enumerate(rows):
            one["responses_create_params"] = {"input": [{"role": "user", "content": f"question {number // 3}"}]}
            one["response"]["created_at"] = number
    if request.param == "missing rows":
        inputs = [{"_ng_task_index": n, "_ng_rollout_index": k} for n in range(11) for k in range(4)]
        write(tmp_path / "a_materialized_inputs.jsonl", inputs)
    return write(tmp_path / "a.jsonl", rows)


@pytest.mark.slow
@pytest.mark.parametrize("held", [10, *(pytest.param(many, marks=pytest.mark.slow) for many in (1, 10_000))])
def test_partitions_count_what_an_analysis_counts(run: Path, held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blade.counting.partitions.MOST_HELD", held)
    monkeypatch.setattr(Partitions.__init__, "__defaults__", (held,))
    (found,) = blade.summarize(run).values()
    (counted,) = blade.analyze(run).runs
    assert_agrees(found, counted)


def test_a_declared_plan_is_expected(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(n, k) for n in range(3) for k in range(2)])
    options = blade.Options(repeats=3, limit=5)
    (found,) = blade.summarize(path, options=options).values()
    assert_agrees(found, blade.analyze(path, options=options).runs[0])
    assert (found.expected, found.coverage) == (15, 0.4)


def test_slices_are_those_of_an_analysis(front_desk: Path) -> None:
    options = blade.Options(slices=("difficulty",))
    (found,) = blade.summarize(front_desk, options=options).values()
    (counted,) = blade.analyze(front_desk, options=options).runs
    table = {(one["field"], str(one["level"])): one["score"] for one in counted.slices if one["field"] == "difficulty"}
    assert {(level.field, level.value): level.score for level in found.slices} == pytest.approx(table)


@settings(max_examples=settings().max_examples // 3)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0])), max_size=40))
def test_any_order_and_any_parts_come_to_the_same(rows: list[tuple[int, int, float]]) -> None:
    frame = pl.DataFrame(
        {
            "task_index": [task for task, _, _ in rows],
            "attempt_index": [attempt for _, attempt, _ in rows],
            "reward": [reward for _, _, reward in rows],
            "row_hash": list(range(len(rows))),
        },
        schema={"task_index": pl.Int64, "attempt_index": pl.Int64, "reward": pl.Float64, "row_hash": pl.UInt64},
    ).with_columns(
        *(pl.lit(None, pl.UInt64).alias(name) for name in ("text_hash", "gold_hash", "meta_hash", "output_hash")),
        pl.lit(None, pl.Float64).alias("created_at"),
        pl.lit(value=False).alias("skipped"),
        pl.lit("there").alias("response_state"),
        pl.lit(None, pl.String).alias("reward_problem"),
        pl.lit(None, pl.List(pl.String)).alias("signals"),
        pl.int_range(pl.len()).alias("line"),
    )
    made = []
    for held, parts in ((10**6, [frame]), (3, [frame[::2], frame[1::2].reverse()])):
        with Partitions(blade.Options(), held) as partitions:
            for part in parts:
                partitions.add(part)
            made.append(partitions.summary())
    assert made[0].score == pytest.approx(made[1].score)
    assert (made[0].graded, made[0].tasks, made[0].buckets) == (made[1].graded, made[1].tasks, made[1].buckets)


def last(found: Iterator[Summary]) -> Summary:
    (*_, final) = found
    return final


@pytest.mark.slow
def test_a_run_that_another_process_writes_comes_to_the_batch_result(run: Path, tmp_path: Path) -> None:
    live = tmp_path / "live" / "a.jsonl"
    live.parent.mkdir()
    for inputs in run.parent.glob("*_inputs.jsonl"):
        (live.parent / inputs.name).write_bytes(inputs.read_bytes())
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(run), str(live)])
    seen = list(blade.follow(live, every=0.05, idle=1.5))
    assert writer.wait() == 0
    assert_agrees(seen[-1], blade.analyze(run).runs[0])
    assert len({one.rollouts for one in seen}) > 3
    assert not any(one.alarm for one in seen)


def test_what_was_followed_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.jsonl", [row(n) for n in range(20)] + [b"{broken"])
    follow = blade.follow(path, every=0.0, idle=0.2)
    next(follow)
    with path.open("ab") as file:
        file.write(write(tmp_path / "more", [row(n) for n in range(20, 25)]).read_bytes())
    assert last(follow).rollouts == 25
    fresh = blade.read(path, options=blade.Options(cache=False))[0]
    monkeypatch.setattr("blade.engine.engines.read_piece", None)
    known = blade.read(path)[0]
    assert known.facts.equals(fresh.facts)
    assert known.raw.flaws == fresh.raw.flaws
    assert FactsCache().info()[0] == 1


def test_a_half_written_line_is_no_row_and_no_error(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole", [row(0), row(1)]).read_bytes()
    path = tmp_path / "a.jsonl"
    follow = blade.follow(path, every=0.0, idle=9.0)
    assert next(follow) == Summary()
    seen = []
    for size in (100, len(whole) - 100, len(whole) - 1, len(whole)):
        path.write_bytes(whole[:size])
        seen.append(next(follow).rollouts)
    assert seen == [0, 1, 1, 2]
    follow.close()  # type: ignore[attr-defined]


def test_a_file_that_is_written_anew_is_counted_anew(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(n, reward=0.0) for n in range(6)])
    follow = blade.follow(path, every=0.0, idle=9.0)
    assert next(follow).score == 0.0
    write(path, [row(n, reward=1.0) for n in range(7)])
    assert (next(follow).score, next(follow).rollouts) == (1.0, 7)
    follow.close()  # type: ignore[attr-defined]


def test_an_outage_raises_an_alarm_while_it_lasts(tmp_path: Path) -> None:
    scenario = Scenario(benchmark="field_notes", tasks=60, repeats=4, seed=5, causes=(cause("outage"),))
    path = write_run(scenario, tmp_path / "made")
    lines = path.read_bytes().splitlines(keepends=True)
    live = tmp_path / "a.jsonl"
    live.touch()
    follow = blade.follow(live, every=0.0, idle=9.0)
    alarms = []
    for start in range(0, len(lines), 20):
        with live.open("ab") as file:
            file.writelines(lines[start : start + 20])
        alarms.append(next(follow).alarm)
    follow.close()  # type: ignore[attr-defined]
    raised = [alarm for alarm in alarms if alarm]
    assert 0 < len(raised) < len(alarms)
    assert all("of the last 40 rollouts were broken by infrastructure (first on line" in alarm for alarm in raised)


def test_what_cannot_be_followed_is_said(tmp_path: Path) -> None:
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(write(tmp_path / "plain", [row(0)]).read_bytes()))
    with pytest.raises(InputError, match="a compressed file cannot be followed"):
        next(blade.follow(packed))
    both = tmp_path / "both"
    both.mkdir()
    for name in ("a", "b"):
        write(both / f"{name}.jsonl", [row(0)])
    with pytest.raises(UsageError, match="One run can be followed at a time; here are 2: a, b"):
        next(blade.follow(both))


def test_the_last_line_end_is_found_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"ab\ncdefgh\nij")
    monkeypatch.setattr("blade.engine.following.BLOCK", 2)
    assert [last_line_end(path, 0, end) for end in (0, 2, 3, 9, 10, 12)] == [0, 0, 3, 3, 10, 10]
    assert last_line_end(path, 4, 9) == 4


def test_a_summary_in_words() -> None:
    begun = Summary(expected=40)
    assert summary_line(begun) == "0 of 40 rollouts (unknown graded) of 0 tasks; no score yet"
    found = Summary(
        rollouts=30,
        copies=1,
        graded=30,
        tasks=10,
        score=0.5,
        interval=(0.4, 0.6),
        expected=40,
        coverage=0.75,
        bounds=(0.375, 0.625),
        pass_at_k={1: 0.5, 2: 0.6, 3: 0.7},
        buckets={"always": 2, "sometimes": 5, "never": 3},
        broken=4,
    )
    assert summary_line(found) == (
        "30 of 40 rollouts (75.0% graded) of 10 tasks; score 50.0% (95 %: 40.0% to 60.0%), 37.5% to 62.5% with what is "
        "missing; 2 always, 5 sometimes, 3 never; 1 copy left out; 4 broken by infrastructure"
    )
    assert page("a", found).splitlines()[1] == "  pass@1 50.0%, pass@2 60.0%"


def test_the_command_follows_and_then_reports(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(n, k) for n in range(3) for k in range(2)])
    made = command("analyze", "a.jsonl", *"--follow --every 0.1 --idle 0.3 -o out".split(), folder=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert "6 rollouts of 3 tasks; score 100.0%" in made.stdout.splitlines()[0]
    assert (tmp_path / "out" / "report.md").exists()
