"""How much was spent: output tokens, calls and characters of failed rollouts against passed ones, slice by slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from blade.anchors.candidate import DISTRIBUTION, Candidate, about
from blade.anchors.chance import SURE, Bools, Floats, dealt_outcomes, dice, draws, medians, share
from blade.anchors.table import RolloutTable, SliceField
from blade.wording import listed

FEWEST = 4
MORE = 1.15
MUCH_MORE = 1.5
SMALLEST = 2
"""Medians that differ by less than this count of tokens, calls or characters say nothing."""


def usage_facts(table: RolloutTable, seed: int) -> Iterator[Candidate]:
    """One fact for each amount: the field whose every slice points one way, else the run as a whole."""
    if not (table.judged and table.passed.any() and table.failed.any()):
        return
    for name, values in table.values.items():
        has_value = ~np.isnan(values) & (values > 0)
        if (
            has_value.mean() < 0.9
            or min((has_value & table.passed).sum(), (has_value & table.failed).sum()) < 2 * FEWEST
        ):
            continue
        rng = dice(seed, f"amounts|{table.run}|{name}")
        dealt = dealt_outcomes(rng, table.task, table.passed)
        weights = draws(rng, len(table.tasks))[:, table.task]
        yield from _of_amount(table, name, np.where(has_value, values, np.nan), (dealt, weights))


def _of_amount(table: RolloutTable, name: str, values: Floats, chance: tuple[Bools, Floats]) -> Iterator[Candidate]:
    dealt, weights = chance
    has_value = ~np.isnan(values)
    fail_median, pass_median = (_median(values, side & has_value) for side in (table.failed, table.passed))
    sign = 1.0 if fail_median > pass_median else -1.0
    if (
        max(fail_median, pass_median) < MORE * min(fail_median, pass_median)
        or abs(fail_median - pass_median) < SMALLEST
    ):
        return
    groups, field, odd = _agreeing(table, values, sign)
    lone = field is None
    if lone and max(fail_median, pass_median) < MUCH_MORE * min(fail_median, pass_median):
        return
    sides = (dealt & has_value, ~dealt & has_value)
    permuted = np.all([sign * _apart(values, sides, group) > 0 for group in groups], axis=0)
    far = sign * _apart(values, sides, has_value) >= 0.9 * abs(fail_median - pass_median)
    guess = share(permuted & far)
    if guess > SURE:
        return
    outcome_masks = (table.passed & has_value, table.failed & has_value)
    resampled = medians(
        values[has_value], outcome_masks[1][has_value][None].repeat(len(weights), 0), weights[:, has_value]
    )
    holds = (
        sign
        * (
            resampled
            - medians(
                values[has_value], outcome_masks[0][has_value][None].repeat(len(weights), 0), weights[:, has_value]
            )
        )
        > 0
    )
    fact = _fact(table, name, (fail_median, pass_median), field, groups)
    if odd:
        fact = replace(fact, contrary=True, sentence=fact.sentence[:-1] + f", except in {listed(odd)}.")
    yield from fact.tried(guess, np.asarray(holds))


def _median(values: Floats, rows: Bools) -> float:
    return float(np.median(values[rows]))


def _apart(values: Floats, sides: tuple[Bools, Bools], group: Bools) -> Floats:
    """The median of fails minus that of passes among the rows of a group, in each permuted data set."""
    in_group = group & ~np.isnan(values)
    passed, failed = (side[:, in_group] for side in sides)
    return np.nan_to_num(medians(values[in_group], failed) - medians(values[in_group], passed))


def _agreeing(table: RolloutTable, values: Floats, sign: float) -> tuple[list[Bools], SliceField | None, list[str]]:
    """The rows of each slice of the field with most slices in which the direction holds; at most one may differ."""
    best: tuple[list[Bools], SliceField | None, list[str]] = ([~np.isnan(values)], None, [])
    for field in table.fields:
        holding, odd = _split(table, values, sign, field)
        if len(holding) >= 2 and len(odd) <= (1 if len(holding) >= 4 else 0) and len(holding) > _size(best):
            best = (holding, field, odd)
    return best


def _size(grouping: tuple[list[Bools], SliceField | None, list[str]]) -> int:
    return len(grouping[0]) if grouping[1] is not None else 0


def _split(table: RolloutTable, values: Floats, sign: float, field: SliceField) -> tuple[list[Bools], list[str]]:
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
    table: RolloutTable, name: str, sides: tuple[float, float], field: SliceField | None, groups: Sequence[Bools]
) -> Candidate:
    fail_median, pass_median = sides
    word = "more" if fail_median > pass_median else "fewer"
    short = field.name.rsplit(".", 1)[-1] if field else ""
    level_text = f" in each of {len(groups)} levels of {short} that have both" if field else ""
    return Candidate(
        "paired" if field else "contrast",
        DISTRIBUTION,
        f"Failed rollouts of `{table.run}` use {word} {name} than passed ones "
        f"(median {fail_median:,.0f} against {pass_median:,.0f}){level_text}.",
        about(
            {"run": table.run, "amount": name, "status": "failed", "fail": fail_median, "pass": pass_median},
            (name, {name: (name.rsplit(maxsplit=1)[-1], "length", "longer", "shorter")}),
            topic=("amounts", name),
        ),
        "median_difference",
        ">=" if fail_median > pass_median else "<=",
        fail_median - pass_median,
        0.05 * abs(fail_median - pass_median),
        causal=1 if field else 0,
    )
