"""Harbor job folders with a folder for each trial, and ATIF trajectories, also those that stand alone.

A job is a run, a trial an attempt; trials of a task are counted in the order they started. A job whose folder lost its
own `result.json` is known by its trials. Several jobs given as one glob of `result.json` files are one run. ATIF files
that stand alone are attempts without a verdict.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from blade.files.sniff import Head, document_of
from blade.model import Status
from blade.translate.atif import Trajectory, continued, is_atif, trajectory, usage_of
from blade.translate.documents import as_mapping, as_rows, document
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of

VERSION = 2
LOOKED_INTO = 40
"""Folders that are looked into to know a job without a file of its own."""
LONGEST_OUTPUT = 20_000
LONGEST_MESSAGE = 2000
"""Characters that are kept at each end of what the verifier printed, and of an error."""
_PHASES = ("environment_setup", "agent_setup", "agent_execution", "verifier")
_EXIT = re.compile(r"\(exit (-?\d+)\)")
_CONTINUED = re.compile(r"\.cont-\d+$")
_SUFFIX = re.compile(r"__[A-Za-z0-9]{5,10}$")

_TIMED_OUT = "AgentTimeoutError"
_TRUNCATED = "ContextWindowExceededError ContextLengthExceededError OutputTokenExceededError OutputLengthExceededError"
_VERIFIER = (
    "VerifierTimeoutError RewardFileNotFoundError RewardFileEmptyError VerifierOutputParseError AddTestsDirError "
    "DownloadVerifierDirError"
)
_INFRASTRUCTURE = (
    "AgentSetupTimeoutError HealthcheckError HealthcheckTimeoutError OutOfMemoryError RateLimitError "
    "AuthenticationError PermissionDeniedError NotFoundError InternalServerError ServiceUnavailableError "
    "BadGatewayError CancelledError KeyboardInterrupt ConnectionError ConnectError ConnectTimeout ReadTimeout"
)
EXCEPTIONS = (
    dict.fromkeys(_TIMED_OUT.split(), Status.TIMED_OUT)
    | dict.fromkeys(_TRUNCATED.split(), Status.TRUNCATED)
    | dict.fromkeys(_VERIFIER.split(), Status.VERIFIER_ERROR)
    | dict.fromkeys(_INFRASTRUCTURE.split(), Status.INFRASTRUCTURE)
)
"""What an exception says of an attempt; any other class is kept as a word."""
_FRONTS = ("Api", "API", "Sandbox", "Daytona", "Modal", "Environment", "SSH", "GKE", "E2B", "Docker")
"""How exceptions of sandboxes and providers begin."""


def recognises(head: Head) -> bool:
    content = document_of(head)
    return isinstance(content, dict) and (_is_trial(content) or _is_job(content) or is_atif(content))


def recognises_folder(folder: Path) -> bool:
    result = as_mapping(document(folder / "result.json")) if (folder / "result.json").is_file() else {}
    if result:
        return _is_job(result) or _is_trial(result)
    inner = _folders(folder)[:LOOKED_INTO]
    return any(
        _is_trial(as_mapping(document(subfolder / "result.json")))
        for subfolder in inner
        if (subfolder / "result.json").is_file()
    )


def _is_job(result: Mapping[str, Any]) -> bool:
    return "n_total_trials" in result and isinstance(result.get("stats"), Mapping)


def _is_trial(result: Mapping[str, Any]) -> bool:
    return {"task_name", "trial_name"} <= result.keys() and bool({"agent_info", "config"} & result.keys())


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(subfolder for subfolder in folder.iterdir() if subfolder.is_dir() and not subfolder.is_symlink())
    except OSError:
        return []


@dataclass(slots=True)
class _Trial:
    """A trial without its trajectory."""

    folder: Path
    result: Mapping[str, Any]
    attempt: int = 0
    files: list[Path] = field(default_factory=list)

    @property
    def task(self) -> str:
        return str(self.result.get("task_name") or _SUFFIX.sub("", self.folder.name))

    @property
    def config(self) -> Mapping[str, Any]:
        return as_mapping(self.result.get("config"))

    @property
    def agent(self) -> str:
        agent_config = as_mapping(self.config.get("agent"))
        return str(
            as_mapping(self.result.get("agent_info")).get("name")
            or agent_config.get("name")
            or agent_config.get("import_path")
            or ""
        )

    @property
    def model(self) -> str | None:
        info = as_mapping(as_mapping(self.result.get("agent_info")).get("model_info"))
        model = as_mapping(self.config.get("agent")).get("model_name") or info.get("name")
        return model if isinstance(model, str) and model else None


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    jobs: list[Path] = []
    single: list[Path] = []
    alone: list[Path] = []
    for path in paths:
        if path.is_file() and is_atif(document(path)):
            alone.append(path)
            continue
        folder = path if path.is_dir() else path.parent
        result = as_mapping(document(folder / "result.json")) if (folder / "result.json").is_file() else {}
        (single if _is_trial(result) else jobs).append(folder)
    for job in jobs:
        yield from _runs(job, job, [trial for inner in _folders(job) if (trial := _trial(inner))])
    if single:
        yield from _runs(single[0], None, [trial for folder in single if (trial := _trial(folder))])
    yield from _without_job(alone)


def _runs(first: Path, job: Path | None, trials: Sequence[_Trial]) -> Iterator[ForeignRun]:
    """One run for each agent and model of a job."""
    job_result = as_mapping(document(job / "result.json")) if job and (job / "result.json").is_file() else {}
    config = as_mapping(document(job / "config.json")) if job and (job / "config.json").is_file() else {}
    groups: dict[str, list[_Trial]] = {}
    attempts: Counter[tuple[str, str]] = Counter()
    for trial in sorted(trials, key=lambda trial: (str(trial.result.get("started_at") or ""), trial.folder.name)):
        name = "@".join(filter(None, (trial.agent, trial.model)))
        trial.attempt = attempts[name, trial.task]
        attempts[name, trial.task] += 1
        groups.setdefault(name, []).append(trial)
    evals = as_mapping(as_mapping(job_result.get("stats")).get("evals"))
    for name, group in groups.items():
        alone = len(groups) == 1
        job_files = [job / "result.json", job / "config.json"] if job else []
        files = (
            first,
            *(file for file in job_files if file.is_file()),
            *(file for trial in group for file in trial.files),
        )
        yield ForeignRun(
            files,
            partial(_rows, first, group),
            name="" if alone else name,
            settings=_settings(group, config),
            reported=_mean(evals) if alone and len(evals) == 1 else None,
            expected=_expected(group, config, evals if alone else {}),
        )


def _trial(folder: Path) -> _Trial | None:
    """A trial folder; one that was killed has its configuration only."""
    result = as_mapping(document(folder / "result.json")) if (folder / "result.json").is_file() else {}
    files = [file for name in ("result.json", "config.json") if (file := folder / name).is_file()]
    if not _is_trial(result):
        config = as_mapping(document(folder / "config.json")) if (folder / "config.json").is_file() else {}
        if "trial_name" not in config:
            return None
        path = as_mapping(config.get("task")).get("path")
        result = {"task_name": Path(path).name if isinstance(path, str) else None, "config": config, "killed": True}
    verifier_files = ("verifier/reward.txt", "verifier/reward.json", "verifier/ctrf.json", "verifier/test-stdout.txt")
    files += [file for name in verifier_files if (file := folder / name).is_file()]
    return _Trial(folder, result, files=[*files, *_trajectory_files(folder)])


def _trajectory_files(folder: Path) -> list[Path]:
    """Where the agent, or a custom one through its artifacts, left its trajectory."""
    for place in ("agent", "artifacts"):
        if (file := folder / place / "trajectory.json").is_file():
            return _with_continuations(file)
    trajectories = (step / "agent" / "trajectory.json" for step in _folders(folder / "steps"))
    return [part for file in trajectories if file.is_file() for part in _with_continuations(file)]


def _with_continuations(file: Path) -> list[Path]:
    """A trajectory and the files beside it that it may go on in."""
    return [file, *(other for other in sorted(file.parent.glob("*.json")) if other != file)]


def _mean(evals: Mapping[str, Any]) -> float | None:
    for stats in evals.values():
        for metric in as_rows(as_mapping(stats).get("metrics")):
            if "mean" in metric:
                return score_of(metric["mean"])
    return None


def _expected(trials: Sequence[_Trial], config: Mapping[str, Any], evals: Mapping[str, Any]) -> dict[str, int]:
    """Attempts of every task that the job names: by its trials, or in its statistics where their folders are gone."""
    attempts = config.get("n_attempts")
    if not isinstance(attempts, int) or not 0 < attempts < 10_000:
        return {}
    stated_tasks = {
        _SUFFIX.sub("", name)
        for stats in evals.values()
        for name in _trial_names(as_mapping(stats).get("reward_stats"))
    }
    stated_tasks |= {
        _SUFFIX.sub("", name)
        for stats in evals.values()
        for name in _trial_names(as_mapping(stats).get("exception_stats"))
    }
    trial_tasks = {trial.task for trial in trials}
    stems = {_SUFFIX.sub("", trial.folder.name) for trial in trials}
    return dict.fromkeys([*sorted(trial_tasks), *sorted(stated_tasks - trial_tasks - stems)], attempts)


def _trial_names(stats: Any) -> Iterator[str]:
    """The trial names in a table of any depth."""
    if isinstance(stats, Mapping):
        for inner in stats.values():
            yield from _trial_names(inner)
    elif isinstance(stats, list):
        yield from (name for name in stats if isinstance(name, str))


def _settings(trials: Sequence[_Trial], config: Mapping[str, Any]) -> dict[str, Any]:
    first = trials[0]
    trial_config = first.config
    agent = as_mapping(trial_config.get("agent"))
    settings = {
        "model": first.model,
        "agent": first.agent,
        "agent_version": as_mapping(first.result.get("agent_info")).get("version"),
        "agent_kwargs": agent.get("kwargs"),
        "dataset": [
            {key: dataset[key] for key in ("name", "version", "path") if dataset.get(key)}
            for dataset in as_rows(config.get("datasets"))
        ]
        or first.result.get("source"),
        "n_attempts": config.get("n_attempts"),
        "environment": as_mapping(trial_config.get("environment")).get("type"),
        **{key: trial_config.get(key) for key in trial_config if key.endswith("timeout_multiplier")},
        **{key: agent.get(key) for key in ("override_timeout_sec", "max_timeout_sec")},
    }
    return {name: value for name, value in settings.items() if value not in (None, "", [], {})}


def _rows(first: Path, trials: Sequence[_Trial]) -> Iterator[dict[str, Any] | BadRecord]:
    for trial in trials:
        yield _row(first, trial)


def _row(first: Path, trial: _Trial) -> dict[str, Any]:
    result = trial.result
    rewards = _rewards(trial)
    transcript = _trajectory(trial)
    agent_result = as_mapping(result.get("agent_result"))
    usage = usage_of(
        agent_result.get("n_input_tokens"), agent_result.get("n_output_tokens"), agent_result.get("n_cache_tokens")
    )
    if isinstance(agent_result.get("cost_usd"), (int, float)):
        usage["cost"] = agent_result["cost_usd"]
    place = trial.folder.relative_to(first).as_posix() if trial.folder.is_relative_to(first) else trial.folder.name
    metadata = {"source": result.get("source"), "task_checksum": result.get("task_checksum")}
    row = rollout_row(
        trial.task,
        trial.attempt,
        _verdict(trial, rewards),
        Place(f"{place}/result.json" if place != "." else "result.json"),
        prompt=transcript.prompt if transcript else [],
        output=transcript.output if transcript else None,
        model=trial.model or (transcript.model if transcript else None),
        tools=transcript.tools if transcript else [],
        usage=usage or (transcript.usage if transcript else None) or None,
        verifier=_verifier(trial, rewards),
        metadata={name: value for name, value in metadata.items() if value},
        timing=_timing(result),
        agent=trial.agent or None,
    )
    exception = _exception(result)
    if exception:
        message = str(exception.get("exception_message") or "")
        row["exception"] = {
            "class": str(exception.get("exception_type") or ""),
            "text": _both_ends(message, LONGEST_MESSAGE),
        }
        if code := _EXIT.search(message[:LONGEST_MESSAGE]):
            row["agent_exit_code"] = int(code[1]) if len(code[1]) < 10 else 1
    return row


def _both_ends(text: str, length: int) -> str:
    """A long text with its beginning and its end: the one says what was run and failed, the other what it came to."""
    return text if len(text) <= 2 * length else f"{text[:length]}\n…\n{text[-length:]}"


def _exception(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """The exception of a trial, else of the first of its steps that has one."""
    trial_exception = as_mapping(result.get("exception_info"))
    steps = (as_mapping(step.get("exception_info")) for step in as_rows(result.get("step_results")))
    return trial_exception or next(filter(None, steps), {})


def _rewards(trial: _Trial) -> dict[str, float | None]:
    """Rewards by name, the one that counts first; what the verifier wrote where the result does not say."""
    rewards = as_mapping(as_mapping(trial.result.get("verifier_result")).get("rewards"))
    steps = as_rows(trial.result.get("step_results"))
    if not rewards and steps:
        step_rewards = [_first(as_mapping(as_mapping(step.get("verifier_result")).get("rewards"))) for step in steps]
        graded = [reward for reward in step_rewards if reward is not None]
        return {"reward": sum(graded) / len(step_rewards)} if graded else {}
    if not rewards:
        rewards = as_mapping(_document(trial, "reward.json"))
    if not rewards and (text := _text(trial, "reward.txt").strip()):
        rewards = {"reward": text}
    names = sorted(rewards, key=lambda name: name != "reward")
    return {str(name): score_of(rewards[name]) for name in names}


def _first(rewards: Mapping[str, Any]) -> float | None:
    return score_of(rewards.get("reward", next(iter(rewards.values()), None)))


def _document(trial: _Trial, name: str) -> Any:
    file = trial.folder / "verifier" / name
    return document(file) if file.is_file() else None


def _text(trial: _Trial, name: str) -> str:
    try:
        return (trial.folder / "verifier" / name).read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return ""


def _verdict(trial: _Trial, rewards: Mapping[str, float | None]) -> SourceVerdict:
    reward = next(iter(rewards.values()), None)
    name = str(_exception(trial.result).get("exception_type") or "")
    status = EXCEPTIONS.get(name)
    if status is None and name.startswith(_FRONTS):
        status = Status.INFRASTRUCTURE
    if trial.result.get("killed"):
        return SourceVerdict(reward, None if rewards else Status.INFRASTRUCTURE, "the trial has no result.json")
    return SourceVerdict(reward, status, name)


def _verifier(trial: _Trial, rewards: Mapping[str, float | None]) -> dict[str, Any]:
    report = as_mapping(as_mapping(_document(trial, "ctrf.json")).get("results"))
    tests = {
        str(test["name"]): test["status"]
        for test in as_rows(report.get("tests"))
        if test.get("status") in ("passed", "failed") and test.get("name")
    }
    printed = _both_ends(_text(trial, "test-stdout.txt"), LONGEST_OUTPUT)
    messages = {
        str(test["name"]): message
        for test in as_rows(report.get("tests"))
        if test.get("status") == "failed" and test.get("name") and (message := _test_message(test, printed))
    }
    steps = {
        str(step.get("step_name") or at): _first(as_mapping(as_mapping(step.get("verifier_result")).get("rewards")))
        for at, step in enumerate(as_rows(trial.result.get("step_results")))
    }
    verifier = {
        "scores": dict(rewards) if len(rewards) > 1 else None,
        "tests": tests,
        "test_messages": messages,
        "steps": {name: value for name, value in steps.items() if value is not None},
        "test_stdout": printed,
    }
    return {name: value for name, value in verifier.items() if value}


def _test_message(test: Mapping[str, Any], printed: str) -> str:
    """What a failed test says: its message, and the end of its traceback where the verifier's output lacks it."""
    message, trace = (str(test.get(name) or "").strip() for name in ("message", "trace"))
    already_printed = not trace or trace.rsplit("\n", 1)[-1] in printed
    return "\n".join(filter(None, (message[:LONGEST_MESSAGE], "" if already_printed else trace[-LONGEST_MESSAGE:])))


def _trajectory(trial: _Trial) -> Trajectory | None:
    documents = []
    for file in trial.files:
        if file.name == "trajectory.json" and is_atif(first := document(file)):
            documents += continued(first, partial(_neighbour, file))
    return trajectory(documents) if documents else None


def _neighbour(first: Path, name: str) -> Any:
    file = first.parent / Path(name).name
    return document(file) if file.is_file() else None


def _timing(result: Mapping[str, Any]) -> dict[str, Any]:
    """Times as the source has them; a phase that never began is left out."""
    times = {name: result.get(name) for name in ("started_at", "finished_at") if result.get(name)}
    phases = {name: dict(as_mapping(result.get(name))) for name in _PHASES if as_mapping(result.get(name))}
    return times | phases


def _without_job(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    """Trajectories alone: those of one agent and model are a run; a file that continues another is part of it."""
    by_agent: dict[str, dict[str, list[Path]]] = {}
    for path in sorted(paths, key=lambda path: (".cont-" in path.name, path.name)):
        agent = as_mapping(as_mapping(document(path)).get("agent"))
        agent_name = "@".join(str(agent[key]) for key in ("name", "model_name") if agent.get(key)) or "agent"
        task = _CONTINUED.sub("", path.name.removesuffix(".json")).removesuffix(".trajectory")
        by_agent.setdefault(agent_name, {}).setdefault(task, []).append(path)
    for agent_name, tasks in by_agent.items():
        files = tuple(file for task_files in tasks.values() for file in task_files)
        yield ForeignRun(files, partial(_ungraded, tasks), name=agent_name if len(by_agent) > 1 else "")


def _ungraded(tasks: Mapping[str, Sequence[Path]]) -> Iterator[dict[str, Any] | BadRecord]:
    for task, files in tasks.items():
        documents = [as_mapping(document(file)) for file in files]
        if len(documents) == 1:
            documents = continued(documents[0], partial(_neighbour, files[0]))
        if not is_atif(documents[0]):
            yield BadRecord("no ATIF trajectory", files[0].name)
            continue
        transcript = trajectory(documents)
        yield rollout_row(
            task,
            0,
            SourceVerdict(None),
            Place(files[0].name),
            prompt=transcript.prompt,
            output=transcript.output,
            model=transcript.model,
            tools=transcript.tools,
            usage=transcript.usage or None,
            agent=transcript.agent,
        )
