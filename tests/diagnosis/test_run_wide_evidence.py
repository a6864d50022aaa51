"""What only all rollouts together settle: the shape beside what a key can do, limits, and calls that were overcome."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.detectors.attempts import attempt, call, user
from tests.diagnosis.made_cases import case, run_of, seen
from tests.gym_rows import analysed, message, read, response, row, write

from blade import api
from blade.diagnosis.cases import Case
from blade.diagnosis.modes import UNEXPLAINED, find_modes
from blade.diagnosis.record_lines import cut_words
from blade.diagnosis.run_wide_evidence import overcome
from blade.extract.stages import CORE, stages
from blade.index.build_index import build
from blade.model import Analysis
from blade.queries.asking import ask
from blade.queries.question_file import Query

PAY = {"name": "pay_bill", "arguments": {"bill": "B-1", "card": "gift"}}


def keyed(task: int, reward: float, *items: Any, **fields: Any) -> dict[str, Any]:
    flat = [one for item in items for one in (item if isinstance(item, list) else [item])]
    made = {"expected_answer": None, "extracted_answer": None, "response": response(*flat), **fields}
    return row(task, 0, reward, **made)


def modes_of(analysis: Analysis) -> dict[str, tuple[int, int]]:
    """Mode → rollouts of it, and rollouts that show its sign, of the first run."""
    counted = {mode.id: mode.runs[analysis.runs[0].name] for mode in analysis.modes}
    return {name: (one["rollouts"], one["any_rollouts"]) for name, one in counted.items()}


def test_a_change_that_the_environment_refuses_is_left_out_by_nobody(tmp_path: Path) -> None:
    paid, other = call("pay_bill", PAY["arguments"], "Error: no balance"), call("pay_bill", {"bill": "B-1"}, "paid")
    rows = [
        keyed(0, 1.0, paid, message("It cannot be paid."), expected_actions=[PAY]),
        keyed(0, 1.0, message("Goodbye."), expected_actions=[PAY], _ng_rollout_index=1),
        keyed(0, 0.0, paid, other, message("It is paid."), expected_actions=[PAY], _ng_rollout_index=2),
    ]
    analysis = analysed(write(tmp_path / "rows.jsonl", rows))
    assert modes_of(analysis) == {"extra_mutation": (1, 1)}
    (story,) = analysis.stories
    assert story["wrong"]["statement"] == (
        "makes a change that is not among those of the key that the environment accepts"
    )


def test_the_modes_count_the_shapes_that_the_table_of_shapes_counts(tmp_path: Path) -> None:
    rejected = call("pay_bill", {"bill": "B-9"}, "Error: no such bill")
    rows = [
        keyed(0, 0.0, rejected, message("Sorry."), expected_actions=[PAY]),
        keyed(1, 0.0, call("pay_bill", {"bill": "B-2"}, "paid"), message("Done."), expected_actions=[PAY]),
        keyed(2, 0.0, call("look", {}, "B-1"), message("Done."), expected_actions=[PAY]),
    ]
    analysis = analysed(write(tmp_path / "rows.jsonl", rows))
    shapes = analysis.investigation["failure_shapes"]["runs"][0]["shapes"]
    assert (shapes["nothing done"] + shapes["omission"], shapes["substitution"]) == (2, 1)
    signs = {name: any_ for name, (_, any_) in modes_of(analysis).items()}
    assert (signs["missing_action"], signs["wrong_action"]) == (2, 1)


def test_a_count_by_shape_counts_what_the_table_of_shapes_counts(tmp_path: Path) -> None:
    paid, other = call("pay_bill", PAY["arguments"], "Error: no balance"), call("pay_bill", {"bill": "B-1"}, "paid")
    rows = [
        keyed(0, 1.0, paid, message("It cannot be paid."), expected_actions=[PAY]),
        keyed(0, 0.0, paid, other, message("It is paid."), expected_actions=[PAY], _ng_rollout_index=1),
        keyed(0, 0.0, message("Goodbye."), expected_actions=[PAY], _ng_rollout_index=2),
    ]
    runs = read(write(tmp_path / "rows.jsonl", rows))
    analysis = api.analyze_runs(runs)
    groups = ask(build(runs, analysis), Query("count", {"where": "failed and not void", "by": ["shape"]})).groups
    counted = {group["levels"]["shape"]: group["counts"]["rollouts"] for group in groups}
    table = analysis.investigation["failure_shapes"]["runs"][0]["shapes"]
    assert counted == {shape: number for shape, number in table.items() if number}
    assert counted["extra"] == 1


def observed(**record: Any) -> str:
    return json.dumps(record)


def failing_tool(stuck: str | None, shape: str, *rules: str) -> Case:
    record = {"shape": shape, **({"stuck": stuck} if stuck else {})}
    fired = {"tool_keeps_failing": seen(value="find"), **{rule: seen() for rule in rules}}
    return case("t", 0, 0.0, fired=fired, observed_json=observed(**record))


def test_a_call_that_failed_on_the_way_explains_nothing_the_key_does_not_show() -> None:
    cases = [
        failing_tool("find", "nothing done", "missing_action"),
        failing_tool(None, "nothing done", "missing_action"),
        failing_tool("find", "substitution", "wrong_action"),
        failing_tool("find", "all right", "answer_not_said"),
        failing_tool("find", "all right"),
    ]
    for place, one in enumerate(cases):
        one.attempt = place
    assert [overcome(one) for one in cases] == [False, True, True, True, True]
    find_modes([run_of(*cases)])
    assert [one.mode for one in cases] == [
        "tool_keeps_failing_find",
        "missing_action",
        "wrong_action",
        "answer_not_said",
        UNEXPLAINED,
    ]
    assert ["tool_keeps_failing_find" in one.signs for one in cases] == [True, False, False, False, False]
    assert ["tool_keeps_failing" in one.fired() for one in cases] == [True, False, False, False, False]


def tried(detail: str, tool: str = "find", failing: str = "find") -> Case:
    fired = {"tool_keeps_failing": seen(value=failing), "missing_action": seen(detail, tool)}
    record = observed(shape="nothing done", stuck=failing)
    return case("t", 0, 0.0, fired=fired, observed_json=record)


def test_another_change_that_the_key_misses_comes_before_a_refused_change() -> None:
    refused = tried("never makes the expected call of 'pay_bill'", "pay_bill", "cancel_bill")
    unread = tried("never makes the expected call of 'pay_bill'", "pay_bill", "find_bill")
    find_modes([run_of(refused, unread)])
    assert (refused.mode, unread.mode) == ("missing_action", "tool_keeps_failing_find_bill")


def test_the_expected_call_with_another_value_says_more_than_that_it_failed() -> None:
    assert overcome(tried("never makes it: it is tried with id '8' and rejected, expected '7'"))
    assert not overcome(tried("never makes it: it is tried and rejected"))
    assert not overcome(tried("never makes it: it is tried with id '8' and rejected, expected '7'", "pay"))


def test_without_a_key_a_tool_that_fails_is_told_as_before() -> None:
    only = case("t", 0, 0.0, fired={"tool_keeps_failing": seen(value="find")})
    find_modes([run_of(only)])
    assert only.mode == "tool_keeps_failing_find"


def test_where_only_an_answer_is_missing_the_calls_of_a_pass_say_nothing(tmp_path: Path) -> None:
    key = {"expected_actions": [PAY], "expected_outputs": ["10"]}
    paid = call("pay_bill", PAY["arguments"], "paid")
    rows = [
        keyed(0, 0.0, call("look", {"n": 1}, "B-1"), paid, message("It is 12."), verifier=key),
        keyed(0, 1.0, call("list", {"n": 2}, "B-1"), paid, message("It is 10."), verifier=key, _ng_rollout_index=1),
    ]
    (story,) = analysed(write(tmp_path / "rows.jsonl", rows)).stories
    assert (story["mode"], story["wrong"]["statement"]) == ("answer_not_said", "never says the expected '10'")
    assert (story["parts"], story["instead"]) == (None, None)


def rounds(many: int, start: int = 0) -> list[Any]:
    return [item for n in range(many) for item in call("look", {"shelf": start + n}, f"shelf {start + n}: jars")]


def test_a_limit_that_no_field_names_is_why_a_rollout_ends(tmp_path: Path) -> None:
    rows = [keyed(n, 0.0, rounds(20, 100 * n)) for n in range(4)]
    rows += [keyed(n, float(n % 2), rounds(4 + n, 100 * n), message("All jars are there.")) for n in range(4, 14)]
    analysis = analysed(write(tmp_path / "rows.jsonl", rows))
    assert modes_of(analysis)["turn_limit"] == (4, 4)
    assert "ends_on_tool_output" not in modes_of(analysis)
    cut = [story for story in analysis.stories if story["mode"] == "turn_limit"]
    assert {story["wrong"]["statement"] for story in cut} == {"the limit of 20 turns cut it, as the counts show"}
    assert next(mode.blame for mode in analysis.modes if mode.id == "turn_limit") == "harness"
    text = api.render(api.report(analysis))
    assert "| turn limit reached | a limit of turns or time | 4 |" in text
    assert "### turn limit reached" not in text  # no rule quotes a place, and another rule's would mislead
    assert "It goes wrong here: the limit of 20 turns cut it, as the counts show." in text
    assert "rounds, without a final message" not in text


def test_a_notice_of_the_harness_is_no_turn_of_the_model(tmp_path: Path) -> None:
    notice = user("Calls left: few. Finish soon.")
    rows = [keyed(n, 0.0, rounds(10, 100 * n), notice, rounds(10, 100 * n + 50)) for n in range(4)]
    rows += [keyed(n, float(n % 2), rounds(4 + n, 100 * n), message("All jars are there.")) for n in range(4, 14)]
    analysis = analysed(write(tmp_path / "rows.jsonl", rows))
    cut = [story for story in analysis.stories if story["mode"] == "turn_limit"]
    assert {story["wrong"]["statement"] for story in cut} == {"the limit of 20 turns cut it, as the counts show"}


def test_a_field_that_names_the_limit_is_told_with_it() -> None:
    cut = case("jars", 0, 0.0, state="truncated", reason="turns_taken: 20 of turns_max 20", cut_at=20)
    assert cut_words(cut) == "the limit of 20 turns cut it (turns_taken: 20 of turns_max 20)"
    unnamed = case("jars", 0, 0.0, state="ok", reason="a remark", cut_at=20)
    assert cut_words(unnamed) == "the limit of 20 turns cut it, as the counts show"


def test_what_another_rule_says_does_not_stand_for_a_limit() -> None:
    kept = {"missing_action": seen("never makes it")}
    cut = [case(f"t{n}", 0, 0.0, fired=kept, observed_json=observed(turns=9)) for n in range(4)]
    other = [case(f"u{n}", 0, float(n % 2), observed_json=observed(turns=3 + n % 5)) for n in range(10)]
    modes = find_modes([run_of(*cut, *other)])
    (limit,) = (mode for mode in modes if mode.id == "turn_limit")
    assert (limit.runs["a"]["rollouts"], limit.findings) == (4, ())


def test_where_passes_stop_at_the_same_number_it_is_no_limit(tmp_path: Path) -> None:
    rows = [keyed(n, float(n < 2), rounds(20, 100 * n), message("Done.")) for n in range(6)]
    rows += [keyed(n, 0.0, rounds(4 + n, 100 * n), message("All jars are there.")) for n in range(6, 14)]
    assert "turn_limit" not in modes_of(analysed(write(tmp_path / "rows.jsonl", rows)))


def test_to_hand_over_to_a_person_is_no_core_action() -> None:
    handed = attempt(call("look", {}, "jars"), call("transfer_to_human", {"why": "angry"}, "done"), user("Bye."))
    assert CORE not in stages(handed)
    assert CORE in stages(attempt(call("pay_bill", {"bill": "B-1"}, "paid")))


@pytest.mark.parametrize(("meets", "mode"), [("text", "wrong_answer"), ("", UNEXPLAINED)])
def test_answers_out_of_messages_are_wrong_only_where_they_are_right_in_passes(meets: str, mode: str) -> None:
    """'The answer is …' may stand in the reasons for an answer: what is read so in passes tells."""
    passes = [
        case(f"p{n}", 0, 1.0, observed_json=observed(answer={"source": "message", "key": ["yes"], "meets": meets}))
        for n in range(4)
    ]
    record = observed(answer={"source": "message", "key": ["yes"], "meets": ""})
    failing = case("t", 0, 0.0, fired={"wrong_answer": seen()}, observed_json=record)
    by_field = case("u", 0, 0.0, fired={"wrong_answer": seen()}, observed_json=observed(answer={"source": "field"}))
    find_modes([run_of(*passes, failing, by_field)])
    assert (failing.mode, by_field.mode) == (mode, "wrong_answer")
