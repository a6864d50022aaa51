"""What a command loads is set aside for good; what comes after it is searched for cycles as ever."""

from __future__ import annotations

import gc
from collections.abc import Iterator

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


@pytest.mark.usefixtures("_nothing_set_aside")
def test_a_second_command_of_a_process_keeps_no_garbage_of_the_first() -> None:
    with loading():
        pass
    frozen = gc.get_freeze_count()
    garbage = [[] for _ in range(1000)]  # type: list[list[object]]
    for one in garbage:
        one.append(one)
    garbage.clear()
    with loading():
        assert gc.isenabled()
    assert gc.get_freeze_count() == frozen
    assert gc.collect() >= 999, "all but the last, which the loop still holds"


@pytest.mark.usefixtures("_nothing_set_aside")
def test_a_failed_import_leaves_the_search_switched_on() -> None:
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()
