"""What is asked of all rollouts together: one question per file.

A question is a module with a TITLE, an ORDER, `ask(runs)`, which returns plain data for analysis.json or None where
there is nothing to say, and `tell(answer)`, which words that data. Optional are: `brief(answer)` gives sentences
for the first screen, `faults(answer)` the tasks whose failures are the benchmark's, with the reason and whose fault it
is, `health(answer)` items of a health check that the answer speaks of, so that the check is not called clean,
`advise(answer)` what to change, with the failures that it may mend and how sure that is, `SECTION` names the section
that tells the answer where it is not the investigation, `GOES_ON` names the question whose claim on the first screen
it continues where both speak of as many rollouts, and `OF_COPIES` is true where the question compares runs as
such, so that it is asked also of runs that are row for row a copy of another. An answer may hold `causes`: labels of
single failing rollouts, for the diagnosis. Nothing is said of rollouts that did not
happen or were not judged, and a pattern is told with its count in passes and in failures.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from blade.change.series import steps_of
from blade.counting.derived_slices import FAMILY, derived_slices
from blade.counting.row_settings import row_settings
from blade.counting.slices import task_slices
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import strata
from blade.document import Fact, Sentence
from blade.evidence import open_rows
from blade.extract.artefacts import PATCH_DIGEST
from blade.extract.task_text import task_text
from blade.extract.text import clip
from blade.late_regex import late_regex
from blade.model import Source
from blade.stats.binomial import more_often_p
from blade.stats.multiple import benjamini_hochberg
from blade.stats.scipy_functions import special
from blade.stats.strata import Table, exact_p
from blade.wording import abridged, amount, count, percent

MOST_TASKS = 12
MOST_PAIRS = 4
SURE = 0.01
"""The level of what goes with failing or with a run, each question corrected for all that it tests. It is this low
because several questions test: all together may claim something in one of twenty data sets that hold nothing."""
MOST_LEVELS, FEWEST_TASKS, UNEVEN = 8, 5, 0.05
FEWEST_OF_PART, NEARLY_ALL_TASKS = 3, 0.9
"""So many tasks, and so many of them, lie in one part of the tasks that is named for them."""
FEWEST_COUNTED = 10
TASKS_PER_CLASS = 4
"""Where answers come from a small set, so many tasks for each are enough to test them one by one."""
OF_THE_EVALUATION = 1.5
"""The weight of questions about the key, the verifier, the simulated user and the machines."""
ONE_MATCHER = "Regrade every row with one matcher, and settle what it accepts, before the scores are used"
OTHER_KEYS = "Check the keys of the tasks in which most rollouts agree on another answer; repair or drop what is wrong"
"""Steps that more than one question asks for, each for reasons of its own."""
FEWEST_CUT, NEARLY_ALL_LENGTH, FAR_LONGER = 8, 0.99, 1.2
"""So many rollouts whose longest answer of a tool ends at one length, and so many of another run that go beyond it."""
FAR_MORE = 1.5
"""Repeats of one configuration read about as much in a turn; what reads so many times more was given more."""
_SETTINGS = ("model", "agent", "skills", "system_hash", "tools_hash", "sampling")
_VERSION = late_regex(r"[a-z]+[-_ ]?v?\d+\.\d+(?:\.\d+)*")
_TOLD = ("model", "system_hash")
"""Without one of these, nothing tells that two runs have one configuration."""


def judged(run: RunCases) -> list[Case]:
    """The rollouts of a run that say something about the model: they ran, were judged, and passed or failed."""
    return list(run.judged())


def undisturbed(run: RunCases) -> list[Case]:
    """The judged rollouts whose tools were there: what a run does is asked of these."""
    return [case for case in run.judged() if not case.in_dead_stretch]


def disturbed_words(disturbed: int) -> str:
    """That rollouts are left out in which tools were down, in brackets behind a count; nothing where there are none."""
    return f" ({count(disturbed, 'rollout')} whose tools were down left out)" if disturbed else ""


def counts_full_scores(runs: Sequence[RunCases]) -> bool:
    """Whether no run says what a pass is, and full scores stand for passes."""
    return all(run.run.rule.threshold is None for run in runs) and any(judged(run) for run in runs)


def cause(label: str, why: str, cases: Iterable[Case]) -> dict[str, Any]:
    """An entry of an answer's `causes`: the label that the failures among some rollouts deserve, and why."""
    failures = [[case.run, case.label, case.attempt] for case in cases if not case.passed]
    return {"label": label, "why": why, "rollouts": failures}


def task_list(labels: Iterable[str], most: int = MOST_TASKS) -> str:
    """Task names in order, numbers by value: "3, 14 and 2 more"."""
    return abridged(in_order(labels), most)


def in_order(labels: Iterable[str]) -> list[str]:
    """Task names once each, numbers by value."""
    return sorted(
        set(labels), key=lambda label: (0, int(label), "") if label.isdecimal() and len(label) < 18 else (1, 0, label)
    )


def by_task(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The rollouts by the key that their task has in all runs."""
    grouped: dict[str, list[Case]] = {}
    for case in cases:
        grouped.setdefault(case.key, []).append(case)
    return grouped


def counted_with_passes(name: str, cases: Sequence[Case]) -> dict[str, int]:
    """How many rollouts there are, and how many of them pass, under a name and the name of its passes."""
    return {name: len(cases), f"{name}_passes": sum(bool(case.passed) for case in cases)}


def fails_alone(case: Case) -> bool:
    """Whether of the checks that the verifier names one alone is not met."""
    return sum(not met for met in case.checks.values()) == 1


def outcome_p(cases: Sequence[Case], having: Collection[int], apart: Sequence[Hashable] | None = None) -> float | None:
    """Whether some rollouts, given by their identity, end otherwise: tasks, or tasks of like difficulty, kept apart.

    Who asks for many features of the same rollouts gives their `strata`.
    """
    groups: defaultdict[Hashable, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for case, stratum in zip(cases, strata(cases) if apart is None else apart, strict=True):
        groups[stratum][(id(case) not in having) * 2 + (not case.passed)] += 1
    return exact_p(_written(groups.values()))


def shared_last_calls(runs: Sequence[RunCases]) -> list[tuple[str, list[Case], list[Case], float]]:
    """Last calls, equal word for word in several tasks, that go with failing, as the exact test says.

    Each with the run, its rollouts that end so, all of them that make calls, and p.
    """
    asked = [(run.run.name, *entry) for run in runs for entry in _equal_last_calls(judged(run))]
    tested = [(run, having, rows, p) for run, having, rows, p in asked if p is not None]
    adjusted = benjamini_hochberg([p for *_, p in tested])
    return [
        (run, having, rows, p)
        for (run, having, rows, _), p in zip(tested, adjusted, strict=True)
        if p <= SURE and pass_rate(having) < pass_rate(rows)
    ]


def _equal_last_calls(cases: Sequence[Case]) -> Iterator[tuple[list[Case], list[Case], float | None]]:
    """Rollouts with one last call, all that make calls, and the exact test of both against the outcome."""
    rows = [case for case in cases if case.observed.get("closing")]
    groups: defaultdict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in rows:
        tool, arguments, _ = case.observed["closing"]
        groups[tool, arguments].append(case)
    for having in groups.values():
        if len({case.key for case in having}) >= FEWEST_TASKS:
            yield having, rows, outcome_p(rows, {id(case) for case in having})


def pass_rate(cases: Sequence[Case]) -> float:
    """The share of some rollouts that pass; there is at least one."""
    return sum(bool(case.passed) for case in cases) / len(cases)


def run_p(cases: Sequence[Case], having: Collection[int]) -> float | None:
    """The run that has it most often against the others, inside tasks; corrected for the choice of the run."""
    rollouts = Counter(case.run for case in cases)
    with_it = Counter(case.run for case in cases if id(case) in having)
    if len(rollouts) < 2 or not with_it:
        return None
    most = max(sorted(with_it), key=lambda run: with_it[run] / rollouts[run])
    groups: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for case in cases:
        groups[case.key][(case.run != most) * 2 + (id(case) not in having)] += 1
    p = exact_p(_written(groups.values()))
    return None if p is None else min(1.0, p * len(rollouts))


def _written(groups: Iterable[list[int]]) -> list[Table]:
    return [(entry[0], entry[1], entry[2], entry[3]) for entry in groups]


def passes_by_run(head: str, path: Sequence[str | int], runs: Sequence[Mapping[str, Any]]) -> Sentence:
    """Passes and rollouts of each run, of what is spoken of and of the rest."""
    parts: list[str | Fact] = []
    for place, entry in enumerate(runs):
        at = (*path, "runs", place)
        parts += ["; " if place else "", f"{entry['run']} ", amount(entry["passes"], *at, "passes"), " of "]
        parts += [amount(entry["rollouts"], *at, "rollouts"), " and "]
        parts += [amount(entry["other_passes"], *at, "other_passes"), " of "]
        parts += [amount(entry["other_rollouts"], *at, "other_rollouts")]
    return Sentence((f"{head} by run: ", *parts, "."))


def order_if_passed(runs: Sequence[RunCases], doubtful: Collection[int]) -> list[dict[str, Any]] | None:
    """Passes of each run if some failures, given by their identity, had passed; None where no two runs change places.

    That is a bound: how many of them would pass is unknown.
    """
    entries = []
    for run in runs:
        rows = judged(run)
        passes = sum(bool(case.passed) for case in rows)
        lifted = sum(bool(case.passed) or id(case) in doubtful for case in rows)
        entries.append({"run": run.run.name, "passes": passes, "if_passed": lifted, "rollouts": len(rows)})
    rated = [entry for entry in entries if entry["rollouts"]]
    changed = any(
        _apart(first, second, "passes") * _apart(first, second, "if_passed") < 0
        for first, second in combinations(rated, 2)
    )
    return entries if changed else None


def _apart(first: Mapping[str, Any], second: Mapping[str, Any], passes: str) -> int:
    """More than 0 where the first of two runs has the larger share of passes, less than 0 where the second has."""
    return int(first[passes] * second["rollouts"] - second[passes] * first["rollouts"])


def order_words(head: str, path: Sequence[str | int], entries: Sequence[Mapping[str, Any]]) -> Sentence:
    """What every run would pass if the failures in doubt had passed: another order of the runs."""
    parts: list[str | Fact] = []
    for place, entry in enumerate(entries):
        share = entry["if_passed"] / entry["rollouts"] if entry["rollouts"] else 0.0
        parts += [" and " if place == len(entries) - 1 else ", "] if place else []
        parts += [f"{entry['run']} ", amount(entry["if_passed"], *path, place, "if_passed"), " of "]
        parts += [amount(entry["rollouts"], *path, place, "rollouts"), f" ({percent(share)})"]
    return Sentence((f"{head}, the order of the runs would change: ", *parts, "."))


def task_levels(run: RunCases) -> dict[str, Mapping[str, str]]:
    """What the rows, and the names of the tasks, say that each task of a run belongs to, by its key in all runs."""
    if "task levels" not in run.known:
        tasks = {task: dict(levels) for task, levels in task_slices(run.run).items()}
        (derived,) = derived_slices([run.run], lambda levels, _: len(set(levels)) > 1)
        for task, level in derived.get(FAMILY, {}).items():
            tasks.setdefault(task, {})[FAMILY] = level
        rows = zip(run.cases, run.run.graded["task"].to_list(), strict=True)
        run.known["task levels"] = {case.key: tasks.get(task, {}) for case, task in rows}
    return run.known["task levels"]  # type: ignore[no-any-return]


def uneven_parts(runs: Sequence[RunCases], chosen: Collection[str]) -> dict[str, Any] | None:
    """The field of the tasks over whose levels some tasks lie most unevenly, beyond chance: chosen and all of each.

    The chi-square test of each field, times the fields asked; levels are few, and each has several tasks.
    """
    levels: dict[str, Mapping[str, str]] = {}
    for run in runs:
        levels = {**task_levels(run), **levels}
    tables = []
    for field in sorted({field for of_task in levels.values() for field in of_task}):
        every = Counter(of_task[field] for of_task in levels.values() if field in of_task)
        having = Counter(levels[key][field] for key in chosen if field in levels.get(key, {}))
        picked, total = sum(having.values()), sum(every.values())
        whole = total == len(levels) and 0 < picked < total
        if whole and 1 < len(every) <= MOST_LEVELS and min(every.values()) >= FEWEST_TASKS:
            share = picked / total
            square = sum((having[level] - share * rows) ** 2 / rows for level, rows in every.items())
            p = float(special.chdtrc(len(every) - 1, square / share / (1 - share)))
            tables.append((p, len(every), field, every, having))
    if not tables or min(tables)[0] * len(tables) > UNEVEN:
        return None
    _, _, field, every, having = min(tables, key=lambda table: table[:3])
    order = sorted(every, key=lambda level: (-having[level] / every[level], level))
    return {"field": field, "levels": [[level, having[level], every[level]] for level in order]}


def common_part(runs: Sequence[RunCases], task_keys: Collection[str]) -> dict[str, Any] | None:
    """The level of the tasks in which nearly all of some tasks lie and most others do not, beyond chance.

    The hypergeometric chance of so many in one level, times the levels asked.
    """
    levels: dict[str, Mapping[str, str]] = {}
    for run in runs:
        levels = {**task_levels(run), **levels}
    leveled_keys = [key for key in dict.fromkeys(task_keys) if key in levels]
    if len(leveled_keys) < FEWEST_OF_PART:
        return None
    every = Counter((field, level) for of_task in levels.values() for field, level in of_task.items())
    tasks_by_level = Counter((field, levels[key][field]) for key in leveled_keys for field in levels[key])
    tested = []
    for (field, level), tasks_inside in tasks_by_level.items():
        tasks = every[field, level]
        if tasks_inside >= NEARLY_ALL_TASKS * len(leveled_keys) and 2 * tasks <= len(levels):
            p = more_often_p(tasks_inside, len(leveled_keys), tasks - tasks_inside, len(levels) - len(leveled_keys))
            tested.append((p, field, level, tasks_inside, tasks))
    if not tested or min(tested)[0] * len(every) > UNEVEN:
        return None
    _, field, level, tasks_inside, tasks = min(tested)
    return {"field": field, "level": level, "inside": tasks_inside, "of": len(leveled_keys), "tasks": tasks}


def _versions(name: str) -> frozenset[str]:
    """What a run's name says of versions ("hawser-0.9") and of steps of a training: rows of two may record the same."""
    return frozenset(_VERSION.findall(name.lower())) | steps_of(name)


def settings(run: RunCases) -> Hashable | None:
    """What nearly every row of the run was made with; None where the rows do not tell."""
    if "settings" not in run.known:
        rows = run.run.graded
        usual = {name: _usual(rows[name]) for name in _SETTINGS}
        told = all(usual[name] is not None for name in _TOLD)
        run.known["settings"] = (run.run.agent, _versions(run.run.name), *usual.values()) if told else None
    return run.known["settings"]  # type: ignore[no-any-return]


def same_configuration(first: RunCases, other: RunCases) -> bool:
    """Whether the rows of two runs tell that both were made alike.

    Where a field of the rows is constant in either and differs, or a turn of the model reads far more in one of them,
    something was set otherwise, whatever else is the same.
    """
    known = settings(first)
    if known is None or known != settings(other):
        return False
    mine, theirs = _of_rows(first), _of_rows(other)
    if any(mine[name] != theirs[name] for name in mine.keys() & theirs.keys()):
        return False
    if _cuts_shorter(first, other) or _cuts_shorter(other, first):
        return False
    read = [size for run in (first, other) if (size := input_per_turn(run)) is not None]
    return len(read) < 2 or max(read) <= FAR_MORE * min(read)


def _cuts_shorter(run: RunCases, other: RunCases) -> bool:
    """Whether answers of tools end at one length in a run, and go well beyond it in the other."""
    lengths, other_lengths = (
        [case.observed["longest_output"][0] for case in cases.observing("longest_output")] for cases in (run, other)
    )
    longest = max(lengths, default=0)
    at_the_end = sum(length >= NEARLY_ALL_LENGTH * longest for length in lengths)
    beyond = sum(length > FAR_LONGER * longest for length in other_lengths)
    return bool(min(at_the_end, beyond) >= FEWEST_CUT)


def input_per_turn(run: RunCases) -> float | None:
    """The median of the input tokens for a turn of the model; None where few rows count them."""
    if "input per turn" not in run.known:
        rows = run.run.graded.filter((pl.col("input_tokens") > 0) & (pl.col("acts") > 0))
        sizes = rows["input_tokens"] / rows["acts"]
        run.known["input per turn"] = sizes.median() if rows.height >= FEWEST_COUNTED else None
    return run.known["input per turn"]  # type: ignore[no-any-return]


def _of_rows(run: RunCases) -> Mapping[str, Any]:
    if "row settings" not in run.known:
        run.known["row settings"] = row_settings(run.run.columns, run.run.facts.height)
    return run.known["row settings"]  # type: ignore[no-any-return]


def _usual(values: pl.Series) -> Any:
    """The most common value; of several the smallest."""
    known = Counter(value for value in values.to_list() if value is not None)
    most = max(known.values(), default=0)
    return min((value for value, many in known.items() if many == most), default=None)


def close_pairs(runs: Sequence[RunCases], most: int = MOST_PAIRS) -> list[tuple[RunCases, RunCases]]:
    """The pairs of different configurations whose scores lie closest, the better run first: what a reader doubts."""
    rated = []
    for run in runs:
        rows = judged(run)
        if rows:
            rated.append((sum(bool(case.passed) for case in rows) / len(rows), run))
    pairs = [
        (abs(first - other), max(first, other), (left, right) if first >= other else (right, left))
        for (first, left), (other, right) in combinations(rated, 2)
        if not same_configuration(left, right)
    ]
    pairs.sort(key=lambda pair: (pair[0] - pair[1], pair[2][0].run.name, pair[2][1].run.name))
    return [pair for _, _, pair in pairs[:most]]


SAME_PATCH_TASKS = 3


def patch_field(cases: Sequence[Case]) -> str | None:
    """The field with the most patches, unless it is the same in all attempts at a task: then it is the task's."""
    patches: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        for name, patch in case.observed.get("patches", {}).items():
            if patch is not None:
                patches[name].append(case)
    own = [name for name, having in patches.items() if not _of_the_task(name, having)]
    return max(own, key=lambda name: (len(patches[name]), name), default=None)


PATCH_CHANGES = 12
"""Where a record of a patch holds its changes by file: a number for the change, the path, its lines of code."""
SHARING_TASKS = 3
HARDLY_ANY = 0.1


def carried_changes(cases: Sequence[Case], opened: Mapping[int, Sequence[Any]]) -> dict[tuple[int, str], list[Case]]:
    """Changes of a file, equal to the letter, in patches of several tasks: nobody makes the same one for each.

    `opened` are the records of the patches by the id of the case.
    """
    by_change: defaultdict[tuple[int, str], list[Case]] = defaultdict(list)
    for case in cases:
        for number, path, _ in opened[id(case)][PATCH_CHANGES]:
            by_change[number, path].append(case)
    return {
        change: some
        for change, some in by_change.items()
        if len({case.key for case in some}) >= SHARING_TASKS and not _is_the_work(some, opened)
    }


def _is_the_work(having: Sequence[Case], opened: Mapping[int, Sequence[Any]]) -> bool:
    """Whether a change passes where it is all that a patch holds: then it solves tasks that ask for the same."""
    sole = [case for case in having if len(opened[id(case)][PATCH_CHANGES]) == 1]
    return sum(bool(case.passed) for case in sole) > HARDLY_ANY * len(sole)


def _of_the_task(name: str, having: Sequence[Case]) -> bool:
    digests: defaultdict[str, list[int]] = defaultdict(list)
    for case in having:
        digests[case.key].append(case.observed["patches"][name][PATCH_DIGEST])
    repeated = [some for some in digests.values() if len(some) > 1]
    return len(repeated) >= SAME_PATCH_TASKS and all(len(set(some)) == 1 for some in repeated)


LONGEST_TEXT = 500


def task_words(places: Iterable[tuple[str, int, int, int]]) -> dict[tuple[str, int, int, int], str]:
    """What the tasks of some rows ask for, shortened, in one line; rows that cannot be opened are left out."""
    found = {}
    for source, row in open_rows(Source(*place) for place in places):
        text = clip(" ".join(task_text(row).split()), LONGEST_TEXT)
        if text:
            found[source.file, source.line, source.offset, source.length] = text
    return found
