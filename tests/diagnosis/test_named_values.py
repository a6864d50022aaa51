"""What the rollouts of a mode name: only names out of the rows, only what recurs, and never what passes name alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.diagnosis.made import a_run, attempt, moded, rules, saw

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.findings_table import examples, finding_id
from blade.diagnosis.named_values import told_value
from blade.findings import Mode, NamedValues
from blade.registry import plugins

RULE = "zz_tool_fails"


@pytest.fixture(autouse=True)
def _rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with rules():
        monkeypatch.setattr(plugins("detectors")[RULE], "NAMES", "error", raising=False)
        yield


def named(*values: str, passed: bool = False, first: int = 0, rule: str = RULE, **more: object) -> list[Case]:
    """One attempt at a task of its own for each value."""
    return [
        attempt(0, passed, saw(rule, value=value), task=f"t{first + n:02}", **more) for n, value in enumerate(values)
    ]


def mode_of(*runs: RunCases) -> Mode:
    (mode,) = (mode for mode in moded(*runs) if mode.detector is not None)
    return mode


def values_of(*runs: RunCases) -> NamedValues:
    values = mode_of(*runs).named
    assert values is not None
    return values


def test_what_three_rollouts_name_recurs_and_is_counted_by_run_and_task() -> None:
    first = a_run(*named("mud", "clay", "clay", "sand", "clay"), name="a")
    second = a_run(*named("clay", "sand", first=2), name="b")
    values = values_of(first, second)
    assert (values.noun, values.rollouts, values.distinct) == ("error", 7, 3)
    (clay,) = values.common
    assert (clay.value, clay.rollouts, dict(clay.runs)) == ("clay", 4, {"a": 3, "b": 1})
    assert (clay.tasks, clay.tasks_total, clay.passes) == (("t02", "t01", "t04"), 3, 0)


def test_what_two_rollouts_name_does_not_recur() -> None:
    assert mode_of(a_run(*named("mud", "clay", "clay", "sand"))).named is None


def test_values_that_are_words_of_our_own_are_not_counted() -> None:
    run = a_run(*named("blank", "blank", "blank", rule="zz_no_retest"))
    assert mode_of(run).named is None


def test_the_only_tool_that_is_called_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins("detectors")[RULE], "NAMES", "tool")
    assert mode_of(a_run(*named("dig", "dig", "dig", actions=("dig(depth)",)))).named is None
    several = a_run(*named("dig", "dig", "dig", actions=("dig(depth)", "fill()")))
    assert values_of(several).common[0].value == "dig"


def test_the_commonest_is_the_example_though_others_come_before_it() -> None:
    run = a_run(*named(*(f"soil{n}" for n in range(30)), "clay", "clay", "clay"))
    mode = mode_of(run)
    leading = finding_id("a", run.cases[30], RULE)
    assert mode.findings[0] == leading
    assert leading in {finding.id for finding in examples([run], [mode])}
    assert told_value(mode, ["a"]) == (0, mode.named.common[0], 3)  # type: ignore[union-attr]


def test_of_two_runs_the_last_is_spoken_of_and_of_more_all() -> None:
    first = a_run(*named("clay", "clay", "clay", "clay"), name="a")
    second = a_run(*named("sand", "sand", "sand"), name="b")
    third = a_run(*named("mud"), name="c")
    of_two, of_three = mode_of(first, second), mode_of(first, second, third)
    assert [told[1].value for told in (told_value(of_two, "ab"), told_value(of_three, "abc")) if told] == [
        "sand",
        "clay",
    ]
    assert of_two.findings[0] == finding_id("b", second.cases[0], RULE)
    assert of_three.findings[0] == finding_id("a", first.cases[0], RULE)


def test_what_passes_name_as_often_is_no_matter_of_failing() -> None:
    failures = named("clay", "clay", "clay", "clay", "sand", "sand", "sand")
    passes = named("clay", "clay", "clay", "clay", passed=True, first=20)
    mode = mode_of(a_run(*failures, *passes, *(attempt(0, True, task=f"u{n}") for n in range(3))))
    clay, sand = mode.named.common  # type: ignore[union-attr]
    assert (clay.passes, clay.is_sign, sand.passes, sand.is_sign) == (4, False, 0, True)
    told = told_value(mode, ["a"])
    assert told is not None
    assert told[1] is sand


def test_what_was_settled_afterwards_names_nothing() -> None:
    cases = named("clay", "clay", "clay", "clay")
    for case in cases[:2]:
        case.show({name: replace(sighting, detail="settled") for name, sighting in case.fired().items()})
    assert mode_of(a_run(*cases)).named is None
