"""What the user says of one run or of all of them: `VALUE`, or `RUN=VALUE` as often as there are runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from blade.errors import UsageError

EVERY_RUN = ""
PerRun = str | Path | Mapping[str, str | Path] | None
"""One value for every run, or a value by the name of the run."""


def value_of(values: PerRun, run: str) -> str | Path | None:
    """What is said of a run: its own word, else what is said of every run."""
    if isinstance(values, Mapping):
        return values.get(run, values.get(EVERY_RUN))
    return values


def by_run(values: Iterable[str]) -> dict[str, str]:
    """`RUN=VALUE` and plain values as a mapping. A value that is the path of a file is taken whole."""
    value_of_run: dict[str, str] = {}
    for value in values:
        run, sign, run_value = value.partition("=")
        names_run = bool(sign and run and run_value) and not Path(value).exists()
        value_of_run[run if names_run else EVERY_RUN] = run_value if names_run else value
    return value_of_run


def check_names(option: str, values: PerRun, runs: Collection[str]) -> None:
    """Raise where a run is named that is not there."""
    for name in values if isinstance(values, Mapping) else ():
        if name not in runs and name != EVERY_RUN:
            near = get_close_matches(name, runs, 1)
            hint = f"Did you mean {near[0]}?" if near else f"The runs are: {', '.join(sorted(runs))}."
            raise UsageError(f"{option} {name}=…: there is no run of this name.", hint)
