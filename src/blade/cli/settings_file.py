"""blade.toml: defaults of options, for every command or for one, found in the working directory or above it."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from blade.errors import ConfigError, as_written

NAME = "blade.toml"
WAY_OUT = f"`blade --settings FILE …` takes another file, {os.devnull} none."
Settings = Mapping[str, Any]
Options = Mapping[str, click.Option]


def find_settings(file: Path | None) -> Path | None:
    """The file given, else the nearest blade.toml from the working directory upward."""
    if file is not None:
        return file
    folder_now = Path.cwd()
    return next((folder / NAME for folder in (folder_now, *folder_now.parents) if (folder / NAME).is_file()), None)


def read_settings(file: Path, commands: Mapping[str, Options]) -> Settings:
    """What the file sets; a name that no command knows is an error with the nearest one."""
    short_path = _short_path(file)
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # bytes, TOML or a number that cannot be read
        raise ConfigError(f"{short_path}: cannot be read ({error}).", f"Wanted: TOML. {WAY_OUT}") from None
    every = {name for options in commands.values() for name in options}
    for name, value in settings.items():
        if isinstance(value, dict):
            _check(f"{short_path}: no command with options is named '{name}'", name, commands)
            for option in value:
                _check(f"{short_path}: `blade {name}` has no option '--{option}'", option, commands[name])
        else:
            _check(f"{short_path}: no command has an option '--{name}'", name, every)
    return settings


def _check(problem: str, name: str, names: Mapping[str, Any] | set[str]) -> None:
    if name not in names:
        near = get_close_matches(name, names, 1)
        raise ConfigError(f"{problem}.", f"Nearest: '{near[0]}'." if near else WAY_OUT)


def defaults_of(file: Path, settings: Settings, command: str, options: Options) -> dict[str, Any]:
    """Option → its value for a command; what stands in the command's own table goes before what holds for all."""
    command_settings = settings.get(command, {})
    common = {name: value for name, value in settings.items() if name in options and not isinstance(value, dict)}
    return {
        name: _value(file, f"[{command}] {name}" if name in command_settings else name, value, options[name])
        for name, value in {**common, **command_settings}.items()
    }


def _value(file: Path, place: str, value: Any, option: click.Option) -> Any:
    """A value of the kind that the option takes; a path is one from the folder of the file."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise ConfigError(f"{_short_path(file)}: {place} is {as_written(value)}; wanted: true or false.")
        return value
    values = value if isinstance(value, list) and option.multiple else [value]
    if not all(isinstance(item, str | int | float) and not isinstance(item, bool) for item in values):
        kind = "a text, a number or a list of them" if option.multiple else "a text or a number"
        raise ConfigError(f"{_short_path(file)}: {place} is {as_written(value)}; wanted: {kind}.")
    if any(isinstance(item, int) and item.bit_length() > 63 for item in values):
        raise ConfigError(f"{_short_path(file)}: {place} is {as_written(value)}; wanted: a smaller number.")
    if any(isinstance(item, float) and not math.isfinite(item) for item in values):
        raise ConfigError(f"{_short_path(file)}: {place} is {as_written(value)}; wanted: a finite number.")
    if isinstance(option.type, click.types.IntParamType) and any(isinstance(item, float) for item in values):
        raise ConfigError(f"{_short_path(file)}: {place} is {as_written(value)}; wanted: a whole number.")
    if isinstance(option.type, click.Path) or (option.metavar or "").endswith("PATH"):
        values = [_from_folder(file.parent, str(item)) for item in values]
    return values if option.multiple else values[0]


def _from_folder(folder: Path, path: str) -> str:
    """The path as it is seen from here; the name of a run before it stays."""
    run, equals, place = path.rpartition("=")
    return f"{run}{equals}{os.path.normpath(Path(os.path.relpath(folder)) / place)}"


def options_of(command: click.Command) -> dict[str, click.Option]:
    """Long name → option, for those that a file can set: a flag that is on or off, or an option that takes a value."""
    return dict(_named_options(command))


def _named_options(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    for param in command.params:
        if isinstance(param, click.Option) and (not param.is_flag or param.is_bool_flag):
            long = next((name for name in param.opts if name.startswith("--")), None)
            if long and param.nargs == 1:
                yield long.removeprefix("--"), param


def _short_path(file: Path) -> str:
    return os.path.relpath(file)
