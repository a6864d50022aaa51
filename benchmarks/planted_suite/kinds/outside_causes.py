"""Kinds where the model is not to blame: the service, the verifier, the judge or the reference answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from benchmarks.planted_suite.evidence_level import Level
from benchmarks.planted_suite.planter import ExpectedCause, Knowable, Plan, PlantKind, PlantSetting, solve

from blade.simulate.cause_context import PlantedCause
from blade.simulate.causes import cause
from blade.simulate.error_texts import OUTAGES

__all__ = ["KINDS"]

TOLD: Mapping[Level, Knowable] = {"E2": "identified", "E1": "identified", "E0": "not_identified"}
UNTOLD: Mapping[Level, Knowable] = {"E2": "not_identified", "E1": "not_identified", "E0": "not_identified"}
PAIRED: Mapping[Level, Knowable] = {"E2": "identified", "E1": "identified", "E0": "identified"}
EVERY = ("field_notes", "patch_bench", "front_desk")


def _outage(setting: PlantSetting, shape: str) -> PlantedCause:
    """A window of the length that costs the dose, with a wording of its own."""
    kind, message = setting.rng.choice(OUTAGES)
    start, share = setting.rng.uniform(0.05, 0.4), setting.rng.uniform(0.6, 1.0)

    def make(length: float, left: str) -> PlantedCause:
        return cause("outage", start=start, length=length, share=share, shape=left, kind=kind, message=message)

    fitted = setting.fit(lambda length: make(length, "in_rows"), 0.005, 0.58)
    return make(asdict(fitted)["length"], shape)


def _outage_in_rows(setting: PlantSetting) -> Plan:
    return Plan((_outage(setting, "in_rows"),))


def _outage_in_failures(setting: PlantSetting) -> Plan:
    return Plan((_outage(setting, "failures"),))


def _outage_absent(setting: PlantSetting) -> Plan:
    return Plan((_outage(setting, "absent"),))


def _verifier_bug(setting: PlantSetting) -> Plan:
    """One of the categories that hold enough passes, from the start of the run."""
    worth = dict.fromkeys(sorted({task.category for task in setting.tasks}), 0.0)
    for row in setting.clean:
        worth[row.task.category] += row.outlook / len(setting.clean)
    enough = [category for category, passes in worth.items() if passes >= 1.1 * setting.dose]
    category = setting.rng.choice(enough or [max(worth, key=lambda name: worth[name])])
    return Plan((setting.fit(lambda share: cause("verifier_change", category=category, share=share), 0.01, 1.0),))


def _judge_drift(setting: PlantSetting) -> Plan:
    start = setting.rng.uniform(0.1, 0.4)
    return Plan((setting.fit(lambda share: cause("judge_drift", share=share, start=start), 0.01, 1.0),))


def _gold_flipped(setting: PlantSetting) -> Plan:
    return Plan((cause("wrong_gold", share=min(0.6, setting.dose / max(setting.expected, 0.05))),))


def _gain_and_outage(setting: PlantSetting) -> Plan:
    """One category gets better by the dose while an outage takes as much away."""
    skill = setting.scenario.skill
    room = {
        category: setting.mean_chance(1.5, category=category) - setting.mean_chance(skill, category=category)
        for category in sorted({task.category for task in setting.tasks})
    }
    category = max(room, key=lambda name: room[name])
    now = setting.mean_chance(skill, category=category)
    gain = solve(lambda gain: setting.mean_chance(skill + gain, category=category), now + setting.dose, 0.0, 1.5)
    return Plan((cause("slice_regression", category=category, loss=-gain), _outage(setting, "in_rows")))


INFRASTRUCTURE = ExpectedCause("infrastructure")
VERIFIER = ExpectedCause("verifier")
KINDS = (
    PlantKind("outage_in_rows", 5, "row_evidence", _outage_in_rows, TOLD, {"outage": INFRASTRUCTURE}, EVERY),
    PlantKind(
        "outage_in_failures",
        5,
        "row_evidence",
        _outage_in_failures,
        {"E2": "identified"},
        {"outage": ExpectedCause("infrastructure", None, ("coverage",))},
        EVERY,
        exact=True,
    ),
    PlantKind(
        "outage_absent",
        5,
        "fact",
        _outage_absent,
        {"E2": "identified"},
        {"outage": ExpectedCause("coverage", None, ("infrastructure",))},
        EVERY,
        exact=True,
    ),
    PlantKind(
        "verifier_bug_shared",
        8,
        "row_evidence",
        _verifier_bug,
        PAIRED,
        {"verifier_change": VERIFIER},
        EVERY,
        shared=True,
        exact=True,
    ),
    PlantKind("verifier_bug_fresh", 8, "row_evidence", _verifier_bug, UNTOLD, {"verifier_change": VERIFIER}, EVERY),
    PlantKind(
        "gold_flipped",
        13,
        "gold",
        _gold_flipped,
        TOLD,
        {"wrong_gold": ExpectedCause("verifier", "gold")},
        ("field_notes",),
    ),
    PlantKind(
        "judge_drift_shared",
        17,
        "row_evidence",
        _judge_drift,
        PAIRED,
        {"judge_drift": VERIFIER},
        shared=True,
        exact=True,
    ),
    PlantKind("judge_drift_fresh", 17, "row_evidence", _judge_drift, UNTOLD, {"judge_drift": VERIFIER}),
    PlantKind(
        "gain_and_outage",
        18,
        "pair",
        _gain_and_outage,
        {"E2": "identified", "E1": "identified"},
        {"slice_regression": ExpectedCause("behaviour"), "outage": INFRASTRUCTURE},
    ),
)
