"""What failures of one kind are about: the one tool, argument or error class behind most of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from blade.anchors.candidate import MECHANISM, Candidate, about, cited, mark_entity, of
from blade.anchors.chance import PERMUTATIONS, SURE, dice, draws, share
from blade.anchors.table import RolloutMark, RolloutTable, quoted

FEWEST = 6
FEWEST_TASKS = 3
MOSTLY = 0.4
LONGEST = 80


def construct_facts(table: RolloutTable, seed: int) -> Iterator[Candidate]:
    """Chance deals each rollout's construct evenly over those that the kind of failure shows at all."""
    for mark in table.of_failures(FEWEST):
        value_of_row = {row: proof.value for row, proof in mark.proofs.items() if table.failed[row] and proof.value}
        value_counts = Counter(value_of_row.values())
        tasks = {int(table.task[row]) for row in value_of_row}
        if len(value_of_row) < FEWEST or len(value_counts) < 2 or len(tasks) < FEWEST_TASKS:
            continue
        value, value_count = min(value_counts.items(), key=lambda pair: (-pair[1], pair[0]))
        owners = {int(table.task[row]) for row, row_value in value_of_row.items() if row_value == value}
        if (
            value_count < MOSTLY * len(value_of_row)
            or len(value) > LONGEST
            or len(owners) < FEWEST_TASKS
            or value in mark.name
        ):
            continue
        rng = dice(seed, f"constructs|{table.run}|{mark.id}")
        dealt = rng.multinomial(len(value_of_row), np.full(len(value_counts), 1 / len(value_counts)), PERMUTATIONS)
        guess = share(dealt[:, 0] >= 0.9 * value_count)
        if share(dealt.max(axis=1) >= value_count) <= SURE:
            yield from _fact(table, mark, value, value_count, value_of_row).tried(
                guess, _stays(table, value_of_row, value, rng)
            )


def _stays(table: RolloutTable, value_of_row: dict[int, str], value: str, rng: np.random.Generator) -> float:
    """How often the construct stays the commonest when tasks are drawn anew."""
    names = sorted(set(value_of_row.values()))
    counts = np.zeros((len(table.tasks), len(names)))
    for row, row_value in value_of_row.items():
        counts[table.task[row], names.index(row_value)] += 1
    resampled = draws(rng, len(table.tasks)) @ counts
    own_counts = resampled[:, [names.index(value)]]
    other_counts = np.delete(resampled, names.index(value), axis=1)
    return float((own_counts > other_counts).all(axis=1).mean())


def _remainder(number: int) -> str:
    return "one other takes the rest" if number == 1 else f"{number} others share the rest"


def _fact(
    table: RolloutTable, mark: RolloutMark, value: str, value_count: int, value_of_row: dict[int, str]
) -> Candidate:
    tasks = sorted({int(table.task[row]) for row, row_value in value_of_row.items() if row_value == value})
    name = quoted(value)[1:-1]
    return Candidate(
        "concentration",
        MECHANISM,
        f"{of(value_count, len(value_of_row))} failed rollouts of `{table.run}` that {mark.words} do so by `{name}`, "
        f"in {len(tasks)} tasks; {_remainder(len(set(value_of_row.values())) - 1)}.",
        about(
            {"run": table.run, mark.sort: mark.id, "value": value, "count": value_count, "of": len(value_of_row)},
            mark_entity(mark),
            (name, {name: (name.replace("_", " "),)} if "_" in name else {}),
            topic=(mark.id, value),
            share=value_count / table.passed.size,
        ),
        "share",
        "==",
        value_count / len(value_of_row),
        0.02,
        citations=cited(mark, table, tasks),
        causal=2,
    )
