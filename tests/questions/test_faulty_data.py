"""Tasks that nobody passes and whose own data are at fault."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, request, row, write
from tests.questions.made_cases import words

from blade.questions import faulty_data

ASKED = "In the figure, the two marked jars stand on one shelf. How many lids are there?"


def asked(task: int, attempt: int, text: str, reward: float) -> Json:
    return row(task, attempt, reward, responses_create_params=request(text), extracted_answer=f"{attempt + 3}")


def told(path: Path, text: str, reward: float = 0.0) -> str:
    rows = [row(task, attempt) for task in range(10) for attempt in range(3)]
    rows += [asked(10, attempt, text, reward if attempt == 2 else 0.0) for attempt in range(3)]
    answer = analysed(write(path / "jars.jsonl", rows)).investigation.get("faulty_data")
    return words(faulty_data.tell(answer)) if answer else ""


def test_a_figure_that_the_prompt_lacks_is_told(tmp_path: Path) -> None:
    assert told(tmp_path, ASKED) == (
        "Attachment missing from the prompt in 1 task that no run passes (10; 3 rollouts): in 10 the prompt says 'In "
        "the figure', and the request carries no such thing."
    )


def test_a_task_that_somebody_passes_is_sound(tmp_path: Path) -> None:
    assert told(tmp_path, ASKED, 1.0) == ""


def test_a_figure_drawn_in_the_text_is_there(tmp_path: Path) -> None:
    assert told(tmp_path, ASKED + "\n[asy] draw((0,0)--(1,1)); [/asy]") == ""
