"""Does the model say that it changed what no call has changed?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.failure_shape import NOTHING, OMISSION
from blade.questions import in_order, task_list
from blade.wording import abridged, count, fact, listed

TITLE = "Changes that the model claims and never made"
ORDER = 87
WEIGHT = 1.3
MOST = 6
FEWEST = 3
LIKELY = 0.5
OMITS = frozenset({OMISSION, NOTHING})


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Judged rollouts in which the model says that it changed an object which nothing has changed.

    Also failures whose closing words tell of an expected change that they left out.
    """
    rows = [(run.run.name, case) for run in runs for case in run.observing("unmade")]
    left_out = _left_out(runs)
    if not rows and left_out is None:
        return None
    rows.sort(key=lambda row: bool(row[1].passed))
    return {
        "omissions": left_out,
        "rollouts": len(rows),
        "failures": sum(not case.passed for _, case in rows),
        "unrun": sum("unrun" in case.observed for _, case in rows),
        "user_first": sum(case.observed["unmade"][0][3] is not None for _, case in rows),
        "claims": [_claim(run, case) for run, case in rows[:MOST]],
        "left_out": len(rows[MOST:]),
    }


def _left_out(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Failures that leave out an expected change, and those of them that close as if it were made."""
    omitting = [
        case for run in runs for case in run.observing("shape") if not case.passed and case.observed["shape"] in OMITS
    ]
    claiming = [case for case in omitting if "claimed_omission" in case.observed]
    if len(claiming) < FEWEST:
        return None
    of_run, claiming_of_run = Counter(case.run for case in omitting), Counter(case.run for case in claiming)
    tools = Counter(case.observed["claimed_omission"][2] for case in claiming)
    first = claiming[0]
    return {
        "rollouts": len(claiming),
        "of": len(omitting),
        "runs": [{"run": run, "rollouts": claiming_of_run[run], "of": of_run[run]} for run in sorted(of_run)],
        "tools": dict(sorted(tools.items(), key=lambda pair: (-pair[1], pair[0]))),
        "tasks": in_order(case.label for case in claiming),
        "example": {
            "run": first.run,
            "task": first.label,
            "attempt": first.attempt,
            "item": first.observed["claimed_omission"][0],
            "sentence": first.observed["claimed_omission"][1],
            "tool": first.observed["claimed_omission"][2],
        },
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
    blocks: list[Block] = [Paragraph((_summary(answer),)), Bullets(tuple(items))] if items else []
    if answer["omissions"]:
        blocks.insert(0, Paragraph(tuple(_omission_words(answer["omissions"]))))
    if answer["left_out"]:
        left = fact(count(answer["left_out"], "more rollout"), answer["left_out"], *_PATH, "left_out")
        blocks.append(Paragraph((say("Left out here: {left} of this kind.", left=left),)))
    return blocks


def _omission_words(entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path, example = (*_PATH, "omissions"), entry["example"]
    shares = [f"{run['run']} {run['rollouts']:,} of {run['of']:,}" for run in entry["runs"]]
    yield say(
        "{rollouts} of {of} that leave out an expected change and make no wrong one close as if it were made"
        + (" ({runs})" if len(shares) > 1 else "")
        + ": “{sentence}” ({run}, task {task}, attempt {attempt}, item {item}; no accepted call of {tool} does so).",
        rollouts=fact(f"{entry['rollouts']:,}", entry["rollouts"], *path, "rollouts"),
        of=fact(count(entry["of"], "failure"), entry["of"], *path, "of"),
        runs=listed(shares),
        **{name: str(value) for name, value in example.items()},
    )
    tools = [f"{tool} in {rollouts:,}" for tool, rollouts in entry["tools"].items()]
    yield say("Left out: {tools}; tasks {tasks}.", tools=abridged(tools, MOST), tasks=task_list(entry["tasks"]))


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


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Changes that were left out and told as made: the key shows them."""
    if answer["omissions"]:
        yield next(_omission_words(answer["omissions"]))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Hold what is told to the user against what was done."""
    tasks = [f"{claim['run']} {claim['task']}" for claim in answer["claims"] if not claim["passed"]]
    omissions = answer["omissions"]
    if omissions:
        because = say(
            "{many} of {of} that leave out an expected change close as if it were made.",
            many=fact(f"{omissions['rollouts']:,}", omissions["rollouts"], *_PATH, "omissions", "rollouts"),
            of=fact(count(omissions["of"], "failure"), omissions["of"], *_PATH, "omissions", "of"),
        )
    elif tasks:
        because = say(
            "In {many} it claims a change that no accepted call made ({tasks}).",
            many=fact(count(answer["failures"], "failure"), answer["failures"], *_PATH, "failures"),
            tasks=abridged(tasks, 5),
        )
    else:
        return
    yield Advice(
        "harness",
        "Have the agent check what it tells its user against its successful calls before it ends",
        because,
        max(answer["failures"], omissions["rollouts"] if omissions else 0),
        LIKELY,
    )
