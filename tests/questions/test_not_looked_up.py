"""What failures never look up, and abilities that the model denies."""

from __future__ import annotations

from typing import Any

from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case
from blade.document import Table
from blade.questions import not_looked_up

OPEN = ("open_record(id)",)


def rollout(task: int, *, passed: bool, opened: bool = True, denies: bool = False) -> Case:
    how = ["opened", "open_record"] if opened else ["unseen", ""]
    seen: dict[str, Any] = {"key_values": [[f"A-{task % 10}", *how, 1]]}
    if not passed:
        seen["left_out"] = [["close_record", [f"A-{task % 10}"]]]
    if denies:
        seen["denies"] = [2, "I cannot look up records"]
    made = case(task % 10, passed=passed, observed=seen, actions=() if denies else OPEN)
    made.key = made.label = str(task % 10)
    return made


def test_a_denial_that_goes_with_failing_is_told_and_held_against_the_runs_own_calls() -> None:
    denying = [rollout(task, passed=False, opened=False, denies=True) for task in range(8)]
    others = [rollout(task, passed=True) for task in range(10)]
    answer = not_looked_up.ask([run_of("run", [*denying, *others])])
    assert answer is not None
    (one,) = answer["denials"]["runs"]
    assert (one["rollouts"], one["failures"], one["judged"], one["tool"]) == (8, 8, 18, "open_record")
    told = words(not_looked_up.tell(answer))
    assert (
        "such rollouts fail more often (p = 4.6e-05, corrected): run in 8 of 18 rollouts, 8 of which fail (0, 1, 2"
        in told
    )
    assert "For instance “I cannot look up records”." in told
    assert (
        "The same runs call the tool that shows it elsewhere, so the knowledge is there but unreliable: run calls "
        "open_record in 10 rollouts." in told
    )


def test_a_run_that_never_denies_is_named_beside_those_that_do() -> None:
    denying = [rollout(task, passed=False, opened=False, denies=True) for task in range(8)]
    others = [rollout(task, passed=True) for task in range(10)]
    answer = not_looked_up.ask([run_of("run", [*denying, *others]), run_of("sure", others)])
    assert answer is not None
    told = words(not_looked_up.tell(answer))
    assert "8 of which fail (0, 1, 2, 3, 4, 5, 6 and 7); never in sure. For instance" in told
    assert "They are counted by their wording, so the number is approximate." in told


def test_only_denials_of_the_tool_that_is_named_are_counted_for_it() -> None:
    """Six failures deny what open_record shows, two what open_list shows: the advice names one tool and counts six."""

    def denying(task: int, tool: str) -> Case:
        made = rollout(task, passed=False, opened=False, denies=True)
        made.observed_json = made.observed_json and made.observed_json.replace("A-", f"{tool}-")
        return made

    def opening(task: int, tool: str) -> Case:
        seen = {"key_values": [[f"{tool}-{task}", "opened", tool, 1]]}
        return case(task, passed=True, observed=seen, actions=[tool])

    failing = [*(denying(task, "open_record") for task in range(6)), *(denying(task, "open_list") for task in (6, 7))]
    passing = [opening(task, tool) for task in range(10) for tool in ("open_record", "open_list")]
    answer = not_looked_up.ask([run_of("run", [*failing, *passing])])
    assert answer is not None
    (one,) = answer["denials"]["runs"]
    assert (one["failures"], one["tool"], one["false"]) == (8, "open_record", 6)
    (advice,) = (piece for piece in not_looked_up.advise(answer) if "it cannot look this up" in piece.change)
    assert advice.change.startswith("Say in the prompt what open_record shows")
    assert advice.because.text == (
        "It is the nearest cause known of 6 failures, and their runs call it elsewhere: run 6 (0, 1, 2, 3, 4 and 5)."
    )


def test_denials_as_common_in_passes_are_not_told() -> None:
    rows = [rollout(task, passed=bool(task % 2), opened=True, denies=task < 10) for task in range(20)]
    assert not_looked_up.ask([run_of("run", rows)]) is None


def test_records_that_failures_never_open() -> None:
    unread = [rollout(task, passed=False, opened=False) for task in range(6)]
    others = [rollout(task, passed=True) for task in range(10)]
    answer = not_looked_up.ask([run_of("run", [*unread, *others])])
    assert answer is not None
    assert answer["denials"] is None
    assert words(not_looked_up.tell(answer)) == (
        "In 6 of the 6 judged failures of run, and in none of its 10 passes, a change is left out whose record was "
        "never looked up, though the key or passes open it with a tool that the run calls for others, mostly "
        "open_record (0, 1, 2, 3, 4 and 5; e.g. A-0 in task 0)."
    )


def test_many_runs_that_never_open_records_stand_in_a_table() -> None:
    def rows() -> list[Case]:
        unread = [rollout(task, passed=False, opened=False) for task in range(6)]
        return [*unread, *(rollout(task, passed=True) for task in range(10))]

    answer = not_looked_up.ask([run_of(name, rows()) for name in ("one", "two", "three")])
    assert answer is not None
    (table,) = not_looked_up.tell(answer)
    assert isinstance(table, Table)
    assert table.caption.startswith("Judged failures that leave out a change whose record was never looked up")
    cells = [[getattr(cell, "text", cell) for cell in row] for row in table.rows]
    assert cells[0] == ["one", "6 of 6", "0", "open_record", "0, 1, 2, 3, 4 and 5; e.g. A-0 in task 0"]
    assert [row[0] for row in cells] == ["one", "three", "two"]


def test_a_value_of_a_record_that_was_opened_is_no_record_never_opened() -> None:
    """Ten failures open the record of the change and never see another of its values; ten open neither."""

    def failing(task: int, *, record: str) -> Case:
        values = [[f"A-{task}", record, "open_record" * (record == "opened"), 1], [f"B-{task}", "unseen", "", 0]]
        seen = {"key_values": values, "left_out": [["close_record", [f"A-{task}", f"B-{task}"]]]}
        return case(task, passed=False, observed=seen, actions=OPEN)

    shown = [["opened", "open_record"], ["shown", "open_record"]]
    passes = [
        case(
            task,
            passed=True,
            observed={"key_values": [[f"{name}-{task}", *how, 0] for name, how in zip("AB", shown, strict=True)]},
            actions=OPEN,
        )
        for task in range(20)
    ]
    failures = [failing(task, record="opened" if task < 10 else "unseen") for task in range(20)]
    answer = not_looked_up.ask([run_of("run", [*passes, *failures])])
    assert answer is not None
    (one,) = answer["unread"]
    assert (one["failures"], one["tasks"]) == (10, [str(task) for task in range(10, 20)])
