"""Every command of the how-to page about other programs' runs works, on samples that stand where it says."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from blade.engine.classify import format_of
from blade.engine.discover import discover
from blade.files.sniff import peek
from blade.registry import plugins

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "read-other-formats.md"
SECTIONS = {
    "Inspect AI": "inspect",
    "Harbor and ATIF": "harbor",
    "Terminal-Bench 1": "terminal_bench",
    "NeMo Evaluator": "nemo_evaluator",
    "HELM": "helm",
    "SWE-bench": "swe_bench",
    "lm-evaluation-harness": "lm_eval",
    "NeMo-Skills": "nemo_skills",
    "Berkeley Function Calling Leaderboard": "bfcl",
    "verifiers and prime-rl": "verifiers",
    "promptfoo": "promptfoo",
    "OpenHands": "openhands",
    "tau2-bench and tau-bench": "tau",
}

REPORT = {"resolved_ids": ["lamp__lamp-1"], "unresolved_ids": ["lamp__lamp-2"], "total_instances": 2}
"""What SWE-bench writes of a run, alone in a file: no sample has it so."""


def commands() -> list[tuple[str, str]]:
    """The format and the arguments of every command on the page."""
    found = []
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        found += [
            (SECTIONS.get(title, ""), line) for line in re.findall(r"^\$ blade analyze (.+)$", text, re.MULTILINE)
        ]
    return found


def test_every_format_has_a_section_with_a_command() -> None:
    assert {name for name, _ in commands()} == set(plugins("formats")) - {"attempts", "mapped"}


@pytest.mark.parametrize(("name", "line"), commands())
def test_the_command_reads_its_format(name: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "made").mkdir()
    samples = import_module(f"tests.formats.samples.{name}").write(tmp_path / "made")
    arguments = shlex.split(line.partition(" --")[0])
    for argument in arguments:
        stand(argument.partition("=")[2] if re.match(r"\w+=", argument) else argument, samples, name)
    plans = discover(arguments)
    assert {plan.rollouts[0].kind for plan in plans} == {name}
    assert all(plan.translated and plan.translated.rows for plan in plans)


def stand(wanted: str, samples: list[Path], name: str) -> None:
    """Put a sample where a command looks for one."""
    path = Path(wanted.replace("*", "x"))
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = next((sample for sample in samples if sample.is_dir()), samples[0].parent)
    if not path.suffix or "=" in path.name:
        shutil.copytree(folder, path)
        return
    files = [file for sample in samples for file in (sorted(sample.rglob("*")) if sample.is_dir() else [sample])]
    fitting = [file for file in files if file.suffix == path.suffix and format_of(peek(file)) == name]
    path.write_bytes(fitting[0].read_bytes() if fitting else json.dumps(REPORT).encode())
