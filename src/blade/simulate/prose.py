"""Our own plain sentences, for the thinking that a model writes down."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import product

import numpy as np

__all__ = ["fresh_text", "musing"]

TEXT = (
    "at be by do go if in it no of on or so to up we add all and any ask bit cut day due end far few fit for get "
    "how key lay let low map new now odd off old one our out own put raw row run say see set six sum tab ten the "
    "try two use via way who why yet also back base best book both call case cell copy date days desk does done "
    "down each edge even fact file find firm form full gate give good half hand head hold hour into item join keep "
    "kept kind last late left less line list long look made main make many mark meet more most move must name near "
    "need next note once only open over page part past path plan read rest rule same scan seek sign slot some sort "
    "step stop sure take task team tell than that then this time told trim turn unit view wait want week what when "
    "which while whole within word work about above after again allow apart begin below bring check claim clear close "
    "count cover draft early enter every exact extra field final first floor given group guess hence holds index "
    "inner issue known large later leave level limit match might minor month never notes occur offer order other "
    "outer piece place plain point prior proof query quick quite range ratio ready reach right round scale score "
    "search second settle simple single source stable stage state steady stored strict summary surely table target "
    "tested thing think third total trace travel twice under until usual value verify visit weigh where wider write "
    "accept across action amount answer around assume before behind better beyond borrow budget carry change chosen "
    "column common compare confirm consider contain correct decide detail differ divide double during earlier either "
    "enough entire exactly explain finally follow forward further general happen however inspect instead isolate "
    "largest lookup manage meaning measure mention minimum missing narrow nearest nothing observe outline parallel "
    "perhaps portion precise prepare present previous primary proceed process produce properly question quickly "
    "rather reading reason recheck recount reduce related remain remove repeat replace request require resolve "
    "result return review section select separate several shorter similar smallest somewhat specific standard "
    "straight suggest suppose together towards upward written"
)
WORDS = tuple(TEXT.split())

OPENINGS = (
    "I want to be careful here:",
    "Going one step at a time,",
    "Before I go on,",
    "Looking at it again,",
    "What matters most is that",
    "To be sure,",
    "As far as I can tell,",
    "Put another way,",
)
SUBJECTS = (
    "the first line",
    "the last entry",
    "the wording of the request",
    "what was asked",
    "the order of the entries",
    "each value I use",
    "the part in the middle",
    "my first reading",
    "the simplest way",
    "a second look",
    "every detail so far",
    "the result I expect",
)
VERBS = (
    "has to agree with",
    "should be read together with",
    "says nothing against",
    "leaves little doubt about",
    "may still differ from",
    "fits well with",
    "should settle",
    "must not contradict",
    "depends on",
    "gives a hint about",
)
OBJECTS = (
    "the rest of the text",
    "the limits that were given",
    "the entry before it",
    "what I noted earlier",
    "the one thing that is asked for",
    "the exact spelling",
    "the numbers on the page",
    "the edge of the range",
    "the rule at the top",
    "the answer I have in mind",
    "the smaller of the two",
    "all that follows",
)
ENDINGS = (
    "",
    ", so I keep it",
    ", and I can go on",
    ", though I should check once more",
    ", which is good enough",
    ", unless I missed something",
    " and nothing else",
    " in this case",
)

CELL = 16
CELLS = 16384


def musing(rng: random.Random, sentences: int) -> str:
    """A few loose sentences, as a model thinks aloud."""
    parts = (OPENINGS, SUBJECTS, VERBS, OBJECTS)
    return " ".join(" ".join(map(rng.choice, parts)) + f"{rng.choice(ENDINGS)}." for _ in range(sentences))


@lru_cache(maxsize=1)
def _cells() -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """Two or three words in exactly sixteen characters: a table that text can be dealt from at memory speed."""
    rng = random.Random("cells")
    by_length: dict[int, list[str]] = {}
    for word in WORDS:
        by_length.setdefault(len(word), []).append(word)
    sizes = [split for count in (2, 3) for split in product(by_length, repeat=count) if sum(split) == CELL - count]
    texts = ["".join(rng.choice(by_length[size]) + " " for size in rng.choice(sizes)) for _ in range(CELLS)]
    return np.frombuffer("".join(texts).encode("ascii"), dtype=f"V{CELL}")


def fresh_text(rng: random.Random, chars: int) -> str:
    """About this many characters that no other text shares, dealt quickly enough for files of gigabytes."""
    picks = np.frombuffer(rng.randbytes(2 * max(1, chars // CELL)), dtype="<u2") & (CELLS - 1)
    return _cells().take(picks).tobytes().decode("ascii")
