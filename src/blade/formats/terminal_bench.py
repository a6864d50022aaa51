"""Terminal-Bench 1 results: a `results.json` with every trial of a run, without transcripts.

Several such files in one folder, or in one glob, are further attempts of one run, as leaderboard folders keep them. A
run that was killed before it wrote its file is read from the results of its trials.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.files.sniff import Head, document_of
from blade.model import Status
from blade.translate.chat import text_item
from blade.translate.documents import as_mapping, as_rows, document, records_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of

VERSION = 2
FAILURES = {
    "agent_timeout": Status.TIMED_OUT,
    "context_length_exceeded": Status.TRUNCATED,
    "output_length_exceeded": Status.TRUNCATED,
    "fatal_llm_parse_error": Status.MALFORMED,
    "unknown_agent_error": Status.INFRASTRUCTURE,
    "agent_installation_failed": Status.INFRASTRUCTURE,
    "test_timeout": Status.VERIFIER_ERROR,
    "parse_error": Status.VERIFIER_ERROR,
}
"""`failure_mode` as a status; `unset` and `none` say nothing, also not that the agent began."""
TAIL = 20_000
_OF = re.compile(r"\.(\d{1,4})-of-(\d{1,4})\.")
_TIMES = (
    "trial_started_at",
    "trial_ended_at",
    "agent_started_at",
    "agent_ended_at",
    "test_started_at",
    "test_ended_at",
)
METADATA, LOCK = "run_metadata.json", "tb.lock"
_METADATA = ("agent_name", "model_name", "dataset_name", "dataset_version", "n_attempts", "n_concurrent_trials")


def recognises(head: Head) -> bool:
    content = document_of(head)
    if not isinstance(content, dict):
        return False
    trials = as_rows(content.get("results"))
    return _is_trial(content) or (bool(trials) and _is_trial(trials[0]))


def recognises_folder(folder: Path) -> bool:
    """A run that was killed: its settings and its trials, but no file of its own."""
    begun = any((folder / name).is_file() for name in (METADATA, LOCK))
    return begun and not (folder / "results.json").is_file() and bool(_of_trials(folder))


def _is_trial(row: Mapping[str, Any]) -> bool:
    return {"trial_name", "is_resolved", "task_id"} <= row.keys()


def _of_trials(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*/results.json"))


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    """All files at once are one run: each further one adds attempts."""
    files = [file for path in paths for file in (_of_trials(path) if path.is_dir() else [path])]
    of_one_run = len(files) == 1 or paths[0].is_dir()
    together = not of_one_run and len({file.parent for file in files}) == 1
    first = files[0].parent if together else paths[0]
    folder = first if first.is_dir() else first.parent
    yield ForeignRun(
        tuple(dict.fromkeys((first, *files, *_beside(folder, files)))),
        partial(_rows, files),
        settings=_settings(folder),
        reported=_accuracy(files),
        expected=_expected(_neighbour(folder, METADATA)) if of_one_run else {},
    )


def _beside(folder: Path, files: Sequence[Path]) -> Iterator[Path]:
    """What is read with the files: the settings of the run, and what the terminals showed."""
    yield from (file for name in (METADATA, LOCK) if (file := folder / name).is_file())
    for file in files:
        yield from sorted(file.parent.glob("panes/post-*.txt"))
        yield from sorted(file.parent.glob("*/*/panes/post-*.txt"))


def _neighbour(folder: Path, name: str) -> Mapping[str, Any]:
    return as_mapping(document(folder / name)) if (folder / name).is_file() else {}


def _settings(folder: Path) -> dict[str, Any]:
    metadata, lock = _neighbour(folder, METADATA), _neighbour(folder, LOCK)
    settings = {name: metadata.get(name) for name in _METADATA} | {
        "agent_import_path": as_mapping(lock.get("agent")).get("import_path"),
        "terminal_bench": as_mapping(lock.get("harness")).get("version"),
        **{name: value for name, value in as_mapping(lock.get("run_config")).items() if "timeout" in name},
    }
    return {name: value for name, value in settings.items() if value not in (None, "", [], {})}


def _expected(metadata: Mapping[str, Any]) -> dict[str, int]:
    tasks, attempts = metadata.get("task_ids"), metadata.get("n_attempts")
    number = attempts if isinstance(attempts, int) and 0 < attempts < 10_000 else 1
    return {task: number for task in tasks if isinstance(task, str)} if isinstance(tasks, list) else {}


def _accuracy(files: Sequence[Path]) -> float | None:
    """The mean over the files of the accuracy they state."""
    accuracies = [score_of(as_mapping(document(file)).get("accuracy")) for file in files]
    numbers = [value for value in accuracies if value is not None]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(accuracies) else None


def _rows(files: Sequence[Path]) -> Iterator[dict[str, Any] | BadRecord]:
    """Attempts of a later file come after those of the files before it; single trials count by their own number."""
    before = 0
    for file in files:
        content = document(file)
        if isinstance(content, dict) and _is_trial(content):
            yield _row(file, "", content, _numbered(content)[0])
            continue
        panes = _has_folders(file.parent)
        most = 0
        for place, trial in records_of(as_mapping(content).get("results"), "/results"):
            if isinstance(trial, BadRecord):
                yield trial
                continue
            number, attempts = _numbered(trial)
            most = max(most, attempts)
            if isinstance(trial.get("task_id"), str):
                yield _row(file, place, trial, before + number, panes=panes)
            else:
                yield BadRecord("a trial without a task_id", place)
        before += most


def _has_folders(folder: Path) -> bool:
    """Whether trials may have left folders beside the results."""
    try:
        return any(inner.is_dir() for inner in folder.iterdir())
    except OSError:
        return False


def _numbered(trial: Mapping[str, Any]) -> tuple[int, int]:
    """Which attempt a trial is, from 0, and of how many at the least."""
    match = _OF.search(str(trial.get("trial_name") or ""))
    if match is None:
        return 0, 1
    number, attempts = int(match[1]), int(match[2])
    return max(number, 1) - 1, max(1, attempts, number)


def _row(file: Path, pointer: str, trial: Mapping[str, Any], attempt: int, *, panes: bool = True) -> dict[str, Any]:
    mode = str(trial.get("failure_mode") or "")
    score = score_of(trial.get("is_resolved"))
    instruction = trial.get("instruction")
    return rollout_row(
        str(trial.get("task_id")),
        attempt,
        SourceVerdict(score, FAILURES.get(mode), mode, passed=None if score is None else score > 0),
        Place(file.name, pointer),
        prompt=[text_item("user", instruction)] if isinstance(instruction, str) and instruction else [],
        output=None,
        verifier=_verifier(file, trial, panes=panes),
        timing={name: trial[name] for name in _TIMES if trial.get(name)},
    )


def _verifier(file: Path, trial: Mapping[str, Any], *, panes: bool) -> dict[str, Any]:
    tests = {
        str(name): result
        for name, result in as_mapping(trial.get("parser_results")).items()
        if result in ("passed", "failed")
    }
    ended: dict[str, Any] = {"failure_mode": mode} if isinstance(mode := trial.get("failure_mode"), str) else {}
    if not panes:
        return ended | ({"tests": tests} if tests else {})
    name, task = str(trial.get("trial_name") or ""), str(trial.get("task_id") or "")
    folder = file.parent if file.parent.name == name else file.parent / task / name
    verifier = {
        "tests": tests,
        "test_stdout": _pane(folder, "post-test.txt"),
        "agent_screen": _pane(folder, "post-agent.txt"),
    }
    return ended | {key: value for key, value in verifier.items() if value}


def _pane(folder: Path, name: str) -> str:
    """The end of what a terminal showed; nothing where it was not kept."""
    file = folder / "panes" / name
    try:
        return file.read_bytes()[-TAIL:].decode("utf-8", errors="replace") if ".." not in file.parts else ""
    except (OSError, ValueError):
        return ""
