"""Two tau2 documents, a folder of simulations, and a list of tau-bench: a shop for lamps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCORES = {"steady": 1.0, "shaky": 0.5, "apart": 0.5, "first": 0.5}
POLICY = "Sell lamps. Look an order up before you change it."


def call(name: str, arguments: dict[str, Any], number: int, requestor: str = "assistant") -> dict[str, Any]:
    return {"id": f"c{number}", "name": name, "arguments": arguments, "requestor": requestor}


def action(name: str, arguments: dict[str, Any], requestor: str = "assistant") -> dict[str, Any]:
    return {"action_id": "a", "name": name, "arguments": arguments, "requestor": requestor}


def task(number: int) -> dict[str, Any]:
    wanted = [action("ship_lamp", {"order": f"L{number}"}), action("switch_on", {}, "user")]
    return {
        "id": f"t{number}",
        "description": {"purpose": "shipping"},
        "user_scenario": {"instructions": {"reason_for_call": f"You want order L{number} to be shipped today."}},
        "evaluation_criteria": {
            "actions": wanted,
            "communicate_info": ["shipped"],
            "reward_basis": ["DB", "COMMUNICATE"],
        },
    }


def simulation(number: int, trial: int, reward: float | None, ending: str = "user_stop") -> dict[str, Any]:
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": "Hello, what can I do?"},
        {"role": "user", "content": f"Please ship order L{number}."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call("ship_lamp", {"order": f"L{number}"}, 1)],
            "usage": {"prompt_tokens": 50, "completion_tokens": 5},
        },
        {"role": "tool", "id": "c1", "content": "shipped", "requestor": "assistant"},
        {"role": "user", "content": None, "tool_calls": [call("switch_on", {}, 2, "user")]},
        {"role": "tool", "id": "c2", "content": "the lamp is on", "requestor": "user"},
        {"role": "assistant", "content": "It is shipped.", "usage": {"prompt_tokens": 60, "completion_tokens": 4}},
        {"role": "user", "content": "Thank you. ###STOP###"},
    ]
    graded = {
        "reward": reward,
        "reward_basis": ["DB", "COMMUNICATE"],
        "reward_breakdown": {"DB": reward, "COMMUNICATE": 1.0},
    }
    return {
        "id": f"s{number}-{trial}",
        "task_id": f"t{number}",
        "trial": trial,
        "termination_reason": ending,
        "reward_info": None if reward is None else graded,
        "messages": messages,
        "start_time": "2026-03-04T05:06:07",
        "end_time": "2026-03-04T05:06:37",
    }


def results(simulations: list[dict[str, Any]], trials: int = 1) -> dict[str, Any]:
    info = {
        "num_trials": trials,
        "max_steps": 30,
        "agent_info": {"implementation": "llm_agent", "llm": "lamp-1", "llm_args": {"temperature": 0.0}},
        "user_info": {"implementation": "user_simulator", "llm": "lamp-2"},
        "environment_info": {"domain_name": "lamps", "policy": POLICY},
    }
    return {"timestamp": "2026", "info": info, "tasks": [task(0), task(1)], "simulations": simulations}


def first_list() -> list[dict[str, Any]]:
    made = []
    for number, reward in enumerate((1.0, 0.0)):
        wanted = {"actions": [{"name": "ship_lamp", "kwargs": {"order": f"L{number}"}}], "outputs": ["shipped"]}
        messages = [
            {"role": "system", "content": POLICY},
            {"role": "user", "content": "Ship it."},
            {"role": "assistant", "content": "Done."},
        ]
        info = {"task": {**wanted, "instruction": "You want your lamp to be shipped."}, "source": "user"}
        made.append({"task_id": number, "trial": 0, "reward": reward, "info": info, "traj": messages})
    return made


def write(folder: Path) -> list[Path]:
    steady, shaky, first = folder / "steady.json", folder / "shaky.json", folder / "first.json"
    steady.write_text(json.dumps(results([simulation(0, 0, 1.0), simulation(1, 0, 1.0)]), indent=1))
    shaky.write_text(json.dumps(results([simulation(0, 0, 1.0), simulation(1, 0, 0.0)])))
    first.write_text(json.dumps(first_list(), indent=1))
    apart = folder / "apart"
    (apart / "simulations").mkdir(parents=True)
    (apart / "results.json").write_text(json.dumps(results([]), indent=1))
    for number in range(2):
        (apart / "simulations" / f"{number}.json").write_text(json.dumps(simulation(number, 0, float(number))))
    return [steady, shaky, apart, first]
