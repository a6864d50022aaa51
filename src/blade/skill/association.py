"""How a field goes with the score: said in numbers, with how many rows they rest on."""

from __future__ import annotations

import math

from blade.skill.cells import code
from blade.skill.profile import Field, ProfileLevel

FEW_LEVELS = 4
SAME = 1e-9


def association(field: Field, all_rows: ProfileLevel) -> str:
    """One clause, or nothing where a field has one value, or one for nearly every row. `all_rows` counts all rows."""
    if field.numeric and field.equal == field.numeric and field.distinct > 1:
        return f"equals the score on all {field.numeric:,} rows that have it"
    levels = field.levels or {}
    rows = sum(level.rows for level in levels.values())
    if 2 <= len(levels) <= FEW_LEVELS and (rows > 2 * len(levels) or len(levels) == 2):
        return "mean score " + ", ".join(
            f"{level.mean:.2f} at {code(name or '(empty)', 24)} (n = {level.rows:,})"
            for name, level in sorted(levels.items(), key=lambda pair: (-pair[1].rows, pair[0]))
        )
    if FEW_LEVELS < len(levels) <= rows // 3:
        share = _explained(field)
        if share is not None:
            return f"its {len(levels)} values explain {share:.0%} of the score's variance (n = {rows:,})"
    return _correlation(field) or _emptiness(field) or _presence(field, all_rows)


def _explained(field: Field) -> float | None:
    """The share of the variance of the score that lies between the values of a field."""
    levels = (field.levels or {}).values()
    rows = sum(level.rows for level in levels)
    mean = sum(level.total for level in levels) / rows
    total_squares = sum(level.squares for level in levels) - rows * mean * mean
    between = sum(level.rows * (level.mean - mean) ** 2 for level in levels)
    return between / total_squares if total_squares > SAME else None


def _correlation(field: Field) -> str:
    n = field.numeric
    if n < 8:
        return ""
    x, xx, y, yy, xy = field.sums
    spread = (n * xx - x * x) * (n * yy - y * y)
    if not math.isfinite(spread) or spread <= SAME:
        return ""
    return f"correlation {(n * xy - x * y) / math.sqrt(spread):+.2f} with the score (n = {n:,})".replace("-", "−")


def _presence(field: Field, all_rows: ProfileLevel) -> str:
    """A field that only some rows have may itself tell passes from failures."""
    present, absent = field.scored, all_rows.rows - field.scored.rows
    if field.listed or not present.rows or absent <= 0:
        return ""
    elsewhere = (all_rows.total - present.total) / absent
    presence = f"mean score {present.mean:.2f} where it stands (n = {present.rows:,})"
    return f"{presence}, {elsewhere:.2f} elsewhere (n = {absent:,})"


def _emptiness(field: Field) -> str:
    """A field that is null where rollouts fail says so, however many values it has elsewhere."""
    null, filled = field.nulls, field.scored.rows - field.nulls.rows
    if not null.rows or not filled:
        return ""
    mean = (field.scored.total - null.total) / filled
    return f"mean score {null.mean:.2f} where null (n = {null.rows:,}), {mean:.2f} elsewhere (n = {filled:,})"
