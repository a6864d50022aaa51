"""One index for many tests, and a client that asks it."""

from __future__ import annotations

import pytest
from tests.viewer.asking import Client

from blade.options import Options
from blade.simulate import demo_pair
from blade.viewer import server
from blade.viewer.gathering import gather
from blade.viewer.guard import rules_for
from blade.viewer.index import Index


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    pair = demo_pair(tmp_path_factory.mktemp("demo"))
    return gather([str(path) for path in pair], Options(cache=False))


@pytest.fixture
def client(index: Index) -> Client:
    return Client(server.application(index, rules_for("127.0.0.1", None)))
