"""A last message that several tasks share is a notice where it bears a mark that no message of the model bears."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import message, response, row, write

from blade.counting.audit.notices import notices
from blade.model import Source

OWN, SHARED = {"status": "completed"}, {"status": "completed", "route": "a"}
GATEWAY = {"status": "completed", "sender": "gateway"}
WORDS = "I have nothing to add to this."


def places_of_notices(folder: Path, shared: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> set[int]:
    """The rows that end in a notice; some end with one message, with these marks, and the others each with its own."""
    marks = [*shared, *others]
    texts = [WORDS if place < len(shared) else f"The answer to task {place} is {place}." for place in range(len(marks))]
    ends = [{**message(text), **mark} for text, mark in zip(texts, marks, strict=True)]
    path = write(
        folder / "rollouts.jsonl", [row(task, 0, 0.0, response=response(end)) for task, end in enumerate(ends)]
    )
    lines = path.read_bytes().splitlines(keepends=True)
    sources = [
        Source(str(path), place + 1, sum(map(len, lines[:place])), len(line)) for place, line in enumerate(lines)
    ]
    rows = [
        {
            "task": str(place),
            "passed": False,
            "ends_on": "message",
            "final_chars": len(text),
            "final_hash": hash(text),
            "created_at": None,
            "line": (place * 7) % len(texts),  # so that they stand together in no stretch of the run
            "status": "completed",
            "incomplete": None,
            "model": "m",
            "calls": 1,
        }
        for place, text in enumerate(texts)
    ]
    notice_rows, _ = notices(rows, [None] * len(rows), lambda places: {place: sources[place] for place in places})
    return notice_rows


@pytest.mark.parametrize(
    ("shared", "others", "is_notice"),
    [
        ([GATEWAY] * 4, [OWN] * 6, True),
        ([OWN] * 4, [OWN] * 6, False),
        ([GATEWAY] * 4, [OWN] * 5 + [GATEWAY], False),  # a message of the model's bears the mark, too
        ([GATEWAY] * 3 + [OWN], [OWN] * 6, False),  # not all that end so bear it
        ([GATEWAY, SHARED, GATEWAY, GATEWAY], [OWN] * 6, False),  # each has a mark of its own, and all have none
        ([{}] * 4, [OWN] * 6, False),
    ],
)
def test_a_shared_last_message_is_a_notice_where_a_mark_is_theirs_alone(
    tmp_path: Path, shared: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]], *, is_notice: bool
) -> None:
    assert places_of_notices(tmp_path, shared, others) == (set(range(4)) if is_notice else set())
