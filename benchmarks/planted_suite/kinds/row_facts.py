"""Kinds that leave a plain fact in the files: rows or tasks that are missing, doubled, swapped, or on another scale."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.planted_suite.evidence_level import Level
from benchmarks.planted_suite.planter import ExpectedCause, Knowable, Plan, PlantKind, PlantSetting, solve

from blade.simulate.causes import cause

__all__ = ["KINDS"]

FACT: Mapping[Level, Knowable] = {"E2": "identified", "E1": "identified"}


GONE = ExpectedCause("coverage", None, ("composition",))
"""A task that loses its last row is missing as a whole; where nothing lists it, the run seems to hold other tasks."""


def _lost_at_random(setting: PlantSetting) -> Plan:
    """The dose is what the rows would cost if they counted as zeros; left out, they cost next to nothing."""
    share = min(0.30, max(0.05, setting.dose / max(setting.score, 0.05)))
    return Plan((cause("missing_rows", share=share),))


def _lost_by_failure(setting: PlantSetting) -> Plan:
    return Plan(
        (setting.fit(lambda share: cause("missing_rows", share=share, by="failure"), 0.02, 0.55, realised=True),)
    )


def _tasks_missing(setting: PlantSetting) -> Plan:
    return Plan((setting.fit(lambda share: cause("missing_tasks", share=share), 0.01, 0.45, realised=True),))


def _tasks_swapped(setting: PlantSetting) -> Plan:
    """Harder tasks, or easier ones where the dice say so, for a tenth to two fifths of the old ones."""
    share = setting.rng.uniform(max(0.1, min(0.4, 3 * setting.dose)), 0.4)
    sign = setting.rng.choice((-1, 1))
    now = setting.mean_chance(setting.scenario.skill)
    target = now - sign * setting.dose / share
    shift = solve(lambda down: setting.mean_chance(setting.scenario.skill, shift=-down), target, -1.5, 1.5)
    return Plan((cause("swapped_tasks", share=share, harder=-shift),))


def _duplicates(setting: PlantSetting) -> Plan:
    return Plan(
        (setting.fit(lambda share: cause("duplicate_rows", share=share, passes_only=True), 0.02, 1.0, realised=True),)
    )


KINDS = (
    PlantKind(
        "rows_lost_at_random",
        1,
        "fact",
        _lost_at_random,
        FACT,
        {"missing_rows": GONE},
        manifest="only_full",
    ),
    PlantKind(
        "rows_lost_by_failure",
        2,
        "controlled",
        _lost_by_failure,
        {"E2": "bounds", "E1": "bounds"},
        {"missing_rows": GONE},
        exact=True,
        manifest="only_full",
    ),
    PlantKind(
        "tasks_missing",
        3,
        "fact",
        _tasks_missing,
        {"E2": "identified"},
        {"missing_tasks": ExpectedCause("coverage", "task_missing")},
        exact=True,
    ),
    PlantKind(
        "tasks_missing_unlisted",
        3,
        "fact",
        _tasks_missing,
        {"E1": "identified"},
        {"missing_tasks": ExpectedCause("coverage", None, ("composition",))},
        exact=True,
        manifest="only_full",
    ),
    PlantKind(
        "tasks_swapped",
        4,
        "fact",
        _tasks_swapped,
        {"E2": "identified"},
        {"swapped_tasks": ExpectedCause("composition")},
    ),
    PlantKind(
        "tasks_swapped_unlisted",
        4,
        "fact",
        _tasks_swapped,
        {"E1": "identified"},
        {"swapped_tasks": ExpectedCause("composition", None, ("coverage",))},
        manifest="only_full",
    ),
    PlantKind(
        "duplicated_rows",
        14,
        "fact",
        _duplicates,
        FACT,
        {"duplicate_rows": ExpectedCause("duplicate_rows")},
        exact=True,
    ),
    PlantKind(
        "reward_times_100",
        16,
        "fact",
        lambda _: Plan((cause("reward_rescaled", scale=100.0),)),
        FACT,
        {"reward_rescaled": ExpectedCause("reward_rescaled")},
        exact=True,
    ),
    PlantKind(
        "reward_signed",
        16,
        "fact",
        lambda _: Plan((cause("reward_rescaled", scale=2.0, shift=-1.0),)),
        FACT,
        {"reward_rescaled": ExpectedCause("reward_rescaled")},
        exact=True,
    ),
)
