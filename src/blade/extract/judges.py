"""Whether a judge that reads and reasons gave the verdict of a row, rather than a comparison by rule.

A judge may deny an answer that equals the key on grounds that the key does not show (the way to it, a sentence beside
it, its own error), so that the verdict is to be read; a rule that denies an equal answer is at fault.
"""

from __future__ import annotations

from typing import Any

from blade.extract.field_roles import where
from blade.extract.names import answer_rank, is_gold, words

_JUDGES = frozenset(
    "judge judges judgement judgements judgment judgments autograder grader arbiter adjudicator referee "
    "assessor".split()
)
_VERDICTS = frozenset("score scores rating reward label passed correct verdict points grade".split())
_SCORES = ("scores", "metrics", "rewards")
"""Records of several marks, in which a judge's may stand beside others."""
_NO_VERDICT = frozenset(
    "no invalid error errors skipped failed missing expected extracted truth gold code codes class type kind".split()
)
"""Of a judge that was not heard, of a task that is about judging, or of the class that a rule gives."""


def judge_field(row: dict[str, Any]) -> str:
    """The dotted name of the field in which a judge speaks or scores; empty where none does."""
    verifier = row.get("verifier")
    holders: list[tuple[str, Any]] = [("", row), ("verifier.", verifier)]
    for prefix, record in tuple(holders):
        if isinstance(record, dict):
            holders += [(f"{prefix}{name}.", record.get(name)) for name in _SCORES]
    for prefix, holder in holders:
        if isinstance(holder, dict):
            for name in where(holder, _of_a_judge):
                if _is_heard(name, holder[name]):
                    return prefix + name
    return ""


def _of_a_judge(name: str) -> bool:
    parts = set(words(name))
    return (
        not _JUDGES.isdisjoint(parts)
        and _NO_VERDICT.isdisjoint(parts)
        and not is_gold(name)
        and answer_rank(name) is None
    )


def _is_heard(name: str, value: Any) -> bool:
    """Words or a record of the judge; a mere number or flag where the name says that it is the judge's verdict."""
    if isinstance(value, str):
        return bool(value.strip())
    if isinstance(value, (dict, list)):
        return bool(value)
    return value is not None and not _VERDICTS.isdisjoint(words(name))
