"""Which run a golden report is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from blade.counting.run import Run

_SIGNS = re.compile(r"[^a-z0-9]+")


def subject_of(runs: Sequence[Run], model: str, golden: str) -> str:
    """The run that the anchors' model names, else the one that the golden report names most often."""
    wanted = _bare(model)
    names = {run.name: {_bare(run.name), *(_bare(one) for one in _models(run))} for run in runs}
    if wanted:
        for fits in (_same, _part):
            found = [name for name, ways in names.items() if any(fits(way, wanted) for way in ways)]
            if len(found) == 1:
                return found[0]
    told = {run.name: len(re.findall(rf"(?<!\w){re.escape(run.name)}(?!\w)", golden)) for run in runs}
    return max(told, key=lambda name: told[name])


def _models(run: Run) -> list[str]:
    return (
        sorted(str(one) for one in run.facts["model"].drop_nulls().unique().to_list())
        if "model" in run.facts.columns
        else []
    )


def _bare(name: str) -> str:
    return _SIGNS.sub("", name.lower())


def _same(way: str, wanted: str) -> bool:
    return way == wanted


def _part(way: str, wanted: str) -> bool:
    return len(way) >= 3 and (way in wanted or (len(wanted) >= 3 and wanted in way))
