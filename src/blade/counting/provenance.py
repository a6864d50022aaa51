"""Under what settings a run was made, told from its rows and from what its owner says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
import polars as pl

from blade.counting.columns import Column
from blade.counting.config_fields import named_setting
from blade.counting.run import Run
from blade.extract.names import words
from blade.late_regex import late_regex
from blade.model import Provenance
from blade.options import Options

_MODEL_KEYS = ("policy_model_name", "model_name", "model")
_OF_A_PATH = frozenset({"path", "file", "filename", "source", "origin"})
_PATH = late_regex(r"\w\.\w{2,6}$")
CHECKPOINT_KEYS = ("checkpoint", "checkpoint_path", "model_path")


def provenance(run: Run, options: Options) -> Provenance:
    """Rows first: what was really sent and answered; the config and the command line fill what rows do not say."""
    sampling, varies = _sampling(run.facts)
    raw = run.raw
    return Provenance(
        models=_models(run.facts) or _single_setting(raw.config, _MODEL_KEYS),
        checkpoint=raw.checkpoint or next(iter(_single_setting(raw.config, CHECKPOINT_KEYS)), None),
        agent=run.agent or _solver(raw.config),
        skills=run.skills,
        sampling=sampling,
        sampling_varies=varies,
        repeats=options.repeats,
        limit=options.limit,
        config=raw.config,
        config_file=raw.config_file,
        notes=raw.notes,
        notes_file=raw.notes_file,
        row_path=_row_path(run.columns),
        learned=raw.learned.by_role(),
    )


def _solver(config: Mapping[str, Any]) -> str | None:
    """What a source calls the solver, or the chain of them, where no row names an agent."""
    solver = config.get("solver")
    names = [solver] if isinstance(solver, str) else solver if isinstance(solver, list) else []
    return ", ".join(name for name in names if isinstance(name, str) and name) or None


def _row_path(columns: Sequence[Column]) -> tuple[str, str] | None:
    """The first field that names a file, the same one on all rows."""
    for column in columns:
        values = [value for value in column.values if value is not None]
        names_a_path = len(values) == 1 and not _OF_A_PATH.isdisjoint(words(column.name))
        if names_a_path and isinstance(values[0], str) and _PATH.search(values[0]):
            return column.name, values[0]
    return None


def _models(facts: pl.DataFrame) -> dict[str, int]:
    counts = Counter(facts["model"].drop_nulls().to_list())
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _single_setting(config: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, int]:
    value = named_setting(config, names)
    return {value: 0} if isinstance(value, str) and value else {}


def _sampling(facts: pl.DataFrame) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The commonest value of every setting, and the settings that are not the same on all rows."""
    counts: dict[str, Counter[str]] = {}
    rows = facts["sampling"].value_counts().sort("sampling", nulls_last=True).rows()
    total = facts.height
    for text, rows_alike in rows:
        for name, value in (orjson.loads(text) if text else {}).items():
            counts.setdefault(name, Counter())[orjson.dumps(value).decode()] += int(rows_alike)
    common: dict[str, Any] = {}
    varies = []
    for name, values in sorted(counts.items()):
        text, rows_alike = max(values.items(), key=lambda pair: (pair[1], pair[0]))
        common[name] = orjson.loads(text)
        if rows_alike < total:
            varies.append(name)
    return common, tuple(varies)
