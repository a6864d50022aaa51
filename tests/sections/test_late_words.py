"""A word for a time limit that passes bear, too: it is counted on the first screen, and is no example of a failure."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import ABSENT, Json, analysed, row, write
from tests.questions.made_cases import words

from blade.model import Analysis
from blade.sections import executive_summary
from blade.summary.failure_words import commonest_words


def _row(task: int, *, passed: bool, late: bool) -> Json:
    verifier = {"failure_mode": "agent_timeout" if late else "unset"}
    return row(task, 0, float(passed), verifier=verifier, expected_answer=ABSENT, extracted_answer=ABSENT)


def _analysis(folder: Path, late_passes: int) -> Analysis:
    """Fifty rollouts in time, half of which pass; twenty failures and some passes out of time."""
    rows = [_row(task, passed=task % 2 == 0, late=False) for task in range(50)]
    rows += [_row(task, passed=False, late=True) for task in range(50, 70)]
    rows += [_row(task, passed=True, late=True) for task in range(70, 70 + late_passes)]
    return analysed(f"run={write(folder / 'run.jsonl', rows)}")


def test_failures_and_passes_out_of_time_are_counted_where_the_word_explains_none(tmp_path: Path) -> None:
    analysis = _analysis(tmp_path, late_passes=6)
    unclassified = next(mode for mode in analysis.modes if mode.id == "unexplained")
    shown = {finding.detector for finding in analysis.findings if finding.id in unclassified.findings}
    assert "agent_timeout" not in shown
    summary = words(executive_summary.build(analysis))
    assert "e.g. run, task 50, attempt 0: the agent's time ran out" not in summary
    assert (
        "By a word of their rows 20 failures and 6 passes ran out of time (verifier.failure_mode: agent_timeout): "
        "23.1% of these pass, and 50.0% of the others."
    ) in summary


def test_of_several_runs_the_share_of_failures_out_of_time_is_told_by_run(tmp_path: Path) -> None:
    paths = []
    for name, failing, passing in (("slow", 20, 6), ("quick", 15, 5), ("third", 12, 4)):
        rows = [_row(task, passed=task % 2 == 0, late=False) for task in range(50)]
        rows += [_row(task, passed=task >= 50 + failing, late=True) for task in range(50, 50 + failing + passing)]
        paths.append(write(tmp_path / f"{name}.jsonl", rows))
    summary = words(executive_summary.build(analysed(*paths)))
    assert (
        "By a word of their rows 47 failures and 15 passes ran out of time (verifier.failure_mode: agent_timeout): "
        "24.2% of these pass, and 50.0% of the others; of the failures of each run so many: slow 20 of 45, quick 15 of "
        "40 and third 12 of 37." in summary
    )


def test_nothing_is_said_where_the_word_makes_a_mode(tmp_path: Path) -> None:
    analysis = _analysis(tmp_path, late_passes=0)
    assert "agent_timeout" in {mode.id for mode in analysis.modes}
    assert not [sentence for sentence in commonest_words(analysis) if "ran out of time (" in str(sentence)]
