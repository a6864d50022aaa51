"""Attempts at tasks, with what rules of the tests' own noticed in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from tests.diagnosis.made_cases import case, run_of, seen

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.modes import find_modes
from blade.findings import Label, Mode, Sighting
from blade.registry import plugins

RULES: dict[str, dict[str, Any]] = {
    "zz_cut_bracket": {"FAMILY": "verifier", "KIND": "verifier", "EXPLAINS": 71, "SUPPORTS": {"TI": 3.0}},
    "zz_bad_key": {"FAMILY": "data", "KIND": "data", "EXPLAINS": 73, "SUPPORTS": {"DA": 2.0}},
    "zz_no_service": {"FAMILY": "infrastructure", "KIND": "infrastructure", "EXPLAINS": 95, "SUPPORTS": {"IR": 2.5}},
    "zz_tool_fails": {"FAMILY": "tool", "EXPLAINS": 20, "SUPPORTS": {"BI": 0.4, "IR": 0.4}},
    "zz_made_up_id": {"FAMILY": "tool", "EXPLAINS": 60, "SUPPORTS": {"BI": 1.4}},
    "zz_by_hand": {"FAMILY": "behaviour", "EXPLAINS": 61, "SUPPORTS": {"BI": 1.3}, "RELIABILITY": 0.6},
    "zz_no_retest": {"FAMILY": "behaviour", "EXPLAINS": 62, "SUPPORTS": {"BI": 1.3}, "RELIABILITY": 0.8},
    "zz_syntax": {
        "ID": "P11",
        "FAMILY": "pipeline",
        "KIND": "knowledge",
        "EXPLAINS": 63,
        "SUPPORTS": {"KG": 0.8, "BI": 0.3},
    },
    "zz_wrong": {"FAMILY": "knowledge", "KIND": "knowledge", "EXPLAINS": 9, "SUPPORTS": {"KG": 0.5, "UK": 0.5}},
    "zz_format": {"FAMILY": "behaviour", "KIND": "format", "EXPLAINS": 70, "SUPPORTS": {"BI": 1.2}, "RECOVERS": True},
}


@contextmanager
def rules() -> Iterator[None]:
    """Rules of the tests' own among the detectors, so that no real rule's weights matter here."""
    real = plugins("detectors")
    try:
        for name, given in RULES.items():
            kept = {"ID": "", "KIND": "behaviour", "RELIABILITY": 1.0, "TITLE": name.replace("_", " "), **given}
            real[name] = SimpleNamespace(**kept)  # type: ignore[assignment]
        yield
    finally:
        for name in RULES:
            del real[name]


def saw(*names: str, value: str = "") -> dict[str, Sighting]:
    return {name: seen(value=value) for name in names}


def attempt(
    place: int, passed: bool, noticed: Mapping[str, Sighting] | None = None, *, task: str = "t", **more: Any
) -> Case:
    return case(task, place, float(passed), fired=dict(noticed or {}), **{"items": 3, **more})


def a_run(*cases: Case, name: str = "a") -> RunCases:
    for made in cases:
        made.run = name
    return run_of(*cases, name=name)


def moded(*runs: RunCases) -> tuple[Mode, ...]:
    return find_modes(runs)


def only(labels: tuple[Label, ...], task: str = "t", run: str = "a") -> Label:
    (found,) = (label for label in labels if label.task == task and label.run == run)
    return found
