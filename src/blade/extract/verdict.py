"""The verifier's word on a row: the reward, what it extracted, what it expected."""

from __future__ import annotations

from typing import Any

from blade.extract.field_roles import shape_of, telling
from blade.extract.numbers import score_of
from blade.extract.text import clip, hash_value, squeeze

SHORT = 120
REWARD_FIELDS = ("reward", "score")
_HOLDERS = ("verifier", "verifier_metadata", "metadata", "task", "info", "verifier_result")


def reward_facts(row: dict[str, Any], reward_field: str | None) -> dict[str, Any]:
    """The reward as a number, or null with what was there instead."""
    names = (reward_field,) if reward_field else REWARD_FIELDS
    for name in names:
        present, value = _lookup(row, name)
        if present:
            reward, problem = score_of(value)
            return {"reward": reward, "reward_problem": problem}
    return {"reward": None, "reward_problem": "absent"}


def _lookup(row: dict[str, Any], name: str) -> tuple[bool, Any]:
    if name in row:
        return True, row[name]
    value: Any = row
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return False, None
        value = value[part]
    return True, value


def gold_fields(row: dict[str, Any]) -> dict[str, Any]:
    """The expected answer, by dotted name. Holders one level down are looked into; the first of a name counts."""
    gold: dict[str, Any] = {}
    keys_added: set[str] = set()
    _add_gold(gold, keys_added, "", row)
    for name in _HOLDERS:
        holder = row.get(name)
        if isinstance(holder, dict):
            _add_gold(gold, keys_added, f"{name}.", holder)
    return gold


def _add_gold(gold: dict[str, Any], keys_added: set[str], prefix: str, holder: dict[str, Any]) -> None:
    for key in shape_of(holder).gold:
        value = holder[key]
        if key not in keys_added and value not in (None, "", [], {}):
            keys_added.add(key)
            gold[prefix + key] = value


def gold_facts(gold: dict[str, Any]) -> dict[str, Any]:
    """The expected answer, hashed and shortened."""
    values = {name.rsplit(".", 1)[-1]: value for name, value in gold.items()}
    if not values:
        return {"gold_hash": None, "gold": None}
    first = next(iter(sorted(values.items(), key=lambda pair: (len(pair[0]), pair[0]))))[1]
    squeezed = {key: squeeze(value) if isinstance(value, str) else value for key, value in values.items()}
    return {"gold_hash": hash_value(squeezed), "gold": clip(squeeze(str(first)), SHORT)}


def answer_field(row: dict[str, Any]) -> tuple[str, Any] | None:
    """The field that holds what the verifier extracted, by dotted name, and its value; None where there is none."""
    own_field = shape_of(row).answer
    holder = row.get("verifier")
    inner = shape_of(holder).answer if isinstance(holder, dict) else None
    if isinstance(holder, dict) and inner is not None and (own_field is None or inner[0] < own_field[0]):
        return f"verifier.{inner[1]}", holder[inner[1]]
    return (own_field[1], row[own_field[1]]) if own_field else None


def answer_facts(field: tuple[str, Any] | None) -> dict[str, Any]:
    """What the verifier extracted. `answer_state` tells "the field is there and empty" from "no such field"."""
    if field is None:
        return {"answer": None, "answer_state": "none"}
    value = field[1]
    if value in (None, "", []):
        return {"answer": None, "answer_state": "null"}
    text = value if isinstance(value, str) else str(value)
    short = squeeze(text)
    if len(short) > SHORT:
        short = f"{short[: SHORT - 17]}#{hash_value(short):016x}"
    return {"answer": clip(short, SHORT), "answer_state": "given"}


def meta_hash(fields: dict[str, Any]) -> int | None:
    """The echoed properties of the task: what tells two tasks with one prompt apart."""
    properties = {name: fields[name] for name in telling(fields).metadata if fields[name] is not None}
    return hash_value(properties) if properties else None
