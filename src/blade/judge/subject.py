"""Which run a golden report is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from blade.counting.run import Run

_SIGNS = re.compile(r"[^a-z0-9]+")


def subject_of(runs: Sequence[Run], model: str, golden: str) -> str:
    """The run that the anchors' model names, else the one that the golden report names most often."""
    model_name = _bare(model)
    names = {run.name: {_bare(run.name), *(_bare(model_field) for model_field in _models(run))} for run in runs}
    if model_name:
        for fits in (_equals, _part):
            matching = [
                name for name, spellings in names.items() if any(fits(spelling, model_name) for spelling in spellings)
            ]
            if len(matching) == 1:
                return matching[0]
    mention_counts = {run.name: len(re.findall(rf"(?<!\w){re.escape(run.name)}(?!\w)", golden)) for run in runs}
    return max(mention_counts, key=lambda name: mention_counts[name])


def _models(run: Run) -> list[str]:
    return (
        sorted(str(model) for model in run.facts["model"].drop_nulls().unique().to_list())
        if "model" in run.facts.columns
        else []
    )


def _bare(name: str) -> str:
    return _SIGNS.sub("", name.lower())


def _equals(spelling: str, model_name: str) -> bool:
    return spelling == model_name


def _part(spelling: str, model_name: str) -> bool:
    return len(spelling) >= 3 and (spelling in model_name or (len(model_name) >= 3 and model_name in spelling))
