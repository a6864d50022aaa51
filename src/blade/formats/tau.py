"""tau2-bench results (a document, or a folder with `simulations/`) and the lists of tau-bench.

Messages of the simulated user keep their role. Its own tool calls are told as what it did, never as calls of the agent;
expected actions are those of the agent alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.files.sniff import Head, document_of, first_entry
from blade.model import Status
from blade.translate.chat import Item, arguments_text, chat_items, content_words, role_of, split_chat, text_item
from blade.translate.documents import as_mapping, as_rows, document
from blade.translate.foreign_run import BadRecord, ContradictedTask, ForeignRun
from blade.translate.react import with_calls
from blade.translate.rollout_row import NOT_IN_THE_REWARD, Place, SourceVerdict, rollout_row, score_of
from blade.translate.task_fields import task_fields
from blade.translate.usage import summed_usage

VERSION = 10
ENDINGS = {
    "max_steps": Status.TIMED_OUT,
    "timeout": Status.TIMED_OUT,
    "context_window_exceeded": Status.TRUNCATED,
    "too_many_errors": Status.MALFORMED,
    "infrastructure_error": Status.INFRASTRUCTURE,
    "user_error": Status.INFRASTRUCTURE,
    "unexpected_error": Status.INFRASTRUCTURE,
}
"""Why a simulation ended, in the words of tau2; what is not here is an ordinary end."""
NOT_GRADED = {"infrastructure_error"}
_NO_ACTIONS: Mapping[str, Any] = {"evaluation_criteria": {"actions": []}}
"""What is known of the task of a simulation that was checked by no action."""
_EVALUATED = (
    *("reward_basis", "reward_breakdown", "db_check", "env_assertions", "action_checks", "nl_assertions"),
    "communicate_checks",
)
"""What the evaluator leaves of a simulation that it looked at; one that a limit ended gets its 0 without these."""
PASSED = 1 - 1e-6
_SERVICE = re.compile(
    r"\b(?:429|5\d\d|rate.?limit|time.?out|connection|api ?error|unavailable|overloaded)\b", re.IGNORECASE
)
_FIRST_KEYS = {"task_id", "reward", "traj"}
_PUBLISHED_PLACES = 0.05
"""Published shares are percent with one place behind the point."""


def recognises(head: Head) -> bool:
    content = document_of(head)
    return _is_results(content) or (isinstance(content, list) and first_entry(content).keys() >= _FIRST_KEYS)


def recognises_folder(folder: Path) -> bool:
    if not (folder / "simulations").is_dir() or not (folder / "results.json").is_file():
        return False
    return _is_results(document(folder / "results.json"))


def _is_results(content: Any) -> bool:
    if not isinstance(content, dict) or not isinstance(content.get("tasks"), list):
        return False
    return "environment_info" in as_mapping(content.get("info"))


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    """Every document is a run, and so is a folder of simulations."""
    for path in paths:
        folder = path.is_dir()
        file = path / "results.json" if folder else path
        content = document(file)
        if isinstance(content, list):
            yield ForeignRun((file,), partial(_first_rows, file, content), expected=_trials(content))
            continue
        results = as_mapping(content)
        apart = sorted((path / "simulations").glob("*.json")) if folder else []
        yield ForeignRun(
            (file, *apart, *([submission] if (submission := _submission(file)).is_file() else ())),
            partial(_rows, file, results, apart),
            settings=_settings(results),
            reported=_published(file, results),
            models=_models(file, results),
            expected=_expected(results),
        )


def _settings(results: Mapping[str, Any]) -> dict[str, Any]:
    info = as_mapping(results.get("info"))
    agent, user = as_mapping(info.get("agent_info")), as_mapping(info.get("user_info"))
    settings = {
        "model": agent.get("llm"),
        "agent": agent.get("implementation"),
        "sampling": agent.get("llm_args"),
        "user_simulator": {key: user.get(key) for key in ("implementation", "llm", "llm_args") if user.get(key)},
        "domain": as_mapping(info.get("environment_info")).get("domain_name"),
        **{key: info.get(key) for key in ("num_trials", "max_steps", "max_errors", "seed", "git_commit")},
        **{key: info.get(key) for key in ("speech_complexity", "audio_native_config", "retrieval_config")},
    }
    return {key: value for key, value in settings.items() if value not in (None, {}, "")}


def _expected(results: Mapping[str, Any]) -> dict[str, int]:
    trials = as_mapping(results.get("info")).get("num_trials")
    if not isinstance(trials, int) or isinstance(trials, bool) or not 0 < trials < 1000:
        return {}
    return {str(task["id"]): trials for task in as_rows(results.get("tasks")) if task.get("id") is not None}


def _trials(rows: Sequence[Any]) -> dict[str, int]:
    """The lists of tau-bench say nothing of what should be there; every task has as many trials as the most tried."""
    trials = [row["trial"] for row in as_rows(list(rows)) if isinstance(row.get("trial"), int)]
    tasks = [str(row["task_id"]) for row in as_rows(list(rows)) if row.get("task_id") is not None]
    highest = max(trials, default=0) + 1
    return dict.fromkeys(tasks, highest) if 1 < highest < 1000 else {}


def _submission(file: Path) -> Path:
    return (file.parent.parent if file.parent.name == "trajectories" else file.parent) / "submission.json"


def _models(file: Path, results: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """The models that a submission beside the file names, each with the one that the file names."""
    submission = _submission(file)
    if not submission.is_file():
        return {}
    summary, info = as_mapping(document(submission)), as_mapping(results.get("info"))
    names = {
        "model": (summary.get("model_name"), as_mapping(info.get("agent_info")).get("llm")),
        "simulated user": (
            as_mapping(summary.get("methodology")).get("user_simulator"),
            as_mapping(info.get("user_info")).get("llm"),
        ),
    }
    return {
        party: (stated, recorded)
        for party, (stated, recorded) in names.items()
        if isinstance(stated, str) and isinstance(recorded, str) and stated and recorded
    }


def _published(file: Path, results: Mapping[str, Any]) -> float | None:
    """The share that a submission beside the file states for its domain; what it rounds is not held against it."""
    submission = _submission(file)
    if not submission.is_file():
        return None
    domain = as_mapping(as_mapping(results.get("info")).get("environment_info")).get("domain_name")
    share = score_of(
        as_mapping(as_mapping(as_mapping(document(submission)).get("results")).get(str(domain))).get("pass_1")
    )
    if share is None:
        return None
    rewards = [
        score_of(as_mapping(simulation.get("reward_info")).get("reward"))
        for simulation in as_rows(results.get("simulations"))
    ]
    graded = [float(reward >= PASSED) for reward in rewards if reward is not None]
    mean = sum(graded) / len(graded) if graded else None
    return mean if mean is not None and abs(100 * mean - share) <= _PUBLISHED_PLACES else share / 100


def _rows(
    file: Path, results: Mapping[str, Any], apart: Sequence[Path]
) -> Iterator[dict[str, Any] | BadRecord | ContradictedTask]:
    if not results:
        yield BadRecord("the document could not be read")
        return
    shared = _Shared(results)
    ids = set()
    simulations = results.get("simulations")
    for number, simulation in enumerate(simulations if isinstance(simulations, list) else ()):
        ids.add(str(as_mapping(simulation).get("id")))
        yield from shared.rows(simulation, Place(file.name, f"/simulations/{number}"))
    for path in apart:
        simulation = as_mapping(document(path))
        if simulation.get("id") is None or str(simulation.get("id")) not in ids:
            yield from shared.rows(simulation, Place(f"simulations/{path.name}"))


class _Shared:
    """What the simulations of a document have in common."""

    def __init__(self, results: Mapping[str, Any]) -> None:
        info = as_mapping(results.get("info"))
        environment = as_mapping(info.get("environment_info"))
        self.model = as_mapping(info.get("agent_info")).get("llm")
        self.agent = as_mapping(info.get("agent_info")).get("implementation")
        self.domain = environment.get("domain_name")
        self.policy = environment.get("policy")
        self.tools = _tools(environment.get("tool_defs"))
        self.tasks = {str(task.get("id")): task for task in as_rows(results.get("tasks"))}
        self.actions = {
            name: _action_list(as_mapping(task.get("evaluation_criteria")).get("actions"))
            for name, task in self.tasks.items()
        }
        simulations = as_rows(results.get("simulations"))
        self.mixed_up = any(map(self._checked_otherwise, simulations))
        """Whether the ids of the simulations do not belong to the task list: one without checks may be any task."""
        self.keyless = self.mixed_up and _are_keyless(simulations, self.actions)
        """Whether a simulation that was evaluated and has no checks is of a task without actions, whatever its id."""
        self.sampling = dict(as_mapping(as_mapping(info.get("agent_info")).get("llm_args")))

    def rows(self, simulation: Any, place: Place) -> Iterator[dict[str, Any] | BadRecord | ContradictedTask]:
        """The row of a simulation, and a word where it was checked as another task than the one it names."""
        record = as_mapping(simulation)
        if record.get("task_id") is None:
            yield BadRecord("it has no task_id", place.part)
            return
        name, checked = str(record["task_id"]), _checked_actions(record)
        no_key = self.keyless and _unchecked(record)
        if not self.contradicts(record):
            unsure = self.mixed_up and not checked
            known = _NO_ACTIONS if no_key else {} if unsure else self.tasks.get(name, {})
            yield self.row(record, known, place)
            return
        fitting = [task for task, actions in self.actions.items() if actions == checked]
        yield ContradictedTask(
            "rows are checked by actions that the task list has for another task"
            if fitting
            else "rows are checked by actions that the task list has for no task"
        )
        known = self.tasks[fitting[0]] if len(fitting) == 1 else _NO_ACTIONS if no_key else {}
        yield self.row(record, known, place)

    def contradicts(self, record: Mapping[str, Any]) -> bool:
        """Whether a simulation was checked by other actions than those of the task that it names, or by none."""
        unmet = self.keyless and _unchecked(record) and bool(self.actions.get(str(record.get("task_id"))))
        return unmet or self._checked_otherwise(record)

    def _checked_otherwise(self, record: Mapping[str, Any]) -> bool:
        checked = _checked_actions(record)
        return bool(checked) and self.actions.get(str(record.get("task_id")), checked) != checked

    def row(self, record: Mapping[str, Any], task: Mapping[str, Any], place: Place) -> dict[str, Any]:
        policy = record.get("policy") or self.policy
        trial = record.get("trial")
        messages = record.get("messages")
        output = spoken_items(messages) if isinstance(messages, list) and messages else _tick_items(record.get("ticks"))
        return rollout_row(
            str(record["task_id"]),
            trial if isinstance(trial, int) else None,
            _verdict(record),
            place,
            prompt=[text_item("system", policy)] if isinstance(policy, str) else [],
            output=output,
            model=self.model if isinstance(self.model, str) else None,
            agent=self.agent if isinstance(self.agent, str) else None,
            tools=self.tools,
            sampling=self.sampling,
            usage=summed_usage(messages, "assistant"),
            verifier=_verifier(as_mapping(record.get("reward_info")), task) | {"termination_reason": _ending(record)},
            metadata={"domain": self.domain, **_about(task), **_costs(record)},
            timing={
                "started": record.get("start_time"),
                "finished": record.get("end_time"),
                "seconds": record.get("duration"),
            },
        )


def _costs(record: Mapping[str, Any]) -> dict[str, float]:
    """What the agent and the simulated user cost, each under its own name."""
    costs = {name: record.get(name) for name in ("agent_cost", "user_cost")}
    return {name: cost for name, cost in costs.items() if isinstance(cost, float | int) and not isinstance(cost, bool)}


def _tools(listed: Any) -> list[Any]:
    if isinstance(listed, Mapping):
        return [{"type": "function", "name": name, **as_mapping(entry)} for name, entry in listed.items()]
    return as_rows(listed)


def _action_list(actions: Any) -> list[tuple[str, Any]]:
    """What a task or a verdict lists as actions, in a form that can be compared."""
    return [(str(action.get("name")), action.get("arguments")) for action in as_rows(actions)]


def _checked_actions(simulation: Mapping[str, Any]) -> list[tuple[str, Any]]:
    checks = as_rows(as_mapping(simulation.get("reward_info")).get("action_checks"))
    return _action_list([check.get("action") for check in checks])


def _unchecked(simulation: Mapping[str, Any]) -> bool:
    """Whether a simulation was evaluated, and by no action."""
    graded = as_mapping(simulation.get("reward_info"))
    return not _checked_actions(simulation) and any(map(graded.get, _EVALUATED))


def _are_keyless(simulations: Sequence[Mapping[str, Any]], actions: Mapping[str, Sequence[Any]]) -> bool:
    """Whether the simulations without checks are no more than the attempts at tasks that expect no action."""
    unchecked = Counter(simulation.get("trial") for simulation in simulations if _unchecked(simulation))
    return max(unchecked.values(), default=0) <= sum(not listed for listed in actions.values())


def _ending(simulation: Mapping[str, Any]) -> str | None:
    word = simulation.get("termination_reason")
    return str(word).rsplit(".", 1)[-1].lower() if word else None


def _verdict(simulation: Mapping[str, Any]) -> SourceVerdict:
    ending = _ending(simulation) or ""
    reward = score_of(as_mapping(simulation.get("reward_info")).get("reward"))
    status = ENDINGS.get(ending)
    if ending == "agent_error":
        message = content_words(simulation.get("info")) + content_words(
            as_mapping(simulation.get("reward_info")).get("info")
        )
        status = Status.INFRASTRUCTURE if _SERVICE.search(message) else Status.MALFORMED
    if ending in NOT_GRADED:
        reward = None
    graded = as_mapping(simulation.get("reward_info"))
    if status in {Status.TIMED_OUT, Status.TRUNCATED} and not any(map(graded.get, _EVALUATED)):
        ending = f"{ending}, scored 0 without a look at what was done"
    if reward is None and status is None:
        return SourceVerdict(None, Status.SKIPPED, f"no reward was recorded ({ending or 'no word of how it ended'})")
    return SourceVerdict(reward, status, ending if status else "", None if reward is None else reward >= PASSED)


def _verifier(info: Mapping[str, Any], task: Mapping[str, Any]) -> dict[str, Any]:
    """What was graded: the parts that the reward is made of as checks, and the actions that the agent should take."""
    criteria = as_mapping(task.get("evaluation_criteria"))
    basis = [str(name) for name in info.get("reward_basis") or ()] if isinstance(info.get("reward_basis"), list) else []
    checked = [as_mapping(check.get("action")) for check in as_rows(info.get("action_checks"))]
    actions = checked or as_rows(criteria.get("actions"))
    verifier: dict[str, Any] = {"reward_basis": basis, "checks": _parts(info, basis)}
    if checked or isinstance(criteria.get("actions"), list):
        verifier["expected_actions"] = [
            {"name": str(action.get("name")), "arguments": action.get("arguments")}
            for action in actions
            if action.get("requestor") != "user"
        ]
    for name, key, text in (
        ("COMMUNICATE", "communicate_checks", "info"),
        ("NL_ASSERTION", "nl_assertions", "nl_assertion"),
        ("ENV_ASSERTION", "env_assertions", "env_assertion"),
    ):
        if name in basis and as_rows(info.get(key)):
            verifier[key] = [_check(check, text) for check in as_rows(info.get(key))]
    if basis and (shares := dict(_unscored(info, basis))):
        verifier[NOT_IN_THE_REWARD] = shares
    facts = criteria.get("communicate_info")
    if isinstance(facts, list) and "expected_actions" in verifier:
        verifier["expected_outputs"] = facts
    note = as_mapping(info.get("info")).get("note")
    return verifier | ({"note": note} if isinstance(note, str) else {})


def _unscored(info: Mapping[str, Any], basis: Sequence[str]) -> Iterator[tuple[str, float]]:
    """The share that is met of each list of checks that the reward is not made of."""
    for name, key, verdict in (
        ("ACTION", "action_checks", "action_match"),
        ("COMMUNICATE", "communicate_checks", "met"),
        ("NL_ASSERTION", "nl_assertions", "met"),
        ("ENV_ASSERTION", "env_assertions", "met"),
    ):
        verdicts = [value for check in as_rows(info.get(key)) if isinstance(value := check.get(verdict), bool)]
        if name not in basis and verdicts:
            yield key, sum(verdicts) / len(verdicts)


def _parts(info: Mapping[str, Any], basis: Sequence[str]) -> dict[str, bool]:
    parts = as_mapping(info.get("reward_breakdown"))
    scores = {str(name): score_of(value) for name, value in parts.items()}
    return {name: score >= PASSED for name, score in scores.items() if score is not None and name in basis}


def _check(check: Mapping[str, Any], text: str) -> dict[str, Any]:
    subject = check.get(text)
    return {
        "name": content_words(as_mapping(subject) or subject),
        "passed": check.get("met"),
        "explanation": check.get("justification"),
    }


def _about(task: Mapping[str, Any]) -> dict[str, Any]:
    scenario = as_mapping(task.get("user_scenario"))
    instructions = scenario.get("instructions")
    parts = (
        [str(part) for part in instructions.values() if isinstance(part, str)]
        if isinstance(instructions, Mapping)
        else [instructions]
    )
    text = "\n".join(part for part in parts if isinstance(part, str))
    about = {"user_instruction": text} if text else {}
    return about | task_fields(as_mapping(task.get("description")))


def spoken_items(messages: Any) -> list[Item]:
    """The conversation; what the simulated user does with tools of its own is told as its doing."""
    items: list[Item] = []
    for message in as_rows(messages):
        if role_of(message) == "tool" and message.get("requestor") == "user":
            items.append(text_item("environment", content_words(message.get("content"))) | {"requestor": "user"})
        elif role_of(message) == "user":
            items += chat_items([{**message, "tool_calls": None}])
            for call in as_rows(message.get("tool_calls")):
                call_text = f"{call.get('name')}({arguments_text(call.get('arguments'))})"
                items.append(text_item("user", call_text) | {"requestor": "user"})
        elif role_of(message) == "tool" and isinstance(message.get("tool_messages"), list):
            items += spoken_items(message["tool_messages"])
        else:
            items += chat_items([message])
    return items


def _tick_items(ticks: Any) -> list[Item] | None:
    """A voice run: the words of both sides, put together as long as one speaks; None where no words were kept."""
    items: list[Item] = []
    for tick in as_rows(ticks):
        for key, role in (("agent_chunk", "assistant"), ("user_chunk", "user")):
            chunk = as_mapping(tick.get(key))
            text = content_words(chunk.get("content"))
            if text and items and items[-1].get("role") == role:
                items[-1]["content"] += text
            elif text:
                items.append(text_item(role, text))
        calls = tick.get("agent_tool_calls")
        if calls:
            items += chat_items([{"role": "assistant", "tool_calls": calls}])
        items += chat_items({**result, "role": "tool"} for result in as_rows(tick.get("agent_tool_results")))
    return items or None


def _first_rows(file: Path, records: Sequence[Any]) -> Iterator[dict[str, Any] | BadRecord]:
    """The lists of tau-bench, its first version."""
    for number, record in enumerate(records):
        row = as_mapping(record)
        place = Place(file.name, f"/{number}")
        if row.get("task_id") is None:
            yield BadRecord("it has no task_id", place.part)
            continue
        info = as_mapping(row.get("info"))
        task, graded = as_mapping(info.get("task")), as_mapping(info.get("reward_info"))
        prompt, output = split_chat(with_calls(as_rows(row.get("traj"))))
        reward, crash, trial = score_of(row.get("reward")), info.get("error"), row.get("trial")
        verifier: dict[str, Any] = {"scores": dict(as_mapping(graded.get("info"))), "traceback": info.get("traceback")}
        if isinstance(task.get("actions"), list):
            verifier["expected_actions"] = [
                {"name": str(action.get("name")), "arguments": action.get("kwargs", action.get("arguments"))}
                for action in as_rows(task["actions"])
            ]
            verifier["expected_outputs"] = task.get("outputs")
        yield rollout_row(
            str(row["task_id"]),
            trial if isinstance(trial, int) else None,
            SourceVerdict(
                reward,
                Status.INFRASTRUCTURE if crash else None,
                str(crash or ""),
                None if reward is None else reward >= PASSED,
            ),
            place,
            prompt=prompt,
            output=output,
            verifier=verifier,
            metadata={"user_instruction": task.get("instruction"), "end_source": info.get("source")},
        )
