"""What every format must keep: its sample is known by it alone, translated alike every time, and analysed to the end.

A format without a sample in `tests/formats/samples/` fails here.
"""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

import orjson
import pytest
from tests.command_line import blade

from blade import api
from blade.checking import check_text
from blade.engine.classify import format_of
from blade.engine.discover import discover
from blade.errors import BladeError
from blade.evidence import open_row
from blade.files.sniff import peek
from blade.options import Options
from blade.registry import plugins
from blade.translate.rollout_row import ORIGIN

VALUE = re.compile(r'(?<=: )(?:true|false|null|-?[\d.]+|"[^"\\]*")(?=[,}\n])')
FORMATS = sorted(plugins("formats"))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))


def sample(name: str) -> ModuleType:
    return import_module(f"tests.formats.samples.{name}")


def files_in(paths: list[Path]) -> list[Path]:
    return [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file()]


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_says_what_it_is(name: str) -> None:
    module = plugins("formats")[name]
    assert isinstance(module.VERSION, int)
    assert module.__doc__
    assert hasattr(module, "recognises") or hasattr(module, "recognises_folder")


@pytest.mark.parametrize("name", FORMATS)
def test_no_other_format_takes_its_files(name: str, tmp_path: Path) -> None:
    known = {format_of(peek(file)) for file in files_in(sample(name).write(tmp_path))}
    assert known <= {name, ""}


@pytest.mark.parametrize("name", FORMATS)
def test_every_row_says_who_it_is_and_where_it_came_from(name: str, tmp_path: Path) -> None:
    paths = sample(name).write(tmp_path)
    plans = discover(paths)
    assert {plan.rollouts[0].kind for plan in plans} == {name}
    for plan in plans:
        assert plan.translated is not None
        with plan.translated.path.open("rb") as stream:
            rows = [orjson.loads(line) for line in stream]
        assert len(rows) == plan.translated.rows > 0
        for row in rows:
            assert isinstance(row["task_id"], str)
            assert row["reward"] is None or isinstance(row["reward"], float)
            assert row[ORIGIN]["file"]
            assert "_ng_task_index" not in row  # the order of appearance is no identity


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_files_give_the_same_rows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = sample(name).write(tmp_path)

    def translated(cache: str) -> list[bytes]:
        monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / cache))
        return [plan.translated.path.read_bytes() for plan in discover(paths) if plan.translated]

    assert translated("one") == translated("two")


@pytest.mark.parametrize("name", FORMATS)
def test_analysis_evidence_check_and_show_work(name: str, tmp_path: Path) -> None:
    module = sample(name)
    paths = module.write(tmp_path)
    runs = api.read(*paths, options=Options(cache=False))
    analysis = api.analyze_runs(runs, Options())
    scores = {run.name: run.metrics["score"] for run in analysis.runs}
    assert scores == pytest.approx(module.SCORES, abs=1e-6)
    rollouts = [rollout for run in runs for rollout in run.rollouts()]
    assert open_row(rollouts[0].source)["task_id"] == rollouts[0].task
    report = api.report(analysis)
    assert not check_text(api.render(report, "markdown"), report, analysis, runs).wrong
    done = blade("show", str(paths[0]), rollouts[0].task)
    assert done.returncode == 0, done.stderr
    assert "translated from " in done.stdout


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_said_and_never_a_traceback(name: str, tmp_path: Path) -> None:
    for share in (0.0, 0.3, 0.6, 0.9):
        folder = tmp_path / f"cut-{share}"
        folder.mkdir()
        paths = sample(name).write(folder)
        for file in files_in(paths):
            content = file.read_bytes()
            file.write_bytes(content[: int(len(content) * share)] + b"\x00\xff{[")
        with suppress(BladeError):
            api.read(*paths, options=Options(cache=False))


@pytest.mark.parametrize("name", FORMATS)
def test_values_of_other_types_are_said_and_never_a_traceback(name: str, tmp_path: Path) -> None:
    """Every value of the sample becomes null, a number, a list or an object in turn."""
    for other in ("null", "7", "[]", '{"a": [1]}', '"x"'):
        folder = tmp_path / re.sub(r"\W", "_", other)
        folder.mkdir()
        paths = sample(name).write(folder)
        for file in files_in(paths):
            if file.suffix in {".json", ".jsonl"}:
                file.write_text(
                    re.sub(r"(?<=: )(?:true|false|null|-?[\d.]+|\"[^\"\\]*\")(?=[,}\n])", other, file.read_text())
                )
        with suppress(BladeError):
            api.read(*paths, options=Options(cache=False))
