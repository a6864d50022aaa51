"""Scores, changes and names at the ends of what a file may hold: an answer or a word, never a traceback."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.gym_rows import analysed, message, request, response, row, write

from blade.engine.settings import LONGEST_NOTES
from blade.short_report.worth import substance_of
from blade.stats.power import tasks_needed


def test_a_change_too_small_to_be_seen_needs_endlessly_many_tasks() -> None:
    assert tasks_needed(1e-200, (1.0, 1.0), (4, 4)) == math.inf
    assert tasks_needed(1e-160, (1e98, 1.0), (4, 4)) == math.inf


def test_scores_beyond_all_measure_are_no_scores_and_are_said(tmp_path: Path) -> None:
    rows = [row(task, reward=1e98 if task % 2 else 1.0) for task in range(8)]
    analysis = analysed(write(tmp_path / "huge.jsonl", rows))
    (run,) = analysis.runs
    assert run.metrics["score"] == pytest.approx(1.0)
    (flaw,) = (flaw for flaw in analysis.flaws if flaw.slug == "no-score")
    assert "a score that is infinite or too large" in flaw.statement
    assert flaw.rows == 4


def test_a_field_to_slice_by_that_no_row_has_is_an_error_with_near_names(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(task, metadata={"category": "ab"[task % 2]}) for task in range(8)])
    done = blade("analyze", path, "--slices", "metadata.categry", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "--slices metadata.categry: no row has such a field." in done.stderr
    assert "The rows have: metadata.category" in done.stderr
    assert blade("analyze", path, "--slices", "metadata.category", "-o", tmp_path / "out").returncode == 0


@pytest.mark.parametrize("filler", ["z" * 5_000, "zz " * 1_700])
def test_no_name_of_thousands_of_characters_is_printed_whole(filler: str, tmp_path: Path) -> None:
    """A tool, an argument, a role, a field, an agent, a model, a task and a kind of item that nobody named."""
    call = {"type": "function_call", "name": filler, "arguments": json.dumps({filler: 1}), "call_id": "1"}
    answer = {"type": "function_call_output", "call_id": "1", "output": "Error: no such tool", "name": filler}
    chat = {"role": "assistant", "content": "", "tool_calls": [{"id": "2", "function": {"name": filler}}]}
    odd = [{"type": filler, "text": "x"}, {"role": filler, "content": "y"}]
    output = response(call, answer, chat, *odd, message("Done."), model=filler)
    params = request("What?", tools=[{"type": "function", "name": filler, "parameters": {}}])
    fields = {filler: 3, "metadata": {filler: "a"}, "task_id": filler, "agent_ref": {"name": filler}}
    rows = [
        row(task, attempt, float(task % 2), response=output, responses_create_params=params, **fields)
        for task in range(6)
        for attempt in range(2)
    ]
    path = write(tmp_path / "run.jsonl", rows)
    forms = ("--format", "github", "--format", "csv", "--format", "junit")
    printed = [blade("analyze", path, "-o", tmp_path / "out", "--full", *forms).stdout]
    texts = ("report.md", "comment.md", "analysis.json", "report.html", "tasks.csv", "junit.xml")
    printed += [(tmp_path / "out" / name).read_text("utf-8") for name in texts]
    commands: tuple[tuple[str | Path, ...], ...] = (
        *(("show", path, "0"), ("show", path, "0", "--twin"), ("show", path, filler), ("tasks", path, "--no-keep")),
        *(("grep", "z", path, "--no-keep"), ("count", "failed", path, "--by", "model,tools", "--no-keep")),
        *(("reading-list", path), ("note", path, filler, "--author", "me", "--label", "BI", "--quote", "Done.")),
    )
    for done in (blade(*words) for words in commands):
        assert done.returncode in {0, 2}, done.stderr
        printed += [done.stdout, done.stderr]
    longest = max(len(run) for text in printed for run in re.findall(r"(?:z[z ]*)", text))
    assert longest < 1_000, longest  # an error quotes both ends of what was typed
    assert "z" * 20 in printed[1] or "zz zz zz" in printed[1]


NUMBER = "9" * 5_000
"""More digits than Python makes an integer of."""
PATCH = f"diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,{NUMBER} +1,{NUMBER} @@\n+a\n"


@pytest.mark.parametrize(
    "text",
    [
        PATCH,
        f"{NUMBER} failed, {NUMBER} passed",
        f"TESTS={NUMBER} PASS={NUMBER} FAIL={NUMBER}",
        f"a, b and {NUMBER} more",
    ],
    ids=["patch", "pytest", "tests", "list"],
)
def test_a_number_of_thousands_of_digits_costs_no_row_and_no_detector(text: str, tmp_path: Path) -> None:
    """In what the model, a tool and the verifier wrote, in the notes beside the run and in its name."""
    (tmp_path / "NOTES.md").write_text(f"{NUMBER} of {NUMBER}: +{NUMBER} pp. {text}")
    call = {"type": "function_call", "name": "run", "arguments": json.dumps({"patch": text}), "call_id": "1"}
    output = response(call, {"type": "function_call_output", "call_id": "1", "output": text}, message(text))
    rows = [
        row(task, attempt, float(attempt), response=output, verifier={"message": text}, model_patch=text)
        for task in range(3)
        for attempt in range(2)
    ]
    path = write(tmp_path / "run.jsonl", rows)
    names = (f"step_{NUMBER}={path}", f"step_{NUMBER[1:]}={path}", f"step_1={path}")
    done = blade("analyze", *names, "-o", tmp_path / "out", "--no-cache", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    analysis = json.loads((tmp_path / "out" / "analysis.json").read_bytes())
    assert {flaw["slug"] for flaw in analysis["flaws"]} <= {"field-without-signal"}
    assert [run["rollouts"] for run in analysis["runs"]] == [6, 6, 6]


@pytest.mark.parametrize("piece", ["a", "1,", "(", "“", ".", "“a” ", "a-", "(a "])
def test_notes_of_one_piece_are_weighed(piece: str) -> None:
    """They are the longest text of others that the short report weighs."""
    assert substance_of(piece * (LONGEST_NOTES // len(piece))).worth >= 0


@pytest.mark.parametrize("ends", [(9e14, -9e14, 1e-9), (1e-300, 1e-320, 0.0)])
def test_scores_at_the_ends_of_the_range_give_a_whole_report(ends: tuple[float, ...], tmp_path: Path) -> None:
    for name, step in (("base", 1), ("second", 2)):
        rows = [row(task, attempt, ends[(task * step + attempt) % 3]) for task in range(6) for attempt in range(2)]
        write(tmp_path / f"{name}.jsonl", rows)
    done = blade("analyze", tmp_path / "base.jsonl", tmp_path / "second.jsonl", "-o", tmp_path / "out", "--no-cache")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out" / "report.html").exists()


def test_a_failure_class_of_null_makes_no_failure_of_a_rollout(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(task, _ng_failure_class=None) for task in range(4)])
    (run,) = analysed(path).runs
    assert (run.rollouts, run.metrics["score"]) == (4, 1.0)
