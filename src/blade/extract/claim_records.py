"""Claims of trouble, read back: what each one is about, and the place in the row that makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from blade.extract.names import TRANSPORT, words
from blade.extract.trouble import speaks_of
from blade.frozen import frozen

CAPTURE = "ng_model_call_capture.calls[-1].error_category"
SANDBOX = "ng_agent_observations.sandbox"
_OF_TEXT = {"transport": "provider", "memory": "memory", "machine": "sandbox", "turns": "turns", "context": "context"}
_OF_NAME = {
    "_ng_failure_class": "harness",
    "response.id": "harness",
    "response.status": "provider",
    "response.error": "provider",
    CAPTURE: "provider",
    SANDBOX: "sandbox",
}
_PLACES = frozenset("sandbox container environment docker".split())
_MEMORY = frozenset("oom memory".split())
_SIGNALS = {"137": "memory", "-9": "memory", "143": "harness", "-15": "harness"}


@frozen
class TroubleClaim:
    """One claim of trouble."""

    status: str
    strength: str
    field: str
    value: str
    about: str
    """tokens, filter, context, turns, time, provider, sandbox, memory, harness, reading, verifier or verifier time;
    nothing where the field tells of an error without saying whose."""


def read_claims(texts: Iterable[str], look: Callable[[str], str]) -> list[TroubleClaim]:
    """Claims as `row_claims` wrote them; `look` opens the field of one whose value was too long to be kept whole."""
    claims: list[TroubleClaim] = []
    for text in texts:
        status, strength, field, value = text.split("|", 3)
        claims.append(
            TroubleClaim(
                status,
                strength,
                field,
                value,
                _about(status, strength, field, (value.endswith("…") and look(field)) or value),
            )
        )
    if any(claim.about == "turns" and claim.strength != "spent" for claim in claims):
        return [claim for claim in claims if not _names_no_limit(claim)]
    return claims


def _names_no_limit(claim: TroubleClaim) -> bool:
    """Whether a claim only says that the response is not complete."""
    return claim.field == "response.status" and claim.status == "truncated"


def _about(status: str, strength: str, field: str, value: str) -> str:
    if status == "truncated":
        return _cut_by(strength, field, value)
    if status == "infrastructure":
        return _broken(field, value)
    if status == "verifier_error":
        trouble = speaks_of(value)
        late = {"timed", "timeout", "timeouts"} & set(words(field)) or value in {"124", "timeout", "timeout_exceeded"}
        return "verifier time" if late or (trouble and trouble.topic == "timeout") else "verifier"
    return {"timed_out": "time", "malformed": "reading"}.get(status, "")


def _cut_by(strength: str, field: str, value: str) -> str:
    """Which limit ended it: the answer's length, the context window, or the number of turns."""
    if strength == "spent":
        return "turns"
    if value == "content_filter":
        return "filter"
    if field == CAPTURE:
        return "tokens" if value == "incomplete" else "provider"
    if field in {"response.incomplete_details.reason", "response.status"}:
        return "tokens"
    if "context" in words(field):
        return "context"
    trouble = speaks_of(value)
    if trouble is None:
        return "turns"
    return {"length": "tokens"}.get(trouble.topic) or _OF_TEXT.get(trouble.topic, "turns")


def _broken(field: str, value: str) -> str:
    """Which part of the machinery broke."""
    trouble = speaks_of(value)
    if field == SANDBOX:
        return "memory" if value == "oom" else "sandbox"
    if trouble and trouble.topic in _OF_TEXT:
        return _OF_TEXT[trouble.topic]
    if field in _OF_NAME:
        return _OF_NAME[field]
    if value in _SIGNALS:
        return _SIGNALS[value]
    have = set(words(field))
    if have & _MEMORY:
        return "memory"
    if have & TRANSPORT:
        return "provider"
    return "sandbox" if have & _PLACES else "harness"


def claim_fields(row: dict[str, Any], claim: TroubleClaim) -> list[str]:
    """The dotted names of the fields that make a claim, as they can be looked up."""
    if claim.field == CAPTURE:
        calls = row["ng_model_call_capture"]["calls"]
        return [f"ng_model_call_capture.calls.{len(calls) - 1}.error_category"]
    if claim.field == SANDBOX:
        records = row["ng_agent_observations"]["records"]
        return [
            f"ng_agent_observations.records.{place}.outcome"
            for place, record in enumerate(records)
            if isinstance(record, dict) and record.get("kind") == "sandbox" and record.get("outcome") == claim.value
        ]
    if claim.strength == "spent":
        return [claim.field, claim.value.split(" of ", 1)[-1].rsplit(" ", 1)[0]]
    return [claim.field]
