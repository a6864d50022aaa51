"""Colours keep their contrast and are told apart."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from blade.pages import colours
from blade.pages.environment import style

PAGES = {"light": "#ffffff", "dark": "#14171c"}
ALL = {
    **{name: outcome.colour for name, outcome in colours.OUTCOMES.items()},
    **{f"bucket {name}": colour for name, colour in colours.BUCKETS.items()},
    **{f"run {place}": colour for place, colour in enumerate(colours.RUNS)},
}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("theme", PAGES)
def test_every_colour_can_carry_a_sign_on_its_page(name: str, theme: str) -> None:
    assert contrast(getattr(ALL[name], theme), PAGES[theme]) >= 4.5


def test_pass_and_fail_differ_for_who_sees_no_red_or_no_green() -> None:
    """The blue part, which both keep, differs clearly."""
    for theme in PAGES:
        good, bad = (getattr(colours.OUTCOMES[name].colour, theme) for name in ("pass", "fail"))
        assert abs(int(good[5:7], 16) - int(bad[5:7], 16)) > 60


def test_signs_differ() -> None:
    assert len({outcome.sign for outcome in colours.OUTCOMES.values()}) == len(colours.OUTCOMES)


@pytest.mark.parametrize(
    ("passed", "status", "evaluable", "name"),
    [
        (True, "ok", True, "pass"),
        (False, "truncated", True, "fail"),
        (None, "ok", True, "partial"),
        (False, "infrastructure", False, "broken"),
        (None, "missing", False, "missing"),
    ],
)
def test_an_attempt_has_one_outcome(passed: bool | None, status: str, evaluable: bool, name: str) -> None:
    assert colours.outcome_of(passed, status, evaluable=evaluable) == name


@pytest.mark.parametrize("theme", PAGES)
def test_twenty_runs_have_twenty_colours(theme: str) -> None:
    parts = [
        [int(getattr(colours.run_colour(place), theme)[at : at + 2], 16) for at in (1, 3, 5)] for place in range(20)
    ]
    nearest = min(sum(abs(x - y) for x, y in zip(a, b, strict=True)) for a, b in combinations(parts, 2))
    assert nearest >= 30


def test_later_runs_take_no_colour_of_the_baseline() -> None:
    names = [f"r{place}" for place in range(40)]
    assert [colours.run_class(names, name) for name in names].count("run-0") == 1
    assert all(colours.run_colour(place) != colours.RUNS[0] for place in range(1, 40))
    assert colours.run_class(names, "other") == ""


def test_the_style_loads_nothing_and_knows_every_variable() -> None:
    sheet = style()
    assert not re.search(r"url\(|@import|https?:", sheet)
    used = set(re.findall(r"var\((--[\w-]+)", sheet))
    assert used <= set(re.findall(r"(--[\w-]+)\s*:", sheet))
