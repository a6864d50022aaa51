"""How much was spent: output tokens, calls and characters of failed rollouts against passed ones, slice by slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from blade.anchors.candidate import DISTRIBUTION, Candidate, about
from blade.anchors.chance import SURE, Bools, Floats, dealt_outcomes, dice, draws, medians, share
from blade.anchors.table import Field, Table
from blade.wording import listed

FEWEST = 4
MORE = 1.15
MUCH_MORE = 1.5
SMALLEST = 2
"""Medians that differ by less than this count of tokens, calls or characters say nothing."""


def amount_facts(table: Table, seed: int) -> Iterator[Candidate]:
    """One fact for each amount: the field whose every slice points one way, else the run as a whole."""
    if not (table.judged and table.passed.any() and table.failed.any()):
        return
    for name, values in table.values.items():
        told = ~np.isnan(values) & (values > 0)
        if told.mean() < 0.9 or min((told & table.passed).sum(), (told & table.failed).sum()) < 2 * FEWEST:
            continue
        rng = dice(seed, f"amounts|{table.run}|{name}")
        dealt = dealt_outcomes(rng, table.task, table.passed)
        drawn = draws(rng, len(table.tasks))[:, table.task]
        yield from _of_amount(table, name, np.where(told, values, np.nan), (dealt, drawn))


def _of_amount(table: Table, name: str, values: Floats, chance: tuple[Bools, Floats]) -> Iterator[Candidate]:
    dealt, drawn = chance
    known = ~np.isnan(values)
    fail, done = (_median(values, side & known) for side in (table.failed, table.passed))
    sign = 1.0 if fail > done else -1.0
    if max(fail, done) < MORE * min(fail, done) or abs(fail - done) < SMALLEST:
        return
    groups, field, odd = _agreeing(table, values, sign)
    lone = field is None
    if lone and max(fail, done) < MUCH_MORE * min(fail, done):
        return
    sides = (dealt & known, ~dealt & known)
    permuted = np.all([sign * _apart(values, sides, group) > 0 for group in groups], axis=0)
    far = sign * _apart(values, sides, known) >= 0.9 * abs(fail - done)
    guess = share(permuted & far)
    if guess > SURE:
        return
    both = (table.passed & known, table.failed & known)
    resampled = medians(values[known], both[1][known][None].repeat(len(drawn), 0), drawn[:, known])
    holds = sign * (resampled - medians(values[known], both[0][known][None].repeat(len(drawn), 0), drawn[:, known])) > 0
    made = _fact(table, name, (fail, done), field, groups)
    if odd:
        made = replace(made, contrary=True, sentence=made.sentence[:-1] + f", except in {listed(odd)}.")
    yield from made.tried(guess, np.asarray(holds))


def _median(values: Floats, rows: Bools) -> float:
    return float(np.median(values[rows]))


def _apart(values: Floats, sides: tuple[Bools, Bools], group: Bools) -> Floats:
    """The median of fails minus that of passes among the rows of a group, in each permuted data set."""
    inside = group & ~np.isnan(values)
    passed, failed = (side[:, inside] for side in sides)
    return np.nan_to_num(medians(values[inside], failed) - medians(values[inside], passed))


def _agreeing(table: Table, values: Floats, sign: float) -> tuple[list[Bools], Field | None, list[str]]:
    """The rows of each slice of the field with most slices in which the direction holds; at most one may differ."""
    best: tuple[list[Bools], Field | None, list[str]] = ([~np.isnan(values)], None, [])
    for field in table.fields:
        holding, odd = _split(table, values, sign, field)
        if len(holding) >= 2 and len(odd) <= (1 if len(holding) >= 4 else 0) and len(holding) > _size(best):
            best = (holding, field, odd)
    return best


def _size(found: tuple[list[Bools], Field | None, list[str]]) -> int:
    return len(found[0]) if found[1] is not None else 0


def _split(table: Table, values: Floats, sign: float, field: Field) -> tuple[list[Bools], list[str]]:
    holding, odd = [], []
    for level, name in enumerate(field.levels):
        rows = (field.of_task[table.task] == level) & ~np.isnan(values)
        if min((rows & table.passed).sum(), (rows & table.failed).sum()) < FEWEST:
            continue
        apart = _median(values, rows & table.failed) - _median(values, rows & table.passed)
        if sign * apart > 0:
            holding.append(rows)
        else:
            odd.append(f"`{name}`")
    return holding, odd


def _fact(
    table: Table, name: str, sides: tuple[float, float], field: Field | None, groups: Sequence[Bools]
) -> Candidate:
    fail, done = sides
    word = "more" if fail > done else "fewer"
    short = field.name.rsplit(".", 1)[-1] if field else ""
    told = f" in each of {len(groups)} levels of {short} that have both" if field else ""
    return Candidate(
        "paired" if field else "contrast",
        DISTRIBUTION,
        f"Failed rollouts of `{table.run}` use {word} {name} than passed ones "
        f"(median {fail:,.0f} against {done:,.0f}){told}.",
        about(
            {"run": table.run, "amount": name, "status": "failed", "fail": fail, "pass": done},
            (name, {name: (name.rsplit(maxsplit=1)[-1], "length", "longer", "shorter")}),
            topic=("amounts", name),
        ),
        "median_difference",
        ">=" if fail > done else "<=",
        fail - done,
        0.05 * abs(fail - done),
        causal=1 if field else 0,
    )
