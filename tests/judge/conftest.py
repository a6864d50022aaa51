"""Simulated packages, made once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.judge.made import Package, package


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Package]:
    package_of: dict[str, Package] = {}

    def make(name: str) -> Package:
        if name not in package_of:
            package_of[name] = package(name, tmp_path_factory.mktemp(name))
        return package_of[name]

    return make
