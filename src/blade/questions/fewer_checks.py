"""Were some passes judged by fewer checks than other rollouts of their task, as where skipped checks count as met?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import by_task, in_order, judged, task_list
from blade.wording import abridged, amount, count, fact, listed, percent

TITLE = "Passes judged by fewer checks"
ORDER = 75
WEIGHT = 1.5
MOST_NAMED = 5
CERTAIN = 0.9
FEWEST = 3
USUAL = 0.5
"""A check is usual if so many of the judged rollouts of its task have a result for it, and some of them meet it."""
MOST = 300
"""A list of so many checks may be cut."""
MOST_CHECKS = 4
MESSAGE = " - "
"""What parts the name of a check from the message that some runners write behind it."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks of which some pass lacks most of the usual checks, and each run's passes without them."""
    cases = [case for run in runs for case in judged(run)]
    entries, doubtful = [], Counter[str]()
    for rollouts in by_task(cases).values():
        entry, passes = _of_task(rollouts)
        if entry is not None:
            entries.append(entry)
            doubtful.update(case.run for case in passes)
    if not entries:
        return None
    entries.sort(key=lambda entry: (-entry["passes"], entry["task"]))
    return {"tasks": entries, "runs": [_of_run(run, doubtful[run.run.name]) for run in runs if doubtful[run.run.name]]}


def _of_task(rollouts: Sequence[Case]) -> tuple[dict[str, Any] | None, list[Case]]:
    named = {id(case): _names(case) for case in rollouts if 0 < len(case.checks) < MOST}
    complete = [named[id(case)] for case in rollouts if id(case) in named and not _skipped(case)]
    results = Counter(name for names in complete for name in names)
    met = {name.split(MESSAGE)[0] for case in rollouts for name, passed in case.checks.items() if passed}
    usual = {name for name, many in results.items() if many >= max(FEWEST, USUAL * len(complete))} & met
    lacking = [
        case for case in rollouts if case.passed and id(case) in named and 2 * len(usual - named[id(case)]) > len(usual)
    ]
    full = sum(usual <= names for names in named.values())
    if not lacking or full < FEWEST:
        return None, []
    missing = set.intersection(*(usual - named[id(case)] for case in lacking))
    skipped = Counter(line for case in lacking for line in _skipped(case))
    instead = skipped or Counter(name for case in lacking for name in named[id(case)] - usual)
    return {
        "task": lacking[0].label,
        "passes": len(lacking),
        "runs": dict(Counter(case.run for case in lacking)),
        "usual": len(usual),
        "missing": in_order(missing),
        "full": full,
        "skipped": sum(bool(_skipped(case)) for case in lacking),
        "instead": [name for name, _ in sorted(instead.items(), key=lambda entry: (-entry[1], entry[0]))[:2]],
    }, lacking


def _names(case: Case) -> set[str]:
    return {name.split(MESSAGE)[0] for name in case.checks}


def _skipped(case: Case) -> list[str]:
    """The lines that stand among the checks that pass and report that a test was skipped."""
    return list(case.observed.get("skipped_checks", ()))


def _of_run(run: RunCases, doubtful: int) -> dict[str, Any]:
    cases = judged(run)
    passes = sum(bool(case.passed) for case in cases)
    return {"run": run.run.name, "judged": len(cases), "passes": passes, "left": passes - doubtful}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_words(place, entry))) for place, entry in enumerate(answer["tasks"])]
    left = Paragraph(tuple(_left(place, entry) for place, entry in enumerate(answer["runs"])))
    return [Bullets(tuple(items)), left]


def _words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_AT, "tasks", place)
    yield say(
        "{task}: {passes} ({runs}) {have} no result for {missing} of the {usual} that {full} of the task {judged} "
        "by ({names}): {why}.",
        task=entry["task"],
        passes=fact(count(entry["passes"], "pass", "passes"), entry["passes"], *at, "passes"),
        runs=listed([f"{run} {many:,}" for run, many in entry["runs"].items()]),
        have="has" if entry["passes"] == 1 else "have",
        missing=f"{len(entry['missing']):,}",
        usual=fact(count(entry["usual"], "check"), entry["usual"], *at, "usual"),
        full=fact(count(entry["full"], "rollout"), entry["full"], *at, "full"),
        judged=f"{'was' if entry['full'] == 1 else 'were'} judged",
        names=abridged([f"“{name}”" for name in entry["missing"]], MOST_CHECKS),
        why="these were skipped and stand as passed, so that such a pass proves nothing"
        if entry["skipped"] == entry["passes"]
        else "if skipped checks count as met, such a pass proves nothing",
    )
    if entry["instead"]:
        stands = "stands" if len(entry["instead"]) == 1 else "stand"
        instead = listed([f"“{name}”" for name in entry["instead"]])
        yield say("In their place {stands} {instead}.", stands=stands, instead=instead)


def _left(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "runs", place)
    return say(
        "Without such passes {run} has {left} of {judged} ({rate}) instead of {passes}.",
        run=entry["run"],
        left=amount(entry["left"], *at, "left"),
        judged=amount(entry["judged"], *at, "judged"),
        rate=percent(entry["left"] / entry["judged"]),
        passes=amount(entry["passes"], *at, "passes"),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Judge again what passed without most of its checks."""
    passes = sum(entry["passes"] for entry in answer["tasks"])
    if passes >= FEWEST:
        yield Advice(
            "verifier",
            "Have the verifier fail, or leave unjudged, what skips its checks, and judge these passes again",
            say(
                "{many} lack most of the checks that others of their task were judged by ({tasks}).",
                many=count(passes, "pass", "passes"),
                tasks=task_list([entry["task"] for entry in answer["tasks"]], MOST_NAMED),
            ),
            passes,
            CERTAIN,
            before_scores=True,
        )


_AT = ("investigation", "fewer_checks")


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The first of these tasks, where its passes are several."""
    for place, entry in enumerate(answer["tasks"][:1]):
        if entry["passes"] >= FEWEST:
            yield next(_words(place, entry))
