"""The two benchmarks without tools: what their verifiers read out of a reply."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from blade.simulate import Scenario
from blade.simulate.benchmarks import load
from blade.simulate.cause_context import play
from blade.simulate.simulated_row import Behaviour, SimulatedTask

SURE = Behaviour("sim-sure", 99.0, 0.7, 100_000)


def message(text: str) -> list[dict[str, Any]]:
    return [{"type": "message", "content": [{"type": "output_text", "text": text}]}]


def verdict(benchmark: str, task: SimulatedTask, **changes: Any) -> dict[str, Any]:
    transcript = play(Scenario(benchmark=benchmark), load(benchmark), task, 0, replace(SURE, **changes))
    return load(benchmark).verify(task, transcript.items)


@pytest.mark.parametrize(
    ("text", "extracted", "reward"),
    [
        ("<answer>{right}</answer>", "{right}", 1.0),
        ("<answer> {right}\n</answer>", "{right}", 1.0),
        ("<answer>0</answer> no: <answer>{right}</answer>", "{right}", 1.0),
        ("<answer>{right}</answer> no: <answer>x</answer>", "x", 0.0),
        ("the answer is {right}", None, 0.0),
        ("<answer>{right}", None, 0.0),
    ],
)
def test_the_last_tag_counts(text: str, extracted: str | None, reward: float) -> None:
    notes = load("field_notes")
    for number in range(8):
        task = notes.task(0, number)
        right = task.given["expected_answer"]
        graded = notes.verify(task, message(text.format(right=right)))
        assert graded["extracted_answer"] == (extracted and extracted.format(right=right))
        assert graded["reward"] == reward


def test_no_output_is_no_answer() -> None:
    notes = load("field_notes")
    assert notes.verify(notes.task(0, 0), [])["extracted_answer"] is None


@pytest.mark.parametrize(
    ("mistake", "statuses"),
    [
        ("", {"passed"}),
        ("near_miss", {"failed"}),
        ("syntax_error", {"syntax_error"}),
        ("endless", {"timeout"}),
        ("no_block", {"no_code"}),
    ],
)
def test_the_status_says_how_a_patch_fared(mistake: str, statuses: set[str]) -> None:
    tasks = [load("patch_bench").task(0, number) for number in range(24)]
    verdicts = [verdict("patch_bench", task, mistake=mistake) for task in tasks]
    assert {patch_verdict["status"] for patch_verdict in verdicts} == statuses
    for patch_verdict in verdicts:
        assert (
            (patch_verdict["tests_passed"] == patch_verdict["tests_total"])
            == (patch_verdict["status"] == "passed")
            == (patch_verdict["reward"] == 1.0)
        )


def test_the_log_tells_every_failed_test() -> None:
    for number in range(24):
        patch_verdict = verdict("patch_bench", load("patch_bench").task(0, number), mistake="near_miss")
        assert (
            patch_verdict["test_log"].count("FAILED")
            == patch_verdict["tests_total"] - patch_verdict["tests_passed"]
            > 0
        )


def test_lost_format_keeps_the_answer_and_loses_the_tag() -> None:
    task = load("field_notes").task(0, 1)
    patch_verdict = verdict("field_notes", task, keeps_format=False)
    assert patch_verdict["extracted_answer"] is None
    assert patch_verdict["reward"] == 0.0
