"""Tools that are refused access."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.access_denied import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("fetch", {}, "Error: 403 Client Error: Forbidden for url")), "fetch"),
        (attempt(call("api", {}, {"error": "HTTP 401: bad token"})), "api"),
        (attempt(call("open_page", {}, "Please verify you are human to go on")), "open_page"),
        (attempt(call("open_page", {}, "." * 80 + "verify that you are a human")), "open_page"),
        (attempt(call("open_page", {}, "## Access Denied")), "open_page"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)
    assert seen.cites


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(call("fetch", {"u": 1}, "Error: 403 Forbidden"), call("fetch", {"u": 2}, "a page")), GUARDED),
        (attempt(call("cancel", {}, {"error": "This ticket cannot be cancelled"})), CLEAN),
        (attempt(call("read", {}, "Chapter 3: what 403 Forbidden and captcha pages mean")), CLEAN),
        (attempt(call("fetch", {}, "Error: 404 not found")), CLEAN),
        (attempt(call("open_page", {}, "." * 81 + "verify that you are a human")), CLEAN),
        (attempt(say("Access denied")), NOT_APPLICABLE),
        (attempt(call("fetch", {})), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
