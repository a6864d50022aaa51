"""Runs in which different tasks have one and the same prompt text, so that nothing shows what was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.evidence import open_rows
from blade.extract.names import is_gold, is_outcome, words
from blade.frozen import frozen
from blade.model import Source

FEWEST = 5
MOSTLY = 0.9
FEWEST_KEYS = 3
FEWEST_WORDS = 4
MOST_OPENED = 8
DEEPEST = 4
_TEXTS = frozenset(("input_text", "output_text", "text", "message", "reasoning", "summary_text", "refusal"))
_OF_THE_ROLLOUT = frozenset(("response", "verifier", "_translated", "timing", "responses_create_params.input"))
_IDS = frozenset("id ids index idx uuid hash seed time date at".split())
_ENVIRONMENT = ("calls", "outputs", "user_turns", "tools_offered")
_COLUMNS = ("prompt_hash", "text_hash", "text_head", "gold_hash", "input_tokens", *_ENVIRONMENT)


@frozen
class OnePrompt:
    """A run with the text that stands for the prompts of so many of its tasks."""

    run: str
    text: str
    tasks: int
    of: int
    described: str
    """The first field whose words differ from task to task and may tell of it; empty where none does."""
    uncounted: bool
    """Whether no row counts tokens while another run's rows do."""


@frozen
class _Request:
    case: Case
    prompt: int
    text: int
    head: str
    gold: int | None


def one_prompt(run: RunCases, runs: Sequence[RunCases]) -> OnePrompt | None:
    """The text that nearly all tasks of the run have for a prompt; None where that may be all that was to be asked.

    Another run must have a prompt of its own for each of these tasks; else the tasks must have several keys, and their
    rows no other field in which they differ. A fixed prompt is right where a user, a tool or a picture brings the task.
    """
    requests = _requests(run)
    tasks = {request.case.key for request in requests}
    counts = Counter(prompt for _, prompt in {(request.case.key, request.prompt) for request in requests})
    prompt, shared = counts.most_common(1)[0] if counts else (0, 0)
    if shared < max(FEWEST, MOSTLY * len(tasks)) or _has_environment(run):
        return None
    alike = [request for request in requests if request.prompt == prompt]
    rows = [row for _, row in open_rows(Source(*place) for place in _places(alike))]
    if not rows or any(_shows_more_than_text(row) for row in rows):
        return None
    fields = _differing(rows)
    if not _is_asked_elsewhere({request.case.key for request in alike}, run, runs):
        keys = {request.gold for request in alike if request.gold is not None}
        if fields or len(keys) < FEWEST_KEYS:
            return None
    return OnePrompt(run.run.name, alike[0].head, shared, len(tasks), _description(fields), _is_uncounted(run, runs))


def _requests(run: RunCases) -> list[_Request]:
    graded = run.run.graded
    if any(name not in graded.columns for name in _COLUMNS):
        return []
    columns = (graded[name].to_list() for name in _COLUMNS[:4])
    return [
        _Request(case, prompt, text, head, gold)
        for case, prompt, text, head, gold in zip(run.cases, *columns, strict=True)
        if prompt is not None and text is not None
    ]


def _has_environment(run: RunCases) -> bool:
    """Whether a tool or a user may bring the task to the model."""
    return any(_has_any(run, name) for name in _ENVIRONMENT)


def _has_any(run: RunCases, name: str) -> bool:
    graded = run.run.graded
    return name in graded.columns and bool((graded[name].fill_null(0) > 0).any())


def _places(requests: Sequence[_Request]) -> list[tuple[str, int, int, int]]:
    """A row of each of the first tasks."""
    return list({request.case.key: request.case.place for request in requests}.values())[:MOST_OPENED]


def _is_asked_elsewhere(keys: set[str], run: RunCases, runs: Sequence[RunCases]) -> bool:
    """Whether another run has a text of its own for nearly each of the tasks, as far as it has them."""
    for other in runs:
        if other is run:
            continue
        texts = {request.case.key: request.text for request in _requests(other) if request.case.key in keys}
        if len(texts) >= FEWEST and len(set(texts.values())) >= MOSTLY * len(texts):
            return True
    return False


def _is_uncounted(run: RunCases, runs: Sequence[RunCases]) -> bool:
    return not _has_any(run, "input_tokens") and any(_has_any(other, "input_tokens") for other in runs)


def _shows_more_than_text(row: Mapping[str, Any]) -> bool:
    """Whether the request holds a picture, a sound or a file, which no text shows."""
    request = row.get("responses_create_params")
    messages = request.get("input") if isinstance(request, dict) else None
    for item in messages if isinstance(messages, list) else ():
        content = item.get("content") if isinstance(item, dict) else None
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and part.get("type", "text") not in _TEXTS:
                return True
    return False


def _differing(rows: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Fields of the task whose values differ from row to row, apart from ids, keys, outcomes and the rollout itself."""
    values: dict[str, set[str]] = {}
    for row in rows:
        for name, value in _values(row):
            values.setdefault(name, set()).add(value)
    return {name: differing for name, differing in values.items() if len(differing) > 1}


def _values(holder: Mapping[str, Any], path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    for name, value in holder.items():
        field = f"{path}.{name}" if path else name
        if field in _OF_THE_ROLLOUT or is_gold(name) or is_outcome(name) or not _IDS.isdisjoint(words(name)):
            continue
        if isinstance(value, dict) and depth < DEEPEST:
            yield from _values(value, field, depth + 1)
        else:
            yield field, str(value)


def _description(fields: Mapping[str, set[str]]) -> str:
    """The first field that holds a sentence for each task."""
    sentences = (
        name
        for name, texts in fields.items()
        if all(len(text.split(maxsplit=FEWEST_WORDS)) >= FEWEST_WORDS for text in texts)
    )
    return next(sentences, "")
