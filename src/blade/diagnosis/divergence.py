"""Where a failing attempt parts from a passing one: the first change that only one of them makes.

Look-ups may come in any order and number without harm, so the calls that change something decide; only where those
agree does the first call that differs, and where all calls agree, the last words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from blade.diagnosis.transcript_summary import Event, Track
from blade.extract.same_answer import normal
from blade.extract.text import clip
from blade.findings import LONGEST_QUOTE, Cite
from blade.frozen import frozen
from blade.wording import abridged

BEFORE = 60
NAMES_SHOWN = 4
LONGEST_ANSWER = 60


@frozen
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


def prefix(first: Sequence[Event], second: Sequence[Event]) -> int:
    """How many calls are alike from the start."""
    alike = 0
    for left, right in zip(first, second, strict=False):
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
    good_calls, bad_calls = _unmatched(*changes)
    if good_calls and bad_calls:
        mate = next((call for call in good_calls if call.name == bad_calls[0].name), good_calls[0])
        return _two_calls(mate, bad_calls[0], decisive=True)
    if good_calls:
        text = f"the failing attempt never makes this call of {good_calls[0].name}"
        return _parting("missing", text, (good_calls[0], bad.concludes))
    if bad_calls:
        name = bad_calls[0].name
        also_called = any(call.name == name for call in good.calls)
        text = (
            f"the failing attempt also makes this call of {name}, which the passing one does not make"
            if also_called
            else f"the failing attempt also calls {name}, which the passing one does not"
        )
        return _parting("extra", text, (good.concludes, bad_calls[0]))
    spot = _out_of_order(*changes)
    if spot is not None:
        swapped = _two_calls(changes[0][spot], changes[1][spot], decisive=True)
        text = "both make the same changes, in another order"
        return Parting("order", text, swapped.good, swapped.bad, swapped.cite_good, swapped.cite_bad, decisive=True)
    return _without_changes(good, bad)


def _out_of_order(good: Sequence[Event], bad: Sequence[Event]) -> int | None:
    """The first place where the same changes stand in another order."""
    pairs = enumerate(zip(good, bad, strict=True))
    return next((spot for spot, (left, right) in pairs if left.key != right.key and not _as_good_as(left, right)), None)


def _without_changes(good: Track, bad: Track) -> Parting:
    """The changes agree, or there are none: the first call that differs, else the last words."""
    spot = prefix(good.calls, bad.calls)
    good_call, bad_call = good.calls[spot : spot + 1], bad.calls[spot : spot + 1]
    if good_call and bad_call:
        return _two_calls(good_call[0], bad_call[0], decisive=False)
    if good_call:
        text = f"the passing attempt goes on to call {good_call[0].name}, the failing one stops there"
        return _parting("stops", text, (good_call[0], bad.concludes), decisive=False)
    if bad_call:
        text = f"the failing attempt goes on to call {bad_call[0].name}, the passing one stops there"
        return _parting("goes_on", text, (good.concludes, bad_call[0]), decisive=False)
    did = "both make the same calls" if good.calls else "neither makes a call"
    return _parting("words", f"{did}; {_words_apart(good, bad)}", (good.last, bad.last), decisive=False)


def _words_apart(good: Track, bad: Track) -> str:
    """How the last words differ, if they do: equal words, or equal answers in other words, are said to be equal."""
    good_words, bad_words = good.last, bad.last
    if good_words is None or bad_words is None:
        return "neither says anything" if good_words is bad_words else "one of them says nothing"
    if good_words.text.split() == bad_words.text.split():
        return "both end on the same words, and only the verdict differs"
    answers = [normal(answer) if answer else "" for answer in (good.case.answer, bad.case.answer)]
    if answers[0] and answers[0] == answers[1]:
        return f"both answer '{clip(str(good.case.answer), LONGEST_ANSWER)}', in other words"
    return "their answers differ" if all(answers) else "what they say differs"


def _unmatched(good: Sequence[Event], bad: Sequence[Event]) -> tuple[list[Event], list[Event]]:
    """The calls of both sides that have no partner on the other, in order; equal ones find each other first."""
    free = Counter(call.key for call in bad)
    good_left = []
    for call in good:
        if free[call.key]:
            free[call.key] -= 1
        else:
            good_left.append(call)
    bad_left: list[Event] = []
    for call in reversed(bad):
        if free[call.key]:
            free[call.key] -= 1
            bad_left.insert(0, call)
    for call in list(good_left):
        mate = next((candidate for candidate in bad_left if _as_good_as(call, candidate)), None)
        if mate is not None:
            good_left.remove(call)
            bad_left.remove(mate)
    return good_left, bad_left


def _as_good_as(first: Event, second: Event) -> bool:
    """The same call, one told in more detail: inner records may carry more fields, values may differ in case only."""
    left, right = first.arguments, second.arguments
    if first.name != second.name or not isinstance(left, dict) or not isinstance(right, dict):
        return False
    return left.keys() == right.keys() and all(_agrees(left[name], right[name]) for name in left)


def _agrees(first: Any, second: Any) -> bool:
    if isinstance(first, dict) and isinstance(second, dict):
        shared = first.keys() & second.keys()
        nested = first.keys() <= second.keys() or second.keys() <= first.keys()
        return bool(shared) and nested and all(_agrees(first[name], second[name]) for name in shared)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_agrees, first, second))
    if isinstance(first, str) and isinstance(second, str):
        return first.strip().lower() == second.strip().lower()
    return bool(first == second)


def _two_calls(good: Event, bad: Event, *, decisive: bool) -> Parting:
    if good.name != bad.name:
        text = f"the passing attempt calls {good.name} where the failing one calls {bad.name}"
        kind = "tool" if decisive else "call"
        return Parting(kind, text, good, bad, good.cite(), bad.cite(), decisive)
    names = _differing(good.arguments, bad.arguments)
    difference = f"other values of {abridged(names, NAMES_SHOWN)}" if names else "other arguments"
    quote_starts = _first_difference(good, bad, names)
    kind = "arguments" if decisive else "call"
    text = f"both call {good.name}, the failing attempt with {difference}"
    return Parting(kind, text, good, bad, good.cite(quote_starts[0]), bad.cite(quote_starts[1]), decisive)


def _parting(kind: str, text: str, events: tuple[Event | None, Event | None], *, decisive: bool = True) -> Parting:
    """A difference where one side only has words to show, or both."""
    quote_starts = (0, 0)
    good, bad = events
    if kind == "words" and good and bad:
        quote_starts = _apart(good.text, bad.text)
    cites = [event.cite(spot) if event else None for event, spot in zip(events, quote_starts, strict=True)]
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
    present = [spot for spot in spots if min(spot) >= 0]
    return present[0] if present else _apart(good.text, bad.text)


def _apart(first: str, second: str) -> tuple[int, int]:
    """A little before the place where two texts begin to differ; the beginning where that lies near."""
    spot = next((at for at, (left, right) in enumerate(zip(first, second, strict=False)) if left != right), 0)
    if spot < LONGEST_QUOTE // 2:
        return 0, 0
    return spot - BEFORE, spot - BEFORE
