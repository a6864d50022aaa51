"""Rollouts that the files call broken or without a verdict are void, wherever they stopped."""

from __future__ import annotations

import json
from pathlib import Path

from blade import api
from blade.options import Options


def test_rows_without_a_verdict_are_told_by_their_own_word(tmp_path: Path) -> None:
    results = tmp_path / "lite" / "dim" / "results"
    results.mkdir(parents=True)
    resolved = [f"l__l-{task}" for task in range(20)]
    lists = {"no_logs": ["l__l-90"], "no_generation": ["l__l-91"], "resolved": resolved}
    (results / "results.json").write_text(json.dumps(lists))
    analysis = api.analyze(results.parent, options=Options(cache=False))
    (found,) = (item for item in analysis.health if item["check"] == "void_attempts")
    assert found["statement"] == "1 rollout of dim was broken or got no verdict: the source's own status: no_logs (1)."
    assert (found["tasks"], found["severity"]) == (["l__l-90"], "medium")
