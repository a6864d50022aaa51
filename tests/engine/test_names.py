from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.engine.names import name_all, shard_base


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("rollouts-rs0-chunk3", "rollouts"),
        ("gpt_rs12", "gpt"),
        ("x.chunk-4", "x"),
        ("x-shard_1-of-8", "x"),
        ("x_part2", "x"),
        ("chunk3", "rollouts"),
    ],
)
def test_shards_are_known_by_their_tail(name: str, base: str) -> None:
    assert shard_base(name) == base


@pytest.mark.parametrize(
    "name",
    ["stars2", "hours3", "checkpart1", "gpt-4", "qwen3-8b", "run1", "v2-part", "chunky", "rs", "a-rs1-b", "seed7"],
)
def test_other_names_with_numbers_are_no_shards(name: str) -> None:
    assert shard_base(name) == name


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["runs/stub-weak/rollouts.jsonl"], ["stub-weak"]),
        (["a/weak.jsonl", "a/strong.jsonl"], ["weak", "strong"]),
        (["weak/x.jsonl", "strong/x.jsonl"], ["weak/x", "strong/x"]),
        (["weak/rollouts.jsonl", "strong/rollouts.jsonl.gz"], ["weak", "strong"]),
        (["m/artifacts/rollouts.jsonl"], ["m"]),
        (["m/example_rollouts.jsonl"], ["m"]),
        (["m/unsafe_rollouts.jsonl", "m/rollouts.jsonl"], ["unsafe_m", "m"]),
        (["m/gpt_rollouts.jsonl"], ["gpt"]),
        (["rollouts.jsonl"], ["rollouts"]),
        (["m/x.jsonl", "m/x.jsonl"], ["x", "x#2"]),
        (["m/v1.2.jsonl"], ["v1.2"]),
        (["m/rollouts-rs0.jsonl"], ["m"]),
        (["m/results_2026-02-03T04-05-06.7.json"], ["m"]),
        (["m/lamp_2026-02-03T04-05-06.7.json"], ["lamp"]),
        (
            ["m/results_2026-02-03T04-05-06.7.json", "m/results_2026-02-04T04-05-06.7.json"],
            ["m/results_2026-02-03T04-05-06.7", "m/results_2026-02-04T04-05-06.7"],
        ),
    ],
)
def test_a_run_is_called_by_the_shortest_tail_that_tells(paths: list[str], names: list[str]) -> None:
    assert name_all([Path(path) for path in paths]) == names


WORDS = st.sampled_from(["a", "b", "rollouts", "x-rs0", "unsafe_rollouts", "data"])


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=6))
def test_names_never_clash(parts: list[tuple[str, str, str]]) -> None:
    names = name_all([Path(*folders, f"{stem}.jsonl") for *folders, stem in parts])
    assert len(set(names)) == len(parts)


def test_a_name_that_a_program_drew_stands_behind_its_folder() -> None:
    paths = [Path("out/sums--amber/578769a7/results.jsonl"), Path("out/sums--basalt/cb7a1799/results.jsonl")]
    assert name_all(paths) == ["sums--amber/578769a7", "sums--basalt/cb7a1799"]
    assert name_all([Path("night/20260510/results.jsonl"), Path("night/defaced/results.jsonl")]) == [
        "20260510",
        "defaced",
    ]
