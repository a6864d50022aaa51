"""Which runs repeat one configuration, and how alike are they on the tasks that all of them judged?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.copies import same_rollouts
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import (
    FAR_MORE,
    MOST_TASKS,
    by_task,
    input_per_turn,
    judged,
    same_configuration,
    settings,
)
from blade.stats.rounding import WRITTEN, significant
from blade.wording import abridged, amount, count, fact, listed, percent

TITLE = "Repeats of one configuration"
ORDER = 20
OF_COPIES = True
WEIGHT = 1.3
LIKELY = 0.2


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Groups of runs whose rows show the same model, agent, system prompt, tools and sampling, and that share tasks.

    A run that holds the rollouts of another once more is no repeat of it.
    """
    groups: list[list[RunCases]] = []
    for run in runs:
        group = next((group for group in groups if same_configuration(group[0], run)), None)
        if group is None:
            groups.append([run])
        elif not any(same_rollouts(other, run) for other in group):
            group.append(run)
    found = [entry for group in groups if len(group) > 1 and (entry := _group(group))["common"]]
    hidden = [_hidden(first, other) for first, other in combinations(runs, 2) if _reads_more(first, other)]
    return {"groups": found, "hidden": hidden} if found or hidden else None


def _reads_more(first: RunCases, other: RunCases) -> bool:
    """Whether the rows of two runs record the same settings, and a turn of the model reads far more in one of them."""
    sizes = input_per_turn(first), input_per_turn(other)
    if settings(first) is None or settings(first) != settings(other) or None in sizes:
        return False
    return max(sizes) > FAR_MORE * min(sizes)  # type: ignore[type-var, operator]


def _hidden(first: RunCases, other: RunCases) -> dict[str, Any]:
    less, more = sorted((first, other), key=lambda run: input_per_turn(run) or 0)
    return {
        "more": more.run.name,
        "less": less.run.name,
        "more_tokens": round(input_per_turn(more) or 0),
        "less_tokens": round(input_per_turn(less) or 0),
        "failures": sum(not case.passed for run in (first, other) for case in judged(run)),
    }


def _group(runs: Sequence[RunCases]) -> dict[str, Any]:
    tasks = [by_task(judged(run)) for run in runs]
    common = [key for key in tasks[0] if all(key in other for other in tasks[1:])]
    passes = [sum(bool(case.passed) for key in common for case in entry[key]) for entry in tasks]
    pooled = [[bool(case.passed) for entry in tasks for case in entry[key]] for key in common]
    single = all(len(entry[key]) == 1 for entry in tasks for key in common)
    return {
        "runs": [run.run.name for run in runs],
        "rollouts": [len(run.cases) for run in runs],
        "judged": [len(judged(run)) for run in runs],
        "absent": [_absent(run, runs) for run in runs],
        "common": len(common),
        "single": single,
        "passes": passes,
        "of": [sum(len(entry[key]) for key in common) for entry in tasks],
        "always": sum(map(all, pooled)),
        "sometimes": sum(any(attempts) and not all(attempts) for attempts in pooled),
        "never": sum(not any(attempts) for attempts in pooled),
        "pass_1": significant(fmean(map(fmean, pooled)), WRITTEN) if common else None,
        "pass_k": significant(fmean(map(any, pooled)), WRITTEN) if common else None,
    }


def _absent(run: RunCases, runs: Sequence[RunCases]) -> list[str]:
    """Tasks of the other repeats of which this run has no row."""
    own = {case.key for case in run.cases}
    labels = {case.key: case.label for other in runs for case in other.cases if case.key not in own}
    return sorted(labels.values())


def tell(answer: Mapping[str, Any]) -> list[Block]:
    groups = [Paragraph(tuple(_sentences(place, group))) for place, group in enumerate(answer["groups"])]
    return [*groups, *(Paragraph((_told_hidden(place, entry),)) for place, entry in enumerate(answer["hidden"]))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Runs that seem repeats by their rows and were given something else."""
    for place, entry in enumerate(answer["hidden"][:1]):
        yield _told_hidden(place, entry)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Runs whose rows hide how they differ: what was given to the model has to be recorded first."""
    for place, entry in enumerate(answer["hidden"][:1]):
        at = ("investigation", "repeats", "hidden", place)
        yield Advice(
            "harness",
            f"Record what the model is really given in {entry['more']} and {entry['less']} (the system prompt and the "
            "policy as sent), and say what the two compare",
            say(
                "Their rows record the same, but a turn reads {more_tokens} and {less_tokens} input tokens.",
                more_tokens=amount(entry["more_tokens"], *at, "more_tokens"),
                less_tokens=amount(entry["less_tokens"], *at, "less_tokens"),
            ),
            entry["failures"],
            LIKELY,
            before_scores=True,
        )


def _told_hidden(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "repeats", "hidden", place)
    return say(
        "{more} and {less} are not repeats of one configuration, although their rows record the same model, agent, "
        "system prompt, tools and sampling: a turn of the model reads a median of {more_tokens} input tokens in "
        "{more} and {less_tokens} in {less}. The rows do not record everything the model was given.",
        more=entry["more"],
        less=entry["less"],
        more_tokens=amount(entry["more_tokens"], *at, "more_tokens"),
        less_tokens=amount(entry["less_tokens"], *at, "less_tokens"),
    )


def _sentences(place: int, group: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "repeats", "groups", place)
    names = group["runs"]
    yield say(
        "{runs} are repeats of one configuration: as far as their rows record, model, agent, system prompt, tools "
        "and sampling are the same. They are pooled here, not compared.",
        runs=listed(names),
    )
    sides = zip(names, group["rollouts"], group["judged"], group["absent"], strict=True)
    lost = [f"{run} has {what}" for run, rows, good, absent in sides if (what := _lost(rows - good, absent))]
    if lost:
        yield say("They are not full reproductions of each other: {lost}.", lost=listed(lost))
    yield say(
        "On the {common} that are judged in all of them they pass {passes}; {always} always, {sometimes} sometimes, "
        "{never} never (pass@1 {one}, {most} {k}).",
        common=fact(count(group["common"], "task"), group["common"], *at, "common"),
        passes=_passes(group),
        always=amount(group["always"], *at, "always"),
        sometimes=amount(group["sometimes"], *at, "sometimes"),
        never=amount(group["never"], *at, "never"),
        one=fact(percent(group["pass_1"]), group["pass_1"], *at, "pass_1"),
        most=f"pass@{len(names)}" if group["single"] else "passed at least once",
        k=fact(percent(group["pass_k"]), group["pass_k"], *at, "pass_k"),
    )


def _passes(group: Mapping[str, Any]) -> str:
    """Tasks where each has one attempt a run, else rollouts of all."""
    if group["single"]:
        return listed([f"{many:,}" for many in group["passes"]])
    sides = zip(group["passes"], group["of"], strict=True)
    return f"{listed([f'{many:,} of {every:,}' for many, every in sides])} rollouts"


def _lost(rollouts: int, absent: Sequence[str]) -> str:
    lost = [f"{count(rollouts, 'rollout')} that did not run or were not judged"] if rollouts else []
    if absent:
        lost.append(f"no row of {count(len(absent), 'task')} ({abridged(absent, MOST_TASKS)})")
    return " and ".join(lost)
