"""The rules by which tasks of different runs may be the same: each id, the text with or without the answer, the index.

A rule gives every task of a run a key; tasks with one key are one task. Whether that is so is for the rows to say: see
`agreement.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from blade.counting.identity import ID_FIELDS, hash_mix
from blade.counting.sketches import MOSTLY, Sketches, unique

Keys = Mapping[str, str]


class Trust(IntEnum):
    """Of two rules that join equally many tasks, the one with the lower number is taken."""

    ID = 0  # a field that is known to name tasks
    TEXT_AND_ANSWER = 1
    TEXT = 2
    OTHER_ID = 3  # a field that is called an id
    NUMBER = 4  # an id that only repeats the index
    INDEX = 5


RULE_NAMES = {
    Trust.ID: "domain_id",
    Trust.TEXT_AND_ANSWER: "text",
    Trust.TEXT: "text",
    Trust.OTHER_ID: "domain_id",
    Trust.NUMBER: "domain_id",
    Trust.INDEX: "index",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """`keys` has the tasks of every run with their keys; None for a run that the rule says nothing of."""

    trust: Trust
    detail: str
    keys: tuple[Keys | None, ...]

    @property
    def name(self) -> str:
        return RULE_NAMES[self.trust]


def every_rule(runs: Sequence[Sketches]) -> list[Rule]:
    """All that can be tried on these runs, the most trusted first."""
    rules = [*_by_id(runs), _by_text(runs, answer=True), _by_text(runs, answer=False), _by_index(runs)]
    return sorted((rule for rule in rules if rule.keys[0]), key=lambda rule: rule.trust)


def _by_id(runs: Sequence[Sketches]) -> list[Rule]:
    fields = dict.fromkeys(name for run in runs for name in run.ids)
    return [by_field(runs, name) for name in sorted(fields, key=_place)]


def _place(name: str) -> tuple[int, str]:
    return (ID_FIELDS.index(name) if name in ID_FIELDS else len(ID_FIELDS), name)


def by_field(runs: Sequence[Sketches], name: str) -> Rule:
    """The rule that a field names the task."""
    keys = tuple(run.ids.get(name) or run.one_per_task(name) for run in runs)
    trust = Trust.ID if name in ID_FIELDS else Trust.OTHER_ID
    if any(run.numbered(ids) for run, ids in zip(runs, keys, strict=True) if ids):
        trust = Trust.NUMBER
    return Rule(trust, f"the field '{name}'", keys)


def _by_text(runs: Sequence[Sketches], *, answer: bool) -> Rule:
    detail = "the task's own text and its expected answer" if answer else "the task's own text"
    trust = Trust.TEXT_AND_ANSWER if answer else Trust.TEXT
    return Rule(trust, detail, tuple(_texts(run, answer=answer) for run in runs))


def _texts(run: Sketches, *, answer: bool) -> Keys | None:
    """Task → text, where most tasks have one of their own."""
    if answer and not any(sketch.gold is not None for sketch in run.tasks.values()):
        return None
    keys = {
        task: hash_mix(sketch.text, sketch.gold) if answer else sketch.text
        for task, sketch in run.tasks.items()
        if sketch.text is not None
    }
    own_texts = unique(keys.items())
    if not keys or len(keys) < MOSTLY * len(run.tasks) or len(own_texts) < MOSTLY * len(keys):
        return None
    return {task: f"{key:x}" for task, key in own_texts.items()}


def _by_index(runs: Sequence[Sketches]) -> Rule:
    keys = tuple(
        {task: str(sketch.index) for task, sketch in run.tasks.items() if sketch.index is not None} or None
        for run in runs
    )
    return Rule(Trust.INDEX, "the index", keys)
