"""verifiers and prime-rl: `results.jsonl` with `metadata.json`, `traces.jsonl` of version 1, rollouts of a training.

Attempts are not numbered: those of an example follow each other. Rewards are weighted sums of any scale; what a pass is
stands in the metadata, or nowhere. A training is one run per step, an episode of several agents one run per agent. Old
writers count `id` by the place of a row though the examples alternate: such ids are not believed, the prompts are.
Where no turn of a file holds words or a call beside its reasoning, the server took the answers for reasoning.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.files.sniff import Head, mostly
from blade.model import Status
from blade.translate.chat import Item, chat_items, content_words, role_of, text_item
from blade.translate.completions import IDS, is_completion, with_call_ids
from blade.translate.documents import Spot, as_mapping, as_rows, document, json_value, lines_by, rows_at, rows_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of
from blade.translate.task_fields import task_fields
from blade.translate.usage import usage_of

VERSION = 7
LONGEST_WORDS = 200
ERRORS = {
    "overlong": Status.TRUNCATED,
    "contextlength": Status.TRUNCATED,
    "toolparse": Status.MALFORMED,
    "invalidmodelresponse": Status.MALFORMED,
    "emptymodelresponse": Status.MALFORMED,
    "timeout": Status.TIMED_OUT,
}
"""Parts of the names of errors that are the model's or its limit's; every other error is infrastructure."""
STOPS = {
    "max_turns": Status.TIMED_OUT,
    "timeout": Status.TIMED_OUT,
    "prompt_too_long": Status.TRUNCATED,
    "max_total_completion_tokens": Status.TRUNCATED,
    "context": Status.TRUNCATED,
}
"""Parts of the names of stop conditions that are limits."""
_REASONING = "reasoning_content"
_SETTINGS = (
    "env_id", "env", "env_args", "model", "num_examples", "rollouts_per_example", "sampling_args", "max_tokens",
    "temperature", "pass_threshold", "version_info",
)  # fmt: skip
_TRAINING = (
    "base_model", "batch_size", "environments", "learning_rate", "lora_alpha", "max_steps", "max_tokens",
    "rollouts_per_example", "seq_len",
)  # fmt: skip


def recognises(head: Head) -> bool:
    return mostly(head, is_completion) or mostly(head, _is_episode)


def _is_episode(row: Mapping[str, Any]) -> bool:
    return "task" in row and ({"traces", "env"} <= row.keys() or {"nodes", "rewards", "agent"} <= row.keys())


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    for path in paths:
        first = next((row for _, row in rows_of(path) if isinstance(row, dict)), {})
        yield from _episode_runs(path) if _is_episode(first) else _completion_runs(path, first)


def _completion_runs(path: Path, first: Mapping[str, Any]) -> Iterator[ForeignRun]:
    """Evaluations are one run, trainings one per step."""
    trained = "step" in first
    examples = {} if trained or IDS[0] in first else _examples_by_prompt(path)
    metadata = as_mapping(document(path.parent / "metadata.json"))
    training = as_mapping(metadata.get("run"))
    by_step = lines_by(path, lambda row: str(row.get("step"))) if trained else {}
    steps: list[Any] = list(by_step) or [None]
    settings = {key: metadata[key] for key in _SETTINGS if metadata.get(key) not in (None, {})}
    settings |= {key: training[key] for key in _TRAINING if training.get(key) is not None}
    settings |= {"example_ids": "contradict the prompts, by which examples are told apart"} if examples else {}
    unspoken = _only_reasons(path)
    settings |= {"answers": f"stand in {_REASONING}: no turn holds words or a call beside it"} if unspoken else {}
    for step in steps:
        expected: dict[str, int] = {}
        yield ForeignRun(
            (path, path.parent / "metadata.json"),
            partial(_completion_rows, path, metadata, by_step.get(step), expected, examples, unspoken=unspoken),
            name=f"@step {step}" if len(steps) > 1 else "",
            settings=settings | ({"step": step} if step is not None else {}),
            reported=score_of(metadata.get("avg_reward")),
            expected=expected,
        )


def _examples_by_prompt(path: Path) -> dict[str, str]:
    """Prompt → its number, where ids name several prompts each and prompts bear several ids; else nothing."""
    prompts: defaultdict[str, set[str]] = defaultdict(set)
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for _, row in rows_of(path):
        if isinstance(row, dict):
            prompt = _prompt_key(row)
            prompts[str(row.get(IDS[-1]))].add(prompt)
            ids[prompt].add(str(row.get(IDS[-1])))
    repeated = [names for names in ids.values() if len(names) > 1]
    if not repeated or not any(len(of_id) > 1 for of_id in prompts.values()):
        return {}
    return {prompt: str(number) for number, prompt in enumerate(ids)}


def _only_reasons(path: Path) -> bool:
    """Whether every turn of the model in a file is reasoning alone."""
    turns = 0
    for _, row in rows_of(path):
        for message in as_rows(json_value(row.get("completion"))) if isinstance(row, dict) else []:
            if role_of(message) != "assistant":
                continue
            if message.get("tool_calls") or content_words(message.get("content")).strip():
                return False
            turns += bool(message.get(_REASONING))
    return turns > 1


def _prompt_key(row: Mapping[str, Any]) -> str:
    return json.dumps(row.get("prompt"), sort_keys=True)


def _completion_rows(
    path: Path,
    metadata: Mapping[str, Any],
    of_step: Sequence[Spot] | None,
    expected: dict[str, int],
    examples: Mapping[str, str],
    *,
    unspoken: bool,
) -> Iterator[dict[str, Any] | BadRecord]:
    """The rows, of a training those of one step, and in `expected` the attempts that their examples should have.

    An evaluation says how many; of a training only what was written is known, as examples are drawn by chance.
    """
    repeats = metadata.get("rollouts_per_example")
    attempts: Counter[str] = Counter()
    for number, row in rows_of(path) if of_step is None else rows_at(path, of_step):
        if isinstance(row, BadRecord):
            yield row
            continue
        example = next((row[key] for key in IDS if isinstance(row.get(key), (str, int))), None)
        if example is None:
            yield BadRecord(f"it has no {IDS[0]}", f"line {number}")
            continue
        task = _task(row, examples[_prompt_key(row)] if examples else str(example), metadata)
        spoken = {**row, "completion": _said(row.get("completion"))} if unspoken else row
        yield _completion_row(spoken, task, attempts[task], Place(path.name, f"line {number}"), metadata)
        attempts[task] += 1
        expected[task] = max(attempts[task], repeats if isinstance(repeats, int) and of_step is None else 0)


def _said(completion: Any) -> list[Any]:
    """The turns with their reasoning as their words."""
    return [
        {**message, "content": message.get(_REASONING), _REASONING: None}
        if role_of(message) == "assistant"
        else message
        for message in as_rows(json_value(completion))
    ]


def _task(row: Mapping[str, Any], example: str, metadata: Mapping[str, Any]) -> str:
    """An example of an environment, behind the name of the one it is from where an environment is made of several."""
    group = row.get("task")
    environment = str(metadata.get("env_id") or metadata.get("env") or row.get("env_name") or "")
    alone = not isinstance(group, str) or group in {"", "default"} or environment.endswith(group) or not environment
    return example if alone else f"{group}/{example}"


def _completion_row(
    row: Mapping[str, Any], task: str, attempt: int, place: Place, metadata: Mapping[str, Any]
) -> dict[str, Any]:
    info = as_mapping(json_value(row.get("info")))
    completion = json_value(row.get("completion"))
    spoken = as_rows(completion)
    reward = score_of(row.get("reward"))
    bound = score_of(metadata.get("pass_threshold"))
    status, reason = _status(row, turns=sum(role_of(message) == "assistant" for message in spoken))
    passed = None if None in (reward, bound) else (reward or 0) >= (bound or 0)
    tools = row.get("tool_defs") or row.get("oai_tools") or info.get("oai_tools") or metadata.get("tools")
    answer = row.get("answer")
    model = metadata.get("model") or as_mapping(metadata.get("run")).get("base_model")
    return rollout_row(
        task,
        attempt,
        SourceVerdict(reward, status, reason, passed, ended=status is None and _ended(row)),
        place,
        prompt=_items(json_value(row.get("prompt")), "user"),
        output=_items(completion, "assistant"),
        model=model if isinstance(model, str) else None,
        tools=as_rows(tools),
        sampling=dict(as_mapping(metadata.get("sampling_args"))),
        usage=usage_of(row.get("token_usage") or _training_tokens(row)),
        verifier={
            "scores": dict(as_mapping(json_value(row.get("metrics")))) or None,
            "expected_answer": answer if answer not in ("", None) else None,
            "stop_condition": row.get("stop_condition"),
            "state": _words_of_state(row, metadata) or None,
        },
        metadata=task_fields(info),
        timing=_timing(row),
    )


def _words_of_state(row: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, str]:
    """What the environment calls the end of a rollout: its columns of state that hold a short text."""
    columns = metadata.get("state_columns")
    named = columns if isinstance(columns, list) else []
    words = {str(name): row.get(name) for name in named if isinstance(name, str)}
    return {name: text for name, text in words.items() if isinstance(text, str) and 0 < len(text) <= LONGEST_WORDS}


def _training_tokens(row: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens of a training's row; 0 where they were not counted."""
    return {f"{side}_tokens": row.get(f"num_{side}_tokens") or None for side in ("input", "output")}


def _items(messages: Any, role: str) -> list[Item]:
    if isinstance(messages, list):
        return chat_items(with_call_ids([_with_calls(message) for message in messages]))
    text = content_words(messages)
    return [text_item(role, text)] if text else []


def _with_calls(message: Any) -> Any:
    """A message whose calls are objects, also where they were written down as JSON in texts."""
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    if not isinstance(calls, list) or not any(isinstance(call, str) for call in calls):
        return message
    return {**message, "tool_calls": [json_value(call) for call in calls]}


def _timing(row: Mapping[str, Any]) -> dict[str, Any]:
    record = as_mapping(json_value(row.get("timing"))) or row
    times = {key: record.get(key) for key in ("start_time", "generation_ms", "scoring_ms", "total_ms")}
    times |= {f"{key}_seconds": as_mapping(record.get(key)).get("duration") for key in ("generation", "scoring")}
    return {key: value for key, value in times.items() if isinstance(value, (int, float))}


def _status(row: Mapping[str, Any], turns: int) -> tuple[Status | None, str]:
    """By the error, the flags and the stop condition. One turn that is all there may be is no limit reached."""
    error = json_value(row.get("error"))
    details = as_mapping(error)
    words = str(details.get("error_type") or details.get("type") or error or "")
    if error:
        detail = details.get("error_chain_repr") or details.get("message") or details.get("error")
        return _status_in(words, ERRORS) or Status.INFRASTRUCTURE, f"{words}: {detail}"[:300] if detail else words[:300]
    if row.get("is_truncated") is True:
        return Status.TRUNCATED, "is_truncated"
    if row.get("is_timeout") is True:
        return Status.TIMED_OUT, "is_timeout"
    stop = str(row.get("stop_condition") or "")
    return (_status_in(stop, STOPS), f"stop_condition: {stop}") if turns > 1 and _status_in(stop, STOPS) else (None, "")


def _ended(row: Mapping[str, Any]) -> bool:
    """Whether the harness names a condition that stopped the rollout, none of its own limits, and nothing was cut."""
    stop = str(row.get("stop_condition") or "")
    return bool(stop) and _status_in(stop, STOPS) is None and row.get("is_truncated") is False


def _status_in(words: str, table: Mapping[str, Status]) -> Status | None:
    head = words.split("\n", 1)[0].split("(", 1)[0].split(":", 1)[0].lower()
    return next((status for part, status in table.items() if part in head), None)


def _episode_runs(path: Path) -> Iterator[ForeignRun]:
    """One run per agent."""
    agents = dict.fromkeys(
        str(as_mapping(trace.get("agent")).get("name") or "agent")
        for _, row in rows_of(path)
        if isinstance(row, dict)
        for trace in _traces(row)
    )
    config = path.parent / "config.toml"
    for number, agent in enumerate(agents):
        yield ForeignRun(
            (path, config),
            partial(_episode_rows, path, agent, with_unread=not number),
            name=f"@{agent}" if len(agents) > 1 else "",
            settings=_configuration(config) | ({"agent": agent} if len(agents) > 1 else {}),
        )


def _configuration(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}


def _traces(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The traces of an episode; a line of an early build is one trace."""
    return as_rows(row["traces"]) if "traces" in row else [row]


def _episode_rows(path: Path, agent: str, *, with_unread: bool) -> Iterator[dict[str, Any] | BadRecord]:
    """The rows of an agent; whose trace one is that cannot be read, nobody knows: the first agent's run says it."""
    attempts: Counter[str] = Counter()
    for number, row in rows_of(path):
        if isinstance(row, BadRecord):
            yield row
            continue
        listed = row.get("traces")
        for _ in range(len(listed) - len(_traces(row)) if with_unread and isinstance(listed, list) else 0):
            yield BadRecord("a trace that is no object", f"line {number}")
        for place, trace in enumerate(_traces(row)):
            if str(as_mapping(trace.get("agent")).get("name") or "agent") != agent:
                continue
            task = as_mapping(row.get("task")) or as_mapping(trace.get("task"))
            data = as_mapping(task.get("data"))
            key = next(
                (
                    candidate
                    for candidate in (task.get("key"), data.get("idx"), task.get("hash"))
                    if candidate is not None
                ),
                None,
            )
            if not isinstance(key, (str, int)):
                yield BadRecord("its task has no key", f"line {number}")
                continue
            part = f"line {number}" + (f", trace {place}" if "traces" in row else "")
            yield _trace_row(row, trace, str(key), attempts[str(key)], Place(path.name, part))
            attempts[str(key)] += 1


def _trace_row(
    episode: Mapping[str, Any], trace: Mapping[str, Any], task: str, attempt: int, place: Place
) -> dict[str, Any]:
    prompt, output, branches = _path(trace)
    calls = as_rows(trace.get("calls"))
    agent = as_mapping(trace.get("agent"))
    model = as_mapping(agent.get("config")).get("model")
    data = as_mapping(as_mapping(trace.get("task") or episode.get("task")).get("data"))
    status, reason = _trace_status(episode, trace, calls)
    answer = data.get("answer")
    return rollout_row(
        task,
        attempt,
        SourceVerdict(_reward(trace.get("rewards")), status, reason),
        place,
        prompt=prompt,
        output=output,
        model=model if isinstance(model, str) else None,
        tools=as_rows(trace.get("tools")),
        usage=_used(calls),
        verifier={
            "rewards": dict(as_mapping(trace.get("rewards"))) or None,
            "scores": dict(as_mapping(trace.get("metrics"))) or None,
            "expected_answer": answer if answer not in ("", None) else None,
            "stop_condition": trace.get("stop_condition"),
            "branches": branches if branches > 1 else None,
        },
        metadata=task_fields(data, ("idx", "prompt")),
    )


def _path(trace: Mapping[str, Any]) -> tuple[list[Item], list[Item], int]:
    """The branch that ends with the last message: what was given, what followed, and how many branches there are."""
    content = trace.get("nodes")
    nodes = content if isinstance(content, list) else []
    parents = [as_mapping(node).get("parent") for node in nodes]
    steps: list[Mapping[str, Any]] = []
    place: Any = len(nodes) - 1
    while isinstance(place, int) and 0 <= place < len(nodes) and len(steps) < len(nodes):
        steps.append(as_mapping(nodes[place]))
        place = parents[place]
    steps.reverse()
    first = next((at for at, node in enumerate(steps) if node.get("sampled") is True), None)
    if first is None:
        first = next((at for at, node in enumerate(steps) if role_of(node.get("message")) == "assistant"), len(steps))
    messages = [as_mapping(node.get("message")) for node in steps]
    branches = len(nodes) - len({parent for parent in parents if isinstance(parent, int)})
    return chat_items(messages[:first]), chat_items(messages[first:]), branches


def _reward(rewards: Any) -> float | None:
    """The weighted sum; None where nothing was scored, or not all of it."""
    total = 0.0
    for part in as_mapping(rewards).values():
        score = score_of(as_mapping(part).get("score", part if not isinstance(part, Mapping) else None))
        weight = score_of(as_mapping(part).get("weight", 1.0))
        if score is None or weight is None:
            return None
        total += score * weight
    return total if as_mapping(rewards) else None


def _trace_status(
    episode: Mapping[str, Any], trace: Mapping[str, Any], calls: Sequence[Mapping[str, Any]]
) -> tuple[Status | None, str]:
    errors = as_rows(trace.get("errors")) or as_rows(episode.get("errors"))
    flags = {
        "is_timeout": trace.get("is_timeout") or episode.get("is_timeout"),
        "stop_condition": trace.get("stop_condition"),
    }
    if errors:
        return _status({"error": {"error_type": errors[-1].get("type"), "message": errors[-1].get("message")}}, 0)
    if calls and calls[-1].get("finish_reason") == "length":
        return Status.TRUNCATED, "finish_reason: length"
    return _status(flags, len(calls))


def _used(calls: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    total: Counter[str] = Counter()
    for call in calls:
        total.update(usage_of(call.get("usage")) or {})
    return dict(total) or None
