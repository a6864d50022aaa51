"""What do tools print in one stretch of time alone, where hardly a rollout passes: a service that was down?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import comb
from typing import Any

import numpy as np

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import PhraseFinding, find_words, holds, printed_phrases
from blade.document import Advice, Block, Paragraph, Quote, Sentence, say
from blade.extract.phrases import ENVIRONMENT, Numbers
from blade.frozen import frozen
from blade.health import Item, item
from blade.questions import OF_THE_EVALUATION, by_task, in_order, judged, task_list
from blade.stats.marks import Separating
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, at, count, fact, percent, printable

TITLE = "What tools print in one stretch of time"
ORDER = 77
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_TASKS = 5, 4
FEWEST_OF_WHOLE = 8
MOST_OF_RUN, MOST_OF_TIME = 0.3, 0.4
"""A stretch is a part of a run: so many of its rollouts print it, and so many lie between the first and the last."""
FAILING = 0.8
SELDOM = 0.05
"""So few other rollouts of these tasks print it."""
APART = 0.3
"""By so much more often the other rollouts of these tasks pass."""
SURE = 0.01
MOST_MEMBERS, MOST = 12, 3
LIKELY = 0.7
Printed = Mapping[int, tuple[Numbers, int]]


@frozen
class _Stretch:
    """A phrase, the rollouts of a run that print it, and the run's rollouts in order of time."""

    run: str
    mark: int
    places: tuple[int, ...]
    timed: Sequence[tuple[float, Case]]
    p: float

    @property
    def cases(self) -> list[Case]:
        return [self.timed[place][1] for place in self.places]

    @property
    def between(self) -> Sequence[tuple[float, Case]]:
        return self.timed[self.places[0] : self.places[-1] + 1]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Stretches of time in which rollouts print what no other rollout of their tasks prints, and fail."""
    printed = printed_phrases(runs)
    attempts = by_task([case for run in runs for case in judged(run)])
    entries: list[dict[str, Any]] = []
    for run in runs:
        timed = _timed(run)
        groups = _grouped(list(_stretches(run.run.name, timed, printed, attempts)))
        entries += [entry for group in groups if (entry := _entry(group, printed, attempts))]
    entries.sort(key=lambda entry: (-entry["failures"], entry["run"]))
    return {"stretches": entries[:MOST]} if entries else None


def _timed(run: RunCases) -> list[tuple[float, Case]]:
    """The judged rollouts in order of time; none where the rows bear no times of their own."""
    times = run.run.graded["created_at"].to_list()
    if any(time is None for time in times) or 2 * len(set(times)) < len(times):
        return []
    case_ids = {id(case) for case in judged(run)}
    rows = [(time, case) for time, case in zip(times, run.cases, strict=True) if id(case) in case_ids]
    return sorted(rows, key=lambda row: (row[0], row[1].key, row[1].attempt))


def _stretches(
    run: str, timed: Sequence[tuple[float, Case]], printed: Printed, attempts: Mapping[str, Sequence[Case]]
) -> Iterator[_Stretch]:
    rows = [printed[id(case)][0] for _, case in timed]
    if len(rows) < 2 * FEWEST:
        return
    numbers, places = np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(marks) for marks in rows])
    order = np.argsort(numbers, kind="stable")
    marks, starts = np.unique(numbers[order], return_index=True)
    sizes = np.diff(starts, append=len(order))
    enough = (sizes >= FEWEST) & (sizes <= MOST_OF_RUN * len(rows))
    tested = int(enough.sum())
    for mark, start, size in zip(*(column[enough].tolist() for column in (marks, starts, sizes)), strict=True):
        holding_places = tuple(places[order[start : start + size]].tolist())
        width = holding_places[-1] - holding_places[0] + 1
        if width > MOST_OF_TIME * len(rows):
            continue
        p = _p(size, width, len(rows)) * tested
        cases = [timed[place][1] for place in holding_places]
        failing = sum(not case.passed for case in cases)
        is_whole = width == size >= FEWEST_OF_WHOLE
        if p <= SURE and failing >= FAILING * size and _is_only_then(mark, cases, printed, attempts, is_whole=is_whole):
            yield _Stretch(run, mark, holding_places, timed, min(p, 1.0))


def _p(holding: int, width: int, rollouts: int) -> float:
    """At most the chance that so many rollouts lie in any stretch of so many, in a random order of all."""
    return min((rollouts - width + 1) * comb(width, holding) / comb(rollouts, holding), 1.0)


def _is_only_then(
    mark: int, cases: Sequence[Case], printed: Printed, attempts: Mapping[str, Sequence[Case]], *, is_whole: bool
) -> bool:
    """Whether the other rollouts of the tasks hardly print it, and pass far more often.

    Where every rollout of the stretch prints it, and no other one of any task, half as many passes are enough.
    """
    keys = {case.key for case in cases}
    other_cases = _other_attempts(cases, attempts)
    if len(keys) < FEWEST_TASKS or len(other_cases) < len(cases):
        return False
    rate, other_rate = _rate(cases), _rate(other_cases)
    if other_rate - rate < APART:
        case_ids = {id(case) for case in cases}
        alone = is_whole and not any(holds(one[0], mark) for name, one in printed.items() if name not in case_ids)
        return alone and rate <= other_rate / 2
    return sum(holds(printed[id(case)][0], mark) for case in other_cases) <= SELDOM * len(other_cases)


def _other_attempts(cases: Sequence[Case], attempts: Mapping[str, Sequence[Case]]) -> list[Case]:
    case_ids = {id(case) for case in cases}
    return [case for key in {case.key for case in cases} for case in attempts[key] if id(case) not in case_ids]


def _rate(cases: Sequence[Case]) -> float:
    return sum(bool(case.passed) for case in cases) / len(cases)


def _grouped(stretches: Sequence[_Stretch]) -> list[list[_Stretch]]:
    """Phrases in much the same rollouts together, those with the most rollouts first."""
    groups: list[list[_Stretch]] = []
    for stretch in sorted(stretches, key=lambda stretch: (-len(stretch.places), stretch.p, stretch.mark)):
        places = set(stretch.places)
        home = next((group for group in groups if 2 * len(places & set(group[0].places)) > len(places)), None)
        if home is None:
            groups.append([stretch])
        elif len(home) < MOST_MEMBERS and len(stretch.places) == len(home[0].places):
            home.append(stretch)
    return groups[:MOST]


def _entry(
    group: Sequence[_Stretch], printed: Printed, attempts: Mapping[str, Sequence[Case]]
) -> dict[str, Any] | None:
    everyone = [case for _, case in group[0].timed]
    limits = np.array([printed[id(case)][1] for case in everyone], np.int64)
    members = [Separating(member.mark, member.places, -1.0, member.p, member.p) for member in group]
    finding = PhraseFinding(ENVIRONMENT, members, everyone, limits, members[0])
    if not find_words([finding]):
        return None
    stretch = next(member for member in group if member.mark == finding.chosen.mark)
    cases, between, other_cases = stretch.cases, stretch.between, _other_attempts(stretch.cases, attempts)
    passes = sum(bool(case.passed) for case in cases)
    tasks = Counter(case.label for case in cases)
    entry = {
        "run": stretch.run,
        "words": printable(finding.words),
        "from": between[0][0],
        "to": between[-1][0],
        "rollouts": len(cases),
        "passes": passes,
        "failures": len(cases) - passes,
        "tasks": in_order(tasks),
        "passed": in_order(case.label for case in cases if case.passed),
        "between": len(between),
        "others": len(other_cases),
        "other_passes": sum(bool(case.passed) for case in other_cases),
        "judged": len(everyone),
        "run_passes": sum(bool(case.passed) for case in everyone),
        "p": significant(stretch.p, WRITTEN),
    }
    return entry | finding.quote


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, entry in enumerate(answer["stretches"]):
        blocks.append(Paragraph(tuple(_sentences(place, entry))))
        if entry.get("quote"):
            blocks.append(Quote(entry["quote"], entry["place"], at(*_at(place), "quote")))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["stretches"][0]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = _at(place)
    yield say(
        "Between {start} and {end} tools print “{words}” in {rollouts} of {run} ({tasks}), {passes} of which {verb}; "
        "of the {others} other rollouts of these tasks {other_passes} pass, and hardly any meets it: it came from "
        "outside.",
        start=_clock(entry["from"]),
        end=_clock(entry["to"]),
        words=entry["words"],
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        run=entry["run"],
        tasks=task_list(entry["tasks"]),
        passes=fact(f"{entry['passes']:,}" if entry["passes"] else "none", entry["passes"], *path, "passes"),
        verb="passes" if entry["passes"] < 2 else "pass",
        others=amount(entry["others"], *path, "others"),
        other_passes=amount(entry["other_passes"], *path, "other_passes"),
    )
    left, left_passes = entry["judged"] - entry["rollouts"], entry["run_passes"] - entry["passes"]
    if left:
        yield say(
            "{between} of the run lie in that time. Without those that print it {run} passes {left_passes} of {left} "
            "({rate}).",
            between=fact(count(entry["between"], "rollout"), entry["between"], *path, "between"),
            run=entry["run"],
            left_passes=f"{left_passes:,}",
            left=f"{left:,}",
            rate=percent(left_passes / left),
        )
    if entry["passed"]:
        yield say(
            "Passes there may be unearned ({tasks}).",
            tasks=task_list(entry["passed"]),
        )


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Rollouts of a stretch of time that something from outside stopped."""
    for place, entry in enumerate(answer["stretches"]):
        sentence = next(_sentences(place, entry))
        yield item("outage_window", "high", sentence.text, tasks=entry["tasks"], run=entry["run"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    for place, entry in enumerate(answer["stretches"]):
        yield Advice(
            "environment",
            f"Run the rollouts of {entry['run']} again that met “{entry['words']}”, and leave them out of the score "
            "until then",
            say(
                "{failures} of them failed.",
                failures=fact(f"{entry['failures']:,}", entry["failures"], *_at(place), "failures"),
            ),
            entry["failures"],
            LIKELY,
            before_scores=True,
        )


def _at(place: int) -> tuple[str | int, ...]:
    return "investigation", "printed_in_time", "stretches", place
