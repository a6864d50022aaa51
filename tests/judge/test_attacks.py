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
    doses = [scores["golden"], *(scores[name] for name in DOSES), scores["numbers_altered_all"]]
    assert doses == sorted(doses, reverse=True)


def test_the_targets_hold_for_the_example_and_more_lies_score_less() -> None:
    """`tests/package/test_example.py` attacks the example anew: this is what comes of it."""
    calibration = json.loads((EXAMPLE / "calibration" / "calibration_summary.json").read_bytes())
    assert_targets(
        {name: attack["score"] for name, attack in calibration["attacks"].items() if attack["score"] is not None}
    )


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_attack_is_inside_its_band_the_targets_hold_and_more_lies_score_less(
    benchmark: str, packages: Packages
) -> None:
    """One test, because attacking a package is dear: what comes of it is looked at in three ways."""
    package = packages(benchmark)
    calibration = attacked(package.base, package.shallow, 0.5)
    assert {attack.name: attack.grade.score for attack in calibration.outside if attack.grade} == {}
    assert calibration.golden.score >= 0.90
    assert calibration.shallow.score <= 0.20
    assert calibration.passed
    scores = {attack.name: attack.grade.score for attack in calibration.attacks if attack.grade}
    assert_targets(scores)


@pytest.mark.slow
def test_the_dose_response_holds_for_other_seeds(packages: Packages) -> None:
    package = packages("field_notes")
    judge = Judge(package.base)
    for seed in (1, 2):
        case = AttackCase(package.golden, package.shallow, package.base, seed)
        doses = [judge.grade(altered_numbers(package.golden, share, case.dice())).score for share in (0.03, 0.12, 0.4)]
        assert doses == sorted(doses, reverse=True)
        assert doses[0] > doses[1]


@pytest.mark.slow
def test_attacks_are_seeded(packages: Packages) -> None:
    package = packages("field_notes")
    for name, attack in attacks().items():
        first = attack.make(AttackCase(package.golden, package.shallow, package.base))
        assert first == attack.make(AttackCase(package.golden, package.shallow, package.base)), name
    assert len(attacks()) > 30


@pytest.mark.slow
def test_an_attack_that_cannot_be_made_is_not_counted(packages: Packages) -> None:
    package = packages("field_notes")
    reports = attack_reports(AttackCase(package.golden, package.shallow, from_golden(package.golden, package.anchors)))
    assert {name for name, text in reports.items() if text is None} >= {"other_model", "independent"}
    assert Attacked("other_model", "", (0.0, 0.35), None).inside is None
