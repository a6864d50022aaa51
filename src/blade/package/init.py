"""Scaffolds a package: folders, rollouts under the names of the seeds, and what goes with a run beside them."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from blade.engine.discover import discover
from blade.engine.names import shard_base
from blade.engine.plan import RunPlan
from blade.engine.settings import find_benchmark, read_text
from blade.errors import UsageError
from blade.files.sniff import COMPRESSED, stem
from blade.frozen import frozen
from blade.output import file_names
from blade.package.layout import PARTS, Layout

SETTINGS = "benchmark.toml"


@frozen
class Made:
    """What was made, what was there before, and which runs it holds."""

    layout: Layout
    runs: tuple[str, ...]
    written: tuple[Path, ...]
    kept: tuple[Path, ...]

    @property
    def next(self) -> tuple[str, ...]:
        """The commands that come next. The skill is never made up here: it is drafted from the data."""
        skill = () if self.layout.skill else (self.layout.draft_skill,)
        return (*skill, self.layout.draft_report(self.runs[0]), f"blade ready {self.layout.folder}")


def safe_name(name: str) -> str:
    """A benchmark's name as the name of one folder."""
    if not name.strip() or name in {".", ".."} or "/" in name or "\0" in name:
        raise UsageError(f"'{name}' cannot be the name of a benchmark's folder.", "Give a plain name, or --dir.")
    return name


def init(folder: Path, paths: Sequence[str]) -> Made:
    """Make or complete a package. Every copy is planned before the first is made, and nothing is overwritten."""
    layout = Layout(folder)
    plans = discover(paths)
    names = file_names([plan.name for plan in plans])
    copies: dict[Path, Path] = {}
    for plan, name in zip(plans, names, strict=True):
        for source, target in (*_rollouts(plan, name, layout), *_sidecars(plan, name, layout)):
            if copies.setdefault(target, source) != source:
                raise UsageError(f"{target}: two files would be copied here.", "Name the runs apart with NAME=PATH.")
    settings = _settings(plans)
    if settings is not None and not (folder / SETTINGS).exists():
        copies.setdefault(folder / SETTINGS, settings)
    existing = [target for target, source in copies.items() if _is_there(source, target)]
    try:
        for part in PARTS:
            (folder / part).mkdir(parents=True, exist_ok=True)
        for target, source in copies.items():
            if target not in existing:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
    except OSError as error:
        place = error.filename or folder
        raise UsageError(f"{place}: cannot be written ({error.strerror or error}).", "Give another --dir.") from None
    new_files = tuple(target for target in copies if target not in existing)
    return Made(layout, tuple(names), new_files, tuple(existing))


def _rollouts(plan: RunPlan, name: str, layout: Layout) -> Iterator[tuple[Path, Path]]:
    """`<run>_rollouts.jsonl`; shards keep their ending, compressed files theirs."""
    for item in plan.rollouts:
        file_stem = stem(item.path)
        base = shard_base(file_stem)
        shard = (
            "" if base == file_stem else file_stem.removeprefix(base) if file_stem.startswith(base) else f"-{file_stem}"
        )
        yield item.path, layout.folder / "rollouts" / f"{name}_rollouts{shard}.jsonl{_compression(item.path)}"


def _sidecars(plan: RunPlan, name: str, layout: Layout) -> Iterator[tuple[Path, Path]]:
    """What goes with the run, named after it so that BLADE finds it again, kept beside and not in `rollouts/`."""
    stems = sorted({stem(item.path) for item in plan.rollouts} | {shard_base(stem(plan.rollouts[0].path))}, key=len)
    for items in plan.sidecars.values():
        for item in items:
            if item.path.name == SETTINGS:
                continue
            file_name = item.path.name
            base = next((text for text in reversed(stems) if file_name.startswith(text)), None)
            suffix = file_name.removeprefix(base) if base else f"_{file_name}"
            yield item.path, layout.artifacts / f"{name}_rollouts{suffix}"


def _settings(plans: Sequence[RunPlan]) -> Path | None:
    """The benchmark.toml that speaks of the runs; one package has one."""
    settings_files = {find_benchmark([item.path.parent for item in plan.rollouts]) for plan in plans} - {None}
    if len({read_text(path) for path in settings_files if path is not None}) > 1:
        places = ", ".join(sorted(str(path) for path in settings_files))
        raise UsageError(f"The runs have different settings: {places}.", "Runs of one benchmark share one.")
    return min((path for path in settings_files if path is not None), default=None)


def _is_there(source: Path, target: Path) -> bool:
    """Whether the copy is there already; another content under that name is never overwritten."""
    if not target.exists():
        return False
    if not target.is_file() or not filecmp.cmp(source, target, shallow=False):
        raise UsageError(
            f"{target}: another file is there already.", "Name the run otherwise with NAME=PATH, or move that file."
        )
    return True


def _compression(path: Path) -> str:
    return next((end for end in COMPRESSED if path.name.endswith(end)), "")
