"""What a failing rollout shows of its own cause, and what becomes of the labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.questions.made_cases import case, run_of

from blade.diagnosis.cases import Case
from blade.diagnosis.rollout_causes import Cause, rollout_causes
from blade.diagnosis.settling import settle
from blade.findings import Label, TaskFault

OPEN = ("open_record(id)",)


def seen(how: str = "unseen", tool: str = "", *, key: int = 0, **more: Any) -> dict[str, Any]:
    """A rollout that left out a change of record A-1."""
    return {"key_values": [["A-1", how, tool, key]], "left_out": [["close_record", ["A-1"]]], **more}


def opened(task: int, attempt: int = 0) -> Case:
    return replace(
        case(task, passed=True, observed={"key_values": [["A-1", "opened", "open_record", 0]]}, actions=OPEN),
        attempt=attempt,
    )


def only(*cases: Case) -> Cause | None:
    found = rollout_causes([run_of("run", cases)])
    return next(iter(found.values()), None)


def test_a_record_that_passes_open_and_this_one_does_not_though_it_opens_others() -> None:
    cause = only(opened(1), case(1, passed=False, observed=seen("shown", "list_records"), actions=OPEN))
    assert cause is not None
    assert (cause.label, cause.rule, cause.value, cause.tool) == ("BI", "record_not_looked_up", "A-1", "open_record")
    assert cause.why == ("never looks up A-1, which the change left out needs, though it calls open_record for others")


def test_what_no_pass_and_no_key_opens_need_not_be_opened() -> None:
    assert only(case(1, passed=False, observed=seen("shown", "list_records"), actions=OPEN)) is None


def test_a_value_that_was_seen_explains_nothing() -> None:
    assert only(opened(1), case(1, passed=False, observed=seen("opened", "open_record"), actions=OPEN)) is None


def test_the_model_denies_a_tool_that_its_run_uses_elsewhere() -> None:
    denies = seen(denies=[3, "I cannot look up records"])
    cause = only(*(opened(task) for task in (1, 2, 3)), case(1, passed=False, observed=denies))
    assert cause is not None
    assert (cause.label, cause.rule) == ("UK", "denies_its_tools")
    assert cause.why == "says “I cannot look up records”, while run calls open_record in 3 other rollouts"
    assert only(opened(1), opened(2), case(1, passed=False, observed=denies)) is None


def test_asking_again_and_again_for_what_a_tool_opens() -> None:
    asked = case(1, passed=False, observed=seen(asked_for_id=2))
    cause = only(*(opened(task) for task in (1, 2, 3)), asked)
    assert cause is not None
    assert (cause.label, cause.rule) == ("BI", "asks_instead_of_looking_up")
    once = case(1, passed=False, observed=seen(asked_for_id=1))
    assert only(*(opened(task) for task in (1, 2, 3)), once) is None


def asking(task: int, *, said: int, passed: bool) -> Case:
    record = {"requests": [["close", 1, said]], "changes": [["close_record", 1, 1, 1, 0, ""]] if passed else []}
    return case(task, passed=passed, observed=record if passed else record | {"left_out": [["close_record", []]]})


def test_the_user_never_asks_for_what_it_was_told_to_ask_for() -> None:
    passes = [asking(task, said=1, passed=True) for task in range(5)]
    cause = only(*passes, asking(9, said=0, passed=False))
    assert cause is not None
    assert (cause.label, cause.rule) == ("TI", "user_never_asks")
    assert cause.why == "the user never asks for close_record, which its instruction holds and the key expects"
    assert only(*passes, asking(9, said=1, passed=False)) is None
    silent = [asking(task, said=0, passed=True) for task in range(5)]
    assert only(*silent, asking(9, said=0, passed=False)) is None


def test_work_that_was_complete_when_the_turn_limit_cut_it() -> None:
    ends = [case(task, passed=True, observed={"turns": task}) for task in range(3, 8)]
    cut = [case(task, passed=True, observed={"turns": 30}) for task in (10, 11)]
    right = {"turns": 30, "shape": "all right", "expected": [["close_record", 1]]}
    cause = only(*ends, *cut, case(12, passed=False, observed=right))
    assert cause is not None
    assert (cause.label, cause.rule) == ("TI", "limit_after_work")
    assert cause.why == "all expected changes were made when the limit of 30 turns cut it"
    assert only(*ends, *cut, case(12, passed=False, observed=right | {"shape": "omission"})) is None


def label(task: str, code: str) -> Label:
    return Label("run", task, (code,), 0.7, False, (), "needs more", "why")


def test_a_sign_settles_what_was_open_and_a_fault_of_the_task_outweighs_what_was_weighed() -> None:
    cases = [case(task, passed=False) for task in range(5)]
    causes = {
        id(cases[0]): Cause("BI", "rule_a", "because a"),
        id(cases[1]): Cause("BI", "rule_a", "because a"),
        id(cases[2]): Cause("TI", "rule_t", "because t"),
        id(cases[3]): Cause("TI", "rule_t", "because t"),
    }
    labels = [label("0", "IE"), label("1", "KG"), label("2", "UK"), label("3", "IR"), label("4", "BI")]
    settled = settle([run_of("run", cases)], labels, (), causes, {"4": TaskFault("its test breaks")})
    found = {one.task: one for one in settled.tasks}
    assert [found[task].labels[0] for task in "01234"] == ["BI", "KG", "TI", "IR", "TI"]
    assert (found["0"].why, found["0"].rule, found["0"].missing) == ("because a", "rule_a", "")
    assert (found["4"].why, found["4"].rule) == ("its test breaks", "task_fault")
    assert found["1"].confidence == 0.7


def attempts(*states: str) -> list[Case]:
    return [replace(case(1, passed=False), state=state, attempt=place) for place, state in enumerate(states)]


def test_attempts_judged_beside_broken_ones_are_weighed_by_themselves() -> None:
    cases = attempts("infrastructure", "infrastructure", "ok", "ok")
    alone = label("1", "KG")
    settled = settle([run_of("run", cases)], [label("1", "IR")], [alone], {}, {})
    assert [(one.attempt, one.labels, one.why) for one in settled.rollouts] == [
        (2, ("KG",), "why"),
        (3, ("KG",), "why"),
    ]
    by_fault = settle([run_of("run", cases)], [label("1", "IR")], [alone], {}, {"1": TaskFault("its test breaks")})
    assert [(one.labels, one.rule) for one in by_fault.rollouts] == [(("TI",), "task_fault")] * 2
    open_still = settle([run_of("run", cases)], [label("1", "IR")], [], {}, {})
    assert [one.labels for one in open_still.rollouts] == [("IE",)] * 2


def test_less_than_half_of_the_failing_attempts_label_no_task_but_themselves() -> None:
    cases = attempts("ok", "ok", "ok")
    causes = {id(cases[0]): Cause("UK", "rule_u", "because u")}
    settled = settle([run_of("run", cases)], [label("1", "IE")], [], causes, {})
    assert settled.tasks[0].labels == ("IE",)
    assert [(one.attempt, one.labels, one.why, one.rule) for one in settled.rollouts] == [
        (0, ("UK",), "because u", "rule_u")
    ]


def test_work_that_is_claimed_and_not_there() -> None:
    cause = only(case(1, passed=False, observed={"absent": "Bucket 'jars' does not exist"}))
    assert cause is not None
    assert (cause.label, cause.rule) == ("BI", "claims_what_is_not_there")
    assert "while the verifier finds that there is nothing to judge: “Bucket 'jars' does not exist”" in cause.why


def test_an_attempt_that_infrastructure_broke_is_labelled_so_beside_a_task_at_fault() -> None:
    broken = replace(case(1, passed=False), attempt=1, state="infrastructure", reason="agent_installation_failed")
    cases = run_of("run", [case(1, passed=False), broken])
    label = Label("run", "1", ("IE",), None, False, (), "", "")
    told = settle([cases], [label], [], {}, {"1": TaskFault("the test itself breaks")})
    assert told.tasks[0].labels == ("TI",)
    assert [(one.attempt, one.labels, one.why) for one in told.rollouts] == [(1, ("IR",), "agent_installation_failed")]
