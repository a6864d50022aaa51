"""Patterns that others wrote: what they find, what is refused, and that no text keeps them busy for ever."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import blade
from tests.gym_rows import message, response, row, write

from blade.patterns import LinearPattern, PatternError
from blade.sanitize.rules import Policy
from blade.sanitize.work import scan
from blade.translate.field_paths import condition

FOR_EVER = ("(a+)+$", "(a|a)*$", "(a*)*b", "(?:a|aa)+$", "(.*)*(.*)*(.*)*zz", "([a-z]+)*!$")
"""Python's own engine needs years for each of these in the text below."""
TEXT = "a" * 5_000 + "?"


@pytest.mark.parametrize("source", FOR_EVER)
def test_a_pattern_with_endlessly_many_ways_to_match_ends(source: str, tmp_path: Path) -> None:
    """In the command, in the condition of a map, and in the values that a policy of sharing lets stay."""
    path = write(tmp_path / "run.jsonl", [row(0, attempt, 1.0, response=response(message(TEXT))) for attempt in (0, 1)])
    for words in (("grep", source, path), ("count", f"grep('{source}', 'model')", path)):
        done = blade(*words, "--no-keep")
        assert (done.returncode, done.stderr) == (0, "")
    condition(f"text ~ {source}").holds({"text": TEXT})
    scan([path], Policy(allow=(source,)))
    LinearPattern(source).fullmatch(TEXT)


@pytest.mark.parametrize("source", [".*x|y", "y(.*x)?", "(?s).*x|y", r"\w+!|y", "y{1,2}?|y.*x"])
def test_matches_that_look_to_the_end_of_a_text_in_vain_are_all_counted(source: str, tmp_path: Path) -> None:
    """In pieces: all at once, each of 150,000 matches looks to the end."""
    text = "y" * 150_000
    path = write(tmp_path / "run.jsonl", [row(0, 0, 1.0, response=response(message(text)))])
    assert LinearPattern(source).counts([text, "y", ""]) == [len(text), 1, 0]
    assert "150,000 matches in 1 rollout" in blade("grep", source, path, "--no-keep", "--no-cache").stdout


@pytest.mark.parametrize(
    ("source", "text", "matches"),
    [
        (r"\d+", "a line with 12 and 7\n" * 3_000, 6_000),
        ("^a.*", "a line\n" * 3_000, 1),
        ("(?m)^a.*$", "a line\n" * 3_000, 3_000),
        (r"a.*\z", "a line\n" * 3_000, 0),
        (r"b\s+a", f"{'x' * 3_999}b\na{'x' * 9_000}", 1),
        ("(?s)b.*a", f"{'x' * 3_999}b\n{'x' * 9_000}a", 1),
        ("x+", "x" * 100_000, 1),
        ("a|", "ba", 2),
    ],
)
def test_matches_in_long_texts_are_those_of_the_whole(source: str, text: str, matches: int) -> None:
    assert LinearPattern(source).counts(["", text, "", text]) == [int(source == "a|"), matches] * 2


def test_a_condition_is_a_path_a_sign_and_a_value() -> None:
    conditions = [condition(text) for text in ("a.b >= 3", "a in [x, y]", "a==1", " in in [in] ", "a ~ ^x+$", "plain")]
    assert [one.sign for one in conditions] == [">=", "in", "==", "in", "~", ""]
    assert [one.holds({"a": "xx", "in": "in", "plain": 1}) for one in conditions] == [
        *(False, False, False, True, True, True),
    ]


def test_matches_are_counted_and_the_first_has_its_place() -> None:
    pattern = LinearPattern("b+|é", ignore_case=True)
    assert pattern.counts(["aBbaB", "", "É"]) == [2, 0, 1]
    text = "\U0001f600é\ud800 BB"
    assert (pattern.first(text), text[slice(*LinearPattern("B+").first(text))]) == ((1, 2), "BB")
    assert (pattern.holds("xb"), pattern.holds("x"), pattern.fullmatch("bB"), pattern.fullmatch("bBa")) == (
        *(True, False, True, False),
    )
    assert LinearPattern("a|ab").fullmatch("ab")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("(", "unclosed group"),
        ("(?=a)a", "look-around, including look-ahead and look-behind, is not supported"),
        (r"(a)\1", "backreferences are not supported"),
        ("(a{1000}){1000}", "Compiled regex exceeds size limit of 10485760 bytes"),
        ("\ud800", "half of a character stands in it"),
    ],
)
def test_what_is_no_pattern_is_refused_with_the_reason(source: str, reason: str) -> None:
    with pytest.raises(PatternError) as error:
        LinearPattern(source)
    assert str(error.value) == reason
