"""The small runs, read once for all questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command_line import Done, blade
from tests.queries.small_runs import write_pair

Asker = Callable[..., Done]


@pytest.fixture(scope="package")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_pair(tmp_path_factory.mktemp("pair"))


@pytest.fixture(scope="package")
def kept_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept_index")


@pytest.fixture
def ask(pair: tuple[Path, Path], kept_index: Path, tmp_path: Path) -> Asker:
    """`blade WORDS` of both runs, in an empty folder."""
    return lambda *words: blade(*words, *pair, "--cache-dir", kept_index, folder=tmp_path)
