"""A tool's answer that holds the task's own question with the expected answer close to it: a copy of the question set.

Words of the question count only where the model did not write them itself before: a query comes back in many answers.
Where the request holds the expected answer, as the options of a question do, a copy of the request shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from blade.extract.attempt import Attempt
from blade.extract.prefilter import lowered
from blade.extract.sought_values import SoughtValue, ToolAnswer, sought, tool_answers
from blade.extract.text import clip
from blade.late_regex import late_regex

RUN, SHORTEST_RUN = 8, 5
"""So many words of the request in a row are its own; of a shorter question all, if it has so many."""
BEHIND, BEFORE = 300, 120
"""How far behind the question, and before it, the expected answer may stand, in letters."""
BEHIND_SMALL = 60
SMALL = 2
"""A number of so few digits stands anywhere by chance: it follows the question at once."""
READ = 1_000
LONGEST = 300
MOST_WORDS = 150
"""So many words from the beginning of a long request, and from its end, are looked for."""
FEWEST_OF_ANY = 12
LONG_PART, MOST_OF_IT = 20, 0.7
"""A copy of the question has so many words in a row, or so much of one of its sentences."""
BLOCK = 4
"""Words that are looked for first: every run of eight holds a whole one of such blocks."""
_WORD = late_regex(r"\w+")
_ESCAPED = late_regex(r"\\(?:u[0-9a-f]{4}|[nrt])")
_QUESTION = late_regex(r"(?:^|[.!?:]\s|\n)([^.!?:\n]+)\?")
_SENTENCE_END = late_regex(r"[.!?:](?:\s|$)|\n")
Runs = frozenset[tuple[str, ...]]


class _Words(NamedTuple):
    """The words of a text with where each begins and ends."""

    words: list[str]
    starts: list[int]
    ends: list[int]


def leaked_key(attempt: Attempt) -> dict[str, Any]:
    """`leaked_key`: `[tool, item of its answer, calls made after it, its words]`, of the first such answer."""
    if attempt.key is None or not attempt.calls:
        return {}
    keys = [value for text in attempt.key.accepted if (value := sought(text)) is not None]
    answers = [answer for answer in tool_answers(attempt) if any(key.stands_in(answer.low) for key in keys)]
    requests = [attempt.low(step) for step in attempt.prompt if step.role == "user"] if answers else []
    requests += [lowered(attempt.instruction)] if answers else []
    if any(key.stands_in(text) for key in keys for text in requests):
        return {}
    request_runs = _united(_runs_of_request(text) for text in requests)
    for answer in answers if request_runs else ():
        if not any(pattern.search(answer.low) for text in requests for pattern in _blocks_of_request(text)):
            continue
        unwritten_runs = request_runs - _runs_of_calls(attempt, answer, sorted({len(run) for run in request_runs}))
        for key in keys if unwritten_runs else ():
            place = next(_copies(answer.low, key, unwritten_runs, requests), None)
            if place is not None:
                later = sum(not call.finishes for call in attempt.after(answer.call))
                words = clip(" ".join(answer.step.text[slice(*place)].split()), LONGEST)
                return {"leaked_key": [answer.call.name, answer.step.item, later, words]}
    return {}


def _united(parts: Iterator[Runs]) -> Runs:
    return frozenset[tuple[str, ...]]().union(*parts)


def _copies(low: str, key: SoughtValue, unwritten_runs: Runs, requests: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the question stands with the key, from the beginning of the one to the end of the other.

    A source that is asked about shares a phrase with the question: a copy has a sentence of it, or a long part of one.
    """
    behind = BEHIND_SMALL if key.digits == SMALL else BEHIND
    for start, end in key.places(low):
        begin = max(0, start - behind - READ)
        window = _words(low[begin : end + BEFORE + READ])
        for first, last in _stretches(window.words, unwritten_runs):
            opening, closing = begin + window.starts[first], begin + window.ends[last]
            stretch = window.words[first : last + 1]
            if not any(_is_copy_of(stretch, text) for text in requests):
                continue
            if closing <= start <= closing + behind:
                yield max(opening, end - LONGEST), end
            elif key.digits != SMALL and end <= opening <= end + BEFORE:
                yield start, min(closing, start + LONGEST)


def _is_copy_of(stretch: Sequence[str], request: str) -> bool:
    """Whether the words are most of what a request asks, or a long part of one that is no document."""
    if len(stretch) >= LONG_PART and len(_WORD.findall(request)) <= 2 * MOST_WORDS:
        return True
    blocks = _runs_of_words(stretch, BLOCK)
    return any(
        sum(tuple(words[place : place + BLOCK]) in blocks for place in range(len(words) - BLOCK + 1))
        >= MOST_OF_IT * (len(words) - BLOCK + 1)
        for words in _asking_sentences(request)
    )


def _stretches(words: Sequence[str], unwritten_runs: Runs) -> Iterator[tuple[int, int]]:
    """The first and the last word of every stretch of the request in a text."""
    sizes = sorted({len(run) for run in unwritten_runs}, reverse=True)
    first, last = -1, -2
    for place in range(len(words)):
        size = next((size for size in sizes if tuple(words[place : place + size]) in unwritten_runs), 0)
        if size and place > last + 1:
            if first >= 0:
                yield first, last
            first = place
        last = max(last, place + size - 1) if size else last
    if first >= 0:
        yield first, last


def _runs_of_calls(attempt: Attempt, answer: ToolAnswer, sizes: Sequence[int]) -> Runs:
    """What the model wrote in its calls up to the one that is answered."""
    texts = [text for call in attempt.calls if call.place <= answer.call.place for text in _texts(call.arguments)]
    return _united(_runs_of(lowered(text), size) for text in texts for size in sizes)


def _texts(arguments: Any) -> Iterator[str]:
    if isinstance(arguments, str):
        yield arguments
    elif isinstance(arguments, (dict, list)):
        for inner in arguments.values() if isinstance(arguments, dict) else arguments:
            yield from _texts(inner)


@lru_cache(maxsize=512)
def _runs_of_request(low: str) -> Runs:
    """What is the request's own: the attempts at a task have the same one."""
    return _united(_runs_of_words(words, RUN) for words in _parts(low)) | frozenset(_short_questions(low))


def _short_questions(low: str) -> list[tuple[str, ...]]:
    questions = [tuple(_WORD.findall(match[1])) for match in _QUESTION.finditer(low)]
    return [words for words in questions if SHORTEST_RUN <= len(words) < RUN]


@lru_cache(maxsize=512)
def _asking_sentences(low: str) -> tuple[tuple[str, ...], ...]:
    """The questions of a request; where it has no question mark, all sentences that are longer than a title."""
    questions = [match[1] for match in _QUESTION.finditer(low)]
    fewest = SHORTEST_RUN if questions else FEWEST_OF_ANY
    return tuple(
        words for part in questions or _SENTENCE_END.split(low) if len(words := tuple(_WORD.findall(part))) >= fewest
    )


def _parts(low: str) -> list[list[str]]:
    """The words of a request; of a long one its beginning and its end."""
    words = _WORD.findall(low)
    return [words] if len(words) <= 2 * MOST_WORDS else [words[:MOST_WORDS], words[-MOST_WORDS:]]


@lru_cache(maxsize=512)
def _blocks_of_request(low: str) -> tuple[re.Pattern[str], ...]:
    """Patterns of which a text matches one that holds a run of the request: far cheaper than to take it apart."""
    parts: list[Sequence[str]] = [*_parts(low), *_short_questions(low)]
    blocks = (words[place : place + BLOCK] for words in parts for place in range(0, len(words) - BLOCK + 1, BLOCK))
    return tuple(re.compile(r"\W+".join(map(re.escape, block))) for block in dict.fromkeys(map(tuple, blocks)))


@lru_cache(maxsize=512)
def _runs_of(low: str, size: int) -> Runs:
    return _runs_of_words(_WORD.findall(low), size)


def _runs_of_words(words: Sequence[str], size: int) -> Runs:
    return frozenset(tuple(words[place : place + size]) for place in range(len(words) - size + 1))


def _words(low: str) -> _Words:
    plain = _ESCAPED.sub(_blank, low) if "\\" in low else low
    matches = list(_WORD.finditer(plain))
    return _Words(
        [match.group() for match in matches], [match.start() for match in matches], [match.end() for match in matches]
    )


def _blank(match: re.Match[str]) -> str:
    """A break of lines, a dash or a mark that a text of JSON writes as a code: blanks, as many; a letter stays."""
    code = match.group()
    return code if len(code) > 2 and code.encode().decode("unicode_escape").isalnum() else " " * len(code)
