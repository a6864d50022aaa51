"""Rollouts whose commands arrive without line breaks: what they then do over and over is not the model's doing."""

from __future__ import annotations

from blade.diagnosis.cases import RunCases
from blade.extract.sent_calls import GLUED, SWALLOWED, loses_breaks

FEWEST_DAMAGED = 3
PART = 1 / 3
"""Of its calls: so many are damaged where the harness, and not the model, decides how the rollout goes."""


def damaged_commands(run: RunCases) -> frozenset[int]:
    """The identities of cases of whose calls a third and more arrive damaged; none where the run keeps line breaks."""
    if "damaged" not in run.known:
        calling = [case for case in run.judged() if case.observed.get("calls")]
        sent = [case.observed.get("sent") or {} for case in calling]
        calls = [case.observed["calls"][1] for case in calling]
        damaged = set()
        for case, record, made in zip(calling, sent, calls, strict=True):
            odd = sum(record[oddity][0] for oddity in (SWALLOWED, GLUED) if oddity in record)
            if odd >= FEWEST_DAMAGED and odd >= PART * made:
                damaged.add(id(case))
        run.known["damaged"] = frozenset(damaged if loses_breaks(sent, sum(calls)) else ())
    return run.known["damaged"]  # type: ignore[no-any-return]
