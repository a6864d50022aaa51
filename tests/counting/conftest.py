"""What BLADE writes about small runs, always held against the contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from blade import api
from blade.options import Options
from blade.renderers.json import document
from blade.schemas import load

Count = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def counted() -> Count:
    """analysis.json of some paths, as data."""
    contract = Draft202012Validator(load("analysis"))

    def count(*paths: Path | str, **settings: Any) -> dict[str, Any]:
        made = api.analyze(*paths, options=Options(**{"cache": False, **settings}))
        data = document(made, api.report(made))
        contract.validate(data)
        return data

    return count
