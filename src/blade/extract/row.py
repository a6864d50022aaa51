"""One parsed row → one record of facts. The only place where the parts of the extraction meet."""

from __future__ import annotations

import re
from typing import Any

import orjson
from xxhash import xxh3_64

from blade.extract.attempt import Attempt
from blade.extract.failure import broken_message
from blade.extract.numbers import integer, number
from blade.extract.request import request_facts
from blade.extract.signals import claim, gap_codes, is_redacted
from blade.extract.stages import stages
from blade.extract.text import canonical, clip, hash_text, visible
from blade.extract.tools import ToolUse, tool_use
from blade.extract.transcript import arguments_value
from blade.extract.usage import usage_facts
from blade.extract.verdict import answer_facts, gold_facts, gold_fields, meta_hash
from blade.model import Step, StepKind

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

_ID_FORM = re.compile(r"([A-Za-z]{2,20})[-_:.]\w")

NO_TOOLS = ToolUse()
HEARD = {StepKind.OUTPUT, StepKind.USER}


def rollout_facts(attempt: Attempt, data: bytes = b"") -> dict[str, Any]:
    """The facts of one rollout. `data` are the bytes of its line."""
    row, fields = attempt.row, attempt.fields
    facts = identity_facts(row, fields, attempt.prompt)
    facts |= attempt.verdict
    facts |= answer_facts(attempt.answer)
    facts |= transcript_facts(attempt)
    facts["stages"] = stages(attempt)
    facts |= usage_facts(row.get("response"))
    facts["skipped"] = row.get("verification_skipped") is True
    facts["masked"] = row.get("mask_sample") is True
    facts["failure_class"] = _string(row.get("_ng_failure_class"))
    facts["failure_terminal"] = row.get("_ng_failure_terminal") is True
    facts["signals"] = list(attempt.signals)
    unreachable = facts.pop("unreachable")
    if unreachable:
        facts["signals"].append(claim("infrastructure", "soft", "tool", unreachable))
    broken = facts.pop("broken")
    if broken:
        facts["signals"].append(claim("infrastructure", "soft", "last message", broken))
    facts["gaps"] = gap_codes(row)
    facts["redacted"] = is_redacted(data)
    facts["fields"] = orjson.dumps(fields).decode()
    return facts


def identity_facts(row: dict[str, Any], fields: dict[str, Any], prompt: list[Step] | None = None) -> dict[str, Any]:
    """Who a row is: indices, agent, skills, and what its task looks like. Input rows are read by the same function."""
    facts = request_facts(row, prompt)
    facts |= gold_facts(gold_fields(row))
    facts["meta_hash"] = meta_hash(fields)
    facts["agent"] = _inner(row, "agent_ref", "name")
    facts["skills"] = _inner(row, "skills_ref", "hash")
    facts["task_index"] = _first_integer(row, _TASK_INDEX)
    facts["attempt_index"] = _first_integer(row, _ATTEMPT_INDEX)
    facts["retry"] = integer(row.get("_ng_attempt_index"))
    return facts


def transcript_facts(attempt: Attempt) -> dict[str, Any]:
    """Counts, lengths and the output hash from one walk over the steps."""
    row = attempt.row
    given = row.get("response")
    there = isinstance(given, dict)
    response: dict[str, Any] = given if isinstance(given, dict) else {}
    counts = dict.fromkeys(StepKind, 0)
    digest, heard = xxh3_64(), xxh3_64()
    spoken = False
    chars = 0
    final = ""
    tools: set[str] = set()
    last = "nothing"
    places: set[int] = set()
    for step in attempt.steps:
        counts[step.kind] += 1
        places.add(step.item)
        last = step.kind.value
        chars += len(step.text)
        if step.kind is StepKind.MESSAGE:
            final = step.text
            if step.text:
                spoken = True
                digest.update(b"\x01" + step.text.encode("utf-8", errors="replace"))
        elif step.kind is StepKind.CALL:
            spoken = True
            tools.add(step.name)
            digest.update(b"\x02" + step.name.encode("utf-8", errors="replace") + b"\x00")
            digest.update(canonical(arguments_value(step.arguments)))
        elif step.kind in HEARD:
            heard.update(step.text.encode("utf-8", errors="replace"))
    output = response.get("output")
    used = tool_use(attempt.calls) if tools else NO_TOOLS
    return {
        "response_state": "there" if there else "absent",
        "model": _string(response.get("model")),
        "id_form": _id_form(response.get("id")),
        "status": _string(response.get("status")),
        "incomplete": _inner(response, "incomplete_details", "reason"),
        "created_at": number(response.get("created_at")),
        "heard_hash": heard.intdigest(),
        "output_hash": digest.intdigest() if spoken else _artefact_hash(row),
        "items": len(output) if isinstance(output, list) else len(places),
        "messages": counts[StepKind.MESSAGE],
        "calls": counts[StepKind.CALL],
        "outputs": counts[StepKind.OUTPUT],
        "thoughts": counts[StepKind.THOUGHT],
        "user_turns": counts[StepKind.USER],
        "output_chars": chars,
        "final_chars": len(visible(final).strip()),
        "tools_called": sorted(clip(name, 120) for name in tools),
        "ends_on": last,
        "tools_failed": sorted(clip(name, 120) for name in used.unrecovered),
        "calls_failed": used.failures,
        "last_call_failed": used.last_failed,
        "tool_message": used.message or None,
        "actions": used.actions,
        "unreachable": used.unreachable,
        "broken": broken_message(visible(final)),
    }


def _id_form(value: Any) -> str | None:
    """The word before the first separator of an id: the manner of the service that made it. None for bare numbers."""
    found = _ID_FORM.match(value) if isinstance(value, str) else None
    return found.group(1).lower() if found else None


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
    return clip(value, 200) if isinstance(value, str) and value else None
