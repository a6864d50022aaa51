"""In a repository that has never seen BLADE: every command the skill names runs, and ends with the code it promises."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blade.cli import COMMANDS, main
from blade.judge import calibration
from blade.judge.attacks import attacks
from blade.simulate import Scenario, cause, write_run
from blade.skill import NAME
from blade.skill.install import source

PAGES = ("SKILL.md", "references/commands.md", "references/building-a-package.md")
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`blade ([a-z][a-z-]+)(?: (install|draft))?")
LISTED = re.compile(r"^\| (`blade .*?) \|", re.MULTILINE)
BASELINE = Scenario(seed=7, tasks=18, repeats=3, model="sim-medium-1", skill=0.6)
CANDIDATE = replace(BASELINE, model="sim-medium-2", causes=(cause("broken_tool", tool="shifts_search", start=0.4),))
TASK = "desk-7-00000"
"""Passes and fails in the candidate, so that it also has twins."""
OPEN = {"blade ready benchmarks/front_desk": 1}
"""Ends with 1 as long as nobody has accepted the draft and answered the skill's question, and with 0 afterwards."""
SKILL = Path("benchmarks/front_desk/skill/SKILL.md")
ATTACKS = ("golden", "shallow", "numbers_altered_all")
ACCEPTED = "blade review benchmarks/front_desk baseline --accept all --accept-fact all --by NAME"


def commands() -> Iterator[str]:
    for page in PAGES:
        for block in BLOCK.findall((source() / page).read_text(encoding="utf-8")):
            yield from (" ".join(line.split()) for line in block.replace("\\\n", "").splitlines() if line.strip())


def run(line: str, monkeypatch: pytest.MonkeyPatch) -> int:
    words = [TASK if word == "TASK" else word for word in shlex.split(line)]
    monkeypatch.setattr(sys, "argv", words)
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_every_command_that_the_skill_names_stands_in_one_of_its_blocks() -> None:
    """So the test below runs them all."""
    named = set()
    for page in PAGES:
        text = (source() / page).read_text(encoding="utf-8")
        named |= {" ".join(filter(None, match)) for match in NAMED.findall(text)}
        for cell in LISTED.findall(text):
            named |= {word for word in re.findall(r"`([a-z][a-z-]+)`", cell) if word in COMMANDS}
    typed = {" ".join(line.split()[1:3]) if line.split()[1] == "skill" else line.split()[1] for line in commands()}
    assert named - typed == set()
    assert {word.split()[0] for word in typed} <= set(COMMANDS)


@pytest.fixture
def _few_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `calibrate` does with every attack, the example package is built with."""
    known = attacks()
    monkeypatch.setattr(calibration, "attack_reports", lambda case: {name: known[name].make(case) for name in ATTACKS})


@pytest.mark.slow
@pytest.mark.usefixtures("_few_attacks")
def test_every_command_of_the_skill_ends_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    assert run("blade skill install", monkeypatch) == 0
    for layout in (".agents", ".claude", ".codex"):
        assert (tmp_path / layout / "skills" / NAME / "SKILL.md").is_file()
    write_run(BASELINE, "runs/baseline")
    write_run(CANDIDATE, "runs/candidate")
    (tmp_path / "elsewhere").mkdir()
    ended, accepted = {}, False
    for line in commands():
        if line == ACCEPTED:
            accepted = True
            text = SKILL.read_text(encoding="utf-8")
            assert text.count("Target capability: unknown:") == 1
            SKILL.write_text(text.replace("Target capability: unknown:", "Target capability:"), encoding="utf-8")
        if "final.md" in line:  # the skill has the report copied, and edited
            Path("final.md").write_bytes(Path("out/report.md").read_bytes())
        expected = 0 if accepted else OPEN.get(line, 0)
        code = run(line, monkeypatch)
        if code != expected:
            ended[line] = (code, expected)
    assert ended == {}
    assert accepted
    assert (tmp_path / "elsewhere" / ".claude" / "skills" / NAME / "SKILL.md").is_file()
    assert (tmp_path / "cleaned" / "skill" / "SKILL.md").is_file()
