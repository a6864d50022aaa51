"""A judge that answers with the page of a broken server, or with nothing at all, gave no verdict."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import row

from blade.extract.attempt import Attempt

PAGE = "<html><head><title>502 Bad Gateway</title></head><body>upstream closed</body></html>"


@pytest.mark.parametrize(
    ("judge", "claims"),
    [
        ({"raw": PAGE, "in_tok": 0}, [f"infrastructure|soft|grading.judge.raw|{PAGE}"]),
        ({"reply": "503 Service Unavailable"}, ["infrastructure|soft|grading.judge.reply|503 Service Unavailable"]),
        ({"raw": "", "in_tok": 0, "out_tok": 0}, ["infrastructure|soft|grading.judge.in_tok|0"]),
        ({"raw": "", "in_tok": 41, "out_tok": 0}, []),
        ({"raw": ""}, []),
        ({"raw": "It names 502 jars and the gateway."}, []),
        ({"name": "502 Bad Gateway"}, []),
    ],
)
def test_replies_of_a_judge_that_are_none(judge: dict[str, Any], claims: list[str]) -> None:
    assert Attempt(row(3, reward=0.0, grading={"judge": judge})).signals == claims


def test_what_the_model_writes_is_no_reply_of_a_judge() -> None:
    assert Attempt(row(3, reward=0.0, answer={"raw": PAGE})).signals == []
