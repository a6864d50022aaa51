"""Phrases of a rollout: three words in a row, by whose words they are."""

from __future__ import annotations

import json

import pytest
from tests.gym_rows import message, response, row

from blade.extract.attempt import Attempt
from blade.extract.phrases import (
    ACTORS,
    CALLS,
    ENVIRONMENT,
    EVERY,
    MODEL,
    MOST,
    THOUGHTS,
    USER,
    packed,
    phrases_of,
    spans,
    steps_of,
    texts_of,
    unpacked,
)


def phrases(text: str) -> set[int]:
    return set(unpacked(packed([text.encode()])[0])[0].tolist())


def test_words_are_the_same_phrase_wherever_they_stand() -> None:
    (mark,) = phrases("am unable to")
    assert mark in phrases("Sorry, but I AM unable\tto find ordër 12.")
    assert mark not in phrases("I am. Unable to")
    assert mark not in phrases("I am unable\nto")
    assert mark not in phrases("I am really unable to")


def test_numbers_and_ids_are_one_word() -> None:
    assert phrases("item W2378156 not found") == phrases("item 7 not found")
    assert phrases("item W2378156 not found") != phrases("item chair not found")
    assert not phrases("1 22 a3 444")


def test_the_words_are_found_again_behind_letters_of_several_bytes() -> None:
    text = "Été, “déjà” – I am unable to help. Bye."
    (mark,) = phrases("am unable to")
    ((place, number, start, end),) = spans(["Nothing here.", text], [mark])
    assert (place, number, text[start:end]) == (1, mark, "am unable to")


def test_texts_are_searched_alike_together_and_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["I am unable to. am unable to", "", "we are", "unable to", "über: am unable to go", "x" * 50]
    marks = sorted(phrases("am unable to") | phrases("unable to go"))
    found = list(spans(texts, marks))
    assert [texts[place][start:end] for place, _, start, end in found] == ["am unable to"] * 3 + ["unable to go"]
    monkeypatch.setattr("blade.extract.phrases.LARGEST_BATCH", 1)
    assert list(spans(texts, marks)) == found


def test_each_actor_has_its_own_phrases() -> None:
    call = {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c"}
    output = {"type": "function_call_output", "call_id": "c", "output": "no such item here"}
    said = [message("I look it up"), call, output, message("you are very kind", role="user")]
    silent = texts_of(Attempt(row(response=response())))
    before, facts, after = phrases_of([silent, texts_of(Attempt(row(response=response(*said)))), silent])
    assert set(unpacked(facts[MODEL])[0].tolist()) == phrases("I look it up")
    assert set(unpacked(facts[ENVIRONMENT])[0].tolist()) == phrases("no such item here")
    assert set(unpacked(facts[USER])[0].tolist()) == phrases("you are very kind")
    assert before == after == dict.fromkeys(ACTORS)


def test_calls_and_reasoning_have_phrases_of_their_own() -> None:
    code = json.dumps({"code": 'import jars\nprint("all of them")'})
    call = {"type": "function_call", "name": "python", "arguments": code, "call_id": "c"}
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Who wrote this?"}]}
    (facts,) = phrases_of([texts_of(Attempt(row(response=response(thought, call))))])
    assert set(unpacked(facts[CALLS])[0].tolist()) == phrases("code import jars") | phrases("print all of them")
    assert set(unpacked(facts[THOUGHTS])[0].tolist()) == phrases("Who wrote this")
    assert facts[MODEL] is None
    (step,) = steps_of(Attempt(row(response=response(call))), CALLS)
    assert len(step.text) == len(code)


def test_a_long_text_keeps_so_many_and_knows_below_which_it_misses_none() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [f"{one}{two}" for one in letters for two in letters]
    every = sorted(phrases(" ".join(words[:400])) | phrases(" ".join(words[398:])))
    kept, limit = unpacked(packed([" ".join(words).encode()])[0])
    assert len(kept) == MOST
    assert kept.tolist() == [mark for mark in every if mark < limit]
    assert unpacked(packed([b"a short text"])[0])[1] == EVERY


def test_texts_read_together_have_the_phrases_of_each_by_itself() -> None:
    texts = [b"one two three four", b"", b"five six. seven eight nine", "zwölf grüne 3 Äpfel und mehr".encode()]
    assert packed(texts) == [packed([text])[0] for text in texts]
    assert packed(texts)[1] is None
