"""Does the model say that it changed what no call has changed?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import judged
from blade.wording import abridged, count, fact

TITLE = "Changes that the model claims and never made"
ORDER = 87
WEIGHT = 1.3
MOST = 6


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Judged rollouts in which the model says that it changed an object which nothing has changed."""
    rows = [(run.run.name, case) for run in runs for case in judged(run) if "unmade" in case.observed]
    if not rows:
        return None
    rows.sort(key=lambda row: bool(row[1].passed))
    return {
        "rollouts": len(rows),
        "failures": sum(not case.passed for _, case in rows),
        "unrun": sum("unrun" in case.observed for _, case in rows),
        "user_first": sum(case.observed["unmade"][0][3] is not None for _, case in rows),
        "claims": [_claim(run, case) for run, case in rows[:MOST]],
        "left_out": len(rows[MOST:]),
    }


def _claim(run: str, case: Case) -> dict[str, Any]:
    item, sentence, what, user_item = case.observed["unmade"][0]
    return {
        "run": run,
        "task": case.label,
        "attempt": case.attempt,
        "passed": bool(case.passed),
        "item": item,
        "sentence": sentence,
        "object": what,
        "user_item": user_item,
        "unrun": "unrun" in case.observed,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_words(entry),)) for entry in answer["claims"]]
    blocks: list[Block] = [Paragraph((_summary(answer),)), Bullets(tuple(items))]
    if answer["left_out"]:
        left = fact(count(answer["left_out"], "more rollout"), answer["left_out"], *_PATH, "left_out")
        blocks.append(Paragraph((say("Left out here: {left} of this kind.", left=left),)))
    return blocks


def _summary(answer: Mapping[str, Any]) -> Sentence:
    return say(
        "In {rollouts}, {failures} of which "
        + ("fails" if answer["failures"] == 1 else "fail")
        + ", the model tells its user that something was changed, but no successful call changed it"
        + ("; in {unrun} its call has a form that is not executed" if answer["unrun"] else "")
        + ("; in {first} its user had said so before" if answer["user_first"] else "")
        + ".",
        first=fact(f"{answer['user_first']:,}", answer["user_first"], *_PATH, "user_first"),
        unrun=fact(f"{answer['unrun']:,}", answer["unrun"], *_PATH, "unrun"),
        rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
        failures=fact(f"{answer['failures']:,}", answer["failures"], *_PATH, "failures"),
    )


def _words(entry: Mapping[str, Any]) -> Sentence:
    return say(
        "{run}, task {task}, attempt {attempt} ({verdict}): “{sentence}” (item {item}); no accepted call changes "
        "{object}"
        + (": its call has a form that is not executed" if entry["unrun"] else "")
        + ("." if entry["user_item"] is None else "; its user had said so before (item {user_item})."),
        user_item=str(entry["user_item"]),
        run=entry["run"],
        task=entry["task"],
        attempt=str(entry["attempt"]),
        verdict="passes" if entry["passed"] else "fails",
        sentence=entry["sentence"],
        item=str(entry["item"]),
        object=entry["object"],
    )


_PATH = ("investigation", "claimed_changes")


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Hold what is told to the user against what was done."""
    tasks = [f"{claim['run']} {claim['task']}" for claim in answer["claims"] if not claim["passed"]]
    if tasks:
        yield Advice(
            "harness",
            "Have the agent check what it tells its user against its successful calls before it ends",
            say(
                "In {many} it claims a change that no accepted call made ({tasks}).",
                many=fact(count(answer["failures"], "failure"), answer["failures"], *_PATH, "failures"),
                tasks=abridged(tasks, 5),
            ),
            answer["failures"],
            0.5,
        )
