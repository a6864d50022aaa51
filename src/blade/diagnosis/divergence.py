"""Where a failing attempt parts from a passing one: the first change that only one of them makes.

Look-ups may come in any order and number without harm, so the calls that change something decide; only where those
agree does the first call that differs, and where all calls agree, the last words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from blade.diagnosis.transcript_summary import Event, Track
from blade.extract.same_answer import normal
from blade.extract.text import clip
from blade.findings import LONGEST_QUOTE, Cite
from blade.wording import abridged

BEFORE = 60
NAMES_SHOWN = 4
LONGEST_ANSWER = 60


@dataclass(frozen=True, slots=True)
class Parting:
    """`kind` is arguments, tool, missing, extra, order, call, stops, goes_on, words or nothing."""

    kind: str
    statement: str
    good: Event | None
    bad: Event | None
    cite_good: Cite | None
    cite_bad: Cite | None
    decisive: bool
    """Whether a call that changes something is what differs."""


def prefix(one: Sequence[Event], other: Sequence[Event]) -> int:
    """How many calls are alike from the start."""
    alike = 0
    for left, right in zip(one, other, strict=False):
        if left.key != right.key:
            break
        alike += 1
    return alike


def part(good: Track, bad: Track) -> Parting:
    """The decisive difference between a passing and a failing track."""
    if not (good.recorded and bad.recorded):
        text = "what the model did is not recorded in both, so that only the verdicts can be compared"
        return Parting("words", text, None, None, None, None, decisive=False)
    changes = [call for call in good.calls if call.changes], [call for call in bad.calls if call.changes]
    ours, theirs = _unmatched(*changes)
    if ours and theirs:
        mate = next((call for call in ours if call.name == theirs[0].name), ours[0])
        return _two_calls(mate, theirs[0], decisive=True)
    if ours:
        text = f"the failing attempt never makes this call of {ours[0].name}"
        return _one("missing", text, (ours[0], bad.concludes))
    if theirs:
        name = theirs[0].name
        both = any(call.name == name for call in good.calls)
        text = (
            f"the failing attempt also makes this call of {name}, which the passing one does not make"
            if both
            else f"the failing attempt also calls {name}, which the passing one does not"
        )
        return _one("extra", text, (good.concludes, theirs[0]))
    spot = _out_of_order(*changes)
    if spot is not None:
        made = _two_calls(changes[0][spot], changes[1][spot], decisive=True)
        text = "both make the same changes, in another order"
        return Parting("order", text, made.good, made.bad, made.cite_good, made.cite_bad, decisive=True)
    return _without_changes(good, bad)


def _out_of_order(good: Sequence[Event], bad: Sequence[Event]) -> int | None:
    """The first place where the same changes stand in another order."""
    pairs = enumerate(zip(good, bad, strict=True))
    return next((spot for spot, (one, other) in pairs if one.key != other.key and not _as_good_as(one, other)), None)


def _without_changes(good: Track, bad: Track) -> Parting:
    """The changes agree, or there are none: the first call that differs, else the last words."""
    spot = prefix(good.calls, bad.calls)
    ours, theirs = good.calls[spot : spot + 1], bad.calls[spot : spot + 1]
    if ours and theirs:
        return _two_calls(ours[0], theirs[0], decisive=False)
    if ours:
        text = f"the passing attempt goes on to call {ours[0].name}, the failing one stops there"
        return _one("stops", text, (ours[0], bad.concludes), decisive=False)
    if theirs:
        text = f"the failing attempt goes on to call {theirs[0].name}, the passing one stops there"
        return _one("goes_on", text, (good.concludes, theirs[0]), decisive=False)
    did = "both make the same calls" if good.calls else "neither makes a call"
    return _one("words", f"{did}; {_words_apart(good, bad)}", (good.last, bad.last), decisive=False)


def _words_apart(good: Track, bad: Track) -> str:
    """How the last words differ, if they do: equal words, or equal answers in other words, are said to be equal."""
    ours, theirs = good.last, bad.last
    if ours is None or theirs is None:
        return "neither says anything" if ours is theirs else "one of them says nothing"
    if ours.text.split() == theirs.text.split():
        return "both end on the same words, and only the verdict differs"
    answers = [normal(answer) if answer else "" for answer in (good.case.answer, bad.case.answer)]
    if answers[0] and answers[0] == answers[1]:
        return f"both answer '{clip(str(good.case.answer), LONGEST_ANSWER)}', in other words"
    return "their answers differ" if all(answers) else "what they say differs"


def _unmatched(good: Sequence[Event], bad: Sequence[Event]) -> tuple[list[Event], list[Event]]:
    """The calls of both sides that have no partner on the other, in order; equal ones find each other first."""
    free = Counter(call.key for call in bad)
    ours = []
    for call in good:
        if free[call.key]:
            free[call.key] -= 1
        else:
            ours.append(call)
    theirs: list[Event] = []
    for call in reversed(bad):
        if free[call.key]:
            free[call.key] -= 1
            theirs.insert(0, call)
    for call in list(ours):
        mate = next((other for other in theirs if _as_good_as(call, other)), None)
        if mate is not None:
            ours.remove(call)
            theirs.remove(mate)
    return ours, theirs


def _as_good_as(one: Event, other: Event) -> bool:
    """The same call, one told in more detail: inner records may carry more fields, values may differ in case only."""
    left, right = one.arguments, other.arguments
    if one.name != other.name or not isinstance(left, dict) or not isinstance(right, dict):
        return False
    return left.keys() == right.keys() and all(_agrees(left[name], right[name]) for name in left)


def _agrees(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        shared = one.keys() & other.keys()
        nested = one.keys() <= other.keys() or other.keys() <= one.keys()
        return bool(shared) and nested and all(_agrees(one[name], other[name]) for name in shared)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_agrees, one, other))
    if isinstance(one, str) and isinstance(other, str):
        return one.strip().lower() == other.strip().lower()
    return bool(one == other)


def _two_calls(good: Event, bad: Event, *, decisive: bool) -> Parting:
    if good.name != bad.name:
        text = f"the passing attempt calls {good.name} where the failing one calls {bad.name}"
        kind = "tool" if decisive else "call"
        return Parting(kind, text, good, bad, good.cite(), bad.cite(), decisive)
    names = _differing(good.arguments, bad.arguments)
    what = f"other values of {abridged(names, NAMES_SHOWN)}" if names else "other arguments"
    here = _first_difference(good, bad, names)
    kind = "arguments" if decisive else "call"
    text = f"both call {good.name}, the failing attempt with {what}"
    return Parting(kind, text, good, bad, good.cite(here[0]), bad.cite(here[1]), decisive)


def _one(kind: str, text: str, events: tuple[Event | None, Event | None], *, decisive: bool = True) -> Parting:
    """A difference where one side only has words to show, or both."""
    here = (0, 0)
    good, bad = events
    if kind == "words" and good and bad:
        here = _apart(good.text, bad.text)
    cites = [event.cite(spot) if event else None for event, spot in zip(events, here, strict=True)]
    return Parting(kind, text, good, bad, cites[0], cites[1], decisive)


def _differing(good: Any, bad: Any) -> list[str]:
    """Names of the arguments that are not the same."""
    if not (isinstance(good, dict) and isinstance(bad, dict)):
        return []
    names = [*good, *(name for name in bad if name not in good)]
    return [str(name) for name in names if good.get(name) != bad.get(name)]


def _first_difference(good: Event, bad: Event, names: Sequence[str]) -> tuple[int, int]:
    """Where to begin both quotes, so that what differs can be read: at the first argument that differs."""
    if max(len(good.text), len(bad.text)) <= LONGEST_QUOTE:
        return 0, 0
    spots = [(good.text.find(f'"{name}"'), bad.text.find(f'"{name}"')) for name in names]
    known = [spot for spot in spots if min(spot) >= 0]
    return known[0] if known else _apart(good.text, bad.text)


def _apart(one: str, other: str) -> tuple[int, int]:
    """A little before the place where two texts begin to differ; the beginning where that lies near."""
    spot = next((at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), 0)
    if spot < LONGEST_QUOTE // 2:
        return 0, 0
    return spot - BEFORE, spot - BEFORE
