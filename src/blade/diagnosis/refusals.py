"""Refusals of a tool that follow a pattern: what refused calls have in common and no accepted call of the tool has.

Either another change of the same object came first, or the object was in a state in which the tool never works.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from blade.frozen import frozen

FEWEST_REFUSED = 3
FEWEST_ACCEPTED = 5
USUAL = 0.8
"""A state explains a refusal only where accepted calls nearly always meet one other state."""
Seen = Mapping[str, Any]


@frozen
class Refusal:
    """A tool and what it answers; the change before it, or the field and its value, that goes with the refusal."""

    tool: str
    template: str
    before: str = ""
    field: str = ""
    value: str = ""
    rollouts: int = 0
    accepted: int = 0

    @property
    def words(self) -> str:
        """Why the call was refused, after "calls X"."""
        if self.before:
            return (
                f"after {self.before} had changed the same object; it is refused so in {self.rollouts:,} rollouts, and "
                f"none of {self.accepted:,} accepted calls came after it"
            )
        return (
            f"though it had read {self.field} “{self.value}” of the object; it is refused so in {self.rollouts:,} "
            f"rollouts, and none of {self.accepted:,} accepted calls met that"
        )


def refusals(rows: Iterable[Seen]) -> dict[tuple[str, str], list[Refusal]]:
    """Tool and template of the refusal → its patterns, a change before it first."""
    before: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    states: defaultdict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    good_before: defaultdict[str, Counter[str]] = defaultdict(Counter)
    good_states: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for observed in rows:
        told_before: set[tuple[str, str, str]] = set()
        told_states: set[tuple[str, str, tuple[str, str]]] = set()
        for tool, refusal, earlier, fields in observed.get("circumstances", ()):
            if refusal is None:
                good_before[tool][earlier] += 1
                good_states[tool].update(fields.items())
                continue
            told_before |= {(tool, refusal, earlier)} if earlier else set()
            told_states |= {(tool, refusal, pair) for pair in fields.items()}
        for tool, refusal, earlier in told_before:
            before[tool, refusal][earlier] += 1
        for tool, refusal, pair in told_states:
            states[tool, refusal][pair] += 1
    patterns: defaultdict[tuple[str, str], list[Refusal]] = defaultdict(list)
    for (tool, refusal), tools in before.items():
        accepted = good_before[tool].total()
        patterns[tool, refusal] += [
            Refusal(tool, refusal, before=earlier, rollouts=rollouts, accepted=accepted)
            for earlier, rollouts in sorted(tools.items())
            if rollouts >= FEWEST_REFUSED and accepted >= FEWEST_ACCEPTED and not good_before[tool][earlier]
        ]
    for (tool, refusal), pairs in states.items():
        patterns[tool, refusal] += list(_by_state(tool, refusal, pairs, good_states[tool]))
    return dict(patterns)


def _by_state(
    tool: str, refusal: str, pairs: Counter[tuple[str, str]], good: Counter[tuple[str, str]]
) -> Iterable[Refusal]:
    for (field, value), rollouts in sorted(pairs.items()):
        accepted_states = Counter({pair: times for pair, times in good.items() if pair[0] == field})
        usual = max(accepted_states.values(), default=0)
        rare = rollouts < FEWEST_REFUSED or accepted_states.total() < FEWEST_ACCEPTED or good[field, value]
        if not rare and usual >= USUAL * accepted_states.total():
            yield Refusal(tool, refusal, field=field, value=value, rollouts=rollouts, accepted=accepted_states.total())
