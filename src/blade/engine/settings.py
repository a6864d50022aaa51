"""What the owner of a run says about it: a config, notes, and a benchmark.toml."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from blade.errors import ConfigError, NotFound, as_written
from blade.files.sniff import not_utf8, wide_encoding
from blade.frozen import frozen
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
    "labels",
    "sanitize_allow",
    "sanitize_keep",
}
LONGEST_NOTES = 20_000
MOST_VALUES = 100_000
LARGEST_NUMBER = 1 << 62


@frozen
class Benchmark:
    """The contents of a benchmark.toml, checked."""

    path: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


def load_config(path: Path) -> Mapping[str, Any]:
    """A YAML, TOML or JSON mapping."""
    import yaml  # noqa: PLC0415 - most runs have no config

    text = read_text(path)
    try:
        value = tomllib.loads(text) if path.suffix == ".toml" else yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date that is none is a ValueError to YAML
        raise ConfigError(
            f"{path}: not a config that can be read ({_first_line(error)}).", "Wanted: YAML, TOML or JSON."
        ) from None
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{path}: the config is {type(value).__name__}, not a mapping.", "Wanted: keys with values.")
    left = [MOST_VALUES]
    try:
        return {_text(key): _plain(inner, left) for key, inner in value.items()}
    except (OverflowError, RecursionError):
        raise ConfigError(
            f"{path}: the config holds more than {MOST_VALUES:,} values, or refers to itself.",
            "Wanted: a plain config.",
        ) from None


def _plain(value: Any, left: list[int]) -> Any:
    """A config's value as plain JSON; anchors that multiply without end are stopped."""
    left[0] -= 1
    if left[0] < 0:
        raise OverflowError
    if isinstance(value, Mapping):
        return {_text(key): _plain(inner, left) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(inner, left) for inner in value]
    small = isinstance(value, int) and abs(value) < LARGEST_NUMBER
    return value if small or isinstance(value, (bool, float)) or value is None else _text(value)


def _text(value: Any) -> str:
    """A text that can be written; a number may have more digits than Python prints."""
    text = hex(value) if isinstance(value, int) and abs(value) > LARGEST_NUMBER else str(value)
    return text.encode("utf-8", errors="replace").decode("utf-8")


def read_text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise NotFound(f"{path}: there is nothing at this path.", "Give the path of an existing file.") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).", "Check its permissions.") from None
    if encoding := wide_encoding(content[:1024]):
        raise ConfigError(f"{path}: {not_utf8(encoding)}.", "Write it in UTF-8.")
    return content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")


def load_notes(path: Path) -> str:
    return read_text(path).strip()[:LONGEST_NOTES]


def find_benchmark(folders: list[Path]) -> Path | None:
    """The nearest benchmark.toml: beside the run, or one folder up (a package keeps its runs in rollouts/)."""
    for folder in folders:
        for place in (folder, folder.parent):
            path = place / "benchmark.toml"
            with suppress(OSError):  # a folder that may not be looked into
                if path.is_file():
                    return path
    return None


def load_benchmark(path: Path | None) -> tuple[Benchmark, list[Flaw]]:
    """A benchmark.toml with its keys checked; what is not understood is said, not dropped."""
    if path is None:
        return Benchmark(), []
    try:
        values = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:  # a number without end is a ValueError to TOML
        raise ConfigError(f"{path}: not TOML ({_first_line(error)}).", "Mend the file or move it away.") from None
    flaws = [
        Flaw("unknown-setting", f"the key '{key}' is not one that BLADE knows; it was left aside", str(path))
        for key in sorted(set(values) - BENCHMARK_KEYS)
    ]
    for key, (fits, requirement) in _CHECKS.items():
        if key in values and not fits(values[key]):
            raise ConfigError(f"{path}: {key} is {as_written(values[key])}.", f"Wanted: {requirement}.")
    return Benchmark(path, values), flaws


def _is_number(value: Any) -> bool:
    small = isinstance(value, int) and abs(value) < LARGEST_NUMBER
    return (small and not isinstance(value, bool)) or (isinstance(value, float) and math.isfinite(value))


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _are_stages(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict)
        and _is_word(item.get("name"))
        and (_is_word(item.get("field")) or _is_word(item.get("tool")))
        for item in value
    )


def _are_tables(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, dict) for item in value.values())


_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "name": (_is_word, "a string"),
    "pass_threshold": (_is_number, "a number"),
    "reward_field": (_is_word, "the name of a field"),
    "slices": (_is_words, "a list of field names"),
    "stages": (_are_stages, "a list of tables, each with a name and a field or a tool"),
    "mutating_tools": (_is_words, "a list of tool names"),
    "reference_actions": (_is_word, "the name of a field"),
    "labels": (_are_tables, "a table per label, with name, meaning and intervention"),
    "private_names": (_is_words, "a list of names"),
    "private_fields": (_is_words, "a list of field names"),
    "sanitize_allow": (_is_words, "a list of regular expressions"),
    "sanitize_keep": (_is_words, "a list of kinds or rules"),
}


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
