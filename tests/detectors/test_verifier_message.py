"""What the verifier says is one statement, however many sentences it is."""

from __future__ import annotations

from tests.detectors.attempts import FIRED, attempt, say

from blade.detectors.verifier_message import detect
from blade.document import say as stated
from blade.short_report.sentences import english


def test_words_of_the_verifier_are_quoted_so_that_no_sentence_of_theirs_stands_alone() -> None:
    seen = detect(attempt(say("red"), grading_error="The lid is wrong. Wanted one of two. Colours count."))
    assert seen.state is FIRED
    assert seen.detail == "grading_error says “The lid is wrong. Wanted one of two. Colours count.”"
    assert len(list(english(stated("It goes wrong here: {what}:", what=seen.detail)))) == 1
