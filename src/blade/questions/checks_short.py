"""How many checks are failures short of a pass: all of them, some, or a single one?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.checks import counted_checks
from blade.questions import in_order, judged, task_list
from blade.wording import abridged, amount, count, fact, listed

TITLE = "How many checks short"
ORDER = 35
FEWEST = 5
SEVERAL = PARTS = 2
"""A check is one of several from so many on. Where no verdict has more, which part fails says all (`verdict_parts`)."""
FULL, SHORT = 0.98, 0.9
"""Of the passes so many have all that a pair of numbers counts, and of the failures so many lack some of it."""
MOSTLY = 0.75
LARGE_SET = 8
MOST_SETS = 6
NARROW, SELDOM = 0.4, 0.2
"""Where so many failures miss a single check and so few a whole large set, the tests of these may not have run."""
Met = tuple[int, int]
"""How many checks are met and how many there are."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the judged failures in which some of several checks fail, by how many of these do.

    Checks come by name, or, where more rows have them so, as numbers that tell how many of how many passed.
    """
    by_name = {id(case): _met(case) for run in runs for case in run.observing("check_sets")}
    by_number = _counted(runs)
    named = len(by_name) >= len(by_number)
    met = by_name if named else by_number
    if all(total <= PARTS for _, total in met.values()):
        return None
    solved = {case.key for run in runs for case in judged(run) if case.passed}
    entries = [entry for run in runs if (entry := _of_run(run, met, solved)) is not None]
    if not entries:
        return None
    alike = len(entries) > 1 and all(entry["none_met"] >= MOSTLY * entry["failures"] for entry in entries)
    return {"runs": entries, "named": named} | ({"all": _together(entries)} if alike else {})


def _counted(runs: Sequence[RunCases]) -> dict[int, Met]:
    """Of the numbers that count what passed those on the most rows, where they are full in passes and in no failure."""
    pairs: defaultdict[str, dict[int, Met]] = defaultdict(dict)
    for run in runs:
        judged_ids = {id(case) for case in judged(run)}
        for case, fields in zip(run.cases, run.fields(), strict=True):
            for prefix, names in _counting(tuple(fields)) if id(case) in judged_ids else ():
                for checks in counted_checks(prefix, {name: fields[prefix + name] for name in names}):
                    pairs[checks.field][id(case)] = checks.passed, checks.total
    cases = [case for run in runs for case in judged(run)]
    fitting = [(len(met), field) for field, met in pairs.items() if _decides(cases, met)]
    return pairs[max(fitting)[1]] if fitting else {}


@lru_cache(maxsize=4096)
def _counting(fields: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What may hold numbers that tell how many of how many passed, and the names in it. Rows have few sets of names."""
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for field in fields:
        holder, dot, name = field.rpartition(".")
        holders[holder + dot].append(name)
    return tuple(
        (prefix, tuple(names))
        for prefix, names in holders.items()
        if any(counted_checks(prefix, dict.fromkeys(names, SEVERAL)))
    )


def _decides(cases: Sequence[Case], met: Mapping[int, Met]) -> bool:
    full = {
        passed: [met[id(case)] for case in cases if id(case) in met and case.passed is passed]
        for passed in (True, False)
    }
    passes, failures = (sum(passed == total for passed, total in full[verdict]) for verdict in (True, False))
    return passes >= FULL * len(full[True]) and failures <= (1 - SHORT) * len(full[False])


def _together(entries: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {key: sum(entry[key] for entry in entries) for key in ("failures", "none_met", "partly", "single")}


def _of_run(run: RunCases, met: Mapping[int, Met], solved: Collection[str]) -> dict[str, Any] | None:
    failures = [(case, *met[id(case)]) for case in judged(run) if not case.passed and id(case) in met]
    several = [(case, passed, total) for case, passed, total in failures if total >= SEVERAL and passed < total]
    if len(several) < FEWEST:
        return None
    single = [case for case, passed, total in several if total - passed == 1]
    return {
        "run": run.run.name,
        "failures": len(several),
        "none_met": sum(not passed for _, passed, _ in several),
        "partly": sum(passed > 0 for _, passed, _ in several),
        "partly_tasks": in_order(case.label for case, passed, _ in several if passed),
        "single": len(single),
        "single_tasks": in_order(case.label for case in single),
        "whole_sets": _whole_sets([case for case, _, _ in several], len(single), solved),
    }


def _whole_sets(failures: Sequence[Case], single: int, solved: Collection[str]) -> list[list[Any]]:
    """Task and size of every large set of which nothing is met, where failures are mostly a single check short.

    Left out are tasks that some rollout passes: their tests run, and need no name that nobody can know.
    """
    empty = {
        case.label: max(sizes)
        for case in failures
        if case.key not in solved
        and (sizes := [size for met, size in case.observed.get("check_sets", {}).values() if not met])
        and max(sizes) >= LARGE_SET
    }
    if single < NARROW * len(failures) or len(empty) > SELDOM * len(failures):
        return []
    return [[label, empty[label]] for label in in_order(empty)]


def _met(case: Case) -> tuple[int, int]:
    """How many checks are met and how many there are, over all sets of the verdict."""
    passed, total = zip(*case.observed["check_sets"].values(), strict=True)
    return sum(passed), sum(total)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    if "all" in answer:
        return [Paragraph((_all_alike(answer),))]
    items = [
        Paragraph((_sentence(place, entry, answer["named"]), *_empty_sets(place, entry)))
        for place, entry in enumerate(answer["runs"])
    ]
    return [Bullets(tuple(items))]


def _empty_sets(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    """That a whole set of checks fails in some rollouts, which a wrong solution alone seldom does."""
    if sets := entry["whole_sets"]:
        at = ("investigation", "checks_short", "runs", place, "whole_sets")
        yield say(
            "In {many} every check of a set of {least} or more fails ({tasks}): these tests may not have run at all, "
            "or need a name that the task does not say.",
            many=fact(count(len(sets), "task"), len(sets), *at),
            least=f"{LARGE_SET}",
            tasks=abridged([f"{label} with {size:,}" for label, size in sets], MOST_SETS),
        )


def _all_alike(answer: Mapping[str, Any]) -> Sentence:
    """One sentence for runs whose failures mostly meet nothing."""
    at = ("investigation", "checks_short", "all")
    together = answer["all"]
    none = [f"{entry['run']} {entry['none_met']:,} of {entry['failures']:,}" for entry in answer["runs"]]
    partly = [f"{entry['run']}: {task_list(entry['partly_tasks'])}" for entry in answer["runs"] if entry["partly"]]
    return say(
        "Failures mostly meet nothing, in each of {runs} runs: of {failures} that miss some of several {checks}, none "
        "is met in {none_met} ({none}) and some in {partly}{tasks}; a single check is missed in {single}.",
        runs=f"{len(answer['runs']):,}",
        failures=fact(count(together["failures"], "judged failure"), together["failures"], *at, "failures"),
        checks=_checks(answer["named"]),
        none_met=amount(together["none_met"], *at, "none_met"),
        none=listed(none),
        partly=amount(together["partly"], *at, "partly"),
        tasks=f" ({'; '.join(partly)})" if partly else "",
        single=amount(together["single"], *at, "single"),
    )


def _checks(named: bool) -> str:
    return "named checks" if named else "checks, which are counted and not named"


def _sentence(place: int, entry: Mapping[str, Any], named: bool) -> Sentence:
    at = ("investigation", "checks_short", "runs", place)
    tasks = f" ({task_list(entry['single_tasks'])})" if entry["single_tasks"] else ""
    return say(
        "{run}: of {failures} that miss some of several {checks}, none is met in {none_met} and some "
        "in {partly}; a single check is missed in {single}{tasks}.",
        run=entry["run"],
        failures=fact(count(entry["failures"], "judged failure"), entry["failures"], *at, "failures"),
        checks=_checks(named),
        none_met=amount(entry["none_met"], *at, "none_met"),
        partly=amount(entry["partly"], *at, "partly"),
        single=amount(entry["single"], *at, "single"),
        tasks=tasks,
    )
