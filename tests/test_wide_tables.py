"""No table of many runs is too wide to read: runs stand down, not across."""

from __future__ import annotations

import pytest
from tests.gym_rows import message, response, row, write

import blade
from blade.document import WIDEST, Fact, Report, Table
from blade.model import Analysis

RUNS = 12


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = tmp_path_factory.mktemp("wide")
    call = {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c"}
    answer = {"type": "function_call_output", "call_id": "c", "output": "a line"}
    paths: list[str] = []
    for run in range(RUNS):
        rows = [
            row(task, attempt, float(task < run), level="hard" if task % 2 else "easy",
                response=response(*([call, answer] if task < 9 else []), message(f"It is {task}, said {attempt}.")))
            for task in range(12)
            for attempt in range(2)
        ]  # fmt: skip
        paths.append(f"model-{run}={write(folder / f'r{run}.jsonl', rows)}")
    return blade.analyze(*paths, options=blade.Options(cache=False))


@pytest.fixture(scope="module")
def report(analysis: Analysis) -> Report:
    return blade.report(analysis)


def tables(report: Report, section: str) -> list[Table]:
    return [block for one in report.sections if one.name == section for block in one.blocks if isinstance(block, Table)]


def test_only_a_table_with_more_rows_than_runs_is_wide(report: Report) -> None:
    wide = [
        (section.name, block.columns)
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Table) and len(block.columns) > WIDEST and len(block.rows) < RUNS
    ]
    assert wide == []
    assert all(len(block.columns) <= RUNS + 3 for one in report.sections for block in one.blocks
               if isinstance(block, Table))  # fmt: skip


def test_a_transposed_table_keeps_its_cells_and_their_proofs(report: Report) -> None:
    chain = tables(report, "denominator")[0]
    assert chain.columns[:2] == ("", ">expected")
    assert [row[0] for row in chain.rows] == [f"model-{run}" for run in range(RUNS)]
    cell = chain.rows[3][chain.columns.index(">counted")]
    assert isinstance(cell, Fact)
    assert cell.text == "24"
    assert cell.proof["args"]["path"] == ["runs", "model-3", "denominator", "counted"]


def test_the_funnel_of_many_runs_has_a_line_for_each(report: Report) -> None:
    (funnel,) = tables(report, "workflow_funnel")
    assert funnel.columns[0] == "Run"
    assert len(funnel.rows) == RUNS
    assert "18 (75.0%)" in [cell.text for cell in funnel.rows[0] if isinstance(cell, Fact)]


def test_slices_of_many_runs_have_one_column_for_each_and_say_once_that_none_moved(report: Report) -> None:
    slices = tables(report, "slices")
    assert slices
    level = next(table for table in slices if table.columns[1:] in ((">easy", ">hard"), (">hard", ">easy")))
    assert [row[0] for row in level.rows] == ["Tasks", *(f"model-{run}" for run in range(RUNS))]
    words = next(section for section in report.sections if section.name == "slices").blocks[0]
    assert "no slice changed" in str(words)
    assert "each of model-1, model-2" in str(words)
