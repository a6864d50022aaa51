"""A tool was refused access: 401, 403, a captcha, robots.txt.

Only refusals of the web and of an account are meant; a domain's own rule ("not allowed for this ticket") is an answer.
Guarded (G1) where a later call of the same tool went well.

False alarms: credentials that the agent invented, and sites that refuse one page of many on the agent's last call.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.calls import Answer, Call
from blade.extract.prefilter import holds_any
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded
from blade.late_regex import late_regex

ID = "I04"
FAMILY = "infrastructure"
TITLE = "tool access denied"
KIND = "infrastructure"
EXPLAINS = 76
NAMES = "tool"
SUPPORTS = {"IR": 1.0, "TI": 0.8}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "answers"

_DENIED = late_regex(
    r"\b(HTTP|[Ss]tatus|[Cc]ode|[Ee]rror)\W{0,3}([Cc]ode\W{0,3})?(401|403)\b|"
    r"\b40[13] (Client Error|Forbidden|Unauthorized)|"
    r"\b(Unauthorized|Forbidden)\b|[Aa]ccess (to this \w+ )?(is |has been |was )?denied|[Ii]nvalid API key|"
    r"\b[Cc]aptcha\b|CAPTCHA|\brobots\.txt\b|[Aa]uthentication (failed|required)|verify (that )?you are (a )?human"
)
_PAGE = late_regex(
    r"\W{0,3}(401|403) (Forbidden|Unauthorized)|\W{0,3}Access [Dd]enied|.{0,80}verify (that )?you are (a )?human"
)
_PAGE_HINTS = ("401 ", "403 ", "Access ", "verify ")
_PAGE_HEAD = 80 + len("verify ")
"""Characters in which one of the hints must stand."""
_HEAD = 400


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    heads = "\n".join([answer.step.text[:_PAGE_HEAD] for call in attempt.answered for answer in call.answers])
    pages = holds_any(heads, _PAGE_HINTS)
    denials = [
        (call, *denied)
        for call in attempt.answered
        for answer in call.answers
        if (pages or answer.problem) and (denied := _denied(answer))
    ]
    if not denials:
        return CLEAN
    left = [denial for denial in denials if not _recovered(attempt, denial[0])]
    cites = [attempt.cite_words(answer.step, words) for _, answer, words in left or denials]
    name = (left or denials)[0][0].name
    sighting = fired(*cites, detail=f"'{name}' was refused access", value=name)
    return sighting if left else guarded(sighting, "G1")


def _denied(answer: Answer) -> tuple[Answer, str] | None:
    """A failed answer that tells of a refusal, or a page that is nothing else."""
    if answer.problem:
        match = _DENIED.search(answer.problem[:_HEAD])
    else:
        text = answer.step.text[:_HEAD]
        match = _PAGE.match(text) if holds_any(text[:_PAGE_HEAD], _PAGE_HINTS) else None
    return (answer, match.group(0)) if match else None


def _recovered(attempt: Attempt, call: Call) -> bool:
    later = (later_call for later_call in attempt.after(call) if later_call.name == call.name)
    return any(
        later_call.answers and not later_call.failed and not _denied(later_call.answers[-1]) for later_call in later
    )
