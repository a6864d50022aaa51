"""lm-evaluation-harness: `samples_<task>_<time>.jsonl` with the `results_<time>.json` of the same call.

The tasks of one call are one run, its tasks a slice. Rows are graded once per filter of the answers: every filter is a
run of its own, and so is every metric, as different metrics have no mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.errors import NoRuns
from blade.files.lines import UNREADABLE, open_bytes
from blade.files.sniff import Head, first_entry, mostly, plain_name
from blade.frozen import frozen
from blade.model import Status
from blade.translate.chat import chat_items, text_item
from blade.translate.documents import as_mapping, as_rows, document, json_value, records_of, rows_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Items, Place, SourceVerdict, rollout_row, score_of
from blade.translate.task_fields import task_fields

VERSION = 3
ROW_KEYS = {"doc_id", "arguments", "resps", "filtered_resps"}
HEADER_KEYS = {"results", "configs", "n-shot"}
NO_ANSWER = "[invalid]"
"""What a filter writes where it found no answer."""
_OWN_KEYS = ROW_KEYS | {"doc", "target", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"}
_TIME = re.compile(r"_(\d{4}-\d{2}-\d{2}T[\d.:-]+)\.jsonl?$")
_FILTER = re.compile(rb'"filter"\s*:\s*"([^"]*)"')
_MOST_EXPECTED = 1_000_000
_LONGEST_NUMBER = 5
_RUN_SETTINGS = (
    "model_source", "system_instruction", "fewshot_as_multiturn", "chat_template_sha", "lm_eval_version",
    "transformers_version", "git_hash", "max_length",
)  # fmt: skip
_TASK_SETTINGS = (
    "dataset_path", "dataset_name", "num_fewshot", "doc_to_text", "description", "output_type", "generation_kwargs",
    "filter_list", "metric_list", "repeats",
)  # fmt: skip


def recognises(head: Head) -> bool:
    if head.shape == "rows":
        return mostly(head, lambda row: row.keys() >= ROW_KEYS) or _is_header(head.rows[0])
    return head.shape == "document" and (_is_header(head.document) or first_entry(head.document).keys() >= ROW_KEYS)


def _is_header(document: Any) -> bool:
    return isinstance(document, dict) and document.keys() >= HEADER_KEYS and isinstance(document["configs"], dict)


@frozen
class _Grading:
    """How the rows of a samples file are graded: one filter of the answers, one metric."""

    samples: Path
    task: str
    filter: str
    """Empty where neither rows nor header name it."""
    block: int
    """The place of the filter: rows that do not name theirs stand in blocks, filter after filter."""
    metric: str


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    """One run per call of the harness, filter and metric; the files of a call share the time in their names."""
    calls: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        time = _time(path)
        calls.setdefault((path.parent, time or path.name), []).append(path)
    without_rows = []
    for (folder, time), files in calls.items():
        headers = [path for path in files if _is_results(path)]
        samples = [path for path in files if path not in headers]
        if headers and not samples:
            samples = sorted(folder.glob(f"samples_*_{time}.jsonl*"))
        if not samples:
            without_rows.append(files[0])
            continue
        header_files = headers or sorted(folder.glob(f"results_{time}.json*"))
        yield from _call(samples, headers, header_files[0] if header_files else None)
    if len(without_rows) == len(calls):
        raise NoRuns(
            f"{without_rows[0]}: results of lm-evaluation-harness without the samples they were made of.",
            "Evaluate with --log_samples: only then does it write rows.",
        )


def _is_results(path: Path) -> bool:
    return plain_name(path).startswith("results") or not plain_name(path).endswith(".jsonl")


def _time(path: Path) -> str:
    match = _TIME.search(plain_name(path))
    return match[1] if match else ""


def _call(samples: list[Path], headers: list[Path], header_file: Path | None) -> Iterator[ForeignRun]:
    header = as_mapping(document(header_file)) if header_file else {}
    gradings: dict[tuple[str, str], list[_Grading]] = {}
    for path in samples:
        for grading in _gradings(path, header):
            gradings.setdefault((grading.metric, grading.filter), []).append(grading)
    several_metrics = len({metric for metric, _ in gradings}) > 1
    several = len(gradings) > 1
    for (metric, name), graded_files in gradings.items():
        label = ",".join(filter(None, (metric if several_metrics else "", name)))
        header_files = headers or ([header_file] if header_file else [])
        files = [*headers, *(grading.samples for grading in graded_files), *(header_files if not headers else ())]
        yield ForeignRun(
            tuple(files),
            partial(_rows, graded_files, header),
            name=f"@{label}" if several and label else "",
            settings=_settings(header, graded_files),
            reported=_reported(header, graded_files),
            expected=_expected(header, graded_files),
        )


def _samples(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | BadRecord]]:
    """The rows of a samples file with their numbers; early versions wrote them as one list."""
    rows = rows_of(path)
    first = next(rows, None)
    if first is not None and isinstance(first[1], dict):
        yield first
        yield from rows
        return
    listed = document(path)
    if isinstance(listed, list):
        yield from ((number, row) for number, (_, row) in enumerate(records_of(listed), 1))
    elif first is not None:
        yield first
        yield from rows


def _gradings(path: Path, header: Mapping[str, Any]) -> Iterator[_Grading]:
    task = _task(path, header)
    first = next((row for _, row in _samples(path) if isinstance(row, Mapping)), {})
    metric = _metric(first, task, header)
    keys = [key.partition(",") for key in _results(header, task)]
    names = list(dict.fromkeys(name for stat, comma, name in keys if comma and stat == metric))
    if not names:
        listed = as_rows(_config(header, task).get("filter_list"))
        names = [str(entry.get("name")) for entry in listed]
    if not names or _may_name_others(path, names):
        names += [name for name in _filters_in_rows(path) if name not in names and (name or not names)]
    for place, name in enumerate(names):
        yield _Grading(path, task, name, place, metric)


def _may_name_others(path: Path, names: Sequence[str]) -> bool:
    """Whether rows may be of a filter that the header does not state: a look at the bytes, which is no parsing."""
    try:
        with open_bytes(path) as stream:
            return any(
                match[1].decode("utf-8", errors="replace") not in names
                for line in stream
                if (first := line.find(b'"filter"')) >= 0
                for match in _FILTER.finditer(line, first)
            )
    except UNREADABLE:
        return False


def _filters_in_rows(path: Path) -> list[str]:
    names = dict.fromkeys(str(row.get("filter") or "") for _, row in _samples(path) if isinstance(row, Mapping))
    return list(names) or [""]


def _task(path: Path, header: Mapping[str, Any]) -> str:
    name = _TIME.sub("", plain_name(path)).removeprefix("samples_").removesuffix(".jsonl")
    configs = as_mapping(header.get("configs"))
    return next(iter(configs)) if len(configs) == 1 and name not in configs else str(name)


def _metric(row: Mapping[str, Any], task: str, header: Mapping[str, Any]) -> str:
    """The task's first metric of which more is better; rows without a header say which they have."""
    listed = [str(entry.get("metric")) for entry in as_rows(_config(header, task).get("metric_list"))]
    result_metrics = [key.partition(",")[0] for key in _results(header, task)]
    metrics = row.get("metrics")
    row_metrics = [key for key in metrics if isinstance(key, str)] if isinstance(metrics, list) else []
    further_keys = [key for key in row if key not in _OWN_KEYS]
    better = as_mapping(as_mapping(header.get("higher_is_better")).get(task))
    candidates = [key for key in (*listed, *result_metrics, *row_metrics, *further_keys) if key in row]
    upward = [key for key in candidates if better.get(key) is not False]
    return next(iter(upward or candidates), "")


def _config(header: Mapping[str, Any], task: str) -> Mapping[str, Any]:
    return as_mapping(as_mapping(header.get("configs")).get(task))


def _results(header: Mapping[str, Any], task: str) -> Mapping[str, Any]:
    return as_mapping(as_mapping(header.get("results")).get(task))


def _settings(header: Mapping[str, Any], gradings: Sequence[_Grading]) -> dict[str, Any]:
    call = {key: value for key, value in as_mapping(header.get("config")).items() if value not in (None, [])}
    call.pop("device", None)
    tasks = {}
    for grading in gradings:
        config = _config(header, grading.task)
        tasks[grading.task] = {key: config[key] for key in _TASK_SETTINGS if key in config} | {
            "version": as_mapping(header.get("versions")).get(grading.task),
            "task_hash": as_mapping(header.get("task_hashes")).get(grading.task),
        }
    first = gradings[0]
    run_settings = {key: header[key] for key in _RUN_SETTINGS if header.get(key) not in (None, "")}
    settings = {"model": header.get("model_name"), **run_settings, "harness": call, "tasks": tasks}
    settings |= {"metric": first.metric, "filter": first.filter, "dataset_samples": _whole(header, gradings)}
    return {key: value for key, value in settings.items() if value not in (None, "", {})}


def _reported(header: Mapping[str, Any], gradings: Sequence[_Grading]) -> float | None:
    """The stated means of the tasks, weighed by their rows: None as soon as one is not stated."""
    total, rows = 0.0, 0
    for grading in gradings:
        mean = score_of(_results(header, grading.task).get(f"{grading.metric},{grading.filter}"))
        count = _effective(header, grading.task)
        if mean is None or not count:
            return mean if len(gradings) == 1 else None
        total, rows = total + mean * count, rows + count
    return total / rows if rows else None


def _effective(header: Mapping[str, Any], task: str) -> int:
    count = as_mapping(as_mapping(header.get("n-samples")).get(task)).get("effective")
    return count if isinstance(count, int) and 0 < count <= _MOST_EXPECTED else 0


def _whole(header: Mapping[str, Any], gradings: Sequence[_Grading]) -> int | None:
    """How many samples the tasks have in all, run or not; None where one of them does not say."""
    samples = as_mapping(header.get("n-samples"))
    originals = [as_mapping(samples.get(grading.task)).get("original") for grading in gradings]
    counts = [count for count in originals if isinstance(count, int) and count > 0]
    return sum(counts) if len(counts) == len(originals) else None


def _expected(header: Mapping[str, Any], gradings: Sequence[_Grading]) -> dict[str, int]:
    counts = {grading.task: _effective(header, grading.task) for grading in gradings}
    if not all(counts.values()):
        return {}
    return {f"{task}/{number}": 1 for task, count in counts.items() for number in range(count)}


def _rows(gradings: Sequence[_Grading], header: Mapping[str, Any]) -> Iterator[dict[str, Any] | BadRecord]:
    for grading in gradings:
        sampling = _sampling(_config(header, grading.task))
        better = as_mapping(as_mapping(header.get("higher_is_better")).get(grading.task)).get(grading.metric)
        model = header.get("model_name")
        blocks: dict[Any, int] = {}
        for number, row in _samples(grading.samples):
            if isinstance(row, BadRecord):
                yield row
                continue
            doc = row.get("doc_id")
            if not isinstance(doc, (int, str)):
                yield BadRecord("it has no doc_id", f"line {number}")
                continue
            blocks[doc] = block = blocks.get(doc, -1) + 1
            row_filter = row.get("filter")
            named = isinstance(row_filter, str) and (row_filter or not grading.filter)
            if row_filter == grading.filter if named else block == grading.block:
                place = Place(grading.samples.name, f"line {number}")
                yield _row(row, grading, place, sampling, model if isinstance(model, str) else None, better is False)


def _row(
    row: Mapping[str, Any],
    grading: _Grading,
    place: Place,
    sampling: dict[str, Any],
    model: str | None,
    downward: bool,
) -> dict[str, Any]:
    score = None if downward else score_of(row.get(grading.metric))
    requests = _requests(row.get("arguments"))
    options = _log_likelihoods(row.get("resps"))
    filtered = row.get("filtered_resps")
    answer = filtered[0] if isinstance(filtered, list) and len(filtered) == 1 else None
    verifier: dict[str, Any] = {
        "filter": grading.filter,
        "metric": grading.metric,
        "scores": {key: value for key, value in row.items() if key not in _OWN_KEYS},
        "expected_answer": row.get("target"),
    }
    output: Items | None = None
    if options is not None:
        verifier["log_likelihoods"] = options
        verifier |= _likeliest(options, requests, row.get("target"))
    else:
        texts = _texts(row.get("resps"))
        output = [text_item("assistant", text) for text in texts[:1]]
        verifier["extracted_answer"] = "" if answer == NO_ANSWER else answer
        if len(texts) > 1:
            verifier["further_responses"] = texts[1:]
    nothing = answer == NO_ANSWER and not score
    return rollout_row(
        f"{grading.task}/{row['doc_id']}",
        0,
        SourceVerdict(
            score,
            Status.MALFORMED if nothing else None,
            f"the filter {grading.filter} found no answer in the response ({NO_ANSWER})" if nothing else "",
        ),
        place,
        prompt=_prompt(requests),
        output=output,
        model=model,
        sampling=sampling,
        verifier=verifier,
        metadata={"benchmark": grading.task} | task_fields(row.get("doc")),
    )


def _sampling(config: Mapping[str, Any]) -> dict[str, Any]:
    arguments = as_mapping(config.get("generation_kwargs"))
    names = {"max_gen_toks": "max_output_tokens", "max_tokens": "max_output_tokens", "until": "stop"}
    return {names.get(key, key): value for key, value in arguments.items()}


def _requests(arguments: Any) -> list[tuple[Any, Any]]:
    """What was asked: (prompt, settings or the continuation that was weighed), one per request."""
    if isinstance(arguments, Mapping):
        entries = [as_mapping(entry) for entry in arguments.values()]
        return [(entry.get("arg_0"), entry.get("arg_1")) for entry in entries]
    if not isinstance(arguments, list):
        return []
    return [
        (entry[0], entry[1] if len(entry) > 1 else None) for entry in arguments if isinstance(entry, list) and entry
    ]


def _prompt(requests: list[tuple[Any, Any]]) -> Items:
    """The prompt; where options were weighed behind different ones, each of them."""
    items: list[dict[str, Any]] = []
    for prompt, _ in requests:
        text = prompt[0] if isinstance(prompt, list) and len(prompt) == 1 else prompt
        messages = json_value(text) if isinstance(text, str) and text.startswith("[{") else text
        if isinstance(messages, list) and as_rows(messages):
            items.extend(item for item in chat_items(as_rows(messages)) if item not in items)
        elif text is not None:
            item = text_item("user", str(text))
            items.extend([item] if item not in items else [])
    return items


def _texts(responses: Any) -> list[str]:
    """The responses of a document: one, or as many as the task repeats its requests."""
    if not isinstance(responses, list):
        return [] if responses is None else [str(responses)]
    return [str(text) for entry in responses for text in (entry if isinstance(entry, list) else [entry])]


def _log_likelihoods(responses: Any) -> list[float] | None:
    """The log-likelihood of each option; None where texts were generated."""
    values = []
    for entry in responses if isinstance(responses, list) else []:
        pair = entry[0] if isinstance(entry, list) and len(entry) == 1 else entry
        if not isinstance(pair, list) or len(pair) != 2 or str(pair[1]) not in {"True", "False"}:
            return None
        number = score_of(pair[0])
        if number is None:
            return None
        values.append(number)
    return values or None


def _likeliest(options: list[float], requests: list[tuple[Any, Any]], target: Any) -> dict[str, Any]:
    """The option that is most likely, where options are told apart by their text; the target is one, or its number."""
    names = [str(continuation).strip() for _, continuation in requests]
    if len(names) != len(options) or len(set(names)) != len(names):
        return {"expected_answer": None} if len(options) > 1 else {}
    expected = str(target).strip()
    if expected not in names:
        place = int(expected) if expected.isdecimal() and len(expected) < _LONGEST_NUMBER else len(names)
        if place >= len(names):
            return {"expected_answer": None}
        expected = names[place]
    return {
        "extracted_answer": names[max(range(len(options)), key=options.__getitem__)],
        "expected_answer": expected,
    }
