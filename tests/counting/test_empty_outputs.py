"""An empty output for which no token was counted, among rows that count them: no model was at work."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, message, only_run, response, row, write


def silent(task: int, tokens: int) -> Json:
    usage = {"input_tokens": 10, "output_tokens": tokens, "total_tokens": 10 + tokens}
    return row(task, 1, 0.0, response=response(message(""), usage=usage), extracted_answer=None)


@pytest.mark.parametrize(("tokens", "never_started"), [(0, 4), (3, 0)])
def test_rollouts_of_an_engine_that_sent_nothing_never_started(tokens: int, never_started: int, tmp_path: Path) -> None:
    rows = [row(task, attempt, float(task % 3 > 0)) for task in range(20) for attempt in range(2)]
    rows = [made for made in rows if made["_ng_rollout_index"] == 0 or made["_ng_task_index"] >= 4]
    rows += [silent(task, tokens) for task in range(4)]
    audit = only_run(write(tmp_path / "jars.jsonl", rows)).audit
    assert audit["not_started"] == never_started
