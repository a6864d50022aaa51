"""A symbol, keyword or option that the agent wrote and that does not exist where it was used.

The error names it (no attribute, cannot import, unexpected keyword, unknown option, a key that is not among those which
it lists) and the agent's own text has it.
Guarded (G1) where a later call of the same tool went well.

False alarms: a library of another version than the agent was told of; attributes of the agent's own classes.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.prefilter import holds_any
from blade.extract.sent_calls import all_arguments
from blade.extract.transcript import arguments_text
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded
from blade.late_regex import late_regex

ID = "K05"
FAMILY = "knowledge"
TITLE = "function or option that does not exist"
KIND = "knowledge"
EXPLAINS = 45
NAMES = "name"
SUPPORTS = {"KG": 1.6}
RELIABILITY = 0.8
READS = ("model", "tool", "verifier")

TAIL = 6000
NEAR = 60
_SHORTEST = len("unknown flag-x")
_ERRORS = late_regex(
    r"AttributeError: (?:module '[\w.]+'|type object '[\w.]+'|'(?!NoneType)[\w.]+' object) "
    r"has no attribute '(?P<attribute>\w+)'|"
    r"ImportError: cannot import name '(?P<name>\w+)' from '(?!__main__)[\w.]+'|"
    r"got an unexpected keyword argument '(?P<keyword>\w+)'|"
    r"(?:unrecognized|unknown|invalid|illegal) (?:arguments?|options?|flag)(?: --)?:? ?[-'\"`‘]{1,3}(?P<option>[\w-]+)|"
    r"(?:unrecognized|unknown|unexpected) (?:keyword )?arguments? for [\w.]+: (?P<argument>\w+)|"
    r"'(?P<key>\w+)'\]?(?: (?:is|was|are))? (?:not (?:found|recogni[sz]ed|allowed|supported|valid)|unknown)"
    r"[;:,.] ?(?:the )?(?:available|valid|allowed|known|possible|supported|permitted) \w+ (?:are|is|include)\b|"
    r"TypeError: [\w.]*?\.?(?P<function>\w+) is not a function|"
    r"has no member named ['‘](?P<member>\w+)|"
    r"no such function: (?P<sql>\w+)|"
    r"Unable to bind wire/reg/memory [`'](?P<wire>\w+)|"
    r"error: use of undeclared identifier '(?P<identifier>\w+)'"
)
_FUNCTION_HINTS = ("TypeError: ", "no such function: ")
_ARGUMENT_HINTS = (" argument for ", " arguments for ")
_BEFORE_A_NAME = (
    "has no attribute ",
    "cannot import name ",
    "unexpected keyword argument ",
    "has no member named ",
    "Unable to bind wire/reg/memory ",
    "use of undeclared identifier ",
)
_BEHIND = (" not ", " unknown", " is ", " was ", " are ")
_BEHIND_A_NAME = (*_BEHIND, *(f"]{words}" for words in _BEHIND))
"""An error that names something in quotes has one of these at a quotation mark."""
_QUOTING_HINTS = (*_BEFORE_A_NAME, " unknown")
_NOT_HINTS = (" not found", " not recogni", " not allowed", " not supported", " not valid")
_SPARSE = 256
"""Characters for each quotation mark: where there are fewer, words are sooner looked for than marks."""
_DASH = late_regex(r"-(?<![\w-]-)")
_QUOTES = "'`‘"
_OPTION_HINTS = (" option", " flag")


def detect(attempt: Attempt) -> Sighting:
    best: Sighting | None = None
    tails = "\n".join([answer.step.text[-TAIL:] for call in attempt.answered for answer in call.answers])
    for call in attempt.answered if tails and _may_name(tails, attempt.once(all_arguments)) else ():
        agent_text = arguments_text(call.step.arguments)
        for answer in call.answers:
            match = _error(answer.step.text, agent_text)
            if match is None:
                continue
            symbol = _symbol(match)
            place = _place(match, symbol, agent_text)
            if place is None:
                continue
            shift = max(0, len(answer.step.text) - TAIL)
            sighting = fired(
                attempt.cite(answer.step, shift + _start(match), shift + match.end()),
                attempt.cite(call.step, *place),
                detail=_detail(agent_text[slice(*place)], match),
                value=symbol,
            )
            if not attempt.recovered(call):
                return sighting
            best = best or guarded(sighting, "G1")
    return _in_verdict(attempt) or best or (CLEAN if attempt.answered or attempt.final_text else NOT_APPLICABLE)


def _in_verdict(attempt: Attempt) -> Sighting | None:
    """The verifier's log names a symbol that the agent's last message has."""
    final = attempt.final
    if final is None or not _may_name("\n".join([text[-TAIL:] for _, text, _ in attempt.texts()]), final.text):
        return None
    for name, text, start in attempt.texts():
        match = _error(text, final.text)
        symbol = _symbol(match) if match else ""
        place = _place(match, symbol, final.text) if match else None
        if match is None or place is None:
            continue
        shift = start + max(0, len(text) - TAIL)
        return fired(
            attempt.cite_field(name, start=shift + _start(match), end=shift + match.end()),
            attempt.cite(final, *place),
            detail=_detail(final.text[slice(*place)], match),
            value=symbol,
        )
    return None


def _start(match: re.Match[str]) -> int:
    """Where the error begins; a key is named in the midst of one, which begins with its line if that is near."""
    line = match.string.rfind("\n", 0, match.start()) + 1
    return line if match["key"] and match.start() - line <= NEAR else match.start()


def _detail(symbol: str, match: re.Match[str]) -> str:
    error = match.string[_start(match) : match.end()]
    return f"uses '{symbol}', which does not exist: {error[:100]}".rstrip(".")


def _error(text: str, agent_text: str) -> re.Match[str] | None:
    """The first error in the end of a text, where the agent can have written what it names."""
    tail = text[-TAIL:]
    return _ERRORS.search(tail) if _may_name(tail, agent_text) else None


def _may_name(tail: str, agent_text: str) -> bool:
    """Whether one of the errors may stand there. An option needs a dash before it where it was written."""
    if len(tail) < _SHORTEST:
        return False
    if " function" in tail and holds_any(tail, _FUNCTION_HINTS):
        return True
    argument = " argument" in tail  # a part of several: one look instead of one for each
    if argument and holds_any(tail, _ARGUMENT_HINTS):
        return True
    if any(_may_quote(tail, mark) for mark in _QUOTES if mark in tail):
        return True
    return "-" in agent_text and _DASH.search(agent_text) is not None and (argument or holds_any(tail, _OPTION_HINTS))


def _may_quote(tail: str, mark: str) -> bool:
    """Whether one of the errors may name something between marks like this one."""
    most = 1 + len(tail) // _SPARSE
    pieces = tail.split(mark, most)
    if len(pieces) > most:
        return holds_any(tail, _QUOTING_HINTS) or (" not " in tail and holds_any(tail, _NOT_HINTS))
    return any(piece.endswith(_BEFORE_A_NAME) or piece.startswith(_BEHIND_A_NAME) for piece in pieces)


def _place(match: re.Match[str], symbol: str, agent_text: str) -> tuple[int, int] | None:
    """Where the agent wrote the symbol; an option with its dashes, a single letter also in a group of them."""
    before = r"(?<![\w-])--?\w*?" if match["option"] else r"(?<!\w)"
    match_in_text = re.search(before + re.escape(symbol), agent_text) if symbol else None
    return (match_in_text.start(), match_in_text.end()) if match_in_text else None


def _symbol(match: re.Match[str]) -> str:
    return next((value for value in match.groupdict().values() if value), "")
