"""Work that goes round: calls that were made before, word for word, and get the answer that they got before."""

from __future__ import annotations

from collections import Counter
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.repeated_calls import waits
from blade.extract.text import squeeze

FEWEST_LATER = 4
FEWEST_AGAIN = 3


def going_round(attempt: Attempt) -> dict[str, Any]:
    """`going_round`: what `rounds` says, where it says anything."""
    again = attempt.once(rounds)
    return {"going_round": list(again)} if again else {}


def rounds(attempt: Attempt) -> tuple[int, int] | None:
    """Calls of the later half that repeat an earlier one and its answer, and the calls of that half.

    They need not follow one another: a rollout that reads, tries and hands in the same things a second time goes round
    as well. Left out are short rollouts, and those of whose later calls most are new. A call that differs ever so
    little may be a search, and does not count.
    """
    calls = [call for call in attempt.answered if not waits(call.name)]
    later = calls[len(calls) // 2 :]
    if len(later) < FEWEST_LATER:
        return None
    times = Counter(call.key for call in calls)
    if len(calls) - len(times) < FEWEST_AGAIN:
        return None  # too few calls repeat another, whatever they were answered
    made: set[tuple[bytes, str]] = set()
    places = set()
    for call in calls:
        if times[call.key] == 1:
            continue
        deed = (call.key, squeeze(call.answer.text) if call.answer is not None else "")
        if deed in made:
            places.add(call.place)
        made.add(deed)
    again = sum(call.place in places for call in later)
    return (again, len(later)) if again >= FEWEST_AGAIN and 2 * again >= len(later) else None
