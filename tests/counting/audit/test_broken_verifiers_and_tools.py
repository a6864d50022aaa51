"""Rows that no field calls void: nothing in them at all, no call that succeeds, a log or checks that break off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import called

from blade.model import RunAnalysis


def audited(rows: list[Json], folder: Path) -> RunAnalysis:
    (run,) = analysed(write(folder / "rollouts.jsonl", rows)).runs
    return run


def worked(task: int, attempt: int, reward: float, **fields: Any) -> Json:
    said = response(*called("look", {"at": f"door {task}"}, f"door {task} is open"), message(f"Door {task}: done."))
    return row(task, attempt, reward, response=said, expected_answer=ABSENT, extracted_answer=ABSENT) | fields


def void(task: int, attempt: int, reward: float = 0.0) -> Json:
    return worked(task, attempt, reward, response=response(usage=None))


def test_rows_that_hold_nothing_among_rows_that_show_the_model_never_started(tmp_path: Path) -> None:
    rows = [worked(task, 0, float(task % 2)) for task in range(30)] + [void(task, 1) for task in range(4)]
    run = audited(rows, tmp_path)
    assert (run.audit["not_started"], run.audit["judged_failures"]) == (4, 15)


def test_a_few_tasks_may_pass_though_nothing_was_done(tmp_path: Path) -> None:
    rows = [worked(task, 0, float(task % 4 > 0)) for task in range(40)]
    rows += [void(task, 1) for task in range(8)] + [void(9, 1, 1.0)]
    assert audited(rows, tmp_path / "one").audit["not_started"] == 8
    for task in range(0, 40, 5):  # here and there: a stretch of them would be an outage
        rows.insert(task, void(task, 2, 1.0))
    assert audited(rows[:40], tmp_path / "others").audit["not_started"] == 0, "this run leaves its outputs out"


def test_a_row_with_a_patch_or_an_answer_had_a_model_at_work(tmp_path: Path) -> None:
    rows = [worked(task, 0, float(task % 2)) for task in range(30)]
    for task in range(4):  # here and there: a stretch of them would be an outage
        rows.insert(8 * task, void(task, 1) | {"model_patch": f"diff --git a/{task} b/{task}"})
    assert audited(rows, tmp_path).audit["not_started"] == 0


def helpless(task: int, attempt: int, *, calls: int = 3) -> Json:
    error = "Traceback: OSError: [Errno 107] the share is not connected"
    parts = [item for number in range(calls) for item in called("look", {"at": f"door {task}.{number}"}, error)]
    return worked(task, attempt, 0.0, response=response(*parts, message(f"No door {task} could be looked at.")))


def stretch(first: int, last: int) -> list[Json]:
    rows = []
    for task in range(30):
        for attempt in range(2):
            one = helpless(task, attempt) if first <= task < last else worked(task, attempt, float(task % 2))
            one["response"] |= {"created_at": 1000 + 10 * task + attempt}
            rows.append(one)
    return rows


def test_neighbours_of_which_every_call_fails_were_broken_off(tmp_path: Path) -> None:
    run = audited(stretch(10, 17), tmp_path)
    assert run.audit["broken"] == 14
    (group,) = run.audit["groups"]
    assert "the share is not connected" in group["lines"][0]["line"]


def test_the_tool_that_takes_the_work_may_have_answered(tmp_path: Path) -> None:
    def handed_in(one: Json) -> Json:
        one["response"]["output"][-1:-1] = called("hand_in", {"note": "as far as I came"}, "received")
        return one

    assert audited([handed_in(one) for one in stretch(10, 17)], tmp_path).audit["broken"] == 14


def test_rows_here_and_there_without_a_good_call_are_the_agents(tmp_path: Path) -> None:
    rows = stretch(0, 0)
    for place in range(0, 60, 9):
        rows[place] = helpless(*divmod(place, 2))
        rows[place]["response"] |= {"created_at": 1000 + 10 * (place // 2) + place % 2}
    assert audited(rows, tmp_path).audit["broken"] == 0


FRAME = "[desk] case opened\n[check] comparing tables\n[check] lines: {n} rows read\n[check] bills: {n} rows read\n"
END = "[check] finished in 0.{n}s"
STALLED = "[desk] snapshot store read stalled (30 s), closing session"


def desk(task: int, attempt: int, reward: float, log: str, *, match: bool | None) -> Json:
    fields: Json = {"desk_log": log.format(n=3 + task % 5)}
    return worked(task, attempt, reward, **fields, **({} if match is None else {"ledger_match": match}))


def desks() -> list[Json]:
    return [
        desk(task, attempt, float((task + attempt) % 2), FRAME + END, match=bool((task + attempt) % 2))
        for task in range(12)
        for attempt in range(2)
    ]


def test_a_log_without_the_lines_of_all_others_and_no_verdict_was_cut(tmp_path: Path) -> None:
    ends = ("[desk] snapshot store read stalled", "[desk] worker received SIGTERM", "[check] lost cursor on shard 3")
    cut = FRAME.split("[check] bills", maxsplit=1)[0]
    rows = desks() + [desk(12 + at, 0, 0.0, cut + end, match=None) for at, end in enumerate(ends)]
    assert audited(rows, tmp_path).audit["not_judged"] == 3


def test_a_log_that_stops_at_words_about_the_work_is_judged(tmp_path: Path) -> None:
    cut = FRAME.split("[check] bills", maxsplit=1)[0] + "[check] the bill of room {n} is written twice"
    rows = desks() + [desk(12 + at, 0, 0.0, cut, match=False) for at in range(4)]
    assert audited(rows, tmp_path).audit["not_judged"] == 0


@pytest.mark.parametrize(
    ("words", "unjudged"),
    [
        ("E: Failed to fetch the parts: 503 Service Unavailable\nrun.sh: line 17: runner: command not found", 4),
        ("E: Failed to fetch the parts: 503 Service Unavailable\nmain.c: compilation error: ';' expected", 0),
        ("the parts do not fit together\nthe door of room 3 stays open", 0),
    ],
)
def test_a_log_that_never_got_to_the_tests_is_unjudged_where_the_machine_is_at_fault(
    words: str, unjudged: int, tmp_path: Path
) -> None:
    head = "[checker] copying tests\n"
    tests = "fetching the runner\ninstalled 5 parts\n== test session starts ==\ncollected 5 items\n"
    rows = [
        worked(task, attempt, float((task + attempt) % 2), check_log=f"{head}{tests}{1 + task % 3} checks were made")
        for task in range(12)
        for attempt in range(2)
    ]
    rows += [worked(12 + at, 0, 0.0, check_log=head + words) for at in range(4)]
    assert audited(rows, tmp_path).audit["not_judged"] == unjudged


RULES = ("opens", "columns", "values", "backup")


def inspected(
    task: int, attempt: int, *, missed: str = "", rules: tuple[str, ...] = RULES, reward: float = 0.0
) -> Json:
    checks = [{"rule": rule, "points": 0.5 if rule == missed else 1, "remark": ""} for rule in rules]
    return worked(task, attempt, reward, inspection=checks)


def inspections() -> list[Json]:
    missed = [RULES[1 + number % 3] for number in range(12)]
    rows = [inspected(task, 0, missed=missed[task]) for task in range(12)]
    return rows + [inspected(task, 1, reward=1.0) for task in range(12)]


def test_checks_of_which_none_fails_and_some_are_absent_broke_off(tmp_path: Path) -> None:
    rows = inspections() + [inspected(task, 2, rules=RULES[:2]) for task in range(3)]
    run = audited(rows, tmp_path)
    assert run.provenance.learned == {"checks": "inspection, '1' passes"}
    assert (run.audit["not_judged"], run.audit["judged_failures"]) == (3, 12)


def test_fewer_checks_with_one_that_fails_are_a_verdict(tmp_path: Path) -> None:
    rows = inspections() + [inspected(task, 2, missed="columns", rules=RULES[:2]) for task in range(4)]
    assert audited(rows, tmp_path).audit["not_judged"] == 0


def marked(task: int, attempt: int, reward: float, report: str = "") -> Json:
    criteria = "C1 (weight 2): met. It names the door.\nC2 (weight 1): not met. The year is missing.\n\n"
    closing = f"A plain answer, {'well' if reward else 'badly'} ordered. MARK: 0.{task % 10}"
    return worked(task, attempt, reward, assessor_report=report or criteria + closing)


def test_a_report_that_breaks_off_before_the_words_that_close_all_others_is_no_verdict(tmp_path: Path) -> None:
    cuts = [
        "C1 (weight 2): met. It names the door of the upper ha",
        "C1 (weight 2): met.\nC2 (weight 1): not met. The y",
        "C1 (weight 2): met. It names the door and the year of the fi",
    ]
    rows = [marked(task, attempt, float((task + attempt) % 2)) for task in range(12) for attempt in range(2)]
    run = audited(rows + [marked(12 + at, 0, 0.0, cut) for at, cut in enumerate(cuts)], tmp_path / "cut")
    assert run.audit["not_judged"] == 3
    same = [
        marked(12 + at, 0, 0.0, f"C1 (weight 2): not met. Door {at} is named by no answer at all") for at in range(3)
    ]
    assert audited(rows + same, tmp_path / "same").audit["not_judged"] == 0, "several end with these words"


def test_a_single_check_with_a_result_is_a_verdict(tmp_path: Path) -> None:
    def goals(task: int, attempt: int, *, passed: bool, several: bool = True) -> Json:
        checks = [{"item": "door", "ok": passed}, {"item": "lamp", "ok": True}]
        return worked(task, attempt, float(passed), state_checks=checks if several else checks[:1])

    rows = [goals(task, 0, passed=task % 2 > 0) for task in range(20)]
    rows += [goals(20 + task, 0, passed=False, several=False) for task in range(5)]
    assert audited(rows, tmp_path).audit["unjudged"] == 0


def test_rows_with_points_were_judged_where_nothing_says_what_a_pass_is(tmp_path: Path) -> None:
    rows = [
        worked(task, 0, 0.1 + 0.08 * (task % 9), goal_report={"results": {"door": True, "lamp": task % 2 > 0}})
        for task in range(30)
    ]
    rows += [worked(30 + task, 0, 0.5 + 0.03 * task) for task in range(8)]
    run = audited(rows, tmp_path)
    assert (run.score_threshold, run.audit["unjudged"]) == (None, 0)


def test_a_flag_that_no_verdict_was_reached_is_believed_where_passes_have_it_set(tmp_path: Path) -> None:
    def flagged(*unset: int, name: str = "reached") -> list[Json]:
        rows = desks()
        for place, one in enumerate(rows):
            one["verdict"] = {name: place not in unset, "seconds": place}
        return rows

    failed = [place for place, one in enumerate(desks()) if one["reward"] == 0.0]
    passed = [place for place, one in enumerate(desks()) if one["reward"] == 1.0]
    assert audited(flagged(*failed[:3]), tmp_path).audit["not_judged"] == 3
    assert audited(flagged(*failed[:3], passed[0]), tmp_path).audit["not_judged"] == 0
    assert audited(flagged(*failed), tmp_path).audit["not_judged"] == 0
    assert audited(flagged(*failed[:3], name="lid_closed"), tmp_path).audit["not_judged"] == 0
