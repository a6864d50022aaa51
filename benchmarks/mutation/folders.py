"""Which folders are mutated, how many mutants each gets, and which tests must notice them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = "src/blade"
WHOLE_REPORTS = "tests/whole_report"
SEED = "blade"
LEAST_SCORE = 0.85


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the source; its tests in the order in which they run, the quickest to fail first."""

    name: str
    sample: int
    tests: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"{SOURCE}/{self.name}"

    @property
    def arguments(self) -> tuple[str, ...]:
        """What pytest is called with: file by file, as it would put a folder before the files named first."""
        files = dict.fromkeys(file for test in self.tests for file in _files(test))
        return (*files, *(f"--deselect={test}" for test in SLOW if test.startswith(self.tests)))


def _files(test: str) -> list[str]:
    found = sorted((ROOT / test).rglob("test_*.py"))
    return [path.relative_to(ROOT).as_posix() for path in found] or [test]


SLOW = (
    "tests/counting/test_summary_at_any_size.py::test_any_order_and_any_parts_come_to_the_same",
    "tests/counting/test_summary_at_any_size.py::test_the_command_follows_and_then_reports",
    "tests/counting/test_count_metrics.py::test_the_order_of_rows_changes_nothing",
    "tests/counting/test_recompute_files.py::test_hostile_content_never_raises_and_never_goes_unnoticed",
    "tests/counting/test_count_expected.py::test_what_was_expected_is_what_counts_and_what_was_lost",
    "tests/change/test_swapped_runs.py",
    "tests/stats/ledger/test_ledger_simulated.py",
)
"""Tests of seconds each, which hardly kill what the others do not."""
VARIED = (f"{WHOLE_REPORTS}/test_sections_of_other_shapes.py", f"{WHOLE_REPORTS}/test_score_change_of_other_shapes.py")
FOLDERS = (
    Folder("counting", 40, ("tests/counting/test_pieces_of_counting.py", "tests/counting", WHOLE_REPORTS)),
    Folder("change", 40, ("tests/change/test_pieces_of_a_comparison.py", "tests/change", WHOLE_REPORTS)),
    Folder("stats/ledger", 40, ("tests/stats/ledger", WHOLE_REPORTS)),
    Folder("diagnosis", 40, ("tests/diagnosis/test_exact_signals.py", "tests/diagnosis", WHOLE_REPORTS)),
    Folder("sections", 40, (*VARIED, WHOLE_REPORTS, "tests/sections", "tests/test_every_section.py")),
)
