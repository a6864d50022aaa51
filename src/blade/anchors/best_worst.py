"""The best and the worst level of a field: by pass rate, and by the share of tasks that never pass.

Rates by level stand in the metrics sidecar, so such facts weigh little; they are kept only where the gap to the next
level is more than chance and resampling would show.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from blade.anchors.candidate import DISTRIBUTION, Candidate, about, level_entity, level_words
from blade.anchors.chance import SURE, Floats, dice, draws, familywise, moved_counts, share, shuffles, tries
from blade.anchors.table import RolloutTable, SliceField
from blade.wording import percent

FEWEST_TASKS = 4
GAP = 2.0
RATE, NEVER = "rate", "never_share"


def extreme_facts(table: RolloutTable, seed: int) -> Iterator[Candidate]:
    if not table.judged:
        return
    for field in table.fields:
        sizes = np.bincount(field.of_task[field.of_task >= 0], minlength=len(field.levels))
        if (sizes >= FEWEST_TASKS).sum() >= 2:
            rng = dice(seed, f"extremes|{table.run}|{field.name}")
            rates = table.passes / np.maximum(table.attempts, 1)
            yield from _of_measure(table, field, rates, RATE, rng)
            if table.attempts.max(initial=0) > 1:
                yield from _of_measure(table, field, (table.passes == 0).astype(np.float64), NEVER, rng)


def _of_measure(
    table: RolloutTable, field: SliceField, values: Floats, measure: str, rng: np.random.Generator
) -> Iterator[Candidate]:
    tasks_with_level = np.flatnonzero(field.of_task >= 0)
    levels, level_count = field.of_task[tasks_with_level], len(field.levels)
    sizes = np.bincount(levels, minlength=level_count)
    big = sizes >= FEWEST_TASKS
    counts = values[tasks_with_level][:, None]
    moved = moved_counts(levels, level_count, counts, shuffles(rng, tasks_with_level.size, tries(level_count)))[
        :, :, 0
    ] / np.maximum(sizes, 1)
    rates = moved_counts(levels, level_count, counts, np.arange(tasks_with_level.size)[None])[0, :, 0] / np.maximum(
        sizes, 1
    )
    weights = draws(rng, tasks_with_level.size)
    one_hot = (levels[:, None] == np.arange(level_count)).astype(np.float64)
    resampled = (weights @ (one_hot * counts)) / np.maximum(weights @ one_hot, 1e-9)
    spread = values[tasks_with_level].std() / np.sqrt(np.maximum(sizes, 1))
    for sign, word in ((1.0, "highest"), (-1.0, "lowest")):
        if measure == NEVER and sign < 0:
            continue
        ordered = [int(level) for level in np.argsort(-sign * rates, kind="stable") if big[level]]
        first, second = ordered[:2]
        gap = sign * (rates[first] - rates[second])
        if gap <= GAP * np.hypot(spread[first], spread[second]) / np.sqrt(2) or gap <= 0:
            continue
        adjusted = familywise(sign * rates[big], sign * moved[:, big])[int(big[:first].sum())]
        if adjusted > SURE:
            continue
        fact = _fact(table, field, (first, second), rates, measure, word)
        other_rates = resampled[:, [level for level in ordered if level != first]]
        holds = (sign * resampled[:, [first]] > sign * other_rates).all(axis=1)
        yield from fact.tried(share(sign * moved[:, first] >= sign * rates[first] - 0.02), holds)


def _fact(
    table: RolloutTable, field: SliceField, places: tuple[int, int], rates: Floats, measure: str, word: str
) -> Candidate:
    first, second = places
    name = field.levels[first]
    short = field.name.rsplit(".", 1)[-1]
    measured = f"{word} pass rate" if measure == RATE else f"{word} share of tasks that never pass"
    scope = {"run": table.run, "field": field.name, "level": name}
    return Candidate(
        "extreme",
        DISTRIBUTION,
        f"Of all levels of {short}, {level_words(field, first)} has the {measured} in `{table.run}`: "
        f"{percent(float(rates[first]))}, before {level_words(field, second)} with {percent(float(rates[second]))}.",
        about(scope, level_entity(field, first), topic=(f"{field.name}={name}",)),
        measure,
        "max" if word == "highest" else "min",
        float(rates[first]),
        0.005,
    )
