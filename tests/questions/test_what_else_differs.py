"""Runs that differ in the model or the agent and in their limits or system prompts differ in more than one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import analysed, request, row, write
from tests.questions.made_cases import words

from blade.questions import one_factor

PASSES = {("brisk", "loaf"): 20, ("brisk", "roll"): 18, ("slow", "roll"): 10}
AGENTS, MODELS = ["brisk-roll", "slow-roll"], ["brisk-loaf", "brisk-roll"]


def answers(folder: Path, **settings: dict[tuple[str, str], Any]) -> dict[str, Any]:
    """What is asked of three runs: `limit`, `calls` and `system` say what their rows state, by agent and model."""
    specs = []
    for (agent, model), passes in PASSES.items():
        limit, calls, system = (settings.get(name, {}).get((agent, model)) for name in ("limit", "calls", "system"))
        rows = []
        for task in range(24):
            asked = request(f"What is {task}?", **({} if calls is None else {"max_tool_calls": calls}))
            if system is not None:
                content = system if isinstance(system, str) else system[task % len(system)]
                asked["input"].insert(0, {"role": "system", "type": "message", "content": content})
            steps = {} if limit is None else {"steps": {"max_looks": 2 * limit, "max_turns": limit, "turns": passes}}
            rollout = row(
                task, 0, float(task < passes), agent_ref={"name": agent}, responses_create_params=asked, **steps
            )
            rollout["response"] |= {"model": model}
            rows.append(rollout)
        specs.append(f"{agent}-{model}={write(folder / f'{agent}-{model}.jsonl', rows)}")
    return dict(analysed(*specs).investigation["one_factor"])


def of_all(value: Any, **changes: Any) -> dict[tuple[str, str], Any]:
    """The same of all runs, but for those whose name (`agent_model`) is given."""
    return {(agent, model): changes.get(f"{agent}_{model}", value) for agent, model in PASSES}


def differing(answer: dict[str, Any]) -> dict[str, list[str]]:
    assert [pair["runs"] for pair in answer["pairs"]] == [AGENTS, MODELS]
    return {pair["factor"]: pair["differing"] for pair in answer["pairs"]}


def test_where_nothing_else_differs_it_is_one_thing_alone(tmp_path: Path) -> None:
    answer = answers(tmp_path, limit=of_all(30), calls=of_all(8), system=of_all("Be brief."))
    assert differing(answer) == {"agent": [], "model": []}
    text = words(one_factor.tell(answer))
    assert "brisk-roll and slow-roll differ in the agent alone (the same model, roll)" in text
    assert "brisk-loaf and brisk-roll differ in the model alone (the same agent, brisk)" in text


def test_another_limit_is_named_with_its_values_in_the_order_of_the_runs(tmp_path: Path) -> None:
    answer = answers(tmp_path, limit=of_all(30, slow_roll=60))
    assert differing(answer) == {"agent": ["steps.max_looks (60 and 120)", "steps.max_turns (30 and 60)"], "model": []}
    text = words(one_factor.tell(answer))
    named = "the agent, steps.max_looks (60 and 120) and steps.max_turns (30 and 60)"
    assert f"brisk-roll and slow-roll differ in {named} (the same model, roll)" in text
    assert "brisk-loaf and brisk-roll differ in the model alone" in text
    (brief,) = one_factor.brief(answer)
    assert f"differ in {named} (" in brief.text
    assert "alone" not in brief.text


def test_several_limits_and_the_prompt_are_listed_by_name(tmp_path: Path) -> None:
    limits = {"limit": of_all(30, brisk_loaf=60), "calls": of_all(8, brisk_loaf=9)}
    answer = answers(tmp_path, **limits, system=of_all("Be brief.", brisk_loaf="Be long."))
    names = [
        "max_tool_calls (9 and 8)",
        "steps.max_looks (120 and 60)",
        "steps.max_turns (60 and 30)",
        "the system prompt",
    ]
    assert differing(answer) == {"agent": [], "model": names}
    assert (
        "brisk-loaf and brisk-roll differ in the model, max_tool_calls (9 and 8), steps.max_looks (120 and 60), "
        "steps.max_turns (60 and 30) and the system prompt (the same agent, brisk)" in words(one_factor.tell(answer))
    )


def test_another_agent_with_another_prompt_differs_in_both(tmp_path: Path) -> None:
    answer = answers(tmp_path, system=of_all("Be brief.", slow_roll="Be long."))
    assert differing(answer) == {"agent": ["the system prompt"], "model": []}
    assert "differ in the agent and the system prompt" in words(one_factor.tell(answer))


def test_what_one_run_alone_states_is_not_held_against_the_other(tmp_path: Path) -> None:
    answer = answers(tmp_path, limit=of_all(None, brisk_loaf=60), system=of_all(None, brisk_loaf="Be long."))
    assert differing(answer) == {"agent": [], "model": []}


def test_several_system_prompts_that_are_the_same_in_both_runs_are_no_difference(tmp_path: Path) -> None:
    three = ("Be brief.", "Be long.", "Be kind.")
    assert differing(answers(tmp_path / "same", system=of_all(three)))["model"] == []
    fewer = of_all(three, brisk_loaf=three[:2])
    assert differing(answers(tmp_path / "fewer", system=fewer))["model"] == [], "they may belong to the tasks"
    apart = of_all(three, brisk_loaf=("Be loud.",))
    assert differing(answers(tmp_path / "apart", system=apart))["model"] == ["the system prompt"]


def test_tasks_that_are_put_in_other_words_differ_too(tmp_path: Path) -> None:
    specs = []
    for (agent, model), passes in PASSES.items():
        rows = []
        for task in range(24):
            text = f"How much is {task}?" if model == "loaf" and task < 5 else f"What is {task}?"
            rows.append(
                row(task, 0, float(task < passes), agent_ref={"name": agent}, responses_create_params=request(text))
            )
            rows[-1]["response"] |= {"model": model}
        specs.append(f"{agent}-{model}={write(tmp_path / f'{agent}-{model}.jsonl', rows)}")
    answer = dict(analysed(*specs, match_by="index").investigation["one_factor"])
    assert differing(answer) == {"agent": [], "model": ["the text of 5 of 24 tasks"]}


def test_other_sampling_differs_too(tmp_path: Path) -> None:
    specs = []
    for (agent, model), passes in PASSES.items():
        rows = []
        for task in range(24):
            asked = request(f"What is {task}?", temperature=1.0 if model == "loaf" else 0.6)
            rows.append(row(task, 0, float(task < passes), agent_ref={"name": agent}, responses_create_params=asked))
            rows[-1]["response"] |= {"model": model}
        specs.append(f"{agent}-{model}={write(tmp_path / f'{agent}-{model}.jsonl', rows)}")
    answer = dict(analysed(*specs).investigation["one_factor"])
    assert differing(answer) == {"agent": [], "model": ["temperature (1 and 0.6)"]}
