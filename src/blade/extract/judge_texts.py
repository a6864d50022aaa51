"""What a judge that reads and reasons says of a rollout, in its own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blade.extract.checks import verdict
from blade.extract.names import words

SHORTEST = 60
"""Fewer characters are a verdict, and no reason."""
DEEPEST = 10
MOST_ITEMS = 8
_GRADES = ("reward", "score", "passed", "pass", "correct", "met", "satisfied", "success", "verdict")
_REASONS = frozenset(
    "explanation reason rationale reasoning feedback critique justification comment judgement grounds "
    "remark remarks".split()
)
_JUDGES = frozenset(
    "judge judges grader judgement judgements judgment judgments evaluator arbiter adjudicator referee assessor".split()
)
_NO_WORDS = frozenset(
    "input prompt prompts instructions instruction criteria criterion rubric question id ids model name "
    "reference".split()
)
"""What was asked of the judge, and what only names it."""
_VERIFIERS = frozenset(
    "verifier verification judge grading evaluation evaluations details scoring scorer scorers adjudication panel "
    "marking assessment review verdict".split()
)
_OF_THE_ROLLOUT = ("responses_create_params", "response", "verifier_metadata")


def judge_texts(row: Mapping[str, Any]) -> list[str]:
    """The reasons of the verdict and the replies of a judge, in the order of the row; what was asked of it left out."""
    fields = {name: value for name, value in row.items() if name not in _OF_THE_ROLLOUT}
    return list(dict.fromkeys(text.strip() for text in _texts(fields, speaks=False, judging=True, depth=0)))


def judge_replies(row: Mapping[str, Any]) -> list[str]:
    """All that a judge writes, however short, wherever the row holds it."""
    fields = {name: value for name, value in row.items() if name not in _OF_THE_ROLLOUT[:2]}
    return list(dict.fromkeys(text.strip() for text in _texts(fields, speaks=False, judging=True, depth=0, shortest=1)))


def _texts(value: Any, *, speaks: bool, judging: bool, depth: int, shortest: int = SHORTEST) -> Iterator[str]:
    """Texts below a name of a judge, or below the name of a reason in a record of the verifier's."""
    if isinstance(value, str):
        if speaks and len(value.strip()) >= shortest:
            yield value
    elif isinstance(value, list) and depth < DEEPEST:
        for entry in (_denied(value) or value)[:MOST_ITEMS]:
            yield from _texts(entry, speaks=speaks, judging=judging, depth=depth + 1, shortest=shortest)
    elif isinstance(value, dict) and depth < DEEPEST:
        for name, inner in value.items():
            parts = words(name) if isinstance(inner, (str, list, dict)) and isinstance(name, str) else ()
            if not parts or name == "responses_create_params" or not _NO_WORDS.isdisjoint(parts):
                continue
            is_reason = not _JUDGES.isdisjoint(parts) or (judging and not _REASONS.isdisjoint(parts))
            yield from _texts(
                inner,
                speaks=speaks or is_reason,
                judging=judging and not _VERIFIERS.isdisjoint(parts),
                depth=depth + 1,
                shortest=shortest,
            )


def _denied(entries: list[Any]) -> list[Any]:
    """The parts of a verdict, each with a grade of its own, that were denied; what a judge praises is no fault."""
    return [entry for entry in entries if isinstance(entry, dict) and _is_denied(entry)]


def _is_denied(entry: Mapping[str, Any]) -> bool:
    """Whether a part of a verdict got no point; its grade may stand one level deeper."""
    records = (entry, *(inner for inner in entry.values() if isinstance(inner, dict)))
    return any(verdict(record[name]) is False for record in records for name in _GRADES if record.get(name) is not None)
