"""Every number that the READMEs of the foreign corpus name comes out of an analysis.

A row of the table: the path, the run's place among those found, and what must come out of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from blade import api
from blade.errors import NoRuns
from blade.model import RunAnalysis
from blade.options import Options

pytestmark = pytest.mark.corpus
FOREIGN = Path(__file__).parents[3] / "shared" / "corpus" / "foreign"
if not FOREIGN.is_dir():
    pytest.skip("the corpus is not there", allow_module_level=True)

Wanted = tuple[str, dict[str, Any]]

INSPECT: list[Wanted] = [
    ("inspect/starsim/2026-02-20T05-22*", {"score": 0.478261, "tasks": 23}),
    ("inspect/starsim/2026-02-25T18-43*", {"score": 0.391304, "tasks": 23}),
    ("inspect/starsim/2026-02-20T05-28*", {"score": 0.695652, "tasks": 23}),
    ("inspect/starsim/2026-02-24T03-41*", {"score": 0.652174, "tasks": 23}),
    ("inspect/starsim/2026-02-24T06-19*", {"score": 0.913043, "tasks": 23}),
    ("inspect/scout-examples/*popularity*", {"score": 0.63, "tasks": 100}),
    ("inspect/scout-examples/*security*", {"score": 0.6875, "tasks": 16}),
    ("inspect/metr-6-epochs", {"score": 1.0, "tasks": 1, "rollouts": 6}),
    ("inspect/native-scale", {"score": 9.2, "tasks": 10}),
    ("inspect/zstd-monty-hall/2026-05-10T20-58-36*", {"score": 1360.0, "reward_field": "verifier.details.reward"}),
    ("inspect/zstd-monty-hall/2026-05-10T20-58-37*", {"score": 1400.0, "reward_field": "verifier.details.reward"}),
    ("inspect/zstd-monty-hall/2026-05-10T20-58-36*", {"score": 1.0, "tasks": 50, "timed_out": 0}),
    ("inspect/zstd-monty-hall/2026-05-10T21-53*", {"tasks": 50, "rollouts": 40, "infrastructure": 10}),
    ("inspect/zstd-monty-hall/2026-05-10T22-29*", {"score": 0.98, "tasks": 50}),
    ("inspect/upstream-tests/2025-05-12T20-28-13-04-00_popularity.json", {"score": 0.666667, "tasks": 3}),
    ("inspect/upstream-tests/log_streaming.eval", {"score": 0.75, "tasks": 2, "rollouts": 4}),
    ("inspect/json-arc-pair/data_arc_sonnet.json", {"score": 1.0, "tasks": 5}),
    ("inspect/json-arc-pair/data_arc_qwen.json", {"score": 0.333333, "tasks": 3}),
    ("inspect/planted-epochs/weak/*.eval", {"score": 0.243056, "tasks": 12, "rollouts": 47, "pass@4": 0.545455}),
    ("inspect/planted-epochs/weak/*.json", {"score": 0.243056, "tasks": 12, "rollouts": 47, "pass@4": 0.545455}),
    ("inspect/planted-epochs/weak/*.eval", {"score": 0.580694, "reward_field": "verifier.scores.closeness"}),
    ("inspect/planted-epochs/weak/*.eval", {"timed_out": 4, "infrastructure": 1, "expected": 48}),
    ("inspect/planted-epochs/strong/*.eval", {"score": 0.708333, "pass@4": 0.909091}),
    ("inspect/planted-epochs/strong/*.eval", {"score": 0.806389, "reward_field": "verifier.scores.closeness"}),
    ("inspect/planted-epochs/killed/*.eval", {"rollouts": 8, "expected": 24}),
]
BOARD = "swe_bench/experiments_verified"
SWE_BENCH: list[Wanted] = [
    ("swe_bench/mini-swe-agent_gemini-3-pro", {"score": 0.742, "tasks": 500}),
    (f"{BOARD}/20251120_livesweagent_gemini-3-pro-preview", {"zero_fill": 0.774, "tasks": 500, "verifier_error": 1}),
    (f"{BOARD}/20241029_OpenHands-CodeAct-2.1-sonnet-20241022", {"zero_fill": 0.53, "tasks": 500}),
    (f"{BOARD}/20241028_agentless-1.5_gpt4o", {"score": 0.388, "tasks": 500}),
    (f"{BOARD}/20240402_sweagent_gpt4", {"score": 0.224, "tasks": 500}),
    ("swe_bench/swe-agent_traj", {"score": None, "tasks": 2, "rollouts": 0}),
]
MAPPED: list[Wanted] = [
    ("generic/bfcl-csv/T4_scored.csv", {"score": 0.91, "tasks": 100, "map": "task: task_id\nscore: correct\n"}),
    ("generic/bfcl-csv/L4_Llama_scored.csv", {"score": 0.8, "tasks": 100, "map": "task: task_id\nscore: correct\n"}),
]
HARBOR: list[Wanted] = [
    ("harbor/predev-tb2/predev-haiku*", {"score": 0.420455, "zero_fill": 0.415730, "tasks": 89, "rollouts": 88}),
    ("harbor/predev-tb2/predev-sonnet*", {"score": 0.561798, "zero_fill": 0.561798, "tasks": 89, "rollouts": 89}),
    ("harbor/claude-code-adhoc", {"score": 0.0, "tasks": 1}),
    ("harbor/atif-fixtures", {"run": 0, "tasks": 2, "rollouts": 0}),
    ("harbor/atif-fixtures", {"run": 1, "tasks": 1, "rollouts": 0}),
]
GOOSE = "terminal_bench_1/20250829_goose_claude-4"
TERMINAL_BENCH: list[Wanted] = [
    (f"{GOOSE}-opus", {"zero_fill": 0.4525, "tasks": 80, "rollouts": 395, "expected": 400}),
    (f"{GOOSE}-sonnet", {"zero_fill": 0.4125, "tasks": 80, "rollouts": 386, "expected": 400}),
    *(
        (f"{GOOSE}-opus/2025-08-{name}*", {"zero_fill": accuracy, "tasks": 80})
        for name, accuracy in (
            ("27", 0.4875),
            ("29__07", 0.45),
            ("29__09", 0.4875),
            ("29__12", 0.425),
            ("29__14", 0.4125),
        )
    ),
    *(
        (f"{GOOSE}-sonnet/2025-08-25__{name}*", {"zero_fill": accuracy, "tasks": 80})
        for name, accuracy in (("12", 0.40), ("13", 0.40), ("14", 0.40), ("17", 0.40), ("20", 0.4625))
    ),
    ("terminal_bench_1/20250923_droid_claude-4-sonnet", {"zero_fill": 0.5375, "tasks": 80, "rollouts": 78}),
]
NEMO_EVALUATOR: list[Wanted] = [
    ("nemo_evaluator/stub-weak", {"score": 51 / 96, "tasks": 24, "rollouts": 96, "pass@4": 0.875, "truncated": 2}),
    ("nemo_evaluator/stub-strong", {"score": 77 / 96, "tasks": 24, "rollouts": 96, "pass@4": 1.0}),
    ("nemo_evaluator/crashed-run", {"score": 51 / 96, "tasks": 24, "rollouts": 96, "pass@4": 0.875}),
]
HELM: list[Wanted] = [
    (f"helm/runs/mmlu*model={name}", {"run": number, "score": score, "tasks": tasks})
    for name in ("openai_gpt2", "huggingface_gpt2_2023")
    for number, score, tasks in ((0, 1 / 9, 9), (1, 0.0, 1))
] + [("helm/runs/commonsense*", {"score": 0.3, "tasks": 10})]
WITHOUT_ROWS = ["inspect/json-arc-pair/data_with_llm_scoring.json", "inspect/upstream-tests/*no-samples.json"]
PAIRS = [
    ("swe_bench/mini-swe-agent_gemini-3-pro", f"{BOARD}/20251120_livesweagent_gemini-3-pro-preview", 499),
    ("inspect/starsim/2026-02-20T05-22*", "inspect/starsim/2026-02-20T05-28*", 23),
    ("inspect/planted-epochs/weak/*.eval", "inspect/planted-epochs/strong/*.eval", 12),
    ("harbor/predev-tb2/predev-haiku*", "harbor/predev-tb2/predev-sonnet*", 88),
    (f"{GOOSE}-opus", f"{GOOSE}-sonnet", 80),
    ("nemo_evaluator/stub-weak", "nemo_evaluator/stub-strong", 24),
    ("helm/runs/mmlu*model=openai_gpt2", "helm/runs/mmlu*model=huggingface_gpt2_2023", 9),
]


def place(given: str) -> Path:
    (path,) = FOREIGN.glob(given)
    return path


def numbers(run: RunAnalysis) -> dict[str, Any]:
    """What a table may ask for."""
    return {
        "score": run.metrics["score"],
        "tasks": run.tasks,
        "rollouts": run.denominator.graded,
        "expected": run.denominator.expected,
        "zero_fill": run.metrics["score_zero_fill"],
        **{f"pass@{k}": value for k, value in run.metrics["pass_at_k"].items()},
        **{
            status: run.statuses.get(status, 0)
            for status in ("infrastructure", "timed_out", "verifier_error", "truncated", "malformed")
        },
    }


@pytest.mark.parametrize(
    ("given", "wanted"), [*INSPECT, *SWE_BENCH, *MAPPED, *HARBOR, *TERMINAL_BENCH, *NEMO_EVALUATOR, *HELM]
)
def test_the_numbers_come_out(given: str, wanted: dict[str, Any], tmp_path: Path) -> None:
    asked = dict(wanted)
    field_map = tmp_path / "map.yaml" if "map" in asked else None
    if field_map is not None:
        field_map.write_text(asked.pop("map"))
    options = Options(reward_field=asked.pop("reward_field", None), field_map=field_map)
    number = asked.pop("run", 0)
    analysis = api.analyze_runs(api.read(place(given), options=options), options)
    have = numbers(analysis.runs[number])
    assert {name: have.get(name) for name in asked} == pytest.approx(asked, abs=1e-4)


@pytest.mark.parametrize("given", WITHOUT_ROWS)
def test_a_log_without_rows_is_refused(given: str) -> None:
    with pytest.raises(NoRuns, match="without samples"):
        api.read(place(given))


@pytest.mark.parametrize(("before", "after", "common"), PAIRS)
def test_comparable_runs_share_their_tasks(before: str, after: str, common: int) -> None:
    analysis = api.analyze_runs(api.read(place(before), place(after)), Options())
    (pair,) = [change for change in analysis.changes if "@" not in change.candidate]
    assert pair.common_tasks == common
