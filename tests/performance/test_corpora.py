"""The corpora of the performance benchmark: sizes like real ones, every row whole, and the same bytes every time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson
import pytest
from benchmarks.corpora import KINDS, corpus, inputs_of, shape_of

import blade


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("corpus") / "mixed.jsonl", 5)


def test_the_sizes_of_mixed_rows_are_those_of_real_ones(mixed: Path) -> None:
    shape = shape_of(mixed)
    assert 5e6 <= shape.bytes < 9e6
    assert 6 <= shape.p10 <= 8
    assert 9 <= shape.p50 <= 13
    assert 110 <= shape.p90 <= 150
    assert 160 <= shape.p99 <= 260
    assert shape.longest <= 410


@pytest.mark.parametrize(("kind", "low", "high"), [("small", 6, 17), ("agentic", 110, 400)])
def test_a_file_of_one_sort_has_only_rows_of_that_size(kind: str, low: float, high: float, tmp_path: Path) -> None:
    shape = shape_of(corpus(tmp_path / "rows.jsonl", 2, kind))
    assert low <= shape.p10 <= shape.p90 <= high


def test_every_task_has_four_attempts_and_no_id_stands_twice(mixed: Path) -> None:
    rows = [orjson.loads(line) for line in mixed.read_bytes().splitlines()]
    keys = Counter((row["_ng_task_index"], row["_ng_rollout_index"]) for row in rows)
    assert set(keys.values()) == {1}
    tasks = {row["_ng_task_index"]: row["task_id"] for row in rows}
    assert sorted(keys) == [(task, attempt) for task in range(len(tasks)) for attempt in range(4)]
    assert len(set(tasks.values())) == len(tasks)
    assert len({row["response"]["id"] for row in rows}) == len(rows)


def test_the_text_is_not_one_text_over_and_over(mixed: Path) -> None:
    thoughts = [
        item["summary"][0]["text"]
        for line in mixed.read_bytes().splitlines()
        for item in orjson.loads(line)["response"]["output"]
        if item["type"] == "reasoning" and len(item["summary"][0]["text"]) > 200
    ]
    assert len(set(thoughts)) == len(thoughts)


def test_every_row_is_read_and_analysed(mixed: Path) -> None:
    options = blade.Options(cache=False)
    (run,) = blade.read(mixed, options=options)
    analysis = blade.analyze_runs([run], options)
    assert analysis.flaws == ()
    assert run.facts.height == shape_of(mixed).rows
    assert run.facts["counted"].all()
    score = analysis.runs[0].metrics["score"]
    assert 0.3 < score < 0.8
    agentic = run.facts.filter(run.facts["length"] > 100_000)
    assert agentic.height == pytest.approx(0.15 * run.facts.height, rel=0.05)


def test_the_same_size_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    one, two = (corpus(tmp_path / name, 1, "small").read_bytes() for name in ("one.jsonl", "two.jsonl"))
    assert one == two
    assert one != corpus(tmp_path / "three.jsonl", 1, "small", seed=1).read_bytes()


def test_inputs_match_the_rollouts_one_by_one(mixed: Path, tmp_path: Path) -> None:
    made = inputs_of(mixed, tmp_path / "inputs.jsonl").read_bytes().splitlines()
    keys = ("_ng_task_index", "_ng_rollout_index", "agent_ref", "responses_create_params")
    for line, row in zip(made, mixed.read_bytes().splitlines(), strict=True):
        given, rollout = orjson.loads(line), orjson.loads(row)
        assert [given[key] for key in keys] == [rollout[key] for key in keys]
        assert "reward" not in given


def test_a_corpus_that_is_there_is_kept(tmp_path: Path) -> None:
    path = corpus(tmp_path / "kept.jsonl", 0.5, "small")
    before = path.stat().st_mtime_ns
    assert corpus(path, 0.5, "small").stat().st_mtime_ns == before
    assert sorted(KINDS) == ["agentic", "mixed", "small"]
