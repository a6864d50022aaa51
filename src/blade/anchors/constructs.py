"""What failures of one kind are about: the one tool, argument or error class behind most of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from blade.anchors.candidate import MECHANISM, Candidate, about, cited, mark_entity, of
from blade.anchors.chance import PERMUTATIONS, SURE, dice, draws, share
from blade.anchors.table import Mark, Table, quoted

FEWEST = 6
FEWEST_TASKS = 3
MOSTLY = 0.4
LONGEST = 80


def construct_facts(table: Table, seed: int) -> Iterator[Candidate]:
    """Chance deals each rollout's construct evenly over those that the kind of failure shows at all."""
    for mark in table.of_failures(FEWEST):
        told = {row: proof.value for row, proof in mark.proofs.items() if table.failed[row] and proof.value}
        counted = Counter(told.values())
        tasks = {int(table.task[row]) for row in told}
        if len(told) < FEWEST or len(counted) < 2 or len(tasks) < FEWEST_TASKS:
            continue
        value, many = min(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        owners = {int(table.task[row]) for row, found in told.items() if found == value}
        if many < MOSTLY * len(told) or len(value) > LONGEST or len(owners) < FEWEST_TASKS or value in mark.name:
            continue
        rng = dice(seed, f"constructs|{table.run}|{mark.id}")
        dealt = rng.multinomial(len(told), np.full(len(counted), 1 / len(counted)), PERMUTATIONS)
        guess = share(dealt[:, 0] >= 0.9 * many)
        if share(dealt.max(axis=1) >= many) <= SURE:
            yield from _fact(table, mark, value, many, told).tried(guess, _stays(table, told, value, rng))


def _stays(table: Table, told: dict[int, str], value: str, rng: np.random.Generator) -> float:
    """How often the construct stays the commonest when tasks are drawn anew."""
    names = sorted(set(told.values()))
    counts = np.zeros((len(table.tasks), len(names)))
    for row, found in told.items():
        counts[table.task[row], names.index(found)] += 1
    drawn = draws(rng, len(table.tasks)) @ counts
    own = drawn[:, [names.index(value)]]
    rest = np.delete(drawn, names.index(value), axis=1)
    return float((own > rest).all(axis=1).mean())


def _rest(many: int) -> str:
    return "one other takes the rest" if many == 1 else f"{many} others share the rest"


def _fact(table: Table, mark: Mark, value: str, many: int, told: dict[int, str]) -> Candidate:
    tasks = sorted({int(table.task[row]) for row, found in told.items() if found == value})
    name = quoted(value)[1:-1]
    return Candidate(
        "concentration",
        MECHANISM,
        f"{of(many, len(told))} failed rollouts of `{table.run}` that {mark.words} do so by `{name}`, "
        f"in {len(tasks)} tasks; {_rest(len(set(told.values())) - 1)}.",
        about(
            {"run": table.run, mark.sort: mark.id, "value": value, "count": many, "of": len(told)},
            mark_entity(mark),
            (name, {name: (name.replace("_", " "),)} if "_" in name else {}),
            topic=(mark.id, value),
            share=many / table.passed.size,
        ),
        "share",
        "==",
        many / len(told),
        0.02,
        citations=cited(mark, table, tasks),
        causal=2,
    )
