"""SWE-bench runs: predictions, reports, leaderboard results and trajectories, joined by the instance.

None of these files alone is a rollout: the verdict stands in a report, what the agent did in a trajectory of
mini-swe-agent or SWE-agent, the patch in the predictions. A leaderboard folder names only what was resolved; which
other instances there are is learned from the submissions beside it and from the size of the split.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from blade.files.remote_paths import real_path
from blade.files.sniff import Head
from blade.model import Status
from blade.translate.documents import as_mapping, document, records_of, rows_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row
from blade.translate.swe_trajectory import trajectory_parts

VERSION = 4
SPLITS = {"verified": 500, "lite": 300, "multilingual": 300, "multimodal": 517, "test": 2294, "pro": 731}
PREDICTIONS = ("preds.json", "all_preds.jsonl", "preds.jsonl", "predictions.jsonl")
TRAJECTORIES = (".traj.json", ".traj")
TAGS = "metadata.yaml"
DEEPEST = 3
LOOK = 20
MOST_TESTS = 200
_ENDS = {
    "limitsexceeded": Status.TIMED_OUT,
    "timeexceeded": Status.TIMED_OUT,
    "exit_cost": Status.TIMED_OUT,
    "exit_total_execution_time": Status.TIMED_OUT,
    "exit_command_timeout": Status.TIMED_OUT,
    "exit_context": Status.TRUNCATED,
    "contextwindowexceedederror": Status.TRUNCATED,
    "exit_format": Status.MALFORMED,
    "formaterror": Status.MALFORMED,
    "retryerror": Status.INFRASTRUCTURE,
    "exit_error": Status.INFRASTRUCTURE,
    "exit_environment_error": Status.INFRASTRUCTURE,
    "exit_api": Status.INFRASTRUCTURE,
}
"""How a trajectory ended that was not submitted in order, in the words of mini-swe-agent and SWE-agent."""
NOT_APPLIED, NOT_NAMED = "generated and not applied", "in no list"
NO_PATCH = "no_generation"
_TROUBLE = (NO_PATCH, "install_fail", "reset_failed", "no_apply", "test_errored", "test_timeout")
"""Lists of instances that were not resolved, by the reason."""


@dataclass(slots=True)
class Submission:
    """What the files of one run say, by instance."""

    folder: Path
    verdicts: dict[str, SourceVerdict] = field(default_factory=dict)
    tests: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    patches: dict[str, str] = field(default_factory=dict)
    trajectories: dict[str, Path] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    replaced: dict[str, str] = field(default_factory=dict)
    """The first end of what a later launch ran again."""
    models: set[str] = field(default_factory=set)
    files: list[Path] = field(default_factory=list)
    reported: float | None = None
    total: int | None = None
    strange: list[BadRecord] = field(default_factory=list)
    """Records that give no row: they belong to no instance, say twice what stands elsewhere, or were replaced."""
    figures: dict[str, tuple[float, float]] = field(default_factory=dict)
    others_failed: bool = False
    """Whether an instance that no list names was not resolved, as on the leaderboard."""
    enumerates: bool = False
    """Whether the lists name what was worked on, and not only what was resolved or went wrong."""

    @property
    def named(self) -> set[str]:
        return {*self.verdicts, *self.patches, *self.trajectories, *self.ends}


def recognises(head: Head) -> bool:
    """A run report by itself."""
    content = head.document if head.document is not None else next(iter(head.rows), None)  # a document may be one line
    return _is_report(as_mapping(content))


def recognises_folder(folder: Path) -> bool:
    return _is_results(folder / "results" / "results.json") or any(_own_files(folder))


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    for path in paths:
        submission = _submission(path)
        tasks = _instances(submission)
        beside = filter(Path.is_file, [submission.folder / TAGS])
        files = tuple(dict.fromkeys([path, *submission.files, *submission.trajectories.values(), *beside]))
        yield ForeignRun(
            files,
            partial(_rows, submission, tasks),
            settings=_settings(submission),
            reported=submission.reported,
            figures=submission.figures,
            expected=tasks,
        )


def _own_files(folder: Path) -> Iterator[Path]:
    """Files that only a SWE-bench run has, in the folder or where its tools put them."""
    for place in (folder, folder / "trajs"):
        yield from (place / name for name in PREDICTIONS if _is_predictions(place / name))
        yield from (file for file in sorted(place.glob("*.traj")) if _is_trajectory(file))
        yield from sorted(place.glob("*/*.traj.json"))[:1]
    yield from (file for file in sorted(folder.glob("logs/*/report.json"))[:1] if _test_report(file))


def _is_predictions(path: Path) -> bool:
    return path.is_file() and any(isinstance(row, Mapping) for _, row in islice(_predictions(path), LOOK))


def _is_trajectory(path: Path) -> bool:
    return {"trajectory", "history"} <= as_mapping(document(path)).keys()


def _is_results(path: Path) -> bool:
    content = as_mapping(document(path)) if path.is_file() else {}
    return isinstance(content.get("resolved"), list) and "no_generation" in content


def _is_report(content: Mapping[str, Any]) -> bool:
    return isinstance(content.get("resolved_ids"), list) and "total_instances" in content


def _submission(path: Path) -> Submission:
    submission = Submission(path if path.is_dir() else path.parent)
    if path.is_file():
        _take_report(submission, path)
        return submission
    results = path / "results" / "results.json"
    if _is_results(results):
        _take_results(submission, results)
    for place in (path, path / "trajs"):
        for name in PREDICTIONS:
            _take_predictions(submission, place / name)
        for file in sorted(place.glob("exit_statuses_*.yaml")):
            _take_exit_statuses(submission, file)
    run_reports, test_reports, trajectories = _below(path)
    for file in (*sorted(path.glob("*.json")), *run_reports):
        if file.name not in PREDICTIONS and _is_report(as_mapping(document(file))):
            _take_report(submission, file)
    for file in test_reports:
        _take_test_report(submission, file)
    for file in trajectories:
        if len(file.relative_to(path).parts) <= DEEPEST:
            submission.trajectories[file.name.partition(".traj")[0]] = file
    return submission


def _below(folder: Path) -> tuple[list[Path], list[Path], list[Path]]:
    """Reports of runs, reports of tests and trajectories at any depth: one walk, as there is a folder per instance."""
    run_reports, test_reports, trajectories = [], [], []
    for inner, folders, files in os.walk(folder):
        reports = os.path.basename(inner) == "sb-cli-reports"  # noqa: PTH119 - there are many
        for name in (*folders, *files):
            if name.endswith(TRAJECTORIES):
                trajectories.append(Path(inner, name))
            elif name == "report.json":
                test_reports.append(Path(inner, name))
            if reports and name.endswith(".json"):
                run_reports.append(Path(inner, name))
    trajectories.sort(key=lambda file: (not file.name.endswith(TRAJECTORIES[0]), file))
    return sorted(run_reports), sorted(test_reports), trajectories


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _take_results(submission: Submission, file: Path) -> None:
    """The leaderboard's lists. Whatever they do not name was evaluated and not resolved."""
    content = as_mapping(document(file))
    submission.files.append(file)
    submission.others_failed = True
    applied = set(_texts(content.get("applied")))
    for name, ids in content.items():
        for instance in dict.fromkeys(_texts(ids)):
            submission.ends.setdefault(instance, "")
            if name == "no_logs":
                submission.verdicts.setdefault(instance, SourceVerdict(None, Status.VERIFIER_ERROR, name))
            elif name in _TROUBLE and not (name == NO_PATCH and instance in applied):
                submission.verdicts.setdefault(instance, SourceVerdict(0.0, None, name, passed=False))
    for instance in dict.fromkeys(_texts(content.get("generated"))):
        if "applied" in content and instance not in applied:
            submission.verdicts.setdefault(instance, SourceVerdict(0.0, None, NOT_APPLIED, passed=False))
    submission.enumerates = "generated" in content
    for instance in _texts(content.get("resolved")):
        submission.verdicts[instance] = SourceVerdict(1.0, passed=True)
    submission.strange += _contradictions(content)
    submission.total = next(
        (SPLITS[word] for word in _words(real_path(submission.folder).parent.name) if word in SPLITS), None
    )
    if submission.total:
        submission.reported = len(set(_texts(content.get("resolved")))) / submission.total
    for breakdown in sorted(file.parent.glob("resolved_by_*.json")):
        submission.files.append(breakdown)
        resolved = sum(_total(part) for part in as_mapping(document(breakdown)).values())
        if submission.total and resolved:
            submission.figures[f"instances that {breakdown.name} counts"] = (resolved, submission.total)


def _total(part: Any) -> int:
    total = as_mapping(part).get("total")
    return total if isinstance(total, int) and not isinstance(total, bool) else 0


def _contradictions(content: Mapping[str, Any]) -> Iterator[BadRecord]:
    """Entries of the lists that cannot all be true: an instance twice in one, or with a patch and without."""
    for name, ids in content.items():
        counts = Counter(_texts(ids))
        for instance, times in counts.items():
            for _ in range(times - 1):
                yield BadRecord(f"an instance that the list {name} names again", instance)
    generated, none = (set(_texts(content.get(name))) for name in ("generated", NO_PATCH))
    for instance in sorted(generated & none):
        yield BadRecord("an instance that stands in generated and in no_generation", instance)


def _words(folder: str) -> list[str]:
    """The words of the folder that submissions lie in: one of them may be the split."""
    return folder.lower().replace("-", "_").split("_")


def _take_report(submission: Submission, file: Path) -> None:
    content = as_mapping(document(file))
    submission.files.append(file)
    lists = {
        "empty_patch_ids": SourceVerdict(0.0, None, "empty patch", passed=False),
        "error_ids": SourceVerdict(None, Status.VERIFIER_ERROR, "error in the evaluation"),
        "failed_ids": SourceVerdict(None, Status.VERIFIER_ERROR, "the evaluation failed"),
        "incomplete_ids": SourceVerdict(None, None, "not evaluated"),
        "infra_failure_ids": SourceVerdict(None, Status.INFRASTRUCTURE, "infra failure"),
        "ambiguous_failure_ids": SourceVerdict(None, Status.VERIFIER_ERROR, "ambiguous failure"),
        "unresolved_ids": SourceVerdict(0.0, passed=False),
        "resolved_ids": SourceVerdict(1.0, passed=True),
    }
    for name, verdict in lists.items():
        for instance in _texts(content.get(name)):
            if name != "unresolved_ids" or instance not in submission.verdicts:
                submission.verdicts[instance] = verdict
    total, resolved = content.get("total_instances"), content.get("resolved_instances")
    if isinstance(total, int) and isinstance(resolved, int) and total > 0:
        submission.total, submission.reported = total, resolved / total


def _take_test_report(submission: Submission, file: Path) -> None:
    for instance, report in _test_report(file).items():
        resolved = report.get("resolved")
        if isinstance(resolved, bool):
            reason = "" if report.get("patch_successfully_applied", True) else "the patch could not be applied"
            submission.verdicts[instance] = SourceVerdict(float(resolved), None, reason, passed=resolved)
        submission.tests[instance] = report
        submission.files.append(file)


def _test_report(file: Path) -> dict[str, Mapping[str, Any]]:
    """The reports of a file by instance; some copies are flat, and their folder names the instance."""
    content = as_mapping(document(file))
    if "resolved" in content:
        return {file.parent.name: content}
    return {
        str(name): report for name, report in content.items() if isinstance(report, Mapping) and "resolved" in report
    }


def _predictions(path: Path) -> Iterator[tuple[str, Mapping[str, Any] | BadRecord]]:
    """The predictions of a file by instance: a line each, or one document by instance or as a list."""
    content = None if path.name.endswith(".jsonl") else document(path)
    rows: Iterable[tuple[str, Any]]
    if path.name.endswith(".jsonl"):
        rows = (("", row) for _, row in rows_of(path))
    elif isinstance(content, Mapping):
        rows = content.items()
    else:
        rows = (("", row) for _, row in records_of(content))
    for key, row in rows:
        stated_id = as_mapping(row).get("instance_id")
        instance = stated_id if isinstance(stated_id, str) else key
        if isinstance(row, Mapping) and "model_patch" in row and instance:
            yield instance, row
        else:
            yield key, row if isinstance(row, BadRecord) else BadRecord("a prediction without instance or patch", key)


def _take_predictions(submission: Submission, path: Path) -> None:
    if not path.is_file():
        return
    submission.files.append(path)
    instances: set[str] = set()
    for instance, row in _predictions(path):
        if isinstance(row, BadRecord):
            submission.strange.append(row)
            continue
        if instance in instances:
            submission.strange.append(
                BadRecord("a prediction that a later one of the same instance replaces", instance)
            )
        instances.add(instance)
        patch = row["model_patch"]
        submission.patches[instance] = patch if isinstance(patch, str) else ""
        if isinstance(row.get("model_name_or_path"), str):
            submission.models.add(row["model_name_or_path"])


def _take_exit_statuses(submission: Submission, file: Path) -> None:
    """One file a launch; later launches tell of what was run again."""
    try:
        content = _yaml(file)
    except ValueError:
        return
    submission.files.append(file)
    for status, ids in as_mapping(content.get("instances_by_exit_status")).items():
        for instance in _texts(ids):
            if submission.ends.get(instance):
                submission.replaced.setdefault(instance, submission.ends[instance])
                submission.strange.append(
                    BadRecord(
                        f"an end ({submission.ends[instance]}) that a later launch of the same instance replaces",
                        instance,
                    )
                )
            submission.ends[instance] = str(status)


def _instances(submission: Submission) -> dict[str, int]:
    """Every instance that should have one attempt: those that this run names, those that the runs beside it name."""
    instances = set(submission.named)
    if submission.others_failed:
        for neighbour in sorted(real_path(submission.folder).parent.glob("*/results/results.json")):
            if _is_results(neighbour):
                submission.files += [] if neighbour.parent.parent == real_path(submission.folder) else [neighbour]
                instances |= {instance for ids in as_mapping(document(neighbour)).values() for instance in _texts(ids)}
    unnamed = max((submission.total or 0) - len(instances), 0) if submission.others_failed else 0
    return dict.fromkeys([*sorted(instances), *(f"not named {number + 1}" for number in range(unnamed))], 1)


def _rows(submission: Submission, tasks: Mapping[str, int]) -> Iterator[dict[str, Any] | BadRecord]:
    yield from submission.strange
    source = _inside(submission.files[0] if submission.files else submission.folder, submission.folder)
    for task in tasks:
        yield _row(submission, task, source)


def _row(submission: Submission, task: str, source: str) -> dict[str, Any]:
    """The row of an instance; `source` is where it stands that has no trajectory."""
    file = submission.trajectories.get(task)
    parts = trajectory_parts(document(file)) if file is not None else None
    patch = submission.patches.get(task)
    ended = (parts.ended if parts else "") or submission.ends.get(task, "")
    verdict = _verdict(submission, task, patch, ended)
    row = rollout_row(
        task,
        0,
        verdict,
        Place(source if file is None else _inside(file, submission.folder), task),
        prompt=parts.prompt if parts else (),
        output=parts.output if parts else None,
        model=next(iter(submission.models)) if len(submission.models) == 1 else None,
        sampling=parts.sampling if parts else None,
        usage=parts.usage if parts else None,
        verifier=_verifier(submission.tests.get(task), ended) | _outcome(verdict),
        metadata={"repository": task.rpartition("-")[0].replace("__", "/")} if "__" in task else None,
        replaced=submission.replaced.get(task, ""),
    )
    handed_in = patch if patch is not None else parts.patch if parts else None
    if handed_in is not None:
        row["model_patch"] = handed_in
    return row


def _inside(file: Path, folder: Path) -> str:
    """Where a file stands in a folder."""
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name


def _verdict(submission: Submission, task: str, patch: str | None, ended: str) -> SourceVerdict:
    verdict = submission.verdicts.get(task)
    if verdict is None:
        unnamed = NOT_NAMED if submission.enumerates and task not in submission.ends else ""
        missing = SourceVerdict(0.0, None, unnamed, passed=False) if submission.others_failed else SourceVerdict(None)
        verdict = SourceVerdict(0.0, None, "empty patch", passed=False) if patch == "" else missing
    if not ended or verdict.status is not None or verdict.reward:
        return verdict
    status = next((_ENDS[word] for word in _end_words(ended) if word in _ENDS), None)
    if status is None:
        return verdict
    return SourceVerdict(verdict.reward, status, ended, verdict.passed)


def _outcome(verdict: SourceVerdict) -> dict[str, str]:
    """The word of the files for what became of an instance: its list or its end, where that tells more."""
    if verdict.reward is None and not verdict.reason:
        return {}
    return {"outcome": verdict.reason or ("resolved" if verdict.reward else "unresolved")}


def _end_words(ended: str) -> list[str]:
    """`submitted (exit_cost)` ended by the cost all the same."""
    return ended.lower().replace("(", " ").replace(")", " ").split()


def _verifier(report: Mapping[str, Any] | None, ended: str) -> dict[str, Any]:
    submission: dict[str, Any] = {"exit_status": ended} if ended else {}
    if report is None:
        return submission
    for name in ("patch_exists", "patch_successfully_applied"):
        if isinstance(report.get(name), bool):
            submission[name] = report[name]
    groups = {}
    for name, tests in as_mapping(report.get("tests_status")).items():
        good, bad = _texts(as_mapping(tests).get("success")), _texts(as_mapping(tests).get("failure"))
        if good or bad:
            groups[str(name)] = {"success": good[:MOST_TESTS], "failure": bad[:MOST_TESTS]}
    return submission | ({"tests_status": groups} if groups else {})


def _yaml(file: Path) -> Mapping[str, Any]:
    """What a file holds; a ValueError where it cannot be read."""
    import yaml  # noqa: PLC0415 - few formats have such files

    try:
        return as_mapping(yaml.safe_load(file.read_text(encoding="utf-8", errors="replace")))
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:  # a date that is none is a ValueError
        raise ValueError from error


def _settings(submission: Submission) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    neighbour = submission.folder / TAGS
    if neighbour.is_file():
        try:
            tags_file = _yaml(neighbour)
        except ValueError:
            tags_file = {}
        tags, info = as_mapping(tags_file.get("tags")), as_mapping(tags_file.get("info"))
        models = _texts(tags.get("model")) if isinstance(tags.get("model"), list) else [str(tags.get("model") or "")]
        attempts = as_mapping(tags.get("system")).get("attempts")
        settings = {"model": ", ".join(models), "agent": str(info.get("name") or ""), "attempts": str(attempts or "")}
    if submission.models:
        settings["model"] = ", ".join(sorted(submission.models))
    return {name: value for name, value in settings.items() if value}
