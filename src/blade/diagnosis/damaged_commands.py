"""Rollouts whose commands arrive damaged: what they then do over and over is not the model's doing."""

from __future__ import annotations

from collections.abc import Mapping

from blade.diagnosis.cases import RunCases
from blade.extract.sent_calls import FENCED, GLUED, SWALLOWED, loses_breaks, runs_fences

FEWEST_DAMAGED = 3
PART = 1 / 3
"""Of its calls: so many are damaged where the harness, and not the model, decides how the rollout goes."""
MOST = 1 / 2
"""So many of them are run with a fence around them, where the harness takes it for a part of the command."""
WITHOUT_BREAKS = "at least a third of its calls seem to arrive without their line breaks"
WITH_FENCES = "at least half of its calls are run with the fence of a code block around them, and fail"


def damaged_commands(run: RunCases) -> Mapping[int, str]:
    """What is wrong with most calls of a rollout, by the identity of the case; nothing where the run keeps commands."""
    if "damaged" not in run.known:
        calling = [case for case in run.observing("calls") if case.observed["calls"]]
        sent = [case.observed.get("sent") or {} for case in calling]
        calls = [case.observed["calls"][1] for case in calling]
        kinds: list[tuple[tuple[str, ...], float, str]] = []
        if loses_breaks(sent, sum(calls)):
            kinds.append(((SWALLOWED, GLUED), PART, WITHOUT_BREAKS))
        if runs_fences(sent):
            kinds.append(((FENCED,), MOST, WITH_FENCES))
        damaged: dict[int, str] = {}
        for oddities, part, reason in kinds:
            for case, record, made in zip(calling, sent, calls, strict=True):
                odd = sum(record[oddity][0] for oddity in oddities if oddity in record)
                if odd >= FEWEST_DAMAGED and odd >= part * made:
                    damaged.setdefault(id(case), reason)
        run.known["damaged"] = damaged
    return run.known["damaged"]  # type: ignore[no-any-return]
