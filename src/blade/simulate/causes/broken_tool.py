"""From some time on one tool answers every call with an error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.error_texts import filled
from blade.simulate.rng import dice

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "BrokenToolCause"]


@dataclass(frozen=True, slots=True)
class BrokenToolCause:
    """`start` is the share of the run's duration after which the tool is broken."""

    tool: str = "bookings_search"
    start: float = 0.5
    message: str = "Error: the query names a column that no longer exists."
    name: ClassVar[str] = "broken_tool"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        since = scene.moment(self.start)
        users = {row.index for row in scene.rows if self._calls(row)}

        def late(row: SimulatedRow) -> bool:
            return row.finished >= since and row.index in users

        def broken(row: SimulatedRow) -> SimulatedRow:
            """No attempt at these tasks can pass any more; one that never called the tool reads as before."""
            if not self._calls(row):
                return replace(row, outlook=0.0)
            error_text = filled(self.message, dice("error text", scene.scenario.seed, row.key))
            worse = scene.replay(row, replace(row.behaviour, broken_tool=self.tool, tool_error=error_text))
            return replace(worse, outlook=0.0)

        return Edit(scene.edit(late, broken), {"tool": self.tool, "since": since, "message": self.message})

    def _calls(self, row: SimulatedRow) -> bool:
        return any(item.get("name") == self.tool for item in row.transcript.items)


CAUSE = BrokenToolCause
