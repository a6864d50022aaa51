"""The two findings people expect first: a name never looked up, and a filter applied in the head.

Each is planted in three manners, in worlds whose tools, fields and people are called differently.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import blade
from blade.simulate import Scenario, cause, write_run

WORLDS: list[dict[str, str]] = [
    {},
    {
        "directory_find": "contacts_lookup",
        "members_search": "crm_search_customers",
        "shifts_search": "roster_list",
        "bookings_search": "calendar_search_events",
        "invoices_search": "ledger_query",
        "member_set_owner": "crm_update_customer",
        "staff_email": "assignee_email",
        "date_from": "time_min",
        "date_to": "time_max",
        "alder-yard.example": "corp.test",
    },
    {
        "directory_find": "find_employee",
        "members_search": "list_accounts",
        "shifts_search": "get_shifts",
        "bookings_search": "get_bookings",
        "invoices_search": "fetch_bills",
        "shift_assign": "reassign_shift",
        "date_from": "start_date",
        "date_to": "end_date",
        "Ticket": "Request",
    },
]
LOOK_UPS = ["directory_find", "contacts_lookup", "find_employee"]
FILTERS = ["date_from", "time_min", "start_date"]


def reworded(path: Path, world: dict[str, str]) -> Path:
    """The same run with other names for tools, arguments and addresses."""
    for file in path.parent.glob("*.jsonl"):
        text = file.read_text()
        for old, new in world.items():
            text = text.replace(old, new)
        file.write_text(text)
    return path


def planted(name: str, wording: int, share: float, folder: Path, *, told: bool = True) -> blade.Analysis:
    """A run with the cause; with `told`, its inputs list the actions that were expected."""
    scenario = Scenario(
        tasks=24, repeats=4, seed=7 + wording, skill=5, causes=(cause(name, share=share, wording=wording),)
    )
    path = reworded(write_run(scenario, folder), WORLDS[wording])
    if not told:
        (folder / "rollouts_materialized_inputs.jsonl").unlink()
    return blade.analyze(path, options=blade.Options(cache=False))


@pytest.mark.parametrize("wording", range(3))
def test_a_never_pass_story_names_the_person_and_the_look_up_that_was_not_made(wording: int, tmp_path: Path) -> None:
    analysis = planted("unresolved_name", wording, 1.0, tmp_path)
    stories = [story for story in analysis.stories if story["bucket"] == "never"]
    assert stories
    assert {story["mode"] for story in stories} == {"unresolved_entity"}
    text = blade.render(blade.report(analysis))
    for story in stories:
        person = story["wrong"]["statement"].split("name '")[1].split("'")[0]
        assert person in story["asked"]
        assert f"'{LOOK_UPS[wording]}' was never asked" in story["wrong"]["statement"]
        assert person in text.split(f"### {story['task']}:")[1].split("###")[0]
    (mode,) = (mode for mode in analysis.modes if mode.id == "unresolved_entity")
    assert next(iter(mode.runs.values()))["tasks"] == 8


@pytest.mark.parametrize("wording", range(3))
def test_a_sometimes_pass_story_names_the_filter_that_was_not_used(wording: int, tmp_path: Path) -> None:
    analysis = planted("head_filter", wording, 0.4, tmp_path)
    stories = [story for story in analysis.stories if story["bucket"] == "sometimes"]
    text = blade.render(blade.report(analysis))
    assert len(stories) >= 4
    for story in stories:
        told = [story["wrong"]["statement"], *(item["statement"] for item in story["also"])]
        (missed,) = (one for one in told if f"without '{FILTERS[wording]}'" in one)
        assert missed in text.split(f"### {story['task']}:")[1].split("###")[0]
        assert (story["mode"], story["parts"]["kind"]) == ("missing_action", "missing")
    (found,) = analysis.contrasts
    assert "rule manual_filter" in {item["feature"] for item in found["features"] if item["named"]}


@pytest.mark.parametrize("wording", range(3))
def test_where_nobody_says_what_was_expected_the_filter_is_the_mode(wording: int, tmp_path: Path) -> None:
    analysis = planted("head_filter", wording, 0.4, tmp_path, told=False)
    stories = [story for story in analysis.stories if story["bucket"] == "sometimes"]
    named = [story for story in stories if story["mode"] == "manual_filter"]
    assert len(named) >= len(stories) - 1
    assert all(f"without '{FILTERS[wording]}'" in story["wrong"]["statement"] for story in named)
