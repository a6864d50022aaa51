"""A small office, written by hand: five tasks, four attempts each, and the two findings that are expected of it.

One task never passes: a person's address is made up, so that the wrong records are found and handed over. One passes
three times out of four: once the dates are read by eye instead of asked for, and the last day is lost. Three pass.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.detectors.attempts import Item, call, say, think, tool
from tests.gym_rows import ABSENT, Json, row, write

TOOLS = [
    tool("staff_find", ["name"], "Finds a colleague's email address by name.", name="string"),
    tool("leads_search", [], "Lists leads.", owner_email="string", stage="string", region="string"),
    tool(
        "lead_assign",
        ["lead_id", "owner_email"],
        "Gives a lead to a colleague.",
        lead_id="string",
        owner_email="string",
    ),
    tool("visits_search", [], "Lists visits.", client="string", date_from="string", date_to="string"),
    tool("visit_cancel", ["visit_id"], "Cancels a visit.", visit_id="string"),
]
HAND_OVER = "Hand all leads of Maren Holt over to Tobias Kern."
CANCEL = "Cancel the visits to Copper Lane from 2031-04-03 to 2031-04-17, both days included."
DAYS = {
    "V-101": "2031-03-30",
    "V-102": "2031-04-03",
    "V-103": "2031-04-10",
    "V-104": "2031-04-17",
    "V-105": "2031-04-21",
}
INSIDE = ["V-102", "V-103", "V-104"]
KERN = "t.kern@lantern.example"


def visits(names: list[str]) -> dict[str, Any]:
    return {"visits": [{"visit_id": name, "client": "Copper Lane", "day": DAYS[name]} for name in names]}


def rollout(
    task: int, attempt: int, reward: float, asked: str, expected: list[Json], *items: Item | list[Item]
) -> Json:
    output = [inner for item in items for inner in (item if isinstance(item, list) else [item])]
    request = {"input": [{"role": "user", "content": asked}], "tools": TOOLS, "temperature": 0.7}
    response = {"id": "r", "model": "office-model", "output": output, "status": "completed"}
    beside = {"expected_answer": ABSENT, "extracted_answer": ABSENT, "ground_truth": expected}
    return row(task, attempt, reward, responses_create_params=request, response=response, **beside)


def handed_over(attempt: int) -> Json:
    """The address of the old owner is made up: the search finds somebody else's leads, and those are handed over."""
    expected = [
        {"name": "lead_assign", "arguments": {"lead_id": name, "owner_email": KERN}} for name in ("L-21", "L-22")
    ]
    found = {"leads": [{"lead_id": name, "company": f"Firm {name}"} for name in ("L-11", "L-12")]}
    return rollout(
        0,
        attempt,
        0.0,
        HAND_OVER,
        expected,
        call("staff_find", {"name": "Tobias Kern"}, {"email": KERN}),
        call("leads_search", {"owner_email": "maren.holt@lantern.example"}, found),
        *(call("lead_assign", {"lead_id": name, "owner_email": KERN}, "assigned") for name in ("L-11", "L-12")),
        say("Both leads of Maren Holt now belong to Tobias Kern."),
    )


def cancelled(attempt: int) -> Json:
    """Attempt 2 leaves the dates out of the query, reads the list by eye and drops the visit on the last day."""
    expected = [{"name": "visit_cancel", "arguments": {"visit_id": name}} for name in INSIDE]
    by_eye = attempt == 2
    asked = (
        {"client": "Copper Lane"}
        if by_eye
        else {"client": "Copper Lane", "date_from": "2031-04-03", "date_to": "2031-04-17"}
    )
    picked = INSIDE[:2] if by_eye else INSIDE
    words = [think("Only the visits between 2031-04-03 and 2031-04-17 count: V-102 and V-103.")] if by_eye else []
    return rollout(
        1,
        attempt,
        float(not by_eye),
        CANCEL,
        expected,
        call("visits_search", asked, visits(list(DAYS) if by_eye else INSIDE)),
        *words,
        *(call("visit_cancel", {"visit_id": name}, "cancelled") for name in picked),
        say(f"{len(picked)} visits are cancelled."),
    )


def easy(task: int, attempt: int) -> Json:
    """A task that always passes."""
    visit = f"V-{200 + task}"
    expected = [{"name": "visit_cancel", "arguments": {"visit_id": visit}}]
    done = call("visit_cancel", {"visit_id": visit}, "cancelled")
    return rollout(task, attempt, 1.0, f"Cancel the visit {visit}.", expected, done, say(f"{visit} is cancelled."))


def seed_run(folder: Path) -> Path:
    """The run on disk."""
    rows = [made(attempt) for made in (handed_over, cancelled) for attempt in range(4)]
    rows += [easy(task, attempt) for task in (2, 3, 4) for attempt in range(4)]
    return write(folder / "rollouts.jsonl", rows)
