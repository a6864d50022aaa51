"""What the verifier's checks are told to look for, and whether the prompt says it and the answer holds it.

A check with arguments (`{"id": "ends_with", "args": {"phrase": "See you."}, "followed": true}`) or a list of such
records beside the flags (`follow_list: [true], kwargs: [{"num_bullets": 3}]`) names what it wants. Whether prompts say
the same, and whether a word is met only as a part of another one, is asked of all rollouts together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.checks import CHECK_NAMES, verdict
from blade.extract.names import words
from blade.extract.text import clip, squeeze
from blade.late_regex import late_regex

DEEPEST, WIDEST, MOST, MOST_VALUES = 3, 60, 16, 8
SHORTEST, LONGEST, LARGEST = 2, 60, 1_000_000
STANDS, INSIDE, ABSENT = 2, 1, 0
"""How the answer holds a value: as words of its own, only as a part of other words, or not at all."""
_HEAVY = frozenset({"responses_create_params", "response"})
_VERDICTS = frozenset("passed pass success correct met satisfied followed fulfilled ok matched verdict".split())
_WORDED = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve".split(),
        map(str, range(13)),
        strict=True,
    )
)
_WORDED_NUMBER = late_regex(rf"\b(?:{'|'.join(_WORDED)})\b")
_THOUSANDS = late_regex(r"(?<=\d),(?=\d{3}\b)")
_NUMBER = late_regex(r"(?<![A-Za-z0-9_.])\d+(?:\.\d+)?(?![A-Za-z0-9_])")
_WORD = late_regex(r"\w+")


def check_arguments(attempt: Attempt) -> dict[str, Any]:
    """`check_arguments`: per argument the check, whether it was met, the argument and its value.

    Behind them stand whether the prompt says it, how the answer holds it, and the word that holds it inside.
    """
    checks = [check for check, _ in zip(_checks(attempt.row, 0), range(MOST), strict=False)]
    if not checks:
        return {}
    prompt, answer = _plain(attempt.task_text), _plain(attempt.final_text)
    numbers = set(numbers_of(prompt))
    entries: list[list[Any]] = []
    for name, met, arguments in checks:
        for argument, value in _values(arguments):
            if isinstance(value, str):
                wanted = _plain(value)
                holds, word = _held(wanted, answer)
                entries.append([name, met, argument, clip(value, LONGEST), int(wanted in prompt), holds, word])
            else:
                number = f"{value:g}" if value < LARGEST else str(value)
                entries.append([name, met, argument, number, int(number in numbers), ABSENT, ""])
    return {"check_arguments": entries} if entries else {}


def numbers_of(text: str) -> list[str]:
    """The numbers of a text in lower case as figures, small ones written as words among them."""
    return _NUMBER.findall(_THOUSANDS.sub("", _WORDED_NUMBER.sub(lambda word: _WORDED[word[0]], text)))


def _plain(text: str) -> str:
    return squeeze(text).casefold().replace("’", "'").replace("“", '"').replace("”", '"')


def _checks(holder: Mapping[str, Any], depth: int) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Name, verdict and arguments of every check that has some, anywhere in what the verifier left on the row."""
    for place, (key, value) in enumerate(holder.items()):
        if place >= WIDEST or (not depth and key in _HEAVY):
            continue
        if isinstance(value, dict) and depth < DEEPEST:
            yield from _checks(value, depth + 1)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from (check for entry in value[:WIDEST] if (check := _told_in_one(entry)) is not None)
        elif isinstance(value, list) and value and all(isinstance(flag, bool) for flag in value):
            yield from _told_side_by_side(holder, value[:WIDEST])


def _told_in_one(entry: Any) -> tuple[str, int, Mapping[str, Any]] | None:
    """A check whose record has its name, its verdict and a record of arguments; None where one of them is missing."""
    if not isinstance(entry, dict):
        return None
    name = next((text for label in CHECK_NAMES if isinstance(text := entry.get(label), str) and text), "")
    flags = (verdict(value) for key, value in entry.items() if not _VERDICTS.isdisjoint(words(key)))
    met = next((flag for flag in flags if flag is not None), None)
    arguments = next((value for value in entry.values() if isinstance(value, dict) and value), None)
    return (clip(squeeze(name), LONGEST), int(met), arguments) if name and met is not None and arguments else None


def _told_side_by_side(
    holder: Mapping[str, Any], flags: Sequence[bool]
) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Checks whose verdicts, names and arguments are three lists of one length in one record."""
    lists = [value for value in holder.values() if isinstance(value, list) and len(value) == len(flags)]
    names = next((value for value in lists if all(isinstance(name, str) and name for name in value)), None)
    arguments = next((value for value in lists if all(isinstance(one, dict) for one in value)), None)
    if names is None or arguments is None or any(verdict(one) is not None for one in names):
        return
    for name, flag, one in zip(names, flags, arguments, strict=True):
        yield clip(squeeze(name), LONGEST), int(flag), one


def _values(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str | int | float]]:
    """Every short text and every number among the arguments of a check, those of lists one by one."""
    several = [(name, value if isinstance(value, list) else [value]) for name, value in arguments.items()]
    flat = ((name, one) for name, values in several for one in values)
    texts_and_numbers = (
        (str(name), one)
        for name, one in flat
        if (isinstance(one, str) and SHORTEST <= len(one.strip()) <= LONGEST)
        or (isinstance(one, (int, float)) and not isinstance(one, bool) and one >= 0)
    )
    yield from (entry for entry, _ in zip(texts_and_numbers, range(MOST_VALUES), strict=False))


def _held(wanted: str, answer: str) -> tuple[int, str]:
    """How the answer holds a text, and the word around its first place inside another word."""
    word = ""
    start = answer.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        before, after = answer[start - 1 : start], answer[end : end + 1]
        opens = not (before.isalnum() and wanted[0].isalnum())
        closes = not (after.isalnum() and wanted[-1].isalnum())
        if opens and closes:
            return STANDS, ""
        word = word or _word_around(answer, start)
        start = answer.find(wanted, start + 1)
    return (INSIDE, clip(word, LONGEST)) if word else (ABSENT, "")


def _word_around(text: str, place: int) -> str:
    beginning = place
    while beginning and text[beginning - 1].isalnum():
        beginning -= 1
    word = _WORD.match(text, beginning)
    return word[0] if word else ""
