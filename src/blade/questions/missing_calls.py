"""Does something keep a run from the number of calls that its keys list, and does doing nothing pass?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import judged, task_levels, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Calls that the keys list and calls made"
ORDER = 29
WEIGHT = 2.0
FEWEST_TASKS = 5
FEWEST_ROLLOUTS = 20
FEWEST_IDLE = 5
MOSTLY = 0.5
NEARLY_ALL = 0.9
HARDLY = 0.1
"""Where more pass with fewer calls than the key lists, the key does not ask for all of them."""
MOST_TASKS = 8
SURE_OF_IT, SELDOM = 0.7, 0.2
"""So sure is it that calls are cut off where most rollouts make right ones alone, and where they do not."""


MadeCalls = tuple[Case, int, bool]
"""A judged rollout, its calls, and whether all that is recorded of it is a blank message."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the most calls that any rollout makes, the tasks that list more, and what becomes of them."""
    wanted: Counter[str] = Counter()
    for case in (case for run in runs for case in run.observing("wanted_calls")):
        wanted[case.key] = max(wanted[case.key], case.observed["wanted_calls"][0])
    calls_by_run = [(run, _made(run)) for run in runs]
    capped = [entry for run, rows in calls_by_run if (entry := _capped(run, rows, wanted)) is not None]
    idle = [entry for run, rows in calls_by_run if (entry := _idle(run, rows)) is not None]
    return {"capped": capped, "idle": idle} if capped or idle else None


def _made(run: RunCases) -> list[MadeCalls]:
    """The judged rollouts."""
    known = {id(case) for case in judged(run)}
    rows = run.run.graded.select("calls", "output_chars", "ends_on").rows()
    return [
        (case, calls or 0, not calls and not written and ends_on == "message")
        for case, (calls, written, ends_on) in zip(run.cases, rows, strict=True)
        if id(case) in known
    ]


def _capped(run: RunCases, rows: Sequence[MadeCalls], wanted: Mapping[str, int]) -> dict[str, Any] | None:
    """A run none of whose rollouts makes as many calls as many of its keys list, though most go as far as any does."""
    made = [(case, calls) for case, calls, _ in rows]
    most = max((calls for _, calls in made), default=0)
    beyond = [(case, calls) for case, calls in made if wanted[case.key] > most]
    tasks = {case.key for case, _ in beyond}
    full = sum(calls == most for _, calls in beyond)
    enough = len(tasks) >= FEWEST_TASKS and sum(calls == most for _, calls in made) >= FEWEST_ROLLOUTS
    passes = sum(bool(case.passed) for case, _ in beyond)
    if not most or not enough or full < MOSTLY * len(beyond) or passes > HARDLY * len(beyond):
        return None
    others = [case for case, _ in made if case.key not in tasks]
    seen = [case.observed["wanted_calls"] for case, _ in beyond if "wanted_calls" in case.observed]
    return {
        "run": run.run.name,
        "most": most,
        "tasks": len(tasks),
        "fewest_wanted": min(wanted[key] for key in tasks),
        "most_wanted": max(wanted[key] for key in tasks),
        "rollouts": len(beyond),
        "passes": passes,
        "agreeing": sum(calls == met > 0 for _, calls, met in seen),
        "names": sorted({case.label for case, _ in beyond})[:MOST_TASKS],
        "others": len(others),
        "other_passes": sum(bool(case.passed) for case in others),
    }


def _idle(run: RunCases, made: Sequence[MadeCalls]) -> dict[str, Any] | None:
    """Rollouts without a call and without words, in a run that calls: how many pass, and the slice of those."""
    idle = [case for case, _, blank in made if blank]
    passing = [case for case in idle if case.passed]
    acting = sum(calls > 0 for _, calls, _ in made)
    if len(passing) < FEWEST_IDLE or acting < FEWEST_ROLLOUTS:
        return None
    where = _where(run, passing, len(made))
    if where is None:
        return None
    return {
        "run": run.run.name,
        "rollouts": len(idle),
        "passes": len(passing),
        "where": where,
        "wanting": sum("wanted_calls" in case.observed for case in idle),
    }


def _where(run: RunCases, passing: Sequence[Case], rollouts: int) -> dict[str, Any] | None:
    """The smallest slice in which nearly all of some rollouts lie."""
    levels = task_levels(run)
    inside = Counter(pair for case in passing for pair in levels[case.key].items())
    sizes = Counter(pair for case in judged(run) for pair in levels[case.key].items())
    found = [
        (sizes[pair], pair)
        for pair, many in inside.items()
        if many >= NEARLY_ALL * len(passing) and sizes[pair] < rollouts
    ]
    if not found:
        return None
    _, (name, level) = min(found)
    return {"slice": f"{name} = {level}", "passes": inside[name, level], "rollouts": sizes[name, level]}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    capped = [Paragraph(tuple(_capped_words(place, entry))) for place, entry in enumerate(answer["capped"])]
    idle = [Paragraph((_idle_words(place, entry),)) for place, entry in enumerate(answer["idle"])]
    return [Bullets((*capped, *idle))]


def _capped_words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_AT, "capped", place)
    low, high = entry["fewest_wanted"], entry["most_wanted"]
    yield say(
        "No rollout of {run} makes more than {most}, and the keys of {tasks} list {span} ({names}): {passes} of their "
        "{rollouts} {pass_}; in {agreeing} of them all that is called agrees with the key.",
        run=entry["run"],
        most=fact(count(entry["most"], "call"), entry["most"], *path, "most"),
        tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *path, "tasks"),
        span=str(low) if low == high else f"{low} to {high}",
        names=_names(entry),
        passes=amount(entry["passes"], *path, "passes"),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        pass_="passes" if entry["passes"] == 1 else "pass",
        agreeing=amount(entry["agreeing"], *path, "agreeing"),
    )
    if _right(entry):
        yield say(
            "Calls are missing there rather than wrong: check whether the server, the harness or the record keeps "
            "only the first ones before blaming the model."
        )
    if entry["others"]:
        yield say(
            "On its other tasks {run} passes {passes} of {rollouts}.",
            run=entry["run"],
            passes=amount(entry["other_passes"], *path, "other_passes"),
            rollouts=fact(count(entry["others"], "rollout"), entry["others"], *path, "others"),
        )


def _right(entry: Mapping[str, Any]) -> bool:
    """Whether most rollouts call nothing but what the key lists."""
    return bool(entry["agreeing"] >= MOSTLY * entry["rollouts"])


def _names(entry: Mapping[str, Any]) -> str:
    left = entry["tasks"] - len(entry["names"])
    return f"{', '.join(entry['names'])} and {left:,} more" if left else task_list(entry["names"])


def _idle_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path, where = (*_AT, "idle", place), entry["where"]
    all_ = "all" if where["passes"] == entry["passes"] else f"{where['passes']:,}"
    inside = f", {all_} of them in {where['slice']}"
    wanting = f"; of the others {entry['wanting']:,} have a key that lists calls" if entry["wanting"] else ""
    return say(
        "Doing nothing may pass: of {idle} of {run} without a call or a message {passes} {pass_}{inside}{wanting}. "
        "There may be messages that the rows do not record.",
        idle=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        run=entry["run"],
        passes=amount(entry["passes"], *path, "passes"),
        pass_="passes" if entry["passes"] == 1 else "pass",
        inside=inside,
        wanting=wanting,
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The ceiling, over all runs that have it."""
    if answer["capped"]:
        parts = [
            f"{entry['run']} at most {count(entry['most'], 'call')}, {entry['passes']:,} of {entry['rollouts']:,} "
            f"rollouts on {count(entry['tasks'], 'task')} pass, elsewhere {entry['other_passes']:,} of "
            f"{entry['others']:,}"
            for entry in answer["capped"]
        ]
        yield say("Many keys list more calls than any rollout makes: {parts}.", parts="; ".join(parts))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Let all calls through: what is missing cannot be right."""
    many = sum(entry["rollouts"] - entry["passes"] for entry in answer["capped"])
    if many:
        runs = [f"{entry['run']} {entry['rollouts'] - entry['passes']:,}" for entry in answer["capped"]]
        yield Advice(
            "harness",
            "Let a rollout make several calls, and record all of them, before scoring tasks that need more",
            say(
                "The keys list more calls than any rollout makes in the tasks of {failures}: {runs}.",
                failures=count(many, "failure"),
                runs=listed(runs),
            ),
            many,
            SURE_OF_IT if all(map(_right, answer["capped"])) else SELDOM,
        )


_AT = ("investigation", "missing_calls")
