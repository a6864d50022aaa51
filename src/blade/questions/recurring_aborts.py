"""Does the same abort end the same tasks in every run: the benchmark's or the harness's, and no outage to run again?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.same_aborts import SameAbort, same_aborts
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, percent, printable

TITLE = "Aborts that every run shares"
ORDER = 68
TWO = 2
WAYS = {
    "timed_out": "run out of time",
    "truncated": "are cut off",
    "infrastructure": "are broken by infrastructure",
    "broken": "are broken by infrastructure",
    "verifier_error": "are never judged: the verifier fails",
    "skipped_verification": "are never judged: the verification is skipped",
    "missing": "have no row",
}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The tasks of every abort that all runs share, and each run's score without them."""
    found = same_aborts(runs)
    if not found:
        return None
    return {"runs": len([run for run in runs if run.cases]), "aborts": [_abort(one, runs) for one in found]}


def _abort(one: SameAbort, runs: Sequence[RunCases]) -> dict[str, Any]:
    without = []
    for run in runs:
        left = [case for case in run.cases if case.key not in one.tasks and case.passed is not None]
        passes = sum(bool(case.passed) for case in left)
        without.append({"run": run.run.name, "passes": passes, "rollouts": len(left)})
    return {
        "kind": one.kind,
        "tasks": in_order(one.tasks.values()),
        "of_tasks": len(one.tasks),
        "common": one.common,
        "rollouts": len(one.cases),
        "by_run": dict(Counter(case.run for case in one.cases)),
        "expected": round(one.expected, 2),
        "p": significant(one.p, WRITTEN),
        "words": printable(one.words),
        "cut": one.cut,
        "without": without,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = (Paragraph(tuple(_words(place, one, answer["runs"]))) for place, one in enumerate(answer["aborts"]))
    return [Bullets(tuple(items))]


def _words(place: int, one: Mapping[str, Any], runs: int) -> Iterator[Sentence]:
    path = (*_AT, "aborts", place)
    yield say(
        "In {tasks} of {common} every attempt of {runs} ends alike: the {rollouts} {way} ({names}); by chance "
        "it would be {expected} (p = {p}).",
        tasks=fact(count(one["of_tasks"], "task"), one["of_tasks"], *path, "of_tasks"),
        common=amount(one["common"], *path, "common"),
        runs="both runs" if runs == TWO else f"all {runs:,} runs",
        rollouts=fact(count(one["rollouts"], "rollout"), one["rollouts"], *path, "rollouts"),
        way=WAYS.get(one["kind"], "were lost before they were judged"),
        names=task_list(one["tasks"]),
        expected=fact(_expected(one["expected"]), one["expected"], *path, "expected"),
        p=fact(f"{one['p']:.2g}", one["p"], *path, "p"),
    )
    if one["words"]:
        yield say("Most say: {words}", words=one["words"] if one["words"].endswith(".") else f"{one['words']}.")
    if one["cut"]:
        yield say("These tasks do not fit into the limit as it stands; running them again will end the same way.")
    else:
        yield say(
            "That is the benchmark's or the harness's (an image, an input, a test), not an outage: running them again "
            "will end the same way."
        )
    parts = [
        f"{line['run']} {line['passes']:,} of {line['rollouts']:,} ({percent(line['passes'] / line['rollouts'])})"
        for line in one["without"]
        if line["rollouts"]
    ]
    if parts:
        yield say("Without {them}: {parts}.", them="it" if one["of_tasks"] == 1 else "them", parts=listed(parts))


def _expected(many: float) -> str:
    return f"{many:.2g}" if many >= 0.01 else "fewer than 0.01"


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The abort that hits the most tasks, where nothing was judged."""
    for place, one in enumerate(answer["aborts"]):
        if not one["cut"]:
            path = (*_AT, "aborts", place)
            yield say(
                "{tasks} ({names}) {way} in every attempt of every run: the benchmark's or the harness's fault, not an "
                "outage to run again.",
                tasks=fact(count(one["of_tasks"], "task"), one["of_tasks"], *path, "of_tasks"),
                names=task_list(one["tasks"], 6),
                way=WAYS.get(one["kind"], "were lost before they were judged"),
            )
            return


_AT = ("investigation", "recurring_aborts")
