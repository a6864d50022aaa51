"""What the page of a task says of all runs at once: runs with the same numbers or the same reason share a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blade.wording import listed

ABSENT = ": no"
"""How a slice ends that says what a task is not."""


def changes_of_task(changes: Iterable[Mapping[str, Any]], task: str) -> list[str]:
    """A sentence for each baseline: its passes, and those of the runs compared with it, grouped by what a test says."""
    by_base: dict[tuple[str, int, int], dict[str, list[str]]] = {}
    for change in changes:
        for flip in change["flips"]:
            if flip["task"] == task:
                base = (change["base"], *flip["base"])
                passes, attempts = flip["candidate"]
                groups = by_base.setdefault(base, {})
                groups.setdefault(_tested(flip), []).append(f"{change['candidate']} {passes} of {attempts}")
    return [
        f"{base} passes {passes} of {attempts}; "
        + "; ".join(f"{words}: {listed(runs)}" for words, runs in groups.items())
        + "."
        for (base, passes, attempts), groups in by_base.items()
    ]


def _tested(flip: Mapping[str, Any]) -> str:
    if flip["beyond_noise"]:
        return "beyond chance"
    return "not tested by itself" if flip["lfdr"] is None else "within chance"


def labels_of_task(labels: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The labels of a task, those with the same reason as one, with the runs that they are of."""
    merged: dict[tuple[Any, ...], dict[str, Any]] = {}
    for label in labels:
        key = (tuple(label["labels"]), label["why"], label["missing"])
        merged.setdefault(key, {**label, "runs": []})["runs"].append(label["run"])
    return list(merged.values())


def slices_of_task(slices: Sequence[str]) -> tuple[list[str], list[str]]:
    """The slices that say what a task is, and those that say what it is not."""
    present = [name for name in slices if not name.endswith(ABSENT)]
    return present, [name for name in slices if name.endswith(ABSENT)]
