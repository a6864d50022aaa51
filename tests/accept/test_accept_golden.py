"""The published golden report of CVDP as a package without rollouts: what it lacks is advice, and its facts stand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from blade import toolkit
from blade.options import Options
from blade.package.contents import open_contents
from blade.package.layout import Layout
from blade.package.validate import CheckState, validate

pytestmark = pytest.mark.corpus


def test_missing_sections_are_advice_and_its_facts_are_more_than_aggregates(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus / "golden-cvdp", tmp_path / "golden_reports")
    found = validate(open_contents(Layout(tmp_path), toolkit.stages(), Options(cache=False)), "golden")
    states = {result.check: result.state for result in found}
    assert states["sections of a report"] is CheckState.WARN
    assert states["anchor facts beyond aggregates"] is CheckState.PASS
    (sections,) = [result for result in found if result.check == "sections of a report"]
    assert sections.detail.startswith("7 of 9 are not there or say nothing: ")
