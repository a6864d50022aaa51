"""One package, made once; every test that breaks it gets a copy of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.package.made_package import make_package


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete package; not to be changed."""
    return make_package(tmp_path_factory.mktemp("made"))


@pytest.fixture
def package(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be broken."""
    return shutil.copytree(whole, tmp_path / "front_desk")


@pytest.fixture(scope="session")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same package before anybody reviewed it; not to be changed."""
    return make_package(tmp_path_factory.mktemp("drafted"), reviewed=False)


@pytest.fixture
def draft(drafted: Path, tmp_path: Path) -> Path:
    return shutil.copytree(drafted, tmp_path / "front_desk")
