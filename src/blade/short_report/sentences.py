"""A paragraph as the statements that can stand alone: a caveat stays with what it limits, a pronoun with its noun."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from blade.document import Fact, Paragraph, Sentence

_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.) (?=\S)|(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.) $")
_OPENING = re.compile(r"[A-Z\"“`(\d−+]")
_LIMITS = re.compile(
    r"\b(?:chance|not shown|no cause|not (?:by itself )?a cause|may be|may do|need not|cannot be told|"
    r"prove nothing|includes? zero|inferred|a ceiling|ceilings|assumption|"
    r"not all of them|by their wording|too few|too near|"
    r"overlaps?|not tested|no fault|look at the test|not measure|inconclusive|is not recorded)\b"
)
_REFERS = re.compile(
    r"(?:they|them|their|it|its|this|that|these|those|there|then|so|such|each|both|all|none|neither|others?|yet|but|"
    r"and|also|of (?:them|these|those|the others)|in (?:\d+|both|all|none|most) of (?:them|these)|by (?:run|attempt)|"
    r"tasks:|rollouts:|for instance|where it|an answer|"
    r"the (?:same|others?|rest)|\d[\d,]* (?:more|of them|of these|others?))\b",
    re.IGNORECASE,
)
_CLOSING = {"“": 1, "”": -1, "(": 1, ")": -1}
_QUOTED_VALUE = re.compile(r"(?<!\w)'[^']*'(?!\w)")
"""An answer or a key as a sentence quotes it: a full stop in it ends nothing."""


def limits(text: str) -> bool:
    """Whether a sentence takes something back from what was said before."""
    return bool(_LIMITS.search(text))


def statements(paragraph: Paragraph, runs: Sequence[str]) -> list[tuple[Sentence, int | None]]:
    """What a paragraph states, piece by piece, and which piece before it each needs to be understood.

    A sentence that limits the one before is one piece with it: left out, it would change what is claimed. One that
    begins with a run, as the first does, stands alone; one that begins with a pronoun needs the last; others the first.
    """
    pieces: list[tuple[Sentence, int | None]] = []
    begins = _beginning(runs)
    for sentence in (part for full_sentence in paragraph.sentences for part in english(full_sentence)):
        text = sentence.text
        if not pieces:
            pieces.append((sentence, None))
        elif begins.match(text):
            alone = begins.match(pieces[0][0].text)
            pieces.append((sentence, None if alone else 0))
        elif limits(text):
            before, needs = pieces[-1]
            pieces[-1] = (Sentence((*before.parts, " ", *sentence.parts)), needs)
        else:
            pieces.append((sentence, len(pieces) - 1 if _REFERS.match(text) else 0))
    return pieces


def _beginning(runs: Sequence[str]) -> re.Pattern[str]:
    names = "|".join(re.escape(run) for run in sorted(runs, key=len, reverse=True))
    return re.compile(rf"(?:(?:In|Of|On|Only|For|The rows of) )?`?(?:{names})\b")


@lru_cache(maxsize=8192)
def _cuts(text: str, depth: int) -> tuple[tuple[int, ...], int]:
    """Where sentences end in a literal text, outside of quotes and brackets; and how deep the text leaves us."""
    ends, place = [], 0
    values = [match.span() for match in _QUOTED_VALUE.finditer(text)]
    for match in _END.finditer(text):
        depth += sum(_CLOSING.get(letter, 0) for letter in text[place : match.start()])
        place = match.start()
        after = text[match.end() :]
        quoted = any(start < place < end for start, end in values)
        if depth <= 0 and not quoted and (not after or _OPENING.match(after) or after[:1].isalpha()):
            ends.append(match.start())
    depth += sum(_CLOSING.get(letter, 0) for letter in text[place:])
    return tuple(ends), max(depth, 0)


def english(sentence: Sentence) -> Iterator[Sentence]:
    """The sentences that one template holds."""
    current: list[str | Fact] = []
    depth = 0
    for part in sentence.parts:
        if isinstance(part, Fact):
            current.append(part)
            continue
        ends, depth = _cuts(part, depth)
        start = 0
        for end in ends:
            current.append(part[start:end])
            yield Sentence(tuple(current))
            current, start = [], end + 1
        if part[start:]:
            current.append(part[start:])
    if any(isinstance(part, Fact) or part.strip() for part in current):
        yield Sentence(tuple(current))
