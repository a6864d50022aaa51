"""The two findings people expect first: a name never looked up, and a filter applied in the head.

They stand in a small run written by hand, five tasks of four attempts; and each is planted in three manners, in worlds
whose tools, fields and people are called differently.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.seed_run import seed_run

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
LOOK_UP = "Ask in the prompt, or in the tools' descriptions, that a name be looked up before its address or id is used"
IN_THE_QUERY = (
    "Ask in the prompt, or in the tool's description, that records be filtered in the query and not by reading them"
)
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


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> blade.Analysis:
    return blade.analyze(seed_run(tmp_path_factory.mktemp("office")), options=blade.Options(cache=False))


def test_five_tasks_are_enough_for_the_two_fixes(office: blade.Analysis) -> None:
    assert [(item.change, item.kind, item.tasks, item.rollouts) for item in office.interventions] == [
        (LOOK_UP, "prompt", ("0",), 4),
        (IN_THE_QUERY, "prompt", ("1",), 1),
    ]
    assert {item.points for item in office.interventions} == {None}
    assert [item.named for item in office.interventions] == [
        (("argument", "leads_search.owner_email", 4),),
        (("argument", "visits_search.date_from", 1),),
    ]
    text = blade.render(blade.report(office))
    assert "No change is proposed" not in text
    told = text.split("## Recommendations")[1]
    assert f"- {LOOK_UP}: 4 rollouts of 1 task (made-up address instead of a look-up" in told
    assert f"- {IN_THE_QUERY}: 1 rollout of 1 task (records filtered by hand instead of in the query" in told
    assert told.count("No estimate of points (fewer than 8 tasks are hit).") == 2
    assert "Together these changes cover all 5 failing rollouts" in told


def test_the_stories_of_five_tasks_tell_what_went_wrong_and_what_to_change(office: blade.Analysis) -> None:
    never, sometimes = sorted(office.stories, key=lambda story: str(story["bucket"]))
    assert (never["task"], never["mode"], never["agree"], never["failed"]) == ("0", "unresolved_entity", 4, 4)
    assert "owner_email 'maren.holt@lantern.example', made up from the name 'Maren Holt'" in never["wrong"]["statement"]
    assert never["fix"] == f"{LOOK_UP}."
    assert (sometimes["task"], sometimes["mode"], sometimes["passes"], sometimes["fail"]) == (
        "1",
        "manual_filter",
        3,
        2,
    )
    assert sometimes["wrong"]["statement"] == (
        "calls 'visits_search' without 'date_from' and 'date_to', which passing attempts give, "
        "then picks among 5 records in its own words and leaves out 'V-104'"
    )
    assert [item["detector"] for item in sometimes["also"]] == ["missing_action"]
    assert sometimes["fix"] == f"{IN_THE_QUERY}."


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
        assert f"'{LOOK_UPS[wording]}' was asked for others, never for this name" in story["wrong"]["statement"]
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
        missed = story["wrong"]["statement"]
        assert f"without '{FILTERS[wording]}'" in missed
        assert "which passing attempts give" in missed
        assert missed in text.split(f"### {story['task']}:")[1].split("###")[0]
        assert (story["mode"], story["parts"]["kind"]) == ("manual_filter", "missing")
    (found,) = analysis.contrasts
    assert "rule manual_filter" in {item["feature"] for item in found["features"] if item["named"]}


@pytest.mark.parametrize("wording", range(3))
def test_where_nobody_says_what_was_expected_the_filter_is_the_mode(wording: int, tmp_path: Path) -> None:
    analysis = planted("head_filter", wording, 0.4, tmp_path, told=False)
    stories = [story for story in analysis.stories if story["bucket"] == "sometimes"]
    named = [story for story in stories if story["mode"] == "manual_filter"]
    assert len(named) >= len(stories) - 1
    assert all(f"without '{FILTERS[wording]}'" in story["wrong"]["statement"] for story in named)
