"""Does the course of the steps differ between runs or outcomes: prompts that shrink, empty turns, output, seconds?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, outcome_p, run_p, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import count, fact, listed

TITLE = "Step by step"
ORDER = 104
WEIGHT = 0.4
FEWEST = 20
FEWEST_SHOWING = 5
APART = 1.5
"""A measure is told where the medians of the two sides lie so many times apart."""
STEPS, TURNS_SAID = "steps", "turns_said"
"""What is observed of the steps of a rollout, and of the turns of the model."""
EVENTS: dict[str, tuple[str, str, Callable[[Mapping[str, Any]], bool | None]]] = {
    "prompt_shrinks": (
        "the prompt becomes much shorter from one step to the next (the context was cut or summed up)",
        STEPS,
        lambda seen: None if "prompt" not in seen[STEPS] else bool(seen[STEPS]["prompt"][1]),
    ),
    "empty_turns": (
        "a turn of the model is empty: no words, no call",
        TURNS_SAID,
        lambda seen: bool(seen[TURNS_SAID][1]),
    ),
    "short_turns": (
        "a turn of the model is a few letters and no call",
        TURNS_SAID,
        lambda seen: bool(seen[TURNS_SAID][2]),
    ),
}
MEASURES: dict[str, tuple[str, Callable[[Mapping[str, Any]], float | None]]] = {
    "output_per_step": ("output tokens per step", lambda seen: _middle(seen, "output")),
    "prompt_at_end": ("prompt tokens of the last step", lambda seen: _last(seen, "prompt")),
    "time_per_step": ("seconds per step", lambda seen: _middle(seen, "time")),
}
"""The middle value of a rollout's steps, or the last."""


def _middle(seen: Mapping[str, Any], kind: str) -> float | None:
    steps = seen[STEPS].get(kind)
    return float(steps[2]) if steps else None


def _last(seen: Mapping[str, Any], kind: str) -> float | None:
    steps = seen[STEPS].get(kind)
    return float(steps[4]) if steps else None


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Events and measures of the steps that go with the outcome or with a run, each with its counts by run."""
    cases = {name: [case for run in runs for case in run.observing(name)] for name in (STEPS, TURNS_SAID)}
    names = [run.run.name for run in runs]
    events = [_event(name, cases[observed], names, shows) for name, (_, observed, shows) in EVENTS.items()]
    measures = [_measured(name, cases[STEPS], names, value) for name, (_, value) in MEASURES.items()]
    found = [entry for entry in (*events, *measures) if entry is not None]
    flat = [(entry, key) for entry in found for key in ("p", "p_runs") if entry[key] is not None]
    for (entry, key), p in zip(flat, benjamini_hochberg([entry[key] for entry, key in flat]), strict=True):
        entry[key] = significant(p, WRITTEN)
    told = [entry for entry in found if _outcome(entry) or _runs(entry)]
    return {"findings": told} if told else None


def _event(
    name: str, cases: Sequence[Case], runs: Sequence[str], shows: Callable[[Mapping[str, Any]], bool | None]
) -> dict[str, Any] | None:
    states = [(case, state) for case in cases if (state := shows(case.observed)) is not None]
    known = [case for case, _ in states]
    having = [case for case, state in states if state]
    if len(known) < FEWEST or len(having) < FEWEST_SHOWING or len(having) == len(known):
        return None
    return {
        "name": name,
        "kind": "event",
        "runs": [_of_run(run, known, having) for run in runs],
        "tasks": sorted({case.label for case in having}),
        **_tested(known, having),
    }


def _tested(known: Sequence[Case], having: Sequence[Case]) -> dict[str, Any]:
    marked = {id(case) for case in having}
    return {"p": outcome_p(known, marked), "p_runs": run_p(known, marked)}


def _of_run(run: str, known: Sequence[Case], having: Sequence[Case]) -> dict[str, Any]:
    own, with_it = ([case for case in some if case.run == run] for some in (known, having))
    passes, kept = (sum(bool(case.passed) for case in some) for some in (own, with_it))
    return {
        "run": run,
        "rollouts": len(own),
        "with": len(with_it),
        "passes_with": kept,
        "without": len(own) - len(with_it),
        "passes_without": passes - kept,
    }


def _measured(
    name: str, cases: Sequence[Case], runs: Sequence[str], value: Callable[[Mapping[str, Any]], float | None]
) -> dict[str, Any] | None:
    """A measure, with those above the middle of all rollouts as the ones that have it."""
    values = {id(case): entry for case in cases if (entry := value(case.observed)) is not None}
    known = [case for case in cases if id(case) in values]
    if len(known) < FEWEST:
        return None
    middle = median(values.values())
    having = [case for case in known if values[id(case)] > middle]
    sides = {
        side: _median([values[id(case)] for case in known if bool(case.passed) == passed])
        for side, passed in (("passes", True), ("failures", False))
    }
    by_run = [
        {"run": run, "median": _median([values[id(case)] for case in known if case.run == run])}
        for run in runs
        if any(case.run == run for case in known)
    ]
    return {"name": name, "kind": "measure", "rollouts": len(known), **sides, "runs": by_run, **_tested(known, having)}


def _median(values: Sequence[float]) -> float | None:
    return round(median(values), 2) if values else None


def _outcome(entry: Mapping[str, Any]) -> bool:
    if entry["p"] is None or entry["p"] > SURE:
        return False
    return entry["kind"] == "event" or _apart([entry["passes"], entry["failures"]])


def _runs(entry: Mapping[str, Any]) -> bool:
    if entry["p_runs"] is None or entry["p_runs"] > SURE:
        return False
    return entry["kind"] == "event" or _apart([run["median"] for run in entry["runs"]])


def _apart(values: Sequence[float | None]) -> bool:
    known = [value for value in values if value is not None]
    return len(known) > 1 and max(known) > 0 and max(known) >= APART * min(known)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    words = {"event": _event_words, "measure": _measure_words}
    return [
        Bullets(
            tuple(
                Paragraph(tuple(words[entry["kind"]](place, entry))) for place, entry in enumerate(answer["findings"])
            )
        )
    ]


def _event_words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    shown = [run for run in entry["runs"] if run["rollouts"]]
    many, of = (sum(run[key] for run in shown) for key in ("with", "rollouts"))
    parts = [
        f"{run['run']} {run['with']:,} of {run['rollouts']:,} ({run['passes_with']:,} of {run['with']:,} pass, of the "
        f"others {run['passes_without']:,} of {run['without']:,})"
        for run in shown
    ]
    yield say(
        "In {many} of {of} {what}: {parts} (tasks {tasks}).",
        many=f"{many:,}",
        of=count(of, "rollout"),
        what=EVENTS[entry["name"]][0],
        parts="; ".join(parts),
        tasks=task_list(entry["tasks"]),
    )
    yield from _claims(place, entry)


def _measure_words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_AT, "findings", place)
    what = MEASURES[entry["name"]][0]
    what = what[0].upper() + what[1:]
    if _runs(entry):
        runs = [
            f"{run['run']} {run['median']:,.4g}"
            for run in sorted(entry["runs"], key=lambda run: -(run["median"] or 0.0))
        ]
        yield say("{what}, in the median of rollouts: {runs}.", what=what, runs=listed(runs))
    if _outcome(entry):
        yield say(
            "{what} where rollouts fail and where they pass: {failures} and {passes} in the median.",
            what=what,
            failures=fact(f"{entry['failures']:,.4g}", entry["failures"], *path, "failures"),
            passes=fact(f"{entry['passes']:,.4g}", entry["passes"], *path, "passes"),
        )
    yield from _claims(place, entry)


def _claims(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_AT, "findings", place)
    if _outcome(entry):
        p = fact(f"{entry['p']:.2g}", entry["p"], *path, "p")
        yield say("It goes with the outcome (p = {p}, corrected; tasks, or tasks of like difficulty, compared).", p=p)
    if _runs(entry):
        p = fact(f"{entry['p_runs']:.2g}", entry["p_runs"], *path, "p_runs")
        yield say("The runs differ in it beyond chance (p = {p}, corrected; inside tasks).", p=p)


_AT = ("investigation", "step_by_step")
