"""Placeholders left in arguments."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.placeholder_arg import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("send", {"to": "<recipient email>"}, "Error: bad address")), "send.to"),
        (attempt(call("open_file", {"path": "/path/to/report.txt"}, "Error: no such file")), "open_file.path"),
        (attempt(call("login", {"auth": {"key": "YOUR_API_KEY"}}, "Error: denied")), "login.auth.key"),
        (attempt(call("mail", {"to": "ann@example.com"}, "sent"), prompt="Write to Ann."), "mail.to"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(call("mail", {"to": "ann@example.com"}, "sent"), prompt="Write to ann@example.com."), CLEAN),
        (attempt(call("who", {}, "bob@example.org"), call("mail", {"to": "bob@example.org"}, "sent")), CLEAN),
        (attempt(call("write", {"text": "<b>bold</b> words and <i>others</i> for the page"}, "ok")), CLEAN),
        (attempt(call("add", {"sum": 3}, "ok")), CLEAN),
        (attempt(call("open", {"path": "path/to/x"}, "Error: no"), call("open", {"path": "x"}, "text")), GUARDED),
        (attempt(call("look", {}, "ok")), NOT_APPLICABLE),
        (attempt(call("mail", {"to": "ann@example.com"}, "sent"), prompt=""), NOT_APPLICABLE),
        (attempt(say("Replace YOUR_API_KEY.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state


@pytest.mark.parametrize(
    "written", [r'{"to": "\u003cuser name\u003e"}', r'{"to": "path\/to\/file"}', '{"to": ["[the id]"]}']
)
def test_one_that_is_escaped_or_in_a_list_fires(written: str) -> None:
    assert detect(attempt(call("send", written, "ok"), prompt="Send it.")).state is FIRED
