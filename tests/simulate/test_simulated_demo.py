"""The demo's two runs and the truth beside a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from blade.simulate import Scenario, cause, demo_pair, truth_of, write_run
from blade.simulate.demo import BASELINE, CANDIDATE

if TYPE_CHECKING:
    from pathlib import Path


def test_the_pair_has_something_to_say(tmp_path: Path) -> None:
    base, candidate = demo_pair(tmp_path)
    assert base.parent.name == "baseline"
    assert candidate.parent.name == "candidate"
    assert len(base.read_bytes().splitlines()) == len(candidate.read_bytes().splitlines()) == 160
    truth = truth_of(CANDIDATE)
    baseline = truth_of(BASELINE)["score"]
    assert truth["score_clean"] > baseline > truth["score"]
    assert {planted_cause["cause"] for planted_cause in truth["causes"]} == {"outage", "broken_tool"}
    assert all(planted_cause["points"] <= -0.03 for planted_cause in truth["causes"])


def test_the_truth_is_written_only_when_asked_for(tmp_path: Path) -> None:
    scenario = Scenario(tasks=5, causes=(cause("outage"),))
    write_run(scenario, tmp_path / "quiet")
    write_run(scenario, tmp_path / "told", write_truth=True)
    assert not (tmp_path / "quiet" / "truth.json").exists()
    assert json.loads((tmp_path / "told" / "truth.json").read_text()) == truth_of(scenario)
