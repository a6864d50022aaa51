"""tau2 and tau-bench: who did what, what was expected of whom, and why a simulation ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.samples.tau import first_list, results, simulation, task, write
from tests.formats.translated_rows import translated_rows

from blade import api
from blade.engine.discover import discover
from blade.model import Status
from blade.options import Options
from blade.questions import mistaken_ids


def rows_of(folder: Path, *simulations: dict[str, Any]) -> list[dict[str, Any]]:
    path = folder / "lamps.json"
    path.write_text(json.dumps(results(list(simulations))))
    return translated_rows(path)["lamps"]


def test_what_the_simulated_user_does_is_not_the_agents_doing(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, simulation(0, 0, 1.0))
    items = row["response"]["output"]
    assert [item["name"] for item in items if item["type"] == "function_call"] == ["ship_lamp"]
    told = [(item.get("role"), item["content"]) for item in items if item.get("requestor") == "user"]
    assert told == [("user", "switch_on({})"), ("environment", "the lamp is on")]
    assert items[-1] == {"type": "message", "role": "user", "content": "Thank you. ###STOP###"}


def test_only_the_agents_actions_are_expected_of_it(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, simulation(0, 0, 1.0))
    assert row["verifier"]["expected_actions"] == [{"name": "ship_lamp", "arguments": {"order": "L0"}}]
    assert row["verifier"]["expected_outputs"] == ["shipped"]
    assert row["metadata"]["user_instruction"] == "You want order L0 to be shipped today."


def test_actions_that_were_checked_count_more_than_those_of_the_task(tmp_path: Path) -> None:
    one = simulation(0, 0, 1.0)
    one["reward_info"]["action_checks"] = [{"action": {"name": "hang_lamp", "arguments": {}}, "action_match": True}]
    (row,) = rows_of(tmp_path, one)
    assert row["verifier"]["expected_actions"] == [{"name": "hang_lamp", "arguments": {}}]


def test_actions_that_are_no_part_of_the_reward_are_recorded_beside_it(tmp_path: Path) -> None:
    one = simulation(0, 0, 1.0)
    action = {"name": "hang_lamp", "arguments": {}}
    one["reward_info"]["action_checks"] = [{"action": action, "action_match": match} for match in (True, False)]
    one["reward_info"]["reward_basis"] = ["DB"]
    (row,) = rows_of(tmp_path, one)
    assert row["verifier"]["not_in_the_reward"] == {"action_checks": 0.5}
    one["reward_info"]["nl_assertions"] = [
        {"nl_assertion": "It asks.", "met": met} for met in (True, True, False, None)
    ]
    (row,) = rows_of(tmp_path, one)
    assert row["verifier"]["not_in_the_reward"] == {"action_checks": 0.5, "nl_assertions": 2 / 3}
    one["reward_info"]["reward_basis"] = ["DB", "ACTION", "NL_ASSERTION"]
    (row,) = rows_of(tmp_path, one)
    assert "not_in_the_reward" not in row["verifier"]


def test_rows_that_were_checked_as_another_task_than_the_one_they_name(tmp_path: Path) -> None:
    simulations = [simulation(task, 0, 1.0) for task in range(4)]
    path = tmp_path / "lamps.json"
    content = results(simulations) | {"tasks": [task(number) for number in range(4)]}
    for one, checked_as in zip(simulations, (1, 0, 2), strict=False):
        actions = task(checked_as)["evaluation_criteria"]["actions"]
        one["reward_info"]["action_checks"] = [{"action": action, "action_match": True} for action in actions]
    path.write_text(json.dumps(content))
    wishes = [row["metadata"].get("user_instruction", "")[:17] for row in translated_rows(path)["lamps"]]
    assert wishes == ["You want order L1", "You want order L0", "You want order L2", ""]
    analysis = api.analyze(path, options=Options(cache=False))
    assert [(flaw.slug, flaw.rows) for flaw in analysis.flaws] == [("task-contradicted", 2)]
    (sentence,) = mistaken_ids.brief(analysis.investigation["mistaken_ids"])
    assert sentence.text == (
        "The task ids of lamps are mixed up: 2 of 4 rollouts were checked as another task than the one they name. The "
        "score stands, but nothing can be said by task, nor held against another run task by task, before the ids are "
        "repaired."
    )
    assert ("contradictory_fields", "high") in {(item["check"], item["severity"]) for item in analysis.health}


def test_a_row_that_was_checked_by_no_action_is_of_a_task_without_any(tmp_path: Path) -> None:
    """Rows 0 and 1 are swapped, and rows 2 and 3, of which task 3 expects no action."""
    simulations = [simulation(number, 0, 1.0) for number in range(4)]
    tasks = [task(number) for number in range(4)]
    tasks[3]["evaluation_criteria"]["actions"] = []
    for one, checked_as in zip(simulations, (1, 0, 3, 2), strict=True):
        actions = tasks[checked_as]["evaluation_criteria"]["actions"]
        checks = [{"action": action, "action_match": True} for action in actions]
        one["reward_info"] |= {"action_checks": checks or None, "db_check": {"db_match": True, "db_reward": 1.0}}
    path = tmp_path / "lamps.json"
    path.write_text(json.dumps(results(simulations) | {"tasks": tasks}))
    keys = [row["verifier"].get("expected_actions") for row in translated_rows(path)["lamps"]]
    assert [key and key[0]["arguments"]["order"] for key in keys] == ["L1", "L0", [], "L2"]
    (flaw,) = {flaw.slug: flaw.rows for flaw in api.analyze(path, options=Options(cache=False)).flaws}.items()
    assert flaw[0] == "task-contradicted"
    (entry,) = api.analyze(path, options=Options(cache=False)).investigation["mistaken_ids"]["runs"]
    assert (entry["rows"], entry["of"]) == (4, 4)
    tasks[3]["evaluation_criteria"]["actions"] = tasks[2]["evaluation_criteria"]["actions"]
    path.write_text(json.dumps(results(simulations) | {"tasks": tasks}))
    (entry,) = api.analyze(path, options=Options(cache=False)).investigation["mistaken_ids"]["runs"]
    assert entry["rows"] == 2, "no task is without actions: that nothing was checked says nothing"


@pytest.mark.parametrize(
    ("ending", "status", "reward"),
    [
        ("user_stop", None, 0.0),
        ("agent_stop", None, 0.0),
        ("max_steps", Status.TIMED_OUT, 0.0),
        ("TerminationReason.TIMEOUT", Status.TIMED_OUT, 0.0),
        ("context_window_exceeded", Status.TRUNCATED, 0.0),
        ("too_many_errors", Status.MALFORMED, 0.0),
        ("infrastructure_error", Status.INFRASTRUCTURE, None),
        ("unexpected_error", Status.INFRASTRUCTURE, 0.0),
        ("agent_error", Status.MALFORMED, 0.0),
    ],
)
def test_the_end_of_a_simulation_is_its_status(
    tmp_path: Path, ending: str, status: Status | None, reward: float | None
) -> None:
    (row,) = rows_of(tmp_path, simulation(0, 0, 0.0, ending))
    assert (row["_translated"].get("status"), row["reward"]) == (status, reward)


def test_a_simulation_that_a_limit_ended_unseen_says_so(tmp_path: Path) -> None:
    """The limit is the agent's own budget: the 0 counts, and its reason says that nobody looked at the work."""
    unseen = {"reward": 0.0, "action_checks": None, "reward_basis": None, "info": {"note": "ended prematurely"}}
    (row,) = rows_of(tmp_path, simulation(0, 0, 0.0, "max_steps") | {"reward_info": unseen})
    assert (row["_translated"]["status"], row["reward"]) == (Status.TIMED_OUT, 0.0)
    assert "max_steps, scored 0 without a look at what was done" in json.dumps(row["_translated"])


def test_an_agent_that_its_service_fails_is_broken_off(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, simulation(0, 0, 0.0, "agent_error") | {"info": "no such tool"})
    assert row["_translated"]["status"] == Status.MALFORMED
    (row,) = rows_of(tmp_path, simulation(1, 0, 0.0, "agent_error") | {"info": "429: rate limit"})
    assert row["_translated"]["status"] == Status.INFRASTRUCTURE


def test_a_simulation_without_a_reward_was_not_graded(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, simulation(0, 0, None))
    assert row["reward"] is None
    assert row["_translated"]["status"] == Status.SKIPPED


def test_tasks_and_trials_say_what_should_be_there(tmp_path: Path) -> None:
    path = tmp_path / "lamps.json"
    path.write_text(json.dumps(results([simulation(0, 0, 1.0), simulation(0, 1, 0.0)], trials=2)))
    (run,) = api.analyze(path, options=Options(cache=False)).runs
    assert (run.denominator.expected, run.denominator.graded) == (4, 2)


def test_rows_carry_tokens_of_the_agent_and_the_policy(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, simulation(0, 0, 1.0))
    assert row["response"]["usage"] == {"input_tokens": 110, "output_tokens": 9}
    assert row["responses_create_params"]["input"][0]["role"] == "system"


def test_the_runs_of_both_documents_are_compared(tmp_path: Path) -> None:
    steady, shaky, *_ = write(tmp_path)
    (change,) = api.analyze(steady, shaky, options=Options(cache=False)).changes
    assert (change.common_tasks, change.delta_common) == (2, -0.5)


@pytest.mark.parametrize(("share", "reported"), [(50.0, 0.5), (50.04, 0.5), (80.0, 0.8)])
def test_a_published_share_is_held_against_the_rows_but_for_its_rounding(
    tmp_path: Path, share: float, reported: float
) -> None:
    (tmp_path / "lamps.json").write_text(json.dumps(results([simulation(0, 0, 1.0), simulation(1, 0, 0.0)])))
    (tmp_path / "submission.json").write_text(json.dumps({"results": {"lamps": {"pass_1": share}}}))
    translated = discover([tmp_path / "lamps.json"])[0].translated
    assert translated is not None
    assert translated.reported == reported


@pytest.mark.parametrize(
    ("stated", "recorded", "differ"),
    [
        ("Lamp Lighter 8B", "lamp-5-mini", True),
        ("Lamp 5 mini", "makers/lamp-5-mini-2025-04-14", False),
        ("lamp5", "lamp-5", False),
    ],
)
def test_a_summary_that_names_another_model_than_the_rows_is_told(
    tmp_path: Path, stated: str, recorded: str, *, differ: bool
) -> None:
    made = results([simulation(0, 0, 1.0), simulation(1, 0, 0.0)])
    made["info"]["agent_info"]["llm"] = recorded
    (tmp_path / "lamps.json").write_text(json.dumps(made))
    summary = {"model_name": stated, "methodology": {}, "results": {"lamps": {"pass_1": 50.0}}}
    (tmp_path / "submission.json").write_text(json.dumps(summary))
    items = api.analyze(tmp_path / "lamps.json", options=Options(cache=False)).health
    statements = [item["statement"] for item in items if item["check"] == "summary_files"]
    told = f"The summary beside the rows of lamps names the model “{stated}”; the rows name “{recorded}”."
    assert statements == ([told] if differ else [])


def test_a_crash_of_the_first_version_is_no_failure_of_the_agent(tmp_path: Path) -> None:
    made = first_list()
    made[1]["info"] = {"error": "RateLimitError: too many requests", "traceback": "…"}
    made[1]["traj"] = []
    path = tmp_path / "lamps.json"
    path.write_text(json.dumps(made))
    rows = translated_rows(path)["lamps"]
    assert [row["_translated"].get("status") for row in rows] == [None, Status.INFRASTRUCTURE]
    assert rows[0]["verifier"]["expected_actions"] == [{"name": "ship_lamp", "arguments": {"order": "L0"}}]
    assert [row["task_id"] for row in rows] == ["0", "1"]


def test_words_of_a_voice_run_are_put_together(tmp_path: Path) -> None:
    one = simulation(0, 0, 1.0)
    said = [("agent_chunk", "Good "), ("agent_chunk", "day."), ("user_chunk", "A lamp, please.")]
    one["messages"] = None
    one["ticks"] = [{key: {"content": text}} for key, text in said]
    (row,) = rows_of(tmp_path, one)
    assert [(item["role"], item["content"]) for item in row["response"]["output"]] == [
        ("assistant", "Good day."),
        ("user", "A lamp, please."),
    ]


def test_calls_that_are_written_as_text_are_calls(tmp_path: Path) -> None:
    """The strategy of tau-bench without tool calls: an action as JSON in the text, its answer as a user's message."""
    action = 'I look first.\nAction:\n{"name": "look_up", "arguments": {"order": "7"}}'
    answer = 'Thought:\nIt is there.\nAction:\n{"name": "respond", "arguments": {"content": "It is on its way."}}'
    messages = [
        {"role": "system", "content": "Keep the shop."},
        {"role": "user", "content": "Where is order 7?"},
        {"role": "assistant", "content": action},
        {"role": "user", "content": 'API output: {"state": "sent"}'},
        {"role": "assistant", "content": answer},
        {"role": "user", "content": "API output of what? Thanks."},
    ]
    path = tmp_path / "first.json"
    path.write_text(json.dumps([{"task_id": 1, "reward": 1.0, "info": {}, "traj": messages, "trial": 0}]))
    ((row,),) = translated_rows(path).values()
    shown = [
        (item["type"], item.get("role") or item.get("name"), item.get("output")) for item in row["response"]["output"]
    ]
    assert shown == [
        ("message", "assistant", None),
        ("function_call", "look_up", None),
        ("function_call_output", None, '{"state": "sent"}'),
        ("reasoning", None, None),
        ("message", "assistant", None),
        ("message", "user", None),
    ]
    assert row["response"]["output"][4]["content"] == "It is on its way."
    page = api.render(api.report(api.analyze(path, options=Options(cache=False))), "markdown")
    assert "do not record what the model did" not in page


def test_what_agent_and_user_cost_stands_in_the_row(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, simulation(0, 0, 1.0) | {"agent_cost": 0.25, "user_cost": None})
    assert row["metadata"]["agent_cost"] == 0.25
    assert "user_cost" not in row["metadata"]
