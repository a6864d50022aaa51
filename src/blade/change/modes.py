"""What a plain failure is called until its trajectory has been read: a tool that failed, or the verifier's own word."""

from __future__ import annotations

import re

import polars as pl

from blade.counting.status import read_claim

_NUMBERS = re.compile(r"\d+(\.\d+)?")
_QUOTED = re.compile(r"'[^']{1,80}'|\"[^\"]{1,80}\"|`[^`]{1,80}`")
LONGEST = 80
TOOL = "tool error: "


def failure_modes(rows: pl.DataFrame) -> list[str | None]:
    """One mode per row: only clean rows that fell short of the best score have one."""
    top = max(rows["reward"].to_list(), default=0.0)
    made = []
    columns = ("state", "reward", "passed", "tools_failed", "signals", "ends_on")
    for state, reward, passed, failed, signals, ends_on in rows.select(columns).rows():
        short = not passed if passed is not None else reward < top - 1e-9
        made.append(_mode(failed or [], signals or [], ends_on) if state == "ok" and short else None)
    return made


def _mode(failed: list[str], signals: list[str], ends_on: str) -> str | None:
    if failed:
        return TOOL + failed[0]
    for text in signals:
        claim = read_claim(text)
        if claim.status == "error":
            return f"{claim.field}: {mask(claim.value)}"
    return "ends on a tool's output" if ends_on == "output" else None


def mask(text: str) -> str:
    """A message without its numbers and quoted parts, shortened: alike messages become one."""
    return _NUMBERS.sub("#", _QUOTED.sub("'…'", text))[:LONGEST]
