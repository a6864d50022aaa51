"""What stands beside the parts, as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from blade.change.broken_tools import CLASS
from blade.change.config_diff import ConfigDiff
from blade.change.modes import Modes
from blade.change.pair import Pair
from blade.change.shared_outputs import SharedOutputs
from blade.stats import ledger


def other_views(score_ledger: ledger.Ledger, pair: Pair, modes: Modes) -> dict[str, Any]:
    """Other ways to add up the same change; never to be added to the parts."""
    blamed = [
        part.points for part in score_ledger.parts if part.cause == "behaviour" and modes.cause(part.sub) != part.cause
    ]
    blamed += [-part.points for part in score_ledger.parts if part.sub == CLASS]
    return {
        "pooled": asdict(score_ledger.pooled),
        "capability": asdict(score_ledger.capability),
        "migration": _migration(score_ledger.migration, pair, modes),
        "behaviour": score_ledger.behaviour.points - sum(blamed) if score_ledger.behaviour else None,
        "common_shares": list(score_ledger.common_shares),
        "imputed_share": score_ledger.imputed_share,
        "rescored_shares": list(score_ledger.rescored_shares),
        "foreign_rows": dict(pair.foreign),
    }


def _migration(migration: ledger.Migration | None, pair: Pair, modes: Modes) -> dict[str, Any] | None:
    """Losses that changed their mode, as far as the plain counts of the modes went the same way.

    A failure counts under one mode, the nearest to the cause: a mode may cost less only because another took its place.
    """
    if migration is None:
        return None
    falling_modes = [mode for mode in migration.less if modes.more_common(mode, pair) is not True]
    rising_modes = [mode for mode in migration.more if modes.more_common(mode, pair) is not False]
    return (
        {**asdict(migration), "less": falling_modes, "more": rising_modes} if falling_modes and rising_modes else None
    )


def shared_data(shared: SharedOutputs, *, same_runs: bool) -> dict[str, Any]:
    return {
        "pairs": shared.pairs,
        "identical": shared.identical,
        "reward_differs": shared.reward_differs,
        "level": shared.level,
        "scored_two_ways": shared.flaky,
        "same_runs": same_runs,
    }


def config_diff_data(config_diff: ConfigDiff) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"field": field.field, "base": field.base, "candidate": field.candidate, "role": field.role}
        | ({"diff": dict(field.diff)} if field.diff else {})
        for field in config_diff.moved
    )
