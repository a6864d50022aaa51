"""Translated runs as files of rollout rows, where the user wants them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from blade.engine.discover import discover
from blade.errors import InputError


def convert(paths: Sequence[str | Path], output: Path, field_map: Path | None = None) -> Iterator[tuple[Path, int]]:
    """Write `<run>_rollouts.jsonl` for every run that stands in another program's files; says each with its rows."""
    plans = discover(paths, field_map)
    for plan in plans:
        if plan.translated is None:
            raise InputError(
                f"{plan.rollouts[0].path}: these are rollouts already.", "Give files of another format only."
            )
    output.mkdir(parents=True, exist_ok=True)
    for plan in plans:
        assert plan.translated is not None  # noqa: S101 - looked at above
        file = output / f"{file_name(plan.name)}_rollouts.jsonl"
        if file.exists():
            raise InputError(f"{file}: there is a file already.", "Give another folder with -o.")
        with plan.translated.path.open("rb") as source, file.open("wb") as target:
            shutil.copyfileobj(source, target)
        yield file, plan.translated.rows


def file_name(run: str) -> str:
    """A run's name as the name of a file."""
    return re.sub(r"[^\w.@=+-]+", "_", run).strip("._") or "run"
