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


def pairs(found: Sequence[str]) -> set[frozenset[str]]:
    return {frozenset(found[place : place + 2]) for place in range(len(found) - 1)}


def recall(curated: Sequence[str], drafts: Sequence[str], weight: dict[str, float]) -> int:
    """Curated facts whose rare words and word pairs some draft holds."""

    def met(fact: str, draft: str) -> bool:
        own, other = words(fact), words(draft)
        shared = sum(weight[word] for word in set(own) & set(other)) / sum(weight[word] for word in set(own))
        return 0.55 * shared + 0.45 * len(pairs(own) & pairs(other)) / len(pairs(own)) >= MET

    return sum(any(met(fact, draft) for draft in drafts) for fact in curated)


@pytest.mark.slow
def test_the_draft_covers_far_more_than_random_statements() -> None:
    (report,) = FOLDER.glob("*.md")
    (place,) = FOLDER.glob("*anchor_facts.json")
    curated = [fact.fact for fact in load(place).facts]
    assert len(curated) == len(json.loads(place.read_text())["anchor_facts"])
    text = report.read_text()
    every = [unit.text for unit in units(text)]
    counted = Counter(word for one in (*every, *curated) for word in set(words(one)))
    weight = {word: math.log((1 + len(every) + len(curated)) / many) for word, many in counted.items()}
    dice = random.Random(0)
    chance = sum(recall(curated, dice.sample(every, 25), weight) for _ in range(30)) / 30
    made = from_report(text, 25)
    found = recall(curated, [fact.fact for fact in made], weight)
    assert found >= 12
    assert found >= 1.5 * chance
    assert sum(any(char.isdigit() for char in fact.fact) for fact in made) >= 20
    assert sum(bool(re.search(r"cvdp_copilot_\w+_\d{4}", fact.fact)) for fact in made) >= 4
    print(f"recall {found} of {len(curated)}, by chance {chance:.1f}")  # noqa: T201 - shown with -s
