"""What each field is for: told from its name, its place and its behaviour. What cannot be told is said.

Names are judged by the same words as in the engine, so that a skill never calls a field otherwise than a report does.

How a field goes with the score is said in numbers, with how many rows they rest on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from blade.extract.names import (
    answer_rank,
    flag_status,
    is_error_text,
    is_gold,
    is_metadata,
    is_outcome,
    is_pass_flag,
    words,
)
from blade.frozen import frozen
from blade.skill.cells import code
from blade.skill.profile import Field, ProfileLevel
from blade.task_names import ID_FIELDS

FEW_LEVELS = 4
SAME = 1e-9


def association(field: Field, all_rows: ProfileLevel) -> str:
    """One clause, or nothing where a field has one value, or one for nearly every row. `all_rows` counts all rows."""
    if field.numeric and field.equal == field.numeric and field.distinct > 1:
        return f"equals the score on all {field.numeric:,} rows that have it"
    levels = field.levels or {}
    rows = sum(level.rows for level in levels.values())
    if 2 <= len(levels) <= FEW_LEVELS and (rows > 2 * len(levels) or len(levels) == 2):
        return "mean score " + ", ".join(
            f"{level.mean:.2f} at {code(name or '(empty)', 24)} (n = {level.rows:,})"
            for name, level in sorted(levels.items(), key=lambda pair: (-pair[1].rows, pair[0]))
        )
    if FEW_LEVELS < len(levels) <= rows // 3:
        share = _explained(field)
        if share is not None:
            return f"its {len(levels)} values explain {share:.0%} of the score's variance (n = {rows:,})"
    return _correlation(field) or _emptiness(field) or _presence(field, all_rows)


def _explained(field: Field) -> float | None:
    """The share of the variance of the score that lies between the values of a field."""
    levels = (field.levels or {}).values()
    rows = sum(level.rows for level in levels)
    mean = sum(level.total for level in levels) / rows
    total_squares = sum(level.squares for level in levels) - rows * mean * mean
    between = sum(level.rows * (level.mean - mean) ** 2 for level in levels)
    return between / total_squares if total_squares > SAME else None


def _correlation(field: Field) -> str:
    n = field.numeric
    if n < 8:
        return ""
    x, xx, y, yy, xy = field.sums
    spread = (n * xx - x * x) * (n * yy - y * y)
    if not math.isfinite(spread) or spread <= SAME:
        return ""
    return f"correlation {(n * xy - x * y) / math.sqrt(spread):+.2f} with the score (n = {n:,})".replace("-", "−")


def _presence(field: Field, all_rows: ProfileLevel) -> str:
    """A field that only some rows have may itself tell passes from failures."""
    present, absent = field.scored, all_rows.rows - field.scored.rows
    if field.listed or not present.rows or absent <= 0:
        return ""
    elsewhere = (all_rows.total - present.total) / absent
    presence = f"mean score {present.mean:.2f} where it stands (n = {present.rows:,})"
    return f"{presence}, {elsewhere:.2f} elsewhere (n = {absent:,})"


def _emptiness(field: Field) -> str:
    """A field that is null where rollouts fail says so, however many values it has elsewhere."""
    null, filled = field.nulls, field.scored.rows - field.nulls.rows
    if not null.rows or not filled:
        return ""
    mean = (field.scored.total - null.total) / filled
    return f"mean score {null.mean:.2f} where null (n = {null.rows:,}), {mean:.2f} elsewhere (n = {filled:,})"


TASK_ID, ATTEMPT, REWARD, GOLD, ANSWER = "task id", "attempt id", "reward", "gold", "verifier field: extracted answer"
VERIFIER, TROUBLE, SLICE, METADATA = "verifier field", "verifier field: trouble", "metadata slice", "task metadata"
TRANSCRIPT, TEXT, SETTING, UNKNOWN = "transcript", "task text", "run setting", "unknown"
JUDGE, HOLDER = "verifier field: judge", "object"
_STAMPS = {
    "_ng_task_index": (TASK_ID, "the index that Gym stamps on every task"),
    "_task_index": (TASK_ID, "the index of the task"),
    "_ng_rollout_index": (ATTEMPT, "counts the attempts at a task"),
    "_rollout_index": (ATTEMPT, "counts the attempts at a task"),
}
_PLACES = {
    "responses_create_params": "what was asked",
    "responses_create_params.input": "the prompt, in order",
    "responses_create_params.tools": "the tools that were offered",
    "response": "what came back",
    "response.output": "what the model did, in order: messages, reasoning, calls and their outputs",
    "response.output[].type": "kinds of items",
    "response.model": "the model that answered",
    "response.usage": "tokens used",
    "response.error": "an error of the endpoint",
    "response.incomplete_details": "why an answer was cut short",
}
_SETTINGS = ("agent_ref", "skills_ref", "model_ref", "resources_server_ref")
_TASK_HOLDERS = ("verifier_metadata.", "task.", "instance_config.", "responses_create_params.metadata.")
_TEXTS = frozenset("question prompt problem instruction instructions query context".split())
_INHERITED = (GOLD, ANSWER, TRANSCRIPT, JUDGE, SETTING)


@frozen
class Role:
    kind: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.note}" if self.note else self.kind


@frozen
class Setting:
    """What is known before fields are looked at one by one."""

    reward_field: str
    id_field: str | None
    slices: frozenset[str]
    inputs: frozenset[str]
    references: frozenset[str]
    whole: ProfileLevel


def role(field: Field, setting: Setting, before: Mapping[str, Role]) -> Role:
    """The role of a field; `before` has the roles of the objects around it."""
    name = field.name
    plain = name.replace("[]", "")
    above = before.get(_holder(name))
    return (
        _by_place(name, plain, field, setting)
        or (Role(above.kind) if above is not None and above.kind in _INHERITED else None)
        or _by_name(plain, field, setting)
        or _by_behaviour(plain, field, setting)
    )


def _holder(name: str) -> str:
    if name.endswith("[]"):
        return name[:-2]
    return name.rpartition(".")[0]


def _by_place(name: str, plain: str, field: Field, setting: Setting) -> Role | None:
    if name in _STAMPS:
        return Role(*_STAMPS[name])
    if plain == setting.id_field:
        return Role(TASK_ID, "names the tasks in reports")
    if plain == setting.reward_field:
        return Role(REWARD, "what the verifier gave")
    if plain in setting.references:
        return Role(GOLD, "the actions that were expected")
    if plain.startswith(_SETTINGS):
        return Role(SETTING)
    if plain.startswith("responses_create_params.metadata."):
        return None
    if plain.split(".", 1)[0] in {"responses_create_params", "response"} or plain.startswith("ng_"):
        return Role(TRANSCRIPT, _PLACES.get(name, ""))
    if plain in ID_FIELDS:
        return _identifier(field)
    return None


def _identifier(field: Field) -> Role:
    if field.repeated and not field.constant:
        return Role(ATTEMPT, "differs between attempts at one task")
    if field.distinct == 1 and field.rows > 1:
        return Role(UNKNOWN, "named like an id, but one value on every row")
    return Role(TASK_ID, "an id of the task")


def _by_name(plain: str, field: Field, setting: Setting) -> Role | None:
    if plain in setting.slices:
        return Role(SLICE, association(field, setting.whole))
    last = words(plain)
    if "judge" in last and set(field.types) & {"list", "object"}:
        return Role(JUDGE, "what the judge was asked and said")
    if answer_rank(plain) is not None:
        return Role(ANSWER, association(field, setting.whole))
    claim = flag_status(plain)
    if claim is not None:
        return Role(
            TROUBLE, _joined(f"claims `{claim[0]}` where {str(claim[1]).lower()}", association(field, setting.whole))
        )
    if is_error_text(plain):
        return Role(TROUBLE, association(field, setting.whole))
    if is_gold(plain):
        if field.repeated and not field.constant:
            return Role(UNKNOWN, "named like an expected answer, but differs between attempts at one task")
        return Role(GOLD, "what the verifier compares with")
    if is_pass_flag(plain):
        return Role(VERIFIER, _joined("its own word on success", association(field, setting.whole)))
    return Role(TEXT) if last[-1:] and last[-1] in _TEXTS and "str" in field.types else None


def _by_behaviour(plain: str, field: Field, setting: Setting) -> Role:
    if set(field.types) == {"null"}:
        return Role(UNKNOWN, "always null")
    if field.of_run:
        return Role(SETTING, "the same on all rows of a run, another in another run")
    if plain in setting.inputs:
        return Role(METADATA, "repeated from the inputs")
    if field.repeated and not field.constant:
        return Role(VERIFIER, _joined("differs between attempts at one task", association(field, setting.whole)))
    if is_outcome(plain):
        return Role(VERIFIER, association(field, setting.whole))
    if plain.startswith(_TASK_HOLDERS) or is_metadata(plain):
        return Role(METADATA, association(field, setting.whole))
    if field.wide:
        return Role(UNKNOWN, "a map, its keys are data")
    if set(field.types) <= {"object", "null"}:
        return Role(HOLDER, "its parts follow")
    if field.listed or set(field.types) & {"list", "object"}:
        kind = Role(METADATA, "the same in all attempts at a task")
        return kind if field.repeated and field.distinct > 1 else Role(UNKNOWN, "a structure whose name tells nothing")
    if field.distinct == 1 and field.rows > 1:
        return Role(UNKNOWN, "one value on every row, a setting or a check that never speaks")
    if field.repeated:
        return Role(METADATA, "the same in all attempts at a task")
    return Role(UNKNOWN, "with one attempt per task, a property of the task cannot be told from a result")


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
