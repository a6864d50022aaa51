"""Runs that differ in the model alone, or in the agent alone."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import one_factor


def _run(folder: Path, agent: str, model: str, passes: int, *, labelled: bool = True) -> str:
    def made(task: int) -> Json:
        line = row(task, 0, float(task < passes), agent_ref={"name": agent})
        line["response"] |= {"model": model}
        if task == 15 and labelled:
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


def test_nothing_is_said_of_limits_that_no_row_records(tmp_path: Path) -> None:
    runs = (("brisk", "loaf", 20), ("brisk", "roll", 18), ("slow", "roll", 12))
    specs = [_run(tmp_path, *run, labelled=run[0] == "brisk") for run in runs]
    answer = analysed(*specs).investigation["one_factor"]
    assert [pair["cut"] for pair in answer["pairs"]] == [None, 0]
    assert "It falls furthest in 12, 13, 14, 15, 16 and 17.\n" in words(one_factor.tell(answer))


def test_one_agent_or_one_model_for_all_says_nothing_new(tmp_path: Path) -> None:
    runs = (("brisk", "loaf", 20), ("brisk", "roll", 12))
    assert "one_factor" not in analysed(*(_run(tmp_path, *run) for run in runs)).investigation


def test_tasks_that_all_runs_of_one_agent_fail_are_told_over_all_its_runs(tmp_path: Path) -> None:
    def made(folder: Path, agent: str, model: str) -> str:
        rows = []
        for task in range(12):
            for attempt in range(4):
                passed = task < 5 or (agent == "brisk" and task < 9 and attempt > 0)
                line = row(task, attempt, float(passed), agent_ref={"name": agent})
                line["response"] |= {"model": model}
                if agent == "slow" and task == 8:
                    line["response"] |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
                rows.append(line)
        return f"{agent}-{model}={write(folder / f'{agent}-{model}.jsonl', rows)}"

    agents = [(agent, model) for agent in ("brisk", "slow") for model in ("loaf", "roll")]
    answer = analysed(*(made(tmp_path, *setting) for setting in agents)).investigation["one_factor"]
    (pooled,) = answer["pooled"]
    assert (pooled["factor"], pooled["levels"], pooled["rollouts"]) == ("agent", ["slow", "brisk"], [32, 32])
    text = words(one_factor.tell(answer))
    assert (
        "All runs with the agent slow fail 4 tasks that those with brisk mostly pass: none of 32 against 24 of 32 (5 6 "
        "of 8, 6 6 of 8, 7 6 of 8 and 8 6 of 8). 8 of these failures ran out of time or reached a limit." in text
    ), text


def test_what_one_run_alone_fails_is_not_said_of_its_agent(tmp_path: Path) -> None:
    runs = (("brisk", "loaf", 20), ("brisk", "roll", 18), ("slow", "roll", 12))
    assert analysed(*(_run(tmp_path, *run) for run in runs)).investigation["one_factor"]["pooled"] == []


def test_one_judged_attempt_among_many_is_no_task_that_falls(tmp_path: Path) -> None:
    def made(agent: str, model: str) -> str:
        rows = []
        for task in range(8):
            attempts = 1 if (agent, task) == ("slow", 0) else 4
            for attempt in range(attempts):
                line = row(task, attempt, float(task > 2 or agent == "brisk"), agent_ref={"name": agent})
                line["response"] |= {"model": model}
                rows.append(line)
        return f"{agent}-{model}={write(tmp_path / f'{agent}-{model}.jsonl', rows)}"

    answer = analysed(made("brisk", "loaf"), made("brisk", "roll"), made("slow", "roll")).investigation["one_factor"]
    assert answer["pairs"][0]["far"] == ["1", "2"], "task 0 has one attempt of four"
