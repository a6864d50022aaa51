"""Long random ids of tasks are cut to the beginning that tells them apart; every surface knows them again by it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from uuid import UUID

import pytest
from tests.command_line import blade
from tests.gym_rows import row, write

from blade.document import Fact, Paragraph, Report, Section, say
from blade.renderers import markdown
from blade.short_report import shortened
from blade.task_names import is_random_id, short_task_names, task_named

IDS = [str(UUID(bytes=sha256(bytes([number])).digest()[:16])) for number in range(20, 32)]
"""Ids that look random and are the same everywhere; none of these begins with a number."""
ONE, OTHER = "abcdef01" * 4, "abcdef01abcdef02" * 2


def test_a_random_id_is_cut_to_its_first_eight_characters() -> None:
    assert short_task_names(IDS) == {task: task[:8] for task in IDS}


@pytest.mark.parametrize(
    ("tasks", "short"),
    [
        (["fix-the-door", "17", "desk-2-00016"], {}),
        (["0a1b2c3d"], {}),
        ([ONE, OTHER], {ONE: ONE[:16], OTHER: OTHER[:16]}),
        (["12345678-90ab-4cde-8f01-23456789abcd"], {"12345678-90ab-4cde-8f01-23456789abcd": "12345678-90a"}),
        (["1234567e" + "0a" * 8], {"1234567e" + "0a" * 8: "1234567e0a0a"}),
        ([ONE, ONE[:8]], {ONE: ONE[:12]}),
    ],
    ids=["no random id", "short", "alike at first", "digits alone", "like a power of ten", "another task's name"],
)  # fmt: skip
def test_a_beginning_is_of_one_task_alone_and_no_number(tasks: list[str], short: dict[str, str]) -> None:
    assert short_task_names(tasks) == short


@pytest.mark.parametrize(
    ("name", "task"),
    [
        (IDS[3], IDS[3]),
        (IDS[3][:8], IDS[3]),
        (IDS[3][:6], IDS[3]),
        (IDS[3][:5], None),
        ("feedbeef", None),
        ("desk-1", None),
    ],
)
def test_a_task_is_known_by_six_characters_of_its_id(name: str, task: str | None) -> None:
    assert task_named(name, IDS) == task


def test_a_beginning_that_two_tasks_share_names_none() -> None:
    assert task_named(ONE[:8], [ONE, OTHER]) is None


def test_the_report_has_short_ids_outside_of_quotes_and_commands() -> None:
    statement = say(
        f"In {IDS[0]} and {{task}} it fails (“{IDS[0]}”); see logs/{IDS[0]}.json and {{command}}.",
        task=Fact(IDS[1], "id"),
        command=Fact(f"blade show runs {IDS[0]}", "id"),
    )
    report = Report("one", (Section("investigation", "Investigation", (Paragraph((statement,)),)),))
    text = markdown.render(shortened(report, ["a-run"], IDS))
    assert f"In {IDS[0][:8]} and `{IDS[1][:8]}` it fails (“{IDS[0]}”); see logs/{IDS[0]}.json and " in text
    assert f"`blade show runs {IDS[0]}`." in text
    first = min(IDS)
    assert f"Ids of tasks are cut to their beginning (`{first[:8]}` is `{first}`); commands know both." in text


def test_commands_and_checks_know_short_ids(tmp_path: Path) -> None:
    rows = [row(place, number, float(place % 2), task_id=task) for place, task in enumerate(IDS) for number in range(2)]
    run = write(tmp_path / "a-run.jsonl", rows)
    assert f"task {IDS[4]}" in blade("show", run, IDS[4][:8]).stdout
    report = tmp_path / "report.md"
    report.write_text(f"Task {IDS[4][:8]} fails in all 2 attempts of a-run.\n")
    assert "0 wrong" in blade("check", report, "--runs", run).stdout
    report.write_text(f"Task {IDS[5][:8]} fails in all 2 attempts of a-run.\n")
    output = blade("check", report, "--runs", run)
    assert output.returncode == 1
    assert f"{IDS[5]} passes 2 of 2" in output.stdout


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("3f2b8c1e-7d64-4a0b-9c55-0e1f2a3b4c5d", True),
        ("q7Rz0bXk3LmT9vWc2Hs5Ud", True),
        ("9a7f0c2be9d14f6e", True),
        ("HighEnergyParticlePhysics", False),
        ("model-4o-2024-08-06", False),
        ("Organic Chemistry", False),
        ("django__django-11179", False),
        ("LongContext_MultiTurn", False),
    ],
)
def test_ids_that_a_program_drew_are_told_from_names(text: str, drawn: bool) -> None:
    assert is_random_id(text) is drawn
