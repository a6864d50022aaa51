"""Numbers that somebody else published come out of the rows they speak of."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.corpus

Analyse = Callable[..., dict[str, Any]]
Record = Callable[..., None]

NEAR = 1e-4
MCPMARK = {
    "claude-opus-4-5-high": (0.4232, 0.5354, 0.3386),
    "claude-sonnet-4": (0.2815, 0.4488, 0.1260),
    "deepseek-chat": (0.1673, 0.2835, 0.0787),
    "gemini-2-5-pro": (0.1575, 0.2992, 0.0472),
    "gpt-4-1": (0.0807, 0.1260, 0.0315),
    "gpt-5-high": (0.5157, 0.6614, 0.3307),
    "gpt-5-low": (0.4685, 0.6299, 0.2677),
    "gpt-5-mini-high": (0.3032, 0.4646, 0.1654),
    "gpt-oss-120b": (0.0472, 0.1339, 0.0000),
    "grok-4": (0.3169, 0.4488, 0.1811),
    "kimi-k2-0905": (0.2185, 0.3150, 0.1260),
    "qwen-3-max": (0.1772, 0.2283, 0.1102),
}
GSM_PLUS = {
    "gpt-4__orig_prompt_orig_topology": 0.8475,
    "gpt-4__impr_prompt_orig_topology": 0.8975,
    "gpt-4__impr_prompt_impr_topology": 0.8550,
}
LIVE = {
    ("mcqa", "stub-weak"): (0.200, 0.34),
    ("mcqa", "stub-strong"): (0.450, 0.76),
    ("reasoning_gym", "stub-weak"): (0.412, 0.58),
    ("reasoning_gym", "stub-strong"): (0.569, 0.83),
    ("workplace_assistant", "stub-weak"): (0.400, 0.63),
    ("workplace_assistant", "stub-strong"): (0.600, 0.93),
}


def shown(values: Any, places: int = 4) -> str:
    return " / ".join(f"{value:.{places}f}" for value in values)


def test_tau_bench_airline_has_its_pass_hat_k(corpus: Path, analysed: Analyse, record: Record) -> None:
    run = analysed(corpus / "real/tau_bench_airline/gpt-4o__tool-calling.jsonl")["runs"][0]
    got = [run["metrics"]["pass_hat_k"][str(k)] for k in (1, 2, 3, 4)]
    published = (0.420, 0.273, 0.220, 0.200)
    near = got == pytest.approx(published, abs=5e-4)  # published with three places
    record("published", "tau-bench airline, gpt-4o: pass^1..4", shown(published, 3), shown(got, 3), same=near)
    assert (run["tasks"], run["rollouts"]) == (50, 200)
    assert near
    assert got == pytest.approx([0.42, 0.2733333, 0.22, 0.2], abs=NEAR)


@pytest.mark.parametrize("model", sorted(MCPMARK))
def test_mcpmark_has_its_summary(corpus: Path, analysed: Analyse, record: Record, model: str) -> None:
    run = analysed(corpus / f"real/mcpmark/{model}.jsonl")["runs"][0]
    got = (
        run["metrics"]["pass_at_k"]["1"],
        run["metrics"]["pass_at_k"]["4"],
        run["metrics"]["pass_hat_k"]["4"],
    )
    near = got == pytest.approx(MCPMARK[model], abs=NEAR)
    record("published", f"MCPMark, {model}: pass@1, pass@4, pass^4", shown(MCPMARK[model]), shown(got), same=near)
    assert (run["tasks"], run["rollouts"]) == (127, 508)
    assert near


@pytest.mark.parametrize("name", sorted(GSM_PLUS))
def test_gsm_plus_holds_where_missing_rows_count_as_failures(
    corpus: Path, analysed: Analyse, record: Record, name: str
) -> None:
    run = analysed(corpus / f"real/mast_ag2_gsmplus/{name}.jsonl")["runs"][0]
    got = run["metrics"]["score_zero_fill"]
    record("published", f"GSM-Plus, {name}: zero-fill", shown([GSM_PLUS[name]]), shown([got]))
    assert got == pytest.approx(GSM_PLUS[name], abs=NEAR)
    assert run["expected"] == 1200
    missing = 1200 - run["rollouts"]
    assert missing in {1, 5}
    assert run["statuses"]["missing"] == missing
    assert run["metrics"]["score"] > got + NEAR
    low, high = run["denominator"]["bounds"]
    assert low == pytest.approx(got, abs=1e-12)
    assert high == pytest.approx(got + missing / 1200, abs=1e-12)


@pytest.mark.parametrize(("environment", "model"), sorted(LIVE))
def test_live_runs_have_their_means_and_pass_at_4(
    corpus: Path, analysed: Analyse, record: Record, environment: str, model: str
) -> None:
    settings = {"pass_threshold": 1.0} if environment == "reasoning_gym" else {}
    made = analysed(corpus / "gym-live" / environment / model, **settings)
    metrics = made["runs"][0]["metrics"]
    got = (metrics["score"], metrics["pass_at_k"]["4"])
    mean, best = LIVE[environment, model]
    record(
        "published",
        f"gym-live {environment} {model}: mean, pass@4",
        f"{mean:.3f} / {best:.2f}",
        f"{got[0]:.3f} / {got[1]:.2f}",
    )
    assert got[0] == pytest.approx(mean, abs=5e-4)
    assert got[1] == pytest.approx(best, abs=5e-3)
    assert made["flaws"] == []
    assert made["runs"][0]["denominator"]["expected_source"] == "manifest"


def test_reasoning_gym_has_no_pass_unless_somebody_says_what_one_is(corpus: Path, analysed: Analyse) -> None:
    run = analysed(corpus / "gym-live/reasoning_gym/stub-weak")["runs"][0]
    assert run["score_threshold"] is None
    assert run["buckets"] is None
    assert run["metrics"]["pass_at_k"] == {}


@pytest.mark.parametrize(("suffix", "many"), [("_aggregate_metrics.json", 18), ("_agent_metrics.json", 4)])
def test_every_summary_file_comes_out_of_its_rollouts(
    corpus: Path, analysed: Analyse, record: Record, suffix: str, many: int
) -> None:
    kind = suffix.removesuffix(".json").removeprefix("_")
    wrong: dict[str, Any] = {}
    found = sorted((corpus / "nemo-gym").rglob(f"*{suffix}"))
    for path in found:
        rollouts = path.with_name(path.name.removesuffix(suffix) + ".jsonl")
        checks = [check for run in analysed(rollouts)["runs"] for check in run["checks"] if check["kind"] == kind]
        named = [check for check in checks if Path(check["file"]).name == path.name]
        good = [check for check in named if check["matched"] > 0 and not check["disagreements"]]
        stored = json.loads(path.read_text(encoding="utf-8"))
        if len(named) != 1 or len(good) != 1 or named[0]["tolerance"] > 1e-9 or not stored:
            wrong[path.relative_to(corpus).as_posix()] = checks
    record("summaries", f"{kind} files recomputed within 1e-9", many, len(found) - len(wrong))
    assert len(found) == many
    assert wrong == {}
