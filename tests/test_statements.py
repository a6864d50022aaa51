"""Nothing is said that the rows do not show: in Markdown, in the page and on the screen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.gym_rows import analysed, row, write

from blade import api
from blade.model import Analysis
from blade.renderers.html.trust import Check, trust


def text(analysis: Analysis) -> str:
    """The Markdown report, white space folded and marks unescaped."""
    return " ".join(api.render(api.report(analysis), "markdown").replace("\\", "").split())


def line(analysis: Analysis, name: str) -> Check:
    """One line of the trust panel."""
    (found,) = [check for check in trust(analysis) if check.name == name]
    return found


def with_aggregate(folder: Path, rows: Sequence[Any], metrics: dict[str, Any]) -> Analysis:
    path = write(folder / "a.jsonl", rows)
    entry = {"agent_ref": {"name": "an_agent"}, "agent_metrics": metrics, "key_metrics": metrics}
    (folder / "a_aggregate_metrics.json").write_text(json.dumps([entry]), encoding="utf-8")
    return analysed(path)


def test_a_false_bare_pass_rate_is_said_to_differ_and_a_right_one_to_agree(tmp_path: Path) -> None:
    rows = [row(task, attempt, float(task % 2), note=attempt) for task in range(6) for attempt in range(2)]
    told = with_aggregate(tmp_path / "false", rows, {"pass@1": 0.9})
    assert line(told, "aggregates").state == "bad"
    assert "agree with its rows" not in text(told)
    assert "| `pass@1` |  | 0.9 | 0.5 |" in api.render(api.report(told), "markdown")
    assert "first pass@1: 0.9 there, 0.5 from the rows" in text(told)


def test_what_cannot_be_recomputed_is_said_to_be_unchecked(tmp_path: Path) -> None:
    rows = [row(task, reward=float(task % 2)) for task in range(6)]
    own = {"pass@1[by-elo]": 0.9, "elo": 1200}
    alone = with_aggregate(tmp_path / "alone", rows, own)
    assert "summary files could be recomputed from its rows: they are unchecked (pass@1[by-elo] and elo)." in text(
        alone
    )
    assert line(alone, "aggregates").state == "open"
    both = with_aggregate(tmp_path / "both", rows, own | {"pass@1": 0.5})
    assert "2 values could not be recomputed and are unchecked: pass@1[by-elo] and elo." in text(both)
    assert "2 values could not be recomputed and are unchecked" in line(both, "aggregates").words
    for told in (alone, both):
        assert "summary files agree with its rows" not in text(told)
