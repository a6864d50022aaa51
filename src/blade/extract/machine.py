"""On what machine and with what model a rollout was made, as far as its texts betray it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import orjson

from blade.extract.attempt import Attempt
from blade.late_regex import late_regex

X86, ARM = "x86_64", "arm64"
_WORDS = {X86: (b"x86_64", b"amd64"), ARM: (b"aarch64", b"arm64")}
_ENDING = b"64"
_ANY_WORD = late_regex(rb"64(?:(?<=x86_64)|(?<=amd64)|(?<=aarch64)|(?<=arm64))")
"""One of the words, found by the figures that all of them end with: far sooner than by one look for each."""
_FAMILY = late_regex(r"[A-Za-z]{3,}")
LONGEST = 80


def machine_facts(attempt: Attempt, data: bytes, model: str | None) -> dict[str, Any]:
    """`machine`: the processor that the row's texts name; `model_named`: the model that they name beside the field."""
    return {"machine": _machine(attempt, data), "model_named": _model(attempt, data, model)}


def _machine(attempt: Attempt, data: bytes) -> str | None:
    """The architecture that the row names most often, in what tools, screens and the verifier say.

    What was asked, and what the model writes in its calls, may name a machine that it never ran on.
    """
    ends = [match.end() for match in _ANY_WORD.finditer(data)] if data.rfind(_ENDING) >= 0 else []
    if not ends:
        return None
    word_counts = {kind: sum(data.endswith(words, 0, end) for end in ends) for kind, words in _WORDS.items()}
    task_and_calls = _asked_or_called(attempt)
    counts = {
        kind: word_counts[kind] - sum(task_and_calls.count(word.decode()) for word in words)
        for kind, words in _WORDS.items()
    }
    if counts[X86] <= 0 and counts[ARM] <= 0:
        return None
    return ARM if counts[ARM] >= counts[X86] else X86


def _asked_or_called(attempt: Attempt) -> str:
    """The request, with its task, its system prompt and its tools, and the arguments of all calls."""
    request = orjson.dumps(attempt.row.get("responses_create_params") or attempt.task_text).decode("utf-8", "replace")
    return "\n".join((request, *(str(call.arguments) for call in attempt.calls)))


def _model(attempt: Attempt, data: bytes, model: str | None) -> str | None:
    """An id of the family of the row's model with figures in it, which the model's own field does not have."""
    family = _FAMILY.search(model.rsplit("/", 1)[-1]) if model else None
    if model is None or family is None:
        return None
    own_name = model.rsplit("/", 1)[-1].lower()
    other_ids = [
        name
        for name in _ids_of_family(family.group().lower(), data)
        if name not in (own_name, own_name.replace("_", "-"))
    ]
    if not other_ids:
        return None
    task_text = attempt.task_text.lower()
    counts = Counter(name for name in other_ids if name not in task_text)
    return counts.most_common(1)[0][0][:LONGEST] if counts else None


def _ids_of_family(family: str, data: bytes) -> Iterator[str]:
    """The ids of a family, in order. Its name is found far sooner than a pattern is, and soonest from the end."""
    begin, pattern = family.encode() + b"-", _ids(family)
    places = []
    at = data.rfind(begin)
    while at >= 0:
        places.append(at)
        at = data.rfind(begin, 0, at)
    end = 0
    for at in reversed(places):
        match = pattern.match(data, at) if at >= end else None
        if match:
            end = match.end()
            yield match.group().decode().rstrip(".-_:")


@lru_cache(maxsize=64)
def _ids(family: str) -> re.Pattern[bytes]:
    """An id that stands by itself: a folder or a file named after a run (`runs_name-4_seed_42/…`) is no id."""
    begin = rb"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))"
    return re.compile(begin + family.encode() + rb"-[a-z0-9.:_-]*\d[a-z0-9.:_-]*(?![a-z0-9.:_/-])")
