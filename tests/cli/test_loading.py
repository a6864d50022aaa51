"""What a command loads is set aside for good; what comes after it is searched for cycles as ever."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from blade.cli.loading import loading


@pytest.fixture
def _nothing_set_aside() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("_nothing_set_aside")
def test_what_is_loaded_is_set_aside() -> None:
    with loading():
        assert not gc.isenabled()
        loaded = [[] for _ in range(1000)]  # type: list[list[int]]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= len(loaded)


class _Node:
    """Something that holds itself, as only a search for cycles sets free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.usefixtures("_nothing_set_aside")
def test_a_second_command_of_a_process_keeps_no_garbage_of_the_first() -> None:
    with loading():
        pass
    garbage = ref(_Node())
    with loading():
        assert gc.isenabled()
    gc.collect()
    assert garbage() is None


@pytest.mark.usefixtures("_nothing_set_aside")
def test_a_failed_import_leaves_the_search_switched_on() -> None:
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()
