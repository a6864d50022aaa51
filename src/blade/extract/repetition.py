"""Text that goes in circles: the same run of words again and again in one message, or the same message again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from blade.extract.repetition_prefilter import may_repeat, may_repeat_in_any
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Step, StepKind

GRAM = 12
TIMES = 5
MESSAGES = 3
_MESSAGE = StepKind.MESSAGE
_READ = 16_000
_SHORTEST = 300
_FEW = 2_000
FEWEST_SPACES = GRAM * TIMES - 1
_LEAST_WORDS = 5
_SHARE = 0.15
_OFTEN = 10
_WORD = late_regex(r"\S+")
_FORMULA = late_regex(r"[\\$=^{}]")
_LETTERS = late_regex(r"[^\W\d_]{2,}")


@frozen
class Circle:
    """The first and the last place of what is repeated, how often it stands there, and whether it is the very end."""

    step: Step
    first: tuple[int, int]
    last: tuple[int, int]
    times: int
    to_the_end: bool
    others: tuple[Step, ...] = ()


def circle(spoken: Sequence[Step]) -> Circle | None:
    """The first loop of words in what the model says or thinks."""
    long = [step for step in spoken if len(step.text) >= _SHORTEST]
    for step in long if _may_circle(long) else ():
        loop = _words(step)
        if loop:
            return loop
    return _messages([step for step in spoken if step.kind is _MESSAGE], spoken)


def _may_circle(long: Sequence[Step]) -> bool:
    """Whether one of these may hold a loop; few words are sooner looked at one text after the other."""
    tails = [step.text[-_READ:] for step in long]
    return sum(map(len, tails)) < _FEW or may_repeat_in_any(tails)


def _words(step: Step) -> Circle | None:
    """A run of twelve words that stands in the last part of a text five times, one after the other."""
    base = max(len(step.text) - _READ, 0)
    tail = step.text[base:]
    if not may_repeat(tail, GRAM * TIMES) or sum(map(step.text.count, " \n\t")) < FEWEST_SPACES:
        return None
    words = tail.split()
    if len(set(words)) * 2 > len(words) + GRAM * 2:
        return None
    gram_counts = Counter(zip(*(words[at:] for at in range(GRAM)), strict=False))
    for gram, times in gram_counts.most_common(GRAM):
        if times < TIMES:
            break
        if not _says_something(gram):
            continue
        at = _apart(words, gram)
        if len(at) >= TIMES and (len(at) >= _OFTEN or len(at) * GRAM >= _SHARE * (at[-1] + GRAM - at[0])):
            first, last = at[0], at[-1]
            places = [(match.start(), match.end()) for match in _WORD.finditer(step.text, base)]
            ends = len(words) - last <= (at[1] - at[0]) + GRAM
            return Circle(
                step,
                (places[first][0], places[first + GRAM - 1][1]),
                (places[last][0], places[last + GRAM - 1][1]),
                len(at),
                ends,
            )
    return None


def _says_something(gram: tuple[str, ...]) -> bool:
    """Words of a language, not the rules of a table, a formula or the same row of digits."""
    plain = {word for word in gram if _LETTERS.search(word) and not _FORMULA.search(word)}
    return len(plain) >= _LEAST_WORDS and "|" not in gram


def _apart(words: list[str], gram: tuple[str, ...]) -> list[int]:
    """Where the run of words stands, no two overlapping."""
    starts: list[int] = []
    for at, word in enumerate(words):
        if word == gram[0] and (not starts or at >= starts[-1] + GRAM) and tuple(words[at : at + GRAM]) == gram:
            starts.append(at)
    return starts


def _messages(messages: Sequence[Step], spoken: Sequence[Step]) -> Circle | None:
    if len(messages) < MESSAGES:
        return None
    groups: dict[str, list[Step]] = {}
    for step in messages:
        text = step.text.strip()
        if len(text) >= 80:
            groups.setdefault(text, []).append(step)
    for text, copies in groups.items():
        if len(copies) >= MESSAGES and _LETTERS.search(text):
            span = (0, min(len(copies[0].text), 160))
            return Circle(copies[0], span, span, len(copies), copies[-1] is spoken[-1], tuple(copies[1:]))
    return None
