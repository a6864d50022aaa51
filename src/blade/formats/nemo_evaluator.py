"""NeMo Evaluator bundles: `results.jsonl` with a row for each problem and repeat, beside it the bundle's summary.

A run that died before it wrote its results is read from its two logs, what the model answered and what was verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from blade.files.sniff import Head
from blade.frozen import frozen
from blade.model import Status
from blade.translate.atif import Trajectory, trajectory, usage_of
from blade.translate.chat import text_item
from blade.translate.documents import as_mapping, as_rows, document, rows_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of

VERSION = 2
CATEGORIES = dict.fromkeys(
    ("infra_error", "rate_limit", "server_error", "model_error", "connection_error"), Status.INFRASTRUCTURE
) | {"timeout": Status.TIMED_OUT, "format_error": Status.MALFORMED}
"""A failure's category as a status; `empty_response` and `refusal` are the model's own doing."""
RESULTS, TRAJECTORIES, ANSWERED, VERIFIED = (
    "results.jsonl", "trajectories.jsonl", "inference_log.jsonl", "verified_log.jsonl",
)  # fmt: skip
_ROW = {"problem_idx", "repeat", "scoring_details"}
_SAMPLING = ("temperature", "top_p", "max_tokens", "max_output_tokens", "seed", "reasoning_effort")
_SETTINGS = ("model", "benchmark", "repeats", "max_problems", "scorers", "shuffle_seed", *_SAMPLING)
_BRIEF = ("failure_category", "model_error", "retries", "timing", "model", "system_prompt", "finish_reason")
_LOOK = 3

Key = tuple[str, int]
Rows = Callable[[], Iterator[dict[str, Any] | BadRecord]]


def recognises(head: Head) -> bool:
    return head.shape == "rows" and any(row.keys() >= _ROW for row in head.rows)


def recognises_folder(folder: Path) -> bool:
    return any(_begins_so(folder / name) for name in (RESULTS, VERIFIED))


def _begins_so(file: Path) -> bool:
    if not file.is_file():
        return False
    return any(row.keys() >= _ROW for _, row in islice(rows_of(file), _LOOK) if isinstance(row, dict))


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    """A folder is a run; single files are taken with what stands beside them, under another name alone."""
    file_names = (RESULTS, TRAJECTORIES, ANSWERED, VERIFIED)
    renamed = [path for path in paths if not path.is_dir() and path.name not in file_names]
    for path in renamed:
        yield _run(path, path.parent, [path], partial(_rows, path, {}, {}))
    other_paths = [path for path in paths if path not in renamed]
    for folder in dict.fromkeys(path if path.is_dir() else path.parent for path in other_paths):
        files = [file for name in file_names if (file := folder / name).is_file()]
        names = {file.name for file in files}
        first = folder if folder in paths else next(path for path in other_paths if path.parent == folder)
        _, summary = _bundle(folder)
        if RESULTS in names:
            rows = partial(_results, folder, summary)
        elif names & {ANSWERED, VERIFIED}:
            rows = partial(_logs, folder, summary)
        else:
            rows = partial(_rows, folder / TRAJECTORIES, summary, {})
        yield _run(first, folder, files, rows)


def _run(first: Path, folder: Path, files: Sequence[Path], rows: Rows) -> ForeignRun:
    bundle, summary = _bundle(folder) if first not in files or first.name == RESULTS else (None, {})
    return ForeignRun(
        tuple(dict.fromkeys((first, *([bundle] if bundle else ()), *files))),
        rows,
        settings=_settings(summary),
        reported=_reported(summary),
        expected=_expected(summary, files[:1]),
    )


def _bundle(folder: Path) -> tuple[Path | None, Mapping[str, Any]]:
    """The latest summary of a folder."""
    for file in sorted(folder.glob("eval-*.json"), reverse=True):
        summary = as_mapping(document(file))
        if "benchmark" in summary and "config" in summary:
            return file, summary
    return None, {}


def _settings(summary: Mapping[str, Any]) -> dict[str, Any]:
    config = as_mapping(summary.get("config"))
    settings = {name: config.get(name) for name in _SETTINGS} | {"nemo_evaluator": summary.get("sdk_version")}
    return {name: value for name, value in settings.items() if value not in (None, "", [], {})}


def _reported(summary: Mapping[str, Any]) -> float | None:
    scores = as_mapping(as_mapping(summary.get("benchmark")).get("scores"))
    mean = score_of(as_mapping(scores.get("summary")).get("mean"))
    return mean if mean is not None else score_of(as_mapping(scores.get("pass@1")).get("value"))


def _expected(summary: Mapping[str, Any], files: Sequence[Path]) -> dict[str, int]:
    """Every problem of the dataset, where those in the rows are its first ones; else the problems in the rows."""
    benchmark = as_mapping(summary.get("benchmark"))
    samples, repeats = _count(benchmark.get("samples")), _count(benchmark.get("repeats"))
    if not samples or not repeats:
        return {}
    present = {key[0] for file in files for key in _last_lines(file)}
    every = {str(number) for number in range(samples)}
    tasks = every if present.issubset(every) else present
    return dict.fromkeys(sorted(tasks), repeats)


def _count(value: Any) -> int:
    return value if type(value) is int and 0 < value < 10_000_000 else 0


def _key(row: Mapping[str, Any]) -> Key | None:
    problem, repeat = row.get("problem_idx"), row.get("repeat")
    if not isinstance(problem, (int, str)) or isinstance(problem, bool):
        return None
    return str(problem), repeat if isinstance(repeat, int) and repeat >= 0 else 0


def _last_lines(file: Path) -> Mapping[Key, int]:
    """The line that counts for each problem and repeat: logs that were resumed write some twice."""
    state = file.stat() if file.is_file() else None
    return _lines_by_key(file, state.st_size, state.st_mtime_ns) if state else {}


@lru_cache(maxsize=4)
def _lines_by_key(file: Path, _size: int, _time: int) -> Mapping[Key, int]:
    """What is expected and what counts are read off one look at a file."""
    return {key: number for number, row in rows_of(file) if isinstance(row, dict) and (key := _key(row))}


def _results(folder: Path, summary: Mapping[str, Any]) -> Iterator[dict[str, Any] | BadRecord]:
    brief = _briefly(folder / TRAJECTORIES)
    yield from _rows(folder / RESULTS, summary, brief)


def _logs(folder: Path, summary: Mapping[str, Any]) -> Iterator[dict[str, Any] | BadRecord]:
    """What was verified, told with what was asked and answered; what nobody verified has no score."""
    verified = {
        key: {name: value for name, value in row.items() if name != "response"}
        for _, row in (rows_of(folder / VERIFIED) if (folder / VERIFIED).is_file() else ())
        if isinstance(row, dict) and (key := _key(row))
    }
    if (folder / ANSWERED).is_file():
        yield from _rows(folder / ANSWERED, summary, verified, graded=False)
    else:
        yield from _rows(folder / VERIFIED, summary, {})


def _briefly(file: Path) -> dict[Key, dict[str, Any]]:
    """What the trajectories say beyond the results, without the transcripts."""
    if not file.is_file():
        return {}
    return {
        key: {name: row[name] for name in _BRIEF if name in row}
        for _, row in rows_of(file)
        if isinstance(row, dict) and (key := _key(row))
    }


def _rows(
    file: Path, summary: Mapping[str, Any], details: Mapping[Key, Mapping[str, Any]], *, graded: bool = True
) -> Iterator[dict[str, Any] | BadRecord]:
    last, bundle = _last_lines(file), _bundle_rows(file, summary)
    for number, row in rows_of(file):
        key = None if isinstance(row, BadRecord) else _key(row)
        if isinstance(row, BadRecord):
            yield row
        elif key is None:
            if row.get("_type") != "meta":
                yield BadRecord("a row without a problem_idx", f"line {number}")
        elif last[key] != number:
            yield BadRecord("a row that a later one of the same problem and repeat replaces", f"line {number}")
        else:
            detail = details.get(key, {})
            graded_row = row if graded else {"reward": None, **row, **detail}
            yield _row(key, graded_row, {**detail, **row}, Place(bundle.file, f"line {number}"), bundle)


@frozen
class _BundleRows:
    """What the rows of a file have in common."""

    file: str
    model: Any
    sampling: Mapping[str, Any]


def _bundle_rows(file: Path, summary: Mapping[str, Any]) -> _BundleRows:
    config = as_mapping(summary.get("config"))
    sampling = {
        ("max_output_tokens" if name == "max_tokens" else name): config[name]
        for name in _SAMPLING
        if config.get(name) is not None
    }
    return _BundleRows(file.name, config.get("model"), sampling)


def _row(
    key: Key, row: Mapping[str, Any], brief: Mapping[str, Any], place: Place, bundle: _BundleRows
) -> dict[str, Any]:
    transcript = _transcript(row)
    metadata = row.get("metadata") or row.get("seed_metadata")
    model = bundle.model or transcript.model
    category = _category(row, brief)
    timing = as_mapping(brief.get("timing")) or {"latency_ms": row.get("latency_ms")}
    return rollout_row(
        key[0],
        key[1],
        _verdict(row, brief, category),
        place,
        prompt=transcript.prompt,
        output=transcript.output,
        model=model if isinstance(model, str) else None,
        tools=transcript.tools,
        sampling=bundle.sampling,
        usage=_usage(brief) or transcript.usage or None,
        verifier=_verifier(row) | ({"failure_category": category} if category else {}),
        metadata=metadata if isinstance(metadata, dict) else None,
        timing={name: value for name, value in timing.items() if value is not None},
    )


def _transcript(row: Mapping[str, Any]) -> Trajectory:
    transcript = trajectory(as_rows(row.get("trajectory")))
    prompt, answer = row.get("prompt"), row.get("model_response", row.get("response"))
    if not transcript.prompt and isinstance(prompt, str) and prompt:
        transcript.prompt = [text_item("user", prompt)]
    if not transcript.output and isinstance(answer, str):  # an empty response is one
        transcript.output = [text_item("assistant", answer)]
    return transcript


def _usage(brief: Mapping[str, Any]) -> dict[str, Any]:
    tokens = as_mapping(as_mapping(brief.get("model")).get("tokens"))
    usage = usage_of(tokens.get("prompt"), tokens.get("completion"))
    if isinstance(tokens.get("reasoning"), int):
        usage["output_tokens_details"] = {"reasoning_tokens": tokens["reasoning"]}
    return usage


def _verdict(row: Mapping[str, Any], brief: Mapping[str, Any], category: str) -> SourceVerdict:
    """The reward; a zero that infrastructure left is no grade, though the bundle's pass@1 counts it."""
    reward = score_of(row.get("reward"))
    status = CATEGORIES.get(category)
    if status is Status.INFRASTRUCTURE and not reward:
        reward = None
    if status is None and _finish_reason(brief) == "length":
        return SourceVerdict(reward, Status.TRUNCATED, "finish reason length")
    reason = brief.get("model_error") or as_mapping(row.get("scoring_details")).get("error") or ""
    return SourceVerdict(reward, status, f"{category}: {str(reason)[:200]}" if reason and category else category)


def _category(row: Mapping[str, Any], brief: Mapping[str, Any]) -> str:
    """What the bundle calls the failure."""
    details = as_mapping(row.get("scoring_details"))
    return str(brief.get("failure_category") or details.get("error_category") or "")


def _finish_reason(brief: Mapping[str, Any]) -> str:
    return str(as_mapping(brief.get("model")).get("finish_reason") or brief.get("finish_reason") or "")


def _verifier(row: Mapping[str, Any]) -> dict[str, Any]:
    details = dict(as_mapping(row.get("scoring_details")))
    details.pop("reward", None)  # no reward of the attempt
    verifier = {
        "expected_answer": row.get("expected_answer"),
        "extracted_answer": row.get("extracted_answer"),
        "scores": {name: score_of(value) for name, value in as_mapping(row.get("scorer_rewards")).items()},
        "details": details,
    }
    return {name: value for name, value in verifier.items() if value not in (None, "", [], {})}
