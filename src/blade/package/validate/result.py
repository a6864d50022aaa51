"""What a check of a package says: passed, failed with the way to mend it, recommended, or not checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from blade.wording import printable


class State(StrEnum):
    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    WARN = "warn"
    """Not wanted for a valid package, but for a ready one."""
    SKIP = "skip"


class Item(StrEnum):
    """The points of the readiness checklist that checks belong to."""

    SKILL = "skill"
    ROLLOUTS = "rollouts"
    EVIDENCE = "evidence"
    SIDECARS = "sidecars"
    ANCHORS = "anchors"
    SHALLOW = "shallow"
    SHARING = "sharing"


@dataclass(frozen=True, slots=True)
class Result:
    """One line of a validation. `check` is its short name; the seeds' names are kept word for word."""

    item: Item
    state: State
    check: str
    detail: str = ""
    fix: str = ""
    where: str = ""

    @property
    def line(self) -> str:
        """`[FAIL] task id field present: rollouts/a.jsonl: …. Fix: …`."""
        told = ": ".join(text for text in (self.check, self.where, self.detail) if text)
        ending = f". Fix: {self.fix}" if self.fix and self.state in {State.FAIL, State.WARN} else ""
        return printable(f"[{self.state.value.upper()}] {told}{ending}")

    def data(self) -> dict[str, Any]:
        return asdict(self)


def passed(item: Item, check: str, detail: str = "", where: str = "") -> Result:
    return Result(item, State.PASS, check, detail, where=where)


def failed(item: Item, check: str, detail: str, fix: str, where: str = "") -> Result:
    return Result(item, State.FAIL, check, detail, fix, where)


def warned(item: Item, check: str, detail: str, fix: str, where: str = "") -> Result:
    return Result(item, State.WARN, check, detail, fix, where)


def skipped(item: Item, check: str, detail: str, where: str = "") -> Result:
    return Result(item, State.SKIP, check, f"not checked: {detail}", where=where)


def some(names: list[str], most: int = 5) -> str:
    """The first few of a list, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
