"""Inspect AI logs: `.eval` archives and `.json` documents, one task and one model each, with epochs as attempts.

A log whose process was killed has no header: what its journal says stands in. Logs of one task id are one run that was
retried: of a sample that stands in several, the latest counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.errors import NoRuns
from blade.files.lines import parse
from blade.files.sniff import ZIP_MAGIC, Head, document_of
from blade.frozen import frozen
from blade.model import Status
from blade.translate.archives import UnreadableMember, members, unpack
from blade.translate.documents import as_mapping, as_rows, document, records_of
from blade.translate.foreign_run import BadRecord, ForeignRun, UnknownScore
from blade.translate.inspect_messages import Attachments, conversation, events_of, grader_calls, model_calls
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of

VERSION = 5
LONGEST_ERROR = 200
LIMITS = dict.fromkeys(("time", "working", "message", "token", "turn", "cost"), Status.TIMED_OUT) | {
    "context": Status.TRUNCATED
}
"""Limits that end an attempt; `operator` and `custom` say nothing about the model."""
STOPS = {"max_tokens": Status.TRUNCATED, "model_length": Status.TRUNCATED}
MEANS = {"accuracy", "mean"}
"""Metrics that are the mean over samples; any other is a number of its own."""
SAMPLING = {
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "seed",
    "reasoning_effort",
    "reasoning_tokens",
    "frequency_penalty",
    "presence_penalty",
}
_CONFIG = ("epochs", "epochs_reducer", "message_limit", "max_messages", "token_limit", "time_limit", "working_limit",
           "cost_limit", "turn_limit", "fail_on_error", "limit", "sample_id")  # fmt: skip
_SAMPLE = re.compile(r"^samples/.+_epoch_\d+\.json$", re.DOTALL)
_CLASS = re.compile(r"^([A-Za-z_][\w.]*)\(")


def recognises(head: Head) -> bool:
    if head.magic == ZIP_MAGIC:
        archive_members = members(head.path)
        return any(_is_member(name) for name in archive_members) or (
            not archive_members and head.path.suffix == ".eval"
        )
    log = document_of(head)
    if isinstance(log, dict):
        return isinstance(as_mapping(log.get("eval")).get("task"), str) and bool({"plan", "status"} & log.keys())
    return False


def _is_member(name: str) -> bool:
    return name in {"header.json", "_journal/start.json"} or bool(_SAMPLE.match(name))


@frozen
class _Log:
    """A log without its samples."""

    path: Path
    header: Mapping[str, Any]
    common_limit: str
    """The limit at which most samples end: the normal end of this task."""

    @property
    def evaluation(self) -> Mapping[str, Any]:
        return as_mapping(self.header.get("eval"))

    @property
    def results(self) -> Mapping[str, Any]:
        return as_mapping(self.header.get("results"))


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    by_task: dict[str, list[_Log]] = {}
    empty: list[_Log] = []
    for path in paths:
        log, samples = _log(path)
        if samples == 0:
            empty.append(log)
            continue
        by_task.setdefault(str(log.evaluation.get("task_id") or path), []).append(log)
    for number, logs in enumerate(by_task.values()):
        yield _run(sorted(logs, key=_age, reverse=True), () if number else empty)
    if empty and not by_task:
        hint = _WITHOUT_SAMPLES if empty[0].header else "Copy it again: an archive has its directory at its end."
        if empty[0].evaluation.get("shards"):
            hint = "Give the folder that holds the logs of its shards, or those logs themselves."
        raise NoRuns(f"{empty[0].path}: {_lack(empty[0])}.", hint)


_WITHOUT_SAMPLES = "Wanted: a log with its samples, as `inspect eval` writes it without --no-log-samples."


def _lack(log: _Log) -> str:
    """Why a log gives no rows."""
    if not log.header:
        return "an Inspect log that is cut off or damaged: its directory cannot be read"
    if log.evaluation.get("shards"):
        return "a sharded Inspect log, whose samples stand in the logs of its shards"
    _, _, reported = _headline(log)
    stated_score = "" if reported is None else f" (its header states a score of {reported:.6g}, which no row can show)"
    return f"an Inspect log without samples{stated_score}"


def _age(log: _Log) -> tuple[str, str]:
    return str(log.evaluation.get("created") or ""), log.path.name


def _log(path: Path) -> tuple[_Log, int]:
    """A log and how many samples it holds."""
    archive_members = members(path)
    if not archive_members:
        content = as_mapping(document(path))
        samples = as_rows(content.get("samples"))
        header: Mapping[str, Any] = {
            key: value for key, value in content.items() if key not in {"samples", "reductions"}
        }
        return _Log(path, header, _common([as_mapping(sample.get("limit")).get("type") for sample in samples])), len(
            samples
        )
    header = as_mapping(_member(path, "header.json")) or as_mapping(_member(path, "_journal/start.json"))
    summaries = as_rows(_member(path, "summaries.json")) or [
        row
        for name in archive_members
        if name.startswith("_journal/summaries/")
        for row in as_rows(_member(path, name))
    ]
    common = _common([row.get("limit") for row in summaries])
    return _Log(path, header, common), sum(bool(_SAMPLE.match(name)) for name in archive_members)


def _common(limits: Sequence[Any]) -> str:
    limit_counts = Counter(str(limit) for limit in limits if limit)
    name, times = max(limit_counts.items(), key=lambda pair: pair[1], default=("", 0))
    return name if times * 2 > len(limits) else ""


def _member(path: Path, name: str) -> Any:
    info = members(path).get(name)
    if info is None:
        return None
    try:
        with path.open("rb") as stream:
            return parse(unpack(stream, info)).value
    except (OSError, UnreadableMember):
        return None


def _run(logs: Sequence[_Log], empty: Sequence[_Log]) -> ForeignRun:
    """The latest log first: it says what the run is. Logs without samples that stand beside are told of with it."""
    latest = logs[0]
    score, _, reported = _headline(latest)
    settings = {**_settings(latest), "score": score}
    if len(logs) > 1:
        settings["retried_logs"] = len(logs) - 1
    files = tuple(log.path for log in (*logs, *empty))
    return ForeignRun(
        files,
        partial(_rows, logs, empty),
        titles=_titles(latest.evaluation),
        settings=settings,
        reported=reported,
        expected=_expected(latest),
    )


def _titles(evaluation: Mapping[str, Any]) -> tuple[str, ...]:
    """The task and the model; when it was made, where another run has both."""
    task, created = str(evaluation.get("task") or "").rpartition("/")[2], str(evaluation.get("created") or "")
    short = "/".join(filter(None, (task, str(_model(evaluation) or "").rpartition("/")[2])))
    return (short, *(f"{short}/{created[:size]}" for size in (10, 19) if len(created) >= size)) if task else ()


def _headline(log: _Log) -> tuple[str, str, float | None]:
    """The score that counts, its scorer, and its mean as the log states it."""
    scores, headline = as_rows(log.results.get("scores")), as_mapping(log.results.get("headline"))
    first = scores[0] if scores else {}
    name = str(headline.get("score") or first.get("name") or log.results.get("scorer") or "")
    scorer = str(headline.get("scorer") or first.get("scorer") or name)
    entries = [entry for entry in scores if (entry.get("name"), entry.get("scorer", scorer)) == (name, scorer)]
    mean = next((entry for entry in entries if entry.get("reducer") in (None, "mean")), {})
    metrics = as_mapping(mean.get("metrics")) or as_mapping(log.results.get("metrics"))
    for metric in metrics.values():
        if isinstance(metric, Mapping) and str(metric.get("name")) in MEANS:
            return name, scorer, score_of(metric.get("value"))
    if not name:
        name = scorer = str(next(iter(as_rows(log.evaluation.get("scorers"))), {}).get("name") or "")
    return name, scorer, None


def _settings(log: _Log) -> dict[str, Any]:
    evaluation = log.evaluation
    config = as_mapping(evaluation.get("config"))
    settings = {
        "model": _model(evaluation),
        "task": evaluation.get("task"),
        "task_version": evaluation.get("task_version"),
        "task_args": evaluation.get("task_args"),
        "solver": evaluation.get("solver")
        or [step.get("solver") for step in as_rows(as_mapping(log.header.get("plan")).get("steps"))],
        "model_roles": evaluation.get("model_roles"),
        "dataset": as_mapping(evaluation.get("dataset")).get("name"),
        "dataset_samples": as_mapping(evaluation.get("dataset")).get("samples"),
        **{name: config.get(name) for name in _CONFIG},
        **_sampling(log),
        "packages": evaluation.get("packages"),
        "revision": as_mapping(evaluation.get("revision")).get("commit"),
        "status": log.header.get("status") or "started",
    }
    return {name: value for name, value in settings.items() if value not in (None, "", [], {})}


def _model(evaluation: Mapping[str, Any]) -> str | None:
    model = evaluation.get("model")
    return model if isinstance(model, str) and model != "none/none" else None


def _sampling(log: _Log) -> dict[str, Any]:
    sources = (as_mapping(log.header.get("plan")).get("config"), log.evaluation.get("model_generate_config"))
    return {name: value for source in sources for name, value in _chosen(source).items()}


def _chosen(source: Any) -> dict[str, Any]:
    """The settings of sampling among all that a model was called with."""
    return {name: value for name, value in as_mapping(source).items() if name in SAMPLING and value is not None}


def _expected(log: _Log) -> dict[str, int]:
    ids = as_mapping(log.evaluation.get("dataset")).get("sample_ids")
    epochs = as_mapping(log.evaluation.get("config")).get("epochs")
    attempts = epochs if isinstance(epochs, int) and 0 < epochs < 10_000 else 1
    return (
        {str(sample_id): attempts for sample_id in ids if isinstance(sample_id, (str, int))}
        if isinstance(ids, list)
        else {}
    )


def _rows(logs: Sequence[_Log], empty: Sequence[_Log]) -> Iterator[dict[str, Any] | BadRecord | UnknownScore]:
    for log in empty:
        yield BadRecord(f"{log.path.name}, {_lack(log)}", log.path.name)
    score, scorer, _ = _headline(logs[0])
    earlier_keys: set[tuple[str, int]] = set()
    for log in logs:
        log_keys: dict[tuple[str, int], int] = {}
        for part, sample in _samples(log.path):
            key = _key(sample) if isinstance(sample, Mapping) else None
            if isinstance(sample, BadRecord):
                yield sample
            elif key is None:
                yield BadRecord("a sample without an id", part)
            elif key in earlier_keys:
                yield BadRecord("a sample of an earlier log, which its retry replaces", part)
            elif sample.get("invalidation"):
                yield BadRecord("a sample that a person marked as invalid", part)
            else:
                log_keys[key] = 1
                scores = _Scores(sample, score, scorer)
                yield from scores.remarks()
                yield _row(log, key, Place(log.path.name, part), sample, scores)
        earlier_keys |= log_keys.keys()


def _key(sample: Mapping[str, Any]) -> tuple[str, int] | None:
    name, epoch = sample.get("id"), sample.get("epoch", 1)
    if not isinstance(name, (str, int)) or isinstance(name, bool):
        return None
    return str(name), epoch if isinstance(epoch, int) and epoch > 0 else 1


def _samples(path: Path) -> Iterator[tuple[str, Mapping[str, Any] | BadRecord]]:
    """Sample by sample, with its member or pointer."""
    archive_members = members(path)
    if not archive_members:
        yield from records_of(as_mapping(document(path)).get("samples"), "/samples")
        return
    try:
        with path.open("rb") as stream:
            for name, info in archive_members.items():
                if not _SAMPLE.match(name):
                    continue
                try:
                    parsed = parse(unpack(stream, info))
                except UnreadableMember as error:
                    yield name, BadRecord(str(error), name)
                    continue
                bad = BadRecord(parsed.problem or "no object", name)
                yield name, parsed.value if isinstance(parsed.value, dict) else bad
    except OSError as error:
        yield "", BadRecord(f"the file could not be read to its end ({error.strerror})")


class _Scores:
    """The scores of a sample as numbers: the one that counts, and every other by its name."""

    def __init__(self, sample: Mapping[str, Any], name: str, scorer: str) -> None:
        scores = sample.get("scores")
        self.given = dict(scores) if isinstance(scores, Mapping) else {}
        if not self.given and isinstance(sample.get("score"), Mapping):
            self.given = {name or "score": sample["score"]}
        self.all = {key: value for scored, score in self.given.items() for key, value in _values(str(scored), score)}
        self.scorer = next((key for key in (scorer, name, *self.given) if key in self.given), "")
        full_name = f"{self.scorer}/{name}"
        self.name = full_name if full_name in self.all else name if name in self.all else next(iter(self.all), name)

    @property
    def told(self) -> Mapping[str, Any]:
        """The words of the scorer that counts."""
        return as_mapping(self.given.get(self.scorer))

    @property
    def reward(self) -> float | None:
        return score_of(self.all.get(self.name))

    def remarks(self) -> Iterator[UnknownScore]:
        """A score in letters that Inspect does not have counts as none, and is told."""
        value = self.all.get(self.name)
        if isinstance(value, str) and value.strip() and value.strip().lower() != "nan" and self.reward is None:
            statement = f"a score '{value.strip()[:40]}' that is neither C, P, I or N nor a number"
            yield UnknownScore(f"{statement}; the row counts as not graded")


def _values(scorer: str, score: Any) -> Iterable[tuple[str, Any]]:
    value = score.get("value") if isinstance(score, Mapping) else score
    if isinstance(value, Mapping):
        return [(f"{scorer}/{key}", inner) for key, inner in value.items()]
    return [(scorer, value)]


def _row(log: _Log, key: tuple[str, int], place: Place, sample: Mapping[str, Any], scores: _Scores) -> dict[str, Any]:
    attached = Attachments(sample)
    prompt, output = conversation(sample, attached)
    metadata = attached.resolved(sample.get("metadata"))
    called = next(model_calls(events_of(sample)), None) or {}
    sampling = {
        ("max_output_tokens" if name == "max_tokens" else name): value
        for name, value in (_chosen(called.get("config")) | _sampling(log)).items()
    }
    row = rollout_row(
        key[0],
        key[1] - 1,
        _verdict(sample, scores, log.common_limit),
        place,
        prompt=prompt,
        output=output,
        model=_model(log.evaluation) or _answering(sample),
        tools=_tools(sample, attached),
        sampling=sampling,
        usage=_usage(sample, log.evaluation.get("model")),
        verifier=_verifier(sample, scores, attached),
        metadata=metadata if isinstance(metadata, dict) else None,
        timing={
            name: sample[name]
            for name in ("started_at", "completed_at", "total_time", "working_time")
            if name in sample
        },
    )
    error = as_mapping(sample.get("error"))
    if error:
        row["error"] = {
            "message": str(error.get("message") or ""),
            "traceback": str(error.get("traceback") or "")[-4000:],
        }
    retries = as_rows(sample.get("error_retries"))
    if retries:
        row["retries"] = [{"text": str(retry.get("message") or "")[:2000]} for retry in retries]
    return row


def _answering(sample: Mapping[str, Any]) -> str | None:
    model = as_mapping(sample.get("output")).get("model")
    return model if isinstance(model, str) and model not in {"", "none", "none/none"} else None


def _verdict(sample: Mapping[str, Any], scores: _Scores, common_limit: str) -> SourceVerdict:
    reward = scores.reward
    if sample.get("error"):
        return SourceVerdict(reward, Status.INFRASTRUCTURE, _error_words(sample["error"]))
    limit = str(as_mapping(sample.get("limit")).get("type") or "")
    if reward is None and scores.given:
        reason = scores.told.get("reason") or scores.told.get("explanation") or "its value is no number"
        return SourceVerdict(None, Status.VERIFIER_ERROR, f"unscored: {str(reason)[:200]}")
    if limit in LIMITS and limit != common_limit:
        return SourceVerdict(reward, LIMITS[limit], f"{limit} limit")
    stop = _stop_reason(sample)
    if stop in STOPS:
        return SourceVerdict(reward, STOPS[stop], f"stop reason {stop}")
    if _ends_in_unreadable_call(sample):
        return SourceVerdict(reward, Status.MALFORMED, "parse_error of the last tool call")
    return SourceVerdict(reward, None, f"{limit} limit" if limit else "")


def _error_words(error: Any) -> str:
    """The class of an error and its words; of many lines the last, as first comes the request that failed."""
    text = str(error.get("message") or "") if isinstance(error, Mapping) else str(error)
    name = _CLASS.match(text)
    written = text.removeprefix(name[0]).strip("'\")(") if name else text
    lines = [" ".join(line.split()) for line in written.replace("\\n", "\n").split("\n") if line.strip()]
    words = " ".join(lines) if name else text
    if len(words) > LONGEST_ERROR and len(lines) > 1:
        words = f"… {lines[-1]}"
    return (f"{name[1]}: {words}" if name else words)[:LONGEST_ERROR]


def _stop_reason(sample: Mapping[str, Any]) -> str:
    choices = as_rows(as_mapping(sample.get("output")).get("choices"))
    return str(choices[0].get("stop_reason") or "") if choices else ""


def _ends_in_unreadable_call(sample: Mapping[str, Any]) -> bool:
    messages = as_rows(sample.get("messages"))
    return bool(messages) and any(call.get("parse_error") for call in as_rows(messages[-1].get("tool_calls")))


def _verifier(sample: Mapping[str, Any], scores: _Scores, attached: Attachments) -> dict[str, Any]:
    score = attached.resolved(dict(scores.told))
    verifier = {
        "scorer": scores.scorer,
        "scores": {name: score_of(value) for name, value in scores.all.items()},
        "expected_answer": attached.resolved(sample.get("target")),
        "extracted_answer": score.get("answer"),
        "explanation": score.get("explanation"),
        "details": score.get("metadata"),
        "choices": attached.resolved(sample.get("choices")),
        "judge_model": _grader(sample),
    }
    return {name: value for name, value in verifier.items() if value not in (None, "", [], {})}


def _grader(sample: Mapping[str, Any]) -> str | None:
    """The model that the scorers ask, where it is one."""
    models = {call.get("model") for call in grader_calls(events_of(sample))}
    return str(models.pop()) if len(models) == 1 else None


def _tools(sample: Mapping[str, Any], attached: Attachments) -> list[Any]:
    first = next(model_calls(events_of(sample)), None)
    tools = as_rows(first.get("tools")) if first is not None else []
    return [{"type": "function", **attached.resolved(dict(tool))} for tool in tools]


def _usage(sample: Mapping[str, Any], model: Any) -> dict[str, Any] | None:
    """Tokens of the model that was evaluated; a grader's are not its own, though it may be the same model."""
    by_model = as_mapping(sample.get("model_usage"))
    name = str(model) if str(model) in by_model else next(iter(by_model), "") if len(by_model) == 1 else ""
    model_usage = by_model.get(name)
    if isinstance(model_usage, Mapping):
        model_usage = _without_grading(model_usage, sample, name)
    if not isinstance(model_usage, Mapping):
        return None
    usage = {
        name: model_usage[name] for name in ("input_tokens", "output_tokens", "total_tokens") if name in model_usage
    }
    cached = [model_usage.get(f"input_tokens_cache_{kind}") or 0 for kind in ("read", "write")]
    counts = (*usage.values(), *cached)
    if len(usage) == 3 and all(isinstance(number, int) for number in counts) and _leaves_out(usage, sum(cached)):
        usage["input_tokens"] += sum(cached)
    if model_usage.get("reasoning_tokens") is not None:
        usage["output_tokens_details"] = {"reasoning_tokens": model_usage["reasoning_tokens"]}
    if model_usage.get("input_tokens_cache_read") is not None:
        usage["input_tokens_details"] = {"cached_tokens": model_usage["input_tokens_cache_read"]}
    if model_usage.get("total_cost") is not None:
        usage["cost"] = model_usage["total_cost"]
    return usage or None


def _leaves_out(usage: Mapping[str, int], cached: int) -> bool:
    """Whether the input tokens leave out those of the cache, which the total counts."""
    return usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"] + cached


def _without_grading(usage: Mapping[str, Any], sample: Mapping[str, Any], model: str) -> Mapping[str, Any]:
    """The tokens without those of the calls in which a scorer asked the same model."""
    graded = [
        as_mapping(as_mapping(call.get("output")).get("usage"))
        for call in grader_calls(events_of(sample))
        if call.get("model") == model
    ]
    if not graded:
        return usage
    counted = set(usage).intersection(*graded)
    whole = {name: value for name, value in usage.items() if isinstance(value, int) and name in counted}
    left = {name: value - sum(int(score_of(own.get(name)) or 0) for own in graded) for name, value in whole.items()}
    return left if all(value >= 0 for value in left.values()) else usage
