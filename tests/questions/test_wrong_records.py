"""Failures that act on another entry of a tool's answer than the expected one."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.extract.attempt import Attempt
from blade.extract.both_shown import both_shown
from blade.questions import wrong_records


def rollout(task: int, *, given: str, entries: tuple[str, ...] = (), passed: bool = False, attempt: int = 0) -> Json:
    right = f"T-{200 + task}"
    shown = called("list_tickets", {"member": task}, {"items": list(entries or (f"T-{100 + task}", right))})
    closed = called("close_ticket", {"ticket": given}, {"ok": True})
    key = {"expected_actions": [{"name": "close_ticket", "arguments": {"ticket": right}}]}
    return task_row(task, shown, closed, said("Done."), passed=passed, verifier=key, _ng_rollout_index=attempt)


def test_both_must_stand_in_one_answer() -> None:
    assert both_shown(Attempt(rollout(1, given="T-101"))) == {
        "both_shown": ["ticket", "T-101", "T-201", "list_tickets", True]
    }
    last = rollout(1, given="T-101", entries=("T-201", "T-101"))
    assert both_shown(Attempt(last))["both_shown"][4] is False
    assert not both_shown(Attempt(rollout(1, given="T-101", entries=("T-201", "T-301"))))
    assert not both_shown(Attempt(rollout(1, given="T-201", passed=True)))


def test_the_first_entry_of_a_list_taken_again_and_again_is_told(tmp_path: Path) -> None:
    rows = [rollout(task, given=f"T-{100 + task}") for task in range(8)]
    rows += [rollout(task, given=f"T-{200 + task}", passed=True, attempt=1) for task in range(8)]
    answer = analysed(f"run={write(tmp_path / 'run.jsonl', rows)}").investigation["wrong_records"]
    assert words(wrong_records.tell(answer)) == (
        "8 failures of 8 tasks give another ticket than expected, and one answer of list_tickets shows both, e.g. "
        "“T-100” for “T-200” in task 0 of run; 8 of them take the one that stands first there. At these tasks (0, 1, "
        "2, 3, 4, 5, 6 and 7) run passes 8 of 16."
    )
    (advice,) = wrong_records.advise(answer)
    assert advice.because.text == "8 failures act on another entry than the expected one."


def test_a_run_that_does_so_beyond_chance_is_named(tmp_path: Path) -> None:
    def of(*, confuses: bool) -> list[Json]:
        return [
            rollout(
                task,
                given=f"T-{(100 if confuses else 200) + task}",
                entries=(f"T-{100 + task}", f"T-{200 + task}") if task % 2 else (f"T-{200 + task}", f"T-{100 + task}"),
                passed=not confuses,
            )
            for task in range(16)
        ]

    paths = [write(tmp_path / f"{name}.jsonl", of(confuses=name == "weak")) for name in ("weak", "good")]
    told = words(wrong_records.tell(analysed(*paths).investigation["wrong_records"]))
    assert "shows both (weak 16), e.g." in told
    assert "8 of them take the one that stands first there." in told
    assert "It is more common in weak than elsewhere (p = " in told


def test_mixed_places_in_one_run_are_not_told(tmp_path: Path) -> None:
    rows = [
        rollout(task, given=f"T-{100 + task}", entries=(f"T-{200 + task}", f"T-{100 + task}") if task % 2 else ())
        for task in range(8)
    ]
    rows += [rollout(task, given=f"T-{200 + task}", passed=True, attempt=1) for task in range(8)]
    assert "wrong_records" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation
