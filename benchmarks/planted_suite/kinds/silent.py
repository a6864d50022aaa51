"""Kinds that must stay silent: the null, and decoys that change something without changing what is worth knowing."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.planted_suite.evidence_level import Level
from benchmarks.planted_suite.planter import Knowable, Plan, PlantKind, PlantSetting

from blade.simulate.causes import cause
from blade.simulate.error_texts import OUTAGES

__all__ = ["KINDS"]

QUIET: Mapping[Level, Knowable] = {"E2": "nothing", "E1": "nothing"}
EVERY = ("field_notes", "patch_bench", "front_desk")


def _both_outages(setting: PlantSetting) -> Plan:
    kind, message = setting.rng.choice(OUTAGES)
    start, length = setting.rng.uniform(0.05, 0.6), setting.rng.uniform(0.03, 0.12)
    outage = cause("outage", start=start, length=length, kind=kind, message=message)
    return Plan((outage,), (outage,))


def _noise_slices(_: PlantSetting) -> Plan:
    tags = cause("extra_slices")
    return Plan((tags,), (tags,))


KINDS = (
    PlantKind("null", 0, "null", lambda _: Plan(), QUIET, benchmarks=EVERY),
    PlantKind("longer_outputs", None, "decoy", lambda _: Plan((cause("longer_outputs"),)), QUIET, benchmarks=EVERY),
    PlantKind("renamed_levels", None, "decoy", lambda _: Plan((cause("renamed_levels"),)), QUIET, benchmarks=EVERY),
    PlantKind("same_infrastructure", None, "decoy", _both_outages, QUIET, benchmarks=EVERY),
    PlantKind("shuffled_rows", None, "decoy", lambda _: Plan((cause("shuffled_rows"),)), QUIET, benchmarks=EVERY),
    PlantKind("relabelled_class", None, "decoy", lambda _: Plan((cause("relabelled_failures"),)), QUIET),
    PlantKind("noise_sized_slice", None, "decoy", _noise_slices, QUIET),
)
