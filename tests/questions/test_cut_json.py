"""Outputs that break off inside a JSON string, and what is advised where a decoder ends rollouts."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, response, row, write
from tests.questions.made_cases import words

from blade.model import Analysis
from blade.questions import cut_json

OPEN = "Unterminated string starting at: line 1 column 9 (char 8)"
FORM = "State the form of answers and calls in the prompt"
RETURNED = "Have the harness return a JSON error to the model instead of ending the rollout with it"


def _row(task: int, attempt: int, tokens: int, error: str | None = None) -> Json:
    usage = {"input_tokens": 900, "output_tokens": tokens, "total_tokens": 900 + tokens}
    verifier = {"success": error is None, "error_message": error}
    made = row(task, attempt, float(error is None and task % 2), response=response(usage=usage), verifier=verifier)
    return {**made, "metadata": {"turn_count": 5}}


def _rows(error: str, *tokens: int) -> list[Json]:
    """Thirty rollouts, and as many as there are numbers that a decoder ended, at three tasks in turn."""
    rows = [_row(task, 0, 300 + 37 * task) for task in range(30)]
    rows += [_row(place % 3, 1 + place // 3, used, error) for place, used in enumerate(tokens)]
    for entry in rows:
        entry.pop("extracted_answer")
    return rows


def _analysis(folder: Path, rows: list[Json]) -> Analysis:
    return analysed(f"cut={write(folder / 'rollouts.jsonl', rows)}")


def _told(analysis: Analysis) -> str:
    answer = analysis.investigation.get("cut_json")
    return words(cut_json.tell(answer)) if answer else ""


def _changes(analysis: Analysis) -> str:
    return " ".join(item.change for item in analysis.interventions)


def test_outputs_of_one_length_that_end_in_a_string_are_told_as_cut(tmp_path: Path) -> None:
    analysis = _analysis(tmp_path, _rows(OPEN, 4110, 4121, 4133, 4142, 4180, 2100))
    told = _told(analysis)
    assert "6 judged rollouts of cut end with JSON that breaks off inside a string (0 of them pass). 5 of" in told
    assert "wrote 4,110 to 4,180 output tokens in all, as 0 of its 30 other judged rollouts do: they were" in told
    (advice,) = cut_json.advise(analysis.investigation["cut_json"])
    assert advice.change.startswith("Raise the limit of output tokens for one reply")
    assert advice.rollouts == 5


def test_outputs_of_many_lengths_and_other_errors_are_not_told_as_cut(tmp_path: Path) -> None:
    assert not _told(_analysis(tmp_path / "a", _rows(OPEN, 500, 900, 1500, 2600, 4180, 2100)))
    extra = "Extra data: line 1 column 9 (char 8)"
    assert not _told(_analysis(tmp_path / "b", _rows(extra, 4110, 4121, 4133, 4142, 4180, 4190)))


def test_a_decoders_error_where_only_calls_are_decoded_is_the_harness_to_return(tmp_path: Path) -> None:
    changes = _changes(_analysis(tmp_path, _rows("Extra data: line 1 column 9 (char 8)", 410, 520, 630)))
    assert RETURNED in changes
    assert FORM not in changes


def test_where_answers_are_read_or_no_turns_are_counted_the_form_is_to_be_stated(tmp_path: Path) -> None:
    error = "Extra data: line 1 column 9 (char 8)"
    without_turns = _rows(error, 410, 520, 630)
    for entry in without_turns:
        entry.pop("metadata", None)
    with_answers = _rows(error, 410, 520, 630)
    for entry in with_answers[:20]:
        entry["extracted_answer"] = "17"
    for place, rows in enumerate((without_turns, with_answers)):
        changes = _changes(_analysis(tmp_path / str(place), rows))
        assert RETURNED not in changes
        assert FORM in changes
