"""Every attack ends inside its band, on every simulated benchmark; true reports end above theirs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.judge.made import Package

from blade.judge.attacks import attacks
from blade.judge.base import from_golden
from blade.judge.calibration import Attacked, attack_reports, attacked
from blade.judge.editing import AttackCase, altered_numbers
from blade.judge.grade import Judge

BENCHMARKS = ("field_notes", "front_desk", "patch_bench")
EXAMPLE = Path(__file__).parents[2] / "examples" / "front_desk"
DOSES = ("numbers_altered_2", "numbers_altered_5", "numbers_altered_10", "numbers_altered_20", "numbers_altered_50")

Packages = Callable[[str], Package]


MOST = {
    "script_only": 0.35, "numbers_altered_all": 0.05, "numbers_altered_20": 0.25, "ids_fabricated": 0.10,
    "ids_permuted": 0.20, "words_shuffled": 0.05, "keyword_list": 0.05, "padding": 0.05, "unrelated": 0.05,
    "verbs_negated": 0.10, "denied": 0.10, "other_model": 0.35, "shallow": 0.20,
}  # fmt: skip


def assert_targets(scores: Mapping[str, float]) -> None:
    assert {name: scores[name] for name, top in MOST.items() if scores[name] > top} == {}
    assert scores["golden"] >= 0.90
    assert scores["independent"] >= 0.75
    assert scores.get("sentences_shuffled", 0.0) <= 0.20
    assert scores["golden"] - 0.1 > scores["script_only"] > scores["numbers_altered_all"] - 1e-9
    told = [scores["golden"], *(scores[name] for name in DOSES), scores["numbers_altered_all"]]
    assert told == sorted(told, reverse=True)


def test_the_targets_hold_for_the_example_and_more_lies_score_less() -> None:
    """`tests/package/test_example.py` attacks the example anew: this is what comes of it."""
    told = json.loads((EXAMPLE / "calibration" / "calibration_summary.json").read_bytes())
    assert_targets({name: one["score"] for name, one in told["attacks"].items() if one["score"] is not None})


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_attack_is_inside_its_band_the_targets_hold_and_more_lies_score_less(
    benchmark: str, packages: Packages
) -> None:
    """One test, because attacking a package is dear: what comes of it is looked at in three ways."""
    one = packages(benchmark)
    found = attacked(one.base, one.shallow, 0.5)
    assert {one.name: one.grade.score for one in found.outside if one.grade} == {}
    assert found.golden.score >= 0.90
    assert found.shallow.score <= 0.20
    assert found.passed
    scores = {one.name: one.grade.score for one in found.attacks if one.grade}
    assert_targets(scores)


@pytest.mark.slow
def test_the_dose_response_holds_for_other_seeds(packages: Packages) -> None:
    one = packages("field_notes")
    judge = Judge(one.base)
    for seed in (1, 2):
        case = AttackCase(one.golden, one.shallow, one.base, seed)
        told = [judge.grade(altered_numbers(one.golden, share, case.dice())).score for share in (0.03, 0.12, 0.4)]
        assert told == sorted(told, reverse=True)
        assert told[0] > told[1]


@pytest.mark.slow
def test_attacks_are_seeded(packages: Packages) -> None:
    one = packages("field_notes")
    for name, attack in attacks().items():
        first = attack.make(AttackCase(one.golden, one.shallow, one.base))
        assert first == attack.make(AttackCase(one.golden, one.shallow, one.base)), name
    assert len(attacks()) > 30


@pytest.mark.slow
def test_an_attack_that_cannot_be_made_is_not_counted(packages: Packages) -> None:
    one = packages("field_notes")
    made = attack_reports(AttackCase(one.golden, one.shallow, from_golden(one.golden, one.anchors)))
    assert {name for name, text in made.items() if text is None} >= {"other_model", "independent"}
    assert Attacked("other_model", "", (0.0, 0.35), None).inside is None
