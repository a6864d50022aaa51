"""What the owner of a benchmark declares about its rows, and what the run's inputs say of each."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import orjson

from blade.extract.learned_fields import NO_FIELDS, LearnedFields
from blade.extract.reference import reference_actions
from blade.extract.text import clean
from blade.extract.verdict import gold_fields
from blade.frozen import frozen

LONGEST_ASKED = 20_000


@frozen
class Declared:
    """From benchmark.toml and the command line, else from what the rows show; empty where neither says anything."""

    reward_field: str | None = None
    reference_field: str | None = None
    changing_tools: frozenset[str] = field(default_factory=frozenset)
    learned: LearnedFields = NO_FIELDS
    """What nobody said, and the rows show."""

    @property
    def key(self) -> str:
        """Part of every cache key: other words give other facts."""
        parts = [self.reward_field or "", self.reference_field or "", *sorted(self.changing_tools)]
        return "|".join([*parts, self.learned.cache_key()] if self.learned else parts)


NOTHING = Declared()


def asked_facts(row: dict[str, Any], declared: Declared = NOTHING) -> dict[str, Any]:
    """What an input row expects: its gold fields and the actions it lists. Rollouts do not always repeat them."""
    gold = {name: value for name, value in gold_fields(row).items() if "." not in name}
    reference = reference_actions(row, declared.reference_field)
    if reference is not None:
        top = reference[0].split(".")[0]
        gold[top] = row.get(top)
    if not gold:
        return {"asked": None}
    try:
        text = orjson.dumps(gold)
    except (TypeError, ValueError):
        return {"asked": None}
    return {"asked": clean(text.decode()) if len(text) <= LONGEST_ASKED else None}
