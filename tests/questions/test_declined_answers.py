"""Answers that decline: by run, after how many calls, against those that try other words; and no votes on a key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import called, case, run_of, words

from blade.questions import answers_and_keys, declined_answers, verdicts_and_answers

PROMPT = "You answer questions. Prefer primary sources."
LINE = "When the first search shows nothing, it is fine to say that it could not be found."


def rollout(task: int, attempt: int, searches: int, answer: str, *, prompt: str = PROMPT) -> Json:
    parts = [
        item
        for number in range(searches)
        for item in called("search", {"q": f"{task} in words {number}"}, f"page {task} {number}")
    ]
    asked = request(f"What is {task}?")
    asked["input"].insert(0, {"role": "system", "content": prompt, "type": "message"})
    key = f"place {task}"
    return row(
        task,
        attempt,
        float(answer == key),
        responses_create_params=asked,
        response=response(*parts, message(f"Answer: {answer}")),
        expected_answer=key,
        extracted_answer=answer,
    )


def runs(tmp_path: Path, *, key: str = "place {}") -> Mapping[str, Any]:
    """One run gives up after one search in most tasks; the other searches on and mostly finds."""
    patient, hasty = [], []
    for task in range(12):
        for attempt in range(2):
            right = key.format(task)
            if task < 2 and attempt:
                patient.append(rollout(task, attempt, 1, "not found"))
            else:
                patient.append(rollout(task, attempt, 2, right if task % 4 else "elsewhere"))
            hasty.append(rollout(task, attempt, 1, "Could not be found.", prompt=f"{PROMPT} {LINE}"))
        hasty.append(rollout(task, 2, 3, right, prompt=f"{PROMPT} {LINE}"))
        patient.append(rollout(task, 2, 3, right))
    one, other = write(tmp_path / "hasty.jsonl", hasty), write(tmp_path / "patient.jsonl", patient)
    return analysed(one, other).investigation


def test_who_declines_and_what_trying_again_passes(tmp_path: Path) -> None:
    answer = runs(tmp_path)["declined_answers"]
    assert (answer["declined"], answer["passes"], answer["rollouts"], answer["most"]) == (26, 0, 72, "hasty")
    hasty, patient = answer["runs"]
    assert (hasty["declined"], hasty["at_once"], hasty["calls"], hasty["other_calls"]) == (24, 24, 1, 3)
    assert (patient["declined"], patient["rollouts"]) == (2, 36)
    assert answer["lines"] == [LINE]
    assert (answer["again"]["at_once"], answer["again"]["again"], answer["again"]["again_passes"]) == (26, 46, 41)
    told = words(declined_answers.tell(answer))
    assert (
        "26 of 72 judged rollouts answer that nothing was found or is known (“could not be found” 24 and “not found” "
        "2), and none of them passes. Of the 46 other rollouts at the same 12 tasks 41 pass" in told
    )
    assert "hasty: 24 of 36, after a median of 1 call (its other rollouts make 3), 24 after a single one." in told
    assert f"Only the prompt of hasty says “{LINE.rstrip('.')}”." in told
    assert (
        "At the 12 tasks where some rollout declines after one call of search, 41 of the 46 that call it a second time "
        "with other arguments pass, and none of the 26 that decline at once (p = " in told
    )
    (brief,) = declined_answers.brief(answer)
    assert "hasty does so in 24 of 36 (24 after a single call), patient in 2 of 36 (p = " in brief.text
    (advice,) = declined_answers.advise(answer)
    assert advice.change == (
        f"Take “{LINE.rstrip('.')}” out of the prompt of hasty, or compare the runs with one prompt"
    )
    assert advice.because.text == "26 of 72 judged rollouts decline, and none of them passes."


def _given(task: int, text: str, key: str, attempt: int = 0) -> Any:
    meets = "text" if text == key else ""
    seen = {"source": "field", "text": text, "length": len(text), "kind": "text", "key": [key], "key_kind": "text"}
    made = case(task, passed=bool(meets), observed={"answer": seen | {"meets": meets}}, attempt=attempt)
    made.attempt = attempt
    return made


def test_where_a_key_says_that_there_is_no_answer_nobody_declines() -> None:
    cases = [_given(task, "unknown", "unknown" if task < 2 else f"place {task}") for task in range(12)]
    assert declined_answers.ask([run_of("a", cases)]) is None


def test_a_long_answer_is_more_than_its_first_words() -> None:
    cases = [
        _given(task, "I could not find it at first; " + "then I looked on. " * 20, f"place {task}")
        for task in range(12)
    ]
    assert declined_answers.ask([run_of("a", cases)]) is None


def test_few_such_answers_and_such_as_pass_are_not_told() -> None:
    few = [_given(task, "unknown" if task < 4 else f"place {task}", f"place {task}") for task in range(12)]
    assert declined_answers.ask([run_of("a", few)]) is None
    lenient = [_given(task, "unknown", f"place {task}") for task in range(12)]
    for one in lenient[:3]:
        one.passed = True
    assert declined_answers.ask([run_of("a", lenient)]) is None


def test_that_most_find_nothing_speaks_against_no_key() -> None:
    """Four of six decline at one task, and at another four of six agree on a place."""

    def made(name: str) -> Any:
        cases = []
        for attempt in range(3):
            cases.append(_given(0, "Could not be found" if attempt < 2 else "nowhere", "place 0", attempt))
            cases.append(_given(1, "the other place" if attempt < 2 else "nowhere", "place 1", attempt))
            cases += [_given(task, f"place {task}", f"place {task}", attempt) for task in range(2, 12)]
        return run_of(name, cases)

    both = [made("a"), made("b")]
    keys = answers_and_keys.ask(both)
    assert keys is not None
    assert [entry["task"] for entry in keys["suspect_keys"]["shown"]] == ["1"]
    verdicts = verdicts_and_answers.ask(both)
    assert verdicts is not None
    assert verdicts["unpassed"]["tasks"] == ["1"]
