"""How many turns of the model each rollout took: counted in its transcript, else as its row says."""

from __future__ import annotations

from blade.counting.audit.silent_rows import Turns
from blade.diagnosis.cases import RunCases
from blade.extract.names import turn_count


def whole_records(run: RunCases) -> list[bool]:
    """Whether the transcript of each case shows all that was done; one that begins midway shows a part."""
    if "whole records" not in run.known:
        run.known["whole records"] = _whole_records(run)
    return run.known["whole records"]  # type: ignore[no-any-return]


def _whole_records(run: RunCases) -> list[bool]:
    recorded = run.run.graded.select("acts", "calls", "output_tokens").rows(named=True)
    turns = Turns(recorded)
    return [
        (not row["acts"] or turns.acted(row)) and not case.observed.get("midway")
        for case, row in zip(run.cases, recorded, strict=True)
    ]


def counted_turns(run: RunCases) -> list[float]:
    """The turns that each row itself counts, for a row without a transcript; 0 where it counts none."""
    names = [name for name in run.field_names() if turn_count(name) == "used"]
    if not names:
        return [0.0] * len(run.cases)
    return [
        max((float(value) for name in names if isinstance(value := fields.get(name), int)), default=0.0)
        for fields in run.fields()
    ]


def used_turns(run: RunCases) -> tuple[list[float], list[float]]:
    """Of every case the turns that its transcript shows and those that its row counts, 0 where unknown.

    The two are counted otherwise, so that whoever compares runs takes the same of both.
    """
    by_transcript = [
        float(acts or 0) if is_whole else 0.0
        for acts, is_whole in zip(run.run.graded["acts"].to_list(), whole_records(run), strict=True)
    ]
    return by_transcript, counted_turns(run)
