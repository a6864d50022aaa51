"""Attempts that fail anyway now fail by running out of tokens: a decoy, no reward changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from blade.simulate.scenario import Json, SimulatedRow

__all__ = ["CAUSE", "RelabelledFailures"]


@dataclass(frozen=True, slots=True)
class RelabelledFailures:
    """`share` of the failing rows lose the end of their last message and say that the cap was reached."""

    share: float = 0.3
    name: ClassVar[str] = "relabelled_failures"
    stage: ClassVar[CauseStage] = CauseStage.INFRASTRUCTURE

    def plant(self, scene: CauseContext) -> Edit:
        def hit(row: SimulatedRow) -> bool:
            messages = [item for item in row.transcript.items if item["type"] == "message"]
            return roll(scene.rng, self.share) and row.reward == 0 and bool(messages) and row.place == "main"

        def relabelled(row: SimulatedRow) -> SimulatedRow:
            items = (*row.transcript.items[:-1], _half(row.transcript.items[-1]))
            transcript = replace(row.transcript, items=items, cut=True)
            verdict = {**scene.benchmark.verify(row.task, items), "reward": 0.0}
            return replace(row, transcript=transcript, verdict=verdict)

        return Edit(scene.edit(hit, relabelled))


def _half(item: Json) -> Json:
    """A message without its second half; other items stay."""
    if item["type"] != "message":
        return item
    part = item["content"][0]
    text = part["text"]
    return {**item, "status": "incomplete", "content": [{**part, "text": text[: len(text) // 2]}]}


CAUSE = RelabelledFailures
