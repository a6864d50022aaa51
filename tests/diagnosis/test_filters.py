"""Which filter does a task is told by the attempts that pass it."""

from __future__ import annotations

import pytest
from tests.diagnosis.made_cases import case, run_of, seen

from blade.diagnosis.cases import Case
from blade.diagnosis.filters import name_filters

BY_EYE = seen("calls 'bills.list' without 'status', then picks among 5 records", "bills.list.status")


def failing(run: str = "a") -> Case:
    return case("t", 0, 0.0, run, fired={"manual_filter": BY_EYE}, actions=("bills.list(shop)", "pay(id)"))


def passing(attempt: int, *actions: str, run: str = "a", **more: object) -> Case:
    return case("t", attempt, 1.0, run, actions=actions, **more)


def told(*cases: Case, others: tuple[Case, ...] = ()) -> tuple[str, str]:
    hit = failing()
    name_filters([run_of(hit, *cases), run_of(*others, name="b")])
    return hit.sightings["manual_filter"].detail, hit.sightings["manual_filter"].value


def test_the_parameter_that_passes_gave_is_named() -> None:
    passes = [passing(n, "bills.list(date_from,page,shop)", "pay(id)") for n in (1, 2)]
    detail, value = told(*passes)
    assert detail == ("calls 'bills.list' without 'date_from', which passing attempts give, then picks among 5 records")
    assert value == "bills.list.date_from"


def test_passes_of_the_same_run_go_before_those_of_another() -> None:
    other = passing(0, "bills.list(region,shop)", run="b")
    assert told(passing(1, "bills.list(date_from,shop)"), others=(other,))[1] == "bills.list.date_from"
    assert told(others=(other,))[1] == "bills.list.region"


@pytest.mark.parametrize(
    "passes",
    [
        (),
        (passing(1, "bills.list(shop)"),),
        (passing(1, "bills.list(page,shop)"),),
        (passing(1, "bills.find(date_from)"),),
        (passing(1, "bills.list(date_from)", state="infrastructure"),),
        (passing(1, "bills.list(date_from)"), passing(2, "bills.list(shop)")),
    ],
)
def test_without_a_parameter_that_most_passes_gave_nothing_changes(passes: tuple[Case, ...]) -> None:
    assert told(*passes) == (BY_EYE.detail, BY_EYE.value)
