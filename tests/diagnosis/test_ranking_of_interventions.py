"""In which order changes are proposed, and the figures that stand beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from tests.diagnosis.made import a_run, attempt, moded, rules, saw

from blade.diagnosis import remedies
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.hits import Hit
from blade.diagnosis.interventions import _values_named, find_interventions, most_named
from blade.diagnosis.labels import find_labels
from blade.diagnosis.remedies import Remedy
from blade.findings import Intervention
from blade.registry import plugins

FAKE = {
    "zz_made_up_id": Remedy("ids", "rl", "prompt", "BI", "Look ids up", "Try it on 20 of these tasks."),
    "zz_no_retest": Remedy("tests", "harness", "harness", "BI", "Test again", "Try it."),
    "zz_cut_bracket": Remedy("verifier", "verifier", "verifier", "TI", "Repair the verifier", "Score again."),
}


@pytest.fixture(autouse=True)
def _rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    known = remedies._by_rule()
    monkeypatch.setattr(remedies, "_by_rule", lambda: {**known, **FAKE})
    with rules():
        yield


def planned(run: RunCases, half_width: float | None = None) -> tuple[Intervention, ...]:
    modes = moded(run)
    return find_interventions([run], modes, find_labels([run], modes), half_width=half_width)


def hits(rule: str, tasks: int, *, each: int = 1, **more: object) -> list[Case]:
    return [
        attempt(i, i >= each, saw(rule, value="look") if i < each else {}, task=f"{rule}{t}", **more)
        for t in range(tasks)
        for i in range(4)
    ]


def passing(tasks: int) -> list[Case]:
    return [attempt(i, True, task=f"p{t}") for t in range(tasks) for i in range(4)]


def test_what_is_known_to_bring_points_goes_before_what_might() -> None:
    """Nine tasks fall short in one attempt each; two fail every time, and a quarter of what they could bring counts."""
    run = a_run(*hits("zz_no_retest", 9), *hits("zz_made_up_id", 2, each=4), *passing(9))
    first, second = planned(run)
    assert (first.change, second.change) == ("Test again", "Look ids up")
    assert first.points is not None
    assert second.points is None
    assert second.most == pytest.approx(0.1)
    assert first.exact is False


def test_a_fault_of_the_measurement_goes_first_where_it_outweighs_its_uncertainty() -> None:
    run = a_run(*hits("zz_no_retest", 9), *hits("zz_cut_bracket", 2, each=4), *passing(9))
    assert planned(run, half_width=0.05)[0].kind == "verifier"
    assert {item.kind for item in planned(run, half_width=0.5)} == {"verifier", "harness"}


def test_what_a_rule_names_is_counted_where_it_says_what_that_is(monkeypatch: pytest.MonkeyPatch) -> None:
    (words_of_ours,) = planned(a_run(*hits("zz_no_retest", 3)))
    assert words_of_ours.named == ()
    monkeypatch.setattr(plugins("detectors")["zz_no_retest"], "NAMES", "tool", raising=False)
    (names,) = planned(a_run(*hits("zz_no_retest", 3)))
    assert names.named == (("tool", "look", 3),)
    assert names.summary.endswith("(zz no retest; 'look').")
    cases = hits("zz_no_retest", 12)
    for place, case in enumerate([case for case in cases if case.failing]):
        values = {name: replace(sighting, value=f"look{place // 5}") for name, sighting in case.fired().items()}
        case.sightings = values
        case.show(values)
    (several,) = planned(a_run(*cases))
    assert several.named == (("tool", "look0", 5), ("tool", "look1", 5), ("tool", "look2", 2))
    assert several.summary.endswith("(zz no retest; most often 'look0' (5) and 'look1' (5)).")


def test_a_fall_to_none_can_be_more_than_chance() -> None:
    """3 of 40 fail this way; with the same chance none would fail in one of 23 such runs."""
    (found,) = planned(a_run(*hits("zz_no_retest", 3), *passing(7)))
    assert (found.rollouts, found.of, found.within) == (3, 40, 0)
    assert found.prediction.startswith("None of 40 rollouts fail this way (3 now)")
    (few,) = planned(a_run(*hits("zz_no_retest", 3), *passing(2)))
    assert few.within is not None
    (chance,) = planned(a_run(*hits("zz_no_retest", 3), *passing(27)))
    assert (chance.of, chance.within) == (120, 0)


def test_a_cheap_test_is_cut_to_the_tasks_there_are() -> None:
    (few,) = planned(a_run(*hits("zz_made_up_id", 9, each=4)))
    (many,) = planned(a_run(*hits("zz_made_up_id", 20, each=4)))
    assert (few.cheap_test, many.cheap_test) == ("Try it on these tasks.", "Try it on 20 of these tasks.")


def test_the_first_fifty_tasks_are_named_by_how_often_they_fail() -> None:
    cases = hits("zz_no_retest", 52) + hits("zz_no_retest", 1, each=2)
    (found,) = planned(a_run(*cases))
    assert found.tasks_total == 52
    assert len(found.tasks) == 50
    assert found.tasks[0] == "zz_no_retest0"


@pytest.mark.parametrize(("saying", "met"), [(4, []), (6, [("reason", "metadata.turns: 10 of metadata.most 10", 6)])])
def test_what_few_rows_say_is_not_said_most_often(saying: int, met: list[tuple[str, str, int]]) -> None:
    """A sentence of a row is no name, which three rollouts are enough for."""
    mode = SimpleNamespace(id="status_truncated", detector=None, name="cut-off at a limit", named=None)
    cases = [
        SimpleNamespace(
            mode=mode.id,
            actions=("run",),
            reason="metadata.turns: 10 of metadata.most 10" * (number < saying),
            fired=dict,
        )
        for number in range(10)
    ]
    named = _values_named(cast("Hit", SimpleNamespace(modes=[mode], cases=cases)))
    assert most_named([cast("Intervention", SimpleNamespace(named=named, rollouts=10))]) == met
