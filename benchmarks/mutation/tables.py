"""The results as tables, and their place in a document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.mutation.folders import FOLDERS, LEAST_SCORE
from benchmarks.mutation.mutant import Outcome, Result

BEGIN, END = "<!-- mutants: written by `make mutants` -->", "<!-- end of mutants -->"


def score(results: Sequence[Result]) -> float | None:
    """Killed of those that can be killed."""
    able = [result for result in results if result.outcome is not Outcome.EXCLUDED]
    return sum(result.outcome is Outcome.KILLED for result in able) / len(able) if able else None


def folder_table(results: Sequence[Result]) -> str:
    """A line per folder: drawn, killed, survived, excluded, score."""
    lines = ["| folder | drawn | killed | survived | equivalent | score |", "|---|---:|---:|---:|---:|---:|"]
    for folder in FOLDERS:
        own = [result for result in results if result.mutant.folder == folder.name]
        reached = score(own)
        if reached is None:
            continue
        cells = [sum(result.outcome is outcome for result in own) for outcome in Outcome]
        lines.append(f"| `{folder.name}` | {len(own)} | {' | '.join(map(str, cells))} | {reached:.0%} |")
    return "\n".join(lines)


def hand_table(results: Sequence[Result]) -> str:
    """A line per mutant that was written by hand."""
    lines = ["| changed by hand | noticed by |", "|---|---|"]
    lines += [
        f"| {result.mutant.key} | {'**nothing**' if result.outcome is Outcome.SURVIVED else _test(result.reason)} |"
        for result in results
    ]
    return "\n".join(lines)


def _test(path: str) -> str:
    return f"`{path.rpartition('/')[2]}`"


def enough(drawn: Sequence[Result], by_hand: Sequence[Result]) -> bool:
    """Every folder reaches its score, and no mutant by hand survives."""
    for folder in FOLDERS:
        reached = score([result for result in drawn if result.mutant.folder == folder.name])
        if reached is not None and reached < LEAST_SCORE:
            return False
    return all(result.outcome is Outcome.KILLED for result in by_hand)


def write(path: Path, tables: str) -> None:
    """Put the tables between the marks of a document."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path} has no place for the tables: {BEGIN} … {END}")
    path.write_text(f"{before}{begin}\n\n{tables}\n\n{end}{after}", encoding="utf-8")
