"""Attempt scenes: no two vocabularies share a content word, and the audit finds what is planted and nothing else."""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import pytest
from benchmarks.attempt_scenes import HELD_OUT, make_scene, scenes, vocabularies
from benchmarks.audit_scenes import Marks, as_markdown, jobs, mark_scene, missed

import blade

PLACES = re.compile(r"\{(?:subject|number|id|clock|check|verdict|answer|name|arguments)\}")
FUNCTION_WORDS = frozenset(
    "all and been could for from has that the this was what which with would you your again please".split()
)


def content_words(vocabulary: str) -> set[str]:
    fields = asdict(vocabularies()[vocabulary])
    texts = [*fields.pop("fields").values()]
    for value in fields.values():
        texts += [value] if isinstance(value, str) else [*value]
    text = PLACES.sub(" ", " ".join(texts))
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower()
    return set(re.findall(r"[^\W\d_]{3,}", parted)) - FUNCTION_WORDS


@pytest.mark.parametrize(("one", "other"), list(combinations(vocabularies(), 2)))
def test_two_vocabularies_share_no_content_word(one: str, other: str) -> None:
    assert not content_words(one) & content_words(other)


def test_the_vocabulary_kept_back_is_not_for_development() -> None:
    with pytest.raises(ValueError, match="is kept for odd seeds, and 2 is even"):
        make_scene("provider_notice", HELD_OUT, 2)
    assert {name for _, name, seed in jobs(1, scenes(), odd=False)} == set(vocabularies()) - {HELD_OUT}
    assert {(name, seed) for _, name, seed in jobs(2, scenes(), odd=True)} == {
        (name, seed) for name in vocabularies() for seed in (1, 3)
    }


@pytest.mark.parametrize("scene", list(scenes()))
def test_a_scene_is_the_same_for_the_same_seed_and_holds_both_kinds_of_rows(scene: str) -> None:
    planted_scene = make_scene(scene, "bakery", 2)
    assert planted_scene.rows == make_scene(scene, "bakery", 2).rows
    assert planted_scene.rows != make_scene(scene, "bakery", 4).rows
    assert 0 < sum(planted_scene.planted) < len(planted_scene.planted)
    valid = [
        row
        for row, planted in zip(planted_scene.rows, planted_scene.planted, strict=True)
        if not planted or scene == "calls_as_text"
    ]
    assert {row["reward"] for row in valid} == {0.0, 1.0}


FIRST, *OTHERS = [name for name in vocabularies() if name != HELD_OUT]


@pytest.mark.parametrize("vocabulary", [FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
@pytest.mark.parametrize("scene", list(scenes()))
def test_the_audit_finds_what_is_planted_and_voids_nothing_else(scene: str, vocabulary: str, tmp_path: Path) -> None:
    planted_scene = make_scene(scene, vocabulary, 2)
    (run,) = blade.read(planted_scene.write(tmp_path), options=blade.Options(cache=False))
    marks = mark_scene(planted_scene, run)
    assert marks.recognised >= 0.95 * marks.planted, marks
    assert marks.mistaken <= 0.01 * marks.others, marks
    assert marks.voided <= 0.005 * marks.valid, marks


def test_the_table_has_a_line_for_each_scene_and_tells_a_missed_target() -> None:
    good, bad = Marks("a", "x", 10, 10, 90, 0, 0, 90), Marks("b", "x", 10, 9, 90, 1, 1, 90)
    text = as_markdown([good, bad])
    assert "| a | x | 10 | 10 | 100.0% | 90 | 0 | 90 | 0.00% |" in text
    assert "| all |  | 20 | 19 | 95.0% | 180 | 1 | 180 | 0.56% |" in text
    assert missed([good, bad]) == ["b: recall 90.0%, false voids 1.11%"]
