"""The changes that a task expects against those that a rollout made, in plain lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from blade.counting.find import Found
from blade.queries.page import one_line
from blade.run_names import short_names
from blade.wording import count, listed, printable

MOST_LISTED = 3
"""More runs that did not try an expected change are told by their number, where the rest is listed."""
LONGEST_INSTRUCTION = 1_500
LONGEST_NAME = 16


def change_lines(observed: str | None) -> Iterator[str]:
    """Each expected change and each that was tried, with what became of it; `observed` is that of the facts."""
    record = orjson.loads(observed or "{}")
    if "expected" not in record:
        yield "Nothing tells which changes are expected."
        return
    changes = record["changes"]
    accepted = {digest for _, digest, went_well, *_ in changes if went_well}
    refused = {digest for _, digest, went_well, *_ in changes if not went_well} - accepted
    yield f"expected: {count(len(record['expected']), 'change')}"
    for (tool, digest), arguments in zip(record["expected"], record["expected_arguments"], strict=True):
        outcome = "made" if digest in accepted else "tried and refused" if digest in refused else "not made"
        yield f"  {outcome}: {printable(tool)} {printable(arguments)}"
    yield f"made: {count(len(changes), 'change')}"
    for tool, _, went_well, is_expected, item, arguments in changes:
        outcome = f"{'accepted' if went_well else 'refused'}, {'expected' if is_expected else 'not expected'}"
        yield f"  [{item}] {outcome}: {printable(tool)} {printable(arguments)}"
    if record.get("answers"):
        yield f"answers expected beside: {record['answers']}"


def change_table(
    task: str, rollouts: Sequence[Found], instructions: Sequence[str], short_names: Mapping[str, str]
) -> Iterator[str]:
    """The changes of all rollouts of a task against its key: who made which, and who made what beside it."""
    names = _names(rollouts, short_names)
    outcomes = {"passes in": "pass", "fails in": "fail", "void in": "void"}
    ended = [
        f"{words} {_shared(_of(names, rollouts, kind), len(rollouts))}"
        for words, kind in outcomes.items()
        if _of(names, rollouts, kind)
    ]
    yield printable(f"task {task}: {'; '.join(ended)}")
    yield from (f"asked: {one_line(text, LONGEST_INSTRUCTION)}" for text in instructions)
    records = {
        name: orjson.loads(rollout.observed or "{}")
        for name, rollout in zip(names, rollouts, strict=True)
        if _outcome(rollout) != "void"
    }
    keyed = {name: record for name, record in records.items() if "expected" in record}
    if not keyed:
        yield "Nothing tells which changes are expected."
        return
    key = next(iter(keyed.values()))
    for (tool, digest), arguments in zip(key["expected"], key["expected_arguments"], strict=True):
        yield f"expected: {printable(tool)} {printable(arguments)}"
        yield f"  {_makers(keyed, digest, 'not made by')}"
    if key.get("answers"):
        yield f"answers expected beside: {key['answers']}"
    other_changes: dict[int, tuple[str, str]] = {}
    for record in keyed.values():
        other_changes |= {change[1]: (change[0], change[5]) for change in record["changes"] if not change[3]}
    for digest, (tool, arguments) in sorted(other_changes.items(), key=lambda item: -_tries(keyed, item[0])):
        yield f"not expected: {printable(tool)} {printable(arguments)}"
        yield f"  {_makers(keyed, digest)}"


def shown_names(runs: Sequence[str]) -> dict[str, str]:
    """The short names of the report in the place of long ones; letters where there are none."""
    short = short_names(runs)
    if short or len(runs) < 2 or max(map(len, runs)) <= LONGEST_NAME:
        return {run: short.get(run, run) for run in runs}
    return {run: chr(ord("A") + place) if place < 26 else run for place, run in enumerate(runs)}


def _outcome(rollout: Found) -> str:
    if rollout.rollout.attempt in rollout.void_attempts:
        return "void"
    return "" if rollout.rollout.passed is None else "pass" if rollout.rollout.passed else "fail"


def _of(names: Sequence[str], rollouts: Sequence[Found], outcome: str) -> list[str]:
    return [name for name, rollout in zip(names, rollouts, strict=True) if _outcome(rollout) == outcome]


def _tries(records: Mapping[str, Mapping[str, Any]], digest: int) -> int:
    return sum(any(change[1] == digest for change in record["changes"]) for record in records.values())


def _makers(records: Mapping[str, Mapping[str, Any]], digest: int, without: str = "") -> str:
    """Who made a change, for whom it was refused, and who did not try it, where that is asked for."""
    parts: dict[str, list[str]] = {"made by": [], "tried and refused for": [], without: []}
    for name, record in records.items():
        tries = [bool(change[2]) for change in record["changes"] if change[1] == digest]
        parts["made by" if any(tries) else "tried and refused for" if tries else without].append(name)
    clauses = [f"{words} {_shared(names, len(records))}" for words, names in parts.items() if words and names]
    others = parts[without]
    if without and len(clauses) > 1 and len(others) > MOST_LISTED:
        clauses[-1] = f"not by the other {len(others)}"
    return printable("; ".join(clauses))


def _shared(names: Sequence[str], together: int) -> str:
    return "all" if len(names) == together > 1 else listed(names)


def _names(rollouts: Sequence[Found], short_names: Mapping[str, str]) -> list[str]:
    """The runs, by short names where they are long, with the attempt where a run has several."""
    runs = [rollout.rollout.run for rollout in rollouts]
    return [
        short_names[run] if runs.count(run) == 1 else f"{short_names[run]} #{rollout.rollout.attempt}"
        for run, rollout in zip(runs, rollouts, strict=True)
    ]
