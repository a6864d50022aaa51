"""One package, made once; every test that breaks it gets a copy of its own. Equal lines are looked through once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.package.made_package import make_package

from blade.sanitize.find import Finder
from blade.sanitize.hits import Hit


@pytest.fixture(scope="session", autouse=True)
def _lines_looked_through_once() -> Iterator[None]:
    """Every validation looks for private things; the packages of these tests share nearly all their lines."""
    known: dict[tuple[object, ...], tuple[str, list[Hit]]] = {}
    look = Finder.in_line

    def remembered(finder: Finder, data: bytes) -> tuple[str, list[Hit]]:
        if finder.known:
            return look(finder, data)
        asked = (finder.rules, finder.fields, data)
        if asked not in known:
            known[asked] = look(finder, data)
        text, hits = known[asked]
        return text, list(hits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Finder, "in_line", remembered)
        yield


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete package; not to be changed."""
    return make_package(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each test finds its copy: at one place, so that what was read there once is known."""
    return tmp_path_factory.mktemp("copy") / "front_desk"


def fresh_copy(made: Path, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    return shutil.copytree(made, place)


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
