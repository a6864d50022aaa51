"""The readiness checklist of the seeds, item by item: what is met, what is open, and the command that mends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from blade.errors import BladeError
from blade.frozen import frozen
from blade.package.contents import Contents
from blade.package.review import look
from blade.package.validate import FEWEST_FACTS, CheckState, Item, Result, validate

CHECKLIST = {
    Item.SKILL: "D1 skill has overview, schema, taxonomy, workflow, and report template.",
    Item.ROLLOUTS: "D2 rollouts include at least two scored, comparable runs.",
    Item.EVIDENCE: "D3 golden reports cite task-level evidence, not only aggregate tables.",
    Item.SIDECARS: "Metrics sidecars parse and match the report.",
    Item.ANCHORS: "Anchor facts exist for each golden report and are concrete.",
    Item.SHALLOW: "Shallow baselines exist for calibration.",
    Item.SHARING: (
        "Sanitization removes private source, endpoints, credentials, user names, unreleased benchmark names, "
        "and raw data that is not cleared for sharing."
    ),
}


@frozen
class Open:
    """One thing that keeps a point of the checklist open."""

    what: str
    mend: str


@frozen
class Point:
    item: str
    says: str
    open: tuple[Open, ...]

    @property
    def met(self) -> bool:
        return not self.open

    def data(self) -> dict[str, Any]:
        return {"item": self.item, "says": self.says, "met": self.met, "open": [asdict(item) for item in self.open]}


def ready(contents: Contents, fewest_facts: int = FEWEST_FACTS) -> list[Point]:
    """Every point of the checklist, with what is open in it."""
    results = validate(contents, "all", fewest_facts)
    return [Point(item.value, says, tuple(_open(contents, item, results))) for item, says in CHECKLIST.items()]


def _open(contents: Contents, item: Item, results: Sequence[Result]) -> Iterator[Open]:
    item_results = [result for result in results if result.item is item]
    for result in item_results:
        unknown = result.state is CheckState.SKIP and item is Item.SHARING
        advice = (
            result.state is CheckState.WARN and item is not Item.ROLLOUTS
        )  # what rows lack cannot be added afterwards
        if result.state is CheckState.FAIL or advice or unknown:
            description = ": ".join(text for text in (result.check, result.where, result.detail) if text)
            yield Open(description, result.fix or "Use a build of BLADE that can check it")
    comparisons_only = all(golden.comparison for golden in contents.layout.goldens)
    if not item_results and comparisons_only:
        yield Open("there is no golden report of one model", f"`{contents.layout.draft_report()}`")
    if item in {Item.EVIDENCE, Item.ANCHORS}:
        yield from _reviews(contents, "section" if item is Item.EVIDENCE else "fact")


def _reviews(contents: Contents, kind: str) -> Iterator[Open]:
    """A review that was begun, or that a draft calls for, has to be finished."""
    option = "--accept" if kind == "section" else "--accept-fact"
    for golden in contents.layout.goldens:
        try:
            review = look(golden)
        except BladeError as error:
            yield Open(error.message, error.hint)
            continue
        waiting = [item.name for item in review.open if item.kind == kind]
        if waiting and (review.draft or golden.review is not None):
            description = f"{golden.report.name}: {len(waiting)} {kind}s are not accepted yet"
            yield Open(
                description, f"`blade review {contents.layout.folder} {golden.model} {option} all`, once they are read"
            )
