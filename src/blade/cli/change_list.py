"""The changes that a task expects against those that a rollout made, in plain lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from blade.counting.find import Found
from blade.queries.page import one_line
from blade.wording import count, listed, printable

LONGEST_INSTRUCTION = 1_500
_WENT = {"accepted": True, "refused": False}


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


def change_table(task: str, rollouts: Sequence[Found], asked: Sequence[str]) -> Iterator[str]:
    """The changes of all rollouts of a task against its key: who made which, and who made what beside it."""
    records = {_name(found, rollouts): (found, orjson.loads(found.observed or "{}")) for found in rollouts}
    outcomes = {"passes in": True, "fails in": False}
    ended = [
        f"{words} {listed(names)}"
        for words, passed in outcomes.items()
        if (names := [name for name, (found, _) in records.items() if found.rollout.passed is passed])
    ]
    yield printable(f"task {task}: {'; '.join(ended)}")
    yield from (f"asked: {one_line(text, LONGEST_INSTRUCTION)}" for text in asked)
    keyed = {name: record for name, (_, record) in records.items() if "expected" in record}
    if not keyed:
        yield "Nothing tells which changes are expected."
        return
    key = next(iter(keyed.values()))
    for (tool, digest), arguments in zip(key["expected"], key["expected_arguments"], strict=True):
        yield f"expected: {printable(tool)} {printable(arguments)}"
        yield f"  {_makers(keyed, digest)}"
    if key.get("answers"):
        yield f"answers expected beside: {key['answers']}"
    others: dict[tuple[str, str], dict[str, bool]] = {}
    for name, record in keyed.items():
        for tool, _, went_well, is_expected, _, arguments in record["changes"]:
            if not is_expected:
                makers = others.setdefault((tool, arguments), {})
                makers[name] = makers.get(name, False) or bool(went_well)
    for (tool, arguments), makers in sorted(others.items(), key=lambda item: -len(item[1])):
        yield f"not expected: {printable(tool)} {printable(arguments)}"
        parts = {word: [name for name, good in makers.items() if good is went] for word, went in _WENT.items()}
        yield "  " + "; ".join(f"{word} for {listed(names)}" for word, names in parts.items() if names)


def _makers(records: Mapping[str, Mapping[str, Any]], digest: int) -> str:
    parts: dict[str, list[str]] = {"made by": [], "tried and refused for": [], "not made by": []}
    for name, record in records.items():
        tries = [bool(went_well) for _, made, went_well, *_ in record["changes"] if made == digest]
        parts["made by" if any(tries) else "tried and refused for" if tries else "not made by"].append(name)
    return printable("; ".join(f"{words} {listed(names)}" for words, names in parts.items() if names))


def _name(found: Found, rollouts: Sequence[Found]) -> str:
    """The run, with the attempt where it has several."""
    alone = sum(other.rollout.run == found.rollout.run for other in rollouts) == 1
    return found.rollout.run if alone else f"{found.rollout.run} #{found.rollout.attempt}"
