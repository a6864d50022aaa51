"""A record behind a line of notice is read as a record, and the code of a refusal comes with what it means."""

from __future__ import annotations

import json

import pytest

from blade.extract.failure import failure

WHY = "booking core unreachable"


def refused(**fields: object) -> str:
    return json.dumps(fields)


@pytest.mark.parametrize("key", ["refused", "rejected", "denied", "refusal", "rejection"])
@pytest.mark.parametrize("meaning", ["why", "reason", "message", "detail", "explanation", "hint", "text"])
def test_a_code_comes_with_its_meaning(key: str, meaning: str) -> None:
    assert failure(refused(**{key: "CORE-503", meaning: WHY})) == f"CORE-503: {WHY}"


def test_of_several_meanings_the_first_kind_that_says_something_is_told() -> None:
    assert failure(refused(refused="CORE-503", message="ask later", why=WHY)) == f"CORE-503: {WHY}"
    assert failure(refused(refused="CORE-503", why="", message="ask later")) == "CORE-503: ask later"
    assert failure(refused(refused="CORE-503", why=503, reason="ask later")) == "CORE-503: ask later"


@pytest.mark.parametrize(
    "record",
    [
        {"refused": "CORE-503"},
        {"refused": "CORE-503", "why": ""},
        {"refused": "CORE-503", "why": None},
        {"refused": "CORE-503", "why": 503},
        {"refused": "CORE-503", "remark": WHY},
    ],
)
def test_a_code_without_a_meaning_stands_alone(record: dict[str, object]) -> None:
    assert failure(json.dumps(record)) == "CORE-503"


@pytest.mark.parametrize("reason", ["we are closed today", "C" * 41])
def test_what_is_no_code_needs_no_meaning(reason: str) -> None:
    assert failure(refused(refused=reason, why=WHY)) == reason
    assert failure(refused(refused="C" * 40, why=WHY)) == f"{'C' * 40}: {WHY}"


def test_an_error_is_told_as_it_stands() -> None:
    assert failure(refused(error="CORE-503", why=WHY)) == "CORE-503"


@pytest.mark.parametrize("notice", ["Notice: the answer was cached", "Notice: cached\nasked at the north desk", "…"])
@pytest.mark.parametrize("pretty", [None, 2])
def test_a_record_behind_a_notice_is_read(notice: str, pretty: int | None) -> None:
    record = json.dumps({"refused": "CORE-503", "why": WHY}, indent=pretty)
    assert failure(f"{notice}\n{record}") == f"CORE-503: {WHY}"
    assert failure(f"{notice}\n{record}\n") == f"CORE-503: {WHY}"
    assert failure(f"{notice}\n{json.dumps({'ok': True, 'jars': 4}, indent=pretty)}") is None
    assert failure(f'{notice}\n{{"ok": false}}') == "ok is false"


@pytest.mark.parametrize(
    "text",
    [
        'one\ntwo\nthree\n{"error": "no lid"}',
        'Notice: cached\n{"error": "no lid"} and so on',
        'Notice: cached\n{"error": "no lid"',
        'Notice: cached\n["error", {"error": "no lid"}]',
        'Notice: cached {"error": "no lid"}',
        "x" * 400 + '\n{"error": "no lid"}',
    ],
    ids=["three lines", "words behind it", "cut", "a list", "one line", "far down"],
)
def test_anything_else_behind_words_is_text(text: str) -> None:
    assert failure(text) is None


def test_a_record_of_many_characters_behind_a_notice_is_not_parsed() -> None:
    def behind(length: int) -> str:
        start = '{"error": "no lid", "log": "'
        return "Notice: cached\n" + start + "x" * (length - len(start) - 2) + '"}'

    assert failure(behind(20_000)) == "no lid"
    assert failure(behind(20_001)) is None


def test_two_records_in_two_lines_are_no_notice_and_record() -> None:
    assert failure('{"jars": 4}\n{"error": "no lid"}') is None
