"""The text-only draft against 25 facts that people curated for the same report."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from blade.anchors import from_report, load
from blade.anchors.text import units

FOLDER = Path(__file__).parents[2] / "../shared/corpus/golden-cvdp"
WORD = re.compile(r"[a-z][a-z0-9_]{2,}|\d+(?:\.\d+)?")
MET = 0.16

pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not FOLDER.is_dir(), reason="../shared/corpus is not here")]


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def pairs(stems: Sequence[str]) -> set[frozenset[str]]:
    return {frozenset(stems[place : place + 2]) for place in range(len(stems) - 1)}


def recall(curated: Sequence[str], drafts: Sequence[str], weight: dict[str, float]) -> int:
    """Curated facts whose rare words and word pairs some draft holds."""

    def is_met(fact: str, draft: str) -> bool:
        fact_words, draft_words = words(fact), words(draft)
        shared = sum(weight[word] for word in set(fact_words) & set(draft_words)) / sum(
            weight[word] for word in set(fact_words)
        )
        return 0.55 * shared + 0.45 * len(pairs(fact_words) & pairs(draft_words)) / len(pairs(fact_words)) >= MET

    return sum(any(is_met(fact, draft) for draft in drafts) for fact in curated)


@pytest.mark.slow
def test_the_draft_covers_far_more_than_random_statements() -> None:
    (report,) = FOLDER.glob("*.md")
    (place,) = FOLDER.glob("*anchor_facts.json")
    curated = [fact.fact for fact in load(place).facts]
    assert len(curated) == len(json.loads(place.read_text())["anchor_facts"])
    text = report.read_text()
    every = [unit.text for unit in units(text)]
    word_counts = Counter(word for statement in (*every, *curated) for word in set(words(statement)))
    weight = {
        word: math.log((1 + len(every) + len(curated)) / statement_count)
        for word, statement_count in word_counts.items()
    }
    dice = random.Random(0)
    chance = sum(recall(curated, dice.sample(every, 25), weight) for _ in range(30)) / 30
    drafted = from_report(text, 25)
    recalled = recall(curated, [fact.fact for fact in drafted], weight)
    assert recalled >= 12
    assert recalled >= 1.5 * chance
    assert sum(any(char.isdigit() for char in fact.fact) for fact in drafted) >= 20
    assert sum(bool(re.search(r"cvdp_copilot_\w+_\d{4}", fact.fact)) for fact in drafted) >= 4
    print(f"recall {recalled} of {len(curated)}, by chance {chance:.1f}")  # noqa: T201 - shown with -s
