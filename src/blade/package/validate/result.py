"""What a check of a package says: passed, failed with the way to mend it, recommended, or not checked."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import Any

from blade.frozen import frozen
from blade.wording import printable


class CheckState(StrEnum):
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


@frozen
class Result:
    """One line of a validation. `check` is its short name; the seeds' names are kept word for word."""

    item: Item
    state: CheckState
    check: str
    detail: str = ""
    fix: str = ""
    where: str = ""

    @property
    def line(self) -> str:
        """`[FAIL] task id field present: rollouts/a.jsonl: …. Fix: …`."""
        sentence = ": ".join(text for text in (self.check, self.where, self.detail) if text)
        ending = f". Fix: {self.fix}" if self.fix and self.state in {CheckState.FAIL, CheckState.WARN} else ""
        return printable(f"[{self.state.value.upper()}] {sentence}{ending}")

    def data(self) -> dict[str, Any]:
        return asdict(self)


def passed(item: Item, check: str, detail: str = "", file_name: str = "") -> Result:
    return Result(item, CheckState.PASS, check, detail, where=file_name)


def failed(item: Item, check: str, detail: str, fix: str, file_name: str = "") -> Result:
    return Result(item, CheckState.FAIL, check, detail, fix, file_name)


def warned(item: Item, check: str, detail: str, fix: str, file_name: str = "") -> Result:
    return Result(item, CheckState.WARN, check, detail, fix, file_name)


def skipped(item: Item, check: str, detail: str, file_name: str = "") -> Result:
    return Result(item, CheckState.SKIP, check, f"not checked: {detail}", where=file_name)


def some(names: list[str], limit: int = 5) -> str:
    """The first few of a list, and how many more there are."""
    remainder = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + remainder
