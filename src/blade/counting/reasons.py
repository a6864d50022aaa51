"""Why rows have the status they have: the commonest words that said so, with one example as it stands."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

from blade.counting.status import of_source, read_claim
from blade.counting.tokens import passes
from blade.extract.own_kills import SAID, UNOWNED_SAID
from blade.model import Status

KEPT = 5


def status_reasons(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Per status its commonest reasons, with how many rows each stands on and how many of those passed.

    Of ordinary rows only those are told that the agent's own command, or nobody that is recorded, ended.
    `passed_all_the_same` counts the passes that bear the same word for a limit and are ordinary rows.
    """
    telling = (pl.col("state") != Status.OK.value) | pl.any_horizontal(
        pl.col("reason").str.ends_with(words) for words in (SAID, UNOWNED_SAID)
    )
    masked = pl.col("reason").str.replace_all(r"\d+", "#").str.slice(0, 100)
    shape = pl.when(pl.col("state") == Status.OK.value).then(pl.col("reason")).otherwise(masked)
    with_reason = rows.filter(~pl.col("copy") & telling).with_columns(shape.alias("_shape"))
    grouped = (
        with_reason.group_by("state", "_shape")
        .agg(pl.len().alias("rollouts"), passes(), pl.col("reason").min())
        .sort("state", "rollouts", "_shape", descending=[False, True, False])
        .group_by("state", maintain_order=True)
        .head(KEPT)
    )
    late = _late_passes(rows)
    return [
        {
            "status": status,
            "reason": reason,
            "rollouts": int(rollouts),
            "passed": passed,
            "passed_all_the_same": late[status, reason],
        }
        for status, reason, rollouts, passed in grouped.select("state", "reason", "rollouts", "passed").rows()
    ]


def _late_passes(rows: pl.DataFrame) -> Counter[tuple[str, str]]:
    """Passes by the status and the reason of which their source speaks, though they are ordinary rows."""
    good = rows.filter(~pl.col("copy") & (pl.col("state") == Status.OK.value) & pl.col("passed").fill_null(value=False))
    claims = (read_claim(text) for texts in good["signals"].to_list() for text in texts or () if of_source(text))
    return Counter((claim.status, f"{claim.field}: {claim.value}") for claim in claims)
