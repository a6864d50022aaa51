"""Arguments of checks that the prompt does not say, and words that a check finds inside other words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, request, response, row, write
from tests.questions.made_cases import words

from blade.extract.attempt import Attempt
from blade.extract.check_arguments import check_arguments
from blade.questions import matched_inside, unstated_arguments


def told(task: int, attempt: int, prompt: str, answer: str, *checks: Json) -> Json:
    return row(
        task,
        attempt,
        float(all(check["ok"] for check in checks)),
        responses_create_params=request(prompt),
        response=response(message(answer)),
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
        checks=[{"name": "plain", "ok": True}, *checks],
    )


def closing(phrase: str, answer: str) -> Json:
    return {"name": "closing", "with": {"line": phrase}, "ok": answer.endswith(phrase)}


def without(word: str, answer: str) -> Json:
    return {"name": "without", "with": {"words": [word]}, "ok": word not in answer}


def ends(task: int, attempt: int, asked: str, wanted: str | None = None) -> Json:
    prompt = f"Tell a tale of jar {task}. Please end it with the words {asked}."
    answer = f"Jar {task} broke in winter {attempt}. {asked}"
    return told(task, attempt, prompt, answer, closing(wanted or asked, answer))


@pytest.fixture(scope="module")
def unstated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Of twelve tasks two want another phrase than their prompt says."""
    phrases = [f"So went {name}" for name in "ada ben cleo dora emil fay gus hal ida jon kim lou".split()]
    rows = [ends(task, attempt, phrases[task]) for task in range(10) for attempt in range(3)]
    rows += [ends(task, attempt, phrases[task], "So it went!") for task in (10, 11) for attempt in range(3)]
    return analysed(write(tmp_path_factory.mktemp("tales") / "tales.jsonl", rows)).investigation["unstated_arguments"]


def test_checks_that_want_what_no_prompt_says_are_told_with_what_it_says_instead(unstated: Any) -> None:
    assert words(unstated_arguments.tell(unstated)) == (
        "In 2 tasks (10 and 11) a check of the verifier wants a value that the prompt does not say, while the prompts "
        "of other tasks say theirs: 0 of 6 judged rollouts pass, and in 6 that check alone fails. Without their "
        "failures the runs pass tales 30 of 30 (100.0%).\n"
        "10: “closing” wants line “So it went!” and fails in 3 of 3 judged rollouts, in 3 of them alone. The prompt "
        "says “Please end it with the words So went kim.”.\n"
        "11: “closing” wants line “So it went!” and fails in 3 of 3 judged rollouts, in 3 of them alone. The prompt "
        "says “Please end it with the words So went lou.”."
    )
    (advice,) = unstated_arguments.advise(unstated)
    assert (advice.kind, advice.rollouts) == ("verifier", 6)
    assert unstated_arguments.faults(unstated).keys() == {"10", "11"}


def test_a_benchmark_whose_prompts_never_say_their_arguments_is_not_doubted(tmp_path: Path) -> None:
    rows = [ends(task, attempt, "So it ended", f"The end {task}") for task in range(12) for attempt in range(3)]
    assert "unstated_arguments" not in analysed(write(tmp_path / "tales.jsonl", rows)).investigation


def test_a_value_that_is_met_all_the_same_is_not_doubted(tmp_path: Path) -> None:
    rows = [ends(task, attempt, f"So went {task}") for task in range(12) for attempt in range(3)]
    for number in (33, 34, 35):
        rows[number]["responses_create_params"]["input"][0]["content"] = "Tell a tale of jar 11."
    assert "unstated_arguments" not in analysed(write(tmp_path / "tales.jsonl", rows)).investigation


def shelf(task: int, attempt: int, word: str, answer: str) -> Json:
    return told(task, attempt, f"Describe shelf {task} without {word}.", answer, without(word, answer))


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Any:
    rows = [shelf(task, attempt, "tin", f"A jar, {attempt} spoons.") for task in range(6) for attempt in range(3)]
    rows += [shelf(task, attempt, "art", f"A quarter of {attempt} jars.") for task in (6, 7) for attempt in range(3)]
    rows += [shelf(8, attempt, "tin", f"A tin and {attempt} jars.") for attempt in range(3)]
    return analysed(write(tmp_path_factory.mktemp("shelves") / "shelves.jsonl", rows)).investigation["matched_inside"]


def test_a_check_that_finds_its_word_inside_others_is_told_with_what_it_costs(inside: Any) -> None:
    assert words(matched_inside.tell(inside)) == (
        "“without” fails in 6 rollouts of 2 tasks (shelves 6; 6 and 7) whose answer has none of its words as a word, "
        "only inside other words (“art” in “quarter”), in 6 of them as the only check that fails; where the answer has "
        "none of them at all, 18 of 18 meet it. Counted as passes: shelves 66.7% → 88.9% of judged rollouts."
    )
    (advice,) = matched_inside.advise(inside)
    assert advice.change == "Let “without” compare whole words, and judge these answers again"


def test_a_check_that_compares_whole_words_is_not_doubted(tmp_path: Path) -> None:
    rows = [shelf(task, attempt, "tin", f"A jar, {attempt} spoons.") for task in range(6) for attempt in range(3)]
    rows += [shelf(task, attempt, "art", f"A quarter of {attempt} jars.") for task in (6, 7) for attempt in range(3)]
    for made in rows[18:]:
        made["checks"][1] |= {"ok": True}
        made["reward"] = 1.0
    assert "matched_inside" not in analysed(write(tmp_path / "shelves.jsonl", rows)).investigation


def test_arguments_are_read_in_one_record_and_side_by_side() -> None:
    prompt, answer = "Use three bullets, and end with Bye.", "* one tinsel\nBye."
    in_one = told(1, 0, prompt, answer, {"name": "end", "ok": True, "args": {"phrase": "Bye.", "n": None}})
    assert check_arguments(Attempt(in_one)) == {"check_arguments": [["end", 1, "phrase", "Bye.", 1, 2, ""]]}
    apart = told(1, 0, prompt, answer) | {
        "names": ["bullets", "absent"],
        "followed": [False, True],
        "kwargs": [{"num": 3}, {"words": ["tin", "oak"]}],
    }
    assert check_arguments(Attempt(apart)) == {
        "check_arguments": [
            ["bullets", 0, "num", "3", 1, 0, ""],
            ["absent", 1, "words", "tin", 0, 1, "tinsel"],
            ["absent", 1, "words", "oak", 0, 0, ""],
        ]
    }


def test_records_without_a_verdict_or_arguments_have_none() -> None:
    rules: list[Json] = [{"name": "end", "args": {"phrase": "Bye."}}, {"name": "end", "ok": True, "args": {}}]
    assert check_arguments(Attempt(told(1, 0, "End with Bye.", "Bye.") | {"checks": rules})) == {}
