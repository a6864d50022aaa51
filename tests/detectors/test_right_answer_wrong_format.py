"""Right answers in the wrong format."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors import denied_by_judge
from blade.detectors.right_answer_wrong_format import detect
from blade.findings import State

BOX = "Put the letter of your choice into \\boxed{}.\nA: Rome\nB: Ulm\nC: Bern"
TAG = "How many bytes? Write the number as <answer>number</answer>."
JSON = "How many bytes? Respond with a JSON object."
LABEL = "Where was he born? End with a line 'Final answer: <town>'."


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (
            attempt(
                say("It must be the third. The answer is C."), prompt=BOX, expected_answer="C", extracted_answer=None
            ),
            "no box or tag",
        ),
        (
            attempt(say("I weigh A and B.\n\n**(C)**"), prompt=BOX, expected_answer="C", extracted_answer=None),
            "no box or tag",
        ),
        (attempt(say("Answer: C) Bern"), prompt=BOX, expected_answer="C", extracted_answer="A"), "no box or tag"),
        (attempt(say(r"Clearly \boxed{c}"), prompt=BOX, expected_answer="C", extracted_answer=None), "letter case"),
        (attempt(say("<answer>C</answer>"), prompt=BOX, expected_answer="C", extracted_answer=None), "other wrapper"),
        (
            attempt(say(r"Clearly \boxed{Bern}"), prompt=BOX, expected_answer="C", extracted_answer=None),
            "other writing of the answer",
        ),
        (
            attempt(say("The final answer is 1,024."), prompt=TAG, expected_answer="1024", extracted_answer=""),
            "no box or tag",
        ),
        (attempt(say("It is 1024, so the answer is 1024."), prompt=JSON, expected_answer=1024), "no JSON"),
        (attempt(say("Final answer = Ulm"), prompt=LABEL, ground_truth="Ulm"), "no answer prefix"),
        (
            attempt(say("I think it over.\nUlm"), prompt=LABEL, ground_truth="Ulm", extracted_answer=None),
            "no answer prefix",
        ),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert "equals the key after normalisation, and scored zero; it is not written as asked" in seen.detail
    assert proved(made, seen)


def test_a_judges_zero_is_not_laid_on_the_format() -> None:
    """A judge that reads may have other grounds: what is seen is that the answer equals the key and was denied."""
    made = attempt(
        say("It must be the third. The answer is C."),
        prompt=BOX,
        expected_answer="C",
        extracted_answer=None,
        judge_output="The working does not hold.",
    )
    assert detect(made).state is NOT_APPLICABLE
    seen = denied_by_judge.detect(made)
    assert (seen.state, seen.value) == (FIRED, "in the final message")
    assert "the final message answers 'C', which equals the expected 'C', and the judge" in seen.detail
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say(r"Clearly \boxed{A}"), prompt=BOX, expected_answer="C", extracted_answer="A"), CLEAN),
        (attempt(say("The answer is C or A."), prompt=BOX, expected_answer="C", extracted_answer=None), CLEAN),
        (
            attempt(
                say("Maybe the answer is A. The answer is C."), prompt=BOX, expected_answer="C", extracted_answer=None
            ),
            CLEAN,
        ),
        (attempt(say("Maybe the answer is C."), prompt=BOX, expected_answer="C", extracted_answer=None), CLEAN),
        (attempt(say("The answer is C, or D."), prompt=BOX, expected_answer="C", extracted_answer=None), CLEAN),
        (attempt(say("The answer is not C."), prompt=BOX, expected_answer="C", extracted_answer=None), CLEAN),
        (
            attempt(
                say("C was my first thought, but B is the best answer."),
                prompt=BOX,
                expected_answer="C",
                extracted_answer=None,
            ),
            CLEAN,
        ),
        (attempt(say(r"Clearly \boxed{C}"), prompt=BOX, expected_answer="C", extracted_answer=None), CLEAN),
        (attempt(say("The answer is C."), prompt=BOX, expected_answer="C", extracted_answer="C"), CLEAN),
        (
            attempt(say("The answer is C."), prompt=BOX, expected_answer="C", extracted_answer=None, reward=1.0),
            NOT_APPLICABLE,
        ),
        (
            attempt(say("The answer is C."), prompt="Which city is it?", expected_answer="C", extracted_answer=None),
            NOT_APPLICABLE,
        ),
        (attempt(say("The answer is C."), prompt=BOX, extracted_answer=None), NOT_APPLICABLE),
        (attempt(prompt=BOX, expected_answer="C", extracted_answer=None), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
