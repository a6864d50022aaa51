"""The rules by which tasks of different runs may be the same: each id, the text with or without the answer, the index.

A rule gives every task of a run a key; tasks with one key are one task. Whether that is so is for the rows to say: see
`agreement.py`.

With `--match-by FIELD` the user says which field names the tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from enum import IntEnum

from blade.counting.identity import hash_mix
from blade.counting.sketches import MOSTLY, Sketches, unique
from blade.errors import UsageError
from blade.frozen import frozen
from blade.task_names import ID_FIELDS

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


@frozen
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


WORDS = ("index", "text")
"""What may be named beside the fields of the rows."""


def chosen_rule(runs: Sequence[Sketches], name: str) -> Rule:
    """The rule of that name, or an error that says what there is."""
    present = [{column.name for column in run.run.columns} for run in runs]
    if name in WORDS and not any(name in fields for fields in present):
        return _by_word(runs, name)
    for run, fields in zip(runs, present, strict=True):
        if name not in fields:
            raise UsageError(
                f"--match-by {name}: the rows of {run.run.name} have no field of that name.", _nearest(name, present)
            )
    rule = by_field(runs, name)
    for run, keys in zip(runs, rule.keys, strict=True):
        if keys is None:
            raise UsageError(f"--match-by {name}: {_why_not(run, name)}.", "Wanted: a field with one value per task.")
    return rule


def _by_word(runs: Sequence[Sketches], name: str) -> Rule:
    matching = [rule for rule in every_rule(runs) if rule.name == name and None not in rule.keys]
    if not matching:
        raise UsageError(
            f"--match-by {name}: not every run has {'an index' if name == 'index' else 'a text'} for its tasks.",
            "Name a field that tells the tasks apart.",
        )
    return matching[-1]  # the text alone, without its answer


def _nearest(name: str, present: Sequence[set[str]]) -> str:
    shared = sorted(set.intersection(*present))
    near = get_close_matches(name, [*shared, *WORDS], 3, 0.5)
    near += [field for field in shared if field.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1] and field not in near]
    if near:
        return f"Nearest in all runs: {', '.join(near[:4])}."
    field_list = ", ".join(shared[:8]) + (f" and {len(shared) - 8} more" if len(shared) > 8 else "")
    return f"Fields that all runs have: {field_list or 'none'}."


def _why_not(run: Sketches, name: str) -> str:
    values = run.values(name)
    in_run = f"in {run.run.name}"
    if not values:
        return f"{in_run} the field holds measures or flags, which name no task"
    several = [task for task, task_values in values.items() if len(task_values) > 1]
    if several:
        return f"{in_run} {len(several):,} of {len(values):,} tasks have several values, such as task {several[0]}"
    if len({next(iter(task_values)) for task_values in values.values()}) < len(values):
        return f"{in_run} several tasks have the same value"
    return f"{in_run} only {len(values):,} of {len(run.rows):,} tasks have a value"
