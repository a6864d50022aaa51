"""From the paths a user gives to the runs they hold, each with its sidecars."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from blade.engine.classify import ClassifiedFile, classify, describe
from blade.engine.foreign_runs import file_runs, folder_runs, mapped_runs, original, with_damage
from blade.engine.names import name_all
from blade.engine.plan import RunPlan, groups, may_be_sidecar, plan_run, plan_runs
from blade.errors import InputError, NameClash, NoRuns, NotFound
from blade.extract.text import clean
from blade.model import Flaw
from blade.remote_paths import is_remote, is_url, matches, place
from blade.sniff import Head, documents_kept

_MOMENT = re.compile(r"[\dTZ_:.+-]+")
OWN_OUTPUT = {"analysis.json", "facts.parquet", "findings.parquet", "features.parquet", "report.md", "report.html"}


def discover(paths: Sequence[str | Path], field_map: Path | None = None) -> list[RunPlan]:
    """The runs behind `paths`: files, folders, globs, or NAME=PATH of one of these.

    With a field map they are rows of another shape, read as it says.
    """
    with documents_kept():
        plans = _all_plans(paths, field_map)
    names = _auto_names(plans)
    for plan, auto in zip(plans, names, strict=True):
        plan.name = clean(_full_name(plan, auto) if plan.named else auto)
    _refuse_clashes(plans)
    return plans


def _all_plans(paths: Sequence[str | Path], field_map: Path | None) -> list[RunPlan]:
    plans: list[RunPlan] = []
    for given in paths:
        name, there = _split_name(str(given))
        found = mapped_runs(_matched(there), field_map) if field_map is not None else _runs_at(there)
        if name is not None:
            found = _named(name, found)
        elif len(found) == 1 and _is_moment(found[0]) and _is(Path(there).is_dir):
            found[0].named_after = Path(there) / "rollouts.jsonl"
        plans.extend(found)
    return plans


def _split_name(given: str) -> tuple[str | None, str]:
    name, sign, there = given.partition("=")
    if sign and name and there and "/" not in name and not _is(Path(given).exists):
        return name, there
    return None, given


def _named(name: str, found: list[RunPlan]) -> list[RunPlan]:
    if len(found) > 1:
        parts = len({original(plan.rollouts[0].path) for plan in found if _is_part(plan) or not plan.named}) == 1
        for plan, tail in zip(found, _auto_names(found), strict=True):
            of_one = parts and (_is_part(plan) or not plan.named)
            whole = _full_name(plan, tail) if plan.named else tail
            plan.name, plan.named = f"{name}{plan.name}" if of_one else f"{name}/{whole}", True
    else:
        found[0].name, found[0].named = name, True
    return found


def _is_moment(plan: RunPlan) -> bool:
    """Whether a run of another program stands in a folder that is called by a date or a number: that tells nobody."""
    return plan.translated is not None and _MOMENT.fullmatch(plan.translated.path.original.name) is not None


def _auto_names(plans: Sequence[RunPlan]) -> list[str]:
    """A name after the path for each run; the runs of another program in one file share it."""
    places = [plan.named_after or original(plan.rollouts[0].path) for plan in plans]
    each = list(dict.fromkeys(places))
    shared = dict(zip(each, name_all(each), strict=True))
    numbered = name_all(places)
    return [
        shared[place] if _is_part(plan) else _title(plan, plans, numbered) or auto
        for place, plan, auto in zip(places, plans, numbered, strict=True)
    ]


def _title(plan: RunPlan, plans: Sequence[RunPlan], names: Sequence[str]) -> str:
    """The shortest title of a run that no other one bears; nothing where there is none."""
    others = {title for other in plans if other is not plan for title in other.titles}
    return next((title for title in plan.titles if title not in others and title not in names), "")


def _is_part(plan: RunPlan) -> bool:
    return plan.named and plan.name.startswith("@")


def _full_name(plan: RunPlan, auto: str) -> str:
    """`@part` stands behind the name after the path."""
    return auto + plan.name if _is_part(plan) else plan.name


def _runs_at(given: str) -> list[RunPlan]:
    path = place(given)
    if is_remote(path):
        _reach(path, given)
    if _is(path.is_dir):
        return _folder_runs(path)
    if _is(path.exists):
        return _file_runs(path)
    return _glob_runs(given)


def _matched(given: str) -> list[Path]:
    """The local files and folders that a path or a glob names."""
    path = Path(given)
    found = [path] if _is(path.exists) else sorted(map(Path, glob.glob(given, recursive=True)))  # noqa: PTH207 - as below
    if not found:
        raise NotFound(f"{_short(given)}: there is nothing at this path.", _GIVE)
    return found


def _reach(path: Path, given: str) -> None:
    """Ask another machine for the first time: whatever its driver raises is told in its words."""
    try:
        path.exists()
    except Exception as error:  # noqa: BLE001 - drivers raise what they like
        reason = str(error).strip().split("\n", 1)[0] or type(error).__name__
        raise InputError(f"{given}: cannot be reached ({reason}).", "Check the address and the credentials.") from None


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
    seen = _look(folder)
    found = groups(seen)
    if found:
        seen += [item for item in map(classify, _artifacts(folder)) if item.role != "rollouts"]
        plans = [plan for rollouts in found.values() for plan in plan_runs(rollouts, seen, sole=len(found) == 1)]
        plans[0].flaws.extend(_other_programs(seen))
        return plans
    foreign = file_runs(seen)
    if foreign:
        return foreign
    here = (*above, folder.resolve())
    deeper: list[RunPlan] = []
    closed = [] if closed is None else closed
    for inner in _subfolders(folder):
        if inner.resolve() not in here:  # a link back up would never end
            deeper.extend(_try_folder(inner, here, closed))
    if deeper:
        if not above:
            deeper[0].listed.extend(closed)
        return deeper
    told = _what_was_there([*seen, *closed])
    closed.extend(item for item in map(with_damage, seen) if item.kind in _NOT_FETCHED)
    raise _NothingHere(f"{folder}: no rollouts in this folder{told}.", _WANTED)


def _other_programs(seen: Sequence[ClassifiedFile]) -> list[Flaw]:
    """Files of other programs that stand beside rollouts of NeMo Gym: those alone are the runs of a folder."""
    others = [item for item in seen if item.program]
    if not others:
        return []
    names = ", ".join(sorted({item.program for item in others}))
    words = "1 file" if len(others) == 1 else f"{len(others)} files"
    text = f"{words} of another program ({names}) beside the rollouts: not read; give the path of each to read it"
    return [Flaw("other-program", text, str(others[0].path))]


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
    seen = classify(path)
    foreign = file_runs([seen])
    if foreign:
        return foreign
    if seen.role != "rollouts":
        hint = _WANTED if seen.kind != "gym_inputs" else f"{_WANTED} Inputs are found beside their rollouts by name."
        raise NoRuns(f"{path}: no rollouts in this file; it is {describe(seen)}.", hint)
    return [plan_run([seen], map(classify, _beside([path])), sole=False)]


def _artifacts(folder: Path) -> list[Path]:
    """A package keeps what goes with its runs in `artifacts/`, beside `rollouts/`."""
    if folder.name != "rollouts":
        return []
    try:
        return sorted(file for file in (folder.parent / "artifacts").iterdir() if file.is_file())
    except OSError:
        return []


def _beside(rollouts: Sequence[Path]) -> list[Path]:
    found: set[Path] = set()
    for path in rollouts:
        found.update(file for file in _artifacts(path.parent) if may_be_sidecar(file, path))
        try:
            found.update(file for file in path.parent.iterdir() if may_be_sidecar(file, path))
        except OSError:  # a folder that lets its files be read but not listed
            continue
    return sorted(found.difference(rollouts))


def _glob_runs(given: str) -> list[RunPlan]:
    try:
        found = matches(given) if is_url(given) else sorted(map(Path, glob.glob(given, recursive=True)))  # noqa: PTH207 - the pattern may be absolute
    except (OSError, ValueError, re.error):
        found = []
    seen = [classify(match) for match in found if match.is_file()]
    if not found:
        raise NotFound(f"{_short(given)}: there is nothing at this path.", _GIVE)
    if not seen:
        raise NoRuns(
            f"{given}: this matches folders only.", "A quoted glob names the files of one run; give folders bare."
        )
    rollouts = [item for item in seen if item.role == "rollouts"]
    foreign = [] if rollouts else file_runs(seen)
    if foreign:
        return foreign
    if not rollouts:
        raise NoRuns(f"{given}: no rollouts among the {len(seen)} files this matches{_what_was_there(seen)}.", _WANTED)
    return plan_runs(rollouts, [classify(file) for file in _beside([item.path for item in rollouts])], sole=False)


_GIVE = "Give a rollout file, a folder that holds one, or a quoted glob."


def _short(given: str) -> str:
    return given if len(given) <= 200 else f"{given[:200]}…"


def _what_was_there(seen: list[ClassifiedFile]) -> str:
    if not seen:
        return " (it is empty)"
    shown = "; ".join(f"{item.path.name} is {describe(item)}" for item in seen[:3])
    more = f" and {len(seen) - 3} more" if len(seen) > 3 else ""
    return f" ({shown}{more})"


def _refuse_clashes(plans: list[RunPlan]) -> None:
    seen: dict[str, RunPlan] = {}
    for plan in plans:
        other = seen.setdefault(plan.name, plan)
        if other is not plan:
            raise NameClash(
                f"Two runs are named '{plan.name}': {other.rollouts[0].path} and {plan.rollouts[0].path}.",
                "Name them apart with NAME=PATH.",
            )
