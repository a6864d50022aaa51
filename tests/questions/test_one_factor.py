"""Runs that differ in the model alone, or in the agent alone."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import one_factor


def _run(folder: Path, agent: str, model: str, passes: int) -> str:
    def made(task: int) -> Json:
        line = row(task, 0, float(task < passes), agent_ref={"name": agent})
        line["response"] |= {"model": model}
        if task == 15:
            line["response"] |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
        return line

    return f"{agent}-{model}={write(folder / f'{agent}-{model}.jsonl', [made(task) for task in range(24)])}"


def test_what_the_agent_alone_changes_is_told_with_the_tasks_it_loses(tmp_path: Path) -> None:
    runs = (("brisk", "loaf", 20), ("brisk", "roll", 18), ("slow", "roll", 12))
    answer = analysed(*(_run(tmp_path, *run) for run in runs)).investigation["one_factor"]
    assert [(pair["factor"], pair["runs"]) for pair in answer["pairs"]] == [
        ("agent", ["brisk-roll", "slow-roll"]),
        ("model", ["brisk-loaf", "brisk-roll"]),
    ], "the first and the last run differ in both"
    text = words(one_factor.tell(answer))
    assert (
        "As far as the rows say, brisk-roll and slow-roll differ in the agent alone (the same model, roll): on the 24 "
        "tasks judged in both they pass 75.0% and 50.0%, −25.0 pp (95% interval " in text
    ), text
    assert "the second passes less often in 6 tasks, more often in 0." in text
    assert (
        "It falls furthest in 12, 13, 14, 15, 16 and 17; of its 6 failures there 1 ran out of time or reached" in text
    )
    (brief,) = one_factor.brief(answer)
    assert "differ in the agent alone" in brief.text


def test_one_agent_or_one_model_for_all_says_nothing_new(tmp_path: Path) -> None:
    runs = (("brisk", "loaf", 20), ("brisk", "roll", 12))
    assert "one_factor" not in analysed(*(_run(tmp_path, *run) for run in runs)).investigation
