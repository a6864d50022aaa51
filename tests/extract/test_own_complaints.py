"""An answer that begins with the tool's own name and denies what was asked for tells of a failed call."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import attempt, call

from blade.extract.failure import failure, own_complaint


def problem_of(tool: str, answer: str) -> str | None:
    (made,) = attempt(call(tool, {"ref": "x"}, answer)).calls
    assert made.failed is (made.problem is not None)
    return made.problem


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("open_doc", "open_doc: 'x' is not a ref"),
        ("find_docs", "find_docs: 502 from shard-3, try later"),
        ("find_docs", "find_docs: shard-3 is busy, try again"),
        ("find_docs", "find_docs: shard-3 is busy, try later"),
        ("find_docs", "find_docs: shard-3 answers 429"),
        ("find_docs", "find_docs: status 404"),
        ("find_docs", "find_docs: no such shelf"),
        ("find_docs", "find_docs: nothing under that name"),
        ("find_docs", "find_docs: none of the shards answers"),
        ("open_doc", "open_doc: cannot follow ref x"),
        ("open_doc", "open_doc: can't follow ref x"),
        ("open_doc", "open_doc: unable to follow ref x"),
        ("open_doc", "open_doc: read of x failed"),
        ("open_doc", "open_doc: an ERROR while reading x"),
        ("open_doc", "open_doc: x is INVALID"),
        ("open_doc", "open_doc: ref x is unknown"),
        ("open_doc", "open_doc: the page is missing"),
        ("open_doc", "open_doc: the reader refused x"),
        ("open_doc", "open_doc: access to x denied"),
        ("open_doc", "open_doc: the shelf is unavailable"),
        ("open_doc", "open_doc: quota exhausted"),
        ("open_doc", "open_doc: the reader timed out"),
        ("open_doc", "open_doc: x was withdrawn"),
        ("open_doc", "open_doc: x was rejected"),
        ("open_doc", "open_doc: page 2 is forbidden"),
        ("open_doc", "open_doc: the session has expired"),
        ("open_doc", "open_doc: form of x unsupported"),
    ],
)
def test_the_whole_line_is_the_problem(tool: str, answer: str) -> None:
    assert failure(answer) is None, "nothing but the tool's own name tells"
    assert problem_of(tool, answer) == answer
    assert problem_of(tool, f"{answer}\n") == answer


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("search", "search: 3 results"),
        ("search", "search: the notice of Tuesday"),  # no whole word of a refusal
        ("search", "search: 1502 pages, 15 of 4040"),  # such figures inside others
        ("search", "search: 200 from shard-3"),
        ("search", "search: page 12 is not a ref\nsearch: page 13 is a ref"),
        ("open_doc", "find_docs: 'x' is not a ref"),
        ("open_doc", "open_docs: 'x' is not a ref"),
        ("open_doc", "open_doc 'x' is not a ref"),
        ("open_doc", "the open_doc: 'x' is not a ref"),
        ("open_doc", "'x' is not a ref"),
        ("not", "not: a ref of 7 pages"),  # the name itself denies nothing
    ],
)
def test_results_several_lines_and_the_names_of_other_tools_are_none(tool: str, answer: str) -> None:
    assert problem_of(tool, answer) is None


@pytest.mark.parametrize(("length", "is_problem"), [(400, True), (401, False)])
def test_a_long_line_is_a_document(length: int, *, is_problem: bool) -> None:
    end = " is not a ref"
    line = "open_doc: " + "x" * (length - len("open_doc: ") - len(end)) + end
    assert len(line) == length
    assert problem_of("open_doc", line) == (line if is_problem else None)
    assert own_complaint(f"  {line}\n") == (line if is_problem else None)


def test_what_any_tool_calls_a_failure_keeps_its_own_words() -> None:
    assert problem_of("open_doc", '{"error": "x is not a ref"}') == "x is not a ref"
    assert problem_of("cat", "cat: x: No such file or directory\nopen_doc: y") == "cat: x: No such file or directory"


def test_the_last_answer_of_a_call_decides() -> None:
    answers = ("open_doc: 'x' is not a ref", "open_doc: 7 pages")
    items = [*call("open_doc", {"ref": "x"}, answers[0]), call("open_doc", {"ref": "x"}, answers[1])[1]]
    (made,) = attempt(items).calls
    assert [answer.problem for answer in made.answers] == [answers[0], None]
    assert not made.failed
