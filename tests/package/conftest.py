"""One package, made once; every test that breaks it gets a copy of its own. What is equal is worked out once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from tests.package.made_package import make_package, remembering

from blade.checking import check_text
from blade.counting.run import Run
from blade.package import golden
from blade.package.contents import Contents
from blade.package.validate import report, rollouts
from blade.sanitize.find import Finder
from blade.sanitize.hits import PrivateText
from blade.skill.reading import read_fields

Lines = dict[bytes, tuple[str, list[PrivateText]]]


@pytest.fixture(scope="package", autouse=True)
def _lines_looked_through_once() -> Iterator[None]:
    """Every validation looks for private things; the packages of these tests share nearly all their lines."""
    lines_by_key: dict[tuple[object, ...], Lines] = {}
    lines_of: WeakKeyDictionary[Finder, Lines] = WeakKeyDictionary()
    look = Finder.in_line

    def remembered(finder: Finder, data: bytes) -> tuple[str, list[PrivateText]]:
        if finder.known:
            return look(finder, data)
        if finder not in lines_of:
            lines_of[finder] = lines_by_key.setdefault((finder.rules, finder.fields), {})
        lines = lines_of[finder]
        if data not in lines:
            lines[data] = look(finder, data)
        text, hits = lines[data]
        return text, list(hits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Finder, "in_line", remembered)
        yield


@pytest.fixture(scope="package", autouse=True)
def _runs_worked_out_once() -> Iterator[None]:
    """Commands read and count as `contents_of` does; what a validation says of the same runs again is known.

    The runs are the same object only where their files are the same, byte for byte.
    """
    compose = golden.compose
    results: dict[tuple[object, ...], tuple[Any, object]] = {}

    def once(key: tuple[object, ...], inputs: object, work: Callable[[], Any]) -> Any:
        if key not in results:  # what the key names by its place in memory is kept, so that nothing else can be there
            results[key] = (work(), inputs)
        return results[key][0]

    def composed(contents: Contents, golden_run: Run, model: str) -> golden.Drafted:
        runs = tuple(map(id, contents.runs))
        key = ("compose", runs, id(golden_run), model, str(contents.layout.folder), contents.options)
        return once(key, contents, lambda: compose(contents, golden_run, model))  # type: ignore[no-any-return]

    def fields_of(runs: Sequence[Run]) -> Any:
        return once(("fields", *map(id, runs)), tuple(runs), lambda: read_fields(runs))

    def checked(text: str, *arguments: Any) -> Any:
        report, analysis, runs = arguments
        key = ("check", text, id(report), id(analysis), *map(id, runs))
        return once(key, (report, analysis, tuple(runs)), lambda: check_text(text, *arguments))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blade.toolkit.stages", remembering)
        patch.setattr(golden, "compose", composed)
        patch.setattr(rollouts, "read_fields", fields_of)
        patch.setattr(report, "check_text", checked)
        yield


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete package; not to be changed."""
    return make_package(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each test finds its copy: at one place, so that what was read there once is known."""
    return tmp_path_factory.mktemp("copy") / "front_desk"


def fresh_copy(package_folder: Path, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    return shutil.copytree(package_folder, place)


@pytest.fixture
def package(whole: Path, place: Path) -> Path:
    """A copy of it, to be broken."""
    return fresh_copy(whole, place)


@pytest.fixture(scope="session")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same package before anybody reviewed it; not to be changed."""
    return make_package(tmp_path_factory.mktemp("drafted"), reviewed=False)


@pytest.fixture
def draft(drafted: Path, place: Path) -> Path:
    return fresh_copy(drafted, place)
