"""The golden report of CVDP without its rollouts: every attack inside its band, a true report in other words above."""

from __future__ import annotations

from pathlib import Path

import pytest

from blade.anchors.anchor import load
from blade.judge.base import from_golden
from blade.judge.calibration import attacked
from blade.judge.grade import Judge

pytestmark = pytest.mark.corpus
INDEPENDENT = Path(__file__).parent / "cvdp_in_other_words.md"


@pytest.fixture(scope="module")
def judge(corpus: Path) -> Judge:
    folder = corpus / "golden-cvdp"
    golden = (folder / "nemotron-3-super-golden-report.md").read_text(encoding="utf-8")
    return Judge(from_golden(golden, load(folder / "nemotron_3_super_anchor_facts.json")))


def test_every_attack_is_inside_its_band(judge: Judge) -> None:
    golden = judge.base.golden.text
    shallow = "\n".join(line for line in golden.splitlines() if line.startswith(("# ", "## ")))
    found = attacked(judge.base, shallow, 0.5)
    assert {one.name: one.grade.score for one in found.outside if one.grade} == {}
    assert found.golden.score >= 0.90
    assert found.golden.fact_base == "golden-only"
    assert found.golden.failing == ()


def test_a_true_report_in_other_words_is_accepted_and_its_numbers_matter(judge: Judge) -> None:
    text = INDEPENDENT.read_text(encoding="utf-8")
    grade = judge.grade(text)
    assert grade.score >= 0.75
    assert grade.verdict == "accept"
    told = "".join(str((int(char) + 3) % 10) if char.isdigit() else char for char in text)
    assert judge.grade(told).score <= 0.05
