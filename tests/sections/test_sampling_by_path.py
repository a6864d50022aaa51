"""Sampling that no field records: what the path of the rows says is told as that, and never as a field."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import analysed, request, row, write

from blade.document import Table
from blade.sections import reproducibility_notes

PLAIN = "results/act-m1-0.0_user-m2_0605.json"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("results/act_temp0.7_user-m2.json", "reads act_temp0.7_user-m2.json, temperature 0.7 by its name"),
        ("runs\\temperature=1_m1.jsonl", "reads temperature=1_m1.jsonl, temperature 1 by its name"),
        (PLAIN, "reads act-m1-0.0_user-m2_0605.json, which may name it"),
        (None, "not recorded in the rows"),
    ],
)
def test_a_path_may_name_what_no_field_records(tmp_path: Path, path: str | None, told: str) -> None:
    asked = {key: value for key, value in request("What?").items() if key != "temperature"}
    rows = [row(task, responses_create_params=asked, metadata={"source_path": path}) for task in range(6)]
    table = reproducibility_notes.build(analysed(write(tmp_path / "one.jsonl", rows)))[0]
    assert isinstance(table, Table)
    cell = next(str(line[1]) for line in table.rows if line[0] == "Sampling")
    assert cell.endswith(told)
    assert cell.startswith("not recorded")
