"""What the make targets set up and run: each what it needs, and no promise falls between them."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.kernels import KERNELS, settings

ROOT = Path(__file__).parents[1]
HEAVY = {"ray", "playwright", "moto", "mypy", "pytest", "hypothesis", "s3fs", "statsmodels"}


def commands(target: str, tmp_path: Path) -> str:
    """What a target would run where nothing is set up yet."""
    words = ["make", "--no-print-directory", "--dry-run", target, f"VENV={tmp_path / 'env'}"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w-]", one)[0].lower() for one in requirements}


def test_the_demo_installs_the_package_and_nothing_else(tmp_path: Path, project: dict[str, Any]) -> None:
    typed = commands("demo", tmp_path)
    assert re.findall(r"pip install .*", typed) == ["pip install --quiet --disable-pip-version-check --editable ."]
    assert "--group" not in typed
    assert names(project["project"]["dependencies"]) & HEAVY == set()


def test_the_tests_set_up_everything(tmp_path: Path, project: dict[str, Any]) -> None:
    typed = commands("test", tmp_path)
    assert "--editable ." in typed
    assert "--group dev" in typed
    assert names(project["dependency-groups"]["dev"]) >= HEAVY


def test_uv_installs_no_development_tools_unless_asked(project: dict[str, Any]) -> None:
    assert project["tool"]["uv"]["default-groups"] == []


def test_what_the_tests_leave_out_all_tests_run(tmp_path: Path) -> None:
    few, all_of_them = commands("test", tmp_path), commands("test-slow", tmp_path)
    assert few.splitlines()[-1].endswith('-m "not slow"')
    assert "slow" not in all_of_them.splitlines()[-1]
    assert "--hypothesis-profile=thorough" in all_of_them
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (needed,) = re.findall(r"^test-all: ([a-z -]+) ##", makefile, re.MULTILINE)
    assert needed.split() == ["test-slow", "test-kernels", "test-pythons", "test-lowest"]
    assert "-m tests.kernels" in commands("test-kernels", tmp_path)


def test_the_lowest_versions_bind_the_tools_of_the_tests_too(tmp_path: Path) -> None:
    """What the tools brought along first would stay: no version is taken back because it is not the lowest."""
    typed = commands("test-lowest", tmp_path).splitlines()
    compiling, installing = (line for line in typed if "/uv pip " in line)
    assert "--resolution lowest-direct --all-extras --output-file .venv-lowest/lowest.txt pyproject.toml" in compiling
    assert "--constraint .venv-lowest/lowest.txt --editable . --group dev" in installing
    assert typed.index(compiling) < typed.index(installing) < len(typed) - 1
    assert not any("pip install" in line and "--group dev" in line and line != installing for line in typed)


def interpreter(path: Path, version: str) -> Path:
    """A stand-in for an interpreter of a version; without one it does not run, as a shim of pyenv."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\ncase "$2" in *"\'{version}\'"*) exit 0;; esac\nexit 1\n')
    path.chmod(0o755)
    return path


def interpreter_for(version: str, places: Path, path: str) -> str:
    """What `.ci/python` prints where nothing but these places has interpreters."""
    environment = {"PATH": path, "PYENV_ROOT": str(places), "HOME": str(places)}
    words = [str(ROOT / ".ci" / "python"), version]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False).stdout.strip()


def test_newer_pythons_are_found_on_the_path_of_pyenv_and_of_uv(tmp_path: Path) -> None:
    system = "/usr/bin:/bin"
    assert interpreter_for("9.1", tmp_path, system) == ""
    uv, of_uv = tmp_path / "uv" / "uv", interpreter(tmp_path / "of_uv" / "python", "9.1")
    uv.parent.mkdir()
    uv.write_text(f"#!/bin/sh\necho {of_uv}\n")
    uv.chmod(0o755)
    assert interpreter_for("9.1", tmp_path, f"{uv.parent}:{system}") == str(of_uv)
    interpreter(tmp_path / "versions" / "9.1.2" / "bin" / "python", "9.1")
    newest = interpreter(tmp_path / "versions" / "9.1.10" / "bin" / "python", "9.1")
    interpreter(tmp_path / "versions" / "9.10.1" / "bin" / "python", "9.10")
    shim = interpreter(tmp_path / "shims" / "python9.1", "none")
    assert interpreter_for("9.1", tmp_path, f"{shim.parent}:{uv.parent}:{system}") == str(newest)
    chosen = interpreter(tmp_path / "bin" / "python9.1", "9.1")
    assert interpreter_for("9.1", tmp_path, f"{chosen.parent}:{system}") == str(chosen)


def test_the_newer_pythons_have_environments_of_their_own(tmp_path: Path) -> None:
    typed = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "for v in 3.12 3.13 3.14" in typed
    assert "$(MAKE) test PYTHON=$$python VENV=.venv-$$v || exit 1" in typed


@pytest.mark.parametrize("machine", ["x86_64", "AMD64", "aarch64", "arm64"])
def test_three_kernels_are_tried_on_every_kind_of_machine(machine: str) -> None:
    tried = settings(machine, ["AVX2", "FMA3"])
    kernels = [one["OPENBLAS_CORETYPE"] for one in tried]
    assert len(set(kernels)) == 3
    assert set(kernels) in [set(known) for known in KERNELS.values()]
    assert [one.get("NPY_DISABLE_CPU_FEATURES") for one in tried] == [None, None, None, "AVX2 FMA3"]


def test_a_machine_nobody_knows_has_numpys_own_switch_only() -> None:
    assert settings("riscv64", ["V"]) == [{"NPY_DISABLE_CPU_FEATURES": "V"}]
    assert settings("riscv64", []) == []
