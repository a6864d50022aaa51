"""Where a field holds the bare class of an error, the message beside it is told and quoted."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import response, row

from blade.detectors import sandbox_failure
from blade.extract.attempt import Attempt
from blade.findings import State

MESSAGE = "the image box:3 could not be pulled, manifest unknown"


@pytest.mark.parametrize(
    ("fields", "quote"),
    [
        ({"error_type": "SandboxError", "error_message": MESSAGE}, MESSAGE),
        ({"error_type": "SandboxError", "note": MESSAGE}, "SandboxError"),
        ({"error_type": "SandboxError", "error_message": "SandboxError"}, "SandboxError"),
    ],
    ids=["a message", "another field", "no message"],
)
def test_the_message_is_quoted_before_the_class(fields: dict[str, Any], quote: str) -> None:
    sighting = sandbox_failure.detect(Attempt(row(0, 0, 0.0, response=response(), **fields)))
    assert sighting.state is State.FIRED
    assert sighting.cites[0].quote == quote
    assert sighting.value == "SandboxError"
    assert ("error_message: " + MESSAGE in sighting.detail) == (quote == MESSAGE)
