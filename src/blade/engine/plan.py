"""What belongs to one run: its rollout files, the sidecars named after them, and what stands beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from blade.engine.classify import ClassifiedFile
from blade.engine.names import says_nothing, shard_base
from blade.engine.origin import runs_of
from blade.engine.watched_folders import WatchedFolder
from blade.files.sniff import stem
from blade.model import Flaw
from blade.registry import plugins
from blade.translate.spool import Spooled

SIDECARS = ("inputs", "failures", "aggregate", "agent_metrics", "profile")
OWNER_WORDS = {
    "settings": ("_config", "-config"),
    "notes": ("_notes", "-notes"),
    "annotations": ("_annotations", "-annotations"),
}
OF_THE_FOLDER = {"run", "resolved"}


@dataclass(slots=True)
class RunPlan:
    """The files of one run, before anything of them is read."""

    name: str
    rollouts: list[ClassifiedFile]
    sidecars: dict[str, list[ClassifiedFile]] = field(default_factory=dict)
    listed: list[ClassifiedFile] = field(default_factory=list)
    named: bool = False
    flaws: list[Flaw] = field(default_factory=list)
    named_after: Path | None = None
    """A file in the folder that was given, where that holds this run alone."""
    titles: tuple[str, ...] = ()
    """Better names than its file's, the shortest first."""
    translated: Spooled | None = None
    """Where the run is another program's: what was translated of it."""
    watched: WatchedFolder | None = None
    """The folder that it was found in, as it was then."""

    def of(self, role: str) -> list[ClassifiedFile]:
        """The files of a role, in order."""
        return self.rollouts if role == "rollouts" else self.sidecars.get(role, [])


def groups(files: Iterable[ClassifiedFile]) -> dict[str, list[ClassifiedFile]]:
    """Rollout files by the stem they share: shards are one run."""
    by_stem: dict[str, list[ClassifiedFile]] = {}
    for item in files:
        if item.role == "rollouts":
            by_stem.setdefault(shard_base(stem(item.path)), []).append(item)
    return by_stem


def plan_runs(rollouts: Sequence[ClassifiedFile], neighbours: Sequence[ClassifiedFile], *, sole: bool) -> list[RunPlan]:
    """One run, or one for each model, agent or configuration that the files name, called by that."""
    parts = runs_of({item.path: item.origin for item in rollouts})
    if len(parts) < 2:
        return [plan_run(rollouts, neighbours, sole=sole)]
    bases = {shard_base(stem(item.path)) for item in rollouts}
    shared = bases.pop() if len(bases) == 1 else ""
    front = f"{shared}@" if shared and not says_nothing(shared) else ""
    plans = []
    for part_name, paths in parts.items():
        plan = plan_run([item for item in rollouts if item.path in paths], neighbours, sole=False)
        plan.name, plan.named = front + part_name, True
        plans.append(plan)
    listed = ", ".join(plan.name for plan in plans[:3]) + (f" and {len(plans) - 3} more" if len(plans) > 3 else "")
    text = f"{len(rollouts)} files that were given as one run name different models, agents or settings"
    plans[0].flaws.append(Flaw("several-runs", f"{text}; they are {len(plans)} runs: {listed}", str(rollouts[0].path)))
    return plans


def plan_run(rollouts: Sequence[ClassifiedFile], neighbours: Iterable[ClassifiedFile], *, sole: bool) -> RunPlan:
    """Sidecars by stem; where a folder holds one run only, its unclaimed sidecars are that run's."""
    plan = RunPlan("", list(rollouts))
    _set_shards_aside(plan)
    stems = {stem(item.path) for item in plan.rollouts}
    if len(stems) > 1:
        stems |= {shard_base(name) for name in stems}
    for item in neighbours:
        if item.role == "rollouts":
            continue
        if _belongs(item, stems, sole=sole):
            plan.sidecars.setdefault(item.role, []).append(item)
        else:
            plan.listed.append(item)
    _prefer_own_inputs(plan, stems)
    return plan


def _set_shards_aside(plan: RunPlan) -> None:
    """A file beside the shards that it is named after was merged from them: its rows are theirs."""
    merged = [item for item in plan.rollouts if shard_base(stem(item.path)) == stem(item.path)]
    shards = [item for item in plan.rollouts if item not in merged]
    if len(merged) != 1 or not shards or any(item.path.parent != merged[0].path.parent for item in shards):
        return
    if any(shard_base(stem(item.path)) != stem(merged[0].path) for item in shards):
        return
    plan.rollouts = merged
    plan.listed.extend(shards)
    text = f"{len(shards)} shards stand beside the file merged from them ({merged[0].path.name}); only that one is read"
    plan.flaws.append(Flaw("shards-beside-merged", text, str(shards[0].path)))


def _belongs(item: ClassifiedFile, stems: set[str], *, sole: bool) -> bool:
    own_stem = stem(item.path)
    if item.role in OWNER_WORDS:
        return sole or _speaks_of(own_stem, OWNER_WORDS[item.role], stems)
    if item.role not in SIDECARS:
        return False
    base = own_stem.removesuffix(_suffixes().get(item.role, "\0"))
    if base in stems:
        return True
    if item.role != "inputs":
        return sole
    originals = {name.removeprefix("unsafe_") for name in stems}
    return base != own_stem and (sole or base in originals)


def _speaks_of(name: str, ends: tuple[str, ...], stems: set[str]) -> bool:
    """`config` speaks of every run in its folder, `a_config` of the run `a` only."""
    base = name
    for end in ends:
        base = base.removesuffix(end)
    return (
        base == name
        or base in OF_THE_FOLDER
        or base in stems
        or base in {part.removesuffix("_rollouts") for part in stems}
    )


def _suffixes() -> dict[str, str]:
    return {reader.ROLE: reader.SUFFIX for reader in plugins("readers").values() if hasattr(reader, "SUFFIX")}


def _prefer_own_inputs(plan: RunPlan, stems: set[str]) -> None:
    """A re-verified file may have inputs of its own beside those of the run it came from: its own count."""
    inputs = plan.sidecars.get("inputs", [])
    own_inputs = [item for item in inputs if stem(item.path).removesuffix("_materialized_inputs") in stems]
    if own_inputs and len(own_inputs) < len(inputs):
        plan.sidecars["inputs"] = own_inputs
        plan.listed.extend(item for item in inputs if item not in own_inputs)


def may_be_sidecar(file: Path, rollouts: Path) -> bool:
    """By its name only, so that a large folder need not be looked into file by file."""
    if not file.is_file() or file == rollouts:
        return False
    own_stem = stem(rollouts).removeprefix("unsafe_")
    name = stem(file).removeprefix("unsafe_")
    words = {own_stem, shard_base(own_stem)}
    return any(name.startswith((f"{word}_", f"{word}-")) for word in words) or file.name.lower().startswith(
        ("notes", "annotations.", "config.", "run_config.", "resolved_config.", "benchmark.toml")
    )
