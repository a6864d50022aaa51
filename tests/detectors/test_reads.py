"""A rule reads the text of those it declares, and of nobody else.

The rollouts of all detectors' own tests are changed for one actor at a time: loud words that many rules look for are
added to whatever that actor says, or all of it is taken away. A rule that does not declare the actor says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.detectors.attempts import attempt, call, say, user

from blade.detectors import ACTORS
from blade.extract.attempt import Attempt
from blade.model import StepKind
from blade.registry import plugins

RULES = plugins("detectors")
LOUD = (
    " Error: 503 Service Unavailable, connection refused, no space left on device. I'm sorry, but I can't help."
    " I don't know the answer. Unfortunately this failed and I give up. The answer is \\boxed{41}. 12 * 12 = 154. Done:"
    " I have verified that it works. I will use search next. <tool_call>search</tool_call> Permission denied. It timed"
    " out. Let me assume that it is 7. See /srv/made/up.txt, order 918273645. No module named zzz. Thank you, goodbye."
)
SCREEN = "root@box:/srv# cat notes.txt\nnothing here\nroot@box:/srv# ls\nnotes.txt\nroot@box:/srv#"
KINDS = {
    "task": {StepKind.PROMPT},
    "model": {StepKind.MESSAGE, StepKind.THOUGHT, StepKind.CALL},
    "tool": {StepKind.OUTPUT},
    "user": {StepKind.USER},
    "environment": {StepKind.ENVIRONMENT},
}
SHARED = 40
Change = Callable[[str], str]
CHANGES: dict[str, Change] = {"loud": lambda text: text + LOUD, "silent": lambda _: ""}


@cache
def stories() -> dict[str, list[Attempt]]:
    """The rollouts that the tests of each detector are given, by the detector's name."""
    found: dict[str, list[Attempt]] = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        module = import_module(f"tests.detectors.{path.stem}")
        marks = [mark for item in vars(module).values() for mark in getattr(item, "pytestmark", []) if mark.args]
        cases = [case for mark in marks if mark.name == "parametrize" for case in mark.args[1]]
        found[path.stem.removeprefix("test_")] = [
            value
            for case in cases
            for value in (case if isinstance(case, (tuple, list)) else [case])
            if isinstance(value, Attempt)
        ]
    return found


@cache
def shared() -> list[Attempt]:
    """Some rollouts of all detectors, and some in which everybody says something."""
    everything = [one for known in stories().values() for one in known]
    answered = call("find_note", {"name": "a"}, "found: a note of 12 lines")
    talk = [
        attempt(say("I look."), *answered, say(SCREEN), user("And then?"), say("It is there: 12 lines."), reward=reward)
        for reward in (0.0, 1.0)
    ]
    return [*everything[:: len(everything) // SHARED], *talk]


@cache
def changed(given: Attempt, actor: str, how: str) -> Attempt:
    """The same rollout, but for one actor; none of them for a copy as it is."""
    change = CHANGES.get(how, str)
    row = deepcopy(given.row)
    if actor == "verifier":
        row = {key: value if key.startswith("response") else _texts(value, change) for key, value in row.items()}
        return Attempt(row, given._declared, given._inputs)
    made = Attempt(row, given._declared, given._inputs)
    for step in (*made.prompt, *made.steps):
        if step.kind in KINDS.get(actor, ()):
            step.text = change(step.text)
            step.arguments = step.arguments if change("") else None
    return made


def _texts(value: Any, change: Change) -> Any:
    if isinstance(value, str):
        return change(value) if " " in value else value
    if isinstance(value, list):
        return [_texts(one, change) for one in value]
    return {key: _texts(one, change) for key, one in value.items()} if isinstance(value, dict) else value


def answer(rule: ModuleType, given: Attempt) -> tuple[str, str, str]:
    seen = rule.detect(given)
    return seen.state.value, seen.detail, seen.value


def differences(name: str, actors: Iterator[str]) -> Iterator[str]:
    rule = RULES[name]
    given = [*stories().get(name, []), *shared()]
    plain = [answer(rule, changed(one, "", "")) for one in given]
    for actor in actors:
        for how in CHANGES:
            for one, before in zip(given, plain, strict=True):
                after = answer(rule, changed(one, actor, how))
                if after != before:
                    yield f"{actor} {how}: {before} becomes {after}"


@pytest.mark.parametrize("name", RULES)
def test_the_text_of_others_changes_nothing(name: str) -> None:
    others = (actor for actor in ACTORS if actor not in RULES[name].READS)
    assert list(differences(name, others)) == []


def test_most_rules_change_their_answer_with_the_text_that_they_read() -> None:
    deaf = {name for name, rule in RULES.items() if next(differences(name, iter(rule.READS)), None) is None}
    assert len(deaf) <= len(RULES) // 8, f"more than rules on numbers and single words: {deaf}"
