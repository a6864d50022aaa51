"""Errors that end tracebacks in the verifier's logs, whatever the field is called."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.extract.attempt import Attempt
from blade.extract.logs import Stage
from blade.extract.raised_errors import raised_errors
from blade.questions import verifier_classes

FRAMES = 'part of a path/oven.py", line 18, in bake\n    raise OvenError(text)\n'


def judged(text: str, field: str = "explanation") -> dict[str, object]:
    return row(verifier={field: text}, response=response(message("```python\nbake()\n```")), reward=0.0)


def test_the_line_that_ends_a_traceback_is_read_where_the_front_was_cut_off() -> None:
    (error,) = raised_errors(
        judged(f"FAIL [it bakes]: {FRAMES}oven.OvenError: no key 'heat'\n\n{FRAMES}oven.OvenError: no key 'heat'")
    )
    assert (error.field, error.line) == ("verifier.explanation", "oven.OvenError: no key 'heat'")


def test_words_without_frames_the_key_and_the_task_are_no_log() -> None:
    assert raised_errors(judged("ValueError: this is what the task wants")) == []
    assert raised_errors(judged(f"{FRAMES}ValueError: given", "expected_answer")) == []
    assert raised_errors(judged(f"{FRAMES}AssertionError")) == []  # a class alone says nothing


def test_a_log_is_known_by_its_frames_whatever_its_field_is_called() -> None:
    stage = Attempt(judged(f"{FRAMES}oven.OvenError: no key 'heat'")).stage
    assert isinstance(stage, Stage)
    assert (stage.kind, stage.field, stage.error) == ("runtime", "verifier.explanation", "OvenError")
    assert not isinstance(Attempt(judged(f"{FRAMES}oven.OvenError: no", "prompt")).stage, Stage)


def test_errors_are_counted_by_run_and_shown_by_their_commonest_line(tmp_path: Path) -> None:
    keys = ["heat", "heat", "time", "heat"]
    rows = [row(task, verifier={"explanation": "fine"}) for task in range(4, 10)]
    rows += [
        row(task, reward=0.0, verifier={"note": f"{FRAMES}oven.OvenError: no key '{key}'"})
        for task, key in enumerate(keys)
    ]
    analysis = analysed(write(tmp_path / "one" / "one.jsonl", rows))
    (entry,) = analysis.investigation["verifier_classes"]["messages"]
    assert (entry["line"], entry["runs"], entry["passes"]) == ("oven.OvenError: no key 'heat'", [4], 0)
    text = words(verifier_classes.tell(analysis.investigation["verifier_classes"]))
    assert "oven.OvenError: no key <text> (in 3: “oven.OvenError: no key 'heat'”) | 4 | 0 | 4 (0, 1 and 2)" in text
