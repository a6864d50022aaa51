"""Several runs in one set of rows.

Agents and skill variants are runs of their own. Models, harnesses and settings are where they answer the same attempts:
one run makes each attempt once. A model that answers other attempts than the rest is left to `foreign.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson
import polars as pl

from blade.counting.fields import field_rows
from blade.extract.makers import AGENT_FIELDS, family

SAME_ATTEMPTS = 0.5
"""Share of the attempts that more than one model must have made, so that they are runs of their own."""


def split(rollouts: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The rows of each run, with the end of its name: `@agent`, `+skills`, `@model`, `@temperature=0.2`."""
    parts = [("", rollouts)]
    for suffixes_of in (_stamped, _models, _harnesses, _settings):
        parts = [(suffix + end, part) for suffix, rows in parts for end, part in _told_apart(rows, suffixes_of)]
    return parts


def _told_apart(
    rows: pl.DataFrame, suffixes_of: Callable[[pl.DataFrame], list[str] | None]
) -> list[tuple[str, pl.DataFrame]]:
    suffixes = suffixes_of(rows)
    if suffixes is None or len(set(suffixes)) < 2:
        return [("", rows)]
    marked = rows.with_columns(pl.Series("_suffix", suffixes, pl.String))
    parts = [
        (str(suffix), part.drop("_suffix")) for (suffix,), part in marked.group_by(["_suffix"], maintain_order=True)
    ]
    return sorted(parts, key=lambda pair: pair[0])


def _stamped(rows: pl.DataFrame) -> list[str] | None:
    agents = rows["agent"].drop_nulls().n_unique()
    skills = rows["skills"].n_unique()
    if agents <= 1 and skills <= 1:
        return None
    return [
        (f"@{agent or 'no-agent'}" if agents > 1 else "") + (f"+{skill or 'no-skills'}" if skills > 1 else "")
        for agent, skill in rows.select("agent", "skills").rows()
    ]


def _models(rows: pl.DataFrame) -> list[str] | None:
    if rows["model"].n_unique() < 2:
        return None
    return _of_same_attempts(rows, [family(name) if name else None for name in rows["model"].to_list()])


def _harnesses(rows: pl.DataFrame) -> list[str] | None:
    if rows["agent"].null_count() < rows.height:
        return None
    fields = field_rows(rows)
    for name in AGENT_FIELDS:
        agents = [value if isinstance(value := row.get(name), str) else None for row in fields]
        if any(agents):
            return _of_same_attempts(rows, agents)
    return None


def _settings(rows: pl.DataFrame) -> list[str] | None:
    if rows["sampling"].n_unique() < 2:
        return None
    row_settings: list[Mapping[str, Any]] = [orjson.loads(text) if text else {} for text in rows["sampling"].to_list()]
    names = sorted(set().union(*row_settings))
    telling = [
        name for name in names if _of_same_attempts(rows, [_setting_text(settings, name) for settings in row_settings])
    ]
    if not telling:
        return None
    return [
        "@" + ",".join(f"{name}={_setting_text(settings, name) or 'none'}" for name in telling)
        for settings in row_settings
    ]


def _setting_text(settings: Mapping[str, Any], name: str) -> str | None:
    return str(settings[name]) if name in settings else None


def _of_same_attempts(rows: pl.DataFrame, values: list[str | None]) -> list[str] | None:
    """The end of a run's name for every row, where several values made the same attempts; None where they did not."""
    if len(set(filter(None, values))) < 2 or None in values:
        return None
    attempts = (
        rows.select("file", "task_index", "attempt_index")
        .with_columns(pl.Series("value", values, pl.String))
        .drop_nulls()
        .group_by("file", "task_index", "attempt_index")
        .agg(pl.col("value").n_unique())
    )
    several = attempts.filter(pl.col("value") > 1).height
    return [f"@{value}" for value in values] if several and several >= SAME_ATTEMPTS * attempts.height else None
