"""What refused calls of a tool have in common that no accepted one has: a state that was read, a change before."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case

FEWEST_ALIKE = 3
FEWEST_ACCEPTED = 5
USUAL = 0.8
"""A state explains a refusal only where accepted calls nearly always meet one other state."""

Row = tuple[str, Case, Mapping[str, Any]]


def circumstances(tool: str, template: str, rows: Sequence[Row]) -> dict[str, Any]:
    """What the refused calls have in common that no accepted call of the tool has: a state read, a change before."""
    states: tuple[defaultdict[Any, list[Any]], Counter[Any]] = (defaultdict(list), Counter())
    before: tuple[defaultdict[Any, list[Any]], Counter[Any]] = (defaultdict(list), Counter())
    accepted = 0
    for run, case, observed in rows:
        calls = [item for item in observed.get("circumstances", ()) if item[0] == tool]
        good = [item for item in calls if item[1] is None]
        bad = [item for item in calls if item[1] == template]
        accepted += len(good)
        states[1].update(pair for item in good for pair in item[3].items())
        before[1].update(item[2] for item in good)
        for pair in {pair for item in bad for pair in item[3].items()}:
            states[0][pair].append((run, case.label))
        for first in {item[2] for item in bad if item[2]}:
            before[0][first].append((run, case.label))
    if accepted < FEWEST_ACCEPTED:
        return {}
    shared: dict[str, Any] = {}
    accepted_counts = Counter(key for key, _ in states[1].elements())
    usual: dict[str, tuple[str, str]] = {pair[0]: pair for pair, _ in reversed(states[1].most_common())}
    pairs = [
        (pair, holders)
        for pair, holders in states[0].items()
        if len(holders) >= FEWEST_ALIKE and accepted_counts[pair[0]] >= FEWEST_ACCEPTED and not states[1][pair]
        if states[1][usual[pair[0]]] >= USUAL * accepted_counts[pair[0]]
    ]
    if pairs:
        (key, value), holders = max(pairs, key=lambda item: (len(item[1]), item[0]))
        shared["state"] = {"field": key, "value": value, "rollouts": len(holders), "runs": _by_run(holders)}
        shared["state"] |= {
            "accepted": accepted_counts[key],
            "usual": usual[key][1],
            "usual_calls": states[1][usual[key]],
        }
    tools = [
        (first, holders)
        for first, holders in before[0].items()
        if len(holders) >= FEWEST_ALIKE and not before[1][first]
    ]
    if tools:
        first, holders = max(tools, key=lambda item: (len(item[1]), item[0]))
        shared["after_change"] = {
            "tool": first,
            "rollouts": len(holders),
            "runs": _by_run(holders),
            "accepted": accepted,
        }
        shared["after_change"] |= _other_order(first, tool, rows)
    return shared


def _other_order(tool: str, first: str, rows: Sequence[Row]) -> dict[str, int]:
    """How often the tool is accepted and refused where `first` had changed the same object: whether it works so."""
    calls = [item for _, _, record in rows for item in record.get("circumstances", ()) if item[0] == tool]
    refused = [item[1] is not None for item in calls if item[2] == first]
    return {"other_order_accepted": refused.count(False), "other_order_refused": refused.count(True)}


def _by_run(holders: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    labels_by_run: defaultdict[str, list[str]] = defaultdict(list)
    for run, label in holders:
        labels_by_run[run].append(label)
    return {
        run: sorted(set(labels))
        for run, labels in sorted(labels_by_run.items(), key=lambda item: (-len(item[1]), item[0]))
    }
