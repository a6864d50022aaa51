"""Passes that copy the verifier's own check, and passes with figures that nobody computed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, task_row, words

from blade.document import Paragraph
from blade.model import Analysis
from blade.questions import unearned_passes
from blade.sections import task_outcome_buckets

CHECK = "test_garden_plan_matches"
FAILING = f"checks.py::{CHECK} FAILED\nE  the plan differs, wanted\nE  rose rose oak\nE  oak pond oak\nE  rose oak rose"
PLAN = "cat <<'EOF' > plan.txt\nrose rose oak\noak pond oak\nrose oak rose\nEOF"
OWN = f"cat <<'EOF' > checks.py\ndef {CHECK}():\n    assert plan\nEOF"
CUT = "The command timed out and has been killed."
FIGURES = 'cat <<EOF > result.json\n{"yield": 0.7312, "loss": 0.2218, "share": 0.5129}\nEOF'
BACK = '{"yield": 0.7312, "loss": 0.2218, "share": 0.5129}'


def _did(*steps: tuple[str, str]) -> dict[str, Any]:
    items: list[Any] = [message("I see the true plan now.")]
    for number, (command, output) in enumerate(steps):
        call_id = f"c{number}"
        arguments = json.dumps({"command": command})
        items.append({"type": "function_call", "call_id": call_id, "name": "bash", "arguments": arguments})
        items.append({"type": "function_call_output", "call_id": call_id, "output": output})
    return response(*items, message("Done."))


def _row(task: int, attempt: int, passed: bool, *steps: tuple[str, str]) -> Json:
    verifier = {"test_results": {CHECK: "passed" if passed else "failed", "test_file_is_there": "passed"}}
    fields = {"response": _did(*steps), "verifier": verifier, "expected_answer": None, "extracted_answer": None}
    return row(task, attempt, float(passed), **fields)


def _told(tmp_path: Path, *rows: Json) -> tuple[Analysis, str]:
    others = [_row(task, 0, bool(task % 2), ("ls", "soil")) for task in range(5, 15)]
    analysis = analysed(f"run={write(tmp_path / 'run.jsonl', [*rows, *others])}")
    answer = analysis.investigation.get("unearned_passes")
    return analysis, words(unearned_passes.tell(answer)) if answer else ""


def test_a_pass_that_copies_what_the_official_check_printed_is_told(tmp_path: Path) -> None:
    copied = _row(0, 0, True, ("pytest checks.py", FAILING), (PLAN, ""))
    looked = _row(1, 0, False, ("pytest checks.py", FAILING), ("ls", "soil"))
    analysis, text = _told(tmp_path, copied, looked)
    (one,) = analysis.investigation["unearned_passes"]["runs"]
    assert (one["doubtful"], one["left"], one["judged"]) == (1, 5, 12)
    assert f"In run 2 rollouts (0 and 1) run or read the verifier's own checks, such as “{CHECK}”" in text
    assert "0: attempt 0 writes what the failing check has just printed, the expected result, into a file" in text
    assert "“I see the true plan now.” (attempt 0, item 3)" in text
    assert "1 of them passes, 1 by copying what a check prints." in text
    assert "Without this pass, run passes 5 of 12 judged rollouts (41.7%)." in text
    typed = {"task": "3", "passing": [1, 2], "failing": [], "values": ["0.5"], "many": 1}
    both = {**one, "typed": [typed], "doubtful": 3}
    told = words(unearned_passes.tell({"runs": [both], "forbidding": []}))
    assert "Without these 3 passes (1 copied and 2 with typed results), run passes" in told, "two numbers, two words"
    brief = Paragraph(tuple(unearned_passes.brief(analysis.investigation["unearned_passes"])))
    assert "1 pass of run may be unearned" in words([brief])
    buckets = words(task_outcome_buckets.build(analysis))
    assert "Some passes of run may be unearned, and count here as scored: 0." in buckets


@pytest.mark.parametrize(
    "steps",
    [
        [(OWN, ""), ("pytest checks.py", FAILING), (PLAN, "")],
        [("pytest checks.py", FAILING), ("cat <<'EOF' > plan.txt\nown idea\nother idea\nthird idea\nEOF", "")],
        [("cat plan.md", "rose rose oak\noak pond oak\nrose oak rose"), ("pytest checks.py", FAILING), (PLAN, "")],
        [("python own.py", "the plan differs\nrose rose oak\noak pond oak\nrose oak rose\nError"), (PLAN, "")],
    ],
    ids=["its own test", "its own work", "shown before", "no official check"],
)
def test_tests_of_ones_own_and_work_of_ones_own_are_not(steps: list[tuple[str, str]], tmp_path: Path) -> None:
    assert _told(tmp_path, _row(0, 0, True, *steps))[1] == ""


def test_a_pass_with_figures_that_no_output_had_shown_is_told(tmp_path: Path) -> None:
    steps = [("python measure.py", CUT), (FIGURES, ""), ("cat result.json", BACK)]
    _, text = _told(tmp_path, _row(0, 0, True, *steps), _row(0, 1, False, *steps))
    assert "0: attempt 0 of run passes with results typed by hand" in text
    assert "(0.2218, 0.5129 and 0.7312)" in text


@pytest.mark.parametrize(
    "steps",
    [
        [("python measure.py", CUT), ("python fast.py", BACK), (FIGURES, ""), ("cat result.json", BACK)],
        [(FIGURES, ""), ("cat result.json", BACK)],
        [("python measure.py", CUT), ("train --rate 0.0015", "rate 0.0015"), ("cat result.json", BACK)],
    ],
    ids=["measured before", "nothing was cut", "a setting"],
)
def test_figures_that_were_measured_or_set_are_not(steps: list[tuple[str, str]], tmp_path: Path) -> None:
    assert _told(tmp_path, _row(0, 0, True, *steps))[1] == ""


def test_checks_that_only_forbid_are_counted_apart(tmp_path: Path) -> None:
    """A rubric of which only the prohibitions are met: whoever says nothing would score as much."""

    def judged_row(task: int, *, named: bool) -> Json:
        told = {f"Names the cause in file {part} of {task}": named and part == 0 for part in range(3)}
        forbidden = {f"Does NOT claim that shelf {part} of {task} is full": True for part in range(2)}
        items = [{"criterion": name, "passed": passed} for name, passed in (told | forbidden).items()]
        score = sum(bool(item["passed"]) for item in items) / len(items)
        return row(task, reward=score, judge_per_item=items, expected_answer=None, extracted_answer=None)

    poor = [judged_row(task, named=task == 0) for task in range(5)]
    answer = analysed(write(tmp_path / "poor.jsonl", poor)).investigation["unearned_passes"]
    assert words(unearned_passes.tell(answer)) == (
        "Checks of poor that only forbid something (such as “Does NOT claim that shelf 0 of 0 is full”) pass 10 of 10 "
        "times, all others 1 of 15: of 11 that pass, so many ask for nothing, and whoever says nothing would pass them "
        "too."
    )
    good = [row | {"judge_per_item": [item | {"passed": True} for item in row["judge_per_item"]]} for row in poor]
    assert "unearned_passes" not in analysed(write(tmp_path / "good.jsonl", good)).investigation


def test_passes_in_which_every_call_fails_are_told(tmp_path: Path) -> None:
    lost = ("cat plan.txt", "cat: plan.txt: No such file or directory")
    erring = [_row(task, 0, True, lost, lost) for task in range(2)]
    _, text = _told(tmp_path, *erring)
    assert (
        "2 rollouts of run pass though every call fails, 4 calls (0 and 1): nothing that was done went well, so the "
        "verifier finds its result without the work, or takes an error for it." in text
    )
    _, alone = _told(tmp_path, erring[0])
    assert "every call fails" not in alone
    _, worked = _told(tmp_path, *(_row(task, 0, True, lost, ("ls", "soil")) for task in range(2)))
    assert "every call fails" not in worked


def test_a_pass_whose_last_call_says_nothing_is_told(tmp_path: Path) -> None:
    def ended(task: int, command: str, *, passed: bool) -> Json:
        return task_row(
            task, called("run", {"command": "ls"}, "soil"), called("run", {"command": command}, ""), passed=passed
        )

    rows = [ended(20, "", passed=True), ended(21, "", passed=False), ended(22, "rm soil", passed=True)]
    _, text = _told(tmp_path, *rows)
    assert text == (
        "1 rollout of run passes with a last call of run whose arguments are empty (20), of 2 that end so: where "
        "nothing is what the verifier waits for, such a pass shows no work."
    )
    assert not _told(tmp_path, rows[2])[1]
