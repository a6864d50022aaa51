"""Sampling settings that only the response names are settings of the run."""

from __future__ import annotations

import json

from tests.gym_rows import message, request, response, row

from blade.extract.fields import short_fields
from blade.extract.row import identity_facts


def _sampling(asked: float | None, **answered: object) -> dict[str, object]:
    made = row(
        responses_create_params=request("What is it?", temperature=asked),
        response=response(message("One."), **answered),
    )
    text = identity_facts(made, short_fields(made))["sampling"]
    return json.loads(text) if text else {}


def test_what_only_the_response_names_is_read() -> None:
    assert _sampling(None, temperature=0.7, top_p=None) == {"temperature": 0.7}
    assert _sampling(None, max_output_tokens=900, reasoning={"effort": "high"}) == {
        "max_output_tokens": 900,
        "reasoning.effort": "high",
    }


def test_the_request_is_believed_first_and_odd_values_are_left_out() -> None:
    assert _sampling(0.2, temperature=0.7) == {"temperature": 0.2}
    assert _sampling(None, temperature={"of": 1}, reasoning="high") == {}
