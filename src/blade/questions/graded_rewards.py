"""What are failures given where rewards are graded, and at which value do they heap?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Fact, Paragraph, Sentence, say
from blade.questions import judged
from blade.wording import amount, count, fact, percent, plain

TITLE = "What failures are given"
ORDER = 79
FEWEST = 10
MUCH = 0.05
"""Failures that are given less on average make no difference worth a word."""
HEAP = 0.3
PLACES = 4
MOST_TOLD = 3


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run: passes, the mean reward of failures, their commonest reward and the lowest above none."""
    found = [entry for run in runs if (entry := _entry(run.run.name, judged(run))) is not None]
    return {"runs": found} if found else None


def _entry(run: str, cases: Sequence[Case]) -> dict[str, Any] | None:
    given = [round(case.reward, PLACES) for case in cases if not case.passed and math.isfinite(case.reward)]
    within = all(0 <= case.reward <= 1 for case in cases)
    if len(given) < FEWEST or not within or math.fsum(given) < MUCH * len(given):
        return None
    value, many = max(Counter(given).items(), key=lambda pair: (pair[1], pair[0]))
    return {
        "run": run,
        "rollouts": len(cases),
        "passes": sum(bool(case.passed) for case in cases),
        "failures": len(given),
        "mean": round(math.fsum(given) / len(given), PLACES),
        "value": value,
        "at_value": many,
        "nothing": sum(reward == 0 for reward in given),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    runs = answer["runs"]
    opening = say("Rewards are graded: a failure is no zero, and the mean reward stands above the share of passes.")
    items = tuple(Paragraph((sentence,)) for sentence in _sentences(runs))
    return [Paragraph((opening, *_shared(runs))), Bullets(items)]


def _sentences(runs: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    for place, entry in enumerate(runs):
        path = ("investigation", "graded_rewards", "runs", place)
        heap = entry["at_value"] >= HEAP * entry["failures"] and entry["value"] > 0
        yield say(
            "{run} passes {passes} of {rollouts} ({rate}), and its {failures} are given {mean} on average"
            + (", {many} of them exactly {value}" if heap else "")
            + (", {nothing} nothing" if entry["nothing"] else "")
            + ".",
            run=entry["run"],
            passes=amount(entry["passes"], *path, "passes"),
            rollouts=amount(entry["rollouts"], *path, "rollouts"),
            rate=percent(entry["passes"] / entry["rollouts"]),
            failures=fact(count(entry["failures"], "failure"), entry["failures"], *path, "failures"),
            mean=fact(plain(entry["mean"]), entry["mean"], *path, "mean"),
            many=amount(entry["at_value"], *path, "at_value"),
            value=fact(plain(entry["value"]), entry["value"], *path, "value"),
            nothing=amount(entry["nothing"], *path, "nothing"),
        )


def _shared(runs: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    shared = {entry["value"] if entry["at_value"] >= HEAP * entry["failures"] else 0 for entry in runs}
    if len(shared) == 1 and len(runs) > 1 and (value := shared.pop()) > 0:
        yield say(
            "The commonest reward of failures is {value} in all of them: a part of the verdict that an attempt gets "
            "without doing what was asked.",
            value=plain(value),
        )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """How few pass behind a mean reward, for a few runs."""
    runs = answer["runs"][:MOST_TOLD]
    parts: list[str | Fact] = []
    for place, entry in enumerate(runs):
        path = ("investigation", "graded_rewards", "runs", place)
        parts += ["; " if place else "", f"{entry['run']} passes ", amount(entry["passes"], *path, "passes")]
        parts += [f" of {entry['rollouts']:,} and its failures are given "]
        parts += [fact(plain(entry["mean"]), entry["mean"], *path, "mean"), " on average"]
    yield Sentence(("Scores are means of graded rewards: ", *parts, "."))
