"""Refusals of databases, gateways and services are told from their first words, their pages and their records."""

from __future__ import annotations

import json

import pytest
from tests.gym_rows import Json
from tests.questions.made_cases import called, said, task_row

from blade.extract.attempt import Attempt
from blade.extract.failure import failure
from blade.extract.formal_errors import formal_error, refusing_record


@pytest.mark.parametrize(
    "text",
    [
        "E4012: jar 7 not found",
        "LID-204 - unknown lid",
        "AB-C12: the shelf is locked",
        "KO: the lid is gone",
        "NACK - another clerk has the jar",
        "REJECTED: the shelf is full",
        "BUSY! ask again later",
        "UNAVAILABLE \u2014 the cellar is closed",
        "ECONNREFUSED 10.0.0.7:5432",
        "ENOENT: jars.txt",
        "ORA-00942: table or view does not exist",
        "SQLSTATE[42S02]: base table",
        "Msg 208, Level 16, State 1, Line 3",
        "(sqlite3.OperationalError) no such column: lid",
        "(psycopg2.errors.UndefinedTable) relation jars",
        "no such table: jars",
        "ambiguous column name: lid",
        "misuse of aggregate: sum()",
        'near "FORM": syntax error',
        "upstream connect error or disconnect/reset before headers",
        "no healthy upstream",
        "gateway: 504 no answer from the cellar after 30.0s",
        "504 upstream: no answer within 30 s",
        "502 Bad Gateway",
        "request 7c-2 timed out after 30000 ms, state of the operation unknown",
        "Database error: the jar table is gone",
        "Cellar Service ERROR: closed",
        "Query error 17: bad lid",
        "Parser error (lids.sql): bad lid",
        "Parser error at line 3: bad lid",
        "Lid storage exception: the shelf fell",
    ],
)
def test_the_first_words_of_a_refusal_are_its_message(text: str) -> None:
    assert failure(text) == text
    assert formal_error(f"  {text}  \njar 1\njar 2") == text, "what stands below is no part of the message"


def test_a_head_line_that_ends_with_a_colon_is_told_with_the_line_below() -> None:
    assert failure("Database error:\nthe jar table is gone\nat row 3") == "Database error: the jar table is gone"


@pytest.mark.parametrize(
    "text",
    [
        "CS101: Intro to Databases",
        "CS 101 - Databases",
        "E4012: 3 jars on shelf 7",
        "KO",
        "KOALA: a bear",
        "The code E4012: jar not found",
        "Rejected: 3 of 40 jars",
        "BUSYNESS of the shelf",
        "Mean squared error: 0.32",
        "Mean squared error: 0.32 over 40 jars",
        "Standard error: small",
        "Margin of error: 3 points",
        "Jar lid error: -1,204.5%",
        "Jar lid error rate: none",
        "An error: what is it?",
        "No error: all jars closed",
        "Jars without error: 7",
        "no such jar: 7",
        "near the shelf: syntax error",
        "EPIPELAGIC: the upper sea",
    ],
)
def test_titles_results_and_words_of_the_work_are_no_refusal(text: str) -> None:
    assert formal_error(text) is None
    assert failure(text) is None


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("<html><head><title>502 Bad Gateway</title></head><body>proxy</body></html>", "502 Bad Gateway"),
        ("<!DOCTYPE html>\n<html>\n<body><h1>404 Not Found</h1></body>", "404 Not Found"),
        ("<html><title> HTTP Error 503 - no worker</title>", "HTTP Error 503 - no worker"),
        ("<html><head><title>All 404 jars</title></head>", None),
        ("<html><head><title>Jars</title></head><body><h1>Error: lids</h1>", None),
        ("The page said <title>502 Bad Gateway</title>", None),
    ],
)
def test_a_page_is_a_refusal_where_its_title_is(page: str, told: str | None) -> None:
    assert failure(page) == told


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"fault": "the lid is gone", "jar": 7}, "the lid is gone"),
        ({"err": {"lid": "gone"}}, "{'lid': 'gone'}"),
        ({"errorCode": 12, "message": "the lid is gone"}, "12: the lid is gone"),
        ({"error_message": "the lid is gone", "rows": [], "page": 1, "pages": 0, "size": 20}, "the lid is gone"),
        ({"faultString": "the lid is gone", "message": "the lid is gone"}, "the lid is gone"),
        ({"code": "E4012", "message": "the lid is gone"}, "E4012: the lid is gone"),
        ({"code": "E4012", "description": "unknown lid"}, "E4012: unknown lid"),
        ({"code": -32601, "message": "the lid is gone"}, "-32601: the lid is gone"),
        ({"status": 404, "detail": "the lid is gone"}, "404: the lid is gone"),
        ({"statusCode": "503", "reason": "the lid is gone"}, "503: the lid is gone"),
        ({"status": "rejected", "reason": "the lid is gone"}, "rejected: the lid is gone"),
        ({"outcome": "Denied", "hint": "ask the clerk"}, "Denied: ask the clerk"),
        ({"type": "timeout", "msg": "the clerk was slow"}, "timeout: the clerk was slow"),
    ],
)
def test_a_record_that_is_nothing_but_an_error(record: Json, told: str) -> None:
    assert refusing_record(record) == told
    assert failure(json.dumps(record)) == told
    assert failure(json.dumps({"output": record})) == told, "as well inside a harness's own record"


@pytest.mark.parametrize(
    "record",
    [
        {"fault": "", "jar": 7},
        {"fault": None, "jar": 7},
        {"fault": "None", "jar": 7},
        {"fault": False, "jar": 7},
        {"fault": {}, "jar": 7},
        {"errorCode": 0, "message": "all jars closed"},
        {"error_code": "0", "errorMessage": "ok"},
        {"status": "rejected", "reason": "too late", "jar": 7, "clerk": "Ann", "shelf": 3},
        {"status": "rejected", "jar": 7},
        {"status": "rejected", "reason": "  "},
        {"status": "open", "reason": "it is noon"},
        {"code": 200, "message": "all jars closed"},
        {"code": "CS101", "description": "Intro to Databases"},
        {"code": "LID", "message": "all jars closed"},
        {"type": "E4012", "message": "all jars closed"},
        {"status": True, "message": "all jars closed"},
    ],
)
def test_a_record_of_the_work_is_no_refusal(record: Json) -> None:
    assert refusing_record(record) is None
    assert failure(json.dumps(record)) is None


def test_the_call_that_is_answered_so_has_failed_and_no_other() -> None:
    answers = ("KO: the lid is gone", {"fault": "", "jar": 7}, {"status": 404, "detail": "no jar"}, "CS101: Databases")
    parts = [called("open_jar", {"jar": place}, answer) for place, answer in enumerate(answers)]
    attempt = Attempt(task_row(1, *parts, said("Done."), passed=False))
    assert [call.failed for call in attempt.calls] == [True, False, True, False]
    assert [call.problem for call in attempt.failed] == ["KO: the lid is gone", "404: no jar"]
