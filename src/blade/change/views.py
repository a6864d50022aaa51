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


def other_views(found: ledger.Ledger, pair: Pair, modes: Modes) -> dict[str, Any]:
    """Other ways to add up the same change; never to be added to the parts."""
    blamed = [part.points for part in found.parts if part.cause == "behaviour" and modes.cause(part.sub) != part.cause]
    blamed += [-part.points for part in found.parts if part.sub == CLASS]
    return {
        "pooled": asdict(found.pooled),
        "capability": asdict(found.capability),
        "migration": _migration(found.migration, pair, modes),
        "behaviour": found.behaviour.points - sum(blamed) if found.behaviour else None,
        "common_shares": list(found.common_shares),
        "imputed_share": found.imputed_share,
        "rescored_shares": list(found.rescored_shares),
        "foreign_rows": dict(pair.foreign),
    }


def _migration(found: ledger.Migration | None, pair: Pair, modes: Modes) -> dict[str, Any] | None:
    """Losses that changed their mode, as far as the plain counts of the modes went the same way.

    A failure counts under one mode, the nearest to the cause: a mode may cost less only because another took its place.
    """
    if found is None:
        return None
    less = [mode for mode in found.less if modes.more_common(mode, pair) is not True]
    more = [mode for mode in found.more if modes.more_common(mode, pair) is not False]
    return {**asdict(found), "less": less, "more": more} if less and more else None


def shared_data(shared: SharedOutputs, *, same: bool) -> dict[str, Any]:
    return {
        "pairs": shared.pairs,
        "identical": shared.identical,
        "reward_differs": shared.reward_differs,
        "level": shared.level,
        "scored_two_ways": shared.flaky,
        "same_runs": same,
    }


def config_diff_data(config_diff: ConfigDiff) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"field": field.field, "base": field.base, "candidate": field.candidate, "role": field.role}
        | ({"diff": dict(field.diff)} if field.diff else {})
        for field in config_diff.moved
    )
