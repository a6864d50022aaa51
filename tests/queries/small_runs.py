"""Two small runs by hand: tools, a user, a verifier, and attempts that did not happen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import message, response, row, write

Json = dict[str, Any]


def call(name: str, arguments: str, answer: str, number: int) -> list[Json]:
    return [
        {"type": "function_call", "name": name, "arguments": arguments, "call_id": f"c{number}"},
        {"type": "function_call_output", "call_id": f"c{number}", "output": answer},
    ]


def attempt(task: int, number: int, *, good: bool, steps: list[Json], **fields: Any) -> Json:
    return row(
        task,
        number,
        1.0 if good else 0.0,
        task_id=f"desk-{task}",
        response=response(*steps),
        difficulty="hard" if task > 1 else "easy",
        verifier={
            "note": "all checks hold" if good else "the booking is missing",
            "results": {"test_room - no such guest": "failed"},
            "seconds": 10.0 * task + number,
        },
        **fields,
    )


def void(task: int, number: int) -> Json:
    """The sandbox never answered: a zero that says nothing about the model."""
    broken = response(status="failed", error={"code": "server_error", "message": "502 Bad Gateway"})
    return attempt(task, number, good=False, steps=[]) | {"response": broken, "error": "502 Bad Gateway"}


def write_pair(folder: Path) -> tuple[Path, Path]:
    """`early` passes the tasks 0 and 1, `late` the tasks 0 and 2; task 3 passes nowhere; `late` has a void attempt."""

    def plain(task: int, number: int, *, good: bool) -> Json:
        ended = call("book", '{"room": "A"}', "Error: no such room" if not good else "booked", number)
        said = message("I have booked it." if good else "I cannot search for rooms.")
        return attempt(task, number, good=good, steps=[*ended, message("Yes, please. ###STOP###", "user"), said])

    early = [plain(task, number, good=task < 2) for task in range(4) for number in range(2)]
    late = [plain(task, number, good=task in {0, 2}) for task in range(4) for number in range(2)]
    late[7] = void(3, 1)
    return write(folder / "early.jsonl", early), write(folder / "late.jsonl", late)
