"""A file of another program that is not what it was when it was read: said by name, whichever file it is."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.formats.samples import attempts, terminal_bench

from blade import api
from blade.counting.run import Run
from blade.options import Options
from blade.registry import plugins

FORMATS = sorted(plugins("formats"))
OPTIONS = Options(cache=False, allow_unrelated=True)
_opened: set[str] = set()
_listening: list[bool] = []


def _listen(event: str, arguments: tuple[Any, ...]) -> None:
    """A hook of the interpreter cannot be taken away again: it listens only while a sample is read."""
    if _listening and event == "open" and isinstance(arguments[0], (str, os.PathLike)):
        _opened.add(os.fspath(arguments[0]))


sys.addaudithook(_listen)


def read_with_names(name: str, folder: Path) -> tuple[list[Run], list[Path]]:
    """The runs of a format's sample, and the files in its folder that were opened for them."""
    folder.mkdir()
    places = import_module(f"tests.formats.samples.{name}").write(folder)
    _opened.clear()
    _listening.append(True)
    try:
        runs = api.read(*places, options=OPTIONS)
    finally:
        _listening.clear()
    return runs, sorted(path for path in map(Path, _opened) if path.is_relative_to(folder) and path.is_file())


def changed(runs: list[Run]) -> dict[str, list[str]]:
    flaws = [flaw for flaw in api.analyze_runs(runs, OPTIONS).flaws if flaw.slug == "file-changed"]
    return {file: [flaw.statement for flaw in flaws if flaw.file == file] for file in {flaw.file for flaw in flaws}}


@pytest.mark.parametrize("name", FORMATS)
def test_every_file_that_was_opened_is_watched(name: str, tmp_path: Path) -> None:
    runs, files = read_with_names(name, tmp_path / "sample")
    assert files
    assert changed(runs) == {}
    for file in files:
        file.write_bytes(file.read_bytes() + b" ")
    statements = changed(runs)
    assert set(statements) == set(map(str, files))
    for words in statements.values():
        assert all(statement.startswith("the file changed after it was read; ") for statement in words)


@pytest.mark.parametrize("name", FORMATS)
def test_files_with_new_times_and_the_same_content_are_as_they_were(name: str, tmp_path: Path) -> None:
    runs, files = read_with_names(name, tmp_path / "sample")
    for file in files:
        os.utime(file, (1, 1))
    assert changed(runs) == {}


def test_the_rows_of_a_changed_file_are_counted_as_stale(tmp_path: Path) -> None:
    steady, other = attempts.write(tmp_path)
    runs = api.read(steady, other, options=OPTIONS)
    steady.write_text(steady.read_text().splitlines(keepends=True)[0])
    rows = next(run for run in runs if run.raw.translated and run.raw.translated.path.original == steady).facts.height
    assert rows > 1
    assert changed(runs) == {
        str(steady): [
            f"the file changed after it was read; the {rows} rows made of it are counted and quoted as they were"
        ]
    }


def test_a_file_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    steady, _ = attempts.write(tmp_path)
    runs = api.read(steady, options=OPTIONS)
    steady.unlink()
    (statement,) = changed(runs)[str(steady)]
    assert statement.startswith("the file cannot be opened any more (No such file or directory)")


def test_a_file_that_changes_while_it_is_translated_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state is taken before the translation, not after it."""
    steady, _ = attempts.write(tmp_path)
    rows = plugins("formats")["attempts"]._rows

    def meanwhile(path: Path) -> Any:
        for number, row in enumerate(rows(path)):
            if number == 1:
                path.write_bytes(path.read_bytes() + b"\n")
            yield row

    monkeypatch.setattr(plugins("formats")["attempts"], "_rows", meanwhile)
    assert list(changed(api.read(steady, options=OPTIONS))) == [str(steady)]


def test_settings_beside_a_run_that_changed_since_are_read_anew(tmp_path: Path) -> None:
    """What was translated is kept only as long as every file that it was made of stays as it was."""
    _, alone = terminal_bench.write(tmp_path)
    (before,) = api.read(alone, options=OPTIONS)
    metadata = alone / "run_metadata.json"
    metadata.write_text(metadata.read_text().replace("house/model", "house/other-model"))
    (after,) = api.read(alone, options=OPTIONS)
    assert (before.raw.config["model_name"], after.raw.config["model_name"]) == ("house/model", "house/other-model")
