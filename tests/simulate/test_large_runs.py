"""Large files: fresh text in every row, and only a handful of rows in memory."""

from __future__ import annotations

import tracemalloc

import pytest

from blade.simulate import Scenario, stream_lines, stream_rows
from blade.simulate.benchmarks import names

LONG = 96


@pytest.mark.parametrize("benchmark", names())
def test_no_two_rows_share_a_long_piece_of_padding(benchmark: str) -> None:
    pieces_seen: set[str] = set()
    for row in stream_rows(Scenario(benchmark=benchmark, tasks=15, pad_chars=6000)):
        text = row["response"]["output"][0]["summary"][0]["text"]
        assert len(text) == 6000
        pieces = {text[start : start + LONG] for start in range(0, len(text) - LONG, 16)}
        assert not pieces & pieces_seen
        pieces_seen |= pieces


def test_padding_changes_no_verdict_and_counts_as_tokens() -> None:
    plain = list(stream_rows(Scenario(tasks=10)))
    padded = list(stream_rows(Scenario(tasks=10, pad_chars=4000)))
    assert [row["reward"] for row in plain] == [row["reward"] for row in padded]
    for plain_row, padded_row in zip(plain, padded, strict=True):
        assert (
            padded_row["response"]["usage"]["output_tokens"] == plain_row["response"]["usage"]["output_tokens"] + 1000
        )
        assert padded_row["responses_create_params"]["max_output_tokens"] == 2048 + 1000


def test_streaming_keeps_few_rows_in_memory() -> None:
    tracemalloc.start()
    size = sum(map(len, stream_lines(Scenario(benchmark="field_notes", tasks=100, pad_chars=50_000))))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 20_000_000
    assert peak < 5_000_000
