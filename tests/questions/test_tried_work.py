"""Work that is tried before it is handed in: edited code, and the very text of the last call."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.extract.attempt import Attempt
from blade.extract.tried_work import tried_text
from blade.questions import tried_work

QUERY = "SELECT name FROM members WHERE fee > {}"


def rollout(task: int, *, tried: str, passed: bool, attempt: int = 0, answer: str = "name\nAnn") -> Json:
    text = QUERY.format(task)
    tries = {"same": [text], "spaced": [text.replace(" ", "\n") + ";"], "other": [QUERY.format(999)], "none": []}[tried]
    parts = [called("query", {"sql": one}, answer) for one in tries]
    return task_row(
        task,
        called("query", {"sql": "SELECT * FROM members LIMIT 3"}, "name\nBo"),
        *parts,
        called("hand_in", {"payload": text}, "received"),
        said("Done."),
        passed=passed,
        _ng_rollout_index=attempt,
        verdict={
            "code": "OK" if passed else "E_STATEMENT" if tried != "same" else "OTHER_ROWS" if task % 2 else "LESS"
        },
    )


@pytest.mark.parametrize(
    ("tried", "answer", "expected"),
    [
        ("same", "name\nAnn", True),
        ("spaced", "name\nAnn", True),
        ("same", "Error: no such column: fee", False),
        ("other", "name\nAnn", False),
        ("none", "name\nAnn", False),
    ],
)
def test_the_same_text_must_have_gone_well(tried: str, answer: str, *, expected: bool) -> None:
    assert tried_text(Attempt(rollout(1, tried=tried, passed=False, answer=answer))) == {"tried_text": expected}


def test_a_last_call_without_a_text_hands_in_none() -> None:
    row = task_row(0, called("query", {"sql": QUERY.format(1)}, "Ann"), called("stop", {"n": 1}, "ok"), passed=True)
    assert tried_text(Attempt(row)) == {}


def test_it_is_told_with_the_rates_of_each_run_and_the_words_of_the_verifier(tmp_path: Path) -> None:
    def rows(weak: int) -> list[Json]:
        made = [rollout(task, tried="same", passed=task % 6 > 0, attempt=0) for task in range(24)]
        return made + [rollout(task, tried="none", passed=task < weak, attempt=1) for task in range(24)]

    paths = [write(tmp_path / f"{name}.jsonl", rows(weak)) for name, weak in (("one", 6), ("two", 4))]
    answer = analysed(*paths).investigation["tried_work"]
    (entry,) = answer["kinds"]
    assert [entry[key] for key in ("tried", "tried_passes", "untried", "untried_passes")] == [48, 40, 48, 10]
    told = words(tried_work.tell(answer))
    assert told.startswith(
        "Judged rollouts that had run the very text they hand in, and it went well, pass 40 of 48 (83.3%), those that "
        "hand in a text they had not run 10 of 48 (20.8%; p = "
    )
    assert "By run: one 20 of 24 and 6 of 24 and two 20 of 24 and 4 of 24." in told
    assert "The verifier says “E_STATEMENT” (verdict.code) in 38 of the untried and in 0 of the tried." in told
    (advice,) = tried_work.advise(answer)
    assert advice.because.text == "10 of 48 rollouts pass without, 40 of 48 with it."


def test_a_difference_in_one_run_alone_is_told_of_that_run(tmp_path: Path) -> None:
    def rows(*, differs: bool) -> list[Json]:
        made = [rollout(task, tried="same", passed=task % 6 > 0 if differs else task % 2 > 0) for task in range(24)]
        passes = [task < 3 if differs else task % 4 < 3 for task in range(24)]
        return made + [rollout(task, tried="none", passed=passes[task], attempt=1) for task in range(24)]

    paths = [write(tmp_path / f"{name}.jsonl", rows(differs=name == "one")) for name in ("one", "two")]
    (entry,) = analysed(*paths).investigation["tried_work"]["kinds"]
    assert [run["run"] for run in entry["runs"]] == ["one"]
    assert words(tried_work.tell({"kinds": [entry]})).startswith("Judged rollouts of one that had run the very text")


def test_where_the_untried_pass_as_often_nothing_is_said(tmp_path: Path) -> None:
    rows = [rollout(task, tried="same", passed=task % 2 > 0) for task in range(24)]
    rows += [rollout(task, tried="none", passed=task % 2 > 0, attempt=1) for task in range(24)]
    assert "tried_work" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation


def test_a_run_in_which_nobody_tries_anything_is_left_out(tmp_path: Path) -> None:
    able = [rollout(task, tried="same", passed=task % 6 > 0) for task in range(24)]
    able += [rollout(task, tried="none", passed=task < 3, attempt=1) for task in range(24)]
    paths = [write(tmp_path / "able.jsonl", able)]
    paths.append(write(tmp_path / "unable.jsonl", [rollout(task, tried="none", passed=False) for task in range(24)]))
    (entry,) = analysed(*paths).investigation["tried_work"]["kinds"]
    assert (entry["tried"], entry["untried"]) == (24, 24)
    assert [(run["run"], run["untried"]) for run in entry["runs"]] == [("able", 24), ("unable", 0)]
