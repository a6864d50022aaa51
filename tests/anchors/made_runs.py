"""Runs with a known structure, or with none, for facts to be found in."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, message, read, response, row, write

from blade import api
from blade.anchors.generate import Generated, generated
from blade.options import Options

CATEGORIES = ("alpha", "bravo", "charlie", "delta")
Outcome = Callable[[int, int], str]
"""Task and attempt to: pass, wrong, cut."""


def made_row(task: int, attempt: int, outcome: str, category: str | None, label: str | None = None) -> Json:
    answer = message(
        f"Thinking about item {task}, in try {attempt}, the result must be {17 if outcome != 'pass' else 2 * task}."
    )
    fields: Json = {"response": response(answer)}
    if outcome == "cut":
        truncation = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
        fields = {"response": response(answer, **truncation), "extracted_answer": None}
    if category is not None:
        fields["metadata"] = {"category": category}
    if label is not None:
        fields["task_id"] = label
    return row(task, attempt, 1.0 if outcome == "pass" else 0.0, **fields)


def planted(path: Path, tasks: int = 40, attempts: int = 4) -> Path:
    """Half of all rollouts fail, by chance; in category bravo nearly all failures are cut off, elsewhere none is."""
    dice = random.Random(7)

    def outcome(task: int, _: int) -> str:
        if dice.random() < 0.5:
            return "pass"
        return "cut" if task % 4 == 1 and dice.random() < 0.9 else "wrong"

    return made(path, outcome, tasks, attempts, lambda task: CATEGORIES[task % 4])


def noise(path: Path, seed: int, tasks: int = 40, attempts: int = 4) -> Path:
    """Outcomes, ways of failing and categories without any bond between them."""
    dice = random.Random(seed)
    categories = [dice.choice(CATEGORIES) for _ in range(tasks)]
    return made(
        path,
        lambda *_: dice.choice(["pass", "pass", "wrong", "cut"]),
        tasks,
        attempts,
        lambda task: categories[task],
    )


def made(
    path: Path,
    outcome: Outcome,
    tasks: int,
    attempts: int,
    category: Callable[[int], str | None] = lambda _: None,
    label: Callable[[int], str | None] = lambda _: None,
) -> Path:
    return write(
        path,
        [
            made_row(task, attempt, outcome(task, attempt), category(task), label(task))
            for task in range(tasks)
            for attempt in range(attempts)
        ],
    )


def facts(*paths: Path | str, model: str = "", **options: Any) -> Generated:
    runs = read(*paths, **options)
    return generated(runs, api.analyze_runs(runs, Options(cache=False)), model or runs[0].name)
