"""While rows are read Python seldom looks for cycles; whoever reads them finds its own setting again."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from blade.engine.collecting import FEW_COLLECTIONS
from blade.engine.facts_chunks import Job, read_piece
from blade.engine.rows import NO_INPUTS
from blade.extract.declared import NOTHING


@pytest.mark.parametrize(("own", "reading"), [((700, 10, 10), 100_000), ((500_000, 10, 10), 500_000), ((0, 10, 10), 0)])
def test_the_setting_of_the_reader_comes_back(own: tuple[int, int, int], reading: int, tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(b'{"reward": 1.0}\n')
    before, while_reading = gc.get_threshold(), []
    gc.set_threshold(*own)
    try:
        read_piece(Job(str(path), "rollouts"), (NOTHING, NO_INPUTS), lambda _: while_reading.append(gc.get_threshold()))
        after = gc.get_threshold()
    finally:
        gc.set_threshold(*before)
    assert [threshold[0] for threshold in while_reading] == [reading]
    assert after == own
    assert FEW_COLLECTIONS[0] == 100_000


def test_the_setting_comes_back_where_reading_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(b'{"reward": 1.0}\n')

    def stop(_: int) -> None:
        raise RuntimeError

    before = gc.get_threshold()
    with pytest.raises(RuntimeError):
        read_piece(Job(str(path), "rollouts"), (NOTHING, NO_INPUTS), stop)
    assert gc.get_threshold() == before
