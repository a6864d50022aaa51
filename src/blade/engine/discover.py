"""From the paths a user gives to the runs they hold, each with its sidecars."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from blade.engine.classify import Seen, classify, describe
from blade.engine.names import name_all, shard_base
from blade.errors import NameClash, NoRuns, NotFound
from blade.peek import stem
from blade.registry import plugins

OWN_OUTPUT = {"analysis.json", "facts.parquet", "findings.parquet", "report.md", "report.html"}
SIDECARS = ("inputs", "failures", "aggregate", "agent_metrics", "profile")


@dataclass(slots=True)
class RunPlan:
    """The files of one run, before anything of them is read."""

    name: str
    rollouts: list[Seen]
    sidecars: dict[str, list[Seen]] = field(default_factory=dict)
    listed: list[Seen] = field(default_factory=list)
    named: bool = False


def discover(paths: Sequence[str | Path]) -> list[RunPlan]:
    """The runs behind `paths`: files, folders, globs, or NAME=PATH of one of these."""
    plans: list[RunPlan] = []
    for given in paths:
        name, place = _split_name(str(given))
        found = _runs_at(place)
        if name is not None:
            found = _named(name, found)
        plans.extend(found)
    names = name_all([plan.rollouts[0].path for plan in plans])
    for plan, auto in zip(plans, names, strict=True):
        plan.name = plan.name if plan.named else auto
    _refuse_clashes(plans)
    return plans


def _split_name(given: str) -> tuple[str | None, str]:
    name, sign, place = given.partition("=")
    if sign and name and place and "/" not in name and not Path(given).exists():
        return name, place
    return None, given


def _named(name: str, found: list[RunPlan]) -> list[RunPlan]:
    if len(found) > 1:
        tails = name_all([plan.rollouts[0].path for plan in found])
        for plan, tail in zip(found, tails, strict=True):
            plan.name, plan.named = f"{name}/{tail}", True
    else:
        found[0].name, found[0].named = name, True
    return found


def _runs_at(place: str) -> list[RunPlan]:
    path = Path(place)
    if path.is_dir():
        return _folder_runs(path)
    if path.exists():
        return [_file_run(path)]
    matches = sorted(map(Path, glob.glob(place, recursive=True)))  # noqa: PTH207 - the pattern may be absolute
    files = [match for match in matches if match.is_file()]
    if not files:
        raise NotFound(
            f"{place}: there is nothing at this path.",
            "Give a rollout file, a folder that holds one, or a quoted glob.",
        )
    return [_glob_run(place, files)]


def _folder_runs(folder: Path) -> list[RunPlan]:
    seen = _look(folder)
    groups = _by_stem(seen)
    if not groups:
        deeper = [item for inner in _subfolders(folder) for item in _try_folder(inner)]
        if deeper:
            return deeper
        raise NoRuns(f"{folder}: no rollouts in this folder{_what_was_there(seen)}.", _WANTED)
    return [_plan(rollouts, seen, sole=len(groups) == 1) for rollouts in groups.values()]


_WANTED = (
    "Wanted: a .jsonl file whose rows have `reward` (or `score`) and `response`, as `gym eval run --output` writes it."
)


def _try_folder(folder: Path) -> list[RunPlan]:
    try:
        return _folder_runs(folder)
    except NoRuns:
        return []


def _subfolders(folder: Path) -> list[Path]:
    try:
        return sorted(inner for inner in folder.iterdir() if inner.is_dir() and not inner.name.startswith((".", "__")))
    except OSError:
        return []


def _look(folder: Path) -> list[Seen]:
    try:
        files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    except OSError as error:
        raise NotFound(
            f"{folder}: this folder cannot be listed ({error.strerror}).", "Check its permissions."
        ) from None
    if any(file.name == "analysis.json" for file in files):
        files = [file for file in files if file.name not in OWN_OUTPUT]
    return [classify(file) for file in files]


def _by_stem(seen: Iterable[Seen]) -> dict[str, list[Seen]]:
    groups: dict[str, list[Seen]] = {}
    for item in seen:
        if item.role == "rollouts":
            groups.setdefault(shard_base(stem(item.path)), []).append(item)
    return groups


def _file_run(path: Path) -> RunPlan:
    seen = classify(path)
    if seen.role != "rollouts":
        hint = _WANTED if seen.kind != "gym_inputs" else f"{_WANTED} Inputs are found beside their rollouts by name."
        raise NoRuns(f"{path}: no rollouts in this file; it is {describe(seen)}.", hint)
    around = [classify(file) for file in sorted(path.parent.iterdir()) if _may_be_sidecar(file, path)]
    return _plan([seen], around, sole=False)


def _may_be_sidecar(file: Path, rollouts: Path) -> bool:
    if not file.is_file() or file == rollouts:
        return False
    base = stem(rollouts).removeprefix("unsafe_")
    name = file.name.lower()
    return stem(file).removeprefix("unsafe_").startswith(f"{base}_") or name.startswith(
        ("notes", "config.", "benchmark.toml")
    )


def _glob_run(place: str, files: list[Path]) -> RunPlan:
    seen = [classify(file) for file in files]
    rollouts = [item for item in seen if item.role == "rollouts"]
    if not rollouts:
        raise NoRuns(f"{place}: no rollouts among the {len(files)} files this matches{_what_was_there(seen)}.", _WANTED)
    around = {file for item in rollouts for file in item.path.parent.iterdir() if _may_be_sidecar(file, item.path)}
    rest = [classify(file) for file in sorted(around) if file not in {item.path for item in rollouts}]
    return _plan(rollouts, rest, sole=False)


def _plan(rollouts: list[Seen], around: list[Seen], *, sole: bool) -> RunPlan:
    """Sidecars by stem; where a folder holds one run only, its unclaimed sidecars are that run's."""
    plan = RunPlan("", rollouts)
    suffixes = {reader.ROLE: reader.SUFFIX for reader in plugins("readers").values() if hasattr(reader, "SUFFIX")}
    stems = {stem(item.path) for item in rollouts}
    originals = {name.removeprefix("unsafe_") for name in stems}
    for item in around:
        if item.role == "rollouts":
            continue
        base = stem(item.path).removesuffix(suffixes.get(item.role, "\0"))
        if item.role in SIDECARS:
            own = base in stems or (item.role == "inputs" and base in originals and base != stem(item.path))
            if own or (sole and (item.role != "inputs" or base != stem(item.path))):
                plan.sidecars.setdefault(item.role, []).append(item)
                continue
        elif item.role in {"notes", "settings"}:
            plan.sidecars.setdefault(item.role, []).append(item)
            continue
        plan.listed.append(item)
    _prefer_own_inputs(plan, stems)
    return plan


def _prefer_own_inputs(plan: RunPlan, stems: set[str]) -> None:
    """A re-verified file may have inputs of its own beside those of the run it came from: its own count."""
    given = plan.sidecars.get("inputs", [])
    own = [item for item in given if stem(item.path).removesuffix("_materialized_inputs") in stems]
    if own and len(own) < len(given):
        plan.sidecars["inputs"] = own
        plan.listed.extend(item for item in given if item not in own)


def _what_was_there(seen: list[Seen]) -> str:
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
