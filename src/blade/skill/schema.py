"""The section Input schema: every field of the rows, what it holds and what it is for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from blade.counting.run import Run
from blade.extract.verdict import REWARD_FIELDS
from blade.frozen import frozen
from blade.skill.cells import code, shown, table
from blade.skill.profile import Field, Profile
from blade.skill.reading import Fields
from blade.skill.roles import (
    ANSWER,
    ATTEMPT,
    GOLD,
    HOLDER,
    JUDGE,
    METADATA,
    REWARD,
    SLICE,
    TASK_ID,
    TRANSCRIPT,
    TROUBLE,
    UNKNOWN,
    VERIFIER,
    Role,
    Setting,
    role,
)
from blade.wording import count, percent

HEAD = ("Field", "Type", "On rows", "Values", "Examples", "Role")
LONG = 60


@frozen
class Schema:
    """The fields of the rollouts in order, and what each is for."""

    fields: tuple[tuple[Field, Role], ...]
    rows: int
    inputs: tuple[tuple[Field, Role], ...] = ()
    input_rows: int = 0
    dropped: tuple[str, ...] = ()

    def named(self, *kinds: str) -> list[str]:
        return [field.name for field, field_role in self.fields if field_role.kind in kinds and not field.listed]


def find_schema(fields_read: Fields, runs: Sequence[Run], slices: Iterable[str], reward: str | None) -> Schema:
    """Give every field of the rollouts its role, and those that only the inputs have theirs."""
    inputs = fields_read.inputs.fields
    setting = Setting(
        reward_field=reward or next((name for name in REWARD_FIELDS if name in fields_read.rollouts.fields), "reward"),
        id_field=next((run.id_field for run in runs if run.id_field), None),
        slices=frozenset(slices),
        inputs=frozenset(name for name in inputs if not name.startswith("_")),
        references=frozenset(fields_read.references),
        whole=fields_read.rollouts.scored,
    )
    rollout_roles = _roles(fields_read.rollouts, setting)
    input_roles = _roles(fields_read.inputs, setting)
    only = [(field, field_role) for field, field_role in input_roles if field.name not in fields_read.rollouts.fields]
    return Schema(
        tuple(rollout_roles),
        fields_read.rollouts.rows,
        tuple((field, field_role) for field, field_role in only if field_role.kind != TRANSCRIPT),
        fields_read.inputs.rows,
        tuple(sorted(fields_read.rollouts.dropped)),
    )


def _roles(profile: Profile, setting: Setting) -> list[tuple[Field, Role]]:
    roles: dict[str, Role] = {}
    pairs = []
    for field in profile.ordered():
        roles[field.name] = role(field, setting, roles)
        pairs.append((field, roles[field.name]))
    return pairs


def section(schema: Schema) -> list[str]:
    """The whole section, without its heading."""
    lines = [f"Rows are JSON objects, one per attempt ({schema.rows:,} were profiled).", "", *_short(schema), ""]
    own_fields = [pair for pair in schema.fields if pair[1].kind != TRANSCRIPT]
    lines += ["### Fields of a row", "", *table(HEAD, (_row(*pair, schema.rows) for pair in own_fields))]
    if schema.dropped:
        lines += [f"More fields than can be listed stand under {shown(schema.dropped)}.", ""]
    lines += ["### The transcript", "", *_transcript(schema)]
    if schema.inputs:
        rows = (_row(field, field_role, schema.input_rows) for field, field_role in schema.inputs)
        lines += ["### Only in the materialized inputs", ""]
        lines += ["The rows do not repeat these. BLADE joins them by task and attempt index.", "", *table(HEAD, rows)]
    return lines


def _short(schema: Schema) -> list[str]:
    """The questions that everybody asks first."""
    questions = (
        ("Task id", (TASK_ID,), "unknown: no field names the task; BLADE tells tasks apart by their text"),
        ("Attempt id", (ATTEMPT,), "unknown: no field counts attempts; rows of one task are counted in order"),
        ("Reward", (REWARD,), "unknown: no field holds a reward"),
        ("Output", (), "`response.output`, in order"),
        ("Verifier fields", (VERIFIER, ANSWER, JUDGE, TROUBLE), "none: the row holds the reward and no reason for it"),
        ("Gold", (GOLD,), "unknown: the rows do not show what was expected"),
        ("Slices", (SLICE,), "none: no field has the same 2 to 50 levels in all attempts at a task"),
        ("Other task metadata", (METADATA,), "none"),
        ("Unknown", (UNKNOWN,), "none"),
    )
    names = [(title, _outermost(schema.named(*kinds)), otherwise) for title, kinds, otherwise in questions]
    inputs = _outermost(
        [field.name for field, field_role in schema.inputs if field_role.kind == GOLD and not field.listed]
    )
    lines = []
    for title, field_names, otherwise in names:
        text = shown(field_names, 20) if field_names else otherwise
        if title == "Gold" and inputs:
            text = (
                f"{shown(field_names)}; in the inputs {shown(inputs)}"
                if field_names
                else f"only in the inputs: {shown(inputs)}"
            )
        lines.append(f"- {title}: {text}")
    return lines


def _outermost(names: Iterable[str]) -> list[str]:
    """Without what stands inside another field of the list."""
    outer: list[str] = []
    for name in names:
        if not any(name.startswith(f"{outer_name}.") for outer_name in outer):
            outer.append(name)
    return outer


def _row(field: Field, field_role: Role, rows: int) -> tuple[str, ...]:
    return (
        code(field.name, 80),
        types(field),
        percent(field.rows / rows) if rows else "",
        _values(field),
        "" if field_role.kind == HOLDER else ", ".join(code(value) for value in field.examples),
        str(field_role),
    )


def types(field: Field) -> str:
    """`str`, `float or null`; the commonest type first, null last."""
    names = sorted(field.types, key=lambda name: (name == "null", -field.types[name], name))
    return " or ".join(names)


def _values(field: Field) -> str:
    distinct = f"over {field.distinct:,}" if field.many else f"{field.distinct:,}"
    low, high = field.sizes or (0, 0)
    if "list" in field.types:
        return f"{distinct}; {low:,} to {high:,} items"
    if "str" in field.types and high > LONG:
        return f"{distinct}; {low:,} to {high:,} characters"
    return distinct


def _transcript(schema: Schema) -> list[str]:
    """What varies or is told of, as a table; what is empty or the same on every row, in a line each."""
    transcript_fields = [field for field, field_role in schema.fields if field_role.kind == TRANSCRIPT]
    empty = [field.name for field in transcript_fields if set(field.types) == {"null"}]
    constant = [
        field
        for field in transcript_fields
        if field.name not in empty and field.distinct == 1 and not set(field.types) & {"list", "object"}
    ]
    left = {*empty, *(field.name for field in constant)}
    rows = [
        _row(field, field_role, schema.rows)
        for field, field_role in schema.fields
        if field in transcript_fields and field.name not in left
    ]
    lines = table(HEAD, rows) if rows else ["unknown: the rows hold no transcript", ""]
    if constant:
        field_role = ", ".join(
            f"{code(field.name, 80)} = {code(field.examples[0])}" for field in constant[:30] if field.examples
        )
        lines += [f"The same on every row: {field_role}.", ""]
    if empty:
        lines += [f"Always null ({count(len(empty), 'field')}): {shown(empty, 30)}.", ""]
    return lines
