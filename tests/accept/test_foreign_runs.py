"""Runs of other programs: the numbers that their files, or their publishers, state come out of `blade analyze`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blade.engine.discover import discover
from blade.errors import NoRuns

pytestmark = pytest.mark.corpus

Analyse = Callable[..., dict[str, Any]]
Record = Callable[..., None]

NEAR = 1e-4
RUNS: list[tuple[str, str, float | None, int, int]] = [
    # path below corpus/foreign, run, score, tasks, rollouts
    ("lm_eval/bbh-small", "2024-11-18T14-01-50", 0.9, 10, 10),
    ("lm_eval/bbh-small", "2024-11-21T14-12-01", 1.0, 5, 5),
    ("lm_eval/filter-named", "filter-named", 0.7, 10, 10),
    ("lm_eval/filter-named-exaone", "filter-named-exaone", 0.0, 10, 10),
    ("lm_eval/loglikelihood", "loglikelihood", 0.7, 10, 10),
    ("lm_eval/current-version", "current-version", 0.0, 5000, 10),
    ("lm_eval/ko_winogrande-filter-change", "2024-11-19T15-57-28", 0.0, 10, 10),
    ("lm_eval/ko_winogrande-filter-change", "2024-11-19T15-59-39", 1.0, 10, 10),
    ("lm_eval/mmlu_pro-gpt-4o-30", "2024-11-22T17-03-57", 0.0, 30, 30),
    ("lm_eval/mmlu_pro-gpt-4o-30", "2024-11-22T17-05-12", 0.1, 30, 30),
    ("lm_eval/mmlu_pro-gpt-4o-30", "2024-11-22T17-06-34", 0.466667, 30, 30),
    ("lm_eval/three-filters-unnamed", "three-filters-unnamed@get-option", 0.0, 10, 10),
    ("lm_eval/three-filters-unnamed", "three-filters-unnamed@get-answer1", 0.0, 10, 10),
    ("lm_eval/three-filters-unnamed", "three-filters-unnamed@get-answer2", 0.0, 10, 10),
    ("lm_eval/gpqa-gpt-4o-50", "gpqa-gpt-4o-50", 0.453333, 150, 150),
    ("tau/tau2_toolorchestra_airline", "toolorchestra_airline_gpt-5_1trial", 0.56, 50, 50),
    ("tau/tau2_retail_policy_variants", "eval_tudor_gpt4o-refined_gpt-4o_test_1trial", 0.7, 40, 40),
    ("tau/tau2_retail_policy_variants", "eval_tudor_gpt5mini-refined_gpt-4o_test_1trial", 0.825, 40, 40),
    ("tau/tau2_small_runs", "20260531-042306-420109", 0.0, 1, 1),
    ("tau/tau2_small_runs", "20260531-170523-841701", 0.0, 1, 1),
    ("tau/tau2_dir_format", "tau2_dir_format", None, 1, 1),
    ("tau/tau_bench_v1", "template_result", 0.5, 2, 2),
    ("nemo_skills/eval-results", "math", 0.71428571, 7, 21),
    ("nemo_skills/eval-results", "gpqa", 0.5, 4, 16),
    ("nemo_skills/eval-results", "human-eval", 0.75, 4, 8),
    ("nemo_skills/eval-results", "minif2f", 0.333333, 3, 12),
    ("nemo_skills/eval-results", "ifeval", 0.333333, 3, 9),
    ("nemo_skills/eval-results", "answer-judge", 0.4375, 12, 48),
    ("nemo_skills/eval-results", "arena-hard", None, 10, 10),
    ("bfcl", "v0.11.0", 0.578417, 1390, 1390),
    ("openhands/multi_swe_bench_examples", "multi_swe_bench_examples", None, 3, 3),
    ("openhands/resolver_old", "resolver_old", 1.0, 2, 2),
    ("promptfoo/root-cause", "v1_gpt4o", 0.946429, 56, 56),
    ("promptfoo/root-cause", "v1_deepseekchat", 0.910714, 56, 56),
    ("promptfoo/five-providers", "baseline@Llama2", 0.333333, 3, 3),
    ("promptfoo/five-providers", "baseline@Breeze 7B Instruct", 0.666667, 3, 3),
    ("promptfoo/five-providers", "baseline@Llama-3.2-3B-F1-Resoning-Instruct", 0.666667, 3, 3),
    ("promptfoo/five-providers", "baseline@GPT-4o Mini", 1.0, 3, 3),
    ("promptfoo/five-providers", "baseline@End-to-end RAG+Tool Pipeline", None, 3, 3),
    ("verifiers/math-python--gpt-4.1-mini", "math-python--gpt-4.1-mini/578769a7", 0.933333, 5, 15),
    ("verifiers/math-python--gpt-4.1-mini", "math-python--gpt-4.1-mini/dbaac595", 1.0, 5, 15),
    ("verifiers/math-python--gpt-5-nano", "math-python--gpt-5-nano/cb7a1799", 1.0, 5, 15),
    ("verifiers/hangman_agent/1d9bfeba", "hangman_agent/1d9bfeba", 0.66625, 12, 24),
    ("verifiers/hangman_agent/53366283", "53366283", 0.761667, 6, 6),
    ("bfcl", "2025-11-12", 0.576978, 1390, 1390),
]
SLICES: list[tuple[str, str, str, str, float]] = [
    # path, run, field, level, score
    ("lm_eval/gpqa-gpt-4o-50", "gpqa-gpt-4o-50", "metadata.benchmark", "leaderboard_gpqa_main", 0.52),
    ("lm_eval/gpqa-gpt-4o-50", "gpqa-gpt-4o-50", "metadata.benchmark", "leaderboard_gpqa_extended", 0.42),
    ("lm_eval/gpqa-gpt-4o-50", "gpqa-gpt-4o-50", "metadata.benchmark", "leaderboard_gpqa_diamond", 0.42),
]
CATEGORIES = {
    "v0.11.0": {
        "simple_python": 0.8625,
        "simple_java": 0.52,
        "simple_javascript": 0.52,
        "multiple": 0.87,
        "parallel": 0.0,
        "parallel_multiple": 0.0,
        "irrelevance": 0.8625,
    },
    "2025-11-12": {
        "simple_python": 0.86,
        "simple_java": 0.56,
        "simple_javascript": 0.44,
        "multiple": 0.855,
        "parallel": 0.0,
        "parallel_multiple": 0.0,
        "irrelevance": 0.870833,
    },
}
SLICES += [
    ("bfcl", run, "metadata.category", category, score)
    for run, scores in CATEGORIES.items()
    for category, score in scores.items()
]
PAIRS: list[tuple[tuple[str, str], int, float | None, str | None]] = [
    # two paths, common tasks, change of score, the cause that is known
    (
        (
            "lm_eval/ko_winogrande-filter-change/2024-11-19T15-57-28",
            "lm_eval/ko_winogrande-filter-change/2024-11-19T15-59-39",
        ),
        10,
        1.0,
        "verifier",
    ),
    (
        ("lm_eval/mmlu_pro-gpt-4o-30/2024-11-22T17-03-57", "lm_eval/mmlu_pro-gpt-4o-30/2024-11-22T17-06-34"),
        30,
        0.466667,
        "verifier",
    ),
    (("lm_eval/filter-named", "lm_eval/filter-named-exaone"), 10, -0.7, None),
    (("bfcl/v0.11.0", "bfcl/2025-11-12"), 1390, -0.001439, None),
    (("promptfoo/root-cause/v1_gpt4o.json", "promptfoo/root-cause/v1_deepseekchat.json"), 56, -0.035714, None),
    (
        ("verifiers/math-python--gpt-4.1-mini/578769a7", "verifiers/math-python--gpt-4.1-mini/dbaac595"),
        5,
        0.066667,
        None,
    ),
    (
        (
            "tau/tau2_retail_policy_variants/eval_tudor_gpt4o-refined_gpt-4o_test_1trial.json",
            "tau/tau2_retail_policy_variants/eval_tudor_gpt5mini-refined_gpt-4o_test_1trial.json",
        ),
        40,
        0.125,
        None,
    ),
]
STATUSES: list[tuple[str, str, dict[str, int]]] = [
    # path, run, statuses of its rows
    ("lm_eval/mmlu_pro-gpt-4o-30", "2024-11-22T17-03-57", {"malformed": 30}),
    ("lm_eval/mmlu_pro-gpt-4o-30", "2024-11-22T17-05-12", {"malformed": 16, "ok": 14}),
    ("lm_eval/filter-named-exaone", "filter-named-exaone", {"malformed": 10}),
    ("tau/tau2_small_runs", "20260531-042306-420109", {"timed_out": 1}),
    ("tau/tau2_small_runs", "20260531-170523-841701", {"ok": 1}),
    ("tau/tau2_dir_format", "tau2_dir_format", {"skipped_verification": 1}),
    ("promptfoo/five-providers", "baseline@End-to-end RAG+Tool Pipeline", {"infrastructure": 3}),
    (
        "openhands/multi_swe_bench_examples",
        "multi_swe_bench_examples",
        {"timed_out": 1, "skipped_verification": 2},
    ),
]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "foreign-cache"))


@pytest.mark.parametrize(("path", "run", "score", "tasks", "rollouts"), RUNS)
def test_the_score_of_the_source_comes_out(
    corpus: Path,
    analysed: Analyse,
    record: Record,
    path: str,
    run: str,
    score: float | None,
    tasks: int,
    rollouts: int,
) -> None:
    made = {each["name"]: each for each in analysed(corpus / "foreign" / path)["runs"]}
    got = made[run]["metrics"]["score"]
    same = got == score if score is None or got is None else abs(got - score) <= NEAR
    record("foreign formats", f"{path}: {run}", score, got, same=same)
    assert same
    assert (made[run]["tasks"], made[run]["rollouts"]) == (tasks, rollouts)


@pytest.mark.parametrize(("path", "run", "field", "level", "score"), SLICES)
def test_the_scores_of_its_parts_come_out(
    corpus: Path, analysed: Analyse, record: Record, path: str, run: str, field: str, level: str, score: float
) -> None:
    made = {each["name"]: each for each in analysed(corpus / "foreign" / path)["runs"]}
    (got,) = [each["score"] for each in made[run]["slices"] if (each["field"], each["level"]) == (field, level)]
    record("foreign formats", f"{path}: {run}, {level}", score, got, same=abs(got - score) <= NEAR)
    assert got == pytest.approx(score, abs=NEAR)


@pytest.mark.parametrize(("paths", "tasks", "change", "cause"), PAIRS)
def test_comparable_runs_are_compared(
    corpus: Path,
    analysed: Analyse,
    record: Record,
    paths: tuple[str, str],
    tasks: int,
    change: float | None,
    cause: str | None,
) -> None:
    (made,) = analysed(*(corpus / "foreign" / path for path in paths))["changes"]
    record("foreign formats", f"{paths[0]} and {paths[1]}: common tasks", tasks, made["common_tasks"])
    assert made["common_tasks"] == tasks
    if change is not None:
        assert made["delta_common"] == pytest.approx(change, abs=NEAR)
    if cause is not None:
        assert [part["cause"] for part in made["parts"] if part["named"]] == [cause]


@pytest.mark.parametrize(("path", "run", "statuses"), STATUSES)
def test_statuses_are_those_of_the_source(
    corpus: Path, analysed: Analyse, path: str, run: str, statuses: dict[str, int]
) -> None:
    made = {each["name"]: each for each in analysed(corpus / "foreign" / path)["runs"]}
    assert {name: many for name, many in made[run]["statuses"].items() if many} == statuses


def test_seeds_give_the_stated_chance_of_one_pass_in_three(corpus: Path, analysed: Analyse) -> None:
    made = {each["name"]: each for each in analysed(corpus / "foreign/nemo_skills/eval-results")["runs"]}
    assert made["math"]["metrics"]["pass_at_k"]["3"] == pytest.approx(0.85714286, abs=NEAR)


def test_the_other_score_is_looked_at_by_its_name(corpus: Path, analysed: Analyse) -> None:
    path = corpus / "foreign/nemo_skills/eval-results/human-eval"
    (run,) = analysed(path, reward_field="verifier.scores.is_correct-plus")["runs"]
    assert run["metrics"]["score"] == pytest.approx(0.625, abs=NEAR)


@pytest.mark.parametrize(("run", "mean"), [("bp6qd19u06wzeqkdrf0h24xx", 1.7852), ("j1i1ys9rpdcluvtqneql2o4l", 0.56)])
def test_the_rows_of_a_training_have_the_stated_mean(corpus: Path, analysed: Analyse, run: str, mean: float) -> None:
    (made,) = analysed(corpus / "foreign/rl_rollouts/prime_rl" / run)["runs"]
    assert made["rollouts"] == 25
    assert made["metrics"]["micro"] == pytest.approx(mean, abs=NEAR)


def test_a_pointer_is_named_as_such(corpus: Path) -> None:
    with pytest.raises(NoRuns, match="not fetched"):
        discover([corpus / "foreign/verifiers/lfs-pointer/wordle--gpt-5-mini/b5161fc3"])
