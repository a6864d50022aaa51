"""What are failures given where rewards are graded, are wrong answers given some, and are passes paid by length?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_groups import Given, judged_answers, passes_give_the_key
from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.questions import counts_full_scores, in_order, judged, task_list
from blade.wording import amount, count, fact, percent, plain

TITLE = "Partial reward for failures"
ORDER = 79
FEWEST = 10
MUCH = 0.05
"""Failures that are given less on average make no difference worth a word."""
HEAP = 0.3
PLACES = 4
FEWEST_PASSES = 4
FEWEST_LENGTHS = 3
EXACTLY = 1e-6
MOST_TOLD = 3
SURELY = 1.0


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run: passes, the mean reward of failures, their commonest reward, and what answers beside the key are given.

    `full` says that nobody declared what a pass is, so that a full score counts as one.
    """
    entries = [entry for run in runs if (entry := _entry(run.run.name, judged(run))) is not None]
    lengths = [entry for run in runs if (entry := _by_length(run)) is not None]
    if not entries and not lengths:
        return None
    wrong = [entry for run in runs if (entry := _wrong(run)) is not None] if entries else []
    return {"full": counts_full_scores(runs), "runs": entries, "wrong": wrong, "lengths": lengths}


def _by_length(run: RunCases) -> dict[str, Any] | None:
    """What each call adds to the reward of a pass, where that holds of all passes exactly."""
    passes = [case for case in run.observing("calls") if case.passed and case.observed["calls"]]
    pairs = sorted((int(case.observed["calls"][1]), case.reward) for case in passes)
    if len(pairs) < FEWEST_PASSES or len({calls for calls, _ in pairs}) < FEWEST_LENGTHS:
        return None
    (fewest, low), (most, high) = pairs[0], pairs[-1]
    step = (high - low) / (most - fewest)
    if abs(step) < EXACTLY or any(abs(low + step * (calls - fewest) - reward) > EXACTLY for calls, reward in pairs):
        return None
    ends = {"fewest": fewest, "most": most, "low": round(low, PLACES), "high": round(high, PLACES)}
    return {"run": run.run.name, "step": round(step, 6), "passes": len(pairs), **ends}


def _wrong(run: RunCases) -> dict[str, Any] | None:
    """Answers that are not the key and are given a part of the reward: how many, and what that is of the mean."""
    cases = judged(run)
    tasks = judged_answers([run])
    comparable, with_key = passes_give_the_key(tasks)
    rows = [entry for task in tasks.values() for entry in task.answered if _beside_the_key(entry)]
    if not comparable or not with_key or len(rows) < FEWEST or not all(0 <= case.reward <= 1 for case in cases):
        return None
    given = math.fsum(entry.case.reward for entry in rows)
    most = max(rows, key=lambda entry: (entry.case.reward, -len(entry.text)))
    return {
        "run": run.run.name,
        "rollouts": len(rows),
        "of": len(cases),
        "points": round(given / len(cases), PLACES),
        "tasks": in_order(entry.case.label for entry in rows),
        "example": {
            "task": most.case.label,
            "answer": most.text,
            "key": most.key[0],
            "reward": round(most.case.reward, PLACES),
        },
    }


def _beside_the_key(entry: Given) -> bool:
    return not entry.case.passed and entry.case.reward > 0 and bool(entry.key) and not entry.meets


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
    lengths = [Paragraph((sentence,)) for sentence in _paid_by_length(answer)]
    if not runs:
        return [*lengths]
    opening = say("Rewards are graded: failures earn partial reward, so the mean reward is above the pass rate.")
    if answer["full"]:
        opening = say("Rewards are graded, so the mean reward is above the share of full scores.")
    items = [*_sentences(runs, full=answer["full"]), *_wrong_answers(answer["wrong"])]
    told = Bullets(tuple(Paragraph((sentence,)) for sentence in items))
    return [Paragraph((opening, *_shared(runs))), told, *lengths]


def _paid_by_length(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer.get("lengths", ())):
        path = ("investigation", "graded_rewards", "lengths", place)
        yield say(
            "Passes of {run} are paid by their length: each call more "
            + ("adds {step}" if entry["step"] > 0 else "costs {step}")
            + ", exactly so in all {passes} ({low} for {fewest} calls, {high} for {most}), so that of two passes the "
            + ("longer" if entry["step"] > 0 else "shorter")
            + " scores more.",
            run=entry["run"],
            step=fact(plain(abs(entry["step"])), entry["step"], *path, "step"),
            passes=amount(entry["passes"], *path, "passes"),
            low=fact(plain(entry["low"]), entry["low"], *path, "low"),
            fewest=amount(entry["fewest"], *path, "fewest"),
            high=fact(plain(entry["high"]), entry["high"], *path, "high"),
            most=amount(entry["most"], *path, "most"),
        )


def _wrong_answers(runs: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    for place, entry in enumerate(runs):
        path = ("investigation", "graded_rewards", "wrong", place)
        example = entry["example"]
        yield say(
            "{many} of {run} give another answer than the key and still earn partial reward, "
            "{points} of its mean reward ({tasks}). The most is {reward}, for '{answer}' where the key says '{key}' "
            "(task {task}).",
            many=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
            run=entry["run"],
            points=fact(f"{100 * entry['points']:.1f} points", entry["points"], *path, "points"),
            tasks=task_list(entry["tasks"]),
            reward=fact(plain(example["reward"]), example["reward"], *path, "example", "reward"),
            answer=example["answer"],
            key=example["key"],
            task=example["task"],
        )


def _sentences(runs: Sequence[Mapping[str, Any]], *, full: bool) -> Iterator[Sentence]:
    for place, entry in enumerate(runs):
        path = ("investigation", "graded_rewards", "runs", place)
        heap = entry["at_value"] >= HEAP * entry["failures"] and entry["value"] > 0
        yield say(
            ("{run} has a full score in {passes}" if full else "{run} passes {passes}")
            + " of {rollouts} ({rate}), and its "
            + ("{failures} below it" if full else "{failures}")
            + (" is" if entry["failures"] == 1 else " are")
            + " given {mean} on average"
            + (", {many} of them exactly {value}" if heap else "")
            + (", {nothing} nothing" if entry["nothing"] else "")
            + ".",
            run=entry["run"],
            passes=amount(entry["passes"], *path, "passes"),
            rollouts=amount(entry["rollouts"], *path, "rollouts"),
            rate=percent(entry["passes"] / entry["rollouts"]),
            failures=fact(
                count(entry["failures"], "rollout" if full else "failure"), entry["failures"], *path, "failures"
            ),
            mean=fact(plain(entry["mean"]), entry["mean"], *path, "mean"),
            many=amount(entry["at_value"], *path, "at_value"),
            value=fact(plain(entry["value"]), entry["value"], *path, "value"),
            nothing=amount(entry["nothing"], *path, "nothing"),
        )


def _shared(runs: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    shared = {entry["value"] if entry["at_value"] >= HEAP * entry["failures"] else 0 for entry in runs}
    if len(shared) == 1 and len(runs) > 1 and (value := shared.pop()) > 0:
        yield say(
            "The most common reward of failures is {value} in all of them: a part of the verdict that an attempt "
            "earns without doing what was asked.",
            value=plain(value),
        )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Settle whether length is to be paid; it mends no failure, and passes can be compared at once."""
    for place, entry in enumerate(answer.get("lengths", ())[:1]):
        path = ("investigation", "graded_rewards", "lengths", place)
        longer = "longer" if entry["step"] > 0 else "shorter"
        yield Advice(
            "verifier",
            f"Settle whether the {longer} of two passes is to earn more; if not, pay every pass the same, and compare "
            "pass rates until then",
            say(
                "Each call more " + ("adds" if entry["step"] > 0 else "costs") + " {step} in all {passes} of {run}.",
                step=fact(plain(abs(entry["step"])), entry["step"], *path, "step"),
                passes=fact(count(entry["passes"], "pass", "passes"), entry["passes"], *path, "passes"),
                run=entry["run"],
            ),
            0,
            SURELY,
        )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """How few pass behind a mean reward, for a few runs; of full scores another question tells."""
    yield from _paid_by_length(answer)
    if answer["full"] or not answer["runs"]:
        return
    parts: list[str | Fact] = []
    for place, entry in enumerate(answer["runs"][:MOST_TOLD]):
        path = ("investigation", "graded_rewards", "runs", place)
        parts += ["; " if place else "", f"{entry['run']} passes ", amount(entry["passes"], *path, "passes")]
        parts += [f" of {entry['rollouts']:,} and its failures are given "]
        parts += [fact(plain(entry["mean"]), entry["mean"], *path, "mean"), " on average"]
    yield Sentence(("Scores are means of graded rewards: ", *parts, "."))
