"""Parsed rows → records of facts. The only place where the parts of the extraction meet.

Rows are read a few at a time and part by part: the code and the tables of one part stay at hand for all of them, where
a whole row would drive them out. That alone takes a fifth off the time of reading.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
from xxhash import xxh3_64_intdigest

from blade.extract.attempt import Attempt
from blade.extract.checks import joined
from blade.extract.endings import settled_claims
from blade.extract.error_claims import claim, gap_codes, row_redacted
from blade.extract.failure import broken_message
from blade.extract.log_ends import log_ends
from blade.extract.machine import machine_facts
from blade.extract.numbers import integer
from blade.extract.observed import PARTS, written
from blade.extract.phrases import phrases_of, texts_of
from blade.extract.request import request_facts, with_answered_settings
from blade.extract.row_times import row_time
from blade.extract.stages import stages
from blade.extract.text import clip, hash_text, visible
from blade.extract.tools import ToolUse, tool_use
from blade.extract.unread_transcript import unread_transcript
from blade.extract.usage import usage_of
from blade.extract.verdict import answer_facts, gold_facts, gold_fields, meta_hash
from blade.late_regex import late_regex
from blade.model import StepKind
from blade.signatures import template

_TASK_INDEX = ("_ng_task_index", "_task_index")
_ATTEMPT_INDEX = ("_ng_rollout_index", "_rollout_index", "rollout_index")
_ARTEFACTS = (
    "model_patch",
    "policy_response",
    "generation",
    "model_output",
    "generated_response",
    "completion",
    "pred_text",
)

_ID_FORM = late_regex(r"([A-Za-z]{2,20})[-_:.]\w")
LONGEST = 200
LONGEST_NOTICE = 400

NO_TOOLS = ToolUse()
_MESSAGE, _CALL, _THOUGHT = StepKind.MESSAGE, StepKind.CALL, StepKind.THOUGHT
_OUTPUT, _USER = StepKind.OUTPUT, StepKind.USER


@dataclass(slots=True)
class RowReading:
    """A rollout while its facts are read. `data` are the bytes of its line; `error` is what stopped the reading."""

    attempt: Attempt
    data: bytes = b""
    facts: dict[str, Any] = field(default_factory=dict)
    observed: dict[str, Any] = field(default_factory=dict)
    spoken: list[bytes] = field(default_factory=list)
    """What each actor says."""
    error: Exception | None = None


def rollout_facts(attempt: Attempt, data: bytes = b"") -> dict[str, Any]:
    """The facts of one rollout."""
    reading = RowReading(attempt, data)
    read_facts([reading])
    if reading.error is not None:
        raise reading.error
    return reading.facts


def read_facts(readings: Sequence[RowReading]) -> None:
    """Add the facts of some rollouts to them, part by part; what goes wrong with one stops no other."""
    for part in _READ_FIRST:
        _read(part, readings)
    for concerns, parts in groupby(PARTS, key=itemgetter(0)):
        concerned: list[RowReading] = []
        _read(partial(_ask, concerns, concerned), readings)
        for _, part_of_record in parts:
            _observe(part_of_record, concerned)
    for part in _READ_LAST:
        _read(part, readings)
    sound = [reading for reading in readings if reading.error is None]
    for reading, phrases in zip(sound, phrases_of([reading.spoken for reading in sound]), strict=True):
        reading.facts |= phrases


def _read(part: Callable[[RowReading], None], readings: Sequence[RowReading]) -> None:
    """Add one part of the facts of each rollout; where that goes wrong, the error."""
    for reading in readings:
        if reading.error is None:
            try:
                part(reading)
            except Exception as error:  # noqa: BLE001 - one row that nobody thought of: the engine says it
                reading.error = error


def _ask(concerns: Callable[[Attempt], bool], concerned: list[RowReading], reading: RowReading) -> None:
    """Add a rollout to those that the next parts of the record concern."""
    if concerns(reading.attempt):
        concerned.append(reading)


def _observe(part: Callable[[Attempt], dict[str, Any]], concerned: Sequence[RowReading]) -> None:
    """Add one part of the record of each rollout."""
    for reading in concerned:
        if reading.error is None:
            try:
                if record := part(reading.attempt):
                    reading.observed |= record
            except Exception as error:  # noqa: BLE001 - as of the facts
                reading.error = error


def _identity(reading: RowReading) -> None:
    attempt = reading.attempt
    reading.facts |= identity_facts(attempt.row, attempt.fields, attempt)


def _verdict(reading: RowReading) -> None:
    reading.facts |= reading.attempt.verdict
    reading.facts |= answer_facts(reading.attempt.answer)


def _calls_of_steps(reading: RowReading) -> None:
    """The calls among the steps: most of what follows asks for them."""
    reading.attempt.made  # noqa: B018 - it is worked out, and kept


def _transcript(reading: RowReading) -> None:
    reading.facts |= transcript_facts(reading.attempt)


def _stages(reading: RowReading) -> None:
    reading.facts["stages"] = stages(reading.attempt)


def _usage_and_claims(reading: RowReading) -> None:
    attempt, facts, row = reading.attempt, reading.facts, reading.attempt.row
    facts |= attempt.once(usage_of)
    facts["skipped"] = row.get("verification_skipped") is True
    facts["masked"] = any(
        holder.get("mask_sample") is True for holder in (row, row.get("instance_config")) if isinstance(holder, dict)
    )
    facts["failure_class"] = _string(row.get("_ng_failure_class"))
    facts["failure_terminal"] = row.get("_ng_failure_terminal") is True
    facts["signals"] = settled_claims(attempt)
    unreachable = facts.pop("unreachable")
    if unreachable:
        facts["signals"].append(claim("infrastructure", "soft", "tool", unreachable))
    broken = facts.pop("broken")
    if broken:
        facts["signals"].append(claim("infrastructure", "soft", "last message", broken))


def _checks_and_logs(reading: RowReading) -> None:
    reading.facts["checks"] = _checks(reading.attempt)
    reading.facts["log_ends"] = log_ends(reading.attempt)


def _observed(reading: RowReading) -> None:
    reading.facts["observed"] = written(reading.attempt, reading.observed)


def _spoken(reading: RowReading) -> None:
    reading.spoken = texts_of(reading.attempt)


def _line(reading: RowReading) -> None:
    """What is looked for in the bytes of the line."""
    attempt, facts, data = reading.attempt, reading.facts, reading.data
    facts |= machine_facts(attempt, data, facts["model"])
    facts["gaps"] = gap_codes(attempt.row)
    facts["redacted"] = row_redacted(attempt.row.get("responses_create_params"), data)
    facts["fields"] = orjson.dumps(attempt.fields).decode()


_READ_FIRST: tuple[Callable[[RowReading], None], ...] = (
    *(_identity, _verdict, _calls_of_steps, _transcript, _stages, _usage_and_claims, _checks_and_logs),
)
_READ_LAST: tuple[Callable[[RowReading], None], ...] = (_observed, _spoken, _line)
"""What is read before and after the record of what a rollout did, in this order."""


def identity_facts(row: dict[str, Any], fields: dict[str, Any], attempt: Attempt | None = None) -> dict[str, Any]:
    """Who a row is: indices, agent, skills, and what its task looks like. Input rows are read by the same function."""
    facts = request_facts(row, attempt.prompt if attempt else None)
    facts["sampling"] = with_answered_settings(facts.get("sampling"), row.get("response"))
    facts |= gold_facts(attempt.own_gold if attempt else gold_fields(row))
    facts["meta_hash"] = meta_hash(fields)
    facts["agent"] = _inner(row, "agent_ref", "name")
    facts["skills"] = _inner(row, "skills_ref", "hash")
    facts["task_index"] = _first_integer(row, _TASK_INDEX)
    facts["attempt_index"] = _first_integer(row, _ATTEMPT_INDEX)
    facts["retry"] = integer(row.get("_ng_attempt_index"))
    return facts


def transcript_facts(attempt: Attempt) -> dict[str, Any]:
    """Counts, lengths and hashes from one walk over the steps, and what became of the tools."""
    row = attempt.row
    response_value = row.get("response")
    response: dict[str, Any] = response_value if isinstance(response_value, dict) else {}
    facts = _walked(attempt)
    final = visible(facts.pop("final"))
    facts["final_hash"] = hash_text(final.strip()) if final else None
    facts["final_form"] = hash_text(template(final)) if final and len(final) <= LONGEST_NOTICE else None
    tools = {call.name for call in attempt.made}
    used = tool_use(attempt.calls) if tools else NO_TOOLS
    output = response.get("output")
    if isinstance(output, list) and (output or not attempt.steps):
        facts["items"] = len(output)
    if facts["output_hash"] is None:
        facts["output_hash"] = _artefact_hash(row)
    facts["response_state"] = _response_state(row)
    facts["model"] = _string(response.get("model"))
    facts["id_form"] = _id_form(response.get("id"))
    facts["status"] = _string(response.get("status"))
    facts["incomplete"] = _inner(response, "incomplete_details", "reason")
    facts["created_at"] = row_time(row, response)
    facts["final_chars"] = len(final.strip())
    facts["tools_called"] = sorted([clip(name, 120) for name in tools]) if tools else []
    facts["tools_failed"] = sorted([clip(name, 120) for name in used.unrecovered]) if used.unrecovered else []
    facts["calls_failed"] = used.failures
    facts["last_call_failed"] = used.last_failed
    facts["tool_message"] = used.message or None
    facts["actions"] = used.actions
    facts["unreachable"] = used.unreachable
    facts["broken"] = broken_message(visible(attempt.last_words.text)) if attempt.last_words else None
    return facts


def _walked(attempt: Attempt) -> dict[str, Any]:
    """What the steps are, how long, and one hash for what was said and called, one for what was heard."""
    spoken_parts: list[bytes] = []
    heard_texts: list[str] = []
    messages = outputs = thoughts = user_turns = chars = items = 0
    final, item, kind = "", None, None
    calls = iter(attempt.made)
    for step in attempt.steps:
        kind, text = step.kind, step.text
        chars += len(text)
        if step.item != item:  # the steps of one item stand together
            item = step.item
            items += 1
        if kind is _CALL:
            spoken_parts += (b"\x02", next(calls).key)
        elif kind is _OUTPUT:
            outputs += 1
            heard_texts.append(text)
        elif kind is _THOUGHT:
            thoughts += 1
        elif kind is _MESSAGE:
            messages += 1
            final = text
            if text:
                spoken_parts += (b"\x01", text.encode("utf-8", errors="replace"))
        elif kind is _USER:
            user_turns += 1
            heard_texts.append(text)
    return {
        "heard_hash": hash_text("".join(heard_texts)),
        "output_hash": xxh3_64_intdigest(b"".join(spoken_parts)) if spoken_parts else None,
        "items": items,
        "messages": messages,
        "calls": len(attempt.made),
        "outputs": outputs,
        "thoughts": thoughts,
        "user_turns": user_turns,
        "acts": _turns(attempt),
        "output_chars": chars,
        "final": final,
        "ends_on": kind.value if kind else "nothing",
    }


def _turns(attempt: Attempt) -> int:
    """How often the model took its turn: what it thinks, says and calls before it hears anything is one.

    Without any output on record a second call is a turn of its own, as is every message after a message or a call.
    """
    turns, item, last = 0, None, None
    answered = any(step.kind is _OUTPUT for step in attempt.steps)
    for step in attempt.steps:
        kind = step.kind
        if kind is _OUTPUT or kind is _USER:
            last = None
        elif kind is _CALL or kind is _THOUGHT or (kind is _MESSAGE and step.text.strip()):
            goes_on = last is not _CALL or answered if kind is _CALL else last is _THOUGHT
            turns += last is None or not (goes_on or step.item == item)
            item, last = step.item, kind
    return turns


def _response_state(row: dict[str, Any]) -> str:
    """there; empty: the field holds nothing; absent: no such field; unknown: of another shape, or turns elsewhere."""
    response = row.get("response")
    if isinstance(response, dict) and "output" in response:
        return "there"
    if unread_transcript(row) or (response and not isinstance(response, dict | str)):
        return "unknown"
    if response:
        return "there"
    return "empty" if "response" in row else "absent"


MOST_CHECKS = 200


def _checks(attempt: Attempt) -> str | None:
    """The largest set of named sub-checks that the row tells of, those that fail first where they are many."""
    largest = max((checks.checks for checks in joined(attempt.checks)), key=len, default=())
    if not largest:
        return None
    kept = sorted(largest, key=lambda check: check.passed)[:MOST_CHECKS] if len(largest) > MOST_CHECKS else largest
    results: dict[str, int] = {}
    for check in kept:  # of several with one name all must pass
        results[check.name] = min(results.get(check.name, 1), int(check.passed))
    return orjson.dumps(results).decode()


def _id_form(value: Any) -> str | None:
    """The word before the first separator of an id: the manner of the service that made it. None for bare numbers."""
    match = _ID_FORM.match(value) if isinstance(value, str) else None
    return match.group(1).lower() if match else None


def _artefact_hash(row: dict[str, Any]) -> int | None:
    """Where the transcript is not in the row, the graded artefact itself tells two outputs apart."""
    for name in _ARTEFACTS:
        value = row.get(name)
        if isinstance(value, str) and value:
            return hash_text(value)
    return None


def _first_integer(row: dict[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = integer(row.get(name))
        if value is not None:
            return value
    return None


def _inner(row: dict[str, Any], outer: str, inner: str) -> str | None:
    holder = row.get(outer)
    return _string(holder.get(inner)) if isinstance(holder, dict) else None


def _string(value: Any) -> str | None:
    if not isinstance(value, str) or not value:
        return None
    return value if len(value) <= LONGEST and value.isascii() else clip(value, LONGEST)
