"""The rollouts of all runs as the diagnosis reads them: without signs that the runs together show to tell nothing."""

from __future__ import annotations

from collections.abc import Sequence

from blade.counting.align import Alignment
from blade.counting.run import Run
from blade.diagnosis.cases import RunCases, all_cases
from blade.diagnosis.closing_tools import forget_designed_ends
from blade.diagnosis.filters import name_filters
from blade.diagnosis.unread_answers import forget_empty_fields


def settled_cases(runs: Sequence[Run], alignments: Sequence[Alignment]) -> Sequence[RunCases]:
    """The cases of the runs; an empty answer field, or the end on a tool that closes a case, may be no sign there."""
    return forget_designed_ends(forget_empty_fields(name_filters(all_cases(runs, alignments))))
