"""Do tools answer otherwise in one stretch of a run than before, after, and in the other runs at the same tasks?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from math import lgamma, log
from typing import Any

import numpy as np

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import PhraseFinding, find_words, holds, printed_phrases
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.extract.phrases import ENVIRONMENT, Numbers
from blade.extract.text import clip
from blade.frozen import frozen
from blade.questions import judged
from blade.stats.marks import Separating
from blade.wording import amount, count, fact, listed, printable

TITLE = "Answers of tools that change while a run goes on"
ORDER = 61
WEIGHT = 1.5
FEWEST = 8
"""Tasks in which tools say it."""
WIDEST = 0.5
"""A stretch is at most so much of the tasks whose tools say anything."""
DENSE = 0.5
"""At least so many tasks of the stretch have it."""
OFTEN, SELDOM = 0.3, 0.1
"""The shares that make one text take the place of another: there and not elsewhere."""
CHANCE = 1e-4
"""Of a stretch as narrow as this, over all texts that were looked at."""
MOST = 3
MOST_MARKS = 40
LONGEST = 60
LIKELY = 0.3


@frozen
class _Said:
    """What tools and programs say in the tasks of a run, in the order in which its rows stand."""

    run: str
    tasks: Mapping[str, Sequence[Case]]
    """All judged rollouts of each task, in order."""
    marks: Mapping[str, frozenset[int]]
    """The phrases of each task whose tools say something, in order."""

    def share(self, mark: int, keys: Collection[str]) -> tuple[int, int]:
        """In how many of some tasks tools say it, and in how many they say anything."""
        saying = [key for key in keys if key in self.marks]
        return sum(mark in self.marks[key] for key in saying), len(saying)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Stretches of a run in which one text of the tools takes the place of another that all else shows."""
    if len(runs) < 2:
        return None
    printed = printed_phrases(runs)
    whole = min((limit for _, limit in printed.values()), default=0)
    texts_by_run = [_said(run, printed, whole) for run in runs]
    stretches = [
        entry
        for run_texts in texts_by_run
        for entry in _stretches(run_texts, [texts for texts in texts_by_run if texts is not run_texts], printed)
    ]
    return {"stretches": stretches[:MOST]} if stretches else None


def _said(run: RunCases, printed: Mapping[int, tuple[Numbers, int]], whole: int) -> _Said:
    """Of the phrases only those with numbers below which no rollout of any run misses one: absence must be sure."""
    tasks: defaultdict[str, list[Case]] = defaultdict(list)
    for case in sorted(judged(run), key=lambda case: case.place[:2]):
        tasks[case.key].append(case)
    marks = {
        key: frozenset(mark for case in cases for mark in printed[id(case)][0].tolist() if mark < whole)
        for key, cases in tasks.items()
    }
    return _Said(run.run.name, tasks, {key: phrase_marks for key, phrase_marks in marks.items() if phrase_marks})


def _stretches(
    run_texts: _Said, other_texts: Sequence[_Said], printed: Mapping[int, tuple[Numbers, int]]
) -> Iterator[dict[str, Any]]:
    order = list(run_texts.marks)
    covered: set[int] = set()
    for first, last, marks in _narrow(run_texts):
        stretch_keys, outside = order[first : last + 1], [*order[:first], *order[last + 1 :]]
        if not covered.isdisjoint(range(first, last + 1)):
            continue
        alone = [mark for mark in marks if _rate(_shares(mark, other_texts, stretch_keys)) <= SELDOM]
        replaced = _replaced(run_texts, other_texts, stretch_keys, outside) if alone else []
        if not replaced:
            continue
        entry = _entry(run_texts, other_texts, (stretch_keys, outside), (alone, replaced), printed)
        if entry is not None:
            covered.update(range(first, last + 1))
            yield entry


def _narrow(run_texts: _Said) -> list[tuple[int, int, list[int]]]:
    """Stretches of the order, with the phrases that many of their tasks show and no task elsewhere; widest first."""
    sizes = [len(marks) for marks in run_texts.marks.values()]
    n = len(sizes)
    if n < 2 * FEWEST:
        return []
    marks = np.fromiter(chain.from_iterable(run_texts.marks.values()), np.int64, sum(sizes))
    places = np.repeat(np.arange(n), sizes)
    by_mark = np.argsort(marks, kind="stable")
    marks, places = marks[by_mark], places[by_mark]
    starts = np.flatnonzero(np.r_[True, marks[1:] != marks[:-1]])
    task_counts = np.diff(np.r_[starts, len(marks)])
    first, last = places[starts], places[starts + task_counts - 1]
    width = last - first + 1
    good = (task_counts >= FEWEST) & (width <= WIDEST * n) & (task_counts >= DENSE * width)
    grouped: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for at in np.flatnonzero(good).tolist():
        if _log_chance(n, int(width[at]), int(task_counts[at])) + log(len(starts)) <= log(CHANCE):
            grouped[int(first[at]), int(last[at])].append(int(marks[starts[at]]))
    return sorted(((*ends, group) for ends, group in grouped.items()), key=lambda item: (item[0] - item[1], item[0]))


def _log_chance(n: int, width: int, k: int) -> float:
    """The chance that k of n tasks, drawn at random, all lie in one stretch of this width."""
    return _log_choose(width, k) - _log_choose(n, k) + log(n - width + 1)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _shares(mark: int, other_texts: Sequence[_Said], keys: Collection[str]) -> tuple[int, int]:
    pairs = [texts.share(mark, keys) for texts in other_texts]
    return sum(having for having, _ in pairs), sum(saying for _, saying in pairs)


def _rate(share: tuple[int, int]) -> float:
    return share[0] / share[1] if share[1] else 0.0


def _replaced(
    run_texts: _Said, other_texts: Sequence[_Said], stretch_keys: Sequence[str], outside: Sequence[str]
) -> list[int]:
    """What the run shows outside the stretch and hardly inside, while the others show it inside; commonest first."""
    candidates: defaultdict[int, int] = defaultdict(int)
    for key in outside:
        for mark in run_texts.marks[key]:
            candidates[mark] += 1
    common = [mark for mark, tasks in candidates.items() if tasks >= max(FEWEST, OFTEN * len(outside))]
    phrase_marks = []
    for mark in common:
        elsewhere = _shares(mark, other_texts, stretch_keys)
        if (
            elsewhere[0] >= FEWEST // 2
            and _rate(elsewhere) >= OFTEN
            and _rate(run_texts.share(mark, stretch_keys)) <= SELDOM
        ):
            phrase_marks.append(mark)
    return sorted(phrase_marks, key=lambda mark: (-candidates[mark], mark))


def _entry(
    run_texts: _Said,
    other_texts: Sequence[_Said],
    parts: tuple[Sequence[str], Sequence[str]],
    texts: tuple[Sequence[int], Sequence[int]],
    printed: Mapping[int, tuple[Numbers, int]],
) -> dict[str, Any] | None:
    stretch_keys, outside = parts
    alone, replaced = texts
    cases = [case for cases in run_texts.tasks.values() for case in cases]
    new_words, old_words = _words(alone, cases, printed), _words(replaced, cases, printed)
    if new_words is None or old_words is None:
        return None
    tasks = list(run_texts.tasks)
    stretch = tasks[tasks.index(stretch_keys[0]) : tasks.index(stretch_keys[-1]) + 1]
    stretch_tasks = frozenset(stretch)
    label = {key: cases[0].label for key, cases in run_texts.tasks.items()}
    elsewhere = [texts.tasks[key] for texts in other_texts for key in stretch if key in texts.tasks]
    return {
        "run": run_texts.run,
        "first": label[stretch_keys[0]],
        "last": label[stretch_keys[-1]],
        "tasks": len(stretch),
        "new": new_words[1],
        "new_line": new_words[2],
        "old": old_words[1],
        "old_line": old_words[2],
        "with_new": run_texts.share(new_words[0], stretch_keys)[0],
        "saying": len(stretch_keys),
        "saying_elsewhere": len(outside),
        "old_elsewhere": run_texts.share(old_words[0], outside)[0],
        "old_inside": run_texts.share(old_words[0], stretch_keys)[0],
        "others_new": _shares(new_words[0], other_texts, stretch_keys)[0],
        "others_old": _shares(old_words[0], other_texts, stretch_keys)[0],
        "others_saying": _shares(old_words[0], other_texts, stretch_keys)[1],
        **_counts("inside", [run_texts.tasks[key] for key in stretch]),
        **_counts("outside", [run_texts.tasks[key] for key in tasks if key not in stretch_tasks]),
        **_counts("others", elsewhere),
    }


def _counts(name: str, tasks: Sequence[Sequence[Case]]) -> dict[str, int]:
    cases = [case for group in tasks for case in group]
    return {f"{name}_rollouts": len(cases), f"{name}_passes": sum(bool(case.passed) for case in cases)}


def _words(
    marks: Sequence[int], cases: Sequence[Case], printed: Mapping[int, tuple[Numbers, int]]
) -> tuple[int, str, str] | None:
    """The most readable of some phrases that go together, its words, and a line that holds them."""
    members = [
        Separating(
            mark, tuple(at for at, case in enumerate(cases) if holds(printed[id(case)][0], mark)), -1.0, 0.0, 0.0
        )
        for mark in marks
    ]
    members.sort(key=lambda entry: (-len(entry.rows), entry.mark))
    best = [entry for entry in members if len(entry.rows) >= 0.9 * len(members[0].rows)][:MOST_MARKS]
    limits = np.array([printed[id(case)][1] for case in cases], np.int64)
    finding = PhraseFinding(ENVIRONMENT, best, cases, limits, best[0])
    if not find_words([finding]):
        return None
    line = "" if finding.cite is None else printable(finding.cite.quote)
    words = printable(finding.words)
    return finding.chosen.mark, words, "" if line == words else clip(line, LONGEST)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [
        Bullets(tuple(Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["stretches"])))
    ]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The widest stretch."""
    yield _where(0, answer["stretches"][0])


def _where(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, place)
    return say(
        "From task {first} to {last} the tools of {run} say “{new}”{new_line} in {with_new} of the {saying} tasks in "
        "which they say anything, and in no other, and “{old}”{old_line} in {old_inside}; elsewhere they say that in "
        "{old_elsewhere} of {saying_elsewhere}, and in the other runs in {others_old} of {others_saying} of the same "
        "tasks: the environment or the harness changed while the run went on, or {run} works otherwise there.",
        first=entry["first"],
        last=entry["last"],
        run=entry["run"],
        new=entry["new"],
        old=entry["old"],
        new_line=_such_as(entry["new_line"]),
        old_line=_such_as(entry["old_line"]),
        **{
            name: amount(entry[name], *path, name)
            for name in ("with_new", "saying", "old_inside", "old_elsewhere", "saying_elsewhere")
        },
        **{name: amount(entry[name], *path, name) for name in ("others_old", "others_saying")},
    )


def _such_as(line: str) -> str:
    return f" (as in “{line}”)" if line else ""


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, place)
    yield _where(place, entry)
    parts = ("inside", "outside", "others")
    yield say(
        "{run} passes {inside_passes} of {inside_rollouts} there and {outside_passes} of {outside_rollouts} on its "
        "other tasks, the other runs {others_passes} of {others_rollouts} there.",
        run=entry["run"],
        **{name: amount(entry[name], *path, name) for part in parts for name in (f"{part}_passes", f"{part}_rollouts")},
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Find out what changed, and run the stretches again."""
    by_run: defaultdict[str, list[tuple[int, Mapping[str, Any]]]] = defaultdict(list)
    for place, entry in enumerate(answer["stretches"]):
        by_run[entry["run"]].append((place, entry))
    for run, stretches in by_run.items():
        ends = listed([f"{entry['first']} to {entry['last']}" for _, entry in stretches])
        facts: dict[str, Fact | str] = {}
        for n, (place, entry) in enumerate(stretches):
            facts |= {
                f"new{n}": entry["new"],
                f"line{n}": _such_as(entry["new_line"]),
                f"tasks{n}": fact(count(entry["with_new"], "task"), entry["with_new"], *_PATH, place, "with_new"),
            }
        texts = listed([f"“{{new{n}}}”{{line{n}}} in {{tasks{n}}}" for n in range(len(stretches))])
        yield Advice(
            "harness",
            f"Find out whether the environment of {run} changed in its tasks {ends}, and run these again with what "
            "the rest had",
            say(f"There alone its tools say {texts}.", **facts),
            sum(entry["inside_rollouts"] - entry["inside_passes"] for _, entry in stretches),
            LIKELY,
            before_scores=True,
        )


_PATH = ("investigation", "changed_midway", "stretches")
