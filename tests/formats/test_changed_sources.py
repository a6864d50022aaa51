"""A file of another program that is not what it was when it was read: said by name, whichever file it is."""

from __future__ import annotations

import os
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.formats.samples import attempts, harbor, mapped, terminal_bench

from blade import api
from blade.counting.run import Run
from blade.engine.watched_folders import added_files
from blade.errors import BladeError
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


OF_FOLDERS = [name for name in FORMATS if hasattr(plugins("formats")[name], "recognises_folder")]


@pytest.mark.parametrize("name", OF_FOLDERS)
def test_a_file_that_comes_into_a_folder_after_it_was_read_is_noticed(name: str, tmp_path: Path) -> None:
    """One file of a sample is missing while its folder is read, and there before the analysis."""
    folder, aside, noticed = tmp_path / "sample", tmp_path / "aside", 0
    folder.mkdir()
    import_module(f"tests.formats.samples.{name}").write(folder)
    folders = [run.raw.watched for run in api.read(folder, options=OPTIONS) if run.raw.watched]
    watched = max(folders, key=lambda watched: len(watched.files))
    place = watched.path
    files = sorted(file for file in watched.files if file.is_file() and file.is_relative_to(place))
    for file in {files[0], files[len(files) // 2], files[-1]}:
        file.rename(aside)
        runs = [run for run in read_if_any(place) if run.raw.watched]
        aside.rename(file)
        if runs:  # else nobody knows the folder without this file
            noticed += is_noticed(file, runs)
            assert noticed
    if not noticed:
        runs = api.read(place, options=OPTIONS)
        for file in files:
            shutil.copy(file, file.with_stem(f"{file.stem}2"))
        assert any(is_noticed(file.with_stem(f"{file.stem}2"), runs) for file in files)


def is_noticed(file: Path, runs: list[Run]) -> bool:
    watched = runs[0].raw.watched
    assert watched is not None
    told = " ".join(changed(runs).get(str(watched.path), ()))
    return file in added_files(watched) and "added to the folder after it was read" in told


def read_if_any(place: Path) -> list[Run]:
    try:
        return api.read(place, options=OPTIONS)
    except BladeError:
        return []


def test_files_that_came_and_have_nothing_to_do_with_the_runs_are_not_told(tmp_path: Path) -> None:
    (job,) = harbor.write(tmp_path)
    runs = api.read(job, options=OPTIONS)
    (job / "notes.txt").write_text("read me")
    (job / "report").mkdir()
    (job / "report" / "analysis.json").write_text("{}")
    assert changed(runs) == {}


def test_a_trial_that_ends_while_the_others_are_translated_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is looked at before its trials are translated, not after."""
    (job,) = harbor.write(tmp_path)
    trial = next(file.parent for file in sorted(job.glob("*/result.json")))
    trial.rename(tmp_path / "late")
    module = plugins("formats")["harbor"]
    runs = module.runs

    def meanwhile(paths: Any) -> Any:
        yield from runs(paths)
        if (tmp_path / "late").exists():
            (tmp_path / "late").rename(trial)

    monkeypatch.setattr(module, "runs", meanwhile)
    (words,) = changed(api.read(job, options=OPTIONS))[str(job)]
    assert "added to the folder after it was read" in words


def test_a_folder_that_its_format_refuses_now_is_told(tmp_path: Path) -> None:
    (study,) = mapped.write(tmp_path)
    runs = api.read(study, options=OPTIONS)
    (study / "other.csv").write_text("nothing,of,this\n1,2,3\n")
    (words,) = changed(runs)[str(study)]
    assert words.startswith("the folder changed after it was read, and cannot be read any more (")


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
