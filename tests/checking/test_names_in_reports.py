"""What an id looks like is learned from the ids of the runs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest

from blade.checking.names import Names
from blade.checking.outcome import ClaimKind
from blade.checking.tokens import is_file, tokens
from blade.model import Task

RANDOM = [hashlib.sha256(str(number).encode()).hexdigest()[:12] for number in range(40)]


def names(tasks: Sequence[str], words: Sequence[str] = ()) -> Names:
    files = frozenset({"rollouts/a.jsonl"})
    return Names((), {task: Task(task, "field", {}, {}) for task in tasks}, {}, files, frozenset(words))


def ids(text: str, known_names: Names) -> list[tuple[str, bool]]:
    return [
        (token.text, token.known)
        for token in tokens(text, known_names)
        if token.kind is ClaimKind.ID and known_names.is_task(token.text)
    ]


@pytest.mark.parametrize(
    "form",
    [
        "Name/{}",
        "org__repo-{}",
        "set #{}",
        "a&b-{}",
        "desk({})",
        "x:{}",
        "a.b.{}",
        "{}/name",
        "Größe-{}",
        "_t{}",
        "~q{}~",
    ],
)
def test_an_id_of_any_form_is_known_and_one_of_that_form_is_made_up(form: str) -> None:
    known_names = names([form.format(number) for number in range(30)])
    real_id, made_up = form.format(7), form.format(4711)
    for text in ("Here {} fails.", "Here `{}` fails.", "It is {}.", "See {}, too"):
        assert ids(text.format(real_id), known_names) == [(real_id, True)]
        assert ids(text.format(made_up), known_names) == [(made_up, False)]
    assert not is_file(made_up, known_names)


def test_random_ids_are_told_by_their_length_and_letters() -> None:
    known_names = names(RANDOM)
    assert ids(f"{RANDOM[3]} fails", known_names) == [(RANDOM[3], True)]
    assert ids("0123456789ab fails", known_names) == [("0123456789ab", False)]
    assert ids("python3.12.4 and model2024xyz run", known_names) == []


def test_what_the_runs_know_as_something_else_is_no_made_up_task() -> None:
    known_names = names([f"sim-{number}" for number in range(10)], ["sim-99"])
    assert ids("sim-99 and sim-98", known_names) == [("sim-98", False)]


def test_bare_numbers_are_ids_only_after_the_word_task() -> None:
    known_names = names([str(number) for number in range(10)])
    assert [
        token.text for token in tokens("3 of 4 times, task 3 in 7 tries", known_names) if token.kind is ClaimKind.ID
    ] == ["3"]


def test_files_and_folders_are_no_ids() -> None:
    known_names = names([f"Name/{number}" for number in range(30)])
    assert ids("`rollouts/a.jsonl`, `notes/todo.md` and src/main/3", known_names) == []
    assert is_file("notes/todo.md", known_names)


def test_names_of_words_alone_are_alike_by_what_joins_them() -> None:
    known_names = names(["fix-the-door", "open-gate", "close-the-old-gate", "paint-wall"], ["front-desk"])
    assert known_names.worded_like_a_task("burn-the-house-down")
    assert not known_names.worded_like_a_task("burn_the_house")
    assert not known_names.worded_like_a_task("front-desk")
    assert not known_names.worded_like_a_task("burn")
    assert not names(["a-1", "b-2", "c-3"]).worded_like_a_task("x-y")
