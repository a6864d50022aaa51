"""The scorer gives full marks to the truth, and takes them away for each way of being wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from benchmarks.planted_suite.planted_case import CaseTruth, TruePart
from benchmarks.planted_suite.scoring import Marks, mark, summarise
from benchmarks.planted_suite.scoring.invariance import agree
from benchmarks.planted_suite.scoring.summary import PromiseLine
from benchmarks.planted_suite.scoring.table import as_markdown

OUTAGE = TruePart(
    "outage", "infrastructure", None, (), -0.05, -0.048, {"window": [100.0, 200.0]}, ("t1", "t2"), rollouts=8
)
SLICE = TruePart("slice_regression", "behaviour", None, (), -0.06, -0.06, {"category": "billing"}, ("t3",), rollouts=9)
TOOL = replace(SLICE, planted="broken_tool", where={"tool": "rooms_search"})
GOLD = TruePart("wrong_gold", "verifier", "gold", (), -0.04, -0.04, {}, ("t7", "t8"), rollouts=8)
LOST = TruePart("missing_tasks", "coverage", "task_missing", ("composition",), 0.03, None, {}, ("t1",), rollouts=4)
PLANT = CaseTruth(
    kind="outage_in_rows",
    number=5,
    group="row_evidence",
    level="E2",
    knowable="identified",
    seed=2,
    benchmark="field_notes",
    tasks=100,
    repeats=4,
    dose=5.0,
    mirrored=False,
    shared=False,
    delta=-0.04,
    mde=0.03,
    parts=(OUTAGE,),
)
NULL = replace(PLANT, kind="null", number=0, group="null", knowable="nothing", delta=0.01, parts=())
HIDDEN = replace(PLANT, level="E0", knowable="not_identified")


def part(cause: str, points: float, **extra: Any) -> dict[str, Any]:
    low, high = points - 0.02, points + 0.02
    plain: dict[str, Any] = {
        "sub": None,
        "interval": [low, high],
        "status": "identified",
        "named": False,
        "tasks": [],
        "where": {},
    }
    made = {"cause": cause, "points": points, "rollouts": 3, "evidence": [], **plain, **extra}
    return made | {"significant": made["named"]}


def change(*parts: dict[str, Any], **extra: Any) -> dict[str, Any]:
    delta = sum(planted_part["points"] for planted_part in parts)
    return {"delta": delta, "verdict": "real", "churn_p": 0.5, "flips": [], "slices": [], "parts": list(parts), **extra}


RIGHT = change(part("infrastructure", -0.05, named=True, where={"window": [100, 200]}), part("behaviour", 0.01))


def test_the_right_answer_gets_full_marks() -> None:
    marks = mark(PLANT, RIGHT)
    assert marks.additive
    assert marks.found == (True,)
    assert marks.top_one
    assert marks.f1 == 1
    assert marks.share_error == pytest.approx(0)
    assert marks.located == 1
    assert marks.utility == 1
    assert not marks.confident_wrong
    assert [covered.holds for covered in marks.covered] == [True]


def test_parts_that_do_not_add_up_are_seen() -> None:
    assert not mark(PLANT, RIGHT | {"delta": -0.0400001}).additive
    assert mark(PLANT, RIGHT | {"delta": RIGHT["delta"] + 1e-12}).additive


def test_silence_on_what_could_be_known_is_no_wrong_name() -> None:
    marks = mark(PLANT, change(part("infrastructure", -0.05), part("behaviour", 0.01)))
    assert marks.found == (False,)
    assert not marks.top_one
    assert marks.f1 == 0
    assert marks.utility == 0


def test_a_wrong_confident_name_costs_more_than_silence() -> None:
    marks = mark(PLANT, change(part("truncation", -0.05, named=True), part("behaviour", 0.01)))
    assert marks.false_names == ("truncation",)
    assert marks.confident_wrong
    assert not marks.only_behaviour
    assert marks.utility == -2
    assert marks.share_error == pytest.approx(2)


def test_a_second_name_costs_precision_and_the_larger_one_the_first_place() -> None:
    marks = mark(
        PLANT,
        change(part("infrastructure", -0.02, named=True), part("truncation", -0.03, named=True, status="assumed")),
    )
    assert marks.found == (True,)
    assert not marks.top_one
    assert marks.f1 == pytest.approx(2 / 3)
    assert not marks.confident_wrong


def test_where_nothing_can_be_known_doubt_is_right() -> None:
    doubtful = mark(HIDDEN, change(part("behaviour", -0.04, named=True, status="not_identified")))
    assert doubtful.utility == 1
    sure = mark(HIDDEN, change(part("behaviour", -0.04, named=True)))
    assert sure.confident_wrong
    assert sure.only_behaviour
    assert sure.utility == -2
    tool = mark(HIDDEN, change(part("behaviour", -0.04, named=True, where={"tool": "x"})))
    assert tool.confident_wrong
    assert not tool.only_behaviour


def test_bounds_count_where_bounds_are_all_there_is() -> None:
    truth = replace(PLANT, group="controlled", knowable="bounds")
    marks = mark(truth, change(part("infrastructure", -0.03, status="bounds"), part("behaviour", -0.01)))
    assert marks.hedged == (True,)
    assert marks.utility == 1
    empty = part("infrastructure", 0.0, status="bounds", rollouts=0, interval=None)
    assert mark(truth, change(empty, part("behaviour", -0.04))).hedged == (False,)


def test_any_name_on_a_null_is_a_false_alarm() -> None:
    quiet = mark(NULL, change(part("behaviour", 0.01)))
    assert (quiet.named, quiet.f1, quiet.utility) == ((), 1.0, 1.0)
    loud = mark(
        NULL, change(part("behaviour", 0.01, named=True, status="assumed"), slices=[{"where": {}, "named": True}])
    )
    assert (loud.named, loud.f1, loud.utility) == (("behaviour",), 0.0, -2.0)
    assert loud.slice_alarm
    assert mark(NULL, change(flips=[{"task": "t", "beyond_noise": True}], churn_p=0.01)).flip_alarm
    assert mark(NULL, change(churn_p=0.01)).churn
    assert not mark(NULL, change(churn_p=None)).churn


def test_an_interval_that_misses_the_expected_truth_is_seen() -> None:
    miss = mark(PLANT, change(part("infrastructure", -0.05, interval=[-0.06, -0.05]), part("behaviour", 0.01)))
    assert [(covered.status, covered.holds) for covered in miss.covered] == [("identified", False)]
    assert miss.covered[0].score == pytest.approx(0.01 + 40 * 0.002)
    none = mark(PLANT, change(part("infrastructure", -0.05, interval=None), part("behaviour", 0.01)))
    assert none.covered == ()


def test_places_are_compared_as_what_they_are() -> None:
    half = change(part("infrastructure", -0.05, named=True, where={"window": [100, 150]}), part("behaviour", 0.01))
    assert mark(PLANT, half).located == pytest.approx(0.5)
    place = {"window": {"from": 100.0, "to": 150.0, "rows": [3, 9]}}
    assert mark(PLANT, change(part("infrastructure", -0.05, named=True, where=place))).located == pytest.approx(0.5)
    tasks = change(part("infrastructure", -0.05, named=True, tasks=["t1", "t9"]), part("behaviour", 0.01))
    assert mark(PLANT, tasks).located == pytest.approx(1 / 3)
    broken = replace(PLANT, parts=(TOOL,))
    assert mark(broken, change(part("behaviour", -0.04, named=True, where={"tool": "rooms_search"}))).located == 1
    assert mark(broken, change(part("behaviour", -0.04, named=True, where={"tool": "other"}))).located == 0
    sliced = replace(PLANT, parts=(SLICE,))
    plain = change(part("behaviour", -0.04, named=True))
    assert mark(sliced, plain).located == 0
    for slice_form in ({"category": "billing"}, "category=billing", ["category=billing"]):
        assert mark(sliced, plain | {"slices": [{"where": slice_form, "named": True}]}).located == 1
        assert mark(sliced, plain | {"slices": [{"where": slice_form, "named": False}]}).located == 0


def test_sub_causes_and_names_that_are_as_right() -> None:
    truth = replace(PLANT, group="fact", parts=(LOST,), delta=0.03)
    assert mark(truth, change(part("coverage", 0.03, named=True, sub="task_missing"))).found == (True,)
    assert mark(truth, change(part("coverage", 0.03, named=True, sub="rows_missing"))).found == (False,)
    marked_other = mark(truth, change(part("composition", 0.03, named=True, sub="removed")))
    assert marked_other.found == (True,)
    assert marked_other.share_error == pytest.approx(0)


def test_wrong_gold_may_be_told_as_a_health_item() -> None:
    truth = replace(PLANT, group="gold", parts=(GOLD,))
    analysis_change = change(part("behaviour", -0.04))
    item = {"check": "suspect_gold", "tasks": ["t7"], "statement": "", "severity": "warning"}
    assert mark(truth, analysis_change, [item]).found == (True,)
    assert mark(truth, analysis_change, [item | {"tasks": ["t1"]}]).found == (False,)
    assert mark(truth, analysis_change).found == (False,)


def test_two_planted_causes_must_both_be_named() -> None:
    truth = replace(PLANT, group="pair", parts=(OUTAGE, replace(SLICE, realised=0.05, expected=0.05)), delta=0.0)
    marked = mark(truth, change(part("infrastructure", -0.05, named=True), part("behaviour", 0.05)))
    assert marked.found == (True, False)
    assert marked.utility == pytest.approx(0.5)
    marked_both = mark(truth, change(part("infrastructure", -0.05, named=True), part("behaviour", 0.05, named=True)))
    assert marked_both.f1 == 1


def test_a_line_knows_its_bounds_and_its_target() -> None:
    none_of_59 = PromiseLine("alarms", 0, 59, most=0.05)
    assert none_of_59.met
    assert none_of_59.high == pytest.approx(1 - 0.05 ** (1 / 59))
    assert none_of_59.low == 0
    all_of_59 = PromiseLine("named", 59, 59, least=0.99)
    assert all_of_59.low == pytest.approx(0.05 ** (1 / 59))
    assert PromiseLine("x", 60, 80, 0.93, 0.98).met is False
    assert PromiseLine("x", 200, 200, 0.93, 0.98).met is False
    assert PromiseLine("x", 3, 4, 0.93, 0.98).met  # four cases exclude nothing
    assert PromiseLine("x", 0, 0, 0.9).met is None
    assert PromiseLine("x", 1, 2).met is None


def many(right: int, wrong: int) -> list[Marks]:
    silent = change(part("infrastructure", -0.05), part("behaviour", 0.01))
    return (
        [mark(PLANT, RIGHT)] * right
        + [mark(PLANT, silent)] * wrong
        + [mark(NULL, change(part("behaviour", 0.01)))] * 20
    )


def test_a_summary_counts_and_judges() -> None:
    good = summarise(many(20, 0))
    assert good.line("row evidence from 1 MDE: named").met
    assert good.line("null: a cause is named").met
    assert good.composite is not None
    bad = summarise(many(10, 10))
    assert bad.line("row evidence from 1 MDE: named").value == 0.5
    assert [line.measure for line in bad.missed][:1] == ["row evidence from 1 MDE: named"]
    alarmed = summarise([*many(20, 0), *[mark(NULL, change(part("behaviour", 0.01, named=True)))] * 3])
    assert alarmed.composite == 0


def test_a_small_plant_does_not_count_against_the_targets() -> None:
    small = replace(PLANT, mde=0.2)
    summary = summarise([mark(small, change(part("infrastructure", -0.05), part("behaviour", 0.01)))])
    assert summary.line("row evidence from 1 MDE: named").n == 0
    assert summary.line("all plants, from 0 MDE: named or bounds").n == 1


def test_no_case_makes_an_empty_summary() -> None:
    assert summarise([]).cases == 0
    assert "no case" in as_markdown(summarise([]), [])


def test_the_table_shows_misses_and_each_kind() -> None:
    marks = many(10, 10)
    text = as_markdown(summarise(marks), marks)
    assert "| row evidence from 1 MDE: named | 20 | 50% | 30.2% to 69.8% | ≥ 95% | **no** |" in text
    assert "**no**" in text
    assert "| outage_in_rows | E2 | 20 |" in text
    assert "| null | E2 | 20 |" in text


def test_a_turned_pair_must_turn_every_part() -> None:
    first_change = change(part("composition", 0.02, sub="added"), part("behaviour", -0.05))
    two = change(part("composition", -0.02, sub="removed"), part("behaviour", 0.05))
    assert agree(first_change, two, turned=True)
    assert not agree(first_change, two)
    assert agree(first_change, first_change)
    assert not agree(first_change, change(part("coverage", 0.02, sub="added"), part("behaviour", -0.05)))


def test_what_is_only_bounded_may_move_within_its_sum() -> None:
    first_change = change(part("malformed", -0.02, status="bounds"), part("behaviour", -0.01, status="bounds"))
    two = change(part("malformed", -0.01, status="bounds"), part("behaviour", -0.02, status="bounds"))
    assert agree(first_change, two, pool_bounds=True)
    assert not agree(first_change, two)
    three = change(part("infrastructure", -0.01), part("behaviour", -0.02, status="bounds"))
    assert not agree(first_change, three, pool_bounds=True)
