"""The built wheel works where only its own dependencies are: no development tools, no checkout."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

import click
import pytest
from tests.formats.samples import attempts

from blade.cli import cli

ROOT = Path(__file__).parents[1]


def run(*arguments: str | Path, folder: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run(
        [str(argument) for argument in arguments], cwd=folder, env=clean, check=check, capture_output=True, text=True
    )


@dataclass(frozen=True)
class Installed:
    """The wheel in an environment of its own, and the demo that it made."""

    python: Path
    blade: Path
    folder: Path


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, folder=folder)
    (wheel,) = folder.glob("blade_engine-*.whl")
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, folder=folder)
    return Installed(python, folder / "env" / "bin" / "blade", folder)


@pytest.mark.slow
def test_the_wheel_runs_the_main_job_without_development_dependencies(installed: Installed) -> None:
    python, blade, tmp_path = installed.python, installed.blade, installed.folder
    packages = run(python, "-m", "pip", "list", "--format=freeze", folder=tmp_path).stdout
    assert "pytest" not in packages
    demo = run(blade, "demo", "-o", "demo", folder=tmp_path)
    assert "report: demo/report/report.md" in demo.stdout
    assert (tmp_path / "demo" / "report" / "analysis.json").stat().st_size > 10_000
    assert "gym_rollouts" in run(blade, "list", "readers", folder=tmp_path).stdout
    repository = tmp_path / "repository"
    repository.mkdir()
    run(blade, "skill", "install", folder=repository)
    for layout in (".agents", ".claude", ".codex"):
        skill = repository / layout / "skills" / "nemo-gym-blade-analysis"
        assert (skill / "SKILL.md").read_bytes() == (ROOT / ".agents" / "skills" / skill.name / "SKILL.md").read_bytes()
    script = skill / "scripts" / "blade_toolkit.py"
    assert "gym_rollouts" in run(python, script, "list", "readers", folder=repository).stdout
    schema = "from blade.schemas import load; print(load('analysis')['title'])"
    assert run(python, "-c", schema, folder=tmp_path).stdout.strip()
    pages = (
        "from blade.pages import environment as e; e.environment('blade.viewer').get_template('twin.html'); e.style()"
    )
    run(python, "-c", pages, folder=tmp_path)


PAIR = "runs/baseline runs/candidate"
JUDGED = "--anchor-facts facts.json"
TYPED = (
    "demo -o .",
    f"analyze {PAIR} -o report --full",
    f"compare {PAIR}",
    f"report {PAIR} --list",
    f"tasks {PAIR}",
    "grep the runs/baseline",
    f"count failed {PAIR} --by run",
    f"contrast passed failed {PAIR}",
    "show runs/baseline 0",
    f"reading-list {PAIR}",
    f"rerun-list {PAIR}",
    "note runs/baseline --list",
    "map other.jsonl",
    "convert steady.jsonl -o converted",
    "sanitize runs/baseline",
    "skill install",
    f"skill draft {PAIR} -o SKILL.md",
    f"init front_desk --runs {PAIR} --dir package",
    "analyze package --golden candidate",
    "review package candidate",
    "validate --benchmark-dir package",
    "ready package",
    "extract-anchor-facts --golden report/report.md --output facts.json --benchmark front_desk --model-name candidate",
    "make-shallow --input report/report.md --output shallow.md",
    "check report/report.md --runs runs/baseline --runs runs/candidate",
    f"score --report shallow.md --golden report/report.md {JUDGED}",
    f"calibrate --golden-report report/report.md --shallow-report shallow.md {JUDGED}",
    "cache info",
    "list formats",
)
"""Every command on the demo, in an order in which each finds what it needs."""
NEED_AN_EXTRA = {
    "view runs/baseline --no-open": "view",
    "mcp runs": "mcp",
    "analyze s3://bucket/run.jsonl": "s3",
    "analyze gs://bucket/run.jsonl": "gcs",
    "analyze memory://run.jsonl": "remote",
    "analyze runs/baseline --engine ray -o ray": "ray",
}
FIND_FAULT = {"validate", "ready", "check", "calibrate"}
"""Commands that end with 1 where they have something to say against a package or a report."""


def leaves(command: click.Command, name: str = "") -> Iterator[str]:
    """The names of all commands that can be typed, those of groups too, as the parser knows them."""
    if not isinstance(command, click.Group):
        yield name
        return
    context = click.Context(command)
    for part in command.list_commands(context):
        inner = command.get_command(context, part)
        assert inner is not None
        yield from leaves(inner, f"{name} {part}".strip())


def test_every_command_of_the_parser_is_tried_with_the_wheel() -> None:
    names = list(leaves(cli))
    typed = {name for line in (*TYPED, *NEED_AN_EXTRA) for name in names if f"{line} ".startswith(f"{name} ")}
    assert set(names) - typed == set()
    assert len(names) > 25


@pytest.mark.slow
def test_every_command_works_without_extras_or_says_what_to_install(installed: Installed, tmp_path: Path) -> None:
    attempts.write(tmp_path)
    (tmp_path / "other.jsonl").write_text('{"question": "a", "score": 1}\n{"question": "b", "score": 0}\n')
    for line in (*TYPED, *NEED_AN_EXTRA):
        done = run(installed.blade, *line.split(), folder=tmp_path, check=False)
        assert "Traceback" not in done.stderr, (line, done.stderr)
        if line in NEED_AN_EXTRA:
            assert done.returncode == 2, (line, done.stdout)
            (_, way_out) = done.stderr.splitlines()
            assert way_out.strip() == f"Install it with: pip install 'blade-engine[{NEED_AN_EXTRA[line]}]'", line
        else:
            assert done.returncode in ({0, 1} if line.split()[0] in FIND_FAULT else {0}), (line, done.stderr)
            assert done.stdout + done.stderr, line


def imported(path: Path) -> set[str]:
    """The first names of the modules that a file imports from elsewhere."""
    tree = ast.parse(path.read_bytes())
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.partition(".")[0] for name in names}


def test_the_package_imports_only_what_it_declares() -> None:
    """What the wheel needs is on its list, so that it runs where nothing else is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [
        *project["dependencies"],
        *(one for extra in project["optional-dependencies"].values() for one in extra),
    ]
    allowed = {re.split(r"[^\w.-]", one)[0].lower().replace("_", "-") for one in declared}
    owners = packages_distributions()
    used = set().union(*(imported(path) for path in (ROOT / "src" / "blade").rglob("*.py")))
    foreign = used - sys.stdlib_module_names - {"blade"}
    undeclared = {
        name for name in foreign if not {one.lower().replace("_", "-") for one in owners.get(name, [])} & allowed
    }
    assert {"polars", "numpy"} <= foreign
    assert undeclared == set()
