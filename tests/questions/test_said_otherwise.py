"""Required numbers that a failure says in another form than the verifier looks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, run_of, said, task_row, user, words
from tests.test_every_section import look_up

from blade.extract.attempt import Attempt
from blade.extract.failure_shape import EXTRA, OMISSION, RIGHT
from blade.extract.said_otherwise import said_otherwise
from blade.questions import said_otherwise as question

TASKS = 10
CLOSED = called("close_shop", {"shop": "s1"}, "ok")


def _denied(*texts: str) -> Json:
    """A verdict of which each check names one text that it did not find."""
    return {"checks": [{"wanted": text, "heard": False} for text in texts]}


def _quotes(verifier: Json, *messages: str, passed: bool = False, **fields: Any) -> Any:
    made = task_row(1, *(said(text) for text in messages), passed=passed, verifier=verifier, **fields)
    return said_otherwise(Attempt(made)).get("said_otherwise")


@pytest.mark.parametrize(
    ("required", "message", "quote"),
    [
        ("1234", "The lamp costs 1,234 crowns.", "The lamp costs 1,234 crowns."),
        ("1,234.50", "Good day.\nIt   costs 1234.5 crowns.\nThank you.", "It costs 1234.5 crowns."),
        ("$1,234.00", "That makes 1234 dollars.", "That makes 1234 dollars."),
        ("12.50 crowns", "It is 12 crowns and 50 cents.", "It is 12 crowns and 50 cents."),
        ("1,012.05", "It is 1012 crowns and 5 cents.", "It is 1012 crowns and 5 cents."),
        ("0.50 crowns", "It is 0.5 of a crown.", "It is 0.5 of a crown."),
        ("1200", "1,200", "1,200"),
    ],
)
def test_a_number_in_another_form_is_quoted_with_its_line(required: str, message: str, quote: str) -> None:
    assert _quotes(_denied(required), message) == [[required, quote]]


@pytest.mark.parametrize(
    ("required", "messages"),
    [
        pytest.param("1234.5", ["The lamp costs 1234.5."], id="as required"),
        pytest.param(
            "Shelf 1200", ["It is on shelf 1200, I see.", "That is 1,200."], id="as required in other letters"
        ),
        pytest.param("1234", ["The lamp costs 1,235."], id="another number"),
        pytest.param("1234", ["The lamp costs 12,345 or 51,234 or 1,234.5 or 1,234,000."], id="a part of a number"),
        pytest.param("1234", ["The lamp is L1,234."], id="the end of a name"),
        pytest.param("1234", ["The lamp is 1,234B or 1,234.5.6."], id="the beginning of a name"),
        pytest.param("5.0", ["A pack of 5."], id="few digits"),
        pytest.param("1234 of 4", ["It is 1,234 of 4."], id="two numbers"),
        pytest.param("blue", ["The lamp is bluish."], id="no number"),
        pytest.param("1234", [], id="nothing said"),
        pytest.param(f"1234 {'crowns ' * 12}", ["It costs 1,234."], id="a long text"),
    ],
)
def test_what_is_said_as_required_or_not_at_all_is_not_said_otherwise(required: str, messages: list[str]) -> None:
    assert _quotes(_denied(required), *messages) is None


@pytest.mark.parametrize(
    ("verifier", "found"),
    [
        ({"missing": ["1234"]}, True),
        ({"report": {"unmetNeeds": ["1234"]}}, True),
        ({"checks": [{"wanted": "1234", "heard": False}, {"wanted": "tea", "heard": True}]}, True),
        ({"one": {"two": {"wanted": "1234", "heard": False}}}, True),
        ({"found": ["1234"]}, False),
        ({"checks": [{"wanted": "1234", "heard": True}]}, False),
        ({"checks": [{"wanted": "1234", "heard": False, "sure": True}]}, False),
        ({"checks": [{"wanted": "1234", "note": "of the lamp", "heard": False}]}, False),
        ({"checks": [{"wanted": "1234", "heard": None}]}, False),
    ],
)
def test_required_is_what_the_verdict_says_it_did_not_find(verifier: Json, *, found: bool) -> None:
    assert _quotes(verifier, "The lamp costs 1,234.") == ([["1234", "The lamp costs 1,234."]] if found else None)
    assert _quotes(verifier, "The lamp costs 1,234.", passed=True) is None, "nothing was lost"


def test_the_last_message_is_quoted_and_only_the_models_own() -> None:
    assert _quotes(_denied("1234"), "First 1,234 crowns.", "In all 1,234 crowns.") == [["1234", "In all 1,234 crowns."]]
    asked = task_row(1, said("How much?"), user("I pay 1,234."), said("Fine."), passed=False, verifier=_denied("1234"))
    assert said_otherwise(Attempt(asked)) == {}


def test_an_expected_answer_of_the_key_counts_as_required() -> None:
    key = {"expected_actions": [{"name": "close_shop", "arguments": {"shop": "s1"}}], "expected_outputs": ["1234.50"]}
    asked = user("How much is the lamp?")
    made = task_row(1, asked, said("It is 1,234.5 crowns."), CLOSED, said("Done."), passed=False, verifier=key)
    assert said_otherwise(Attempt(made)) == {"said_otherwise": [["1234.50", "It is 1,234.5 crowns."]]}


def _rows(otherwise: int, wrong: int = 0) -> list[Json]:
    """The first rollouts say the price with a comma, the next ones another price, the rest as it is looked for."""
    made = []
    for task in range(TASKS):
        price = f"{1000 + task:,}" if task < otherwise else str(1000 + task if task >= otherwise + wrong else 999)
        held = task >= otherwise + wrong
        verdict = {"checks": [{"wanted": f"{1000 + task} crowns", "heard": held}]}
        made.append(task_row(task, said(f"The lamp costs {price} crowns."), passed=held, verifier=verdict))
    return made


def test_they_are_told_with_their_words_and_what_the_runs_would_pass(tmp_path: Path) -> None:
    paths = [write(tmp_path / "old.jsonl", _rows(2)), write(tmp_path / "new.jsonl", _rows(5, wrong=1))]
    answer = analysed(*paths).investigation["said_otherwise"]
    assert (answer["rollouts"], answer["tasks"]) == (7, ["0", "1", "2", "3", "4"])
    first = (
        "7 judged rollouts of 5 tasks say the required value in another form than the verifier looks for and fail "
        "(old 2 and new 5): “1000 crowns” is wanted, and the model says “The lamp costs 1,000 crowns.”."
    )
    others = [f"“100{n} crowns” as “The lamp costs 1,00{n} crowns.”" for n in (1, 2, 3)]
    assert words(question.tell(answer)) == (
        f"{first} Others say {others[0]}, {others[1]} and {others[2]}. Tasks: 0, 1, 2, 3 and 4; 3 of 10 judged "
        "rollouts pass there. Counted as passes: old 80.0% → 100.0% and new 40.0% → 90.0% of judged rollouts."
    )
    assert [head.text for head in question.brief(answer)] == [first]
    (step,) = question.advise(answer)
    assert (step.kind, step.rollouts, step.before_scores) == ("verifier", 7, True)
    assert step.change == (
        "Have the verifier compare required numbers by value, not letter by letter, or say in the prompt how they are "
        "to be written"
    )
    assert step.because.text == "7 judged rollouts say the required number in another form and fail."


def test_numbers_stand_where_their_proofs_say(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "new.jsonl", _rows(5))).investigation["said_otherwise"]
    sentences = [*question._sentences(answer), *(step.because for step in question.advise(answer))]
    facts = [fact for sentence in sentences for fact in sentence.facts]
    assert len(facts) == 5
    for fact in facts:
        found = look_up({"investigation": {"said_otherwise": answer}}, fact.proof["args"]["path"])
        assert (len(found) if isinstance(found, list) else found) == fact.value, fact


def _told(*observed: Json | None, passed: bool = False) -> Json | None:
    cases = [case(task, passed=passed, observed=record) for task, record in enumerate(observed)]
    return question.ask([run_of("run", cases)])


SAID = {"said_otherwise": [["1200", "It is 1,200."]]}


def test_a_few_rollouts_of_several_tasks_must_show_it() -> None:
    assert _told(SAID, SAID, SAID) is not None
    assert _told(SAID, SAID, None, None) is None
    of_one_task = [case(1, passed=False, observed=SAID, attempt=attempt) for attempt in range(5)]
    assert question.ask([run_of("run", of_one_task)]) is None
    assert question.ask([run_of("run", [*of_one_task, case(2, passed=False, observed=SAID)])]) is not None


@pytest.mark.parametrize(("shape", "counted"), [(RIGHT, True), (OMISSION, False), (EXTRA, False)])
def test_who_also_changes_something_else_than_expected_fails_for_that(shape: str, *, counted: bool) -> None:
    assert (_told(*[SAID | {"shape": shape}] * 4) is not None) is counted


def test_a_value_that_all_say_as_required_is_no_finding(tmp_path: Path) -> None:
    assert "said_otherwise" not in analysed(write(tmp_path / "new.jsonl", _rows(0, wrong=6))).investigation


@pytest.mark.parametrize("also", ["7777", "the tin lamp"])
def test_who_leaves_out_another_required_value_fails_for_that(also: str) -> None:
    assert _quotes({"missing": ["1234", also]}, "The lamp costs 1,234.") is None


def test_a_pass_is_not_counted_as_a_failure_once_more() -> None:
    assert _told(SAID, SAID, SAID, SAID, passed=True) is None
