"""Outcomes dealt out by chance, and rollouts dealt out to the runs by chance: hardly any question may claim anything.

Every question that holds failures against passes, or one run against another, is asked of the same two sets of
rollouts, as they were planted (each must speak) and shuffled (at most 5 % may, each question and all together). What is
measured at the key itself or only counted is no such claim.

Over 1,000 shuffles each the shares are 1.4 % for outcomes and 4.9 % for runs, 3.9 % of which the sign test of two runs
claims at its own level of 5 %: other seeds of the second may lie above the bound.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from tests.questions.made_cases import case, words

from blade.counting.audit import reached_limits
from blade.counting.run import Run
from blade.diagnosis import features
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import PhraseFinding
from blade.document import Paragraph
from blade.extract.failure_shape import OMISSION, RIGHT, SUBSTITUTION
from blade.extract.phrases import ACTORS, CALLS, ENVIRONMENT, MODEL, USER
from blade.questions import cut_calls, judged, run_habits, separating_texts, told_on_the_way
from blade.registry import plugins

MOST = 0.05
OUTCOME_CLAIMS = {
    "answer_shapes": "failures? and .* show ",
    "carried_along": "goes with the outcome",
    "cut_calls": "end differently",
    "last_calls": "the same last call",
    "more_room": "pass (less|more) often: ",
    "made_up_values": "made up",
    "not_looked_up": "such rollouts fail more often|never looked up",
    "openings_and_loops": "goes with the outcome|times in a row",
    "patches": "goes with the outcome",
    "repeated_calls": "repeat a call",
    "rewritten_tests": "goes with the outcome",
    "separating_texts": "exact test p = ",
    "simulated_user": "fewer rollouts pass than where it is",
    "step_by_step": "goes with the outcome",
    "told_on_the_way": "goes with (failing|passing)",
    "tool_errors": "goes with (failing|passing)",
}
RUN_CLAIMS = {
    "failure_shapes": "by not acting, .* by acting wrongly",
    "key_size": "That is beyond chance",
    "like_for_like": "beyond chance",
    "lost_attempts": "that is beyond chance",
    "machines_and_models": "used different machines",
    "mechanism": "It occurs in",
    "openings_and_loops": "more often than the other runs",
    "step_by_step": "differ in it beyond chance",
    "told_on_the_way": " more often than ",
    "tool_errors": "(more|less) common in",
}
HABIT_CLAIMS = {"run_habits": "exact test within tasks, corrected"}
UNKNOWN = ("model", "agent", "skills", "system_hash", "tools_hash", "sampling", "model_named")
COUNTED = ("acts", "calls", "messages", "output_tokens", "total_tokens", "output_chars", "final_chars", "final_hash")
Rows = Sequence[tuple[Case, Mapping[str, Any]]]


def _run(name: str, rows: Rows) -> RunCases:
    """Cases with a frame of what questions read of the rows themselves."""
    for one, _ in rows:
        one.run = name
    graded = pl.DataFrame(
        [
            {
                "signals": [],
                "task": one.key,
                "attempt": one.attempt,
                "items": 9,
                "fields": None,
                "state": "ok",
                "ends_on": "message",
                "copy": False,
                "counted": True,
                "passed": one.passed,
                **dict.fromkeys((*UNKNOWN, *COUNTED, *ACTORS)),
                **kept,
            }
            for one, kept in rows
        ]
    )
    limits = reached_limits(graded, ())
    run = cast("Run", SimpleNamespace(name=name, agent="", graded=graded, facts=graded, reached_limits=limits))
    run.__dict__["cut_rows"] = partial(Run.cut_rows, run)
    return RunCases(run, tuple(one for one, _ in rows))


def _signs(chance: random.Random, task: int, *, passed: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a rollout shows. Every sign is drawn for itself; three of four failures have it and one of four passes."""

    def sign() -> bool:
        return chance.random() < (0.25 if passed else 0.75)

    errors = [["find", f"Error {kind}", 1, "Error", 1, "no_change", ""] for kind in range(4) if chance.random() < 0.3]
    errors += [["find", "Error planted", 1, "Error planted", 1, "no_change", ""]] if sign() else []
    unread, answered = sign(), not sign()
    seen = {
        "calls": [chance.randrange(1 << 30), 9],
        "errors": errors,
        "opening": ["find", int(sign()), str(chance.random())],
        "streak": ["think", 12 if sign() else 2],
        "turns": chance.randrange(5, 30),
        "cut": int(sign()),
        "key_values": [[f"A-{task}", *(["unseen", ""] if unread else ["opened", "find"]), 1]],
        "left_out": [["close_record", [f"A-{task}"]]],
        "user_ids": [["#W1", "shown", int(not sign()), 1, 1]],
        "expected": [],
        "answer": {
            "source": "field" if answered else "empty",
            "text": "8" if answered else "",
            "length": int(answered),
            "kind": "number",
            "key": ["7"],
            "key_kind": chance.choice(["number", "text", "list"]),
            "meets": "",
        },
    }
    adds = random.Random(f"files {task} {passed} {seen['calls']}").random() < (0.2 if passed else 0.9)
    rewrites = random.Random(f"tests {task} {passed} {seen['calls']}").random() < (0.2 if passed else 0.9)
    patch = [1, 0, 0, 3, "", 0, 0, chance.randrange(1 << 30), ["a.py"], int(adds), ["b.py"][:adds], 300, []]
    patch += [3, [int(rewrites), []]]
    seen |= {"patches": {"model_patch": None if sign() else patch}, "edited": int(not sign())}
    seen |= {"steps": {"prompt": [9, int(sign()), 7, 7, 7]}, "turns_said": [9, int(sign()), 0]}
    own = random.Random(f"calls {task} {passed}")  # draws of its own leave those of the other signs as they are
    again, stops = (own.random() < (0.25 if passed else 0.75) for _ in range(2))
    seen |= {"same": [1 + again, 3], "closing": ["find", "stop" if stops else str(own.random()), ""]}
    seen |= {"denies": [2, "I cannot look that up"]} if sign() else {}
    seen["heard"] = [[number, 1] for number in range(1, 9) if own.random() < 0.3]
    seen |= {"heard_errors": {"NameError": 1}} if own.random() < (0.25 if passed else 0.75) else {}
    if random.Random(str(seen["calls"])).random() < (0.25 if passed else 0.75):
        seen["made_up"] = [["set", "street", "1 High Street", 4]]
    kept: dict[str, Any] = {"acts": chance.randrange(4, 10) + 4 * sign()}
    for actor in (MODEL, ENVIRONMENT, USER):
        kept[actor] = _packed(chance, planted=sign)
    return seen, kept


def _packed(chance: random.Random, *, planted: Callable[[], bool]) -> bytes:
    """Forty phrases that tell nothing, each in three of ten rollouts, and one that may be planted."""
    marks = [mark for mark in range(100, 140) if chance.random() < 0.3]
    return np.array(sorted(marks + ([7] if planted() else [])), np.uint32).tobytes()


def _planted_outcomes() -> list[RunCases]:
    """Two runs of thirty tasks, two attempts each, of which one fails and shows the signs of failing."""
    chance = random.Random(1)
    runs = []
    for name in ("one", "two"):
        rows = []
        for task in range(30):
            for attempt in range(2):
                passed = (task + attempt) % 2 == 0
                seen, kept = _signs(chance, task, passed=passed)
                made = case(task, passed=passed, observed=seen, actions=["find(q)", "think(t)", "find(q)"])
                made.attempt = attempt
                rows.append((made, kept))
        runs.append(_run(name, rows))
    return runs


def _planted_runs() -> list[Rows]:
    """Two runs of sixty tasks. The first passes those of two changes, opens badly, meets an error, and fails idly."""
    chance = random.Random(2)
    runs: list[Rows] = []
    for first in (True, False):
        rows: list[tuple[Case, Mapping[str, Any]]] = []
        for task in range(60):
            passed = chance.random() < (0.9 if first else 0.15) if task < 24 else task % 2 == 0
            often = chance.random() < (0.75 if first else 0.25)
            size = 2 if task < 24 else 1
            lost = not first and not passed and chance.random() < 0.8
            errors = [["find", "Error", 1, "Error", 1, "no_change", ""]] if often else []
            nudged = random.Random(f"heard {task} {first}")
            seen = {
                "heard": [[number, 1] for number in range(1, 9) if nudged.random() < 0.3],
                "heard_errors": {"NameError": 1} if nudged.random() < (0.75 if first else 0.25) else {},
                "errors": errors + ([["find", "Error lost", 1, "Error lost", 1, "no_change", ""]] if lost else []),
                "opening": ["find", int(chance.random() < (0.75 if first else 0.25)), str(chance.random())],
                "steps": {"prompt": [9, int(chance.random() < (0.75 if first else 0.25)), 7, 7, 7]},
                "turns": chance.randrange(5, 30),
                "expected": [["close", 100 * task + number] for number in range(size)],
                "changes": [["close", 100 * task, 1, 1, 0, ""]],
                "shape": RIGHT if passed else OMISSION if first else SUBSTITUTION,
            }
            made = case(task, passed=passed, observed=seen, actions=["find(q)"] * 9)
            made.stage_lost = "no_trial" if task in {30, 31, 32, 33} else None
            kept = {"machine": "one" if first else "two", "stage_lost": made.stage_lost, "passed": passed}
            rows.append((made, kept))
        runs.append(rows)
    return runs


def _planted_habits() -> list[Rows]:
    """Two runs of 120 tasks. The second writes something in the first 48 alone, and fails them."""
    chance = random.Random(3)
    runs: list[Rows] = []
    for first in (True, False):
        rows: list[tuple[Case, Mapping[str, Any]]] = []
        for task in range(120):
            writes = not first and task < 48
            passed = chance.random() < (0.1 if writes else 0.7)
            made = case(task, passed=passed, actions=["find(q)"])
            rows.append((made, {"passed": passed, CALLS: _packed(chance, planted=partial(bool, writes))}))
        runs.append(rows)
    return runs


def _shuffled_outcomes(runs: Sequence[RunCases], seed: int) -> list[RunCases]:
    chance = random.Random(f"shuffle {seed}")
    made = [RunCases(run.run, tuple(copy(one) for one in run.cases)) for run in runs]
    for run in made:
        rows = judged(run)
        outcomes = [bool(one.passed) for one in rows]
        chance.shuffle(outcomes)
        for one, passed in zip(rows, outcomes, strict=True):
            one.passed, one.failing, one.reward = passed, not passed, float(passed)
    return made


def _shuffled_runs(runs: Sequence[Rows], seed: int) -> list[RunCases]:
    """Which of the two rollouts of a task belongs to which run is tossed."""
    chance = random.Random(f"shuffle {seed}")
    pairs = [chance.sample(pair, 2) for pair in zip(*runs, strict=True)]
    return [_run(name, rows) for name, rows in zip(("one", "two"), zip(*pairs, strict=True), strict=True)]


def _claiming(runs: Sequence[RunCases], claims: Mapping[str, str]) -> set[str]:
    """The questions that claim something in what they tell."""
    found = set()
    for name, pattern in claims.items():
        question = plugins("questions")[name]
        answer = question.ask(runs)
        if answer is not None:
            heads = [Paragraph(tuple(question.brief(answer)))] if hasattr(question, "brief") else []
            if re.search(pattern, words([*question.tell(answer), *heads])):
                found.add(name)
    return found


@pytest.fixture(scope="module", autouse=True)
def _no_files() -> Iterator[None]:
    """The cases stand in no file that a quote could be taken from."""

    def named(findings: Sequence[PhraseFinding]) -> Sequence[PhraseFinding]:
        for finding in findings:
            finding.words = "planted words"
        return findings

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(separating_texts, "find_words", named)
        patch.setattr(features, "find_words", named)
        patch.setattr(run_habits, "find_words", named)
        patch.setattr(cut_calls, "open_rows", lambda _: ())
        patch.setattr(told_on_the_way, "open_rows", lambda _: ())
        yield


def test_every_question_claims_what_was_planted() -> None:
    assert _claiming(_planted_outcomes(), OUTCOME_CLAIMS) == set(OUTCOME_CLAIMS)
    runs = [_run(name, rows) for name, rows in zip(("one", "two"), _planted_runs(), strict=True)]
    assert _claiming(runs, RUN_CLAIMS) == set(RUN_CLAIMS)
    runs = [_run(name, rows) for name, rows in zip(("one", "two"), _planted_habits(), strict=True)]
    assert _claiming(runs, HABIT_CLAIMS) == set(HABIT_CLAIMS)


@pytest.mark.parametrize(
    ("planted", "shuffled", "claims", "times"),
    [
        pytest.param(_planted_outcomes, _shuffled_outcomes, OUTCOME_CLAIMS, 80, id="outcomes"),
        pytest.param(_planted_runs, _shuffled_runs, RUN_CLAIMS, 200, id="runs", marks=pytest.mark.slow),
        pytest.param(_planted_habits, _shuffled_runs, HABIT_CLAIMS, 80, id="habits"),
    ],
)
def test_hardly_any_shuffled_data_set_shows_a_claim(
    planted: Callable[[], Any], shuffled: Callable[[Any, int], list[RunCases]], claims: Mapping[str, str], times: int
) -> None:
    runs = planted()
    found = [_claiming(shuffled(runs, seed), claims) for seed in range(times)]
    each = Counter(name for one in found for name in one)
    assert sum(map(bool, found)) <= MOST * times, each
