"""The course of a rollout, cut down to what two attempts are held against each other by, and what a story quotes.

Rows are opened again by their place, a few per run; a whole row is never kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby
from typing import Any

from blade.diagnosis.cases import Case
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.citing import field_text
from blade.extract.names import words
from blade.extract.raised_errors import raised_errors
from blade.extract.transcript import arguments_text
from blade.findings import LONGEST_QUOTE, Cite
from blade.frozen import frozen
from blade.model import Source, StepKind

LONGEST_TEXT = 20_000
ASKED = 160
SHORT, AROUND = 40, 70
NAMES_SHOWN = 8
_TOLD = frozenset("question problem prompt instruction instructions scenario goal description".split())
SCREEN = "a screen or a log"
_ENDS = {
    StepKind.MESSAGE: "a message",
    StepKind.OUTPUT: "a tool's output",
    StepKind.CALL: "a call without an answer",
    StepKind.THOUGHT: "its own thinking",
    StepKind.USER: "the user's words",
    StepKind.ENVIRONMENT: SCREEN,
}


@frozen
class Event:
    """One step: a call with its tool and arguments, or words."""

    kind: StepKind
    item: int
    name: str
    key: bytes
    """Tool and canonical arguments; empty for anything but a call."""
    arguments: Any
    changes: bool
    """A call that changes something, and was not refused."""
    text: str
    """Arguments as written, or words, from their beginning."""
    start: int = 0
    """Where the words begin in the text of the item."""

    def cite(self, start: int = 0, length: int = LONGEST_QUOTE) -> Cite:
        """The exact words here from a place on; for a call, of its arguments."""
        end = min(len(self.text), start + length)
        field = "arguments" if self.kind is StepKind.CALL else "text"
        return Cite(self.item, field, self.start + start, self.start + end, self.text[start:end])


@frozen
class Track:
    """One attempt: what its task asked, and its events in order."""

    case: Case
    asked: Cite | None
    events: tuple[Event, ...]
    raised: Cite | None = None
    """The error that ends the last traceback in the verifier's logs."""

    @property
    def calls(self) -> list[Event]:
        return [event for event in self.events if event.kind is StepKind.CALL]

    @property
    def recorded(self) -> bool:
        """Whether the row shows anything that the model did or said."""
        return any(event.kind in {StepKind.CALL, StepKind.MESSAGE, StepKind.THOUGHT} for event in self.events)

    @property
    def last(self) -> Event | None:
        """The last words of the assistant, else the last event that can be quoted."""
        texts = [event for event in self.events if event.text.strip()]
        spoken = [event for event in texts if event.kind is StepKind.MESSAGE]
        candidates = spoken or texts
        return candidates[-1] if candidates else None

    @property
    def concludes(self) -> Event | None:
        """What the assistant has to say once it has made its last call: the longest of it; a farewell is short."""
        at = max((place for place, event in enumerate(self.events) if event.kind is StepKind.CALL), default=-1)
        closing_messages = [
            event for event in self.events[at + 1 :] if event.kind is StepKind.MESSAGE and event.text.strip()
        ]
        return max(closing_messages, key=lambda event: len(event.text)) if closing_messages else self.last

    @property
    def ends_on(self) -> str:
        """What the attempt ends with, in words; empty where it left no transcript."""
        return _ENDS.get(self.events[-1].kind, "something else") if self.events else ""

    @property
    def did(self) -> str:
        """Its actions in short: the tools in order, repeats counted."""
        steps = [(name, len(list(group))) for name, group in groupby(call.name for call in self.calls)]
        steps_named = [name if times == 1 else f"{name} ×{times}" for name, times in steps]
        if not steps_named:
            return ""
        if len(steps_named) > NAMES_SHOWN:
            half = NAMES_SHOWN // 2
            steps_named = [*steps_named[:half], "…", *steps_named[-half:]]
        return " → ".join(steps_named)


def open_tracks(cases: Iterable[Case]) -> dict[tuple[str, int], Track]:
    """The tracks of these cases by (file, line); a row that is no longer there has none."""
    case_by_source = {Source(*case.place): case for case in cases}
    return {
        source_key(case_by_source[source]): track_of(case_by_source[source], row)
        for source, row in open_rows(case_by_source)
    }


def widened(track: Track, cite: Cite) -> Cite:
    """A quote of a few letters, with a little of what stands around it."""
    if cite.item is None or len(cite.quote) >= SHORT:
        return cite
    for event in track.events:
        in_event = event.item == cite.item and event.cite().field == cite.field and cite.start >= event.start
        first, last = cite.start - event.start, cite.end - event.start
        if in_event and event.text[first:last] == cite.quote:
            start = _at_a_word(event.text, first - AROUND)
            return event.cite(start, last + AROUND - start)
    return cite


def _at_a_word(text: str, start: int) -> int:
    """The place after the next blank, comma or brace, where it lies near; the beginning of the text below zero."""
    if start <= 0:
        return 0
    return next((at + 1 for at in range(start, min(start + 30, len(text))) if text[at] in " ,{[\n"), start)


def source_key(case: Case) -> tuple[str, int]:
    return case.place[:2]


def _raised(row: dict[str, Any]) -> Cite | None:
    """The first error in the verifier's logs, as it stands."""
    error = next(iter(raised_errors(row)), None)
    if error is None:
        return None
    line = error.line[:LONGEST_QUOTE]
    return Cite(None, f"row.{error.field}", error.start, error.start + len(line), line)


def track_of(case: Case, row: dict[str, Any]) -> Track:
    attempt = Attempt(row)
    calls = {call.place: call for call in attempt.calls}
    events = []
    for place, step in enumerate(attempt.steps):
        call = calls.get(place)
        if call is None and step.kind is StepKind.CALL:
            continue  # the echo of the call before it
        if call is None:
            words = step.text[:LONGEST_TEXT]
            events.append(Event(step.kind, step.item, step.name, b"", None, False, words, step.start))
            continue
        text = arguments_text(step.arguments)[:LONGEST_TEXT]
        changes = call.changes and not call.failed
        events.append(Event(step.kind, step.item, call.name, call.key, call.arguments, changes, text))
    return Track(case, _task_quote(attempt), tuple(events), _raised(row))


def asked_in(attempt: Attempt) -> tuple[str, Callable[[int, int], Cite]] | None:
    """The task's own text, and how to cite a part of it: the last thing a user says in the request, else a field.

    A user who is played says little at first; there the row's longer account of what they want comes first.
    """
    user_steps = [step for step in attempt.prompt if step.role == "user" and step.text.strip()]
    played = [step for step in attempt.steps if step.kind is StepKind.USER and step.text.strip()]
    task_field = max(_task_fields(attempt), key=lambda pair: len(pair[1]), default=None)
    if task_field and (not user_steps or (played and len(task_field[1]) > len(user_steps[-1].text))):
        return task_field[1], partial(attempt.cite_field, *task_field)
    spoken = user_steps[-1:] or played[:1]
    return (spoken[0].text, partial(attempt.cite, spoken[0])) if spoken else None


def _task_quote(attempt: Attempt) -> Cite | None:
    """The beginning of the task's own text."""
    task_text = asked_in(attempt)
    return task_text[1](*first_words(task_text[0])) if task_text else None


def _task_fields(attempt: Attempt) -> list[tuple[str, str]]:
    """Fields of the row that tell the task, by their names."""
    fields = []
    for field, text, start in attempt.texts():
        tells_task = not start and not _TOLD.isdisjoint(words(field.rsplit(".", 1)[-1]))
        if tells_task and field_text(attempt.row, field).startswith(text):
            fields.append((field, text))
    return fields


def first_words(text: str, after: int = 0) -> tuple[int, int]:
    """Where the first words begin and end, cut at a word; `after` letters are left out."""
    start = after + len(text[after:]) - len(text[after:].lstrip())
    end = min(len(text.rstrip()), start + ASKED)
    if end < len(text.rstrip()) and " " in text[start:end]:
        end = start + text[start:end].rindex(" ")
    return start, end
