"""Identifiers that a simulated user supplies: whether they stood anywhere before, and whether the key holds them.

An identifier is a run of six digits or more, with letters before it or not, of a form that the tools of the same
rollout or the key write themselves. Its kind is the name of the argument that takes such values.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.made_up import texts
from blade.extract.prefilter import lowered
from blade.extract.text import canonical
from blade.late_regex import late_regex
from blade.model import StepKind

MOST = 8
NEAR = 2
"""An invented number may have a digit or two more or fewer than the real ones."""
LONGEST = 50_000
SHOWN, ROW, NOWHERE = "shown", "row", "nowhere"
"""Where a value stood before: in the conversation or a tool's answer; elsewhere in the row; nowhere."""
FEWEST_DIGITS = 6
_DIGITS = late_regex(rf"\d\d{{{FEWEST_DIGITS - 1},}}")
"""One digit by itself is found far sooner than several: it comes first."""
_BEFORE = late_regex(r"(?<![\w@.$-])#?([A-Za-z][A-Za-z_-]{0,20})?\Z")
_LONGEST_BEFORE = 22
_AFTER = late_regex(r"[\w@]|\.\d")
_MOST_DIGITS = 16
_NOUNS = {
    "id": late_regex(r"\bid(?:entifier)?s?\b"),
    "number": late_regex(r"\bnumbers?\b"),
    "code": late_regex(r"\bcodes?\b"),
}
"""What a request for an identifier ends with: its letters, which are found sooner, and the whole word."""
_NO_IDENTIFIER = ("zip ", "postal ", "phone ", "telephone ", "house ")
_ASKS = late_regex(
    r"(?:p(?<=\bp)rovide|g(?<=\bg)ive|s(?<=\bs)(?:hare|end|pecify)|t(?<=\bt)ell|n(?<=\bn)eed|k(?<=\bk)now"
    r"|h(?<=\bh)ave|w(?<=\bw)h(?:at|ich))\b[^.?!\n]{0,80}\Z"
)
"""What it begins with, up to the noun."""
_LONGEST_REQUEST = 87
_WHICH = late_regex(
    r"[ckrw](?<=\b[ckrw])(?:(?:(?<=w)hich|(?<=c)onfirm|(?<=k)now|(?<=r)emember)\b[^.!?\n]{0,160}\?"
    r"|(?:(?<=c)onfirm|(?<=k)now) (?:the|your)\b)"
)
"""In small letters."""
_READ = 2_000
_SHORT = 40


def user_ids(attempt: Attempt) -> dict[str, Any]:
    """What the users of a rollout name.

    Each is `[value, where it stood before, in the key, item, asked for, its kind, whether the user was told it]`.
    """
    if not attempt.users:
        return {}
    record: dict[str, Any] = {}
    places_asked = {place for place, _ in attempt.users if _asked_for_id(attempt, place)}
    if places_asked:
        record["asked_for_id"] = len(places_asked)
    user_tokens = [(place, step, token) for place, step in attempt.users for token in numbered(step.text[:_READ])]
    kinds = _kinds(attempt) if user_tokens else {}
    forms = {(prefix, len(digits)) for _, _, (_, prefix, digits) in user_tokens}
    known_forms = _written_by_tools(attempt, forms - kinds.keys()) | kinds.keys()
    instruction = attempt.instruction if user_tokens else ""
    ids_by_digits: dict[str, list[Any]] = {}
    for place, step, (token, prefix, digits) in user_tokens:
        if digits not in ids_by_digits and len(ids_by_digits) < MOST and (prefix, len(digits)) in known_forms:
            origin, entry = _origin(attempt, place, digits), _in_key(attempt, digits)
            kind = kinds.get((prefix, len(digits)), "")
            asks = int(place in places_asked or _asked_which(attempt, place))
            ids_by_digits[digits] = [token, origin, entry, step.item, asks, kind, int(digits in instruction)]
    if ids_by_digits:
        record["user_ids"] = list(ids_by_digits.values())
    return record


def _kinds(attempt: Attempt) -> dict[tuple[str, int], str]:
    """The form of identifiers and the name of the first argument, of the key or of a call that went well, with it."""
    expected = (arguments for _, arguments in attempt.reference[1]) if attempt.reference is not None else ()
    call_arguments = (call.arguments for call in attempt.answered if not call.failed)
    kinds: dict[tuple[str, int], str] = {}
    for arguments in (*expected, *call_arguments):
        for name, value in texts(arguments):
            for _, prefix, digits in numbered(value[:_READ]):
                kinds.setdefault((prefix, len(digits)), name)
    return kinds


def _asked_for_id(attempt: Attempt, place: int) -> bool:
    """Whether the message right before a turn of the user asks for an identifier."""
    return _asks(_message_before(attempt, place))


def _message_before(attempt: Attempt, place: int) -> str:
    """The end of the message right before a turn of the user, in small letters; empty where there is none."""
    before = attempt.steps[place - 1] if place else None
    if before is None or before.kind is not StepKind.MESSAGE:
        return ""
    return attempt.low(before) if len(before.text) <= _READ else lowered(before.text[-_READ:])


def _asks(low: str) -> bool:
    return any(
        _ASKS.search(low, max(0, end - _LONGEST_REQUEST), end)
        for end in _nouns(low)
        if not low.endswith(_NO_IDENTIFIER, max(0, end - 10), end)
    )


def _nouns(low: str) -> Iterator[int]:
    """Where the nouns of such a request begin."""
    for letters, noun in _NOUNS.items():
        at = low.find(letters)
        while at >= 0:
            if noun.match(low, at):
                yield at
            at = low.find(letters, at + 1)


def _asked_which(attempt: Attempt, place: int) -> bool:
    """Whether the message right before a turn of the user leaves it to the user to say which one is meant."""
    return _WHICH.search(_message_before(attempt, place)) is not None


def _written_by_tools(attempt: Attempt, forms: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """Of some forms (letters before, number of digits) those in which tools write identifiers, or nearly so."""
    open_forms = set(forms)
    for call in attempt.answered if forms else ():
        if call.answer is None or call.failed:
            continue
        for _, prefix, digits in numbered(call.answer.text[:LONGEST]):
            open_forms -= {(prefix, len(digits) + slack) for slack in range(-NEAR, NEAR + 1)}
            if not open_forms:
                return forms
    return forms - open_forms


def numbered(text: str) -> tuple[tuple[str, str, str], ...]:
    """As they are written, the letters before the digits in lower case, and the digits. Digits are looked for first."""
    if len(text) <= _SHORT:
        return _numbered_short(text) if len(text) >= FEWEST_DIGITS else ()
    return tuple(_numbered(text))


@lru_cache(maxsize=4096)
def _numbered_short(text: str) -> tuple[tuple[str, str, str], ...]:
    """Arguments repeat from call to call."""
    return tuple(_numbered(text))


def _numbered(text: str) -> Iterator[tuple[str, str, str]]:
    for run in _DIGITS.finditer(text):
        start, end = run.span()
        if end - start > _MOST_DIGITS or _AFTER.match(text, end):
            continue
        before = _BEFORE.search(text[max(0, start - _LONGEST_BEFORE - 1) : start])
        if before is not None:
            yield before.group(0) + run.group(0), (before.group(1) or "").lower(), run.group(0)


def _origin(attempt: Attempt, place: int, digits: str) -> str:
    """Nowhere only if no tool ever shows the value, before the turn or after it."""
    if any(digits in step.text for step in attempt.steps[:place] if step.kind is not StepKind.CALL):
        return SHOWN
    if any(digits in call.answer.text for call in attempt.answered if call.answer is not None and not call.failed):
        return SHOWN
    return ROW if digits in attempt.once(_other_fields) else NOWHERE


def _other_fields(attempt: Attempt) -> str:
    """All of the row but the response."""
    return _written({key: value for key, value in attempt.row.items() if key != "response"})


def _in_key(attempt: Attempt, digits: str) -> int:
    return int(digits in attempt.once(_key))


def _key(attempt: Attempt) -> str:
    """The arguments of the expected actions."""
    return _written([arguments for _, arguments in attempt.reference[1]]) if attempt.reference else ""


def _written(value: Any) -> str:
    return canonical(value).decode(errors="replace")
