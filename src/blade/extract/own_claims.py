"""What a message says of its own work: that it succeeded, that something went wrong, that it cannot be done.

Cues in ordinary English. They are looked for in the words of one message, without its thinking and its code.
"""

from __future__ import annotations

import re
from functools import lru_cache

from blade.extract.prefilter import may_hold
from blade.extract.text import THINK_CLOSE
from blade.late_regex import late_regex
from blade.model import Step

LONGEST = 8_000
NEAR = 400
_FENCE = late_regex(r"```.*?(?:```|\Z)", re.DOTALL)
_BETWEEN = late_regex(r"\s(?:(?<=[.!?]\s)\s*|(?<=\n)\n*)")
"""What stands between two sentences. White space is found far sooner than the end of a sentence: it comes first."""
_ENDS = late_regex(r"[.!?:](?=\s|$)|\n")

SUCCESS = late_regex(
    r"\bsuccessfully\b|\b(all|the) (\w+ )?(tests?|checks?)( now| all)? (pass|passed|passes|succeed|succeeded)\b|"
    r"\b(is|are|has been|have been|was|were)( now| all| fully)? (complete|completed|done|fixed|resolved|verified|"
    r"working|implemented|updated|created|booked|cancell?ed|sent|saved|added|deleted|removed|scheduled|processed|"
    r"submitted|confirmed|applied|moved|assigned|changed)\b|"
    r"\bI(['’]ve| have)( now| also| just)? (fixed|completed|verified|booked|cancell?ed|updated|created|sent|scheduled|"
    r"added|deleted|removed|resolved|implemented|processed|submitted|saved|changed|moved|assigned|written|checked|tested|"
    r"generated|produced|finished)\b|"
    r"\bworks? (correctly|as expected|perfectly)\b|^\W{0,3}(all )?(done|fixed|finished)\b",
    re.IGNORECASE,
)
TROUBLE = late_regex(
    r"\b(could|can|was|were|is|are|has|have|['’]m)(n['’]t|not| not)\b|\b(I|we) (did|do)(n['’]t| not)\b|\bunable\b|"
    r"\bnot (\w+ing|able|possible|installed|available|found|supported|verified|tested|exist|"
    r"complete|permitted|allowed|been)\b|\bfail(s|ed|ing|ure|ures)?\b|"
    r"\b(I['’]?m|I am) afraid\b|"
    r"\bunfortunately\b|\bmissing\b|\bunavailable\b|\blimitations?\b|\bwithout (running|testing|access)\b|\buntested\b|"
    r"\b(an|this|these|with|got|received|returned|following|still) (\w+ )?(error|exception|warning)s?\b|"
    r"\bsorry\b|\bapologi[sz]e\b|\bI(['’]ve| have)? encounter(ed)?\b|\bhowever\b|\btimed? ?out\b|"
    r"\bdenied\b|\binvalid\b|\bpartial(ly)?\b|\bincomplete\b|\bno (results?|records?|match(es)?|data|such|longer)\b|"
    r"\brestrict(ed|ions?)\b|\btrouble\b|\bdifficult(y|ies)\b|\bproblems? (with|accessing)\b|"
    r"\balready (been )?(taken|booked|cancell?ed|exists?|used|closed)\b|"
    r"\b(could|can|would) you( please)? (verify|check|provide|confirm|share)\b|\blacks?\b|\bbroken\b|\bwent wrong\b",
    re.IGNORECASE,
)
UNABLE = late_regex(
    r"\bI(['’]m| am| was) (currently )?(unable|not able) to\b|"
    r"\bI (cannot|can['’]t|can not|could not|couldn['’]t) (currently |directly )?(find|access|complete|determine|"
    r"locate|retrieve|perform|verify|provide|answer|solve|fulfil|fulfill|do|check|look|search|run|execute|browse|open|read|"
    r"book|send|create|update|get|obtain|help|proceed|process|make|compute|calculate)\b|"
    r"\bI (do not|don['’]t) have (direct |real-time |the |any )?(access|ability|capability|tools?|means|way)\b|"
    r"\b(is|are|was) beyond my (capabilit|reach|ability)|\bI give up\b",
    re.IGNORECASE,
)
_HINTS = {
    SUCCESS: (
        *("success", "pass", "succe", "complete", "done", "fixed", "resolved", "verified", "work", "implemented"),
        *("updated", "created", "booked", "cancel", "sent", "saved", "added", "deleted", "removed", "scheduled"),
        *("processed", "submitted", "confirmed", "applied", "moved", "assigned", "changed", "finished", "written"),
        *("checked", "tested", "generated", "produced"),
    ),
    TROUBLE: (
        *("n't", "n’t", "not", "unable", "fail", "unfortunately", "missing", "unavailable", "limitation", "without"),
        *("untested", "error", "exception", "warning", "sorry", "apolog", "encounter", "however", "time", "denied"),
        *("invalid", "partial", "incomplete", "no ", "restrict", "trouble", "difficult", "problem", "already"),
        *("d you", "can you", "lack", "broken", "went wrong"),
    ),
    UNABLE: (
        *("unable", "not", "can't", "can’t", "couldn't", "couldn’t", "don't have", "don’t have", "beyond my"),
        "give up",
    ),
}
"""One of these stands in every text in which the cue is found, in small letters."""


@lru_cache(maxsize=1024)
def prose(text: str) -> tuple[str, int]:
    """The last words of a message with its code blanked out, and where they begin in it."""
    at = text.rfind(THINK_CLOSE)
    base = max(at + len(THINK_CLOSE) if at >= 0 else 0, len(text) - LONGEST)
    tail = text[base:]
    return _FENCE.sub(lambda match: " " * len(match.group(0)), tail) if "```" in tail else tail, base


@lru_cache(maxsize=1024)
def sentences(text: str) -> tuple[str, ...]:
    """The last words of a message sentence by sentence; several parts ask for those of the same message."""
    return tuple(_BETWEEN.split(prose(text)[0]))


def names_tool(words: str, name: str) -> bool:
    """Whether the words name a tool: a name that is an ordinary word must be marked as a name."""
    return name in words and _as_a_name(name).search(words) is not None


@lru_cache(maxsize=1024)
def _as_a_name(name: str) -> re.Pattern[str]:
    escaped = re.escape(name)
    if "_" in name or re.search(r"[a-z][A-Z]", name):
        return re.compile(rf"(?<!\w){escaped}(?!\w)")
    return re.compile(rf"[`'\"]{escaped}[`'\"(]|(?<!\w){escaped}\(|\bthe {escaped} (tool|function)\b")


def said(step: Step, cue: re.Pattern[str]) -> tuple[int, int] | None:
    """The first place in a message where a cue stands, to the end of its sentence."""
    return _sentence_with(step.text, cue)


@lru_cache(maxsize=512)
def _sentence_with(text: str, cue: re.Pattern[str]) -> tuple[int, int] | None:
    """Several rules ask the same of one message."""
    words, base = prose(text)
    match = cue.search(words) if _may_match(words, cue) else None
    return _sentence(words, base, match) if match else None


def _may_match(words: str, cue: re.Pattern[str]) -> bool:
    hints = _HINTS.get(cue)
    return hints is None or may_hold(words, hints)


def every(step: Step, cue: re.Pattern[str], limit: int = 20) -> list[tuple[int, int]]:
    """All places in a message where a cue stands."""
    words, base = prose(step.text)
    places = []
    for match in cue.finditer(words) if _may_match(words, cue) else ():
        places.append(_sentence(words, base, match))
        if len(places) == limit:
            break
    return places


def last_sentence(step: Step) -> tuple[str, int]:
    """The last sentence of a message and where it begins."""
    words, base = prose(step.text)
    end = len(words.rstrip())
    start = _last_end(words, max(end - 1 - NEAR, 0), max(end - 1, 0)) or _last_end(words, 0, max(end - 1, 0))
    start += len(words[start:end]) - len(words[start:end].lstrip())
    return words[start:end], base + start


def _last_end(words: str, begin: int, stop: int) -> int:
    """Where the last sentence before a place ends; 0 where none does."""
    last = 0
    for match in _ENDS.finditer(words, begin, stop):
        last = match.end()
    return last


def _sentence(words: str, base: int, match: re.Match[str]) -> tuple[int, int]:
    stop = _ENDS.search(words, match.end())
    end = min(stop.start() if stop else len(words), match.start() + 200)
    return base + match.start(), base + max(end, match.end())
