"""blade.toml: whose defaults it sets, from where, and what is wrong in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.gym_rows import message, response, row, write

from blade.cli import COMMANDS, cli
from blade.cli.settings_file import options_of


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Two runs, of 10 passing tasks and of 8; work goes on in a folder below."""
    write(tmp_path / "base.jsonl", [row(task, attempt) for task in range(10) for attempt in range(2)])
    other = response(message("Let me see."))
    rows = [row(task, attempt, float(task < 8), response=other) for task in range(10) for attempt in range(2)]
    write(tmp_path / "candidate.jsonl", rows)
    (tmp_path / "work").mkdir()
    return tmp_path


def compare(place: Path, *words: str, settings: str = "") -> tuple[int, dict[str, object], str]:
    (place / "blade.toml").write_text(settings, encoding="utf-8")
    done = blade(*words, "compare", "../base.jsonl", "../candidate.jsonl", "--format", "json", folder=place / "work")
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


def test_a_file_above_sets_defaults_and_is_named(place: Path) -> None:
    code, _, said = compare(place, settings="seed = 3\n[compare]\nmax-drop = 19.5\n")
    assert code == 1
    assert said.splitlines()[0] == "settings of ../blade.toml: seed, max-drop"
    code, _, said = compare(place, settings="[compare]\nmax-drop = 20.5\nquiet = true\n")
    assert (code, said) == (0, "")


def test_the_command_line_goes_before_the_file_and_its_own_table_before_all(place: Path) -> None:
    (place / "blade.toml").write_text("max-drop = 50\nfull = true\n[compare]\nmax-drop = 30\n", encoding="utf-8")
    words = ("compare", place / "base.jsonl", place / "candidate.jsonl", "--format", "json")
    assert blade(*words, folder=place).stderr.splitlines()[1].endswith("a fall of up to 30.0 pp is allowed.")
    done = blade(*words, "--max-drop", "1", folder=place)
    assert done.returncode == 1


def test_paths_are_those_from_the_folder_of_the_file(place: Path) -> None:
    (place / "blade.toml").write_text('[analyze]\noutput = "reports"\nnotes = ["base=notes.md"]\n', encoding="utf-8")
    (place / "notes.md").write_text("Two nodes were lost.", encoding="utf-8")
    done = blade("analyze", "../base.jsonl", folder=place / "work")
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith("../reports/report.md") or "../reports/" in done.stdout
    (run,) = json.loads((place / "reports" / "analysis.json").read_bytes())["runs"]
    assert run["notes"] == "Two nodes were lost."


@pytest.mark.parametrize(
    ("settings", "problem", "hint"),
    [
        ("max-dorp = 1", "../blade.toml: no command has an option '--max-dorp'.", "Nearest: 'max-drop'."),
        ("[compare]\nmax-dorp = 1", "`blade compare` has no option '--max-dorp'.", "Nearest: 'max-drop'."),
        ("[compair]\nseed = 1", "no command with options is named 'compair'.", "Nearest: 'compare'."),
        ("[compare]\nslices = 'a'", "`blade compare` has no option '--slices'.", ""),
        ("seed = ", "../blade.toml: cannot be read (", "Wanted: TOML."),
        ("no-cache = 1", "../blade.toml: no-cache is 1; wanted: true or false.", ""),
        ("[compare]\nseed = [1]", "[compare] seed is [1]; wanted: a text or a number.", ""),
        ("seed = " + "9" * 5_000, "../blade.toml: cannot be read (", "Wanted: TOML."),
        ("seed = " + "[" * 3_000 + "]" * 3_000, "../blade.toml: cannot be read (", "Wanted: TOML."),
        ("seed = 0x" + "f" * 5_000, "seed is a number of thousands of digits; wanted: a smaller number.", ""),
        ("seed = -inf", "seed is -inf; wanted: a finite number.", ""),
        ("seed = nan", "seed is nan; wanted: a finite number.", ""),
        ("seed = 1.5", "seed is 1.5; wanted: a whole number.", ""),
        ("no-cache = 0x" + "f" * 5_000, "no-cache is a number of thousands of digits; wanted: true or false.", ""),
        ("seed = 'x'", "Invalid value for '--seed'", "settings of ../blade.toml: seed"),
    ],
)
def test_what_is_wrong_in_the_file_is_said(place: Path, settings: str, problem: str, hint: str) -> None:
    code, _, said = compare(place, settings=settings)
    assert code == 2
    assert problem in said
    assert hint in said


def test_another_file_or_none_is_taken_where_it_is_given(place: Path) -> None:
    other = place / "gate.toml"
    other.write_text("[compare]\nmax-drop = 1\n", encoding="utf-8")
    assert compare(place, "--settings", str(other), settings="nonsense = 1")[0] == 1
    assert compare(place, "--settings", "/dev/null", settings="nonsense = 1")[0] == 0
    code, _, said = compare(place, "--settings", "none.toml", settings="")
    assert code == 2
    assert "none.toml: cannot be read" in said


def test_every_command_has_options_that_a_file_can_set() -> None:
    commands = {name: cli.get_command(None, name) for name in COMMANDS}  # type: ignore[arg-type]
    without = {name for name, command in commands.items() if command is not None and not options_of(command)}
    assert without <= {"skill", "list", "map", "cache"}
