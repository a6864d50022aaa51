"""A package with its rollouts read: what every check of the other parts is held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from blade.counting.run import Run
from blade.engine.files import Progress
from blade.errors import BladeError, UsageError
from blade.files.remote_paths import real_path
from blade.frozen import frozen
from blade.options import Options
from blade.package.layout import Layout, same_name
from blade.package.stages import Stages

Value = TypeVar("Value")


@frozen
class Contents:
    """The layout, the runs in it, and why there are none where there are none."""

    layout: Layout
    stages: Stages
    options: Options
    runs: tuple[Run, ...]
    problem: str = ""

    def run_of(self, *names: str | None) -> Run | None:
        """The run that goes by one of these names: its own, its file's or its model's."""
        for name in names:
            for run in self.runs if name else ():
                if any(same_name(candidate, str(name)) for candidate in (run.name, *models(run))):
                    return run
        return None

    def need_run(self, model: str) -> Run:
        run = self.run_of(model)
        if run is None:
            run_names = ", ".join(_called(run) for run in self.runs) or "none"
            raise UsageError(f"{self.layout.folder}: no run of '{model}'.", f"Runs here: {run_names}.")
        return run


def open_contents(layout: Layout, stages: Stages, options: Options | None = None, phase: str = "all") -> Contents:
    """Read the rollouts of a package; what cannot be read is kept as a problem, not raised. D1 needs none of them."""
    settings = options or Options()
    if phase == "skill":
        return Contents(layout, stages, settings, (), "the rollouts were not read")
    files = layout.rollouts
    if not files:
        return Contents(layout, stages, settings, (), "there are no rollouts")
    folder = real_path(layout.folder) / "rollouts"
    paths = [folder] if files[0].parent.name == folder.name else [real_path(file) for file in files]
    try:
        return Contents(layout, stages, settings, tuple(stages.read(*paths, options=settings)))
    except BladeError as error:
        return Contents(layout, stages, settings, (), error.message)


def read_contents(
    layout: Layout, paths: Sequence[str], stages: Stages, options: Options, progress: Progress | None = None
) -> Contents:
    """The runs that a user names for a package; those that lie in it are read by their full path."""
    root = real_path(layout.folder)
    full = []
    for argument in paths:
        name, sign, place = argument.rpartition("=")
        path = real_path(place)
        full.append(f"{name}{sign}{path}" if path.is_relative_to(root) and path.exists() else argument)
    return Contents(layout, stages, options, tuple(stages.read(*full, options=options, progress=progress)))


def models(run: Run) -> list[str]:
    """The names of the models that answered in a run."""
    return sorted(run.facts["model"].drop_nulls().unique().to_list())


def _called(run: Run) -> str:
    model_names = [name for name in models(run) if not same_name(name, run.name)]
    return f"{run.name} ({', '.join(model_names)})" if model_names else run.name


def inside_package(value: Value, folder: Path) -> Value:
    """The same data with the paths of the package told from its own folder: a package is moved about."""
    return cast("Value", _relative(value, f"{real_path(folder)}/"))


def _relative(value: Any, prefix: str) -> Any:
    if isinstance(value, str):
        return value.replace(prefix, "") if prefix in value else value
    if isinstance(value, Path):
        return Path(str(value).removeprefix(prefix))
    if isinstance(value, Mapping):
        return {key: _relative(inner, prefix) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_relative(inner, prefix) for inner in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _relative(getattr(value, field.name), prefix) for field in fields(value)})
    return value
