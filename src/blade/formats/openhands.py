"""OpenHands `output.jsonl`: histories of agents, with verdicts of the evaluation beside them where there are any.

Verdicts stand in `output.swebench_eval.jsonl`, in a `report.json` of SWE-bench, or in the rows themselves; a row
without one was not graded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.files.sniff import Head, mostly, peek, plain_name
from blade.model import Status
from blade.translate.chat import content_words, text_item
from blade.translate.documents import as_mapping, document, rows_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.openhands_events import conversation
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of
from blade.translate.task_fields import task_fields
from blade.translate.usage import usage_of

VERSION = 1
ERRORS = (
    (re.compile(r"maximum iteration|max(?:imum)?_?iterations|budget", re.IGNORECASE), Status.TIMED_OUT),
    (re.compile(r"context.?window|context length", re.IGNORECASE), Status.TRUNCATED),
    (re.compile(r"FunctionCall\w*Error|Malformed", re.IGNORECASE), Status.MALFORMED),
    (re.compile(r"stuck.?in.?(?:a.?)?loop", re.IGNORECASE), None),
)
"""Errors that are the agent's or its limit's; every other one is infrastructure."""
_EVALUATED = re.compile(r"\.\w*_?eval\.jsonl$")
_LONGEST_ERROR = 300
_SETTINGS = ("agent_class", "max_iterations", "dataset", "split", "prompt_path", "critic", "workspace_type")
_SAMPLING = ("temperature", "top_p", "top_k", "max_output_tokens", "reasoning_effort", "seed")


def recognises(head: Head) -> bool:
    return mostly(head, _is_output)


def _is_output(row: Mapping[str, Any]) -> bool:
    resolver = {"issue", "git_patch", "success"} <= row.keys()
    return isinstance(row.get("history"), list) and ({"instance_id", "test_result"} <= row.keys() or resolver)


def recognises_folder(folder: Path) -> bool:
    """A folder with an output: reports and logs in it are of its evaluation, and no runs of their own."""
    return bool(_outputs(folder))


def _outputs(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.glob("output*.jsonl*")) if recognises(peek(file))]


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    """One run per output; a file of the evaluation gives the verdicts of the output beside it."""
    paths = [file for path in paths for file in (_outputs(path) if path.is_dir() else [path])]
    evaluated = {path for path in paths if _EVALUATED.search(plain_name(path))}
    attempts = {path for path in paths if ".critic_attempt_" in path.name or "_errors." in path.name}
    folders = {path.parent for path in paths if path not in evaluated | attempts}
    for path in paths:
        if path in evaluated | attempts and path.parent in folders:
            continue
        evaluations = [
            evaluation for evaluation in evaluated if evaluation.parent == path.parent and evaluation != path
        ]
        report = path.parent / "report.json"
        first = next((row for _, row in rows_of(path) if isinstance(row, dict)), {})
        yield ForeignRun(
            (path, *evaluations, *([report] if report.is_file() else [])),
            partial(_rows, path, tuple(evaluations), report),
            settings=_settings(as_mapping(first.get("metadata"))),
        )


def _settings(metadata: Mapping[str, Any]) -> dict[str, Any]:
    config = _model_config(metadata)
    settings: dict[str, Any] = {"model": config.get("model")}
    settings |= {key: metadata.get(key) for key in _SETTINGS}
    settings["sampling"] = {key: config[key] for key in _SAMPLING if config.get(key) is not None}
    return {key: value for key, value in settings.items() if value not in (None, {}, "")}


def _model_config(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    return as_mapping(metadata.get("llm_config")) or as_mapping(metadata.get("llm"))


def _verdicts(evaluated: Sequence[Path], report: Path) -> dict[str, Mapping[str, Any]]:
    """Instance → what the evaluation says of it, in the words of its `report`."""
    summary = as_mapping(document(report)) if report.is_file() else {}
    verdicts: dict[str, Mapping[str, Any]] = {}
    for key, words in (
        ("unresolved_ids", {"resolved": False}),
        ("empty_patch_ids", {"resolved": False}),
        ("error_ids", {"error_eval": True}),
        ("resolved_ids", {"resolved": True}),
    ):
        ids = summary.get(key)
        verdicts |= {str(name): words for name in ids} if isinstance(ids, list) else {}
    for path in evaluated:
        for _, row in rows_of(path):
            if isinstance(row, dict) and as_mapping(as_mapping(row.get("test_result")).get("report")):
                verdicts[str(row.get("instance_id"))] = as_mapping(row["test_result"]["report"])
    return verdicts


def _rows(path: Path, evaluated: Sequence[Path], report: Path) -> Iterator[dict[str, Any] | BadRecord]:
    verdicts = _verdicts(evaluated, report)
    attempts: Counter[str] = Counter()
    for number, row in rows_of(path):
        if isinstance(row, BadRecord):
            yield row
            continue
        task = _task(row)
        if task is None:
            yield BadRecord("it names neither an instance nor an issue", f"line {number}")
            continue
        numbered = row.get("attempt")
        attempt = numbered - 1 if isinstance(numbered, int) and numbered > 0 else attempts[task]
        attempts[task] += 1
        yield _row(row, task, attempt, Place(path.name, f"line {number}"), verdicts.get(task, {}))


def _task(row: Mapping[str, Any]) -> str | None:
    if isinstance(row.get("instance_id"), (str, int)):
        return str(row["instance_id"])
    issue = as_mapping(row.get("issue"))
    return f"{issue['owner']}/{issue.get('repo')}#{issue['number']}" if {"owner", "number"} <= issue.keys() else None


def _row(row: Mapping[str, Any], task: str, attempt: int, place: Place, verdict: Mapping[str, Any]) -> dict[str, Any]:
    metadata, result = as_mapping(row.get("metadata")), as_mapping(row.get("test_result"))
    config = _model_config(metadata)
    prompt, output = conversation(row.get("history"))
    instruction = row.get("instruction")
    if isinstance(instruction, str) and instruction and not any(item.get("role") == "user" for item in prompt):
        prompt.append(text_item("user", instruction))
    graded = verdict or as_mapping(result.get("report"))
    model, agent = config.get("model"), metadata.get("agent_class")
    patch = result.get("git_patch", row.get("git_patch"))
    return rollout_row(
        task,
        attempt,
        _verdict(row, graded),
        place,
        prompt=prompt,
        output=output,
        model=model if isinstance(model, str) else None,
        agent=agent if isinstance(agent, str) else None,
        sampling={key: config[key] for key in _SAMPLING if config.get(key) is not None},
        usage=usage_of(as_mapping(row.get("metrics")).get("accumulated_token_usage")),
        verifier={
            "model_patch": patch if isinstance(patch, str) else None,
            "explanation": row.get("result_explanation"),
            "failed_apply_patch": graded.get("failed_apply_patch"),
        },
        metadata=task_fields(row.get("instance"), ("instance_id", "base_commit")),
    )


def _verdict(row: Mapping[str, Any], graded: Mapping[str, Any]) -> SourceVerdict:
    resolved = graded.get("resolved", row.get("success"))
    score = score_of(resolved)
    error = content_words(row.get("error"))[:_LONGEST_ERROR]
    if score is None and (graded.get("error_eval") is True or graded.get("test_timeout") is True):
        return SourceVerdict(None, Status.VERIFIER_ERROR, "the evaluation did not end")
    passed = resolved if isinstance(resolved, bool) else None
    if error:
        status = next((status for pattern, status in ERRORS if pattern.search(error)), Status.INFRASTRUCTURE)
        if status is not None:
            return SourceVerdict(score, status, error, passed)
    if score is None:
        return SourceVerdict(None, Status.SKIPPED, "no verdict stands beside the output")
    return SourceVerdict(score, None, "", passed)
