"""Which families of tasks, as their ids tell, does no run solve, and which does one run alone?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Fact, Paragraph, Sentence, Table, say
from blade.late_regex import late_regex
from blade.questions import SURE, by_task, in_order, judged, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "Families of tasks"
ORDER = 72
FEWEST_TASKS = 20
FEWEST_MEMBERS = 3
MOST_FAMILIES = 40
COVERED = 0.7
MOST_SHOWN = 8
DEEPEST = 4
_PARTS = late_regex(r"[._\-/: ]+")
_STRONG = late_regex(r"__+|::|/")
_NO_ID = late_regex(r"(?:text|row):|[0-9a-f]{8}-[0-9a-f]{4}-|\d+$")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Families by the tasks that some run passes, that none does and that one alone does, where they differ."""
    known = {run.run.name: by_task(judged(run)) for run in runs if judged(run)}
    labels = {key: cases[0].label for tasks in known.values() for key, cases in tasks.items()}
    members = families(labels)
    if not members:
        return None
    passing = {key: _passing(key, known) for key in labels}
    never = {key for key, names in passing.items() if not names}
    found = [_family(name, keys, labels, passing, known) for name, keys in members.items()]
    tested = []
    for entry, keys in zip(found, members.values(), strict=True):
        inside, outside = len(never.intersection(keys)), len(never.difference(keys))
        p = exact_p([(inside, len(keys) - inside, outside, len(labels) - len(keys) - outside)])
        if p is not None:
            entry["p"] = p
            tested.append(entry)
    for entry, q in zip(tested, benjamini_hochberg([entry["p"] for entry in tested]), strict=True):
        entry["p"] = significant(q, WRITTEN)
    sure = [entry for entry in found if entry["p"] is not None and entry["p"] <= SURE]
    if not sure:
        return None
    sure.sort(key=lambda entry: (-entry["never"] / entry["tasks"], -entry["tasks"], entry["family"]))
    return {
        "tasks": len(labels),
        "union": len(labels) - len(never),
        "never": len(never),
        "families": len(members),
        "in_families": sum(map(len, members.values())),
        "told": sure,
    }


def families(labels: Mapping[str, str]) -> dict[str, list[str]]:
    """Family → its tasks: the finest common beginning of ids under which most tasks have several others."""
    if len(labels) < FEWEST_TASKS or sum(bool(_NO_ID.match(label)) for label in labels.values()) > len(labels) / 2:
        return {}
    best: dict[str, list[str]] = {}
    for stem in _stems(labels.values()):
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for key, label in labels.items():
            if (name := stem.get(label)) is not None:
                groups[name].append(key)
        large = {name: keys for name, keys in groups.items() if len(keys) >= FEWEST_MEMBERS}
        covered = sum(map(len, large.values()))
        if 1 < len(large) <= MOST_FAMILIES and covered >= COVERED * len(labels) and len(large) > len(best):
            best = large
    return best


def _stems(labels: Any) -> Iterator[dict[str, str]]:
    """Ways to name a family: what stands before a strong separator, or the first parts of an id."""
    names = list(labels)
    yield {name: _STRONG.split(name)[0] for name in names if _STRONG.search(name)}
    parts = {name: _PARTS.split(name) for name in names}
    for depth in range(1, DEEPEST + 1):
        yield {name: " ".join(some[:depth]) for name, some in parts.items() if len(some) > depth}


def _passing(key: str, known: Mapping[str, Mapping[str, Sequence[Case]]]) -> list[str]:
    return [run for run, tasks in known.items() if any(case.passed for case in tasks.get(key, ()))]


def _family(
    name: str,
    keys: Sequence[str],
    labels: Mapping[str, str],
    passing: Mapping[str, Sequence[str]],
    known: Mapping[str, Mapping[str, Sequence[Case]]],
) -> dict[str, Any]:
    alone = Counter(passing[key][0] for key in keys if len(passing[key]) == 1)
    runs = {}
    for run, tasks in known.items():
        cases = [case for key in keys for case in tasks.get(key, ())]
        runs[run] = [sum(bool(case.passed) for case in cases), len(cases)]
    return {
        "family": name,
        "tasks": len(keys),
        "union": sum(bool(passing[key]) for key in keys),
        "never": sum(not passing[key] for key in keys),
        "never_tasks": in_order(labels[key] for key in keys if not passing[key]),
        "alone": dict(alone),
        "runs": runs,
        "p": None,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    runs = list(answer["told"][0]["runs"])
    rows = tuple(_row(place, entry) for place, entry in enumerate(answer["told"][:MOST_SHOWN]))
    head = ("Family", ">tasks", ">passed by some run", ">by none", *(f">passes of {run}" for run in runs))
    return [Paragraph(tuple(_overview(answer))), Table(head, rows, "Families whose share of unsolved tasks differs")]


def _overview(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    some_outside = answer["in_families"] < answer["tasks"]
    text = "Of {tasks} in {families} of ids, {union} {are} passed by some run and {never} by none."
    if some_outside:
        text = (
            "Of {tasks}, {inside} belong to {families} of ids with at least {fewest} each, the others to none; {union} "
            "of all {are} passed by some run and {never} by none."
        )
    yield say(
        text,
        inside=amount(answer["in_families"], *_AT, "in_families"),
        fewest=str(FEWEST_MEMBERS),
        tasks=fact(count(answer["tasks"], "task"), answer["tasks"], *_AT, "tasks"),
        families=fact(count(answer["families"], "family", "families"), answer["families"], *_AT, "families"),
        union=amount(answer["union"], *_AT, "union"),
        are="is" if answer["union"] == 1 else "are",
        never=amount(answer["never"], *_AT, "never"),
    )
    unsolved = [
        entry for entry in answer["told"] if entry["never"] * answer["tasks"] > answer["never"] * entry["tasks"]
    ]
    parts = [
        f"{entry['family']} ({entry['never']:,} of {entry['tasks']:,}: {task_list(entry['never_tasks'], 6)})"
        for entry in unsolved[:3]
    ]
    if parts:
        yield say("Significantly more often unsolved than the others: {parts}.", parts=listed(parts))
    more = len(answer["told"]) - MOST_SHOWN
    if more > 0:
        yield say("{more} in analysis.json.", more=count(more, "more family", "more families"))


def _row(place: int, entry: Mapping[str, Any]) -> tuple[str | Fact, ...]:
    path = (*_AT, "told", place)
    alone = [f"{run} {many:,}" for run, many in entry["alone"].items()]
    union = f"{entry['union']:,}" + (f" (alone: {listed(alone)})" if alone and len(entry["runs"]) > 1 else "")
    return (
        entry["family"],
        amount(entry["tasks"], *path, "tasks"),
        fact(union, entry["union"], *path, "union"),
        amount(entry["never"], *path, "never"),
        *(f"{passes:,} of {rollouts:,}" for passes, rollouts in entry["runs"].values()),
    )


_AT = ("investigation", "families")
