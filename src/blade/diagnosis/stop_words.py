"""The words with which rollouts end by themselves: those that a limit cut without them did not stop, done or not.

Learned from the rows: a token in capitals, or a last line, that stands in the last message of nearly every rollout
which no limit cut, and of hardly any that one cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case
from blade.document import Sentence, say
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.late_regex import late_regex
from blade.model import Source
from blade.wording import amount

FEWEST_CUT, FEWEST_PASSES, FEWEST_OTHERS = 10, 3, 20
MOST_OPENED = 200
NEARLY_ALL, HARDLY_ANY = 0.95, 0.1
LONGEST_LINE = 60
_CAPITALS = late_regex(r"(?<![A-Za-z0-9_])(?:[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+|[A-Z]{4,})(?![A-Za-z0-9_])")


def unstopped(cut_cases: Sequence[Case], ended_cases: Sequence[Case]) -> dict[str, Any] | None:
    """What ends nearly all of the others and hardly any that a limit cut, and the cut rollouts without it.

    None where few were cut, none of these passes, or no such words are to be learned.
    """
    if (
        len(cut_cases) < FEWEST_CUT
        or sum(bool(case.passed) for case in cut_cases) < FEWEST_PASSES
        or len(ended_cases) < FEWEST_OTHERS
    ):
        return None
    step = -(-len(ended_cases) // MOST_OPENED)
    ends, cut_ends = _ends(ended_cases[::step]), _ends(cut_cases[:MOST_OPENED])
    counts, cut_counts = (Counter(mark for _, marks in endings for mark in marks) for endings in (ends, cut_ends))
    words = [
        mark
        for mark, number in counts.items()
        if number >= NEARLY_ALL * len(ends) and cut_counts[mark] <= HARDLY_ANY * len(cut_ends)
    ]
    if not words or len(ends) < FEWEST_OTHERS:
        return None
    closing_words = max(words, key=lambda mark: (counts[mark], -cut_counts[mark], mark))
    lacking = [case for case, marks in cut_ends if closing_words not in marks]
    return {
        "words": closing_words,
        "ended": counts[closing_words],
        "of_ended": len(ends),
        "rollouts": len(lacking),
        "passes": sum(bool(case.passed) for case in lacking),
    }


def unstopped_words(endless: Mapping[str, Any], of_run: str, *path: str | int) -> Sentence:
    """What was cut while nothing was left to do: more room gives more of it."""
    return say(
        "{rollouts} of the cut ones{of_run} did not stop: their last message lacks “{words}”, which stands in that of "
        "{ended} of the {of_ended} read that no limit cut, and {passes} of them pass. A higher limit would end few "
        "of them.",
        rollouts=amount(endless["rollouts"], *path, "rollouts"),
        of_run=of_run,
        words=endless["words"],
        ended=amount(endless["ended"], *path, "ended"),
        of_ended=amount(endless["of_ended"], *path, "of_ended"),
        passes=amount(endless["passes"], *path, "passes"),
    )


def _ends(cases: Sequence[Case]) -> list[tuple[Case, frozenset[str]]]:
    """The rollouts whose last message can be read, each with the capitals and the last line of it."""
    places = {case.place: case for case in cases}
    readable = []
    for source, row in open_rows(Source(*place) for place in places):
        text = Attempt(row).final_text
        if text:
            case = places[source.file, source.line, source.offset, source.length]
            readable.append((case, _marks(text)))
    return readable


def _marks(text: str) -> frozenset[str]:
    last = text.splitlines()[-1].strip()
    return frozenset({*_CAPITALS.findall(text), *([last] if 0 < len(last) <= LONGEST_LINE else [])})
