"""Attachments that are not there."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say, tool

from blade.detectors.missing_attachment import detect
from blade.findings import State

PARTS = [
    {"type": "input_text", "text": "Look at the image."},
    {"type": "input_image", "image_url": "data:image/png;base64,AA"},
]


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), prompt="Describe the attached image."), "image"),
        (attempt(say("x"), prompt="Based on the chart, which year was best?"), "chart"),
        (attempt(say("x"), prompt="The file is attached: what does it say?"), "attached"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("x"), prompt="How many legs has a spider?"), CLEAN),
        (attempt(say("x"), prompt="Describe the attached image.", image_path="a.png"), CLEAN),
        (attempt(say("x"), prompt="Describe the attached image: https://some.place.example/a.png"), CLEAN),
        (attempt(say("x"), prompt="Describe the attached image.", tools=[tool("look")]), NOT_APPLICABLE),
        (Attempt({"responses_create_params": {"input": [{"role": "user", "content": PARTS}]}, "reward": 0}), CLEAN),
        (Attempt({"reward": 0}), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
