"""What a command loads is set aside for good; what comes after it is searched for cycles as ever."""

from __future__ import annotations

import gc

import pytest

from blade.cli.loading import loading


def test_what_is_loaded_is_set_aside() -> None:
    frozen = gc.get_freeze_count()
    try:
        with loading():
            assert not gc.isenabled()
            loaded = [[] for _ in range(1000)]  # type: list[list[int]]
        assert gc.isenabled()
        assert gc.get_freeze_count() >= frozen + len(loaded)
    finally:
        gc.unfreeze()


def test_a_failed_import_leaves_the_search_switched_on() -> None:
    try:
        with pytest.raises(ImportError), loading():
            raise ImportError
        assert gc.isenabled()
    finally:
        gc.unfreeze()
