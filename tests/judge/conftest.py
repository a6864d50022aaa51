"""Simulated packages, made once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.judge.made import Package, package

from blade.judge.calibration import Calibration, attacked


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Package]:
    known: dict[str, Package] = {}

    def make(name: str) -> Package:
        if name not in known:
            known[name] = package(name, tmp_path_factory.mktemp(name))
        return known[name]

    return make


@pytest.fixture(scope="session")
def calibrated(packages: Callable[[str], Package]) -> Callable[[str], Calibration]:
    known: dict[str, Calibration] = {}

    def make(name: str) -> Calibration:
        if name not in known:
            one = packages(name)
            known[name] = attacked(one.base, one.shallow, 0.5)
        return known[name]

    return make
