"""Right answers that fail because of how they are written, and whether the prompt asks for that way."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import words

from blade.questions import answer_marks, answers_and_keys

THOUGHT = "The lantern in the hall is lit by the keeper, who walks past the gate and the well every night. "


def answered(task: int, attempt: int, *, marked: bool, asked: str = "") -> Json:
    """A right answer in a tag, or in a sentence that the verifier does not read: it takes the whole message."""
    key = str(311 + task)
    text = f"{THOUGHT * 2}\n<answer>{key}</answer>" if marked else f"{THOUGHT * 2}\nSo the answer is {key}"
    return row(
        task,
        attempt,
        float(marked),
        responses_create_params=request(f"How many lanterns has hall {task}?{asked}"),
        response=response(message(text)),
        expected_answer=key,
        extracted_answer=key if marked else text,
    )


def test_a_right_answer_that_passes_only_in_a_tag_nobody_asked_for(tmp_path: Path) -> None:
    rows = [answered(task, attempt, marked=attempt > 0) for task in range(5) for attempt in range(3)]
    investigation = analysed(write(tmp_path / "oak.jsonl", rows)).investigation
    told = words(answer_marks.tell(investigation["answer_marks"]))
    assert (
        "Of the answers that match the key, 10 of 10 pass in a tag and 0 of 5 in a sentence: 5 rollouts (0, 1, 2, "
        "3 and 4) fail only by how the right answer is written (oak 5). The prompt asks for an answer in a tag in "
        "0 of 5 tasks. The prompt or the verifier has to change, not the model."
    ) in told
    (head,) = answer_marks.brief(investigation["answer_marks"])
    assert head.text == (
        "5 of 15 answers that match the key fail only by how they are written: 10 of 10 pass in a tag, 0 of 5 "
        "elsewhere, and the prompt asks for that format in 0 of 5 tasks."
    )
    (advice,) = answer_marks.advise(investigation["answer_marks"])
    assert (advice.kind, advice.rollouts) == ("prompt", 5)


def test_a_field_with_the_whole_message_is_read_for_the_answer_that_it_states(tmp_path: Path) -> None:
    rows = [answered(task, attempt, marked=attempt > 0) for task in range(5) for attempt in range(3)]
    answer = analysed(write(tmp_path / "oak.jsonl", rows)).investigation["answers_and_keys"]
    assert (answer["to_key"]["rollouts"], answer["to_key"]["tasks"]) == (5, ["0", "1", "2", "3", "4"])
    assert "'311' against the key '311'" in words(answers_and_keys.tell(answer))
    assert [(line["passes"], line["after"]) for line in answer["runs"]["lines"]] == [(10, 15)]


def test_what_the_prompt_asks_for_is_the_models_to_keep(tmp_path: Path) -> None:
    asked = " Put the number in <answer></answer> tags."
    rows = [answered(task, attempt, marked=attempt > 0, asked=asked) for task in range(5) for attempt in range(3)]
    answer = analysed(write(tmp_path / "oak.jsonl", rows)).investigation["answer_marks"]
    assert "The prompt asks for an answer in a tag in 5 of 5 tasks." in words(answer_marks.tell(answer))
    assert "has to change" not in words(answer_marks.tell(answer))
    assert not list(answer_marks.advise(answer))


def test_other_ways_that_pass_as_well_are_nothing_to_tell(tmp_path: Path) -> None:
    rows = [answered(task, attempt, marked=attempt > 0) | {"reward": 1.0} for task in range(5) for attempt in range(3)]
    rows += [row(task, 0, 0.0) for task in range(20, 24)]
    assert "answer_marks" not in analysed(write(tmp_path / "oak.jsonl", rows)).investigation


def test_right_answers_that_the_verifier_read_as_nothing_are_counted_too(tmp_path: Path) -> None:
    rows = [answered(task, attempt, marked=attempt > 0) for task in range(5) for attempt in range(3)]
    unread = [one if one["reward"] else one | {"extracted_answer": None} for one in rows]
    answer = analysed(write(tmp_path / "oak.jsonl", unread)).investigation["answer_marks"]
    assert (answer["passes"], answer["of"], answer["other_passes"], answer["of_others"]) == (10, 10, 0, 5)
