"""Runs in which attempts did not happen, were cut or were not judged, in vocabularies that share no content word."""

from __future__ import annotations

import json
import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.attempt_scenes import scenes as scene_modules
from benchmarks.attempt_scenes import vocabularies as vocabulary_modules
from benchmarks.attempt_scenes.stage_set import StageSet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from benchmarks.attempt_scenes.vocabulary import Vocabulary

    from blade.simulate.simulated_row import Json

__all__ = ["HELD_OUT", "AttemptScene", "make_scene", "scenes", "vocabularies"]

HELD_OUT = "werkstatt"
"""The vocabulary that is played on odd seeds only: nothing is developed on it."""


@dataclass(frozen=True, slots=True)
class AttemptScene:
    """One run and what is known of its rows."""

    name: str
    vocabulary: str
    seed: int
    expected: str
    """What the engine should say of the planted rows."""
    rows: tuple[Json, ...]
    planted: tuple[bool, ...]
    calls: tuple[int, ...]
    """Calls that each row makes, where they are written as text."""

    def write(self, folder: Path) -> Path:
        """The rollouts file of the run."""
        path = folder / f"{self.name}-{self.vocabulary}-{self.seed}.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows), encoding="utf-8")
        return path


@cache
def scenes() -> Mapping[str, ModuleType]:
    """Every scene by the name of its file."""
    return _modules(scene_modules)


@cache
def vocabularies() -> Mapping[str, Vocabulary]:
    """Every vocabulary by the name of its file."""
    return {name: module.VOCABULARY for name, module in _modules(vocabulary_modules).items()}


def make_scene(scene: str, vocabulary: str, seed: int) -> AttemptScene:
    """One scene in the words of one vocabulary. An even seed cannot have the vocabulary that is kept back."""
    if vocabulary == HELD_OUT and seed % 2 == 0:
        raise ValueError(f"{vocabulary} is kept for odd seeds, and {seed} is even")
    stage = StageSet(scene, vocabularies()[vocabulary], seed)
    played = list(scenes()[scene].play(stage))
    return AttemptScene(
        name=scene,
        vocabulary=vocabulary,
        seed=seed,
        expected=scenes()[scene].EXPECTED,
        rows=tuple(map(stage.row, played)),
        planted=tuple(attempt.planted for attempt in played),
        calls=tuple(attempt.calls for attempt in played),
    )


def _modules(package: ModuleType) -> dict[str, ModuleType]:
    modules = pkgutil.iter_modules(package.__path__)
    return {module.name: import_module(f"{package.__name__}.{module.name}") for module in modules}
