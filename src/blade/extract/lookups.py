"""What the expected changes of a rollout name, and whether the rollout ever saw it: opened, shown by a tool, or never.

A change that was left out says little by itself. That the record it concerns was never opened, or that no tool ever
showed the value it needs, says where the work stopped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from blade.extract.against_reference import action_digest
from blade.extract.attempt import Attempt
from blade.extract.calls import changing_name
from blade.extract.circumstances import identifiers
from blade.extract.names import first_word
from blade.late_regex import late_regex
from blade.model import StepKind

MOST_VALUES = 12
MOST_MISSING = 6
SHORTEST_VERB = 4
SHORTEST_MISSPELT = 5
MOST_SLIPS = 2
_ENDING = late_regex(r"(?:ing|ed|s)$")
_SENTENCE = late_regex(r"\s(?:(?<=[.!?;]\s)\s*|(?<=\n)\n*)")
"""White space is found far sooner than the end of a sentence: it comes first."""
_CONDITION = late_regex(
    r"\b(?:if|unless|otherwise|whether|else|in case|in the event|only|provided|when|once|until|instead|alternatively)\b"
)
_GIVEN = frozenset({StepKind.USER, StepKind.OUTPUT, StepKind.ENVIRONMENT, StepKind.PROMPT})
CONDITIONAL = 2
OPENED, SHOWN, HEARD, UNSEEN = "opened", "shown", "heard", "unseen"
"""A reading call named the value and went well; a tool's answer held it; a user or the prompt did; nobody did."""


def lookups(attempt: Attempt) -> dict[str, Any]:
    """`key_values`: `[value, how it was seen, by which tool, whether the key opens it]`; `left_out`; `requests`.

    `left_out` has tool, identifiers and digest of the first changes that are missing.
    """
    if attempt.reference is None or attempt.changes is None or attempt.shape is None:
        return {}
    expected = attempt.changes.expected
    values = list(dict.fromkeys(value for _, arguments in expected.values() for value in identifiers(arguments)))
    record: dict[str, Any] = {}
    if values:
        reads = (arguments for name, arguments in attempt.reference[1] if changing_name(name) is False)
        opened = {value for arguments in reads for value in identifiers(arguments)}
        record["key_values"] = [
            [value, *_how_it_was_seen(attempt, value), int(value in opened)] for value in values[:MOST_VALUES]
        ]
    missing = attempt.shape.missing
    if missing:
        record["left_out"] = [
            [name, list(identifiers(arguments)), action_digest(name, arguments)]
            for name, arguments in missing[:MOST_MISSING]
        ]
    if requests := _requests(attempt, [name for name, _ in expected.values()]):
        record["requests"] = requests
    return record


def _looked_up(attempt: Attempt) -> list[tuple[str, set[str], str]]:
    """The reading calls that went well: the tool, what looks like an id among its arguments, its answer."""
    return [
        (call.name, set(identifiers(call.arguments)), call.answer.text)
        for call in attempt.answered
        if not call.failed and call.answer is not None and changing_name(call.name) is False
    ]


def _how_it_was_seen(attempt: Attempt, value: str) -> tuple[str, str]:
    """How a value was seen, at best, and the tool that opened or showed it."""
    showing_tool = ""
    for name, opened, answer in attempt.once(_looked_up):
        if value in opened:
            return OPENED, name
        if not showing_tool and value in answer:
            showing_tool = name
    if showing_tool:
        return SHOWN, showing_tool
    given_steps = (step for step in (*attempt.prompt, *attempt.steps) if step.kind in _GIVEN)
    return (HEARD if any(value in step.text for step in given_steps) else UNSEEN), ""


def _requests(attempt: Attempt, tools: Sequence[str]) -> list[list[Any]]:
    """Per verb of an expected change: whether (and how) the instruction asks for it; whether the user says it."""
    instruction = attempt.instruction
    if not instruction or not attempt.users:
        return []
    opening = [step.text for step in attempt.prompt if step.role == "user"]
    user_words = "\n".join((*opening, *(step.text for _, step in attempt.users))).lower()
    verbs = dict.fromkeys(verb for name in tools if len(verb := first_word(name)) >= SHORTEST_VERB)
    return [
        [verb, _instructed(instruction, verb), int(_says(user_words, verb) or _misspelt(user_words, verb))]
        for verb in verbs
    ]


@lru_cache(maxsize=512)
def _instructed(instruction: str, verb: str) -> int:
    """Whether an instruction asks for a change, and whether only where something holds, which may never come up.

    All attempts at a task have the same instruction.
    """
    asking = [text for text in _SENTENCE.split(instruction.lower()) if _says(text, verb)]
    if not asking:
        return 0
    return CONDITIONAL if all(_CONDITION.search(text) for text in asking) else 1


def _says(text: str, verb: str) -> bool:
    """Whether a text holds the verb in any form that keeps all but its last letter."""
    return verb[: max(SHORTEST_VERB, len(verb) - 1)] in text


def _misspelt(text: str, verb: str) -> bool:
    """Whether a word of the text is the verb with up to two slips of the pen; its first letter is kept."""
    if len(verb) < SHORTEST_MISSPELT:
        return False
    near = set(_words_with(verb[0]).findall(text))
    return any(_slips(form, verb) <= MOST_SLIPS for word in near for form in (word, _ENDING.sub("", word)))


@lru_cache(maxsize=64)
def _words_with(letter: str) -> re.Pattern[str]:
    """Words that begin with a letter and are long enough; the letter is found far sooner than where a word begins."""
    return re.compile(rf"{re.escape(letter)}(?<![^\W\d_].)(?<=[^\W\d_])[^\W\d_]{{{SHORTEST_MISSPELT - 1},}}")


def _slips(first: str, second: str) -> int:
    """How many letters are to be put in, taken out or replaced to make one word of the other."""
    if abs(len(first) - len(second)) > MOST_SLIPS:
        return MOST_SLIPS + 1
    line = list(range(len(second) + 1))
    for place, letter in enumerate(first, 1):
        before, line[0] = line[0], place
        for at, letter_of_second in enumerate(second, 1):
            before, line[at] = line[at], min(line[at] + 1, line[at - 1] + 1, before + (letter != letter_of_second))
    return line[-1]
