"""From the paths a user gives to the runs they hold, each with its sidecars."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from blade.engine.classify import ClassifiedFile, classify, describe
from blade.engine.collecting import seldom_collected
from blade.engine.foreign_runs import file_runs, folder_runs, mapped_runs, original, with_damage
from blade.engine.names import name_all
from blade.engine.plan import RunPlan, groups, may_be_sidecar, plan_run, plan_runs
from blade.engine.watched_folders import WatchedFolder, files_with_rows, folder_times
from blade.errors import InputError, NameClash, NoRuns, NotFound
from blade.extract.text import clean
from blade.files.remote_paths import is_remote, is_url, matches, place, real_path
from blade.files.sniff import Head, documents_kept
from blade.model import Flaw

_MOMENT = re.compile(r"[\dTZ_:.+-]+")
OWN_OUTPUT = {"analysis.json", "facts.parquet", "findings.parquet", "features.parquet", "report.md", "report.html"}


def discover(paths: Sequence[str | Path], field_map: Path | None = None) -> list[RunPlan]:
    """The runs behind `paths`: files, folders, globs, or NAME=PATH of one of these.

    With a field map they are rows of another shape, read as it says.
    """
    with documents_kept(), seldom_collected():
        plans = _all_plans(paths, field_map)
    names = _auto_names(plans)
    for plan, auto in zip(plans, names, strict=True):
        plan.name = clean(_full_name(plan, auto) if plan.named else auto)
    _refuse_clashes(plans)
    return plans


def _all_plans(paths: Sequence[str | Path], field_map: Path | None) -> list[RunPlan]:
    plans: list[RunPlan] = []
    for argument in paths:
        name, location = _split_name(str(argument))
        plans_found = mapped_runs(_matched(location), field_map) if field_map is not None else _runs_at(location)
        if name is not None:
            plans_found = _renamed(name, plans_found)
        elif len(plans_found) == 1 and _is_moment(plans_found[0]) and _is(Path(location).is_dir):
            plans_found[0].named_after = Path(location) / "rollouts.jsonl"
        plans.extend(plans_found)
    return plans


def _split_name(argument: str) -> tuple[str | None, str]:
    name, sign, location = argument.partition("=")
    if sign and name and location and "/" not in name and not _is(Path(argument).exists):
        return name, location
    return None, argument


def _renamed(name: str, plans: list[RunPlan]) -> list[RunPlan]:
    if len(plans) > 1:
        parts = len({original(plan.rollouts[0].path) for plan in plans if _is_part(plan) or not plan.named}) == 1
        for plan, tail in zip(plans, _auto_names(plans), strict=True):
            of_one = parts and (_is_part(plan) or not plan.named)
            full_name = _full_name(plan, tail) if plan.named else tail
            plan.name, plan.named = f"{name}{plan.name}" if of_one else f"{name}/{full_name}", True
    else:
        plans[0].name, plans[0].named = name, True
    return plans


def _is_moment(plan: RunPlan) -> bool:
    """Whether a run of another program stands in a folder that is called by a date or a number: that tells nobody."""
    return plan.translated is not None and _MOMENT.fullmatch(plan.translated.path.original.name) is not None


def _auto_names(plans: Sequence[RunPlan]) -> list[str]:
    """A name after the path for each run; the runs of another program in one file share it."""
    places = [plan.named_after or original(plan.rollouts[0].path) for plan in plans]
    distinct = list(dict.fromkeys(places))
    shared = dict(zip(distinct, name_all(distinct), strict=True))
    numbered = name_all(places)
    return [
        shared[place] if _is_part(plan) else _title(plan, plans, numbered) or auto
        for place, plan, auto in zip(places, plans, numbered, strict=True)
    ]


def _title(plan: RunPlan, plans: Sequence[RunPlan], names: Sequence[str]) -> str:
    """The shortest title of a run that no other one bears; nothing where there is none."""
    other_titles = {title for other_plan in plans if other_plan is not plan for title in other_plan.titles}
    return next((title for title in plan.titles if title not in other_titles and title not in names), "")


def _is_part(plan: RunPlan) -> bool:
    return plan.named and plan.name.startswith("@")


def _full_name(plan: RunPlan, auto: str) -> str:
    """`@part` stands behind the name after the path."""
    return auto + plan.name if _is_part(plan) else plan.name


def _runs_at(argument: str) -> list[RunPlan]:
    path = place(argument)
    if is_remote(path):
        _reach(path, argument)
    if _is(path.is_dir):
        return _folder_runs(path)
    if _is(path.exists):
        return _file_runs(path)
    return _glob_runs(argument)


def _matched(argument: str) -> list[Path]:
    """The local files and folders that a path or a glob names."""
    path = Path(argument)
    paths = [path] if _is(path.exists) else sorted(map(Path, glob.glob(argument, recursive=True)))  # noqa: PTH207 - as below
    if not paths:
        raise NotFound(f"{_short(argument)}: there is nothing at this path.", _GIVE)
    return paths


def _reach(path: Path, argument: str) -> None:
    """Ask another machine for the first time: whatever its driver raises is told in its words."""
    try:
        path.exists()
    except Exception as error:  # noqa: BLE001 - drivers raise what they like
        reason = str(error).strip().split("\n", 1)[0] or type(error).__name__
        raise InputError(
            f"{argument}: cannot be reached ({reason}).", "Check the address and the credentials."
        ) from None


def _is(test: Callable[[], bool]) -> bool:
    """A test of a path that may be no path at all: too long, or with a zero in it."""
    try:
        return test()
    except (OSError, ValueError):
        return False


def _folder_runs(
    folder: Path, above: tuple[Path, ...] = (), closed: list[ClassifiedFile] | None = None
) -> list[RunPlan]:
    """The runs of a folder, else those below it; `closed` is told of what could not be read on the way."""
    foreign = folder_runs(folder)
    if foreign:
        return foreign
    times = folder_times(folder)
    files = _look(folder)
    watched = WatchedFolder(folder, times, files_with_rows(files))
    rollout_groups = groups(files)
    if rollout_groups:
        files += [item for item in map(classify, _artifacts(folder)) if item.role != "rollouts"]
        plans = [
            plan
            for rollouts in rollout_groups.values()
            for plan in plan_runs(rollouts, files, sole=len(rollout_groups) == 1)
        ]
        plans[0].flaws.extend(_other_programs(files))
        return [replace(plan, watched=watched) for plan in plans]
    foreign = file_runs(files)
    if foreign:
        return [replace(plan, watched=watched) for plan in foreign]
    folders = (*above, real_path(folder))
    deeper: list[RunPlan] = []
    closed = [] if closed is None else closed
    for inner in _subfolders(folder):
        if real_path(inner) not in folders:  # a link back up would never end
            deeper.extend(_try_folder(inner, folders, closed))
    if deeper:
        if not above:
            deeper[0].listed.extend(closed)
        return deeper
    listing = _what_was_there([*files, *closed] or _below(folder))
    closed.extend(item for item in map(with_damage, files) if item.kind in _NOT_FETCHED)
    raise _NothingHere(f"{folder}: no rollouts in this folder{listing}.", _WANTED)


def _below(folder: Path) -> list[ClassifiedFile]:
    """The files one folder deeper: what a folder of folders holds."""
    return [item for inner in _subfolders(folder) if os.access(inner, os.R_OK | os.X_OK) for item in _look(inner)]


def _other_programs(files: Sequence[ClassifiedFile]) -> list[Flaw]:
    """Files of other programs that stand beside rollouts of NeMo Gym: those alone are the runs of a folder."""
    foreign = [item for item in files if item.program]
    if not foreign:
        return []
    names = ", ".join(sorted({item.program for item in foreign}))
    words = "1 file" if len(foreign) == 1 else f"{len(foreign)} files"
    text = f"{words} of another program ({names}) beside the rollouts: not read; give the path of each to read it"
    return [Flaw("other-program", text, str(foreign[0].path))]


_NOT_FETCHED = {"unreadable", "placeholder"}


class _NothingHere(NoRuns):
    """A folder without runs, beside others that have some: nothing that anybody must be told."""


_WANTED = (
    "Wanted: a .jsonl file whose rows have `reward` (or `score`) and `response`, as `gym eval run --output` writes it, "
    "or a format of `blade list formats`; for other rows `blade map FILE` suggests a field map."
)


def _try_folder(folder: Path, above: tuple[Path, ...], closed: list[ClassifiedFile]) -> list[RunPlan]:
    try:
        return _folder_runs(folder, above, closed)
    except _NothingHere:
        return []
    except (NoRuns, NotFound) as error:
        closed.append(
            ClassifiedFile(folder, "unreadable", "listed", Head(folder, 0, "unreadable", problem=error.message))
        )
        return []


def _subfolders(folder: Path) -> list[Path]:
    try:
        return sorted(inner for inner in folder.iterdir() if inner.is_dir() and not inner.name.startswith((".", "__")))
    except OSError:
        return []


def _look(folder: Path) -> list[ClassifiedFile]:
    try:
        files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    except OSError as error:
        raise NotFound(
            f"{folder}: this folder cannot be listed ({error.strerror}).", "Check its permissions."
        ) from None
    if any(file.name == "analysis.json" for file in files):
        files = [file for file in files if file.name not in OWN_OUTPUT]
    return [classify(file) for file in files]


def _file_runs(path: Path) -> list[RunPlan]:
    file = classify(path)
    foreign = file_runs([file])
    if foreign:
        return foreign
    if file.role != "rollouts":
        hint = _WANTED if file.kind != "gym_inputs" else f"{_WANTED} Inputs are found beside their rollouts by name."
        raise NoRuns(f"{path}: no rollouts in this file; it is {describe(file)}.", hint)
    return [plan_run([file], map(classify, _neighbours([path])), sole=False)]


def _artifacts(folder: Path) -> list[Path]:
    """A package keeps what goes with its runs in `artifacts/`, beside `rollouts/`."""
    if folder.name != "rollouts":
        return []
    try:
        return sorted(file for file in (folder.parent / "artifacts").iterdir() if file.is_file())
    except OSError:
        return []


def _neighbours(rollouts: Sequence[Path]) -> list[Path]:
    neighbours: set[Path] = set()
    for path in rollouts:
        neighbours.update(file for file in _artifacts(path.parent) if may_be_sidecar(file, path))
        try:
            neighbours.update(file for file in path.parent.iterdir() if may_be_sidecar(file, path))
        except OSError:  # a folder that lets its files be read but not listed
            continue
    return sorted(neighbours.difference(rollouts))


def _glob_runs(pattern: str) -> list[RunPlan]:
    try:
        matched = matches(pattern) if is_url(pattern) else sorted(map(Path, glob.glob(pattern, recursive=True)))  # noqa: PTH207 - the pattern may be absolute
    except (OSError, ValueError, re.error):
        matched = []
    files = [classify(match) for match in matched if match.is_file()]
    if not matched:
        raise NotFound(f"{_short(pattern)}: there is nothing at this path.", _GIVE)
    if not files and not any(match.is_dir() for match in matched):
        raise NotFound(f"{_short(pattern)}: this is a link that leads nowhere.", _GIVE)
    if not files:
        raise NoRuns(
            f"{pattern}: this matches folders only.", "A quoted glob names the files of one run; give folders bare."
        )
    rollouts = [item for item in files if item.role == "rollouts"]
    foreign = [] if rollouts else file_runs(files)
    if foreign:
        return foreign
    if not rollouts:
        raise NoRuns(
            f"{pattern}: no rollouts among the {len(files)} files this matches{_what_was_there(files)}.", _WANTED
        )
    return plan_runs(rollouts, [classify(file) for file in _neighbours([item.path for item in rollouts])], sole=False)


_GIVE = "Give a rollout file, a folder that holds one, or a quoted glob."


def _short(argument: str) -> str:
    return argument if len(argument) <= 200 else f"{argument[:200]}…"


def _what_was_there(files: list[ClassifiedFile]) -> str:
    if not files:
        return " (it is empty)"
    examples = "; ".join(f"{item.path.name} is {describe(item)}" for item in files[:3])
    remainder = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return f" ({examples}{remainder})"


def _refuse_clashes(plans: list[RunPlan]) -> None:
    plan_of_name: dict[str, RunPlan] = {}
    for plan in plans:
        first_plan = plan_of_name.setdefault(plan.name, plan)
        if first_plan is not plan:
            raise NameClash(
                f"Two runs are named '{plan.name}': {first_plan.rollouts[0].path} and {plan.rollouts[0].path}.",
                "Name them apart with NAME=PATH.",
            )
