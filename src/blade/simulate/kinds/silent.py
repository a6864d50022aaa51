"""Kinds that must stay silent: the null, and decoys that change something without changing what is worth knowing."""

from __future__ import annotations

from collections.abc import Mapping

from blade.simulate.causes import cause
from blade.simulate.error_texts import OUTAGES
from blade.simulate.evidence_level import Level
from blade.simulate.planter import Kind, Knowable, Plan, Setting

__all__ = ["KINDS"]

QUIET: Mapping[Level, Knowable] = {"E2": "nothing", "E1": "nothing"}
EVERY = ("field_notes", "patch_bench", "front_desk")


def _both_outages(setting: Setting) -> Plan:
    kind, message = setting.rng.choice(OUTAGES)
    start, length = setting.rng.uniform(0.05, 0.6), setting.rng.uniform(0.03, 0.12)
    same = cause("outage", start=start, length=length, kind=kind, message=message)
    return Plan((same,), (same,))


def _noise_slices(_: Setting) -> Plan:
    tags = cause("extra_slices")
    return Plan((tags,), (tags,))


KINDS = (
    Kind("null", 0, "null", lambda _: Plan(), QUIET, benchmarks=EVERY),
    Kind("longer_outputs", None, "decoy", lambda _: Plan((cause("longer_outputs"),)), QUIET, benchmarks=EVERY),
    Kind("renamed_levels", None, "decoy", lambda _: Plan((cause("renamed_levels"),)), QUIET, benchmarks=EVERY),
    Kind("same_infrastructure", None, "decoy", _both_outages, QUIET, benchmarks=EVERY),
    Kind("shuffled_rows", None, "decoy", lambda _: Plan((cause("shuffled_rows"),)), QUIET, benchmarks=EVERY),
    Kind("relabelled_class", None, "decoy", lambda _: Plan((cause("relabelled_failures"),)), QUIET),
    Kind("noise_sized_slice", None, "decoy", _noise_slices, QUIET),
)
