"""What failing answers look like, where passes look different."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
from tests.gym_rows import analysed, message, request, response, row, write
from tests.questions.made_cases import case as made_case
from tests.questions.made_cases import run_of, words

from blade.diagnosis.cases import Case
from blade.document import Paragraph
from blade.questions import answer_shapes


def case(task: int, answer: str, key: str, *, passed: bool, kinds: tuple[str, str] = ("number", "number")) -> Case:
    seen: dict[str, Any] = {"source": "field", "text": answer, "length": len(answer), "kind": kinds[0]}
    seen |= {"key": [key], "key_kind": kinds[1], "meets": "text" if answer == key else ""}
    made = made_case(task, passed=passed, observed={"answer": seen if answer else {**seen, "source": "empty"}})
    made.run = "run-a"
    return made


def right(many: int) -> list[Case]:
    return [case(100 + task, "7", "7", passed=True) for task in range(many)]


def shapes(cases: list[Case]) -> dict[str, int]:
    shapes_answer = answer_shapes.ask([run_of("run-a", cases)])
    return {one["shape"]: one["failures"] for one in shapes_answer["shapes"]} if shapes_answer else {}


def test_exact_relations_to_the_expected_number() -> None:
    answers = [("1200", "12"), ("0.5%", "50"), ("-3", "3"), ("−4", "4"), ("1/8", "8"), ("0.25", "4"), ("13", "12")]
    made = [case(place, answer, key, passed=False) for place, (answer, key) in enumerate(answers)]
    assert shapes([*made, *right(3)]) == {"factor": 2, "sign": 2, "inverse": 2}
    shapes_answer = answer_shapes.ask([run_of("run-a", [*made, *right(3)])])
    assert shapes_answer is not None
    assert (
        "2 of 7 failures and 0 of 3 passes show the expected number times a power of ten: 2 tasks (0 and 1). In 0, "
        "attempt 0 of run-a, the answer is '1200', the key '12'."
    ) in words(answer_shapes.tell(shapes_answer))


def test_the_expected_number_inside_other_words() -> None:
    answers = [("The result is 12", "12"), ("It should be -3 then", "-3"), ("Either 4 or 5 apples", "4"), ("7 km", "7")]
    made = [case(n, answer, key, passed=False, kinds=("text", "number")) for n, (answer, key) in enumerate(answers)]
    shapes_answer = answer_shapes.ask([run_of("run-a", [*made, *right(3)])])
    assert shapes_answer is not None
    assert {entry["shape"]: entry["failures"] for entry in shapes_answer["shapes"]} == {"in words": 2}
    (sentence,) = answer_shapes.brief(shapes_answer)
    assert sentence.text == (
        "2 of 4 failures and 0 of 3 passes show the expected number, and no other, inside other words: 2 tasks (0 and "
        "1). In 0, attempt 0 of run-a, the answer is 'The result is 12', the key '12'. Counted as passes: run-a 42.9% "
        "→ 71.4% of judged rollouts."
    )
    (step,) = answer_shapes.advise(shapes_answer)
    assert (step.kind, step.rollouts, step.before_scores) == ("harness", 2, True)
    assert step.change.startswith("Say in the prompt that the number must stand alone, or have the verifier read")
    assert step.because.text == (
        "These failures give the expected number, and no other, inside other words: run-a 2 of its 4."
    )


def test_a_form_that_the_prompt_asks_for_is_not_asked_for_again() -> None:
    answers = [case(n, f"The result is {n}0", f"{n}0", passed=False, kinds=("text", "number")) for n in range(1, 4)]
    for one in answers:
        one.observed["answer"]["wanted"] = "label"
    shapes_answer = answer_shapes.ask([run_of("run-a", [*answers, *right(3)])])
    assert shapes_answer is not None
    (sentence,) = answer_shapes.brief(shapes_answer)
    assert "The prompt asks for a form in 3 of these 3 tasks, and these answers do not have it." in sentence.text
    (step,) = answer_shapes.advise(shapes_answer)
    assert step.change.startswith("Decide whether the form is part of the task: if not, have the verifier read")
    answers[0].observed["answer"]["wanted"] = "letter"
    shapes_answer = answer_shapes.ask([run_of("run-a", [*answers, *right(3)])])
    assert shapes_answer is not None
    (sentence,) = answer_shapes.brief(shapes_answer)
    assert "The prompt asks" not in sentence.text


def test_an_answer_that_was_cut_short_has_no_form_of_its_own() -> None:
    cut = [
        replace(case(n, "so we " * 60, f"{n}7", passed=False, kinds=("text", "number")), state="truncated")
        for n in range(9)
    ]
    assert shapes([*cut, *right(9)]) == {}
    ended = [case(n, "so we " * 60, f"{n}7", passed=False, kinds=("text", "number")) for n in range(9)]
    assert "long" in shapes([*ended, *right(9)])


def test_a_form_in_which_others_pass_puts_no_score_in_doubt() -> None:
    made = [case(n, f"It is {n}0", f"{n}0", passed=False, kinds=("text", "number")) for n in range(1, 30)]
    passes = [case(90, "It must be 7", "7", passed=True, kinds=("text", "number")), *right(40)]
    shapes_answer = answer_shapes.ask([run_of("run-a", [*made, *passes])])
    assert shapes_answer is not None
    (step,) = answer_shapes.advise(shapes_answer)
    assert (step.rollouts, step.sure, step.before_scores) == (29, 0.5, False)


def test_another_kind_than_the_key_is_named_by_both() -> None:
    made = [case(task, str(task), "None", passed=False, kinds=("number", "none")) for task in range(5)]
    shapes_answer = answer_shapes.ask([run_of("run-a", [*made, *right(9)])])
    assert shapes_answer is not None
    assert (
        "5 of 5 failures and 0 of 9 passes show a number where the key says 'none': 5 tasks (0, 1, 2, 3 and 4)."
        in words(answer_shapes.tell(shapes_answer))
    )


def test_one_answer_whatever_is_asked_is_told_with_the_passes_of_each_key() -> None:
    safe = [case(n // 2, "harmful", "safe", passed=False, kinds=("text", "text")) for n in range(4)]
    harmful = [case(n // 2, "Harmful", "harmful", passed=n != 9, kinds=("text", "text")) for n in range(4, 12)]
    shapes_answer = answer_shapes.ask([run_of("run-a", [*safe, *harmful])])
    assert shapes_answer is not None
    assert words(answer_shapes.tell(shapes_answer)).startswith(
        "run-a answers 'harmful' in 12 of the 12 answers that can be read, whatever is asked: 7 of 8 pass where that "
        "is the key, 0 of 4 where the key is another (0 and 1)."
    )
    (sentence,) = answer_shapes.brief(shapes_answer)
    assert "whatever is asked" in words([Paragraph((sentence,))])
    mixed = [case(9, "safe", "harmful", passed=False, kinds=("text", "text")) for _ in range(3)]
    changed = answer_shapes.ask([run_of("run-a", [*safe, *harmful, *mixed])])
    assert not (changed or {}).get("constant")
    assert not (answer_shapes.ask([run_of("run-a", [*safe[:1], *harmful])]) or {}).get("constant")


def test_few_answers_are_enough_where_all_are_one_and_the_keys_are_many() -> None:
    """Nine answers D, by four keys: chance gives that in one of 65,000 runs; three answers say nothing."""
    made = [case(n, "D", "ABCD"[n % 4], passed=n % 4 == 3, kinds=("choice", "choice")) for n in range(9)]
    shapes_answer = answer_shapes.ask([run_of("run-a", made)])
    assert shapes_answer is not None
    assert "run-a answers 'D' in 9 of the 9 answers that can be read, whatever is asked: 2 of 2 pass" in words(
        answer_shapes.tell(shapes_answer)
    )
    (advice,) = answer_shapes.advise(shapes_answer)
    assert advice.rollouts == 7
    assert advice.change.startswith("Check that the question and its choices reach the model whole")
    for others in (made[:5], [*made[:8], case(8, "A", "A", passed=True, kinds=("choice", "choice"))]):
        assert not (answer_shapes.ask([run_of("run-a", others)]) or {}).get("constant")


def test_long_answers_that_only_begin_alike_are_no_default() -> None:
    def long(task: int, digest: int) -> Case:
        made = case(task, "The same beginning. ", f"name {task}", passed=False, kinds=("text", "text"))
        seen = {**made.observed["answer"], "length": 900, "digest": digest}
        return replace(made, observed_json=orjson.dumps({"answer": seen}).decode())

    assert "default" not in shapes([*(long(task, task) for task in range(4)), *right(9)])
    same = [*(long(task, 1) for task in range(4)), *right(9)]
    assert shapes(same)["default"] == 4
    shapes_answer = answer_shapes.ask([run_of("run-a", same)])
    assert shapes_answer is not None
    assert "show the same answer in several tasks: 4 tasks" in words(answer_shapes.tell(shapes_answer))


def test_a_class_that_is_mostly_right_is_no_default() -> None:
    """Three causes are asked for, and one of them is answered a little too often."""
    causes = ("code fault", "full disk", "slow net")
    made = [case(task, causes[task % 3], causes[task % 3], passed=True, kinds=("text", "text")) for task in range(30)]
    wrong = [case(30 + n, causes[0], f"{causes[1]} {n}", passed=False, kinds=("text", "text")) for n in range(14)]
    assert "default" not in shapes([*made, *wrong[:4]])
    assert shapes([*made, *wrong])["default"] == 14, "right in ten tasks, wrong in fourteen"


def test_a_default_is_shared_word_for_word_by_tasks_with_different_keys() -> None:
    made = [case(task, "Not sure.", f"name {task}", passed=False, kinds=("text", "text")) for task in range(4)]
    assert shapes([*made, *right(9)]) == {"default": 4}
    same_key = [case(task, "Not sure.", "one name", passed=False, kinds=("text", "text")) for task in range(4)]
    assert shapes([*same_key, *right(9)]) == {}


def test_answers_that_were_not_read_and_what_the_message_holds(tmp_path: Path) -> None:
    asked = request("Which? A: x B: y. Put the letter in \\boxed{}.")

    def made(task: int, text: str, extracted: str | None) -> dict[str, Any]:
        told: dict[str, Any] = {
            "response": response(message(text)),
            "expected_answer": "B",
            "extracted_answer": extracted,
        }
        return row(task, reward=float(extracted == "B"), responses_create_params=asked | {"user": str(task)}, **told)

    rows = [made(task, "The answer is B.", None) for task in range(4)]
    rows += [made(task, "I wonder about many things\n\nand so on, and so on " * 20, None) for task in range(4, 10)]
    rows += [made(task, "\\boxed{B}", "B") for task in range(10, 25)]
    shapes_answer = analysed(write(tmp_path / "rollouts.jsonl", rows)).investigation["answer_shapes"]
    assert {one["shape"]: (one["failures"], one["passes"]) for one in shapes_answer["shapes"]} == {
        "held": (4, 0),
        "unread": (6, 0),
    }
    text = words(answer_shapes.tell(shapes_answer))
    assert (
        "show that no answer was read although the final message states the expected one: 4 tasks (0, 1, 2 and 3)"
        in text
    )
    assert "the final message says 'B', the key 'B'." in text


def test_programs_that_the_reader_of_answers_missed_are_told_apart_from_empty_messages(tmp_path: Path) -> None:
    code = "import sys\n\ndef main():\n    tins = int(input())\n    print(tins + 1)\n\nmain()"

    def made(task: int, text: str, extracted: str) -> dict[str, Any]:
        return row(
            task,
            reward=float(bool(extracted)),
            responses_create_params=request(f"Write a program for tin {task}."),
            response=response(message(text)),
            verifier={"extracted_code": extracted},
            expected_answer=None,
            extracted_answer=extracted,
        )

    passing = [made(task, f"```python\n{code}\n```", code) for task in range(8)]
    doubled = [made(task, f"```python\n```python\n{code}\n```\n```", "") for task in (8, 9)]
    rows = [*passing, *doubled, made(10, "```python\n\n```", ""), made(11, "I cannot write this.", "")]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["answer_shapes"]
    assert (
        "Of the 4 last messages 2 hold whole programs (8 and 9), which the reader of answers missed; 1 is "
        "empty (10)." in words(answer_shapes.tell(answer))
    )
    prose = [*passing, *(made(task, "I cannot write this.", "") for task in range(8, 12))]
    text = words(answer_shapes.tell(analysed(write(tmp_path / "prose.jsonl", prose)).investigation["answer_shapes"]))
    assert "no answer was read" in text
    assert "last messages" not in text


def test_what_passes_show_as_often_is_not_told() -> None:
    mixed = [case(task, "" if task % 4 < 2 else "5", "7", passed=task % 2 == 0) for task in range(40)]
    assert shapes(mixed) == {}


def test_answers_that_come_near_the_key_by_their_characters() -> None:
    answers = [("413", "314"), ("heron", "honer"), ("752", "257"), ("3141", "314"), ("herson", "heron")]
    answers += [("2757", "275"), ("314", "3149"), ("hero", "heron"), ("275", "2757"), ("315", "314")]
    made = [case(place, answer, key, passed=False) for place, (answer, key) in enumerate(answers)]
    assert shapes([*made, *right(3)]) == {"reordered": 3, "one more": 3, "one less": 3}
    shapes_answer = answer_shapes.ask([run_of("run-a", [*made, *right(3)])])
    assert shapes_answer is not None
    assert "show the characters of the expected answer in another order: 3 tasks (0, 1 and 2)." in words(
        answer_shapes.tell(shapes_answer)
    )


def test_numbers_of_one_or_two_digits_come_near_by_chance() -> None:
    answers = [("2", "21"), ("3", "31"), ("4", "14"), ("12", "123"), ("72", "27"), ("63", "36"), ("54", "45")]
    made = [case(place, answer, key, passed=False) for place, (answer, key) in enumerate(answers)]
    assert shapes([*made, *right(3)]) == {}


def test_who_answers_in_the_kind_of_rare_keys_is_told_by_run() -> None:
    """Four tasks ask for 'none': one run says so in three of them, the other never."""
    first, second = (
        [case(task, text, "None", passed=text == "None", kinds=(kind, "none")) for task in range(4)]
        for text, kind in (("None", "none"), ("35", "number"))
    )
    first[0] = case(0, "35", "None", passed=False, kinds=("number", "none"))
    runs = [run_of(name, [*some, *right(9)]) for name, some in (("mild", first), ("bold", second))]
    for run in runs:
        for one in run.cases:
            one.run = run.run.name
    answer = answer_shapes.ask(runs)
    assert answer is not None
    assert (
        "At the 4 tasks whose key says 'none', that is answered by mild in 3 of 4 (3 pass) and bold in 0 of 4 (0 pass)."
    ) in words(answer_shapes.tell(answer))


def test_two_tasks_with_a_slip_and_chosen_letters_are_no_misspelling() -> None:
    made = [case(task, "413", "314", passed=False) for task in (1, 2)]
    chosen = [case(task, "BA", "AB", passed=False, kinds=("choice", "choice")) for task in range(3, 7)]
    assert shapes([*made, *chosen, *right(3)]) == {}
