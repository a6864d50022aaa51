"""Claims of trouble in a row: "status|strength|field|value".

A `hard` claim is Gym's own word (a routing key, a placeholder response, a provider's error object). A `soft` one comes
from a benchmark's field and is believed only after the field has been profiled against the score of the whole run. A
`spent` one tells of a limit that was used up, which a row may do and still pass. An `ended` one is a soft word for a
time limit on a row that came to an end of its own, and is no cut. The status `error` is the weakest claim: the field
tells of an error without saying whose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from blade.extract.field_roles import errors_in, field_name, shape_of, telling, where
from blade.extract.names import JUDGES, VERIFIER, flag_status, is_error_text, is_exit_code, tells_the_end, words
from blade.extract.numbers import number
from blade.extract.row_texts import row_texts
from blade.extract.text import clip, content_text
from blade.extract.trouble import is_neutral, is_silent, says
from blade.late_regex import late_regex
from blade.shared_json import once, place

VALUE_SIZE = 160
SOFT, ENDED = "soft", "ended"
SOURCE_STATUS = "the source's own status"
"""The field that a translated row's status is told to stand in."""
_PLACEHOLDER_ENDS = {
    "-failed": "infrastructure",
    "-timeout": "timed_out",
    "-skipped": "infrastructure",
    "-incomplete": "infrastructure",
}
_ENDS = tuple(_PLACEHOLDER_ENDS)
FAILURE_STATUS = {"judge_failed": "verifier_error", "timeout_exceeded": "timed_out"}
"""Failure classes that are no crash; every other class is infrastructure."""
_CALL_ERRORS = {"incomplete": "truncated", "stream_truncated": "truncated", "capture_parse_error": ""}
_OBSERVERS = ("ng_model_call_capture", "ng_agent_observations", "ng_trajectory")
_HEAVY = {"response", "responses_create_params"}
_UNFINISHED = {"failed", "cancelled", "in_progress", "queued"}
_SANDBOX = {"failed", "oom", "sandbox_error", "timeout"}
_KILLED = {137: "infrastructure", 143: "infrastructure", -9: "infrastructure", -15: "infrastructure", 124: "timed_out"}
_REDACTED = late_regex(rb"[\[<({*]\s*(?:redacted|REDACTED|Redacted)(?:[ _:-]{1,2}\w{1,30}){0,3}\s*[\])>}*]")
"""A mark that closes within three words; a longer one is a text that asks its reader to put something in."""
_TOKEN = late_regex(rb"<(?:KEY_[A-Z0-9_]{1,30}|EMAIL|USER|HOST|NAME)_[0-9]{1,9}>")
"""What `blade sanitize` puts in the place of a value."""
_MANY = 16
SHORTEST_NOTICE = 12
_REPLIES = frozenset("raw reply response text output content".split())
_TOKENS = frozenset("tok toks token tokens".split())
_ERROR_PAGE = late_regex(
    r"^\s*(?:<!doctype html|<html)\b.{0,160}?\b(?:429|50[0-4])\b|^\s*(?:HTTP[ /\d.]*)?(?:429|50[0-4])\b[\s:,-]*"
    r"(?:too many|bad gateway|service unavailable|gateway time|internal server|upstream)",
    re.IGNORECASE | re.DOTALL,
)
_OF_ANSWERS = frozenset(
    "answer answers output outputs generation generated completion prediction predicted extracted parsed response text "
    "content message messages result submission expected target reference label gold solution prompt question".split()
)


def claim(status: str, strength: str, field: str, value: Any) -> str:
    name = clip(field.replace("|", "¦"), VALUE_SIZE)  # the bar parts a claim
    return f"{status}|{strength}|{name}|{clip(str(value), VALUE_SIZE)}"


def row_claims(row: dict[str, Any], fields: dict[str, Any]) -> list[str]:
    """Every claim of trouble that a row makes, in a fixed order."""
    claims: list[str] = []
    _routing(claims, row)
    source_status = _translated(claims, row.get("_translated"))
    _response(claims, row.get("response"))
    names = telling(fields)
    for name in names.trouble:
        value = fields[name]
        if value is not None and (not source_status or value != source_status):
            _field(claims, name, value)
    _long_errors(claims, row, fields)
    _dead_judge(claims, fields)
    if not claims:
        _notice(claims, row)
    if names.turns:
        _turns(claims, fields, names.turns)
    _attachments(claims, row)
    return _without_ends_of_games(claims) if _ended(row.get("_translated")) else claims


def _dead_judge(claims: list[str], fields: dict[str, Any]) -> None:
    """A judge's reply that is the error page of a server, or empty where not a token was counted."""
    for name in where(fields, _is_judge_reply):
        value = fields[name]
        if isinstance(value, str) and _ERROR_PAGE.search(value):
            claims.append(claim("infrastructure", SOFT, name, value))
        elif value == "" and (counted := _no_tokens(fields, name.rpartition(".")[0])):
            claims.append(claim("infrastructure", SOFT, counted, fields[counted]))


def _is_judge_reply(name: str) -> bool:
    parts = name.split(".")
    return not _REPLIES.isdisjoint(words(parts[-1])) and any(not JUDGES.isdisjoint(words(part)) for part in parts)


def _no_tokens(fields: dict[str, Any], holder: str) -> str:
    """The first count of tokens beside a field, where all counts there are zero; empty where none is, or one is not."""
    names = [name for name in fields if name.rpartition(".")[0] == holder and not _TOKENS.isdisjoint(words(name))]
    return names[0] if names and all(fields[name] == 0 for name in names) else ""


def _ended(origin: Any) -> bool:
    return isinstance(origin, dict) and origin.get("ended") is True


def _without_ends_of_games(claims: list[str]) -> list[str]:
    """The claims without a benchmark's words for a cut: its harness says that the rollout ended, and by no limit."""
    return [text for text in claims if not text.startswith(("truncated|soft|", "truncated|spent|"))]


def _notice(claims: list[str], row: dict[str, Any]) -> None:
    """A whole transcript of one short message that the verifier or the harness repeats, and that tells of trouble.

    What the answer was taken for stands in the row too, so that a field of an answer says nothing of who wrote it.
    """
    text = _only_message(row.get("response"))
    status = says(text) if len(text) >= SHORTEST_NOTICE and "\n" not in text else None
    if status not in {"infrastructure", "timed_out"}:
        return
    repeating_fields = (entry.name for entry in row_texts(row) if entry.text.strip() == text)
    name = next((name for name in repeating_fields if not _OF_ANSWERS & set(words(name))), None)
    if name is not None:
        claims.append(claim(status, SOFT, name, text))


def _only_message(response: Any) -> str:
    """The text of a response that is one short message and nothing else."""
    output = response.get("output") if isinstance(response, dict) else None
    item = output[0] if isinstance(output, list) and len(output) == 1 else None
    if not isinstance(item, dict) or item.get("type") != "message":
        return ""
    text = content_text(item.get("content")).strip()
    return text if len(text) <= VALUE_SIZE else ""


def _routing(claims: list[str], row: dict[str, Any]) -> None:
    name = row.get("_ng_failure_class")
    if isinstance(name, str) and name:
        claims.append(claim(FAILURE_STATUS.get(name, "infrastructure"), "hard", "_ng_failure_class", name))


def _translated(claims: list[str], origin: Any) -> str:
    """The status that the source of a translated row gives it, in the source's own words, which are returned.

    A field with the same words is where they were read from, and no claim of its own.
    """
    if not isinstance(origin, dict) or not origin.get("status"):
        return ""
    status, reason = str(origin["status"]), str(origin.get("reason") or origin["status"])
    strength = "spent" if status in {"timed_out", "truncated"} else "hard"
    claims.append(claim(status, strength, SOURCE_STATUS, reason))
    return reason


def _response(claims: list[str], response: Any) -> None:
    if not isinstance(response, dict):
        return
    response_id = response.get("id")
    if isinstance(response_id, str):
        if response_id == "remote_agent_failure":
            claims.append(claim("infrastructure", "hard", "response.id", response_id))
        for end, status in _PLACEHOLDER_ENDS.items() if response_id.endswith(_ENDS) else ():
            if response_id.endswith(end):
                claims.append(claim(status, "hard", "response.id", response_id))
    error = response.get("error")
    text = _provider_error(error) if error else ""
    if error and not is_silent(text):
        claims.append(claim(says(text) or "infrastructure", "hard", "response.error", text))
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    state = response.get("status")
    if reason:
        claims.append(claim("truncated", "hard", "response.incomplete_details.reason", reason))
    elif state == "incomplete":
        claims.append(claim("truncated", "hard", "response.status", state))
    elif isinstance(state, str) and state in _UNFINISHED:
        claims.append(claim("infrastructure", "hard", "response.status", state))


def _provider_error(error: Any) -> str:
    """The message of an error object, else its code, else what stands there."""
    if not isinstance(error, dict):
        return str(error)
    message = content_text(error.get("message")) or error.get("code") or error.get("type")
    return str(message) if message or {"message", "code"} & error.keys() else str(error)


def _field(claims: list[str], name: str, value: Any) -> None:
    if isinstance(value, str):
        if is_error_text(name):
            _error_text(claims, name, value)
        elif tells_the_end(name) and not is_neutral(value) and says(value) == "truncated":
            claims.append(claim("truncated", SOFT, name, value))
        return
    if isinstance(value, bool) or value in {0, 1}:
        flag = flag_status(name)
        if flag is not None and bool(value) is flag[1]:
            claims.append(claim(flag[0], "soft", name, value))
            return
    if is_exit_code(name):
        status = _KILLED.get(int(value)) if number(value) is not None else None
        if status:
            killed = "verifier_error" if status == "timed_out" and set(words(name)) & VERIFIER else status
            claims.append(claim(killed, "soft", name, value))


def _error_text(claims: list[str], name: str, value: str) -> None:
    if is_neutral(value):
        return
    status = says(value)
    if status is None:
        of_verifier = bool(set(words(name)) & VERIFIER) and words(name)[-1] in {
            "error",
            "errors",
            "exception",
            "detail",
        }
        status = "verifier_error" if of_verifier else "error"
    elif status == "timed_out" and set(words(name)) & VERIFIER:
        status = "verifier_error"
    claims.append(claim(status, "soft", name, value))


def _long_errors(claims: list[str], row: dict[str, Any], fields: dict[str, Any]) -> None:
    """Error texts too long to be kept as fields, error lists and exception objects: top level and one below."""
    errors = shape_of(row).errors
    for key, value in row.items():
        if isinstance(value, dict):
            if value and key not in _HEAVY:
                for inner, name in errors_in(field_name(key), value):
                    _long_error(claims, name, value[inner], fields)
        elif key in errors:
            _long_error(claims, field_name(key), value, fields)


def _long_error(claims: list[str], name: str, value: Any, fields: dict[str, Any]) -> None:
    if name in fields or not isinstance(value, (str, list)):
        return
    text = value if isinstance(value, str) else "; ".join(part for part in value if isinstance(part, str))
    if text:
        _error_text(claims, name, text)


def _turns(claims: list[str], fields: dict[str, Any], turns: Iterable[tuple[str, str]]) -> None:
    used = limit = None
    for name, counts in turns:
        value = fields[name]
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if counts == "limit":
            limit = (name, value)
        else:
            used = (name, value)
    if used and limit and used[1] >= limit[1] > 0:
        claims.append(claim("truncated", "spent", used[0], f"{used[1]} of {limit[0]} {limit[1]}"))


def _attachments(claims: list[str], row: dict[str, Any]) -> None:
    capture = row.get("ng_model_call_capture")
    calls = capture.get("calls") if isinstance(capture, dict) else None
    if isinstance(calls, list) and calls and isinstance(calls[-1], dict):
        category = calls[-1].get("error_category")
        if isinstance(category, str) and category:
            status = _CALL_ERRORS.get(category, "infrastructure")
            if status:
                claims.append(claim(status, "hard", "ng_model_call_capture.calls[-1].error_category", category))
    observations = row.get("ng_agent_observations")
    records = observations.get("records") if isinstance(observations, dict) else None
    for record in records if isinstance(records, list) else []:
        if not isinstance(record, dict) or record.get("kind") != "sandbox":
            continue
        outcome = record.get("outcome")
        if isinstance(outcome, str) and outcome in _SANDBOX:
            late = "timed_out" if outcome == "timeout" else "infrastructure"
            status = "verifier_error" if record.get("role") == "verifier" else late
            claims.append(claim(status, "hard", "ng_agent_observations.sandbox", outcome))


def gap_codes(row: dict[str, Any]) -> list[str]:
    """What the run's own observers say they could not record."""
    codes = set()
    for name in _OBSERVERS:
        holder = row.get(name)
        gaps = holder.get("gaps") if isinstance(holder, dict) else None
        for gap in gaps if isinstance(gaps, list) else ():
            if isinstance(gap, dict) and isinstance(gap.get("code"), str):
                codes.add(clip(gap["code"], VALUE_SIZE))
    return sorted(codes) if codes else []


def is_redacted(data: bytes, start: int = 0) -> bool:
    """Whether the row carries a mark that something was taken out of it, from a place on.

    Python looks for a word from the end more than twice as fast as from the beginning.
    """
    has_word = data.rfind(b"edacted", start) >= 0 or data.rfind(b"EDACTED", start) >= 0
    return (has_word and _REDACTED.search(data, start) is not None) or _holds_token(data, start)


def row_redacted(request: Any, data: bytes) -> bool:
    """The same of a row whose request may be one that was looked through before."""
    memo, span = once(request), place(request, data)
    if memo is None or span is None:
        return is_redacted(data)
    if "unmarked" in memo:
        return is_redacted(data[: span[0]]) or is_redacted(data, span[1])
    marked = is_redacted(data)
    if not marked:
        memo["unmarked"] = True
    return marked


def _holds_token(data: bytes, start: int) -> bool:
    """Whether a token stands in the row. Where `<` is rare, its places are found far sooner than the pattern is."""
    at = start - 1
    for _ in range(_MANY):
        at = data.find(b"<", at + 1)
        if at < 0 or _TOKEN.match(data, at):
            return at >= 0
    return _TOKEN.search(data, at) is not None
