"""The built wheel works where only its own dependencies are: no development tools, no checkout."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
import venv
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run(
        [str(argument) for argument in arguments], cwd=folder, env=clean, check=True, capture_output=True, text=True
    )


@pytest.mark.slow
def test_the_wheel_runs_the_main_job_without_development_dependencies(tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT, folder=tmp_path)
    (wheel,) = tmp_path.glob("blade_engine-*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, folder=tmp_path)
    blade = tmp_path / "env" / "bin" / "blade"
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
