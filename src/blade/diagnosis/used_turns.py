"""How many turns of the model each rollout took: counted in its transcript, else as its row says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blade.counting.audit.silent_rows import Turns
from blade.diagnosis.cases import RunCases
from blade.extract.names import turn_count


def whole_records(run: RunCases) -> list[bool]:
    """Whether the transcript of each case shows all that was done; one that begins midway shows a part."""
    recorded = run.run.graded.select("acts", "calls", "output_tokens").rows(named=True)
    turns = Turns(recorded)
    return [
        (not row["acts"] or turns.acted(row)) and not case.observed.get("midway")
        for case, row in zip(run.cases, recorded, strict=True)
    ]


def counted_turns(fields: Mapping[str, Any]) -> float:
    """The turns that the row itself counts, for a row without a transcript; 0 where it counts none."""
    counts = (value for name, value in fields.items() if turn_count(name) == "used")
    return max((float(value) for value in counts if isinstance(value, int)), default=0.0)


def used_turns(run: RunCases) -> tuple[list[float], list[float]]:
    """Of every case the turns that its transcript shows and those that its row counts, 0 where unknown.

    The two are counted otherwise, so that whoever compares runs takes the same of both.
    """
    by_transcript = [
        float(acts or 0) if is_whole else 0.0
        for acts, is_whole in zip(run.run.graded["acts"].to_list(), whole_records(run), strict=True)
    ]
    return by_transcript, [counted_turns(fields) for fields in run.fields()]
