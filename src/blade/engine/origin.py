"""What the rows of a file name: model, agent, skills, settings. Files that differ in it are files of different runs.

The beginning of a file tells. A name is believed if all rows there that have one agree. Settings part files only where
these show the same tasks: a run may treat its parts differently, but not the same task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import combinations
from pathlib import Path
from typing import Any

import orjson

from blade.errors import InputError
from blade.extract.makers import AGENT_FIELDS, family
from blade.extract.request import request_facts
from blade.extract.text import clean
from blade.frozen import frozen

NAMES = {"model": "@", "agent": "@", "skills": "+"}
"""What rows name, with the mark that stands before it in the name of a run."""


@frozen
class Origin:
    """`names` are model, agent and skills; `settings` are those of the requests; `tasks` are the texts of the tasks."""

    names: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    tasks: frozenset[int] = frozenset()


def origin_of(rows: Iterable[dict[str, Any]]) -> Origin:
    """What the first rows of a file agree on."""
    names: dict[str, set[str]] = {}
    settings: dict[str, set[str]] = {}
    tasks: set[int] = set()
    for row in rows:
        try:
            facts = request_facts(row)
        except Exception:  # noqa: BLE001, S112 - a row that nobody thought of names nothing; the reading says what it is
            continue
        tasks.update(filter(None, (facts["text_hash"],)))
        for name, value in _names(row).items():
            names.setdefault(name, set()).add(value)
        for name, value in orjson.loads(facts.get("sampling") or "{}").items():
            settings.setdefault(clean(name), set()).add(clean(str(value)))
    return Origin(_agreed(names), _agreed(settings), frozenset(tasks))


def _names(row: Mapping[str, Any]) -> dict[str, str]:
    model, agent, skills = (_inner(row, name) for name in ("response.model", "agent_ref.name", "skills_ref.hash"))
    agent = agent or next(filter(None, (_inner(row, name) for name in AGENT_FIELDS)), None)
    names = {"model": family(model) if model else None, "agent": agent, "skills": skills}
    return {name: clean(value) for name, value in names.items() if value}


def _inner(row: Mapping[str, Any], dotted: str) -> str | None:
    value: Any = row
    for key in dotted.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else None


def _agreed(values_by_name: Mapping[str, set[str]]) -> dict[str, str]:
    return {name: next(iter(values)) for name, values in values_by_name.items() if len(values) == 1}


def runs_of(files: Mapping[Path, Origin]) -> dict[str, list[Path]]:
    """The files of each run by what tells it from the others, such as `model-a`; one run has an empty name."""
    by_name = [name for name in NAMES if _tells(name, files)]
    by_setting = _telling_settings(list(files.values()))
    paths_by_run: dict[str, list[Path]] = {}
    for path, origin in files.items():
        run_key = "".join(f"{NAMES[name]}{origin.names[name]}" for name in by_name).lstrip("@+")
        run_key += "".join(f",{name}={origin.settings[name]}" for name in by_setting)
        paths_by_run.setdefault(run_key.lstrip(","), []).append(path)
    return paths_by_run


def _tells(name: str, files: Mapping[Path, Origin]) -> bool:
    """Whether files differ in it. Agents and skills of single rows are told apart later; of models a file has one."""
    names = {origin.names[name] for origin in files.values() if name in origin.names}
    if len(names) < 2:
        return False
    lacking = [path for path, origin in files.items() if name not in origin.names]
    if not lacking:
        return True
    if name != "model":
        return False
    raise InputError(
        f"These {len(files)} files hold several runs: their rows name {_listed(sorted(names))}; "
        f"the first rows of {lacking[0].name} do not name one model, so its run is not known.",
        "Give the files of each run by themselves, as NAME=PATH or NAME='GLOB'.",
    )


def _telling_settings(origins: Sequence[Origin]) -> list[str]:
    """Settings that all files state, and that differ between files with a task in common."""
    common_settings = set.intersection(*(set(origin.settings) for origin in origins)) if origins else set()
    return sorted(
        name
        for name in common_settings
        if any(
            first.settings[name] != second.settings[name] and first.tasks & second.tasks
            for first, second in combinations(origins, 2)
        )
    )


def _listed(names: Sequence[str]) -> str:
    examples = ", ".join(names[:3])
    return f"{examples} and {len(names) - 3} more" if len(names) > 3 else examples
