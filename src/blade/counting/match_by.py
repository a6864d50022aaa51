"""`--match-by FIELD`: the user says which field names the tasks."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from blade.counting.rules import Rule, by_field, every_rule
from blade.counting.sketches import Sketches
from blade.errors import UsageError

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
