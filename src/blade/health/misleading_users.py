"""Misleading users: simulated users that often end before what they agreed to is done, or lead many runs astray.

What they do is asked of all rollouts together; the questions of the investigation report it here.
"""

from __future__ import annotations

from blade.health import ALL, Context, Item, Unchecked

ENDS = '"user_ends"'
"""In the record of a rollout: a simulated user closed it with a mark of its own."""


def unchecked(context: Context) -> Unchecked:
    marks = (run.graded["observed"].str.contains(ENDS, literal=True).any() for run in context.runs)
    return {} if any(marks) else {ALL: "no simulated user ends a rollout with a mark of its own"}


def check(context: Context) -> list[Item]:  # noqa: ARG001 - one shape for all checks
    return []
