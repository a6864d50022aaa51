"""The phrases of a rollout by whose words they are: every three words in a row as a number, few enough to be kept.

Wording varies, so that whole sentences seldom recur; three words in a row do. Numbers and names with digits in them are
one word, and no phrase goes on over the end of a sentence or of a line. Of long outputs both ends are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from blade.extract.attempt import Attempt
from blade.extract.transcript import arguments_text
from blade.model import Step, StepKind

Numbers = npt.NDArray[np.uint32]
Places = npt.NDArray[np.intp]
MODEL, ENVIRONMENT, USER = "model_phrases", "environment_phrases", "user_phrases"
CALLS, THOUGHTS = "call_phrases", "thought_phrases"
ACTORS = (MODEL, ENVIRONMENT, USER, CALLS, THOUGHTS)
"""Whose words: the model's in messages, in its calls (code, commands, values) and in its reasoning are told apart."""
MOST = 500
"""Of more phrases those with the smallest numbers are kept, in every rollout by the same rule."""
EVERY = 1 << 32
ENDS_KEPT = {MODEL: 6000, ENVIRONMENT: 200, USER: 6000, CALLS: 500, THOUGHTS: 1500}
"""So many letters are read at each end of a message, an output, a call and a piece of reasoning."""
LARGEST_BATCH = 1 << 20
FEW_BYTES = 1 << 16
"""So much text at once: numbers for more of it would not stay at hand."""
_OUTPUT, _ENVIRONMENT, _THOUGHT, _CALL = StepKind.OUTPUT, StepKind.ENVIRONMENT, StepKind.THOUGHT, StepKind.CALL
_ACTOR_OF_STEP = {
    StepKind.MESSAGE: MODEL,
    StepKind.USER: USER,
    _OUTPUT: ENVIRONMENT,
    _ENVIRONMENT: ENVIRONMENT,
    _CALL: CALLS,
    _THOUGHT: THOUGHTS,
}
_ESCAPES = (("\\n", " \n"), ("\\t", "  "), ('\\"', "  "))
"""As many letters as before, so that a phrase stands where it stood."""
_SPACE, _BREAK, _DIGIT, _POINT = b" |0."


def _plain_byte(code: int) -> int:
    letter = chr(code)
    if letter.isalpha() or letter == "'" or code > 127:
        return ord(letter.lower()) if code < 128 else code
    return _DIGIT if letter.isdigit() else _BREAK if letter in "\n!?" else _SPACE


_PLAIN = bytes(map(_plain_byte, range(256)))
"""Lower case, every digit a 0, a bar at the end of a sentence or a line, a space for all that is no part of a word."""
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_FACTORS = tuple(np.uint64(factor) for factor in (0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5))
_NUMBER, _HALF = np.uint64(1), np.uint64(32)


class _Powers:
    """Powers of the base and of its inverse, as many as the longest text so far needed."""

    def __init__(self) -> None:
        self.up = self.down = np.ones(1, np.uint64)

    def for_length(self, length: int) -> None:
        if length > len(self.up):
            size = max(length, 1 << 16)
            self.up = np.cumprod(np.r_[np.uint64(1), np.full(size - 1, _BASE, np.uint64)], dtype=np.uint64)
            self.down = np.cumprod(np.r_[np.uint64(1), np.full(size - 1, _INVERSE, np.uint64)], dtype=np.uint64)


_POWERS = _Powers()


def texts_of(attempt: Attempt) -> list[bytes]:
    """What each actor says in a rollout, line by line; of a long text both ends."""
    texts: dict[str, list[str]] = {actor: [] for actor in ACTORS}
    for step in attempt.steps:
        if actor := _ACTOR_OF_STEP.get(step.kind):
            text, end_length = _as_written(step) if actor is CALLS else step.text, ENDS_KEPT[actor]
            texts[actor].append(text if len(text) <= 2 * end_length else _ends(text, end_length))
    return [_encoded("\n".join(of_actor)) for of_actor in texts.values()]


def phrases_of(rollouts: Sequence[Sequence[bytes]]) -> Iterator[dict[str, bytes | None]]:
    """The phrases of some rollouts by actor. The texts of short ones are read at once."""
    for first, last in _batches([sum(map(len, texts)) for texts in rollouts], FEW_BYTES):
        packed_texts = packed([text for texts in rollouts[first:last] for text in texts])
        for place in range(0, len(packed_texts), len(ACTORS)):
            yield dict(zip(ACTORS, packed_texts[place : place + len(ACTORS)], strict=True))


def steps_of(attempt: Attempt, actor: str) -> list[Step]:
    """Whose words they are: what the model says, calls or thinks; what tools and programs print; what a user says."""
    if actor == MODEL:
        return attempt.messages
    if actor == USER:
        return [step for _, step in attempt.users]
    if actor == THOUGHTS:
        return [step for step in attempt.steps if step.kind is _THOUGHT]
    if actor == CALLS:
        return [replace(step, text=_as_written(step)) for step in attempt.steps if step.kind is _CALL]
    return [step for step in attempt.steps if (kind := step.kind) is _OUTPUT or kind is _ENVIRONMENT]


def _as_written(step: Step) -> str:
    """The arguments of a call as they are cited; line breaks and quotes in JSON are no letters of the next word."""
    text = arguments_text(step.arguments)
    if "\\" not in text:
        return text
    for escape, plain in _ESCAPES:
        text = text.replace(escape, plain)
    return text


def _ends(text: str, end_length: int) -> str:
    return f"{text[:end_length]}\n{text[-end_length:]}"


def packed(texts: Sequence[bytes]) -> list[bytes | None]:
    """The phrases of each text as bytes, the smallest, each once; None where there is none.

    All are read and sorted at once: no phrase goes over a line, and the place of its text stands before each number.
    """
    trigrams = _words(b"\n".join(texts))
    if trigrams is None:
        return [None] * len(texts)
    mixed, is_phrase, starts, _ = trigrams
    lengths = [0, *(len(text) + 1 for text in texts)]
    places = np.arange(len(texts) + 1, dtype=np.uint64) << _HALF
    counts = np.diff(starts.searchsorted(np.cumsum(lengths)), append=len(starts))
    numbers = _each_once(((mixed >> _HALF) | np.repeat(places, counts)[: len(mixed)])[is_phrase])
    edges = numbers.searchsorted(places).tolist()
    short = numbers.astype(np.uint32)
    return [
        short[first : min(last, first + MOST)].tobytes() if last > first else None for first, last in pairwise(edges)
    ]


def _each_once(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """In order, and each once."""
    numbers.sort()
    first = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return numbers[first]


def unpacked(packed_numbers: bytes | None) -> tuple[Numbers, int]:
    """The phrases, and the number below which none is missing."""
    numbers = np.frombuffer(packed_numbers or b"", np.uint32)
    return numbers, limit_of(numbers)


def limit_of(numbers: Numbers) -> int:
    """The number below which no phrase of a rollout is missing among those that are kept."""
    return int(numbers[-1]) + 1 if len(numbers) == MOST else EVERY


def spans(texts: Sequence[str], searched: Collection[int]) -> Iterator[tuple[int, int, int, int]]:
    """Where some phrases stand in texts: the place of the text among them, number, start and end."""
    marks = np.sort(np.fromiter(searched, np.uint32, len(searched)))
    encoded = [_encoded(text) for text in texts]
    for first, last in _batches([len(text) + 1 for text in encoded], LARGEST_BATCH):
        trigrams = _words(b"\n".join(encoded[first:last]))
        if trigrams is None:
            continue
        mixed, is_phrase, starts, ends = trigrams
        numbers = _numbers(mixed)
        hits = np.flatnonzero(is_phrase & (marks.take(marks.searchsorted(numbers), mode="clip") == numbers))
        edges = np.cumsum([0, *(len(text) + 1 for text in encoded[first:last])])
        places = edges.searchsorted(starts[hits], side="right") - 1
        spots = numbers[hits], starts[hits] - edges[places], ends[hits + 2] - edges[places]
        for place, number, start, end in zip(places.tolist(), *(spot.tolist() for spot in spots), strict=True):
            text = encoded[first + place]
            yield first + place, number, len(text[:start].decode()), len(text[:end].decode())


def _batches(sizes: Sequence[int], largest: int) -> Iterator[tuple[int, int]]:
    """From where to where texts are read together: many short ones at once, a long one by itself."""
    first, together = 0, 0
    for place, size in enumerate(sizes):
        if together + size > largest and place > first:
            yield first, place
            first, together = place, 0
        together += size
    if sizes:
        yield first, len(sizes)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", errors="replace")


def _numbers(mixed: npt.NDArray[np.uint64]) -> Numbers:
    return (mixed >> _HALF).astype(np.uint32)


def _words(text: bytes) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_], Places, Places] | None:
    """A number for every three words in a row, whether they are a phrase, and the bytes between which each word stands.

    All words at once, as every row is read. What is rare, digits and ends of sentences, is found by its places.
    """
    given = np.frombuffer(text, np.uint8)
    letters = np.frombuffer(bytearray(b" " + text.translate(_PLAIN) + b" "), np.uint8)
    letters[_places((given[:-1] == _POINT) & (given[1:] == _SPACE)) + 1] = _BREAK
    gap = (letters == _SPACE) | (letters == _BREAK)
    edges = _places(gap[1:] != gap[:-1])
    starts, ends = edges[::2], edges[1::2]
    if len(starts) < 3:
        return None
    words = _word_numbers(letters, edges)
    unbroken = np.ones(len(starts) + 1, np.bool_)  # before every word, and behind the last
    unbroken[starts.searchsorted(_places(letters == _BREAK))] = False
    is_phrase = unbroken[1:-2] & unbroken[2:-1]
    is_phrase &= np.maximum(np.maximum(words[:-2], words[1:-1]), words[2:]) > _NUMBER
    mixed = words[:-2] * _FACTORS[0]
    mixed += words[1:-1] * _FACTORS[1]
    mixed += words[2:] * _FACTORS[2]
    return mixed, is_phrase, starts, ends


def _word_numbers(letters: npt.NDArray[np.uint8], edges: Places) -> npt.NDArray[np.uint64]:
    """A number for every word, alike wherever it stands: a polynomial of its letters; 1 for what holds a digit."""
    _POWERS.for_length(len(letters))
    sums = letters * _POWERS.up[: len(letters)]
    np.add.accumulate(sums, out=sums)
    at_edges, starts = sums.take(edges), edges[::2]
    words: npt.NDArray[np.uint64] = at_edges[1::2] - at_edges[::2]
    words *= _POWERS.down.take(starts)
    digit = letters == _DIGIT
    first_digits = _places(digit[1:] > digit[:-1])  # a number is found by the first of its digits
    words[starts.searchsorted(first_digits, side="right") - 1] = _NUMBER
    return words


def _places(marks: npt.NDArray[np.bool_]) -> Places:
    """Where something stands."""
    return marks.nonzero()[0]
