"""The table of numbers says what its names mean where another tool means something else by them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write

from blade.checking.measures import Values
from blade.document import Bullets, Paragraph, Table
from blade.model import Analysis
from blade.sections import aggregate_results, executive_summary


def answered(task: int, *answers: str) -> list[Json]:
    """One attempt per answer, in order; 7 is right."""
    return [
        row(task, attempt, float(told == "7"), expected_answer="7", extracted_answer=told)
        for attempt, told in enumerate(answers)
    ]


@pytest.fixture
def voting(tmp_path: Path) -> Analysis:
    path = write(tmp_path / "run.jsonl", [*answered(0, "7", "7", "3"), *answered(1, "4", "7", "7")])
    return analysed(f"run={path}")


def test_majority_at_k_is_told_apart_from_the_metric_of_that_name_in_summary_files(voting: Analysis) -> None:
    (run,) = voting.runs
    assert run.metrics["majority_at_k"] == pytest.approx({"1": 2 / 3, "2": 2 / 3, "3": 1.0})
    assert run.metrics["majority_first_k"] == pytest.approx({"1": 0.5, "2": 0.75, "3": 1.0})
    table, _, paragraph = aggregate_results.build(voting)[:3]
    assert isinstance(table, Table)
    assert isinstance(paragraph, Paragraph)
    assert [str(line[0]) for line in table.rows if "majority" in str(line[0])] == ["majority@2", "majority@3"]
    told = " ".join(sentence.text for sentence in paragraph.sentences)
    assert "majority@k is the mean over all choices of k attempts of a task." in told
    assert "NeMo Gym's metric of that name takes the first k attempts only" in told
    assert "By the first k attempts, for run: 75.0% at k = 2." in told


def test_a_report_may_mean_either_majority(voting: Analysis) -> None:
    named = Values(voting).named("majority@2 is 75.0%", "run")
    assert [figure.value for figure in named.allowed] == pytest.approx([2 / 3, 0.75])


def summary(analysis: Analysis) -> str:
    bullets = [block for block in executive_summary.build(analysis) if isinstance(block, Bullets)]
    return " ".join(sentence.text for block in bullets for item in block.items for sentence in item.sentences)


def test_retries_are_worth_something_only_on_tasks_that_sometimes_pass(tmp_path: Path, voting: Analysis) -> None:
    assert "retries gain +33.3 pp, all of it on tasks that sometimes pass." in summary(voting)
    steady = [*answered(0, "7", "7"), *answered(1, "7", "7"), *answered(2, "3", "4"), *answered(3, "5", "5")]
    told = summary(analysed(write(tmp_path / "steady.jsonl", steady)))
    assert "2 tasks always pass, 0 sometimes do, 2 never do" in told
    assert "retries" not in told


def test_of_many_attempts_a_few_numbers_are_told(tmp_path: Path) -> None:
    rows = [row(0, attempt, 1.5 + 0.01 * attempt, expected_answer=None) for attempt in range(11)]
    table = aggregate_results.build(analysed(write(tmp_path / "many.jsonl", rows)))[0]
    assert isinstance(table, Table)
    names = [str(line[0]) for line in table.rows]
    assert [name for name in names if name.startswith("best")] == [f"best of {k}" for k in (2, 3, 4, 8, 11)]


def spent(tokens: int, cost: float) -> list[Json]:
    """Twelve tasks whose rollouts read so many tokens and cost so much."""
    usage = {"input_tokens": tokens, "output_tokens": 50, "total_tokens": tokens + 50}
    answer = response(message("It is so, and that is all that can be told about it."), usage=usage)
    return [row(task, 0, 1.0, response=answer, metadata={"agent_cost": cost}) for task in range(12)]


def test_runs_that_need_far_more_than_others_are_named(tmp_path: Path) -> None:
    amounts = {"lean": (1_000, 0.02), "lavish": (3_000, 0.05), "middling": (1_200, 0.021)}
    paths = [write(tmp_path / f"{run}.jsonl", spent(*amount)) for run, amount in amounts.items()]
    told = [
        sentence.text
        for block in aggregate_results.build(analysed(*paths))
        if isinstance(block, Paragraph)
        for sentence in block.sentences
    ]
    assert "A rollout of lavish reads 3.0 times the input tokens of lean (medians 3,000 and 1,000)." in told
    assert "A rollout of lavish costs 2.5 times as much as one of lean (medians 0.05 and 0.02)." in told
    alike = aggregate_results.build(analysed(paths[0], paths[2]))
    assert not any(
        "times" in sentence.text for block in alike if isinstance(block, Paragraph) for sentence in block.sentences
    )


def test_the_best_of_k_says_how_many_tasks_have_so_many_attempts(tmp_path: Path) -> None:
    """Where nothing says what a pass is, the best of three may be less than the best of two: it is of other tasks."""
    rows = [row(0, attempt, 0.2 + attempt / 100) for attempt in range(3)]
    rows += [row(1, attempt, 0.7 + attempt / 100) for attempt in range(2)]
    analysis = analysed(write(tmp_path / "run.jsonl", rows))
    assert analysis.runs[0].metrics["tasks_used"] == {"1": 2, "2": 2, "3": 1}
    table = aggregate_results.build(analysis)[0]
    assert isinstance(table, Table)
    cells = {str(line[0]): line[1] if isinstance(line[1], str) else line[1].text for line in table.rows}
    assert cells["best of 2"] == "46.3%"
    assert cells["best of 3"] == "22.0% (1 task)"
