"""The figures of the Berkeley Function Calling Leaderboard that are no mean over rows, as version 4 computes them.

Categories are averaged within groups, some plainly and some by their size, and groups with fixed weights. They stand in
`score/data_*.csv` in percent with two places behind the point.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from blade.translate.rollout_row import score_of

Passes = Mapping[str, tuple[int, int]]
"""Category → passes and rows."""
Part = str | tuple["Part", ...]
"""A category, or several parts whose mean counts."""
NON_LIVE: Part = (("simple_python", "simple_java", "simple_javascript"), "multiple", "parallel", "parallel_multiple")
LIVE = ("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple")
MULTI_TURN: Part = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context")
AGENTIC: Part = (("web_search_base", "web_search_no_snippet"), ("memory_kv", "memory_vector", "memory_rec_sum"))
IRRELEVANCE: Part = ("irrelevance", "live_irrelevance")
WEIGHTS = (0.1, 0.1, 0.1, 0.3, 0.4)
_FILES = {
    "Non-Live Overall Acc": "data_non_live.csv",
    "Live Overall Acc": "data_live.csv",
    "Multi Turn Overall Acc": "data_multi_turn.csv",
    "Agentic Overall Acc": "data_agentic.csv",
    "Overall Acc": "data_overall.csv",
}
_LARGEST = 8 << 20


def stated_and_counted(score: Path, model: str, passes: Passes) -> dict[str, tuple[float, float]]:
    """What the tables of a score folder state for a model, with what its rows give, where they can."""
    figures = {}
    for name, share in _counted_shares(passes).items():
        stated_share = _stated_share(score / _FILES[name], name, model)
        if stated_share is not None and share is not None:
            figures[name] = (stated_share, share)
    return figures


def _counted_shares(passes: Passes) -> dict[str, float | None]:
    groups = [
        _mean(NON_LIVE, passes),
        _pooled(LIVE, passes),
        _mean(IRRELEVANCE, passes),
        _mean(MULTI_TURN, passes),
        _mean(AGENTIC, passes),
    ]
    known_groups = [group for group in groups if group is not None]
    overall = sum(weight * group for weight, group in zip(WEIGHTS, known_groups, strict=False))
    return {
        "Non-Live Overall Acc": groups[0],
        "Live Overall Acc": groups[1],
        "Multi Turn Overall Acc": groups[3],
        "Agentic Overall Acc": groups[4],
        "Overall Acc": overall if len(known_groups) == len(groups) else None,
    }


def _mean(part: Part, passes: Passes) -> float | None:
    """None as soon as a category is not there: whether it was not evaluated or not copied is not known."""
    if isinstance(part, str):
        right, rows = passes.get(part, (0, 0))
        return right / rows if rows else None
    means = [_mean(inner, passes) for inner in part]
    present = [mean for mean in means if mean is not None]
    return sum(present) / len(present) if len(present) == len(means) else None


def _pooled(categories: tuple[str, ...], passes: Passes) -> float | None:
    present = [passes[name] for name in categories if name in passes]
    rows = sum(count for _, count in present)
    return sum(right for right, _ in present) / rows if rows and len(present) == len(categories) else None


def _stated_share(file: Path, column: str, model: str) -> float | None:
    """The share of the row that is this model's: its only row, or the only one whose name begins like the folder's."""
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return None
        with file.open(encoding="utf-8", errors="replace", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, csv.Error):
        return None
    model_rows = [row for row in rows if _letters(row.get("Model")).startswith(_letters(model))]
    candidates = rows if len(rows) == 1 else model_rows
    share = score_of(str(candidates[0].get(column) or "").removesuffix("%")) if len(candidates) == 1 else None
    return None if share is None else share / 100


def _letters(name: str | None) -> str:
    return re.sub(r"[^a-z0-9]", "", (name or "").lower())
