"""An answer that is right and was not read is the verifier's doing, and is not labelled as the model's."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, message, response, row, write


def test_what_equals_the_key_and_was_not_read_is_no_behaviour_of_the_model(tmp_path: Path) -> None:
    rows = [row(task, 0, 1.0, response=response(message(str(2 * task)))) for task in range(20)]
    for task in range(20, 32):
        right = str(2 * task) if task < 26 else "17"
        said = response(message(right))
        rows.append(row(task, 0, 0.0, response=said, extracted_answer=None))
    labels = {label.task: label for label in analysed(write(tmp_path / "run.jsonl", rows)).labels}
    assert {labels[str(task)].labels for task in range(20, 26)} == {("TI",)}
    assert "TI" not in {code for task in range(26, 32) for code in labels[str(task)].labels}
