"""The best and the worst level of a field: by pass rate, and by the share of tasks that never pass.

Rates by level stand in the metrics sidecar, so such facts weigh little; they are kept only where the gap to the next
level is more than chance and resampling would show.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from blade.anchors.candidate import DISTRIBUTION, Candidate, about, level_entity, level_words
from blade.anchors.chance import SURE, Floats, dice, draws, familywise, moved_counts, share, shuffles, tries
from blade.anchors.table import Field, Table
from blade.wording import percent

FEWEST_TASKS = 4
GAP = 2.0
RATE, NEVER = "rate", "never_share"


def extreme_facts(table: Table, seed: int) -> Iterator[Candidate]:
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
    table: Table, field: Field, values: Floats, measure: str, rng: np.random.Generator
) -> Iterator[Candidate]:
    known = np.flatnonzero(field.of_task >= 0)
    levels, many = field.of_task[known], len(field.levels)
    sizes = np.bincount(levels, minlength=many)
    big = sizes >= FEWEST_TASKS
    counts = values[known][:, None]
    moved = moved_counts(levels, many, counts, shuffles(rng, known.size, tries(many)))[:, :, 0] / np.maximum(sizes, 1)
    rates = moved_counts(levels, many, counts, np.arange(known.size)[None])[0, :, 0] / np.maximum(sizes, 1)
    drawn = draws(rng, known.size)
    one_hot = (levels[:, None] == np.arange(many)).astype(np.float64)
    resampled = (drawn @ (one_hot * counts)) / np.maximum(drawn @ one_hot, 1e-9)
    spread = values[known].std() / np.sqrt(np.maximum(sizes, 1))
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
        made = _fact(table, field, (first, second), rates, measure, word)
        others = resampled[:, [level for level in ordered if level != first]]
        holds = (sign * resampled[:, [first]] > sign * others).all(axis=1)
        yield from made.tried(share(sign * moved[:, first] >= sign * rates[first] - 0.02), holds)


def _fact(table: Table, field: Field, places: tuple[int, int], rates: Floats, measure: str, word: str) -> Candidate:
    first, second = places
    name = field.levels[first]
    short = field.name.rsplit(".", 1)[-1]
    what = f"{word} pass rate" if measure == RATE else f"{word} share of tasks that never pass"
    scope = {"run": table.run, "field": field.name, "level": name}
    return Candidate(
        "extreme",
        DISTRIBUTION,
        f"Of all levels of {short}, {level_words(field, first)} has the {what} in `{table.run}`: "
        f"{percent(float(rates[first]))}, before {level_words(field, second)} with {percent(float(rates[second]))}.",
        about(scope, level_entity(field, first), topic=(f"{field.name}={name}",)),
        measure,
        "max" if word == "highest" else "min",
        float(rates[first]),
        0.005,
    )
