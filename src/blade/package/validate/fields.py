"""D2: rows say why they were given their reward, and what kind of task they are: without that nothing can be sliced."""

from __future__ import annotations

from collections.abc import Iterator

from blade.counting.run import Run
from blade.counting.slices import task_slices
from blade.package.validate.result import Item, Result, passed, some, warned
from blade.skill.reading import read_fields
from blade.skill.roles import ANSWER, JUDGE, METADATA, SLICE, TROUBLE, VERIFIER
from blade.skill.schema import Schema, find_schema


def check_fields(runs: tuple[Run, ...]) -> Iterator[Result]:
    """Fields by the role that a drafted skill gives them; those of the materialized inputs count as the task's."""
    declared = runs[0].raw.benchmark.values
    slices = {
        field
        for run in runs
        for levels in task_slices(run, tuple(declared.get("slices", ()))).values()
        for field in levels
    }
    schema = find_schema(read_fields(runs), runs, slices, declared.get("reward_field"))
    yield _result(
        "verifier output in the rows",
        schema.named(VERIFIER, ANSWER, JUDGE, TROUBLE),
        "no field beside the reward tells why a rollout was given it",
        "Have the verifier write what it found into the row, and say in the skill what its reward rests on",
    )
    yield _result(
        "task metadata for slices",
        sorted({*schema.named(SLICE, METADATA), *_of_inputs(schema)}),
        "no field tells kinds of tasks apart",
        "Keep category, difficulty or the like in the rows, or the materialized inputs in artifacts/",
    )


def _of_inputs(schema: Schema) -> list[str]:
    return [field.name for field, role in schema.inputs if role.kind in {SLICE, METADATA} and not field.listed]


def _result(check: str, names: list[str], warning: str, fix: str) -> Result:
    if names:
        return passed(Item.ROLLOUTS, check, some(names, 3))
    return warned(Item.ROLLOUTS, check, warning, fix)
