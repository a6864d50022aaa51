"""Every failed rollout has one mode: the nearest to the cause of all that was noticed."""

from __future__ import annotations

from tests.diagnosis.made_cases import case, run_of, seen

from blade.diagnosis.modes import UNEXPLAINED, find_modes, kind_of, spent_places
from blade.findings import State


def test_the_rule_nearest_to_the_cause_wins() -> None:
    failed = case("t", 0, 0.0, fired={"unknown_tool": seen(), "tool_keeps_failing": seen(value="book")})
    assert kind_of(failed).id == "unknown_tool"


def test_a_failing_tool_is_a_mode_of_its_own_per_tool() -> None:
    modes = find_modes(
        [
            run_of(
                case("t", 0, 0.0, fired={"tool_keeps_failing": seen(value="book")}),
                case("t", 1, 0.0, fired={"tool_keeps_failing": seen(value="look_up")}),
            )
        ]
    )
    assert {mode.id: mode.where for mode in modes} == {
        "tool_keeps_failing_book": {"tool": "book"},
        "tool_keeps_failing_look_up": {"tool": "look_up"},
    }


def test_a_wrong_call_that_fails_is_the_agents_doing() -> None:
    both = {"tool_keeps_failing": seen(value="book"), "wrong_action": seen()}
    one = case("t", 0, 0.0, fired=both)
    find_modes([run_of(one)])
    assert (one.mode, set(one.signs)) == ("wrong_action", {"wrong_action"})


def test_what_was_guarded_explains_nothing() -> None:
    assert kind_of(case("t", 0, 0.0, fired={"unknown_tool": seen(state=State.GUARDED)})).id == UNEXPLAINED


def test_broken_rows_are_not_the_models_doing() -> None:
    broken = case("t", 0, 0.0, state="infrastructure", reason="x: 503", fired=["unknown_tool"])
    assert kind_of(broken).id == "status_infrastructure"


def test_a_status_without_a_rule_is_a_mode_too() -> None:
    assert kind_of(case("t", 0, 0.0, state="truncated")).id == "status_truncated"


def test_passing_rollouts_have_no_mode() -> None:
    passing = case("t", 0, 1.0, fired=["unknown_tool"])
    assert find_modes([run_of(passing)]) == ()
    assert passing.mode is None


def test_modes_are_counted_and_keep_their_identity_between_runs() -> None:
    base = run_of(case("t", 0, 0.0, fired=["unknown_tool"]), case("u", 0, 0.0), case("u", 1, 1.0))
    after = run_of(case("t", 0, 0.0, "b", fired=["unknown_tool"]), case("u", 0, 0.0, "b", state="truncated"), name="b")
    found = {mode.id: mode for mode in find_modes([base, after])}
    assert found["unknown_tool"].runs["a"]["rollouts"] == 1
    assert found["unknown_tool"].runs["a"]["share_of_failures"] == 0.5
    assert {name: mode.trend for name, mode in found.items()} == {
        "unknown_tool": "persisting",
        "status_truncated": "new",
        UNEXPLAINED: "gone",
    }


def test_one_run_has_no_trend_and_cites_its_findings() -> None:
    (mode,) = find_modes([run_of(case("t", 0, 0.0, fired=["unknown_tool"]))])
    assert mode.trend is None
    assert len(mode.findings) == 1


def test_a_limit_that_ends_every_failure_explains_none() -> None:
    stuck = {"turn_limit": seen(), "wrong_answer": seen()}
    failed = [case(f"t{n}", 0, 0.0, state="truncated", fired=stuck if n < 6 else ["turn_limit"]) for n in range(12)]
    found = {mode.id: mode.runs["a"]["rollouts"] for mode in find_modes([run_of(*failed)])}
    assert found == {"wrong_answer": 6, "limit_spent": 6}


def test_a_limit_that_ends_some_failures_explains_them() -> None:
    stuck = {"turn_limit": seen(), "wrong_answer": seen()}
    failed = [case(f"t{n}", 0, 0.0, fired=stuck if n < 6 else ["wrong_answer"]) for n in range(12)]
    found = {mode.id: mode.runs["a"]["rollouts"] for mode in find_modes([run_of(*failed)])}
    assert found == {"wrong_answer": 6, "turn_limit": 6}


def test_an_ending_that_passes_have_too_tells_of_no_limit() -> None:
    ended = {"ends_on_tool_output": seen()}
    failed = [case(f"t{n}", 0, 0.0, fired=ended) for n in range(12)]
    passed = [case(f"p{n}", 0, 1.0, fired=ended) for n in range(6)]
    (mode,) = find_modes([run_of(*failed, *passed)])
    assert mode.id == UNEXPLAINED
    assert mode.runs["a"]["rollouts"] == 12


def test_a_silence_in_which_passes_end_too_is_how_rollouts_are_recorded() -> None:
    """A server that takes answers for thinking leaves no last words anywhere: no failure is told by that."""
    silent = {"empty_final": seen()}
    failed = [case(f"t{n}", 0, 0.0, fired=silent) for n in range(4)]
    passed = [case(f"p{n}", 0, 1.0, fired=silent) for n in range(6)]
    assert [mode.id for mode in find_modes([run_of(*failed, *passed)])] == [UNEXPLAINED]
    spoken = [case(f"p{n}", 0, 1.0) for n in range(6)]
    assert [mode.id for mode in find_modes([run_of(*failed, *spoken)])] == ["empty_final"]


def test_a_limit_that_every_failure_of_an_agent_spends_is_no_cut_in_its_other_runs() -> None:
    spent = [case(f"t{n}", 0, 0.0, state="truncated", fired=["turn_limit"]) for n in range(12)]
    some = [case(f"t{n}", 0, 0.0, "b", state="truncated", fired=["turn_limit"]) for n in range(3)]
    rest = [case(f"u{n}", 0, 0.0, "b") for n in range(9)]
    runs = [run_of(*spent), run_of(*some, *rest, name="b")]
    found = {mode.id: (mode.runs["a"]["rollouts"], mode.runs["b"]["rollouts"]) for mode in find_modes(runs)}
    assert found == {"limit_spent": (12, 3), UNEXPLAINED: (0, 9)}
    assert [sum(one.only_spent for one in run.cases) for run in runs] == [12, 3]


def test_a_cut_that_only_some_failures_meet_stays_one() -> None:
    some = [case(f"t{n}", 0, 0.0, state="truncated", fired=["turn_limit"]) for n in range(6)]
    runs = [run_of(*some, *[case(f"u{n}", 0, 0.0) for n in range(9)])]
    find_modes(runs)
    assert spent_places(runs) == {"a": frozenset()}


def test_the_tasks_hit_most_count_a_sign_that_another_mode_explains() -> None:
    """Both tasks fail twice by it alone, and one once more beside an unknown tool."""
    both = {"unknown_tool": seen(), "wrong_action": seen()}
    cases = [case("z", 0, 0.0, fired=["wrong_action"]), case("z", 1, 0.0, fired=["wrong_action"])]
    cases += [case("z", 2, 0.0, fired=both)]
    cases += [case("a", attempt, 0.0, fired=["wrong_action"]) for attempt in range(2)]
    found = {mode.id: mode for mode in find_modes([run_of(*cases)])}
    hit = found["wrong_action"].runs["a"]
    assert hit["any_rollouts"] == 5
    assert hit["examples"] == ["z", "a"]
