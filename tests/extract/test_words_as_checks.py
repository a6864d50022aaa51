"""Records of words are checks where passes have one word alone and failures another beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.extract.test_learned_fields import answered, runs_of
from tests.gym_rows import Json, analysed, read, write

from blade.extract.checks import CheckFields, checks_of, verdict, words_as_flags
from blade.extract.learned_fields import NO_FIELDS, LearnedFields, learn

WORDS = CheckFields("inspection", "", "", "fine", ("broken",))
FINE = {"door": "fine", "roof": "fine", "cellar": "fine"}
IDLE = dict.fromkeys(FINE, "idle")


def inspected(task: int, attempt: int, *, right: bool) -> Json:
    """In a failure the roof is broken; where the task is the third, nothing was looked at."""
    failing = IDLE if task % 3 == 0 else FINE | {"roof": "broken"}
    return answered(task, attempt, right=right, inspection=FINE if right else failing)


def rows_with(failing: Mapping[int, Mapping[str, Any]], usual: Mapping[str, Any], passing: Any = None) -> list[Json]:
    """Twelve passes, and twelve failures with a record of their own by their task."""

    def rollout(task: int, attempt: int, *, right: bool) -> Json:
        record = (passing or FINE) if right else failing.get(task, usual)
        return answered(task, attempt, right=right, inspection=record)

    return runs_of(rollout)


def test_a_word_that_never_stands_beside_that_of_passes_is_no_failure() -> None:
    assert learn(runs_of(inspected)) == LearnedFields(checks=WORDS)


def test_a_record_that_stands_deeper_is_found_by_its_dotted_name() -> None:
    def deep(task: int, attempt: int, *, right: bool) -> Json:
        return answered(
            task, attempt, right=right, visit={"notes": {"roof": FINE if right else FINE | {"roof": "bad"}}}
        )

    assert learn(runs_of(deep)).checks == CheckFields("visit.notes.roof", "", "", "fine", ("bad",))


@pytest.mark.parametrize(("differing", "is_learned"), [(6, True), (5, False)])
def test_half_of_the_failures_must_differ_beside_the_word_of_passes(differing: int, *, is_learned: bool) -> None:
    rows = rows_with({task: FINE | {"roof": "broken"} for task in range(differing)}, FINE)
    assert learn(rows) == (LearnedFields(checks=WORDS) if is_learned else NO_FIELDS)


def test_words_that_never_stand_beside_that_of_passes_show_nothing() -> None:
    assert learn(rows_with({}, dict.fromkeys(FINE, "broken"))) == NO_FIELDS


def test_words_that_passes_mix_are_no_verdicts() -> None:
    assert learn(rows_with({}, FINE | {"roof": "broken"}, FINE | {"roof": "warm"})) == NO_FIELDS


@pytest.mark.parametrize(("words", "is_learned"), [(5, True), (6, False)])
def test_many_different_words_are_no_states(words: int, *, is_learned: bool) -> None:
    states = [f"broken {chr(97 + at)}" for at in range(words)]
    learned = learn(rows_with({task: FINE | {"roof": states[task % words]} for task in range(12)}, FINE))
    assert (learned.checks is not None) is is_learned
    if is_learned:
        assert learned.checks == CheckFields("inspection", "", "", "fine", tuple(states))


@pytest.mark.parametrize(
    "record", [{"roof": "fine"}, FINE | {"floors": 2}, FINE | {"note": "x" * 21}, FINE | {"n": ""}]
)
def test_a_record_of_one_word_or_of_anything_else_is_none(record: Json) -> None:
    assert learn(rows_with({}, record | {"roof": "broken"}, record)) == NO_FIELDS


@pytest.mark.parametrize("state", ["x" * 21, "", 4, None])
def test_failures_without_a_short_word_for_each_check_show_nothing(state: Any) -> None:
    assert learn(rows_with({}, FINE | {"roof": state})) == NO_FIELDS


def test_a_word_of_twenty_letters_is_one() -> None:
    record = FINE | {"roof": "x" * 20}
    assert learn(rows_with({}, record)).checks == CheckFields("inspection", "", "", "fine", ("x" * 20,))


def test_states_are_told_without_what_never_ran() -> None:
    record = {"door": "fine", "roof": "broken", "cellar": "idle"}
    assert words_as_flags(record, WORDS) == {"door": True, "roof": False}
    assert words_as_flags(IDLE, WORDS) == {}


def test_the_checks_of_a_row_are_those_that_ran() -> None:
    record = {"door": "fine", "roof": "broken", "cellar": "idle"}
    (checks,) = checks_of({"inspection": record}, WORDS)
    assert (checks.field, checks.passed, checks.total) == ("inspection", 1, 2)
    assert [(check.name, check.passed, check.field) for check in checks.checks] == [
        ("door", True, "inspection.door"),
        ("roof", False, "inspection.roof"),
    ]
    assert list(checks_of({"inspection": IDLE}, WORDS)) == []


def test_a_run_reads_them_as_its_checks(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", runs_of(inspected))
    facts = read(path)[0].facts
    states = {label: facts.filter(facts["label"] == label)["checks"].to_list() for label in ("3", "4")}
    assert [text and orjson.loads(text) for text in states["3"]] == [None, {"door": 1, "roof": 1, "cellar": 1}]
    assert [orjson.loads(text) for text in states["4"]] == [
        {"door": 1, "roof": 1, "cellar": 1},
        {"door": 1, "roof": 0, "cellar": 1},
    ]
    assert analysed(path).runs[0].provenance.learned == {"checks": "inspection, 'fine' passes"}


@pytest.mark.parametrize(
    ("word", "passed"), [("good", True), ("Good", True), (" good ", True), ("bad", False), ("BAD", False)]
)
def test_good_and_bad_need_no_learning(word: str, *, passed: bool) -> None:
    assert verdict(word) is passed
    (checks,) = checks_of({"checks": {"door": word, "roof": "good"}})
    assert [check.passed for check in checks.checks] == [passed, True]
    assert (checks.field, checks.passed, checks.total) == ("checks", 1 + passed, 2)


@pytest.mark.parametrize("word", ["goods", "not bad", "goodness", "badly", ""])
def test_words_that_only_hold_them_say_neither(word: str) -> None:
    assert verdict(word) is None
