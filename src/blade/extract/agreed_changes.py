"""Whether what a user agrees to last differs from the expected changes that are missing: in an id, an action, a part.

A user who accepts and leaves stops the agent; that alone fails a rollout only where the agent was about to do the right
thing. Words that name no identifier and no action tell nothing, and nothing is held against them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from blade.extract.against_reference import action_digest
from blade.extract.attempt import Attempt
from blade.extract.calls import changing_name
from blade.extract.circumstances import identifiers
from blade.extract.made_up import texts
from blade.extract.names import words
from blade.extract.reference import Action
from blade.extract.text import clip
from blade.extract.user_ids import numbered
from blade.extract.user_turns import AGREES
from blade.late_regex import late_regex
from blade.model import StepKind

LONGEST = 2_000
SHORTEST_VERB = 4
_SENTENCE = late_regex(r"\s(?:(?<=[.!?]\s)\s*|(?<=\n)\n*)")
"""White space is found far sooner than the end of a sentence: it comes first."""
_LISTED = late_regex(r"\A\W*(?:\d+[.)]\W*)?")
"""What stands before the first word of an entry of a list."""
_AGREES = late_regex(
    rf"{AGREES.pattern}|\b(?:confirm|proceed|go ahead|authori[sz]e|please)\b",
    re.IGNORECASE,
)
"""A sentence of the user that agrees to something or asks for it."""
_PERSON = late_regex(
    r"\b(?:human|live|real)[ -](?:agent|person|representative|operator|specialist)|\b(?:supervisor|representative)\b|"
    r"\b(?:transfer|connect|escalate)\b[^.!?\n]{0,40}\bhuman\b",
    re.IGNORECASE,
)
"""A user who asks for a person with the same words was refused a part of the request."""


def agreed_otherwise(attempt: Attempt) -> dict[str, Any]:
    """`agreed_otherwise`: how the last proposal differs from the missing changes; else `proposal`, to be compared."""
    if attempt.shape is None or attempt.changes is None or not attempt.shape.missing or len(attempt.steps) < 2:
        return {}
    proposal, answer = attempt.steps[-2:]
    if answer.kind is not StepKind.USER or proposal.kind is not StepKind.MESSAGE:
        return {}
    expected, missing = list(attempt.changes.expected.values()), attempt.shape.missing
    difference = (
        _refused(attempt, missing)
        or _other_object(proposal.text, expected)
        or _part(proposal.text, missing)
        or _part(answer.text, missing)
        or ("a person is to take over" if _PERSON.search(answer.text) else "")
    )
    return {"agreed_otherwise": difference} if difference else {"proposal": clip(proposal.text.lower(), LONGEST)}


def agreed_tool(attempt: Attempt, missing: Sequence[Action]) -> str | None:
    """The tool of the missing change that the user's agreeing words name, or else the proposal which they answer.

    None where these name another action and none that is missing; empty where they name none at all.
    """
    proposal, answer = attempt.steps[-2].text, attempt.steps[-1].text
    agreeing = " ".join(text for text in _SENTENCE.split(answer) if _AGREES.search(text) and not _PERSON.search(text))
    tools = {name for name in (*(attempt.tools or ()), *(call.name for call in attempt.calls)) if changing_name(name)}
    word_counts = Counter(word for name in tools | {name for name, _ in missing} for word in set(words(name)))
    low = ""
    for text in (agreeing, proposal.strip().split("\n\n")[-1], f"{agreeing} {proposal}"):
        low = text.lower().replace("\\_", "_")
        marks = [_marks(action, low, word_counts) for action in missing]
        if any(marks):
            return missing[marks.index(max(marks))][0]
    return None if any(stem in low for stem in {_stem(name) for name in tools} - {""}) else ""


def _marks(action: Action, low: str, word_counts: Mapping[str, int]) -> int:
    """How many values of a change a text holds, and words of its tool: the verb, and those that no other tool has."""
    name, arguments = action
    values = {str(value).lower() for _, value in texts(arguments) if len(str(value)) >= SHORTEST_VERB}
    tool_words = {word for word in words(name) if word_counts[word] == 1 and len(word) >= SHORTEST_VERB}
    verb = _stem(name)
    return sum(mark in low for mark in values | tool_words | ({verb} if verb else set()))


def _refused(attempt: Attempt, missing: Sequence[Action]) -> str:
    """The very change that is missing was tried and refused."""
    missing_digests = {action_digest(*action) for action in missing}
    refused_names = (
        call.name for call in attempt.failed if action_digest(call.name, call.arguments) in missing_digests
    )
    return next((f"{name} was refused" for name in refused_names), "")


def _other_object(text: str, expected: Sequence[Action]) -> str:
    """An identifier that no expected change has, in the last sentence that names any of its form."""
    last: dict[tuple[str, int], list[str]] = {}
    for sentence in _SENTENCE.split(text):
        numbers_by_form: dict[tuple[str, int], list[str]] = {}
        for number, form in _numbers(sentence):
            numbers_by_form.setdefault(form, []).append(number)
        last |= numbers_by_form
    if not last:
        return ""
    expected_forms = {
        number: form for _, arguments in expected for number, form in _numbers(" ".join(identifiers(arguments)))
    }
    forms = set(expected_forms.values())
    foreign = (
        number for form, numbers in last.items() if form in forms for number in numbers if number not in expected_forms
    )
    return next((f"names {number}" for number in foreign), "")


def _numbers(text: str) -> Iterator[tuple[str, tuple[str, int]]]:
    """Identifiers by their digits, each with its form: the letters before, and how many digits."""
    for _, prefix, digits in numbered(text):
        yield digits, (prefix, len(digits))


def other_action(proposal: str, tools: Iterable[str], expected: Iterable[str], missing: Iterable[str]) -> str:
    """An entry that begins with an action which nobody expects, or a text that names others and none that is missing.

    `tools` are all tools that are known to change something, whoever calls them.
    """
    tool_stems, lacking = ({_stem(name) for name in names} - {""} for names in (tools, missing))
    unexpected = tool_stems - lacking - {_stem(name) for name in expected}
    for line in proposal.splitlines():
        start = _LISTED.sub("", line)
        if start != line and start.startswith(tuple(unexpected)):
            return start.split()[0]
    named_stems = sorted(stem for stem in tool_stems - lacking if stem in proposal)
    return named_stems[0] if named_stems and lacking and not any(stem in proposal for stem in lacking) else ""


def _stem(tool: str) -> str:
    """The verb of a tool without its last letter; empty where it is too short to be told from other words."""
    verb = next(iter(words(tool)), "")
    return verb[: max(SHORTEST_VERB, len(verb) - 1)] if len(verb) >= SHORTEST_VERB else ""


def _part(text: str, missing: Sequence[Action]) -> str:
    """Some of the missing changes are named by an identifier of their own, and another is not."""
    id_counts = Counter(identifier for _, arguments in missing for identifier in set(identifiers(arguments)))
    own_ids = [
        {identifier for identifier in identifiers(arguments) if id_counts[identifier] == 1} for _, arguments in missing
    ]
    is_named = [any(identifier.lstrip("#") in text for identifier in ids) for ids in own_ids]
    if not any(is_named) or all(is_named):
        return ""
    left = next(
        (name for (name, _), ids, named_here in zip(missing, own_ids, is_named, strict=True) if ids and not named_here),
        "",
    )
    return f"leaves out {left}" if left else ""
