"""Every command in the code blocks of the skill runs, in the order in which it stands, on simulated runs.

A command that is not part of this clone yet is skipped by name; the rest runs all the same.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from blade.cli import COMMANDS, cli, main
from blade.simulate import demo_pair
from blade.skill import NAME
from blade.skill.files import source

PAGES = ("SKILL.md", "references/commands.md", "references/building-a-package.md")
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GATES = {"validate", "calibrate", "ready", "sanitize", "check"}
"""Commands that exit with 1 while something is open: on a fresh draft something is."""
PACKAGE = "benchmarks/front_desk"


def commands() -> Iterator[str]:
    for page in PAGES:
        for block in BLOCK.findall((source() / page).read_text(encoding="utf-8")):
            yield from (line for line in block.replace("\\\n", "").splitlines() if line.strip())


def why_not(line: str) -> str:
    """Why a command cannot run in this clone; nothing if it can."""
    words = shlex.split(line)
    assert words[0] == "blade", line
    if words[1] not in COMMANDS:
        return f"blade {words[1]} is not in this clone yet"
    command = cli.get_command(click.Context(cli), words[1])
    if isinstance(command, click.Group):
        command = command.commands[words[2]]
    assert command is not None
    known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    missing = [word for word in words if word.startswith("-") and word not in known]
    if missing:
        return f"blade {words[1]} {missing[0]} is not in this clone yet"
    if PACKAGE in line and "init" not in COMMANDS:
        return "blade init, which makes the package, is not in this clone yet"
    return ""


@pytest.mark.parametrize("line", sorted(set(commands())))
def test_a_command_of_the_skill_is_there(line: str) -> None:
    missing = why_not(line)
    if missing:
        pytest.skip(missing)


def test_every_command_of_the_skill_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    demo_pair("runs")
    (tmp_path / "elsewhere").mkdir()
    ran = 0
    for line in commands():
        if why_not(line):
            continue
        words = [_task() if word == "TASK" else word for word in shlex.split(line)]
        monkeypatch.setattr(sys, "argv", words)
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        assert code == 0 or (code == 1 and words[1] in GATES and PACKAGE in line), line
        ran += 1
    assert ran >= 10
    assert (tmp_path / "elsewhere" / ".claude" / "skills" / NAME / "SKILL.md").is_file()


def _task() -> str:
    """A task of the simulated runs that passes and fails, so that it also has twins."""
    return "desk-2-00018"
