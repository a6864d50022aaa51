"""Facts out of runs: planted structure is found, noise gives none, and the same runs give the same facts."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from tests.anchors.made_runs import CATEGORIES, facts, made, noise, planted

from blade.anchors import Anchors, dump
from blade.anchors.anchor import KINDS
from blade.errors import UsageError

RELATIONS = {"concentration", "exclusivity", "extreme", "paired"}


def test_a_planted_concentration_is_found_and_ranks_high(tmp_path: Path) -> None:
    generated = facts(planted(tmp_path / "run.jsonl"))
    hits = [
        fact for fact in generated.facts if fact.kind in {"concentration", "exclusivity"} and "bravo" in fact.entities
    ]
    assert hits, [fact.fact for fact in generated.facts]
    assert generated.facts.index(hits[0]) < 5
    assert "output cut off at the token limit" in hits[0].entities
    assert hits[0].guessability is not None
    assert hits[0].guessability <= 0.01
    assert hits[0].stability is not None
    assert hits[0].stability >= 0.8


def test_the_numbers_of_a_concentration_are_those_of_the_rows(tmp_path: Path) -> None:
    (fact,) = [
        fact
        for fact in facts(planted(tmp_path / "run.jsonl")).facts
        if fact.kind == "exclusivity" and fact.polarity > 0
    ]
    assert fact.predicate is not None
    count = fact.predicate.scope["count"]
    text = (tmp_path / "run.jsonl").read_text()
    assert count == fact.predicate.scope["of"] == text.count("max_output_tokens")
    assert fact.fact.startswith(f"All {count} failed rollouts")


@pytest.mark.slow
def test_noise_gives_hardly_any_relations(tmp_path: Path) -> None:
    """Over six runs: in one of them two may be told of the same category, by the luck of what was drawn."""
    noise_facts = [fact for seed in range(6) for fact in facts(noise(tmp_path / f"{seed}.jsonl", seed)).facts]
    relations = [fact.fact for fact in noise_facts if fact.kind in RELATIONS]
    assert len(relations) <= 3, relations


@pytest.mark.slow
def test_over_many_noisy_runs_relations_stay_rare(tmp_path: Path) -> None:
    kinds = Counter(
        fact.kind for seed in range(20, 32) for fact in facts(noise(tmp_path / f"{seed}.jsonl", seed, 24)).facts
    )
    assert sum(kinds[kind] for kind in RELATIONS) <= 4, kinds


def test_every_fact_is_stable_and_cannot_be_guessed(tmp_path: Path) -> None:
    for fact in facts(planted(tmp_path / "run.jsonl")).facts:
        assert fact.kind in KINDS
        assert fact.guessability is None or fact.guessability <= 0.1
        assert fact.stability is None or fact.stability >= 0.8
        assert fact.entities or fact.kind in {"verifier", "data"}


def test_the_same_runs_give_the_same_bytes_in_any_order_of_rows(tmp_path: Path) -> None:
    path = planted(tmp_path / "a" / "run.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    first, second = facts(path), facts(path)
    assert _bytes(first.facts) == _bytes(second.facts)
    two = tmp_path / "b" / "run.jsonl"
    two.parent.mkdir()
    two.write_bytes(b"".join(lines))
    again = facts(f"a={two}")
    assert {fact.fact for fact in again.facts if fact.kind in RELATIONS} == {
        fact.fact for fact in first.facts if fact.kind in RELATIONS
    }


def _bytes(anchor_facts: tuple[object, ...]) -> bytes:
    return dump(Anchors("b", "m", "from-runs", "2026-01-01", anchor_facts))  # type: ignore[arg-type]


def test_the_facts_of_one_task_carry_its_count_and_words(tmp_path: Path) -> None:
    def outcome(task: int, attempt: int) -> str:
        return "cut" if task == 3 else "wrong" if (task + attempt) % 3 == 0 else "pass"

    generated = facts(made(tmp_path / "run.jsonl", outcome, 20, 4))
    task_fact = next(
        fact for fact in generated.facts if fact.kind in {"task", "task_set"} and "task 3" in fact.entities
    )
    assert task_fact.difficulty == "high"
    assert "4" in task_fact.fact
    assert task_fact.citations
    assert task_fact.citations[0]["task"] == "3"


def test_tasks_that_go_against_the_whole_are_told(tmp_path: Path) -> None:
    def good(task: int, attempt: int) -> str:
        return "wrong" if task == 5 or (task * 7 + attempt) % 5 == 0 else "pass"

    def bad(task: int, attempt: int) -> str:
        return "pass" if task == 5 or (task * 3 + attempt) % 4 == 0 else "wrong"

    good_run, bad_run = made(tmp_path / "good.jsonl", good, 30, 4), made(tmp_path / "bad.jsonl", bad, 30, 4)
    generated = facts(good_run, bad_run, model="good")
    assert any("task `5` passes 0 of 4 times" in fact.fact and "bad" in fact.fact for fact in generated.facts)


def test_one_run_without_slices_and_without_passes_gives_no_error(tmp_path: Path) -> None:
    none = facts(made(tmp_path / "none.jsonl", lambda *_: "wrong", 10, 2))
    assert all(fact.kind in {"task", "task_set", "verifier", "data"} for fact in none.facts)
    every = facts(made(tmp_path / "all.jsonl", lambda *_: "pass", 10, 2))
    assert not every.facts
    assert any("fewer than the 15" in note for note in every.notes)
    single = facts(made(tmp_path / "single.jsonl", lambda *_: "wrong", 1, 1))
    assert len(single.facts) <= 1


def test_hostile_ids_stay_on_one_line_and_inside_their_marks(tmp_path: Path) -> None:
    def label(task: int) -> str:
        return f'id"`{task}\n\u202e| **x**' if task % 2 else f"plain-{task:03d}"

    path = made(
        tmp_path / "run.jsonl",
        lambda task, attempt: "cut" if task in {1, 3} else "wrong" if (task + attempt) % 2 else "pass",
        20,
        4,
        lambda task: f'le"vel`\n{task % 2}',
        label,
    )
    generated = facts(path)
    assert generated.facts
    for fact in generated.facts:
        assert "\n" not in fact.fact
        assert "\u202e" not in fact.fact
        assert not any("\n" in entity for entity in fact.entities)
    assert _bytes(generated.facts)


def test_a_run_is_found_by_its_name_or_its_model(tmp_path: Path) -> None:
    path = made(tmp_path / "model_a.jsonl", lambda *_: "wrong", 8, 2, lambda task: CATEGORIES[task % 4])
    two = made(tmp_path / "model_b.jsonl", lambda *_: "pass", 8, 2)
    assert facts(path, two, model="Model-A").run == "model_a"
    with pytest.raises(UsageError, match="No run fits"):
        facts(path, two, model="quite else")
