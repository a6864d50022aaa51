"""In which tasks do rollouts end without a verdict, in several runs the same, and did a clock stop them?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.counting.durations import durations
from blade.counting.status import of_source
from blade.diagnosis.cases import RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.wording import abridged, amount, count, fact, listed

TITLE = "Tasks whose rollouts got no verdict"
ORDER = 67
WEIGHT = 1.3
NOT_JUDGED = "not_judged"
CUT = "timed_out"
FEWEST = 3
SEVERAL_RUNS = 2
SEVERAL_PARTS = 2
MOST_TASKS = 8
MOST_HEAPS = 3
LEAST_SHARE = 1 / 15
"""Fewer of the unjudged rollouts at one second stand there by chance."""
FAR_MORE = 3
"""So many times as common as among the judged rollouts is a number of seconds that tells the others apart."""


@frozen
class TimedRollout:
    """A rollout of a run, scored or not: its task in all runs alike, and the whole seconds that its parts took."""

    run: str
    task: str
    label: str
    judged: bool
    passed: bool
    lost: bool
    """It got no verdict. One that never started is neither lost here nor judged."""
    cut: bool
    seconds: Mapping[str, int]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The tasks by how many rollouts got no verdict, and seconds at which the clock of several stands."""
    if sum(run.run.facts["stage_lost"].to_list().count(NOT_JUDGED) for run in runs) < FEWEST:
        return None
    rollouts = [rollout for run in runs for rollout in _rollouts(run)]
    lost = [rollout for rollout in rollouts if rollout.lost]
    if len(lost) < FEWEST:
        return None
    by_task: defaultdict[str, list[TimedRollout]] = defaultdict(list)
    for rollout in rollouts:
        by_task[rollout.task].append(rollout)
    tasks = [_task(by_task[task]) for task in dict.fromkeys(rollout.task for rollout in lost)]
    tasks.sort(key=lambda entry: (-len(entry["runs"]), -entry["lost"], entry["task"]))
    return {
        "lost": len(lost),
        "rollouts": len(rollouts),
        "compared": len({run.run.name for run in runs}),
        "tasks": tasks,
        "shared": sum(len(entry["runs"]) >= SEVERAL_RUNS for entry in tasks),
        "heaps": _heaps(rollouts),
    }


def _rollouts(run: RunCases) -> Iterator[TimedRollout]:
    """All rows of the run that are no copy, also those without a score, of which there is no case."""
    facts = run.run.facts.filter(~run.run.facts["copy"])
    keys = dict(zip(run.run.graded["task"].to_list(), (case.key for case in run.cases), strict=True))
    columns = facts.select("task", "label", "stage_lost", "state", "signals", "passed").iter_rows()
    for (task, label, stage, state, signals, passed), fields in zip(columns, run.fields_of(facts), strict=True):
        seconds = {part: round(value) for part, value in durations(fields).items()}
        cut = state == CUT or any(map(of_source, signals or ()))
        lost = stage == NOT_JUDGED
        yield TimedRollout(run.run.name, keys.get(task, task), label, stage is None, bool(passed), lost, cut, seconds)


def _task(rollouts: Sequence[TimedRollout]) -> dict[str, Any]:
    lost = [rollout for rollout in rollouts if rollout.lost]
    return {
        "task": lost[0].label,
        "lost": len(lost),
        "rollouts": len(rollouts),
        "runs": dict(Counter(rollout.run for rollout in lost)),
        "judged": sum(rollout.judged for rollout in rollouts),
        "passes": sum(rollout.judged and rollout.passed for rollout in rollouts),
    }


def _heaps(rollouts: Sequence[TimedRollout]) -> list[dict[str, Any]]:
    """Per part of an attempt the seconds at which several unjudged rollouts stand, and far fewer of the judged ones."""
    found = []
    parts = sorted({part for rollout in rollouts for part in rollout.seconds})
    for part in parts:
        timed = [rollout for rollout in rollouts if part in rollout.seconds]
        judged = [rollout for rollout in timed if rollout.judged]
        lost = Counter(rollout.seconds[part] for rollout in timed if rollout.lost)
        least = max(FEWEST, LEAST_SHARE * lost.total())
        if len(parts) > SEVERAL_PARTS and all(
            rollout.seconds[part] >= max(rollout.seconds.values()) for rollout in timed
        ):
            continue  # the whole attempt stands still where a part of it does
        stops = [_stop(part, seconds, many, judged) for seconds, many in lost.items() if many >= least]
        stops = [stop for stop in stops if stop["lost"] * len(judged) >= FAR_MORE * stop["judged"] * lost.total()]
        stops.sort(key=lambda stop: (-stop["lost"], stop["seconds"]))
        if stops:
            found.append({"part": part, "lost": lost.total(), "judged": len(judged), "stops": stops[:MOST_HEAPS]})
    return sorted(found, key=lambda heap: (-sum(stop["lost"] for stop in heap["stops"]), heap["part"]))


def _stop(part: str, seconds: int, many: int, judged: Sequence[TimedRollout]) -> dict[str, Any]:
    there = [rollout for rollout in judged if rollout.seconds[part] == seconds]
    cut = sum(rollout.cut for rollout in there)
    return {"seconds": seconds, "lost": many, "judged": len(there), "judged_cut": cut}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    tasks = [_words(entry) for entry in answer["tasks"]]
    yield say(
        "{lost} of {rollouts} got no verdict, in {tasks}: {names}.",
        lost=amount(answer["lost"], *_AT, "lost"),
        rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_AT, "rollouts"),
        tasks=count(len(tasks), "task"),
        names=abridged(tasks, MOST_TASKS),
    )
    if answer["shared"]:
        yield say(
            "{shared} {are} affected in several runs, which points to the task or its verifier rather than to an "
            "outage.",
            shared=fact(count(answer["shared"], "task"), answer["shared"], *_AT, "shared"),
            are="is" if answer["shared"] == 1 else "are",
        )
    for place, heap in enumerate(answer["heaps"]):
        yield _heap_words(place, heap)


def _words(entry: Mapping[str, Any]) -> str:
    runs = [f"{run} {many:,}" for run, many in entry["runs"].items()]
    mostly = entry["passes"] and 2 * entry["passes"] >= entry["judged"]
    passes = f"; {entry['passes']:,} of {entry['judged']:,} judged pass" if mostly else ""
    return f"{entry['task']} {entry['lost']:,} of {entry['rollouts']:,} ({listed(runs)}{passes})"


def _heap_words(place: int, heap: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "heaps", place)
    stops = [
        f"at {stop['seconds']:,} s in {stop['lost']:,} of them, where {stop['judged']:,} of the judged "
        f"{heap['judged']:,} stop{_cut_words(stop)}"
        for stop in heap["stops"]
    ]
    return say(
        "The clock of “{part}” stops " + "; ".join(stops) + ".",
        part=fact(heap["part"], heap["part"], *at, "part"),
    )


def _cut_words(stop: Mapping[str, Any]) -> str:
    if 2 * stop["judged_cut"] <= stop["judged"] or not stop["judged"]:
        return ""
    return f", {stop['judged_cut']:,} of these said to have run out of time"


_AT = ("investigation", "unjudged_tasks")
