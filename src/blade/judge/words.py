"""English as far as the judge needs it: content words, negation, opposites, causes, and the grammar of small words.

Nothing here speaks of a benchmark: its terms come from its data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

WORD = re.compile(r"[^\W\d_][\w'’]*(?:[-_][\w]+)*")
_ENDINGS = ("ings", "ing", "ies", "ied", "edly", "ed", "es", "ly", "s")

DETERMINERS = frozenset("the a an its their this these those each every our his her my your".split())
PREPOSITIONS = frozenset(
    "of in on at by for with from to into over under between against across through within without per during".split()
)
AUXILIARIES = frozenset(
    "is are was were be been being has have had do does did can could may might must shall should will would".split()
)
CONJUNCTIONS = frozenset("and or but because although while whereas than that which who whose when where if so".split())
PRONOUNS = frozenset("it they them we us he she i you there what".split())
OTHER_SMALL = frozenset(
    "as not no nor all any some most more less few also only then just both either such very too yet still here out up "
    "off about again once same own other s t re".split()
)
SMALL = DETERMINERS | PREPOSITIONS | AUXILIARIES | CONJUNCTIONS | PRONOUNS | OTHER_SMALL

NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|nobody|nothing|without|cannot|hardly)\b|n['’]t\b", re.IGNORECASE
)
DENIAL = re.compile(
    r"\b(?:it is (?:false|untrue|incorrect|wrong|not true|not the case)|it isn['’]t true|"
    r"contrary to (?:the )?(?:fact|truth|evidence)s?|"
    r"it would be (?:false|untrue|incorrect|wrong|a mistake) to|if it were (?:so|true)|"
    r"(?:some|people|others|critics) (?:claim|say|think|believe|argue) that|"
    r"(?:which|that|this) (?:is|was) (?:not (?:true|so|the case)|incorrect|wrong\W*$)|"
    r"(?:we|i) (?:found|see|saw|have) no (?:evidence|sign|proof|indication)s? (?:that|of|for)|"
    r"there (?:is|was) no (?:evidence|sign|proof|indication|reason) (?:that|of|for|to (?:think|believe|say))|"
    r"(?:we|i) (?:reject|deny|dispute|doubt)|(?:is|are|was|were) (?:a )?(?:false|untrue|myth)\b)",
    re.IGNORECASE,
)
CAUSAL = re.compile(
    r"\b(?:because|caus\w+|due to|root|driven by|leads? to|led to|results? (?:in|from)|stem\w* from|"
    r"trac\w+ (?:back )?to|"
    r"explain\w*|indicat\w+|means?|suggest\w*|reveal\w*|since|so that|therefore|hence|owing to|comes? from|came from|"
    r"responsible|reason|fails? to|failed to|instead of|rather than|diagnos\w+|behind)\b",
    re.IGNORECASE,
)
CONTRAST = re.compile(
    r"\b(?:but|however|although|though|despite|yet|except|exception\w*|contrary|whereas|in contrast|unlike|even so|"
    r"nevertheless|actually|not the)\b",
    re.IGNORECASE,
)
ADVICE = re.compile(
    r"\b(?:should|recommend\w*|fix|repair|rerun|run again|add|train\w*|teach|check|raise|lower|hold|retry|re-run|"
    r"prompt|reward|change|extend)\b",
    re.IGNORECASE,
)
OPPOSITES: tuple[tuple[str, str], ...] = (
    ("pass", "fail"),
    ("passing", "failing"),
    ("passes", "fails"),
    ("passed", "failed"),
    ("always", "never"),
    ("highest", "lowest"),
    ("higher", "lower"),
    ("more", "fewer"),
    ("more", "less"),
    ("larger", "smaller"),
    ("longer", "shorter"),
    ("most", "least"),
    ("best", "worst"),
    ("better", "worse"),
    ("strongest", "weakest"),
    ("correct", "incorrect"),
    ("correctly", "incorrectly"),
    ("right", "wrong"),
    ("rose", "fell"),
    ("gained", "lost"),
    ("above", "below"),
    ("easy", "hard"),
    ("always-fail", "always-pass"),
    ("leads", "trails"),
)
_OPPOSITE: dict[str, set[str]] = {}
for _one, _two in OPPOSITES:
    _OPPOSITE.setdefault(_one, set()).add(_two)
    _OPPOSITE.setdefault(_two, set()).add(_one)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A word without its inflection: enough to see that "fails" and "failing" are one word."""
    low = word.lower().replace("’", "'").removesuffix("'s")
    for ending in _ENDINGS:
        if low.endswith(ending) and len(low) - len(ending) >= 3:
            low = low[: -len(ending)]
            break
    return low.removesuffix("e") if len(low) > 3 else low


def words_of(text: str) -> list[str]:
    """Every word in order, in lower case, without numbers."""
    return [word.lower() for word in WORD.findall(text)]


@lru_cache(maxsize=100_000)
def content(text: str) -> tuple[str, ...]:
    """The stems of the words that carry meaning, in order; parts of joined names stand by themselves too."""
    stems: list[str] = []
    for word in WORD.findall(text):
        low = word.lower()
        if low in SMALL or len(low) < 2:
            continue
        parts = re.split(r"[-_]", low)
        stems += [stem(part) for part in parts if len(part) > 1 and part not in SMALL]
    return tuple(stems)


def negations(text: str) -> int:
    return len(NEGATION.findall(text))


def denied(text: str) -> bool:
    return bool(DENIAL.search(text))


def turned(left: Iterable[str], right: Iterable[str]) -> bool:
    """Whether a word of one text stands as its opposite in the other, and the word itself does not."""
    left_words, right_words = set(left), set(right)
    for word in left_words - right_words:
        for opposite in _OPPOSITE.get(word, ()):
            if opposite in right_words and opposite not in left_words:
                return True
    return False


def grammar_class(word: str) -> str:
    for name, members in (
        ("d", DETERMINERS),
        ("p", PREPOSITIONS),
        ("x", AUXILIARIES),
        ("c", CONJUNCTIONS),
        ("n", PRONOUNS),
    ):
        if word in members:
            return name
    return "s" if word in SMALL else "w"
