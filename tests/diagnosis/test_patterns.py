"""What only several attempts show: each pattern where it holds, and more cases where it must not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import orjson
import pytest
from tests.diagnosis.made import a_run, attempt, moded, rules, saw

from blade.diagnosis.cases import RunCases
from blade.diagnosis.deciding_steps import deciding_step
from blade.diagnosis.detector_specificity import Habits
from blade.diagnosis.groups import Group, groups
from blade.diagnosis.label_evidence import by_habit, weigh
from blade.diagnosis.patterns import (
    all_runs_fail_alike,
    another_run_passes,
    missing_element,
    same_wrong_answer,
    scattered_wrong_answers,
    shared_errors,
    sometimes_right,
    states_the_answer,
    told_by_health,
    unreliable_element,
)
from blade.findings import Cite, Sighting, State


@pytest.fixture(autouse=True)
def _rules() -> Iterator[None]:
    with rules():
        yield


def answers(*given: str, right: str = "7", name: str = "a") -> RunCases:
    cases = [
        attempt(place, text == right, {} if text == right else saw("zz_wrong"), answer=text)
        for place, text in enumerate(given)
    ]
    return a_run(*cases, name=name)


def acted(*given: tuple[bool, tuple[str, ...]], name: str = "a") -> RunCases:
    return a_run(*(attempt(i, passed, actions=actions) for i, (passed, actions) in enumerate(given)), name=name)


def group(*runs: RunCases) -> Group:
    return next(found for found in groups(runs, moded(*runs)) if found.run == "a")


def test_the_same_wrong_answer() -> None:
    found = same_wrong_answer(group(answers("12", "12 ", "12", "7")))
    assert found is not None
    assert (found.supports, len(found.cases)) == ({"KG": 1.6}, 3)
    assert same_wrong_answer(group(answers("12", "12", "7"))) is None
    assert same_wrong_answer(group(answers("12", "12", "13", "14"))) is None


def test_scattered_wrong_answers() -> None:
    assert scattered_wrong_answers(group(answers("1", "2", "3"))) is not None
    assert scattered_wrong_answers(group(answers("1", "1", "1", "2"))) is None
    assert scattered_wrong_answers(group(answers("1", "2"))) is None
    assert scattered_wrong_answers(group(answers(*(letter * 100 for letter in "xyz")))) is None


def test_an_attempt_that_crashed_before_the_model_did_anything_is_not_among_those_that_answer() -> None:
    crashed = attempt(3, passed=False, noticed=saw("zz_wrong"), answer="9", acts=0)
    run = answers("7", "1", "2")
    for case in run.cases:
        case.acts = 4
    found = sometimes_right(group(a_run(*run.cases, crashed)))
    assert found is not None
    assert found.why == "passes 1 of 4 attempts; 2 of the others answer, and are wrong"
    assert crashed not in found.cases
    found = sometimes_right(group(answers("7", "1", "2")))
    assert found is not None
    assert found.why == "passes 1 of 3 attempts; the others answer, and are wrong"


def test_sometimes_right_speaks_of_content_only() -> None:
    assert sometimes_right(group(answers("7", "1", "2"))) is not None
    assert sometimes_right(group(answers("1", "2"))) is None
    behaved = a_run(attempt(0, True), attempt(1, False, saw("zz_made_up_id"), answer="1"))
    assert sometimes_right(group(behaved)) is None


def test_that_work_passes_now_and_then_shows_nothing_without_the_step_that_decides() -> None:
    work = ("bash(command)",)
    heads = [["knead", "bake"], ["knead", "wait"], ["knead", "bake"], ["knead", "wait"]]
    cases = [
        attempt(n, n % 2 == 0, {} if n % 2 == 0 else saw("zz_wrong", value="flat"), actions=work, acts=3)
        for n in range(4)
    ]
    run = a_run(*cases)
    assert sometimes_right(group(run)) is None, "an answer decides by itself, work does not"
    assert deciding_step(group(run), run) is None
    records = [orjson.dumps({"heads": calls}).decode() for calls in heads]
    cases = [replace(case, observed_json=record) for case, record in zip(cases, records, strict=True)]
    parted = a_run(*cases)
    found = deciding_step(group(parted), parted)
    assert found is not None
    assert (found.supports, found.cases) == ({"UK": 1.4}, (cases[1], cases[3]))
    assert found.why == "passes 2 of 4 attempts; the passing ones call “bake”, the failing ones do not"
    assert deciding_step(group(a_run(*cases[:2])), a_run(*cases[:2])) is None, "one of each tells nothing"
    assert sometimes_right(group(answers("7", "1", "2"))) is not None


def test_another_run_passes() -> None:
    found = another_run_passes(group(answers("1", "2"), answers("7", "7", "1", name="b")))
    assert found is not None
    assert found.supports == {"KG": 1.0, "TI": -1.5}
    weak = another_run_passes(group(answers("1", "2"), answers("7", "3", "1", name="b")))
    assert weak is not None
    assert weak.supports == {"TI": -0.7}
    assert another_run_passes(group(answers("1", "7"), answers("7", name="b"))) is None
    assert another_run_passes(group(answers("1", "2"), answers("3", name="b"))) is None
    assert another_run_passes(group(answers("1", "2"))) is None


def test_an_answer_that_is_given_and_not_granted_is_known() -> None:
    def run(*meeting: bool) -> RunCases:
        cases = [
            replace(
                attempt(place, False, saw("zz_wrong"), answer="7" if meets else "12"),
                observed_json=orjson.dumps({"answer": {"meets": "text" if meets else ""}}).decode(),
            )
            for place, meets in enumerate(meeting)
        ]
        return a_run(*cases)

    found = states_the_answer(group(run(True, False, False)))
    assert found is not None
    assert (found.supports, len(found.cases)) == ({"KG": -2.5, "UK": 1.4}, 2)
    assert found.why == "1 of 3 failing attempts give the expected answer, 2 another"
    alone = states_the_answer(group(run(True, True)))
    assert alone is not None
    assert (alone.supports, alone.cases) == ({"KG": -2.5}, ())
    assert states_the_answer(group(run(False, False))) is None


def test_all_runs_fail_alike() -> None:
    assert all_runs_fail_alike(group(answers("1", "1", "1"), answers("1", "1", "1", name="b"))) is not None
    assert all_runs_fail_alike(group(answers("1", "1", "1"), answers("1", "1", "2", name="b"))) is None
    assert all_runs_fail_alike(group(answers("1", "1", "1"), answers("1", "1", "7", name="b"))) is None
    assert all_runs_fail_alike(group(answers("1", "1"), answers("1", "1", name="b"))) is None
    assert all_runs_fail_alike(group(answers(*"111111"))) is None


def test_a_call_that_passes_share_and_failures_lack() -> None:
    look, act = "look_up(name)", "send(to)"
    theirs = acted(*((True, (look, act)),) * 3, name="b")
    found = missing_element(group(acted((False, (act,)), (False, (act,))), theirs))
    assert found is not None
    assert found.supports == {"KG": 1.2, "BI": 0.5}
    assert "look_up(name)" in found.why
    own = missing_element(group(acted(*((True, (look, act)),) * 3, (False, (act,)), (False, (act,)))))
    assert own is not None
    assert own.supports == {"BI": 1.2, "UK": 0.6}
    assert missing_element(group(acted((False, (act,)), (False, (look, act))), theirs)) is None
    assert missing_element(group(acted((False, (act,))), theirs)) is None
    few = acted(*((True, (look, act)),) * 2, name="b")
    assert missing_element(group(acted((False, (act,)), (False, (act,))), few)) is None


def test_a_tool_that_a_run_never_calls_shows_no_gap_of_knowledge() -> None:
    look, act = "look_up(name)", "send(to)"
    theirs = acted(*((True, (look, act)),) * 3, name="b")
    task = group(acted((False, (act,)), (False, (act,))), theirs)
    assert missing_element(replace(task, tools=frozenset({"send"}))) is None
    assert missing_element(replace(task, tools=frozenset({"send", "look_up"}))) is not None


def test_a_call_that_failures_make_now_and_then_is_no_firm_sign() -> None:
    look, act = "look_up(name)", "send(to)"
    passes = ((True, (look, act)),) * 2
    found = unreliable_element(group(acted(*passes, (False, (act,)), (False, (look, act)))))
    assert found is not None
    assert found.supports == {"UK": 1.6}
    assert not found.firm
    assert unreliable_element(group(acted(*passes, (False, (act,)), (False, (act,))))) is None
    assert unreliable_element(group(acted((False, (act,)), (False, (look, act))))) is None


def test_one_error_class_counts_from_three_tasks() -> None:
    def failing(tasks: int, value: str) -> RunCases:
        return a_run(*(attempt(0, False, saw("zz_syntax", value=value), task=f"t{t}") for t in range(tasks)))

    for tasks, value, known in ((3, "cast", 3), (2, "cast", 0), (3, "", 0)):
        run = failing(tasks, value)
        assert len(shared_errors(groups([run], moded(run)))) == known


def test_programs_that_each_fail_in_their_own_way_share_no_error() -> None:
    """All are compiler errors; three of them in the same words, but for a name, are a gap, three different ones not."""

    def failing(*errors: str) -> RunCases:
        sightings = [
            Sighting(State.FIRED, (Cite(None, "log", 0, len(text), text),), value="compiler error") for text in errors
        ]
        return a_run(*(attempt(0, False, {"zz_syntax": one}, task=f"t{n}") for n, one in enumerate(sightings)))

    apart = failing("error: unexpected token '*'", "error: tactic 'assumption' failed", "error: type mismatch")
    assert not shared_errors(groups([apart], moded(apart)))
    alike = failing(*(f"error: unknown identifier 'Finset{n}'" for n in range(3)))
    assert len(shared_errors(groups([alike], moded(alike)))) == 3


def test_a_cut_at_the_token_limit_blames_nobody_where_no_attempt_fits_into_it() -> None:
    """That an answer has room within the limit is shown by an attempt at the same task that passes."""

    def sources(*passed: bool) -> set[str]:
        cut = [attempt(n, good, {} if good else saw("truncated_max_tokens")) for n, good in enumerate(passed)]
        return {signal.source for signal in weigh(group(a_run(*cut)), Habits()).signals}

    assert "truncated_max_tokens" not in sources(False, False)
    assert "truncated_max_tokens" in sources(False, True)


def test_what_the_health_checks_found_is_taken_over() -> None:
    mine = group(answers("1", "1"), answers("1", name="b"))
    assert told_by_health(mine, (), {}) is None
    suspect = told_by_health(mine, {"t"}, {})
    assert suspect is not None
    assert suspect.supports["TI"] == 1.8
    flaky = told_by_health(mine, (), {"a": ["t"]})
    assert flaky is not None
    assert flaky.supports["TI"] == 3.0
    assert told_by_health(mine, (), {"b": ["t"]}) is None


def test_equal_checks_without_an_answer_are_no_gap_of_knowledge() -> None:
    run = answers("12", "12", "12")
    assert same_wrong_answer(group(run)) is not None
    for case in run.cases:
        case.answer = None
    assert same_wrong_answer(group(run)) is None


def test_an_answer_given_whatever_is_asked_shows_no_gap() -> None:
    def always(text: str, other: str) -> RunCases:
        cases = [attempt(place, False, saw("zz_wrong"), answer=text) for place in range(4)]
        for task in ("u", "v"):
            cases += [attempt(place, True, {}, task=task, answer=other) for place in range(4)]
        return a_run(*cases, name="a")

    assert by_habit(group(always("yes", "yes")))
    assert not by_habit(group(always("yes", "no")))
    shown = always("yes", "yes")
    for one in shown.cases:
        one.answer, one.observed_json = None, orjson.dumps({"answer": {"text": "Yes"}}).decode()
    assert by_habit(group(shown))
    assert not any("KG" in signal.supports for signal in weigh(group(always("yes", "yes")), Habits()).signals)
    assert any("KG" in signal.supports for signal in weigh(group(always("yes", "no")), Habits()).signals)
