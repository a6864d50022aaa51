"""One index for many tests, and a client that asks it."""

from __future__ import annotations

import pytest
from tests.made_demo import Demo
from tests.viewer.asking import Client

from blade.index.build_index import gather
from blade.index.tables import Index
from blade.options import Options
from blade.viewer import server
from blade.viewer.guard import rules_for


@pytest.fixture(scope="session")
def index(demo: Demo) -> Index:
    return gather([str(path) for path in demo.paths], Options(cache=False))


@pytest.fixture
def client(index: Index) -> Client:
    return Client(server.application(index, rules_for("127.0.0.1", None)))
