"""A package of live runs, with its simulated people's addresses taken out: its report is as true as it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import blade
from blade import toolkit
from blade.anchors.anchor import dump
from blade.anchors.extract import PackageNames
from blade.checking.outcome import CheckOutcome
from blade.package.contents import open_contents
from blade.package.golden import write_draft
from blade.package.init import init
from blade.package.layout import Layout
from blade.package.validate import CheckState, validate
from blade.sanitize import is_clean, sanitize

pytestmark = pytest.mark.corpus

Record = Callable[..., None]
OPTIONS = blade.Options(cache=False)
MODEL = "stub-strong"


@dataclass(frozen=True)
class Packages:
    raw: Layout
    clean: Layout


@pytest.fixture(scope="module")
def packages(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """Both runs in one package with a drafted report and anchor facts, and the same sanitized."""
    folder = tmp_path_factory.mktemp("live")
    runs = [str(corpus / "gym-live" / "workplace_assistant" / model) for model in (MODEL, "stub-weak")]
    raw = init(folder / "raw", runs).layout
    report, _ = write_draft(open_contents(raw, toolkit.stages(), OPTIONS), MODEL)
    facts, _ = toolkit.anchor_facts(report, PackageNames("workplace", MODEL, "2031-01-01"), options=OPTIONS)
    raw.anchors_path(MODEL).write_bytes(dump(facts.anchors))
    sanitize([raw.folder], folder / "clean")
    return Packages(raw, Layout(folder / "clean"))


def test_addresses_were_taken_out(packages: Packages) -> None:
    assert not is_clean([packages.raw.folder])
    assert is_clean([packages.clean.folder])


def test_the_report_checks_as_before(packages: Packages, record: Record) -> None:
    for name, layout in (("raw", packages.raw), ("sanitized", packages.clean)):
        found = toolkit.check(layout.report_path(MODEL), layout.folder / "rollouts", options=OPTIONS)
        record("sanitized", f"wrong in the {name} report", 0, found.counts["wrong"])
        assert [(thing.line, thing.said, thing.wanted) for thing in found.wrong] == []
        assert found.counts["right"] > 600
        notes = {thing.note for thing in found.things if thing.outcome is CheckOutcome.UNVERIFIABLE}
        assert notes <= {"the file was redacted since"}


def test_the_golden_report_against_itself_is_worth_as_much_as_before(packages: Packages, record: Record) -> None:
    grades = [
        toolkit.score(layout.report_path(MODEL), layout.report_path(MODEL), layout.anchors_path(MODEL), options=OPTIONS)
        for layout in (packages.raw, packages.clean)
    ]
    before, after = (round(grade.score, 3) for grade in grades)
    record("sanitized", "golden against itself", before, after)
    assert before >= 0.98
    assert after >= before
    assert grades[1].golden_faults == ()


def test_rollouts_and_golden_report_of_the_sanitized_package_are_valid(packages: Packages) -> None:
    contents = open_contents(packages.clean, toolkit.stages(), OPTIONS)
    found = [result for phase in ("rollouts", "golden") for result in validate(contents, phase)]
    assert [result.line for result in found if result.state is CheckState.FAIL] == []
