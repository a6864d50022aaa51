"""What names the records of a list."""

from __future__ import annotations

from typing import Any

import pytest

from blade.extract.records import record_id, record_ids


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "a1", "name": "x"}, {"id": "a2", "name": "y"}],
        [{"id": "a1"}, {"id": "b"}, {"id": None}, {"id": True}, {"id": 12}],
        [{"id": None, "key": "k1"}, {"id": "a2", "key": "k2"}],
        [{"name": "x"}, {"name": "y"}],
        [{"id": "a1", "key": "k1"}, {"key": "k2", "id": "a2"}],
        [{}, {"id": "a1"}],
        [{"id": "a1"}, {}],
        [{"id": "a1", "name": "x"}, {"id": "a2", "key": "k2"}],
        [{"name": "x", "id": "a1"}, {"name": "y", "id": "a2"}, {"id": "b"}],
    ],
)
def test_records_of_a_list_are_named_as_each_of_them_is(rows: list[dict[str, Any]]) -> None:
    assert record_ids(rows) == {name for row in rows if (name := record_id(row))}
