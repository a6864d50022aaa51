"""Rollouts whose simulated user never said a word: the program that plays that part was not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from blade.counting.audit.failed_launches import Opened
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.model import StepKind

FEWEST_TASKS = 3
FEWEST_TURNS = 2
FIRST_OPENED, PASSES_OPENED = 400, 40
SELDOM = 0.1
"""A harness whose users send empty messages by design lets some of their rollouts pass."""


def silent_users(rows: Sequence[Mapping[str, Any]], places: Sequence[int], opened: Opened) -> set[int]:
    """Of the rows at these places without a call those in which each of several turns of the user is empty.

    A model may call nothing because of what a user says, never because of what nobody says. A few tasks must show it.
    """
    idle = [place for place in places if _may_be_silent(rows[place]) and not rows[place]["calls"]]
    silent = _silent(_spread(idle, FIRST_OPENED), opened)
    if not silent:
        return set()
    passes = _spread([place for place, row in enumerate(rows) if row["passed"] and _may_be_silent(row)], PASSES_OPENED)
    if len(_silent(passes, opened)) > SELDOM * len(passes):
        return set()
    silent |= _silent(idle, opened) if len(idle) > FIRST_OPENED else set()
    return silent if len({rows[place]["task"] for place in silent}) >= FEWEST_TASKS else set()


def _may_be_silent(row: Mapping[str, Any]) -> bool:
    return (row["messages"] or 0) >= FEWEST_TURNS


def _spread(places: Sequence[int], most: int) -> Sequence[int]:
    return places if len(places) <= most else [places[number * len(places) // most] for number in range(most)]


def _silent(places: Sequence[int], opened: Opened) -> set[int]:
    place_of = {source: place for place, source in opened(places).items()}
    return {place_of[source] for source, row in open_rows(place_of) if _is_silent(Attempt(row))}


def _is_silent(attempt: Attempt) -> bool:
    turns = [step.text for step in attempt.steps if step.kind is StepKind.USER]
    return len(turns) >= FEWEST_TURNS and not any(text.strip() for text in turns)
