"""A quick proof that no run of words stands in a text again and again: what nearly every text passes at little cost.

Of five places where the same twelve words stand, two begin alike when counted in fours from the first word of the text.
So the same stretch of eight words, from a fourth word to the next but one, stands there twice. Where no stretch does,
nothing is repeated, and only every fourth word had to be looked at.

All texts of an attempt are first looked at as one: what stands in one of them five times stands there five times too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

STRIDE = 4
LEAST_RUNS = STRIDE + 1
LEAST_WORDS = 3 * STRIDE
_FEW = 2_000
_SPACE = 32
_PAST_THE_END = "\0" * 8
_ODD, _ODDER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_HIGH = np.uint64(32)
_BLANK = bytes(_SPACE if chr(code).isspace() else code for code in range(128)) + bytes(range(128, 256))
_OTHER_BLANKS = tuple(bytes([code]) for code in range(128) if chr(code).isspace() and code != _SPACE)
_WHITE = [code for code in range(1 << 16) if chr(code).isspace()]
_UNITS = (np.arange(1 << 16, dtype=np.uint32) * np.uint32(40503) >> np.uint32(7)).astype(np.uint8)
_UNITS[:128] = np.arange(128)
_UNITS[128:] |= 128
_UNITS[_WHITE] = _SPACE
_IS_WHITE = bytes(code < 128 and chr(code).isspace() for code in range(256))
_ASCII = bytes(range(128))
_MIXES = np.uint32(0x9E3779B1)
_LETTER = np.uint32(8)


def may_repeat_in_any(texts: Sequence[str]) -> bool:
    """False only where no text has twelve words that stand in it five times.

    A word is told by its length and its first letter, and a run of words by the sum of what tells its words.
    """
    text_bytes = b"\n".join([b" .", *map(_plainly_spaced, texts), b" "])
    white = np.frombuffer(text_bytes.translate(_IS_WHITE), dtype=np.bool_)
    edges = (white[1:] != white[:-1]).nonzero()[0]
    begins = edges[::2]
    if len(begins) <= LEAST_WORDS * LEAST_RUNS:  # the point before the text is the first word
        return False
    fingerprints = (edges[1::2] - begins).astype(np.uint32)
    fingerprints <<= _LETTER
    fingerprints += np.frombuffer(text_bytes, dtype=np.uint8)[1:].take(begins)
    fingerprints *= _MIXES
    fingerprints *= fingerprints
    sums = fingerprints.cumsum(dtype=np.uint32)
    runs = sums[LEAST_WORDS:] - sums[:-LEAST_WORDS]
    runs.sort()
    return bool(np.count_nonzero(runs[LEAST_RUNS - 1 :] == runs[: 1 - LEAST_RUNS]))


def _plainly_spaced(text: str) -> bytes:
    """A text in UTF-8, where all white space between words is of ASCII."""
    if text.isascii():
        return text.encode("ascii")
    text_bytes = text.encode("utf-8", "surrogatepass")
    beyond = text_bytes.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    if beyond.split() == [beyond]:
        return text_bytes
    return " ".join(text.split()).encode("utf-8", "surrogatepass")


def may_repeat(text: str, least: int) -> bool:
    """False only where a text has fewer words than `least`, or no twelve words that stand in it five times apart."""
    return _among_few(text.split(), least) if len(text) < _FEW else _among_many(text, least)


def _among_few(words: list[str], least: int) -> bool:
    if len(words) < least:
        return False
    sampled_words = words[::STRIDE]
    return len(set(zip(sampled_words, sampled_words[1:], sampled_words[2:], strict=False))) < len(sampled_words) - 2


def _among_many(text: str, least: int) -> bool:
    """The same with bytes in place of words: the eight that begin at a word, and how far it is to a later one."""
    text_bytes = _letters(text)
    spaces = _spaces(text_bytes)
    twice = spaces[1:][spaces[1:] - spaces[:-1] == 1]
    if twice.size:
        text_bytes = np.delete(np.frombuffer(text_bytes, dtype=np.uint8), twice).tobytes()
        spaces = _spaces(text_bytes)
    if len(spaces) <= least:
        return False
    eights = np.ndarray((len(text_bytes) - 7,), dtype=np.uint64, buffer=text_bytes, strides=(1,))
    begins = spaces[:-1:STRIDE] + 1
    fours = eights[begins[:-1]] * _ODD + (begins[1:] - begins[:-1]).view(np.uint64)
    return _equal(fours[:-1] * _ODDER + fours[1:], 2) and _stands_often(eights, spaces + 1)


def _stands_often(eights: NDArray[np.uint64], begins: NDArray[np.int64]) -> bool:
    """Whether some twelve words stand there often enough, wherever they begin."""
    last = len(begins) - LEAST_WORDS
    begun = eights[begins[:-1]]
    keys = (begins[LEAST_WORDS:] - begins[:last]).view(np.uint64)
    for place in range(0, LEAST_WORDS, STRIDE):
        keys = keys * _ODD + begun[place : place + last]
    return _equal(keys, LEAST_RUNS)


def _equal(keys: NDArray[np.uint64], times: int) -> bool:
    """Whether one key is there so often; half of its bits tell it well enough."""
    short = (keys >> _HIGH).astype(np.uint32)
    short.sort()
    return bool((short[times - 1 :] == short[: 1 - times]).any())


def _spaces(text_bytes: bytes) -> NDArray[np.int64]:
    spaces: NDArray[np.int64] = (np.frombuffer(text_bytes, dtype=np.uint8) == _SPACE).nonzero()[0]
    return spaces


def _letters(text: str) -> bytes:
    """A byte for each letter, or half of a rare one; every kind of white space is the same byte, and at both ends."""
    framed = f" {text} {_PAST_THE_END}"
    if not text.isascii():
        coded = framed.encode(f"utf-16-{sys.byteorder[0]}e", "surrogatepass")
        return _UNITS.take(np.frombuffer(coded, dtype=np.uint16)).tobytes()
    text_bytes = framed.encode("ascii")
    return text_bytes.translate(_BLANK) if any(mark in text_bytes for mark in _OTHER_BLANKS) else text_bytes
