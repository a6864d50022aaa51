"""A file of anchor facts: ours, and one with only upstream's keys, are read; others are refused in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blade.anchors import Anchor, Anchors, Predicate, dump, load
from blade.errors import InputError, NotFound


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    fact = Anchor(
        "B1",
        "All 5 are in x.",
        "high",
        4.5,
        "exclusivity",
        Predicate({"run": "r", "mode": "m"}, "share", "all", 1.0, 0.02),
        ("x",),
        {"x": ("the x",)},
        -1,
        ({"file": "f", "line": 3},),
        0.01,
        0.95,
        "c1",
        0.5,
        True,
        {"accepted": True, "by": "a", "date": "2026-01-01"},
    )
    anchors = Anchors("b", "m", "from-runs", "2026-01-01", (fact,), notes=("few",))
    place = tmp_path / "m_anchor_facts.json"
    place.write_bytes(dump(anchors))
    assert load(place) == anchors
    assert list(json.loads(place.read_text()))[:6] == [
        "benchmark",
        "model",
        "extraction_method",
        "generated_at",
        "review_required",
        "anchor_facts",
    ]


def test_a_curated_file_has_text_anchors(tmp_path: Path) -> None:
    place = tmp_path / "facts.json"
    record = {"id": "B7", "fact": "Failing attempts are longer.", "difficulty": "medium", "mean_score": 4}
    place.write_text(json.dumps({"benchmark": "b", "model": "m", "anchor_facts": [record]}))
    (fact,) = load(place).facts
    assert (fact.id, fact.kind, fact.predicate, fact.weight) == ("B7", "manual", None, 1.0)


@pytest.mark.parametrize(
    "content", [b"{", b"[3]", b'{"anchor_facts": 3}', b'{"anchor_facts": [{"id": "B1"}]}', b"\xff"]
)
def test_what_is_no_file_of_facts_is_refused(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "facts.json"
    place.write_bytes(content)
    with pytest.raises(InputError):
        load(place)
    with pytest.raises(NotFound):
        load(tmp_path / "none.json")
