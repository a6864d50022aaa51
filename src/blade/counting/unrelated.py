"""Runs of different benchmarks in one analysis: no task in common, and another name or other rows.

Two runs of one benchmark may share no task (two halves of it); then their rows still look alike. What is too little to
judge by counts as one benchmark.
"""

from __future__ import annotations

from collections.abc import Sequence

from blade.counting.align import Alignment, align
from blade.counting.rules import RULE_NAMES, Trust
from blade.counting.run import Run
from blade.counting.sketches import Sketches
from blade.errors import UnrelatedRuns
from blade.wording import abridged

NAME_FIELDS = ("benchmark", "benchmark_name", "metadata.benchmark")
ALIKE = 0.5
"""Share of the fields of two runs that both have, from which on their rows look alike."""
FEWEST_FIELDS = 4
SHOWN = 6
INDEX_RULE = RULE_NAMES[Trust.INDEX]


def benchmark_names(run: Run) -> set[str]:
    """What the run calls its benchmark: in benchmark.toml, else on its rows, else in its settings."""
    declared = run.raw.benchmark.values.get("name")
    if isinstance(declared, str):
        return {declared}
    values = (value for column in run.columns if column.name in NAME_FIELDS for value in column.values)
    in_settings = run.raw.config.get("benchmark")
    return {value for value in values if isinstance(value, str)} or (
        {in_settings} if isinstance(in_settings, str) else set()
    )


def refuse_unrelated(runs: Sequence[Run], alignments: Sequence[Alignment], match_by: str | None = None) -> None:
    """An error where the runs are of different benchmarks; it names the groups to analyze one by one."""
    unmatched = [run for run, item in zip(runs[1:], alignments, strict=True) if not _joined(runs[0], run, item)]
    if not any(_unlike(runs[0], run) for run in unmatched):
        return
    groups: list[list[Run]] = []
    for run in runs:
        group = next((group for group in groups if _related(group[0], run, match_by)), None)
        if group is None:
            groups.append([run])
        else:
            group.append(run)
    named = [f"{_title(group)}: {abridged([run.name for run in group], SHOWN)}" for group in groups]
    raise UnrelatedRuns(
        f"These runs are of {len(groups)} different benchmarks, with no task in common: {'; '.join(named)}.",
        "Give each group to a `blade analyze` of its own. --allow-unrelated counts them side by side all the same; "
        "--match-by FIELD says which field names a task in all of them.",
    )


def _title(group: Sequence[Run]) -> str:
    names = sorted(benchmark_names(group[0]))
    return names[0] if len(names) == 1 else f"the benchmark of {group[0].name}"


def _related(one: Run, other: Run, match_by: str | None) -> bool:
    return not _unlike(one, other) or _joined(one, other, align([one, other], match_by)[0])


def _joined(one: Run, other: Run, alignment: Alignment) -> bool:
    """Whether they have tasks in common; task 3 of two benchmarks with different names is not one task."""
    names = benchmark_names(one), benchmark_names(other)
    return bool(alignment.same) and not (alignment.rule == INDEX_RULE and all(names) and not names[0] & names[1])


def _unlike(one: Run, other: Run) -> bool:
    """Whether two runs without a common task call their benchmarks differently, or have rows of another kind."""
    names = benchmark_names(one), benchmark_names(other)
    if all(names):
        return not names[0] & names[1]
    fields = [{column.name for column in run.columns} for run in (one, other)]
    if min(map(len, fields)) < FEWEST_FIELDS or Sketches(one).setting & Sketches(other).setting:
        return False
    tools = [set(run.facts["tools_called"].explode().drop_nulls().to_list()) for run in (one, other)]
    return len(fields[0] & fields[1]) < ALIKE * len(fields[0] | fields[1]) and not tools[0] & tools[1]
