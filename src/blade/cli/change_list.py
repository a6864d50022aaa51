"""The changes that a task expects against those that a rollout made, in plain lines."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from blade.wording import count, printable


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
