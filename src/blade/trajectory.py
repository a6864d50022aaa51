"""One rollout as people read it: prompt, thinking, calls, outputs, the verifier's word, the outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from blade.extract.answers import answered_calls
from blade.extract.fields import short_fields
from blade.extract.transcript import arguments_value, prompt_steps, row_steps
from blade.frozen import frozen
from blade.model import Step, StepKind

PART_FRAME = 60
"""Letters that are printed around a part: its place, its kind, and what says that it is folded."""
_HIDDEN = {"reward", "_ng_attempt_index"}


@frozen
class TranscriptPart:
    """One thing to read. `item` is its place in response.output; the prompt counts below zero."""

    kind: str  # prompt, thought, message, call, output, user, environment, other, row
    title: str
    text: str
    item: int | None = None
    start: int = 0
    """Where the text begins in the text of its item: a message that holds logs is several parts."""


def parts(row: dict[str, Any]) -> list[TranscriptPart]:
    """Everything in the row worth reading, in order."""
    return [*_prompt(row), *_steps(row), *_verifier(row)]


@frozen
class FittingParts:
    """The parts at both ends that a room holds, each folded to `longest` letters; `left_out` stand between them."""

    head: Sequence[TranscriptPart]
    tail: Sequence[TranscriptPart]
    left_out: int
    longest: int


def fitting_parts(row_parts: Sequence[TranscriptPart], room: int, longest: int, shortest: int) -> FittingParts:
    """Parts within so many letters: all are folded further, then those of the middle are left out, never the end."""

    def sizes() -> list[int]:
        return [min(len(part.text), longest) + len(part.title) + PART_FRAME for part in row_parts]

    while sum(sizes()) > room and longest > shortest:
        longest = max(longest // 2, shortest)
    head, tail = both_ends(sizes(), room)
    return FittingParts(row_parts[:head], row_parts[len(row_parts) - tail :], len(row_parts) - head - tail, longest)


def both_ends(sizes: Sequence[int], room: int) -> tuple[int, int]:
    """How many entries of these sizes fit at the beginning and at the end: two from the end for every one before."""
    if sum(sizes) <= room:
        return len(sizes), 0
    head, tail, spent = 0, 0, 0
    while head + tail < len(sizes):
        from_end = tail <= 2 * head
        spent += sizes[-1 - tail] if from_end else sizes[head]
        if spent > room and head + tail:
            break
        tail, head = (tail + 1, head) if from_end else (tail, head + 1)
    return head, tail


def _prompt(row: dict[str, Any]) -> Iterator[TranscriptPart]:
    for step in prompt_steps(row.get("responses_create_params")):
        yield TranscriptPart("prompt", step.role or "prompt", step.text, step.item)


def _steps(row: dict[str, Any]) -> Iterator[TranscriptPart]:
    steps = row_steps(row)
    calls = answered_calls(steps)
    for place, step in enumerate(steps):
        yield _part(step, steps[calls[place]].name if place in calls else "")


def _part(step: Step, called: str) -> TranscriptPart:
    if step.kind is StepKind.CALL:
        return TranscriptPart("call", step.name or "call", _arguments(step.arguments), step.item)
    if step.kind is StepKind.OUTPUT:
        return TranscriptPart("output", step.name or called or "output", step.text, step.item)
    titles = {
        StepKind.THOUGHT: "thinking",
        StepKind.MESSAGE: "assistant",
        StepKind.USER: step.role or "user",
        StepKind.ENVIRONMENT: "screen or log",
    }
    return TranscriptPart(step.kind.value, titles.get(step.kind, step.name or "item"), step.text, step.item, step.start)


def _arguments(arguments: Any) -> str:
    value = arguments_value(arguments)
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_short(inner)}" for key, inner in value.items())
    return "" if value is None else _short(value)


def _short(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):
        return str(value)


def _verifier(row: dict[str, Any]) -> Iterator[TranscriptPart]:
    fields = {name: value for name, value in short_fields(row).items() if name not in _HIDDEN and value is not None}
    if fields:
        lines = "\n".join(f"{name}: {_short(value)}" for name, value in fields.items())
        yield TranscriptPart("row", "fields beside the transcript", lines)
