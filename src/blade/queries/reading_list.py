"""Which transcripts to read next, and why: void attempts, what rules and verdicts disagree on, controls at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, zip_longest
from typing import Any

import polars as pl

from blade.diagnosis.readings import random_rank
from blade.index.tables import Index
from blade.model import Source
from blade.queries.conditions import Condition, select
from blade.wording import count, outcome, printable

PER_REASON = 4
_ORDER = ("run", "task", "attempt")


@dataclass(frozen=True)
class ReadingPick:
    """One rollout that is worth reading, and the reason."""

    run: str
    task: str
    attempt: int
    outcome: str
    why: str
    source: Source


def reading_list(index: Index, limit: int, conditions: Sequence[Condition] = ()) -> list[ReadingPick]:
    """Of each reason one, then of each a second, each rollout once; those with a transcript first."""
    rows = select(index, conditions).rows.sort(pl.col("items").fill_null(0) == 0, *_ORDER)
    numbered = rows.with_row_index("row")
    ran = numbered.filter(~pl.col("void"))
    judged = ran.filter(pl.col("passed").is_not_null())
    reasons = (
        _void_groups(numbered),
        _passes_with_signs(ran),
        _one_output_two_verdicts(judged),
        _never_passed(judged),
        _modes(ran),
        _without_findings(judged),
        _sure_labels(ran),
        _lost_tasks(judged, index.runs),
        _controls(judged, str(sorted(index.facts["digests"].items()))),
    )
    columns = [_first(reason, PER_REASON) for reason in reasons]
    picks: dict[int, ReadingPick] = {}
    for entry in chain.from_iterable(zip_longest(*columns)):
        if entry is not None and entry[0] not in picks and len(picks) < limit:
            picks[entry[0]] = _pick(rows.row(entry[0], named=True), entry[1])
    return list(picks.values())


def random_failures(index: Index, limit: int, conditions: Sequence[Condition] = ()) -> list[ReadingPick]:
    """Failures that nobody read yet in the order at random, of the runs in turn: who reads the first has a sample."""
    rows = select(index, conditions).rows.filter(pl.col("failed") & ~pl.col("void") & ~pl.col("read"))
    orders = []
    for run in index.runs:
        own = rows.filter(pl.col("run") == run).iter_rows(named=True)
        orders.append(sorted(own, key=lambda row: random_rank(row["row_key"])))
    picks = (row for turn in zip_longest(*orders) for row in turn if row is not None)
    return [_pick(row, "a failure at random, for an estimate") for row, _ in zip(picks, range(limit), strict=False)]


def _first(entries: Iterator[tuple[int, str]], limit: int) -> list[tuple[int, str]]:
    return [entry for entry, _ in zip(entries, range(limit), strict=False)]


def _pick(row: dict[str, Any], why: str) -> ReadingPick:
    ended = outcome(row["passed"], row["score"], void=row["void"])
    source = Source(row["path"], row["line"], row["offset"], row["length"])
    return ReadingPick(row["run"], row["task"], row["attempt"], ended, printable(why), source)


def _groups(rows: pl.DataFrame, by: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows of each group, the largest first."""
    parts = rows.partition_by(by, maintain_order=True)
    yield from sorted(parts, key=lambda part: (-part.height, *(str(part[name][0]) for name in by)))


def _void_groups(rows: pl.DataFrame) -> Iterator[tuple[int, str]]:
    for part in _groups(rows.filter(pl.col("void")), ("run", "lost_at", "status")):
        row = part.row(0, named=True)
        stage = f" at {row['lost_at']}" if row["lost_at"] else ""
        rollouts = count(part.height, "rollout is", "rollouts are")
        yield row["row"], f"void: {rollouts} lost{stage} in {row['run']} ({row['reason'] or row['status']})"


def _passes_with_signs(rows: pl.DataFrame) -> Iterator[tuple[int, str]]:
    """Passes that show what failures are explained by: the verdict or the rule is wrong."""
    modes = set(rows["mode_id"].drop_nulls().to_list())
    passes = rows.filter(pl.col("passed")).with_columns(
        pl.col("findings").list.eval(pl.element().filter(pl.element().is_in(list(modes)))).alias("signs")
    )
    for row in (
        passes.filter(pl.col("signs").list.len() > 0)
        .sort(pl.col("signs").list.len(), *_ORDER, descending=[True, False, False, False])
        .iter_rows(named=True)
    ):
        yield row["row"], f"a pass that shows what failures show: {', '.join(row['signs'])}"


def _one_output_two_verdicts(rows: pl.DataFrame) -> Iterator[tuple[int, str]]:
    """The same words and calls, one of them passed: the verifier wavers."""
    hashed = rows.filter(pl.col("output_hash").is_not_null() & (pl.col("items") > 0))
    for part in _groups(hashed, ("task", "output_hash")):
        if part["passed"].n_unique() > 1:
            failed = part.filter(~pl.col("passed")).row(0, named=True)
            passed = part.filter(pl.col("passed")).row(0, named=True)
            yield failed["row"], f"fails with the same output that passes in {passed['run']} #{passed['attempt']}"


def _never_passed(rows: pl.DataFrame) -> Iterator[tuple[int, str]]:
    for part in _groups(rows, ("task",)):
        if not part["passed"].any() and part.height > 1:
            runs = count(part["run"].n_unique(), "run")
            yield part["row"][0], f"its task fails in all {part.height} judged attempts of {runs}: can it be passed?"


def _modes(rows: pl.DataFrame) -> Iterator[tuple[int, str]]:
    failing = rows.filter(pl.col("mode").is_not_null())
    for part in _groups(failing, ("mode",)):
        middle = part.sort("items", *_ORDER)
        row = middle.row(middle.height // 2, named=True)
        yield row["row"], f"one of {count(part.height, 'failure')} told as: {row['mode']}"


def _without_findings(rows: pl.DataFrame) -> Iterator[tuple[int, str]]:
    bare = rows.filter(~pl.col("passed") & (pl.col("findings").list.len() == 0))
    for row in bare.iter_rows(named=True):
        yield row["row"], f"one of {count(bare.height, 'failure')} in which no rule noticed anything"


def _sure_labels(rows: pl.DataFrame) -> Iterator[tuple[int, str]]:
    sure = rows.filter(pl.col("confidence").is_not_null()).sort(
        "confidence", *_ORDER, descending=[True, False, False, False]
    )
    for part in sure.partition_by("label", maintain_order=True):
        row = part.row(0, named=True)
        yield (
            row["row"],
            f"the surest {row['label']} ({row['confidence']:.0%}, by {row['rule'] or 'no rule'}): is it so?",
        )


def _lost_tasks(rows: pl.DataFrame, runs: Sequence[str]) -> Iterator[tuple[int, str]]:
    if len(runs) < 2:
        return
    first, last = runs[0], runs[-1]
    for part in _groups(rows, ("task",)):
        before, after = (part.filter(pl.col("run") == run) for run in (first, last))
        if before.height and after.height and before["passed"].all() and not after["passed"].any():
            yield after["row"][0], f"its task always passes in {first} and never in {last}"


def _controls(rows: pl.DataFrame, seed: str) -> Iterator[tuple[int, str]]:
    """At random, the same on every day: a pass and a failure in turn."""
    sides = []
    for passed in (True, False):
        candidates = rows.filter(pl.col("passed") == passed).iter_rows(named=True)
        shuffled = sorted(candidates, key=lambda row: sha256(f"{seed} {row['run']} {row['row']}".encode()).digest())
        sides.append([(row["row"], f"a {'pass' if passed else 'failure'} at random, as a control") for row in shuffled])
    for pair in zip_longest(*sides):
        yield from (entry for entry in pair if entry is not None)
