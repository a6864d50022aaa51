"""A story is headed by the cause that all rollouts together show, and its label says the same."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.document import Heading
from blade.sections import never_pass_deep_dives


def _rows() -> list[Json]:
    """Parcels are moved and swapped; who swaps first is refused the move."""
    rows = []
    for task in range(9):
        number = f"P10{task}"
        actions = [{"name": name, "arguments": {"parcel_id": number}} for name in ("move_parcel", "swap_parcel")]
        read = called("get_parcel", {"parcel_id": number}, {"parcel_id": number, "status": "open"})
        move = called("move_parcel", {"parcel_id": number}, "Error: already swapped" if task > 5 else "ok")
        swap = called("swap_parcel", {"parcel_id": number}, {"parcel_id": number, "status": "swapped"})
        calls = (read, swap, move) if task > 5 else (read, move, swap)
        key = {"verifier": {"expected_actions": actions, "expected_outputs": []}}
        rows.append(task_row(task, *calls, said("Done."), passed=task <= 5, **key))
    return rows


def test_the_order_that_is_always_refused_heads_the_story(tmp_path: Path) -> None:
    found = analysed(write(tmp_path / "one.jsonl", _rows()))
    assert {(label.task, label.labels, label.rule) for label in found.labels} == {
        (task, ("UK",), "refused_out_of_order") for task in ("6", "7", "8")
    }
    blocks = never_pass_deep_dives.build(found)
    heads = [block.text for block in blocks if isinstance(block, Heading)]
    assert "6: changes in an order in which one is always refused" in heads
    told = words(blocks)
    assert "What the record shows: 'move_parcel' failed in its only call" in told
    assert "Label: UK (calls move_parcel after swap_parcel had changed the same object" in told
