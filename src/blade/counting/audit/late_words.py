"""What became of rows that bear a word for a time limit: one count for all who speak of them."""

from __future__ import annotations

import polars as pl

from blade.extract.error_claims import ENDED, SOFT
from blade.model import Status

_LATE = tuple(f"{Status.TIMED_OUT.value}|{strength}|" for strength in (SOFT, ENDED))


def late_words(frame: pl.DataFrame) -> dict[str, int]:
    """Counted rows with the word, how many of them pass, had ended by themselves, were cut, or keep no record.

    Cut are those that the status calls timed out and whose own record stops before an end.
    """
    columns = ("signals", "state", "passed", "items", "stage_lost", "counted")
    counts = dict.fromkeys(("rows", "passed", "ended", "cut", "cut_passed", "unrecorded"), 0)
    for row in frame.select(columns).iter_rows(named=True):
        late_claims = [text for text in row["signals"] or () if text.startswith(_LATE)]
        if not late_claims or not row["counted"] or row["stage_lost"]:
            continue
        cut_short = row["state"] == Status.TIMED_OUT.value and bool(row["items"])
        counts["rows"] += 1
        counts["passed"] += bool(row["passed"])
        counts["ended"] += any(text.startswith(_LATE[1]) for text in late_claims)
        counts["cut"] += cut_short
        counts["cut_passed"] += cut_short and bool(row["passed"])
        counts["unrecorded"] += not row["items"]
    return counts
