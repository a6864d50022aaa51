"""The commands to type after an analysis, with the paths as the user gave them: nothing has to be looked up first."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from blade.options import Options

if TYPE_CHECKING:
    from blade.model import Analysis, RunAnalysis

RERUN_FILE = "rerun.jsonl"


def next_commands(analysis: Analysis, paths: Sequence[str], options: Options) -> list[str]:
    """First what runs the lost attempts again, where many were lost; then what shows the failure quoted first."""
    from blade.counting.lost_rollouts import lost_much  # noqa: PLC0415 - heavy: only when the command runs
    from blade.diagnosis.commonest_failure import commonest_failure  # noqa: PLC0415 - as above

    commands = []
    lost = [run for run in analysis.runs if lost_much(run)]
    if lost:
        commands.append(
            ["rerun-list", *paths, *(["--run", lost[0].name] if len(lost) == 1 < len(analysis.runs) else [])]
        )
        commands[-1] += [*_scoring(options), "-o", RERUN_FILE]
    commonest = commonest_failure(analysis)
    if commonest is not None:
        finding = commonest.finding
        commands.append(["show", *_of_run(analysis, finding.run, paths), finding.task])
        commands[-1] += ["--attempt", str(finding.attempt), *_scoring(options)]
    commands = commands or [["view", *paths, *_scoring(options)]]
    return [shlex.join(["blade", *command]) for command in commands]


def _of_run(analysis: Analysis, name: str, paths: Sequence[str]) -> list[str]:
    """The path that holds a run, alone where it is known; else all, and the run's name."""
    holders = {run.name: [path for path in paths if _holds(path, run)] for run in analysis.runs}
    own = holders.get(name, [])
    alone = len(own) == 1 and sum(own == other for other in holders.values()) == 1
    return own if alone else [*paths, *(["--run", name] if len(analysis.runs) > 1 else [])]


def _holds(argument: str, run: RunAnalysis) -> bool:
    """Whether a run was read from this argument: its name, its file or a folder above."""
    name, equals, place = argument.partition("=")
    if equals and name == run.name:
        return True
    path = Path(place if equals and not Path(argument).exists() else argument).absolute()
    return any(path == file.path.absolute() or path in file.path.absolute().parents for file in run.files)


def _scoring(options: Options) -> list[str]:
    """The options that say what a task and a pass are: without them another command would count otherwise."""
    values = {
        "--map": options.field_map,
        "--pass-threshold": options.pass_threshold,
        "--reward-field": options.reward_field,
    }
    return [word for option, value in values.items() if value is not None for word in (option, str(value))]
