"""What a failing rollout shows of its own cause, and what becomes of the labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.questions.made_cases import case, run_of

from blade.diagnosis.cases import Case
from blade.diagnosis.rollout_causes import Cause, rollout_causes, sole_acceptances
from blade.diagnosis.task_labels import settle
from blade.findings import Cite, Label, TaskFault, fired

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


def test_a_denial_that_concerns_another_change_denies_no_tool() -> None:
    """The parcel's label is said to be out of reach, while the record that was never opened is of the refund."""
    changes = [["reprint_label", 1], ["send_refund", 2]]
    lacks = {"key_values": [["A-1", "unseen", "", 0]], "left_out": [["send_refund", ["A-1"]]], "expected": changes}
    for said, rule in (
        ("I am unable to look up labels of earlier parcels", None),
        ("I cannot search for refunds", "denies_its_tools"),
        ("I have no way to search", "denies_its_tools"),
    ):
        denies = lacks | {"denies": [3, said]}
        cause = only(*(opened(task) for task in (1, 2, 3)), case(1, passed=False, observed=denies))
        assert (cause and cause.rule) == rule, said


def test_asking_again_and_again_for_what_a_tool_opens() -> None:
    asked = case(1, passed=False, observed=seen(asked_for_id=2))
    cause = only(*(opened(task) for task in (1, 2, 3)), asked)
    assert cause is not None
    assert (cause.label, cause.rule) == ("BI", "asks_instead_of_looking_up")
    once = case(1, passed=False, observed=seen(asked_for_id=1))
    assert only(*(opened(task) for task in (1, 2, 3)), once) is None


def test_work_whose_own_last_test_fails_is_handed_in_knowingly() -> None:
    known = {"known_failure": "lid 4 is loose"}
    cause = only(case(1, passed=False, observed=known))
    assert cause is not None
    assert (cause.label, cause.rule) == ("BI", "hands_in_known_failure")
    assert cause.why == "hands in though its own last test fails: “lid 4 is loose”"
    both = [case(1, passed=False, observed=known), case(2, passed=True, observed=known)]
    assert only(*both) is None, "where those that do it pass, too, it is no sign"


def test_results_that_were_typed_are_no_results() -> None:
    cause = only(case(1, passed=False, observed={"typed_results": [3, ["0.412", "0.733"], 7]}))
    assert cause is not None
    assert (cause.label, cause.rule) == ("BI", "types_results")
    assert "types results by hand that nothing had shown (0.412, 0.733)" in cause.why


def asking(task: int, *, said: int, passed: bool, instructed: int = 1) -> Case:
    record = {
        "requests": [["close", instructed, said]],
        "changes": [["close_record", 1, 1, 1, 0, ""]] if passed else [],
    }
    return case(task, passed=passed, observed=record if passed else record | {"left_out": [["close_record", []]]})


def test_the_user_never_asks_for_what_it_was_told_to_ask_for() -> None:
    passes = [asking(task, said=1, passed=True) for task in range(5)]
    cause = only(*passes, asking(9, said=0, passed=False))
    assert cause is not None
    assert (cause.label, cause.rule) == ("TI", "user_never_asks")
    assert cause.why == "the user never asks for close_record, which its instruction contains and the key expects"
    assert only(*passes, asking(9, said=1, passed=False)) is None
    made = asking(9, said=0, passed=False)
    other = {"changes": [["close_record", 2, 1, 0, 0, ""]]}
    assert only(*passes, case(9, passed=False, observed={**made.observed, **other})) is None, "another one was closed"
    refused = {"changes": [["close_record", 2, 0, 0, 0, ""]]}
    assert only(*passes, case(9, passed=False, observed={**made.observed, **refused})) is not None
    silent = [asking(task, said=0, passed=True) for task in range(5)]
    assert only(*silent, asking(9, said=0, passed=False)) is None


def test_what_is_to_be_asked_for_on_a_condition_may_never_come_up() -> None:
    passes = [asking(task, said=1, passed=True) for task in range(5)]
    assert only(*passes, asking(9, said=0, passed=False, instructed=2)) is None
    never = [asking(9, said=0, passed=False, instructed=2) for _ in range(3)]
    causes = rollout_causes([run_of("a", [*passes, *never])])
    assert {cause.why for cause in causes.values()} == {
        "the user never asks for close_record, which its instruction contains under a condition and the key expects"
    }
    assert len(causes) == 3


def test_work_that_was_complete_when_the_turn_limit_cut_it() -> None:
    ends = [case(task, passed=True, observed={"turns": task}) for task in range(3, 8)]
    cut = [case(task, passed=True, observed={"turns": 30}) for task in (10, 11)]
    right = {"turns": 30, "shape": "all right", "expected": [["close_record", 1]]}
    cause = only(*ends, *cut, case(12, passed=False, observed=right))
    assert cause is not None
    assert (cause.label, cause.rule) == ("TI", "limit_after_work")
    assert cause.why == "all expected changes were made when the limit of 30 turns cut it"
    assert only(*ends, *cut, case(12, passed=False, observed=right | {"shape": "omission"})) is None


def test_a_tool_that_the_rollout_itself_calls_refutes_no_denial() -> None:
    denies = seen("shown", "list_records", denies=[3, "I cannot search"])
    cause = only(*(opened(task) for task in (1, 2, 3)), case(1, passed=False, observed=denies, actions=OPEN))
    assert cause is not None
    assert cause.rule == "record_not_looked_up"


def test_what_a_limit_cut_off_is_not_called_unread() -> None:
    ends = [case(task, passed=True, observed={"turns": task}) for task in range(3, 8)]
    cut = [case(task, passed=True, observed={"turns": 30}) for task in (10, 11)]
    unread = case(1, passed=False, observed=seen("shown", "list_records", turns=30), actions=OPEN)
    assert only(*ends, *cut, opened(1), unread) is None


SHIPPED = "Error: already shipped"


def changing(task: int, *calls: list[Any], passed: bool = True, **more: Any) -> Case:
    """Calls as `circumstances` has them: tool, refusal, the change before, what was read of the object."""
    return case(task, passed=passed, observed={"circumstances": [list(call) for call in calls], **more})


def test_a_change_that_is_refused_in_this_order_and_made_rightly_elsewhere() -> None:
    right = [changing(task, ["move", None, "", {"state": "open"}]) for task in range(5)]
    left = {"left_out": [["move", ["A-1"]]]}
    wrong = [
        changing(9 + task, ["move", SHIPPED, "swap", {"state": "swapped"}], passed=False, **left) for task in range(3)
    ]
    cause = only(*right, *wrong)
    assert cause is not None
    assert (cause.label, cause.rule, cause.tool) == ("UK", "refused_out_of_order", "move")
    assert cause.why == (
        "calls move after swap had changed the same object; it is refused so in 3 rollouts, and none of 5 accepted "
        "calls came after it"
    )
    assert only(*right, *wrong[:2]) is None
    after = [changing(20, ["move", None, "swap", {}])]
    assert only(*right, *after, *wrong) is None, "accepted calls came after it as well"


def test_a_tool_that_does_not_fit_the_state_that_was_read() -> None:
    right = [changing(task, ["swap", None, "", {"state": "open"}]) for task in range(5)]
    given_up = {"errors": [["swap", SHIPPED, 1, SHIPPED, 1, "no_change", ""]], "left_out": [["return", ["A-1"]]]}
    wrong = [
        changing(9 + task, ["swap", SHIPPED, "", {"state": "sent"}], passed=False, **given_up) for task in range(3)
    ]
    cause = only(*right, *wrong)
    assert cause is not None
    assert (cause.label, cause.rule) == ("UK", "unfit_for_state")
    assert "calls swap though it had read state “sent” of the object; it is refused so in 3 rollouts" in cause.why


def test_a_user_who_agrees_to_changes_where_the_key_hands_over_to_a_person() -> None:
    cause = only(case(1, passed=False, observed={"accepted_instead": 1}))
    assert cause is not None
    assert (cause.label, cause.rule) == ("TI", "user_accepts_instead")


def test_a_call_out_of_order_says_why_it_failed() -> None:
    cases = [case(1, passed=False)]
    causes = {id(cases[0]): Cause("UK", "refused_out_of_order", "because o")}
    by_tool = replace(label("1", "BI"), rule="tool_keeps_failing")
    settled = settle([run_of("run", cases)], [by_tool], [], causes, {})
    assert [(one.labels, one.rule) for one in settled.tasks] == [(("UK",), "refused_out_of_order")]


def test_a_user_who_leaves_explains_nothing_where_more_is_wrong() -> None:
    ended = case(1, passed=False)
    ended.show({"user_ends_early": fired(Cite(0, "", 0, 1, "x"), detail="ends")})
    by_user = replace(label("1", "TI"), rule="user_ends_early")
    settled = settle([run_of("run", [ended])], [by_user], [], {}, {}, sole={id(ended)})
    assert settled.tasks[0].labels == ("TI",)
    settled = settle([run_of("run", [ended])], [by_user], [], {}, {}, sole=())
    assert (settled.tasks[0].labels, settled.tasks[0].why) == (
        ("IE",),
        "the user accepts and ends before the agreed change, but something else is wrong as well",
    )


def test_what_else_is_wrong_where_a_user_accepts_and_leaves() -> None:
    shapes = [("omission", False), ("substitution", False), ("omission", True)]
    cases = [case(task, passed=False, observed={"shape": shape}) for task, (shape, _) in enumerate(shapes)]
    for one, (_, unsaid) in zip(cases, shapes, strict=True):
        names = ("user_ends_early", "answer_not_said") if unsaid else ("user_ends_early",)
        one.show({name: fired(Cite(0, "", 0, 1, "x"), detail="so") for name in names})
    assert sole_acceptances([run_of("run", cases)]) == {id(cases[0])}


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


def lost(run: str, task: int, *stages: str | None) -> list[Case]:
    return [
        replace(
            case(task, passed=False),
            run=run,
            attempt=place,
            stage_lost=stage,
            state="ok" if stage is None else "infrastructure",
        )
        for place, stage in enumerate(stages)
    ]


def test_a_task_that_is_lost_in_every_run_is_at_fault_itself() -> None:
    """Task 1 gets no start or no verdict in either run; task 2 in one alone, and each run judges most attempts."""
    fine: tuple[str | None, ...] = (None,) * 8
    one = [*lost("one", 1, "not_judged", "not_judged", None), *lost("one", 2, *fine), *lost("one", 3, *fine)]
    two = [*lost("two", 1, "not_started", "not_started", "no_trial"), *lost("two", 2, "not_judged", "not_judged")]
    two += lost("two", 3, *fine)
    runs = [run_of("one", one), run_of("two", two)]
    labels = [replace(label(task, "IR"), run=run) for run in ("one", "two") for task in "12"]
    settled = settle(runs, labels, [], {}, {})
    assert {(each.run, each.task): each.labels[0] for each in settled.tasks} == {
        ("one", "1"): "TI",
        ("two", "1"): "TI",
        ("one", "2"): "IR",
        ("two", "2"): "IR",
    }
    assert settled.tasks[0].rule == "lost_everywhere"
    assert [(each.run, each.attempt, each.labels) for each in settled.rollouts if each.task == "1"] == [
        ("two", 2, ("IR",))
    ], "an attempt that was never made is nobody's fault but the infrastructure's"
    mostly_lost = [run_of("one", one[:3]), run_of("two", two)]
    assert {each.labels for each in settle(mostly_lost, labels[:1], [], {}, {}).tasks} == {("IR",)}


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


def test_an_environment_that_lacks_what_the_task_names_and_others_find() -> None:
    lacks = case(1, passed=False, observed={"named_paths": [["/orchard", 0]]})
    there = [case(1, passed=False, observed={"named_paths": [["/orchard", 1]]}, attempt=place) for place in (1, 2)]
    cause = only(lacks, *there)
    assert cause is not None
    assert (cause.label, cause.rule) == ("TI", "named_path_is_missing")
    assert cause.why == (
        "the task names /orchard, and the environment lacks it from the first look; 2 other attempts find it"
    )
    assert only(lacks, there[0]) is None
    elsewhere = [replace(other, key="2") for other in there]
    assert only(lacks, *elsewhere) is None, "another task has its own folders"


def test_an_own_command_that_ended_the_process() -> None:
    cause = only(case(1, passed=False, observed={"own_end": "pkill -f press", "cut": 1}))
    assert cause is not None
    assert (cause.label, cause.rule) == ("BI", "own_command_ends_it")
    assert cause.why == "its own last command ended its process: “pkill -f press”"


def refused(*words: str) -> Case:
    return case(1, passed=False, observed={"refused": list(words)})


def test_what_a_verifier_says_of_one_value_beside_the_request() -> None:
    for words, label, rule, why in (
        (
            ("left_out", "wall", "Barn", ""),
            "BI",
            "leaves_out_what_is_asked",
            "leaves out wall, though the request says Barn",
        ),
        (
            ("wrong_type", "n", "integer", "'2'"),
            "BI",
            "breaks_the_type",
            "gives '2' for n, where the tool declares integer",
        ),
        (
            ("equal", "n", "[3.0]", "3"),
            "TI",
            "verifier_refuses_equal",
            "the verifier refuses 3 for n, which is what it wants ([3.0])",
        ),
        (
            ("not_given", "wall", "South", "Barn"),
            "TI",
            "key_wants_what_is_untold",
            "the key wants South for wall, which the request does not say, and refuses Barn, which it does",
        ),
        (
            ("not_given", "wall", "South", ""),
            "TI",
            "key_wants_what_is_untold",
            "the key wants South for wall, which the request does not say",
        ),
    ):
        cause = only(refused(*words))
        assert cause is not None
        assert (cause.label, cause.rule, cause.why) == (label, rule, why)


def test_a_key_that_a_pass_meets_is_not_at_fault() -> None:
    met = case(1, passed=True, attempt=1)
    assert only(refused("not_given", "wall", "South", "Barn"), met) is None
    assert only(refused("equal", "n", "[3.0]", "3"), met) is None
    assert only(refused("left_out", "wall", "Barn", ""), met) is not None


def test_calls_that_end_in_one_complaint_to_the_last() -> None:
    complains = {"same_complaint": [5, "trim: no such option"]}
    cause = only(case(1, passed=False, observed=complains))
    assert cause is not None
    assert (cause.label, cause.rule) == ("BI", "same_complaint_to_the_end")
    assert cause.why == "its last 5 calls all get the same complaint: “trim: no such option”"
    both = [case(1, passed=False, observed=complains), case(2, passed=True, observed=complains)]
    assert only(*both) is None, "where those that end so pass, too, it is no sign"


def of_tokens(task: int, *more: str, passed: bool = False) -> Case:
    """A rollout that was cut at a limit of output tokens."""
    long = case(task, passed=passed)
    cite = Cite(None, "row.response", 0, 4, "long")
    long.show({name: fired(cite, detail="cut") for name in ("truncated_max_tokens", *more)})
    return long


def test_a_limit_of_tokens_that_cuts_nearly_every_rollout_is_no_fault_of_the_model() -> None:
    cause = only(*(of_tokens(task) for task in range(5)))
    assert cause is not None
    assert (cause.label, cause.rule) == ("TI", "token_limit_cuts_nearly_all")
    assert cause.why == "the limit of output tokens cuts 5 of 5 rollouts of its run: it is too low for this model"
    assert only(*(of_tokens(task) for task in range(4))) is None, "four may be chance"
    assert only(*(of_tokens(task) for task in range(5)), case(5, passed=True)) is None, "one in six fits"
    assert only(*(of_tokens(task, "text_loop") for task in range(5))) is None, "these ran in circles"


def test_an_empty_patch_that_is_handed_in_beside_others_that_are_not() -> None:
    nothing = case(1, passed=False, observed={"patches": {"model_patch": None}, "submitted": 1})
    work = case(2, passed=True, observed={"patches": {"model_patch": [1, 0, 0, 4, ""]}, "submitted": 1})
    cause = only(nothing, work)
    assert cause is not None
    assert (cause.label, cause.rule) == ("BI", "hands_in_an_empty_patch")
    assert cause.why == "hands in its work, and the patch is empty (model_patch)"
    assert only(nothing) is None, "nobody hands in a patch here"
    stopped = case(1, passed=False, observed={"patches": {"model_patch": None}})
    assert only(stopped, work) is None, "something stopped it"


def barred(*, expected: bool = False, refused: bool = True) -> Cause | None:
    """A label is printed for a parcel, and then it cannot be sent back, which the key wants."""
    printed: list[Any] = ["print_label", 7, 1, int(expected), 2, "P-104"]
    sent: list[Any] = ["send_back", 8, int(not refused), 1, 4, "P-104"]
    met: list[Any] = ["send_back", "labelled parcels stay" if refused else None, "print_label", {}]
    return only(case(1, passed=False, observed={"changes": [printed, sent], "circumstances": [met]}))


def test_an_expected_change_that_its_own_unexpected_one_made_impossible() -> None:
    cause = barred()
    assert cause is not None
    assert (cause.label, cause.rule) == ("UK", "own_change_bars_it")
    assert cause.why == (
        "calls send_back just as the key does and is refused, after its own print_label, which the key lacks, had "
        "changed the same object"
    )
    assert barred(expected=True) is None, "the key makes that change as well"
    assert barred(refused=False) is None


def cut(task: int, *, passed: bool = False, **observed: Any) -> Case:
    """A rollout that its harness stopped at a limit of turns."""
    stopped = case(task, passed=passed, observed=observed)
    stopped.show({"turn_limit": fired(Cite(None, "row.truncated", 0, 4, "true"), detail="stopped")})
    return stopped


def test_a_limit_alone_is_no_cause_and_calls_made_once_more_before_it_are() -> None:
    assert only(cut(1)) is None
    cause = only(cut(1, going_round=[5, 6]))
    assert cause is not None
    assert (cause.label, cause.rule) == ("BI", "goes_round_to_the_limit")
    assert cause.why == (
        "5 of its last 6 calls were made before and get the answer that they got then, until a limit stops it"
    )
    assert only(case(1, passed=False, observed={"going_round": [5, 6]})) is None, "nothing stopped it"
    assert only(cut(1, going_round=[5, 6]), cut(2, passed=True, going_round=[4, 6])) is None, "passes go round as well"


def outgrown(run: str, *, passed: bool = False) -> Case:
    full = replace(case(1, passed=passed), run=run)
    full.show({} if passed else {"context_overflow": fired(Cite(None, "row.error", 0, 4, "long"), detail="too long")})
    return full


def test_a_conversation_that_outgrows_the_window_is_the_agents_or_where_all_meet_it_the_tasks() -> None:
    alone = only(outgrown("a"), replace(case(1, passed=False), run="b"), replace(case(1, passed=False), run="c"))
    assert alone is not None
    assert (alone.label, alone.rule) == ("BI", "outgrows_the_context")
    every = only(outgrown("a"), outgrown("b"), outgrown("c"), replace(case(1, passed=False), run="d"))
    assert every is not None
    assert (every.label, every.why) == (
        "TI",
        "the task outgrows the context window in 3 of 4 runs, and none passes it",
    )
    passed = only(outgrown("a"), outgrown("b"), outgrown("c"), outgrown("d", passed=True))
    assert passed is not None
    assert passed.label == "BI"


def test_a_host_of_the_task_that_no_call_reaches_is_an_outage_or_the_tasks_fault() -> None:
    lost = case(1, passed=False, observed={"named_hosts": [["fruit.example.org", 0]]})
    reached = case(2, passed=True, observed={"named_hosts": [["fruit.example.org", 1]]})
    cause = only(lost)
    assert cause is not None
    assert (cause.label, cause.rule) == ("TI", "named_host_is_unreached")
    assert cause.why == "the task needs fruit.example.org, and no call gets through to it, here or elsewhere"
    outage = only(lost, reached)
    assert outage is not None
    assert outage.label == "IR"
    assert (
        outage.why
        == "the task needs fruit.example.org, and no call gets through to it, while 1 other attempt reaches it"
    )
    assert only(lost, case(1, passed=True, attempt=1)) is None, "who passes does not need it"


def test_a_change_that_the_model_says_it_made_and_no_call_did() -> None:
    claim = [7, "I have closed record A-1.", "A-1", None]
    cause = only(case(1, passed=False, observed={"unmade": [claim]}))
    assert cause is not None
    assert (cause.label, cause.rule) == ("BI", "claims_an_unmade_change")
    assert cause.why == "says “I have closed record A-1.”, and no call did it"
    assert only(case(1, passed=False, observed={"unmade": [[*claim[:3], 5]]})) is None, "a user had said so first"
