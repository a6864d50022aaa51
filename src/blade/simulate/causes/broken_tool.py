"""From some time on one tool answers every call with an error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.scene import Edit, Scene, Stage

if TYPE_CHECKING:
    from blade.simulate.scenario import Row

__all__ = ["CAUSE", "BrokenTool"]


@dataclass(frozen=True, slots=True)
class BrokenTool:
    """`start` is the share of the run's duration after which the tool is broken."""

    tool: str = "bookings_search"
    start: float = 0.5
    message: str = "Error: the query names a column that no longer exists."
    name: ClassVar[str] = "broken_tool"
    stage: ClassVar[Stage] = Stage.BEHAVIOUR

    def plant(self, scene: Scene) -> Edit:
        since = scene.moment(self.start)

        def hit(row: Row) -> bool:
            return row.finished >= since and any(item.get("name") == self.tool for item in row.transcript.items)

        def broken(row: Row) -> Row:
            return scene.replay(row, replace(row.behaviour, broken_tool=self.tool, tool_error=self.message))

        return Edit(scene.edit(hit, broken), {"tool": self.tool, "since": since, "message": self.message})


CAUSE = BrokenTool
