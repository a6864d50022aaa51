"""JSON that stands in texts: parsed where it is JSON, left alone where it is none."""

from __future__ import annotations

from typing import Any

import pytest

from blade.translate.documents import json_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2]}', {"a": [1, 2]}),
        ('  \n[1, "x"]', [1, "x"]),
        ("-3.5", -3.5),
        ("true", True),
        ("null", None),
        ('"said"', "said"),
        ('{"a": NaN}', {"a": pytest.approx(float("nan"), nan_ok=True)}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('{"prompt_token_ids": [1, 2, 3], "b": 2}', {"prompt_token_ids": [], "b": 2}),
    ],
)
def test_json_in_a_text_is_parsed(text: str, value: Any) -> None:
    assert json_value(text) == value


@pytest.mark.parametrize("text", ["", "  ", "The answer is 4.", "{broken", "[1, 2", "nobody", "12 apples", "\ud800"])
def test_what_is_no_json_stays_as_it_is(text: str) -> None:
    assert json_value(text) == text
    assert json_value(7) == 7
