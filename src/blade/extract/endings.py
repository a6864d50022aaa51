"""How the work of a rollout ended: calls that a time limit cut, whether it was handed in, the figures it came to."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call, finishing_command, finishing_name
from blade.extract.commands import PARTS
from blade.extract.error_claims import ENDED, SOFT
from blade.extract.own_kills import ending_command
from blade.extract.prefilter import has_odd_letters, holds_any, lowered
from blade.extract.sent_calls import all_arguments, command_of
from blade.extract.stages import handed_in, hands_in_as_text
from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex
from blade.model import StepKind

LONGEST = 20_000
END_KEPT = 2_000
MOST_VALUES = 6
LAST = 2
CUT = late_regex(
    r"\btimed[ -]?out\b|\btime[ -]?out (?:was |has been )?(?:expired|exceeded|reached)\b|\bTimeout(?:Expired|Error)\b|"
    r"\b(?:exceeded|reached|over) the (?:\w+ )?time limit\b|\btime limit (?:was |is )?(?:exceeded|reached)\b|"
    r"\bdeadline exceeded\b",
    re.IGNORECASE,
)
_CUT_TIME = late_regex(
    r"time(?<=\btime)(?:d[ -]?out\b|[ -]?out (?:was |has been )?(?:expired|exceeded|reached)\b|out(?:expired|error)\b|"
    r" limit (?:was |is )?(?:exceeded|reached)\b)"
)
_CUT_LIMIT = late_regex(r"\b(?:exceeded|reached|over) the (?:\w+ )?time limit\b")
_CUT_DEADLINE = late_regex(r"\bdeadline exceeded\b")
"""The parts of `CUT` in small letters. What begins with a word is found far sooner than what begins with a boundary."""
_PRINTED = late_regex(r"\b(?:f?printf|print(?:ln)?|puts|echo|write|log|warn(?:ing)?|info|die)\b[\s(f]*[\"'][^\"'\n]*\Z")
"""How a line of code begins that prints the words after it: whoever reads the file is not cut by them."""
END_MARK = late_regex(
    r"(?:#{2,} ?\w+ ?#*|<[^<>\s]{2,30}>|\[[A-Z][A-Z_ ]{2,30}\]|(?<![\w'])[A-Z]{4,}(?:_[A-Z]+)*)[\W]*$"
)
"""What no person writes at the end of a turn: the simulator ends the conversation with it."""
MARK_WITHIN = 2_000
_FIGURE = late_regex(r"(?<![\w.])-?\d+\.\d{6,}(?![\w.])")
"""A number with so many places is seldom reached twice by chance."""
_PROMPT = late_regex(r"(?:\([^()\s]{1,40}\) )?[\w.-]{1,40}@[\w.-]{1,80}:\S{0,200}[#$%]")
"""The last line of a screen on which a shell waits for the next command: what ran there is over."""
_THROTTLED = late_regex(r"rate[ _-]?limit|too many requests|quota[ _](?:exceeded|exhausted)", re.IGNORECASE)
_FINISHING_HINTS = ("ubmit", "UBMIT", "task", "Task", "TASK")
_PLACES = late_regex(r"\.\d{6}")


def endings(attempt: Attempt) -> dict[str, Any]:
    """Only what there is: `cut`, `submitted`, `values`, `user_ends` where the user's own mark is the last word.

    `submitted_before` is work that was handed in, and gone on with; `own_end` the command that ended its own process.
    """
    cut_count = attempt.once(cut_answers)
    record: dict[str, Any] = {"cut": cut_count} if cut_count else {}
    if any(call.finishes for call in attempt.calls[-LAST:]) or hands_in_as_text(attempt):
        record["submitted"] = 1
    elif _may_be_handed_in(attempt) and any(map(_hands_in, attempt.calls[:-LAST])):
        record["submitted_before"] = 1
    if attempt.once(user_mark) is not None:
        record["user_ends"] = 1
    if values := _values(attempt):
        record["values"] = values
    if command := ending_command(attempt.signals, attempt.steps, attempt.made):
        record["own_end"] = command
    return record


def _may_be_handed_in(attempt: Attempt) -> bool:
    """Whether any call has a name, or any arguments have a word, without which no call hands in anything."""
    names = {call.name for call in attempt.calls}
    return any(map(finishing_name, names)) or holds_any(attempt.once(all_arguments), _FINISHING_HINTS)


def _hands_in(call: Call) -> bool:
    """Whether a call hands in or ends the work: its name tells, or the first words of one of its commands do.

    Behind these a command may speak of handing in, and do something else.
    """
    if finishing_name(call.name):
        return True
    if not holds_any(arguments_text(call.step.arguments), _FINISHING_HINTS):
        return False
    if not (command := command_of(call)):
        return call.finishes
    return any(finishing_command(" ".join(part.split(None, LAST)[:LAST])) for part in PARTS.split(command))


def ended(attempt: Attempt) -> bool:
    """Whether the work came to an end of its own: it was handed in, or the screen behind it shows a waiting shell.

    A tool's output may end with a prompt after every command, so that it says nothing here.
    """
    last = attempt.steps[-1] if attempt.steps else None
    waits = (
        last is not None
        and last.kind is not StepKind.OUTPUT
        and _PROMPT.fullmatch(last.text[-END_KEPT:].rstrip().rpartition("\n")[2]) is not None
    )
    return waits or handed_in(attempt)


def held_back(attempt: Attempt) -> dict[str, Any]:
    """`throttled` where time is said to have run out while the last line on the screen tells of a rate limit."""
    late = f"timed_out|{SOFT}|"
    last = attempt.steps[-1] if attempt.steps else None
    if (
        last is None
        or last.kind is not StepKind.ENVIRONMENT
        or not any(text.startswith(late) for text in attempt.signals)
    ):
        return {}
    lines = last.text[-END_KEPT:].rstrip().rsplit("\n", LAST)[-LAST:]
    return {"throttled": 1} if any(_THROTTLED.search(line) for line in lines) else {}


def settled_claims(attempt: Attempt) -> list[str]:
    """The claims of trouble of a row; a benchmark's word for a time limit beside an end of its own is marked so."""
    late = f"timed_out|{SOFT}|"
    if not any(text.startswith(late) for text in attempt.signals) or not ended(attempt):
        return list(attempt.signals)
    return [text.replace(late, f"timed_out|{ENDED}|", 1) if text.startswith(late) else text for text in attempt.signals]


def user_mark(attempt: Attempt) -> str | None:
    """The mark with which a simulated user ends the conversation, where that is the last that happens."""
    last = attempt.steps[-1] if attempt.steps else None
    if last is None or last.kind is not StepKind.USER or last.role != "user":
        return None
    mark = END_MARK.search(last.text[-MARK_WITHIN:])
    return mark.group() if mark else None


def cut_answers(attempt: Attempt) -> int:
    """How many answers tell that a time limit ended their call."""
    return sum([cut_short(call.answer.text) for call in attempt.answered if call.answer is not None])


def cut_short(text: str) -> bool:
    """Whether an output tells that a time limit ended the call."""
    both_ends = text if len(text) <= LONGEST else text[:END_KEPT] + text[-END_KEPT:]
    if has_odd_letters(both_ends):
        return cut_words(both_ends) is not None
    small = lowered(both_ends)
    match = "time" in small and (_CUT_TIME.search(small) or ("time limit" in small and _CUT_LIMIT.search(small)))
    if not match:
        match = "deadline exceeded" in small and _CUT_DEADLINE.search(small)
    if not match:
        return False
    return not _is_printed(small, match.start()) or cut_words(both_ends) is not None


def cut_words(text: str) -> re.Match[str] | None:
    """The first words that tell of a time limit, and are not printed by code that an output shows."""
    return next((match for match in CUT.finditer(text) if not _is_printed(text, match.start())), None)


def _is_printed(text: str, place: int) -> bool:
    """Whether the line before a place begins as code that prints what follows."""
    return _PRINTED.search(text, text.rfind("\n", 0, place) + 1, place) is not None


def _values(attempt: Attempt) -> list[str]:
    """Figures with many places in the last outputs and in the final message."""
    texts = [call.answer.text for call in attempt.answered[-LAST:] if call.answer is not None]
    ends = (text[-END_KEPT:] for text in (*texts, attempt.final_text))
    figures = (value for end in ends if _PLACES.search(end) for value in _FIGURE.findall(end))
    return list(dict.fromkeys(figures))[:MOST_VALUES]
