"""Pairs of real runs whose cause is known get the right answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.model import Change

CORPUS = Path(__file__).parents[2] / "../shared/corpus"

pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not here")]

Compare = Callable[..., list[Change]]
GYM, HISTORY = "nemo-gym", "nemo-gym-history"


@pytest.fixture(name="changes")
def _changes() -> Compare:
    def compare(*paths: str, **settings: object) -> list[Change]:
        options = blade.Options(cache=False, **settings)  # type: ignore[arg-type]
        return list(blade.analyze(*(CORPUS / path for path in paths), options=options).changes)

    return compare


def assert_adds_up(change: Change) -> None:
    if change.delta is not None:
        assert sum(part.points for part in change.parts) == pytest.approx(change.delta, abs=1e-9)


@pytest.mark.parametrize(
    ("before", "after", "delta"),
    [
        (f"{HISTORY}/flores200", f"{GYM}/benchmark__flores200", 0.298),
        (f"{HISTORY}/wmt_translation", f"{GYM}/wmt_translation", 0.086),
    ],
)
def test_a_replaced_metric_is_the_verifier_and_nothing_else(
    changes: Compare, before: str, after: str, delta: float
) -> None:
    (change,) = changes(before, after)
    (part,) = change.parts
    assert (part.cause, part.sub, part.status, part.named) == ("verifier", "change", "identified", True)
    assert change.verdict == "real"
    assert change.delta == pytest.approx(delta, abs=5e-4)
    assert_adds_up(change)


def test_a_better_correlation_is_no_rescaling(changes: Compare) -> None:
    (change,) = changes(f"{HISTORY}/wmt_translation", f"{GYM}/wmt_translation")
    assert not [part for part in change.parts if part.cause == "reward_rescaled"]


def test_one_unreadable_output_among_five_tasks_is_seen_and_not_called_real(changes: Compare) -> None:
    (change,) = changes(f"{GYM}/structeval")
    assert change.verdict == "inconclusive"
    parts = {part.cause: part.points for part in change.parts}
    assert parts["malformed"] == pytest.approx(-0.126, abs=1e-3)
    assert parts["behaviour"] == pytest.approx(0.01, abs=1e-3)
    assert_adds_up(change)


def test_five_harnesses_on_one_task_are_too_few_for_a_verdict(changes: Compare) -> None:
    files = [f"{GYM}/agent__anyswe_agent/example_rollouts_{name}.jsonl" for name in ("claude_code", "hermes", "pi")]
    for change in changes(*files):
        assert change.common_tasks == 1
        assert change.verdict == "inconclusive"


def test_two_perfect_runs_have_nothing_to_explain(changes: Compare) -> None:
    (change,) = changes(f"{GYM}/agent__openclaw_agent", f"{GYM}/agent__opencode_agent")
    assert change.delta == 0
    assert not [part for part in change.parts if part.named]


def test_model_and_harness_that_changed_together_are_not_separable(changes: Compare) -> None:
    others = ("agent__claude_code_agent", "agent__hermes_agent", "environment__prime_agent_math")
    for change in changes(f"{GYM}/math_with_judge", *(f"{GYM}/{name}" for name in others)):
        assert not change.separable
        assert change.confounded_with
        assert_adds_up(change)


def test_runs_without_a_common_task_are_refused(changes: Compare) -> None:
    (change,) = changes(f"{HISTORY}/terminus_judge", f"{GYM}/terminus_judge")
    assert change.verdict == "not_comparable"
    assert change.common_tasks == 0
    assert_adds_up(change)


def test_tasks_that_moved_to_another_index_are_joined_by_their_id(changes: Compare) -> None:
    (change,) = changes(f"{HISTORY}/labbench2_vlm", f"{GYM}/labbench2_vlm")
    assert change.common_tasks == 3
    assert change.verdict == "inconclusive"


@pytest.mark.parametrize("missing", ["drop", "zero"])
def test_a_better_prompt_is_real_and_another_topology_is_not(changes: Compare, missing: str) -> None:
    folder = "real/mast_ag2_gsmplus/gpt-4__"
    names = ("orig_prompt_orig_topology", "impr_prompt_orig_topology", "impr_prompt_impr_topology")
    prompt, topology = changes(*(f"{folder}{name}.jsonl" for name in names), missing=missing)
    assert prompt.verdict == "real"
    assert topology.verdict != "real"
    for change in (prompt, topology):
        assert_adds_up(change)
        assert not [part for part in change.parts if part.named and part.cause in {"infrastructure", "verifier"}]


def test_results_that_were_not_regenerated_are_a_null(changes: Compare) -> None:
    folder = "real/bfcl/nvidia_nemotron-4-340b-instruct__2024-07-"
    for change in changes(*(f"{folder}{day}.jsonl" for day in ("06", "20", "22"))):
        assert change.delta == 0
        assert change.shared_outputs["identical"] == change.shared_outputs["pairs"] == 1700
        assert not [part for part in change.parts if part.named]


def test_regenerated_outputs_are_counted_and_the_rest_is_the_same(changes: Compare) -> None:
    folder = "real/bfcl/gpt-4-0125-preview__2024-07-"
    (change,) = changes(f"{folder}20.jsonl", f"{folder}22.jsonl")
    assert change.shared_outputs["pairs"] - change.shared_outputs["identical"] == 124
    assert change.shared_outputs["reward_differs"] == 0
    assert len(change.flips) == 10
    assert change.verdict != "real"
    assert not [part for part in change.parts if part.named]


@pytest.mark.parametrize("environment", ["mcqa", "reasoning_gym", "workplace_assistant"])
def test_a_stronger_model_is_behaviour_and_nothing_else(changes: Compare, environment: str) -> None:
    folder = f"gym-live/{environment}"
    (change,) = changes(f"{folder}/stub-weak", f"{folder}/stub-strong", pass_threshold=1.0)
    assert change.verdict == "real"
    named = {part.cause for part in change.parts if part.named}
    assert "behaviour" in named
    assert not named & {"infrastructure", "verifier"}
    assert_adds_up(change)


@pytest.mark.parametrize("environment", ["mcqa", "reasoning_gym", "workplace_assistant"])
def test_tasks_planted_the_other_way_round_lead_the_flips_against_the_trend(
    corpus: Path, analysed: Callable[..., dict[str, Any]], record: Callable[..., None], environment: str
) -> None:
    """Every reversed task whose attempts moved against the trend stands among the largest moves against it."""
    folder = corpus / "gym-live" / environment
    tiers = json.loads((corpus / "gym-live/TRUTH.json").read_text(encoding="utf-8"))[environment]["tasks"]
    flips = analysed(folder / "stub-weak", folder / "stub-strong")["change"]["flips"]
    against = {flip["task"]: flip["base"][0] - flip["candidate"][0] for flip in flips}
    against = {task: fall for task, fall in against.items() if fall > 0}
    planted = [task for task, tier in tiers.items() if tier == "reversed"]
    shown = [task for task in planted if against.get(task, 0) >= 2]
    larger = {task: sum(fall > against[task] for fall in against.values()) for task in shown}
    record("change", f"{environment}: reversed tasks among the flips", len(shown), sum(n < 5 for n in larger.values()))
    assert shown
    assert all(place < 5 for place in larger.values()), larger
