"""Small functions to write; the verifier reads the code block, knows it or not, and writes a test log."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from blade.frozen import frozen
from blade.simulate.benchmark import SimulatedBenchmark, pick_mistake
from blade.simulate.prose import musing
from blade.simulate.rng import dice
from blade.simulate.simulated_row import Behaviour, Json, SimulatedTask
from blade.simulate.transcript_writer import TranscriptWriter, final_text

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

__all__ = ["BENCHMARK"]

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@frozen
class Exercise:
    """A function to write, as text and as what it does: the right way first, then near misses."""

    name: str
    category: str
    wish: str
    bodies: tuple[tuple[str, Callable[..., Any]], ...]
    inputs: tuple[Any, ...]

    def code(self, variant: int) -> str:
        return f"def {self.name}(value):\n    {self.bodies[variant][0]}\n"


def _clip(rng: random.Random) -> Exercise:
    low, high = rng.randint(-9, 0), rng.randint(6, 20)
    bodies = (
        (f"return min(max(value, {low}), {high})", lambda v: min(max(v, low), high)),
        (f"return max(value, {low})", lambda v: max(v, low)),
        (f"return min(max(value, {low + 1}), {high})", lambda v: min(max(v, low + 1), high)),
    )
    inputs = (low - 4, low, low + 2, 3, high, high + 1, high + 30)
    return Exercise("clip", "numbers", f"keeps a number between {low} and {high}", bodies, inputs)


def _snap(rng: random.Random) -> Exercise:
    step = rng.choice((4, 5, 6, 8, 12))
    bodies = (
        (f"return value - value % {step}", lambda v: v - v % step),
        (f"return int(value / {step}) * {step}", lambda v: int(v / step) * step),
        (f"return value + {step} - value % {step}", lambda v: v + step - v % step),
    )
    inputs = (0, 1, step - 1, step, step + 1, -1, -step - 1, 7 * step)
    return Exercise("snap_down", "numbers", f"rounds a whole number down to a multiple of {step}", bodies, inputs)


def _every(rng: random.Random) -> Exercise:
    step = rng.randint(2, 5)
    bodies = (
        (f"return value[{step - 1}::{step}]", lambda v: v[step - 1 :: step]),
        (f"return value[::{step}]", lambda v: v[::step]),
        (f"return value[{step}::{step}]", lambda v: v[step::step]),
    )
    inputs: tuple[list[int], ...] = ([], [1], list(range(step)), list(range(step + 1)), list(range(11)))
    return Exercise("every_nth", "lists", f"keeps the items number {step}, {2 * step} and so on", bodies, inputs)


def _tail(rng: random.Random) -> Exercise:
    size = rng.randint(2, 4)
    bodies = (
        (f"return sorted(value)[-{size}:]", lambda v: sorted(v)[-size:]),
        (f"return value[-{size}:]", lambda v: v[-size:]),
        (f"return sorted(set(value))[-{size}:]", lambda v: sorted(set(v))[-size:]),
    )
    inputs: tuple[list[int], ...] = ([], [2], [3, 1, 2], [5, 5, 5, 1], [9, 4, 7, 7, 2, 8])
    return Exercise("largest", "lists", f"returns the {size} largest items, smallest of them first", bodies, inputs)


def _initials(rng: random.Random) -> Exercise:
    mark = rng.choice((".", "-", "/"))
    bodies = (
        (f'return "{mark}".join(word[0] for word in value.split())', lambda v: mark.join(w[0] for w in v.split())),
        (f'return "{mark}".join(value.split())', lambda v: mark.join(v.split())),
        ("return value.split()[0][0] if value else value", lambda v: v.split()[0][0] if v else v),
    )
    inputs = ("", "one", "one two", "ash  elm oak", " ivy ")
    return Exercise("initials", "strings", f"joins the first letters of the words with '{mark}'", bodies, inputs)


def _shorten(rng: random.Random) -> Exercise:
    size = rng.randint(4, 9)
    bodies = (
        (
            f'return value if len(value) <= {size} else value[:{size}] + "~"',
            lambda v: v if len(v) <= size else v[:size] + "~",
        ),
        (f'return value[:{size}] + "~"', lambda v: v[:size] + "~"),
        (
            f'return value if len(value) < {size} else value[:{size}] + "~"',
            lambda v: v if len(v) < size else v[:size] + "~",
        ),
    )
    inputs = ("", "fig", "f" * size, "g" * (size + 1), "a long line of text")
    return Exercise(
        "shorten", "strings", f"cuts a text after {size} letters and marks the cut with '~'", bodies, inputs
    )


MAKERS = (_clip, _every, _initials, _snap, _tail, _shorten)
LEVELS = (("easy", 0.3), ("medium", 0.55), ("hard", 0.8))


def make_task(seed: int, number: int) -> SimulatedTask:
    rng = dice("patch_bench", seed, number)
    exercise = MAKERS[number % len(MAKERS)](rng)
    level, middle = rng.choice(LEVELS)
    task_id = f"patch-{seed}-{number:05d}"
    text = (
        f"Ticket P-{number:05d}: write a Python function `{exercise.name}(value)` that {exercise.wish}. "
        "Give the whole function in one python code block and nothing after it."
    )
    return SimulatedTask(
        number=number,
        task_id=task_id,
        category=exercise.category,
        difficulty=level,
        hardness=min(1.2, max(0.0, rng.gauss(middle, 0.25))),
        messages=({"role": "user", "content": text},),
        given={
            "task_id": task_id,
            "category": exercise.category,
            "difficulty": level,
            "reference_solution": exercise.code(0),
        },
        mistakes=("near_miss", "near_miss", "near_miss", "syntax_error", "endless", "no_block"),
        detail=exercise,
    )


def attempt(task: SimulatedTask, behaviour: Behaviour, rng: random.Random, writer: TranscriptWriter) -> None:
    exercise: Exercise = task.detail
    mistake = pick_mistake(task, behaviour, rng)
    variant = rng.randrange(1, len(exercise.bodies)) if mistake == "near_miss" else 0
    writer.think(musing(rng, 1 + int(rng.lognormvariate(1.2, 0.8))))
    code = exercise.code(variant)
    if mistake == "syntax_error":
        code = code.replace("):", ")", 1)
    if mistake == "endless":
        code = f"def {exercise.name}(value):\n    while True:\n        value = value\n"
    fenced = behaviour.keeps_format and mistake != "no_block"
    writer.say(f"{musing(rng, 1)}\n" + (f"```python\n{code}```" if fenced else code))


def verify(task: SimulatedTask, items: Sequence[Json]) -> Json:
    exercise: Exercise = task.detail
    blocks = BLOCK.findall(final_text(items))
    code = blocks[-1] if blocks else None
    status, log, passed = _judge(exercise, code)
    return {
        "reward": float(status == "passed"),
        "extracted_model_code": code,
        "status": status,
        "tests_passed": passed,
        "tests_total": len(exercise.inputs),
        "test_log": log,
        "task_id": task.task_id,
        "category": task.category,
        "difficulty": task.difficulty,
    }


def _judge(exercise: Exercise, code: str | None) -> tuple[str, str, int]:
    """Status, test log and tests passed. The code is recognised as text: it is never run."""
    if code is None:
        return "no_code", "no python code block in the reply", 0
    if "while True" in code:
        return "timeout", f"stopped after 10 s in test 1 of {len(exercise.inputs)}", 0
    for variant, (_, does) in enumerate(exercise.bodies):
        if code == exercise.code(variant):
            return _log(exercise, does)
    return "syntax_error", f"SyntaxError: expected ':' in line 1 of {exercise.name}", 0


def _log(exercise: Exercise, does: Callable[..., Any]) -> tuple[str, str, int]:
    right = exercise.bodies[0][1]
    lines, passed = [], 0
    for number, value in enumerate(exercise.inputs, 1):
        returned, expected = does(value), right(value)
        passed += returned == expected
        result = (
            "ok"
            if returned == expected
            else f"FAILED: {exercise.name}({value!r}) gave {returned!r}, wanted {expected!r}"
        )
        lines.append(f"test {number}: {result}")
    status = "passed" if passed == len(exercise.inputs) else "failed"
    return status, "\n".join([*lines, f"{passed} of {len(exercise.inputs)} passed"]), passed


BENCHMARK = SimulatedBenchmark(
    name="patch_bench",
    agent="patch_bench_simple_agent",
    task=make_task,
    attempt=attempt,
    verify=verify,
    pass_metrics=True,
    subset_field="difficulty",
)
