"""Validates a package: beyond presence, every number, id and fact is held against the rollouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blade.package.contents import Contents
from blade.package.golden import draft_for
from blade.package.validate.anchors import check_anchors, check_shallow
from blade.package.validate.report import check_report
from blade.package.validate.result import CheckState, Item, Result, failed
from blade.package.validate.rollouts import check_rollouts
from blade.package.validate.sharing import check_sharing
from blade.package.validate.sidecar import check_sidecar
from blade.package.validate.skill import check_skill

__all__ = ["FEWEST_FACTS", "PHASES", "CheckState", "Item", "Result", "summary", "validate"]

PHASES = ("all", "skill", "rollouts", "golden")
FEWEST_FACTS = 8


def validate(contents: Contents, phase: str = "all", fewest_facts: int = FEWEST_FACTS) -> list[Result]:
    """Every check of the phases asked for, in the order D1, D2, D3, sharing."""
    results: list[Result] = []
    if phase in {"all", "skill"}:
        results += check_skill(contents.layout)
    if phase in {"all", "rollouts"}:
        results += check_rollouts(contents)
    if phase in {"all", "golden"}:
        results += _goldens(contents, fewest_facts)
    if phase == "all":
        results += check_sharing(contents.layout)
    return results


def summary(results: Sequence[Result]) -> str:
    """`Summary: n/m checks passed`; what was recommended or could not be checked is told beside."""
    counts = {state: sum(result.state is state for result in results) for state in CheckState}
    checked = counts[CheckState.PASS] + counts[CheckState.FAIL]
    sentence = f"Summary: {counts[CheckState.PASS]}/{checked} checks passed"
    other_counts = [f"{counts[state]} {word}" for state, word in _BESIDE.items() if counts[state]]
    return f"{sentence} ({', '.join(other_counts)})" if other_counts else sentence


_BESIDE = {CheckState.WARN: "recommended", CheckState.SKIP: "not checked"}


def _goldens(contents: Contents, fewest: int) -> Iterator[Result]:
    goldens = contents.layout.goldens
    if not goldens:
        yield failed(
            Item.EVIDENCE,
            "D3 golden report missing",
            "no golden_reports/*_golden_report.md",
            f"`{contents.layout.draft_report()}` drafts one",
        )
    for golden in goldens:
        drafted, reason = draft_for(contents, golden)
        yield from check_report(contents, golden, drafted, reason)
        if golden.comparison:
            continue
        yield from check_sidecar(contents.layout, golden, drafted, reason)
        yield from check_anchors(contents.layout, golden, drafted, fewest)
        yield check_shallow(contents.layout, golden)
