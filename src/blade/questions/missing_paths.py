"""Does the environment of a run lack what the tasks name: a file or a folder that is there in the other runs?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from os.path import commonpath
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.questions import FEWEST_TASKS, SURE, in_order, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import abridged, amount, count, fact, percent, printable

TITLE = "What the task names is not there"
ORDER = 16
WEIGHT = 1.6
MOSTLY, NEARLY_ALL, SELDOM = 0.5, 0.8, 0.1
MOST_TOLD, MOST_RUNS = 6, 4
_AT = ("investigation", "missing_paths", "runs")


@frozen
class _Root:
    """A first folder that tasks name, and the judged rollouts of the tasks of which some rollout comes to it."""

    name: str
    cases: Mapping[str, Sequence[Case]]
    """By run."""

    def missing(self, case: Case) -> Sequence[Any] | None:
        """The first record of a missing path under this folder."""
        return next(
            (record for record in case.observed.get("missing_paths", ()) if _root(record[0]) == self.name), None
        )

    def is_present(self, case: Case) -> bool:
        paths = case.observed.get("present_paths", ())
        return any(_root(path) == self.name for path in paths) and self.missing(case) is None

    def lacking(self, run: str) -> list[Case]:
        return [case for case in self.cases[run] if self.missing(case) is not None]

    def share(self, run: str) -> float:
        return len(self.lacking(run)) / len(self.cases[run])


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Runs that lack a path which many of their tasks name, where the other runs have it at the same tasks.

    Where every run meets it, it is the task. A run whose tasks no other run has is told where nearly all of its
    rollouts are said to lack a folder.
    """
    roots = list(_roots(runs))
    candidates = [(root, run) for root in roots for run in root.cases if _tasks(root.lacking(run)) >= FEWEST_TASKS]
    tests = len({(root.name, run) for root, run in candidates}) or 1
    entries = [entry for root, run in candidates if (entry := _entry(root, run, tests)) is not None]
    entries.sort(key=lambda entry: (-entry["rollouts"], entry["run"], entry["folder"]))
    return {"runs": entries, "folders": list(_folders(entries))} if entries else None


def _folders(entries: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """What is missing, with all runs that lack it taken together."""
    for folder, whole in dict.fromkeys((entry["folder"], entry["whole"]) for entry in entries):
        mine = [entry for entry in entries if (entry["folder"], entry["whole"]) == (folder, whole)]
        names = ("rollouts", "passes", "failures", "only_error", "others", "others_passes")
        sums = {name: sum(entry.get(name, 0) for entry in mine) for name in names}
        yield {"folder": folder, "whole": whole, "runs": [entry["run"] for entry in mine], **sums}


def _root(path: str) -> str:
    return "/" + path.strip("/").split("/", 1)[0]


def _tasks(cases: Sequence[Case]) -> int:
    return len({case.key for case in cases})


def _roots(runs: Sequence[RunCases]) -> Iterator[_Root]:
    """Every folder that is missing somewhere, with the rollouts that did something at the tasks that name it."""
    cases = [case for run in runs for case in run.observing("calls")]
    tasks: defaultdict[str, set[str]] = defaultdict(set)
    gone: set[str] = set()
    for case in cases:
        missing = [_root(record[0]) for record in case.observed.get("missing_paths", ())]
        gone.update(missing)
        for root in (*missing, *map(_root, case.observed.get("present_paths", ()))):
            tasks[root].add(case.key)
    for root in sorted(gone):
        by_run: defaultdict[str, list[Case]] = defaultdict(list)
        for case in cases:
            if case.key in tasks[root]:
                by_run[case.run].append(case)
        yield _Root(root, by_run)


def _entry(root: _Root, run: str, tests: int) -> dict[str, Any] | None:
    lacking = root.lacking(run)
    keys = {case.key for case in lacking}
    there = [case for case in root.cases[run] if case.key in keys]
    others = [case for other, cases in root.cases.items() if other != run for case in cases if case.key in keys]
    regained = sum(bool(_record(root, case)[5]) for case in lacking)
    if len(lacking) < MOSTLY * len(there) or regained > (MOSTLY if others else SELDOM) * len(lacking):
        return None
    folder, whole = _folder([_record(root, case)[1] for case in lacking])
    if not others:
        if not whole or root.share(run) < NEARLY_ALL:
            return None
        return _counts(root, run, lacking, folder, whole=whole)
    having = _having(root, run)
    p = _p(root, run, having)
    same = [case for case in others if case.run in having]
    meeting = [case for case in same if root.missing(case) is not None]
    found = [case for case in same if root.is_present(case)]
    if p is None or p * tests > SURE or len(meeting) > SELDOM * len(same) or _tasks(found) < MOSTLY * len(keys):
        return None
    return {
        **_counts(root, run, lacking, folder, whole=whole),
        "others": len(same),
        "others_passes": _passes(same),
        "others_missing": len(meeting),
        "others_present": len(found),
        "p": significant(min(1.0, p * tests), WRITTEN),
        "stretch": _stretch(root, run),
    }


def _record(root: _Root, case: Case) -> Sequence[Any]:
    record = root.missing(case)
    if record is None:
        raise ValueError("only rollouts that lack the path are asked for")
    return record


def _folder(paths: Sequence[str]) -> tuple[str, bool]:
    """What all absent paths have in common, and whether just that is said to be absent."""
    common = commonpath(paths)
    return common, common in paths


def _having(root: _Root, run: str) -> set[str]:
    """The other runs in which it is seldom missing: one that lacks it too tells nothing of the environment."""
    return {other for other in root.cases if other != run and root.share(other) <= SELDOM}


def _p(root: _Root, run: str, having: set[str]) -> float | None:
    """The exact test of the run against the runs that have it, tasks kept apart, over all tasks that name it."""
    tables: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for other, cases in root.cases.items():
        if other == run or other in having:
            for case in cases:
                tables[case.key][(other != run) * 2 + (root.missing(case) is None)] += 1
    return exact_p([(table[0], table[1], table[2], table[3]) for table in tables.values()])


def _counts(root: _Root, run: str, lacking: Sequence[Case], folder: str, *, whole: bool) -> dict[str, Any]:
    only = [case for case in lacking if case.passed and _record(root, case)[4]]
    example = lacking[0]
    record = _record(root, example)
    return {
        "run": run,
        "folder": folder,
        "whole": whole,
        "rollouts": len(lacking),
        "passes": _passes(lacking),
        "failures": len(lacking) - _passes(lacking),
        "tasks": in_order(case.label for case in lacking),
        "only_error": len(only),
        "only_error_tasks": in_order(case.label for case in only),
        "words": printable(record[3]),
        "place": f"{example.label}, attempt {example.attempt}, item {record[2]}",
        "others": 0,
        "naming": len(root.cases[run]),
        "naming_tasks": _tasks(root.cases[run]),
    }


def _passes(cases: Sequence[Case]) -> int:
    return sum(bool(case.passed) for case in cases)


def _stretch(root: _Root, run: str) -> dict[str, Any] | None:
    """The part of the run, in the order of its rows, outside which the path is not missing; None where it is all."""
    rows = sorted(root.cases[run], key=lambda case: case.place[:2])
    places = [place for place, case in enumerate(rows) if root.missing(case) is not None]
    inside = rows[places[0] : places[-1] + 1]
    outside = len(rows) - len(inside)
    if outside < FEWEST_TASKS or len(places) < NEARLY_ALL * len(inside):
        return None
    return {
        "first": inside[0].label,
        "last": inside[-1].label,
        "inside": len(inside),
        "missing": len(places),
        "outside": outside,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["runs"][:MOST_TOLD])]
    return [Bullets(tuple(items))]


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_AT, place)
    yield say(
        "{what} missing in {run} at {tasks} that {name_it} ({names}): the environment says so in {rollouts}, such as "
        "“{words}” ({place}), before the agent removed anything. Of them {outcome}.",
        what=_what(entry),
        run=entry["run"],
        tasks=fact(count(len(entry["tasks"]), "task"), len(entry["tasks"]), *path, "tasks"),
        name_it="names it" if len(entry["tasks"]) == 1 else "name it",
        names=task_list(entry["tasks"]),
        rollouts=_rollouts(entry, path),
        words=entry["words"],
        place=entry["place"],
        outcome=_outcome(entry),
    )
    yield from _others(entry, path)
    yield from _stretch_words(entry, path)
    yield from _only_error(entry, path)


def _what(entry: Mapping[str, Any]) -> str:
    return f"{entry['folder']} is" if entry["whole"] else f"Something in {entry['folder']} is"


def _rollouts(entry: Mapping[str, Any], path: tuple[str | int, ...]) -> Fact:
    return fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts")


def _outcome(entry: Mapping[str, Any]) -> str:
    passes, failures = entry["passes"], entry["failures"]
    passing = f"{passes:,} {'passes' if passes == 1 else 'pass'}" if passes else "none passes"
    failing = f"{failures:,} {'fails' if failures == 1 else 'fail'}" if failures else "none fails"
    return f"{passing} and {failing}"


def _others(entry: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[Sentence]:
    if not entry["others"]:
        yield say(
            "No other run has these tasks; of the {naming} of its tasks that name something there {share} meet it.",
            naming=fact(count(entry["naming"], "rollout"), entry["naming"], *path, "naming"),
            share=percent(entry["rollouts"] / entry["naming"]),
        )
        return
    yield say(
        "At the same tasks {missing} of {others} of runs that have it {meet} that, and {present} {find} it (exact "
        "test within tasks p = {p}): the environment of {run} lacks it, not the task.",
        missing=amount(entry["others_missing"], *path, "others_missing"),
        others=fact(count(entry["others"], "rollout"), entry["others"], *path, "others"),
        meet="meets" if entry["others_missing"] == 1 else "meet",
        present=amount(entry["others_present"], *path, "others_present"),
        find="finds" if entry["others_present"] == 1 else "find",
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        run=entry["run"],
    )


def _stretch_words(entry: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[Sentence]:
    stretch = entry.get("stretch")
    if stretch:
        at = (*path, "stretch")
        yield say(
            "In the order of its rows, {missing} of {inside} from {first} to {last} meet it, and none of the {outside} "
            "others whose tasks name something in it does.",
            missing=amount(stretch["missing"], *at, "missing"),
            inside=fact(count(stretch["inside"], "rollout"), stretch["inside"], *at, "inside"),
            first=stretch["first"],
            last=stretch["last"],
            outside=amount(stretch["outside"], *at, "outside"),
        )


def _only_error(entry: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[Sentence]:
    many = entry["only_error"]
    if many:
        yield say(
            "{only} of its passes there ({tasks}) got nothing but that error in the answer that counts, the last or "
            "the best-scored: {they} may be unearned, as the key's own command may fail in the same way there.",
            only=amount(many, *path, "only_error"),
            tasks=task_list(entry["only_error_tasks"]),
            they="it" if many == 1 else "they",
        )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What is missing in which runs, and how many passes that puts in doubt."""
    for place, entry in enumerate(answer["folders"]):
        path = ("investigation", "missing_paths", "folders", place)
        only = entry["only_error"]
        words = (
            f"; {count(only, 'pass', 'passes')} with nothing but that error in the answer that counts may be unearned"
        )
        yield say(
            "{what} missing in {runs} at tasks that name it{others}: of {rollouts} that {meet} it {outcome}{only}.",
            what=_what(entry),
            runs=abridged(entry["runs"], MOST_RUNS),
            others=", and not in other runs at the same tasks" if entry["others"] else "",
            rollouts=_rollouts(entry, path),
            meet="meets" if entry["rollouts"] == 1 else "meet",
            outcome=_outcome(entry),
            only=fact(words, only, *path, "only_error") if only else "",
        )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Give the runs what their tasks name, and run these tasks again; passes in doubt are to be earned as well."""
    for place, entry in enumerate(answer["folders"]):
        path = ("investigation", "missing_paths", "folders", place)
        lacks = entry["folder"] if entry["whole"] else f"what they name in {entry['folder']}"
        yield Advice(
            "harness",
            f"Check before each task that what it names exists; give {abridged(entry['runs'], MOST_RUNS)} {lacks}, and "
            "run these tasks again",
            say(
                "The environment says in {rollouts} that it is missing: {outcome}.",
                rollouts=_rollouts(entry, path),
                outcome=_outcome(entry),
            ),
            entry["failures"] + entry["only_error"],
            entry["others_passes"] / entry["others"] if entry["others"] else MOSTLY,
            before_scores=True,
        )
