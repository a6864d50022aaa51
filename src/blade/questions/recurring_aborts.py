"""Does the same abort end the same tasks in every run: the benchmark's or the harness's, and no outage to run again?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.copies import independent_runs
from blade.diagnosis.same_aborts import SameAbort, same_aborts
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, percent, printable

TITLE = "Aborts that the runs share"
ORDER = 68
WEIGHT = 1.5
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
    aborts = same_aborts(runs)
    if not aborts:
        return None
    return {
        "runs": len([run for run in independent_runs(runs) if run.cases]),
        "aborts": [_abort(entry, runs) for entry in aborts],
    }


def _abort(same_abort: SameAbort, runs: Sequence[RunCases]) -> dict[str, Any]:
    without = []
    for run in runs:
        left = [case for case in run.cases if case.key not in same_abort.tasks and case.passed is not None]
        passes = sum(bool(case.passed) for case in left)
        without.append({"run": run.run.name, "passes": passes, "rollouts": len(left)})
    return {
        "kind": same_abort.kind,
        "tasks": in_order(same_abort.tasks.values()),
        "of_tasks": len(same_abort.tasks),
        "common": same_abort.common,
        "fewest_runs": same_abort.fewest_runs,
        "rollouts": len(same_abort.cases),
        "by_run": dict(Counter(case.run for case in same_abort.cases)),
        "expected": round(same_abort.expected, 2),
        "p": significant(same_abort.p, WRITTEN),
        "words": printable(same_abort.words),
        "cut": same_abort.cut,
        "without": without,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = (Paragraph(tuple(_words(place, entry, answer["runs"]))) for place, entry in enumerate(answer["aborts"]))
    return [Bullets(tuple(items))]


def _words(place: int, entry: Mapping[str, Any], runs: int) -> Iterator[Sentence]:
    path = (*_AT, "aborts", place)
    every = entry["fewest_runs"] == runs
    yield say(
        "In {tasks} of {common} every attempt of {runs} ends alike"
        + (": the {rollouts} {way}" if every else ", and no run passes: {rollouts} {way}")
        + " ({names}); by chance it would be {expected} (p = {p}).",
        tasks=fact(count(entry["of_tasks"], "task"), entry["of_tasks"], *path, "of_tasks"),
        common=amount(entry["common"], *path, "common"),
        runs=_of_runs(entry["fewest_runs"], runs),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        way=WAYS.get(entry["kind"], "were lost before they were judged"),
        names=task_list(entry["tasks"]),
        expected=fact(_expected(entry["expected"]), entry["expected"], *path, "expected"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
    )
    if entry["words"]:
        yield say("Most say: {words}", words=entry["words"] if entry["words"].endswith(".") else f"{entry['words']}.")
    if entry["cut"]:
        yield say("These tasks do not fit into the current limit; a rerun with it would most likely end the same way.")
    else:
        yield say(
            "That is a fault of the benchmark or the harness (an image, an input, a test), not an outage: a rerun "
            "will end the same way."
        )
    parts = [
        f"{line['run']} {line['passes']:,} of {line['rollouts']:,} ({percent(line['passes'] / line['rollouts'])})"
        for line in entry["without"]
        if line["rollouts"]
    ]
    if parts:
        yield say("Without {them}: {parts}.", them="it" if entry["of_tasks"] == 1 else "them", parts=listed(parts))


def _of_runs(fewest: int, runs: int) -> str:
    if fewest < runs:
        return f"at least {fewest:,} of the {runs:,} runs"
    return "both runs" if runs == TWO else f"all {runs:,} runs"


def _expected(many: float) -> str:
    return f"{many:.2g}" if many >= 0.01 else "fewer than 0.01"


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The abort that hits the most tasks, where nothing was judged."""
    for place, entry in enumerate(answer["aborts"]):
        if not entry["cut"]:
            path = (*_AT, "aborts", place)
            yield say(
                "{tasks} ({names}) {way} in every attempt of every run: a fault of the benchmark or the harness, "
                "not an outage.",
                tasks=fact(count(entry["of_tasks"], "task"), entry["of_tasks"], *path, "of_tasks"),
                names=task_list(entry["tasks"], 6),
                way=WAYS.get(entry["kind"], "were lost before they were judged"),
            )
            return


_AT = ("investigation", "recurring_aborts")
