"""What the owner of a run says about it: a config, notes, and a benchmark.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from blade.errors import ConfigError, NotFound
from blade.model import Flaw

BENCHMARK_KEYS = {
    "name",
    "pass_threshold",
    "reward_field",
    "slices",
    "stages",
    "mutating_tools",
    "reference_actions",
    "private_names",
    "private_fields",
}
LONGEST_NOTES = 20_000


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The contents of a benchmark.toml, checked."""

    path: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


def load_config(path: Path) -> Mapping[str, Any]:
    """A YAML, TOML or JSON mapping."""
    text = read_text(path)
    try:
        value = tomllib.loads(text) if path.suffix == ".toml" else yaml.safe_load(text)
    except (yaml.YAMLError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(
            f"{path}: not a config that can be read ({_first_line(error)}).", "Wanted: YAML, TOML or JSON."
        ) from None
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{path}: the config is {type(value).__name__}, not a mapping.", "Wanted: keys with values.")
    return {str(key): inner for key, inner in value.items()}


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        raise NotFound(f"{path}: there is nothing at this path.", "Give the path of an existing file.") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).", "Check its permissions.") from None


def load_notes(path: Path) -> str:
    return read_text(path).strip()[:LONGEST_NOTES]


def find_benchmark(folders: list[Path]) -> Path | None:
    """The nearest benchmark.toml: beside the run, or one folder up (a package keeps its runs in rollouts/)."""
    for folder in folders:
        for place in (folder, folder.parent):
            path = place / "benchmark.toml"
            if path.is_file():
                return path
    return None


def load_benchmark(path: Path | None) -> tuple[Benchmark, list[Flaw]]:
    """A benchmark.toml with its keys checked; what is not understood is said, not dropped."""
    if path is None:
        return Benchmark(), []
    try:
        values = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML ({_first_line(error)}).", "Mend the file or move it away.") from None
    flaws = [
        Flaw("unknown-setting", f"the key '{key}' is not one that BLADE knows; it was left aside", str(path))
        for key in sorted(set(values) - BENCHMARK_KEYS)
    ]
    threshold = values.get("pass_threshold")
    if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, (int, float))):
        raise ConfigError(f"{path}: pass_threshold is {threshold!r}.", "Wanted: a number.")
    return Benchmark(path, values), flaws


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
