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
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import orjson

from blade.files.sniff import Head, mostly
from blade.frozen import frozen
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
_TIMES = ("start_time", "generation_ms", "scoring_ms", "total_ms")
_PHASES = {"generation": "generation_seconds", "scoring": "scoring_seconds"}
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


@frozen
class _Evaluation:
    """What the rows of a file have in common."""

    path: Path
    environment: str
    pass_bound: float | None
    model: str | None
    tools: Any
    sampling: Mapping[str, Any]
    state_columns: tuple[str, ...]
    repeats: int
    """Attempts that each example should have; 0 where nobody says it."""
    examples: Mapping[bytes | str, str]
    """Prompt → the number of its example, where ids are not believed."""
    unspoken: bool
    """Whether every turn of the model is reasoning alone."""


def _completion_runs(path: Path, first: Mapping[str, Any]) -> Iterator[ForeignRun]:
    """Evaluations are one run, trainings one per step."""
    metadata = as_mapping(document(path.parent / "metadata.json"))
    training = as_mapping(metadata.get("run"))
    trained, answers = "step" in first, _Answers()
    by_step = lines_by(path, answers.step_of) if trained else {}
    examples = {} if trained else _examples(path, answers, numbered=IDS[0] in first)
    steps: list[Any] = list(by_step) or [None]
    settings = {key: metadata[key] for key in _SETTINGS if metadata.get(key) not in (None, {})}
    settings |= {key: training[key] for key in _TRAINING if training.get(key) is not None}
    settings |= {"example_ids": "contradict the prompts, by which examples are told apart"} if examples else {}
    unspoken = answers.only_reason
    settings |= {"answers": f"stand in {_REASONING}: no turn holds words or a call beside it"} if unspoken else {}
    evaluation = _evaluation(path, metadata, examples, trained=trained, unspoken=unspoken)
    for step in steps:
        expected: dict[str, int] = {}
        yield ForeignRun(
            (path, path.parent / "metadata.json"),
            partial(_completion_rows, evaluation, by_step.get(step), expected),
            name=f"@step {step}" if len(steps) > 1 else "",
            settings=settings | ({"step": step} if step is not None else {}),
            reported=score_of(metadata.get("avg_reward")),
            expected=expected,
        )


def _evaluation(
    path: Path, metadata: Mapping[str, Any], examples: Mapping[bytes | str, str], *, trained: bool, unspoken: bool
) -> _Evaluation:
    model = metadata.get("model") or as_mapping(metadata.get("run")).get("base_model")
    columns, repeats = metadata.get("state_columns"), metadata.get("rollouts_per_example")
    return _Evaluation(
        path,
        environment=str(metadata.get("env_id") or metadata.get("env") or ""),
        pass_bound=score_of(metadata.get("pass_threshold")),
        model=model if isinstance(model, str) else None,
        tools=metadata.get("tools"),
        sampling=as_mapping(metadata.get("sampling_args")),
        state_columns=tuple(name for name in columns if isinstance(name, str)) if isinstance(columns, list) else (),
        repeats=repeats if isinstance(repeats, int) and not trained else 0,
        examples=examples,
        unspoken=unspoken,
    )


class _Answers:
    """Whether the model only reasons: looked for in one row after the other, until one holds words or a call."""

    def __init__(self) -> None:
        self.speaks = False
        self._turns = 0

    @property
    def only_reason(self) -> bool:
        return self._turns > 1 and not self.speaks

    def note(self, row: Mapping[str, Any]) -> None:
        for message in as_rows(json_value(row.get("completion"))):
            if role_of(message) != "assistant":
                continue
            if message.get("tool_calls") or content_words(message.get("content")).strip():
                self.speaks = True
                return
            self._turns += bool(message.get(_REASONING))

    def step_of(self, row: Mapping[str, Any]) -> str:
        """The step of a row of a training, whose answers are looked at in passing."""
        if not self.speaks:
            self.note(row)
        return str(row.get("step"))


def _examples(path: Path, answers: _Answers, *, numbered: bool) -> dict[bytes | str, str]:
    """Prompt → its number, where ids name several prompts each and prompts bear several ids; else nothing."""
    prompts: defaultdict[str, set[bytes | str]] = defaultdict(set)
    ids: defaultdict[bytes | str, set[str]] = defaultdict(set)
    for _, row in rows_of(path):
        if not isinstance(row, dict):
            continue
        if not answers.speaks:
            answers.note(row)
        elif numbered:
            break
        if not numbered:
            prompt, example = _prompt_key(row), str(row.get(IDS[-1]))
            prompts[example].add(prompt)
            ids[prompt].add(example)
    repeated = [names for names in ids.values() if len(names) > 1]
    if not repeated or not any(len(of_id) > 1 for of_id in prompts.values()):
        return {}
    return {prompt: str(number) for number, prompt in enumerate(ids)}


def _prompt_key(row: Mapping[str, Any]) -> bytes | str:
    try:
        return orjson.dumps(row.get("prompt"), option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a number of more than 64 bits, half a character
        return json.dumps(row.get("prompt"), sort_keys=True)


def _completion_rows(
    evaluation: _Evaluation, of_step: Sequence[Spot] | None, expected: dict[str, int]
) -> Iterator[dict[str, Any] | BadRecord]:
    """The rows, of a training those of one step, and in `expected` the attempts that their examples should have.

    An evaluation says how many; of a training only what was written is known, as examples are drawn by chance.
    """
    path, examples = evaluation.path, evaluation.examples
    attempts: Counter[str] = Counter()
    for number, row in rows_of(path) if of_step is None else rows_at(path, of_step):
        if isinstance(row, BadRecord):
            yield row
            continue
        example = _example(row)
        if example is None:
            yield BadRecord(f"it has no {IDS[0]}", f"line {number}")
            continue
        task = _task(row, examples[_prompt_key(row)] if examples else example, evaluation.environment)
        attempt = attempts[task]
        yield _completion_row(row, task, attempt, Place(path.name, f"line {number}"), evaluation)
        attempts[task] = attempt + 1
        expected[task] = max(attempt + 1, evaluation.repeats)


def _example(row: Mapping[str, Any]) -> str | None:
    """The id of an example, under the first of its names."""
    for key in IDS:
        if isinstance(row.get(key), (str, int)):
            return str(row[key])
    return None


def _said(completion: Any) -> list[Any]:
    """The turns with their reasoning as their words."""
    return [
        {**message, "content": message.get(_REASONING), _REASONING: None}
        if role_of(message) == "assistant"
        else message
        for message in as_rows(completion)
    ]


def _task(row: Mapping[str, Any], example: str, environment: str) -> str:
    """An example of an environment, behind the name of the one it is from where an environment is made of several."""
    group = row.get("task")
    if not isinstance(group, str) or group in {"", "default"}:
        return example
    environment = environment or str(row.get("env_name") or "")
    return example if not environment or environment.endswith(group) else f"{group}/{example}"


def _completion_row(
    row: Mapping[str, Any], task: str, attempt: int, place: Place, evaluation: _Evaluation
) -> dict[str, Any]:
    info = as_mapping(json_value(row.get("info")))
    completion = json_value(row.get("completion"))
    if evaluation.unspoken:
        completion = _said(completion)
    answer = row.get("answer")
    tools = row.get("tool_defs") or row.get("oai_tools") or info.get("oai_tools") or evaluation.tools
    return rollout_row(
        task,
        attempt,
        _verdict(row, completion, evaluation.pass_bound),
        place,
        prompt=_items(json_value(row.get("prompt")), "user"),
        output=_items(completion, "assistant"),
        model=evaluation.model,
        tools=as_rows(tools),
        sampling=evaluation.sampling,
        usage=usage_of(row.get("token_usage") or _training_tokens(row)),
        verifier={
            "scores": as_mapping(json_value(row.get("metrics"))) or None,
            "expected_answer": answer if answer not in ("", None) else None,
            "stop_condition": row.get("stop_condition"),
            "state": _words_of_state(row, evaluation.state_columns) or None,
        },
        metadata=task_fields(info),
        timing=_timing(row),
    )


def _words_of_state(row: Mapping[str, Any], columns: Sequence[str]) -> dict[str, str]:
    """What the environment calls the end of a rollout: its columns of state that hold a short text."""
    words = {name: row.get(name) for name in columns}
    return {name: text for name, text in words.items() if isinstance(text, str) and 0 < len(text) <= LONGEST_WORDS}


def _training_tokens(row: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens of a training's row; 0 where they were not counted."""
    return {
        "input_tokens": row.get("num_input_tokens") or None,
        "output_tokens": row.get("num_output_tokens") or None,
    }


def _items(messages: Any, role: str) -> list[Item]:
    if isinstance(messages, list):
        return chat_items(with_call_ids(messages))
    text = content_words(messages)
    return [text_item(role, text)] if text else []


def _timing(row: Mapping[str, Any]) -> dict[str, Any]:
    record = as_mapping(json_value(row.get("timing"))) or row
    times = {key: record.get(key) for key in _TIMES}
    for key, name in _PHASES.items():
        times[name] = as_mapping(record.get(key)).get("duration")
    return {key: value for key, value in times.items() if isinstance(value, (int, float))}


def _verdict(row: Mapping[str, Any], completion: Any, pass_bound: float | None) -> SourceVerdict:
    """By the error, the flags and the stop condition. One turn that is all there may be is no limit reached."""
    reward = score_of(row.get("reward"))
    passed = None if reward is None or pass_bound is None else reward >= pass_bound
    error = json_value(row.get("error"))
    if error:
        return SourceVerdict(reward, *_trouble(error), passed)
    if row.get("is_truncated") is True:
        return SourceVerdict(reward, Status.TRUNCATED, "is_truncated", passed)
    if row.get("is_timeout") is True:
        return SourceVerdict(reward, Status.TIMED_OUT, "is_timeout", passed)
    stop = str(row.get("stop_condition") or "")
    limit = _limit(stop)
    if limit is not None and sum(role_of(message) == "assistant" for message in as_rows(completion)) > 1:
        return SourceVerdict(reward, limit, f"stop_condition: {stop}", passed)
    ended = bool(stop) and limit is None and row.get("is_truncated") is False
    return SourceVerdict(reward, None, "", passed, ended)


def _trouble(error: Any) -> tuple[Status, str]:
    """What an error says of a rollout."""
    details = as_mapping(error)
    words = str(details.get("error_type") or details.get("type") or error or "")
    detail = details.get("error_chain_repr") or details.get("message") or details.get("error")
    return _status_in(words, ERRORS) or Status.INFRASTRUCTURE, f"{words}: {detail}"[:300] if detail else words[:300]


@lru_cache(maxsize=1024)
def _limit(stop: str) -> Status | None:
    """The limit that a stop condition names; None where it is no limit."""
    return _status_in(stop, STOPS)


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
    if errors:
        return _trouble({"error_type": errors[-1].get("type"), "message": errors[-1].get("message")})
    if calls and calls[-1].get("finish_reason") == "length":
        return Status.TRUNCATED, "finish_reason: length"
    if (trace.get("is_timeout") or episode.get("is_timeout")) is True:
        return Status.TIMED_OUT, "is_timeout"
    stop = str(trace.get("stop_condition") or "")
    limit = _limit(stop) if len(calls) > 1 else None
    return (None, "") if limit is None else (limit, f"stop_condition: {stop}")


def _used(calls: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    total: Counter[str] = Counter()
    for call in calls:
        total.update(usage_of(call.get("usage")) or {})
    return dict(total) or None
