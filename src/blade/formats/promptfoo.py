"""promptfoo outputs (JSON, or JSON lines): one run per provider and prompt, tests named by their variables.

The number of a test is its place in one file, so tests are matched by what fills the prompt: their variables and their
description. Equal tests in one column are repeats.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.files.sniff import Head, document_of, mostly
from blade.model import Status
from blade.translate.chat import Item, as_json, chat_items, content_words, text_item
from blade.translate.documents import as_mapping, as_rows, document, json_value, records_of, rows_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of
from blade.translate.task_fields import task_fields
from blade.translate.usage import usage_of

VERSION = 2
ROW_KEYS = {"success", "vars", "provider"}
NO_FAILURE, ASSERTION, ERROR = 0, 1, 2
"""Why a result failed, as promptfoo numbers it."""
_LONGEST_NAME = 40
_LONGEST_CHECK = 60
_LONGEST_ERROR = 300

Column = tuple[int, str]
"""A provider with a prompt: the number of the prompt in the file, and the provider's id."""
Records = list[tuple[str, Mapping[str, Any] | BadRecord]]


def recognises(head: Head) -> bool:
    if _results(document_of(head)):
        return True
    return mostly(head, lambda row: row.keys() >= {*ROW_KEYS, "testIdx", "promptIdx"})


def _results(content: Any) -> list[Mapping[str, Any]]:
    """The results of a document; nothing where it is none of promptfoo's."""
    rows = as_rows(as_mapping(as_mapping(content).get("results")).get("results"))
    return rows if rows and rows[0].keys() >= ROW_KEYS else []


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    for path in paths:
        content = as_mapping(document(path))
        summary = as_mapping(content.get("results"))
        rows = _records(path, content)
        first_rows: dict[Column, Mapping[str, Any]] = {}
        for _, row in rows:
            if isinstance(row, Mapping):
                first_rows.setdefault(_column(row), row)
        columns = list(first_rows)
        prompts = as_rows(summary.get("prompts"))
        for column in sorted(columns):
            first = first_rows[column]
            yield ForeignRun(
                (path,),
                partial(_rows, path, rows, column),
                name=f"@{_label(first, column, columns, prompts)}" if len(columns) > 1 else "",
                settings=_settings(first, content),
                reported=_reported(prompts[column[0]] if column[0] < len(prompts) else {}),
            )


def _records(path: Path, content: Mapping[str, Any]) -> Records:
    """Every result with its place, in the order of the tests: they were written as they ended."""
    records: Records
    if _results(content):
        records = list(records_of(content["results"]["results"], "/results/results"))
    else:
        records = [(f"line {number}", row) for number, row in rows_of(path)]
    return sorted(
        records, key=lambda record: _number(record[1].get("testIdx")) if isinstance(record[1], Mapping) else 0
    )


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _provider(row: Mapping[str, Any]) -> str:
    provider = row.get("provider")
    return str(as_mapping(provider).get("id") or "") if isinstance(provider, Mapping) else str(provider or "")


def _column(row: Mapping[str, Any]) -> Column:
    return _number(row.get("promptIdx")), _provider(row)


def _label(
    row: Mapping[str, Any], column: Column, columns: Sequence[Column], prompts: Sequence[Mapping[str, Any]]
) -> str:
    """The provider; where it was asked with several prompts, the prompt's number as well."""
    details = as_mapping(row.get("provider"))
    listed = as_mapping(prompts[column[0]] if column[0] < len(prompts) else {}).get("provider")
    name = str(details.get("label") or details.get("id") or listed or column[1] or "provider")
    several = sum(provider == column[1] for _, provider in columns) > 1
    return f"{name} prompt {column[0] + 1}" if several else name


def _settings(row: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    config = as_mapping(content.get("config"))
    settings = {
        "model": _provider(row),
        "prompt": row.get("promptId"),
        "assertions": as_mapping(config.get("defaultTest")).get("assert"),
        "evaluate_options": config.get("evaluateOptions"),
    }
    return {key: value for key, value in settings.items() if value}


def _reported(prompt: Mapping[str, Any]) -> float | None:
    metrics = as_mapping(prompt.get("metrics"))
    counts = [score_of(metrics.get(f"test{word}Count")) for word in ("Pass", "Fail", "Error")]
    tests = sum(filter(None, counts))
    total = score_of(metrics.get("score"))
    return total / tests if total is not None and tests else None


def _rows(path: Path, records: Records, column: Column) -> Iterator[dict[str, Any] | BadRecord]:
    attempts: Counter[str] = Counter()
    for part, row in records:
        if isinstance(row, BadRecord):
            yield row
        elif _column(row) == column:
            task = _task(row)
            yield _row(row, task, attempts[task], Place(path.name, part))
            attempts[task] += 1


def _task(row: Mapping[str, Any]) -> str:
    """A name that does not hang on the order of the tests: the description and a digest of the variables."""
    test = as_mapping(row.get("testCase"))
    variables = as_mapping(test.get("vars")) or as_mapping(row.get("vars"))
    public = {str(key): value for key, value in variables.items() if not str(key).startswith("_")}
    description = test.get("description") or row.get("description")
    words = " ".join(description.split())[:_LONGEST_NAME] if isinstance(description, str) else ""
    digest = hashlib.sha256(f"{words}{as_json(sorted(public.items()))}".encode(errors="replace")).hexdigest()[:10]
    return f"{words} {digest}".strip()


def _row(row: Mapping[str, Any], task: str, attempt: int, place: Place) -> dict[str, Any]:
    response = as_mapping(row.get("response"))
    test = as_mapping(row.get("testCase"))
    spent = as_mapping(response.get("tokenUsage"))
    return rollout_row(
        task,
        attempt,
        _verdict(row, response),
        place,
        prompt=_prompt(row.get("prompt")),
        output=_output(response.get("output")),
        model=_provider(row) or None,
        usage=usage_of({"input_tokens": spent.get("prompt"), "output_tokens": spent.get("completion")}),
        verifier=_verifier(as_mapping(row.get("gradingResult")), row),
        metadata=task_fields({**as_mapping(row.get("vars")), **as_mapping(test.get("metadata"))}),
        timing=_timing(row),
    )


def _timing(row: Mapping[str, Any]) -> dict[str, Any]:
    """How long the answer took, and whether it came out of a cache."""
    latency, cached = score_of(row.get("latencyMs")), as_mapping(row.get("response")).get("cached")
    seconds = {} if latency is None else {"seconds": latency / 1000}
    return {**seconds, "cached": cached} if isinstance(cached, bool) else seconds


def _verdict(row: Mapping[str, Any], response: Mapping[str, Any]) -> SourceVerdict:
    """What ended in an error before it was graded has no score, though the file writes 0."""
    score, passed = score_of(row.get("score")), row.get("success")
    if row.get("failureReason") == ERROR or (
        not row.get("gradingResult") and (row.get("error") or response.get("error"))
    ):
        message = content_words(row.get("error") or response.get("error"))[:_LONGEST_ERROR]
        graded = score if row.get("gradingResult") else None
        return SourceVerdict(graded, Status.INFRASTRUCTURE, message or "failureReason 2")
    if score is None and isinstance(passed, bool):
        score = float(passed)
    status = Status.TRUNCATED if response.get("finishReason") == "length" else None
    reason = "finishReason: length" if status else ""
    return SourceVerdict(score, status, reason, passed if isinstance(passed, bool) else None)


def _prompt(prompt: Any) -> list[Item]:
    raw = as_mapping(prompt).get("raw", prompt)
    messages = json_value(raw) if isinstance(raw, str) and raw.lstrip().startswith("[") else raw
    if as_rows(messages) and "role" in as_rows(messages)[0]:
        return chat_items(as_rows(messages))
    return [text_item("user", content_words(raw))] if raw else []


def _output(output: Any) -> list[Item]:
    if as_rows(output) and any(key in as_rows(output)[0] for key in ("function", "tool_calls")):
        return chat_items([{"role": "assistant", "tool_calls": as_rows(output)}])
    text = content_words(output)
    return [text_item("assistant", text)] if text else []


def _verifier(graded: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """Every assertion as a check, in the words of its result."""
    parts = as_rows(graded.get("componentResults"))
    answers = [
        as_mapping(part.get("assertion")).get("value")
        for part in parts
        if as_mapping(part.get("assertion")).get("type") == "equals"
    ]
    judges = {str(judge) for part in parts if (judge := as_mapping(part.get("assertion")).get("provider"))}
    verifier = {
        "checks": [_check(part) for part in parts],
        "judge_model": judges.pop() if len(judges) == 1 else None,
        "explanation": graded.get("reason"),
        "scores": dict(as_mapping(row.get("namedScores"))) or None,
        "expected_answer": answers[0] if len(answers) == 1 else None,
    }
    return {name: value for name, value in verifier.items() if value not in (None, [], "")}


def _check(part: Mapping[str, Any]) -> dict[str, Any]:
    assertion = as_mapping(part.get("assertion"))
    kind = str(assertion.get("type") or "assertion")
    value = " ".join(content_words(assertion.get("value")).split())[:_LONGEST_CHECK]
    metric = assertion.get("metric")
    name = metric if isinstance(metric, str) and metric else f"{kind}: {value}" if value else kind
    return {"name": name, "passed": part.get("pass"), "score": part.get("score"), "explanation": part.get("reason")}
