"""A message shows several programs and ends on another one than the verifier ran."""

from __future__ import annotations

from typing import Any

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.earlier_program_taken import detect
from blade.extract.compiled_message import Block, blocks_of
from blade.findings import State

DRAFT, LAST = "n = int(input())\nprint(n)", "n = int(input())\nprint(n + 1)"


def fenced(program: str, tag: str = "py") -> str:
    return f"```{tag}\n{program}\n```"


def message(*blocks: str) -> str:
    return "A first try:\n\n" + "\n\nThat is one short:\n\n".join(blocks) + "\nDone."


def handed_in(text: str, **fields: Any) -> Attempt:
    return attempt(say(text), **fields)


def test_the_first_of_two_programs_was_taken() -> None:
    made = handed_in(message(fenced(DRAFT), fenced(LAST)), extracted_code=DRAFT)
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, "extracted_code")
    assert seen.detail == "the verifier took block 1 of 2 (extracted_code)"
    assert proved(made, seen)
    assert [made.final_text[cite.start : cite.end] for cite in seen.cites] == [DRAFT, LAST]


def test_the_block_is_named_by_its_place_among_all() -> None:
    middle = "n = int(input())\nprint(n + 2)"
    text = message(fenced(DRAFT), fenced(middle), fenced(LAST))
    made = handed_in(text, verifier={"program": f"\n{middle}\n  "})
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, "verifier.program")
    assert seen.detail == "the verifier took block 2 of 3 (verifier.program)"
    assert [made.final_text[cite.start : cite.end] for cite in seen.cites] == [middle, LAST]
    assert proved(made, seen)


TWO = message(fenced(DRAFT), fenced(LAST))


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (handed_in(TWO, extracted_code=LAST), CLEAN),
        (handed_in(TWO, extracted_code=f"{DRAFT}\nprint(0)"), CLEAN),
        (handed_in(TWO, note="the second test failed"), CLEAN),
        (handed_in(TWO, reward=1.0, extracted_code=DRAFT), NOT_APPLICABLE),
        (handed_in(TWO, reward=0.5, extracted_code=DRAFT), FIRED),
        (handed_in(TWO, reward=None, extracted_code=DRAFT), NOT_APPLICABLE),
        (handed_in(message(fenced(DRAFT)), extracted_code=DRAFT), NOT_APPLICABLE),
        (handed_in(message(fenced(DRAFT), fenced(DRAFT)), extracted_code=DRAFT), NOT_APPLICABLE),
        (handed_in(message(fenced(DRAFT), "```py\n" + LAST), extracted_code=DRAFT), NOT_APPLICABLE),  # never closed
        (handed_in(message(fenced(DRAFT), fenced("3 4\n7\n9 9 9 9 9 9", "")), extracted_code=DRAFT), CLEAN),
        (handed_in(message(fenced(DRAFT), fenced(LAST, "text")), extracted_code=DRAFT), CLEAN),
        (handed_in(message(fenced(DRAFT, ""), fenced(LAST, "")), extracted_code=DRAFT), FIRED),
    ],
)
def test_whether_the_last_program_was_passed_over(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert len(seen.cites) == (2 if state is FIRED else 0)


@pytest.mark.parametrize(("length", "state"), [(10, FIRED), (9, CLEAN)])
def test_a_last_block_of_less_than_half_the_length_is_an_example_of_use(length: int, state: State) -> None:
    program, example = "print(12345678901234)"[:20], "x" * length
    assert len(program) == 20
    made = handed_in(message(fenced(program), fenced(example)), extracted_code=program)
    assert detect(made).state is state


def test_a_later_text_tells_where_the_first_does_not() -> None:
    made = handed_in(TWO, log="built", extracted_code=DRAFT)
    assert detect(made).value == "extracted_code"


def test_blocks_come_with_their_tags_and_where_their_text_begins() -> None:
    text = "See:\n  ``` py \n\n  x = 1\ny = 2\n\n```\nor\n```\nz\n```\n```c\n\n```\n```rs\nopen"
    blocks = blocks_of(text)
    assert blocks == [Block("x = 1\ny = 2", text.index("x = 1"), "py"), Block("z", text.index("z\n"), "")]
    assert all(text[block.start :].startswith(block.text) for block in blocks)


@pytest.mark.parametrize("text", ["", "no fence", "```py\nx = 1", "``` ```", "```\n```"])
def test_a_message_without_a_closed_fence_has_no_blocks(text: str) -> None:
    assert blocks_of(text) == []
