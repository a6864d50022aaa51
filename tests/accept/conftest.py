"""The real artifacts, and the table that says what was expected of them and what came out (build/accept.md)."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import blade
from blade.options import Options
from blade.renderers.json import document
from blade.schemas import load

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "../shared/corpus"
BUILD = ROOT / "build"
PARTS = BUILD / "accept-parts"
OLD = 24 * 3600  # seconds; parts of a run that is still going on are left alone

Analyse = Callable[..., dict[str, Any]]
Read = Callable[[Path], list[dict[str, Any]]]
Record = Callable[..., None]


@pytest.fixture(scope="session")
def corpus() -> Path:
    if not CORPUS.exists():
        pytest.skip("../shared/corpus is not there")
    return CORPUS


@pytest.fixture(scope="session")
def analysed() -> Analyse:
    """analysis.json of some paths as data, held against its schema; answered once per process."""
    known: dict[tuple[Any, ...], dict[str, Any]] = {}
    contract = Draft202012Validator(load("analysis"))

    def analyse(*paths: Path | str, **settings: Any) -> dict[str, Any]:
        key = (*map(str, paths), *sorted(settings.items()))
        if key not in known:
            made = blade.analyze(*paths, options=Options(cache=False, **settings))
            known[key] = document(made, blade.report(made))
            contract.validate(known[key])
        return known[key]

    return analyse


@pytest.fixture(scope="session")
def rows_of() -> Read:
    """The rows of a file, read without BLADE."""

    def read(path: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]

    return read


@pytest.fixture(scope="session")
def record(request: pytest.FixtureRequest) -> Record:
    """Note one line of the table; every process writes its own part. `same` says so where figures are rounded."""
    folder = PARTS / _run_id(request.config)
    folder.mkdir(parents=True, exist_ok=True)

    def note(group: str, what: str, expected: object, got: object, *, same: bool | None = None) -> None:
        agree = expected == got if same is None else same
        line = {"group": group, "what": what, "expected": str(expected), "got": str(got), "as": agree}
        with (folder / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as part:
            part.write(json.dumps(line) + "\n")

    return note


def _run_id(config: pytest.Config) -> str:
    """The same for all processes of one run of the tests."""
    given: dict[str, Any] = getattr(config, "workerinput", {})
    return str(given.get("testrunuid", os.getpid()))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Every process puts the parts together when it ends: the last one has them all."""
    folder = PARTS / _run_id(session.config)
    if not folder.is_dir():
        return
    lines = [json.loads(text) for part in folder.iterdir() for text in part.read_text(encoding="utf-8").splitlines()]
    lines.sort(key=lambda line: (line["group"], line["what"]))
    table = ["| group | check | expected | got | |", "|---|---|---|---|---|"]
    for line in lines:
        cells = (str(line[name]).replace("|", "\\|") for name in ("group", "what", "expected", "got"))
        table.append(f"| {' | '.join(cells)} | {'as expected' if line['as'] else '**differs**'} |")
    beside = BUILD / f".accept.{os.getpid()}.md"
    beside.write_text("# Held against the real artifacts\n\n" + "\n".join(table) + "\n", encoding="utf-8")
    beside.replace(BUILD / "accept.md")
    for old in PARTS.iterdir():
        if time.time() - old.stat().st_mtime > OLD:
            shutil.rmtree(old, ignore_errors=True)
