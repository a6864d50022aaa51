"""The lists of mutants fit the source, and the table in CONTRIBUTING.md says what is asked of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.mutation.by_hand import LIES, by_hand
from benchmarks.mutation.equivalent import EQUIVALENT
from benchmarks.mutation.folders import FOLDERS, SLOW
from benchmarks.mutation.mutant import Mutant, Outcome, Result
from benchmarks.mutation.tables import BEGIN, END, enough, folder_table, hand_table, score, write

ROOT = Path(__file__).parents[1]
MUTANT = Mutant(
    "change", "1a2b3c4d", "src/blade/change/localize.py", 21, "A = 1", "A = 2", "A = 2\n", ("tests/change",)
)


def result(
    outcome: Outcome, *, folder: str = "change", reason: str = "tests/change/test_localize.py::test_it"
) -> Result:
    return Result(replace(MUTANT, folder=folder), outcome, 1.0, reason)


def test_every_lie_changes_a_place_that_is_there() -> None:
    mutants = by_hand(ROOT)
    assert len(mutants) == len({lie.words for lie in LIES}) >= 21
    for mutant in mutants:
        compile(mutant.source, mutant.file, "exec")
        assert mutant.source != (ROOT / mutant.file).read_text(encoding="utf-8")
        assert all((ROOT / test).exists() for test in mutant.tests)


def test_every_equivalent_mutant_has_a_reason_and_a_line_that_stands() -> None:
    for one in EQUIVALENT:
        lines = [line.strip() for line in (ROOT / one.file).read_text(encoding="utf-8").splitlines()]
        assert one.line in lines, f"{one.file} no longer has the line of {one.key}: take the entry out"
        assert len(one.reason.split()) >= 4


def test_the_folders_and_their_tests_are_there() -> None:
    for folder in FOLDERS:
        assert (ROOT / folder.path).is_dir()
        assert all((ROOT / test).exists() for test in folder.tests)
    for test in SLOW:
        path, _, name = test.partition("::")
        assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test
        assert sum(f"--deselect={test}" in folder.arguments for folder in FOLDERS) == 1


def test_excluded_mutants_count_for_nobody_and_survivors_fail_the_target() -> None:
    results = [result(Outcome.KILLED)] * 17 + [result(Outcome.SURVIVED)] * 3 + [result(Outcome.EXCLUDED)] * 5
    assert score(results) == 0.85
    assert score([result(Outcome.EXCLUDED)]) is None
    assert folder_table(results).splitlines()[-1] == "| `change` | 25 | 17 | 3 | 5 | 85% |"
    assert enough(results, [])
    assert not enough([*results, result(Outcome.SURVIVED)], [])
    assert not enough(results, [result(Outcome.SURVIVED, folder="")])


def test_the_tables_name_the_test_that_noticed_and_take_the_place_of_the_old_ones(tmp_path: Path) -> None:
    table = hand_table([result(Outcome.KILLED), result(Outcome.SURVIVED)])
    assert table.splitlines()[2:] == ["| 1a2b3c4d | `test_localize.py::test_it` |", "| 1a2b3c4d | **nothing** |"]
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    write(page, table)
    assert page.read_text(encoding="utf-8") == f"before\n{BEGIN}\n\n{table}\n\n{END}\nafter\n"
    with pytest.raises(SystemExit, match="no place"):
        write(ROOT / "LICENSE", table)
