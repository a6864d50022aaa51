"""Work that stops before it is done."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import (
    CLEAN,
    FIRED,
    NOT_APPLICABLE,
    Attempt,
    attempt,
    call,
    proved,
    say,
    tool,
)

from blade.detectors.premature_stop import detect
from blade.findings import State

LOOK = tool("look_up")
PLAN = {"plan": [{"step": "read the log", "status": "completed"}, {"step": "fix the bug", "status": "pending"}]}
WRITE = call("bash", {"command": "echo 1 > draft.txt"}, "")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("The log is long. Let me search for the error."), tools=[LOOK]), "announced action"),
        (attempt(call("look_up", {}, "x"), say("Found it.\n\nNow I'll update the record:")), "announced action"),
        (attempt(call("update_plan", PLAN, "ok"), say("Here is a summary.")), "own plan"),
        (attempt(WRITE, say("Ready."), prompt="Write the totals to out/report.csv."), "asked file"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("It is done. Let me know if you need more."), tools=[LOOK]), CLEAN),
        (attempt(say("I will book it once you confirm."), tools=[LOOK]), CLEAN),
        (attempt(say("I'll check that for you."), tools=[LOOK]), CLEAN),
        (attempt(call("update_plan", {"plan": [{"step": "a", "status": "completed"}]}, "ok"), say("Done.")), CLEAN),
        (
            attempt(
                call("bash", {"command": "echo 1 > out/report.csv"}, ""),
                say("Ready."),
                prompt="Save it to out/report.csv.",
            ),
            CLEAN,
        ),
        (attempt(say("Let me search for it.")), NOT_APPLICABLE),
        (attempt(say("Let me search for it."), tools=[LOOK], response={"status": "incomplete"}), NOT_APPLICABLE),
        (attempt(say("Let me search for it."), tools=[LOOK], turns_used=8, max_turns=10), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
