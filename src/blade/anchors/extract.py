"""One file of anchor facts for one golden report: from its runs where there are any, else from its text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from blade.anchors.anchor import FROM_RUNS, TEXT_ONLY, Anchors
from blade.anchors.choosing import MOST
from blade.anchors.generate import generated
from blade.anchors.matching import match
from blade.anchors.text import from_report
from blade.counting.run import Run
from blade.frozen import frozen
from blade.model import Analysis

TEXT_FACTS = 12
WEAKER = (
    "Taken from the report's text alone: nothing was held against rollouts, no fact was tested for being guessable. "
    "Give the runs to get facts out of the data."
)
_ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst")


@frozen
class PackageNames:
    """What the file says of itself."""

    benchmark: str
    model: str
    generated_at: str


@frozen
class Extracted:
    """The file, and what is to be said of it."""

    anchors: Anchors
    stated: int
    manual: int
    considered: int


def extract(
    text: str, names: PackageNames, runs: Sequence[Run] = (), analysis: Analysis | None = None, limit: int | None = None
) -> Extracted:
    """Facts about the model's run, each marked with whether the report states it; then claims that only it makes."""
    if not runs or analysis is None:
        facts = from_report(text, limit or TEXT_FACTS)
        anchors = Anchors(names.benchmark, names.model, TEXT_ONLY, names.generated_at, facts, notes=(WEAKER,))
        return Extracted(anchors, len(facts), len(facts), len(facts))
    generated_facts = generated(runs, analysis, names.model, limit or MOST)
    matched = match(text, generated_facts.facts)
    facts = (*matched.facts, *matched.manual)
    anchors = Anchors(names.benchmark, names.model, FROM_RUNS, names.generated_at, facts, notes=generated_facts.notes)
    return Extracted(
        anchors, sum(bool(fact.stated) for fact in matched.facts), len(matched.manual), generated_facts.considered
    )


def rollouts_beside(report: Path) -> list[Path]:
    """The rollouts of the package that a report lies in: `rollouts/`, else rollout files in `data/`."""
    for folder in (report.parent, report.parent.parent):
        for name in ("rollouts", "data"):
            place = folder / name
            files = sorted(path for path in place.glob("*") if path.name.endswith(_ENDINGS)) if place.is_dir() else []
            files = [path for path in files if name == "rollouts" or "rollout" in path.name]
            if files:
                return [place] if name == "rollouts" else files
    return []
