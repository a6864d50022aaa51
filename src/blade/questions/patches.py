"""What was handed in: is the patch empty, broken, without code, beside the reference's files, and was the code run?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Fact, Paragraph, Sentence, Table, say
from blade.questions import (
    PATCH_CHANGES,
    SURE,
    carried_changes,
    in_order,
    judged,
    outcome_p,
    patch_field,
    task_list,
)
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed

TITLE = "What was handed in"
ORDER = 74
WEIGHT = 1.3
FEWEST = 3
FEWEST_OPENED = 10
LARGE = 0.1
SIZES = (2, 5, 10, 20, 40)
FEWEST_SIZES = 3
FILES, OTHER_FILES, CODE_LINES = 0, 2, 13
"""Where a record of a patch holds how many files of code, files without code and lines of code change."""
EMPTY, BROKEN, TESTS, NO_CODE, ELSEWHERE, CODE = "empty", "broken", "tests", "no_code", "elsewhere", "code"
KINDS = {
    EMPTY: "nothing",
    BROKEN: "cannot be applied or parsed",
    TESTS: "tests alone",
    NO_CODE: "no code",
    ELSEWHERE: "none of the reference's files",
    CODE: "code",
}
_WORDS = {
    EMPTY: "hands in an empty patch|hand in an empty patch",
    BROKEN: "hands in a patch that is broken as text|hand in a patch that is broken as text",
    TESTS: "changes tests alone and no other code|change tests alone and no other code",
    NO_CODE: "changes files without code alone|change files without code alone",
    ELSEWHERE: "touches no file of the reference patch|touch no file of the reference patch",
}
"""For one rollout, and for several."""
NONE_TRIED, ALL_FAILED, LAST_FAILED, LOST = "none tried", "all failed", "last failed", "lost"
_REASONS = {
    ALL_FAILED: "had no edit that went well",
    LAST_FAILED: "had a last edit that failed and was not tried again",
    NONE_TRIED: "made no edit",
    LOST: "had a last edit that went well, so that it was undone or the patch lacks it",
}
"""How an empty patch may come about."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The kinds of patches by run and outcome."""
    cases = [case for run in runs for case in judged(run)]
    field = patch_field(cases)
    kinds = _kinds(cases, field) if field else {}
    entries = _findings(cases, kinds)
    tested = [entry for entry in entries if entry["p"] is not None]
    for entry, p in zip(tested, benjamini_hochberg([entry["p"] for entry in tested]), strict=True):
        entry["p"] = significant(p, WRITTEN)
    touched = _touched(cases, field) if field else None
    if not entries and not touched:
        return None
    return {
        "field": field,
        "runs": [_of_run(run.run.name, judged(run), kinds) for run in runs] if entries else [],
        "findings": entries,
        "touched": touched,
    }


def _touched(cases: Sequence[Case], field: str) -> dict[str, Any] | None:
    """What patches that pass and patches that fail touch, counted: nothing is tested.

    What patches of several tasks change word for word comes from the environment, and is left aside.
    """
    patches_by_case = {id(case): patch for case in cases if (patch := case.observed.get("patches", {}).get(field))}
    common = carried_changes([case for case in cases if id(case) in patches_by_case], patches_by_case)
    opened = [(case, _own_part(patches_by_case[id(case)], common)) for case in cases if id(case) in patches_by_case]
    groups = {
        outcome: [patch for case, patch in opened if bool(case.passed) is passed]
        for outcome, passed in (("passes", True), ("failures", False))
    }
    if min(map(len, groups.values())) < FEWEST_OPENED:
        return None
    return {
        outcome: {
            "patches": len(patches),
            "several": sum(patch[FILES] > 1 for patch in patches),
            "tests": sum(bool(patch[FILES] and patch[1]) for patch in patches),
            "others": sum(bool(patch[OTHER_FILES]) for patch in patches),
            "lines": median(patch[3] for patch in patches),
        }
        for outcome, patches in groups.items()
    } | {"sizes": _sizes(opened), "carried": bool(common)}


def _own_part(patch: Sequence[Any], common: Collection[tuple[int, str]]) -> list[Any]:
    """The record of a patch without the files that it changes as patches of other tasks do."""
    carried = [lines for number, path, lines in patch[PATCH_CHANGES] if (number, path) in common]
    own_record = list(patch)
    own_record[FILES] -= sum(lines > 0 for lines in carried)
    own_record[OTHER_FILES] = max(0, own_record[OTHER_FILES] - sum(lines == 0 for lines in carried))
    own_record[CODE_LINES] -= sum(carried)
    return own_record


def _sizes(opened: Sequence[tuple[Case, Sequence[Any]]]) -> list[dict[str, Any]]:
    """Patches and passes by how many lines of code change, where enough are of several sizes."""
    sizes: list[dict[str, Any]] = []
    limits: list[int | None] = [*SIZES, None]
    for least, largest in zip((1, *(limit + 1 for limit in SIZES)), limits, strict=True):
        cases = [case for case, patch in opened if least <= patch[CODE_LINES] <= (largest or patch[CODE_LINES])]
        passes = sum(bool(case.passed) for case in cases)
        sizes.append({"least": least, "largest": largest, "patches": len(cases), "passes": passes})
    enough = [entry for entry in sizes if entry["patches"] >= FEWEST_OPENED]
    return enough if len(enough) >= FEWEST_SIZES else []


def _kinds(cases: Sequence[Case], field: str) -> dict[int, str]:
    """What each rollout handed in; not of a run that passes and records no patch with it.

    A patch that passes was applied and ran: where one looks broken, the look of none is believed.
    """
    silent = {
        run
        for run in {case.run for case in cases}
        if (passed := [case for case in cases if case.run == run and case.passed])
        and not any(case.observed.get("patches", {}).get(field) for case in passed)
    }
    kinds = {
        id(case): _kind(case.observed["patches"][field])
        for case in cases
        if case.run not in silent and field in case.observed.get("patches", {})
    }
    broken = [case for case in cases if kinds.get(id(case)) == BROKEN]
    if any(case.passed for case in broken):
        kinds |= {id(case): _kind(case.observed["patches"][field], believed=False) for case in broken}
    return kinds


def _kind(patch: Sequence[Any] | None, *, believed: bool = True) -> str:
    if patch is None:
        return EMPTY
    code, tests, _, lines, problem, wanted, met, *_ = patch
    if problem and believed:
        return BROKEN
    if not lines and not code and not tests:
        return EMPTY
    if not code:
        return TESTS if tests else NO_CODE
    return ELSEWHERE if wanted and not met else CODE


def _findings(cases: Sequence[Case], kinds: Mapping[int, str]) -> list[dict[str, Any]]:
    known = [case for case in cases if id(case) in kinds]
    found = []
    for kind in _WORDS:
        having = [case for case in known if kinds[id(case)] == kind]
        if having:
            found.append({"kind": kind, **_counts(known, having), "files": _files(having), "why": _why(kind, having)})
    return sorted(found, key=lambda entry: (-entry["failures"], entry["kind"]))


def _counts(known: Sequence[Case], having: Sequence[Case]) -> dict[str, Any]:
    passes, every = (sum(bool(case.passed) for case in some) for some in (having, known))
    runs = Counter(case.run for case in having)
    return {
        "rollouts": len(having),
        "failures": len(having) - passes,
        "passes": passes,
        "others": len(known) - len(having),
        "other_passes": every - passes,
        "runs": dict(runs.most_common()),
        "tasks": in_order(case.label for case in having),
        "passing_tasks": in_order(case.label for case in having if case.passed),
        "p": outcome_p(known, {id(case) for case in having}),
    }


def _why(kind: str, having: Sequence[Case]) -> list[dict[str, Any]]:
    """How failures without a patch came to it, where their calls are recorded."""
    failures = [case for case in having if not case.passed and "edits" in case.observed]
    if kind != EMPTY or not failures:
        return []
    reasons: dict[str, list[Case]] = {name: [] for name in _REASONS}
    for case in failures:
        edits, failed, last_failed = case.observed["edits"]
        reason = NONE_TRIED if not edits else ALL_FAILED if failed == edits else LAST_FAILED if last_failed else LOST
        reasons[reason].append(case)
    return [
        {"reason": name, "rollouts": len(cases), "runs": dict(Counter(case.run for case in cases).most_common())}
        for name, cases in reasons.items()
        if cases
    ]


def _files(having: Collection[Case]) -> list[str]:
    """The files that most of these patches touch, where they are no code of the task."""
    names: Counter[str] = Counter()
    for case in having:
        for patch in case.observed["patches"].values():
            names.update(patch[8] if patch else ())
    return [name for name, many in names.most_common(2) if many >= max(FEWEST, 0.5 * len(having))]


def _of_run(run: str, cases: Sequence[Case], kinds: Mapping[int, str]) -> dict[str, Any]:
    known = [case for case in cases if id(case) in kinds]
    counts = {}
    for kind in KINDS:
        having = [case for case in known if kinds[id(case)] == kind]
        counts[kind] = {"rollouts": len(having), "passes": sum(bool(case.passed) for case in having)}
    return {"run": run, "rollouts": len(known), "kinds": counts}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    if answer["runs"]:
        blocks.append(_table(answer))
    items = [Paragraph(tuple(_finding(place, entry))) for place, entry in enumerate(answer["findings"])]
    if answer["touched"]:
        items.append(Paragraph((_touched_words(answer["touched"]), *_size_words(answer["touched"]["sizes"]))))
    return [*blocks, Bullets(tuple(items))]


def _touched_words(touched: Mapping[str, Any]) -> Sentence:
    facts: dict[str, Fact] = {}
    for outcome in ("passes", "failures"):
        for key, value in touched[outcome].items():
            facts[f"{outcome}_{key}"] = fact(f"{value:,g}", value, *_AT, "touched", outcome, key)
    return say(
        "Patches that pass against patches that fail, counted"
        + (" without what comes from the environment" if touched.get("carried") else "")
        + ": more than one file of code in {passes_several} of "
        "{passes_patches} against {failures_several} of {failures_patches}; tests beside the code in {passes_tests} "
        "against {failures_tests}; files without code (settings, notes, data) in {passes_others} against "
        "{failures_others}; a median of {passes_lines} changed lines against {failures_lines}.",
        **facts,
    )


def _size_words(sizes: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    """How many patches pass by the number of lines of code that they change."""
    if sizes:
        at = (*_AT, "touched", "sizes")
        parts: list[str | Fact] = ["By lines of code that change, "]
        for place, entry in enumerate(sizes):
            lines = (
                f"{entry['least']:,} or more"
                if entry["largest"] is None
                else f"{entry['least']:,} to {entry['largest']:,}"
            )
            passes = f"{entry['passes']:,} of {entry['patches']:,}"
            parts += [f"{lines}: ", fact(passes, entry["passes"], *at, place, "passes"), "; "]
        yield Sentence((*parts[:-1], " pass."))


def _table(answer: Mapping[str, Any]) -> Table:
    shown = [kind for kind in KINDS if any(run["kinds"][kind]["rollouts"] for run in answer["runs"])]
    rows = [
        (run["run"], *(_cell(run["kinds"][kind], (*_AT, "runs", place, "kinds", kind)) for kind in shown))
        for place, run in enumerate(answer["runs"])
        if run["rollouts"]
    ]
    head = ("Run", *(f">{KINDS[kind]}" for kind in shown))
    return Table(head, tuple(rows), f"Rollouts by what “{answer['field']}” holds when it is opened, and how many pass")


def _cell(counts: Mapping[str, int], path: tuple[str | int, ...]) -> str | Fact:
    if not counts["rollouts"]:
        return "0"
    words = f"{counts['rollouts']:,} ({count(counts['passes'], 'pass', 'passes')})"
    return fact(words, counts["rollouts"], *path, "rollouts")


def _finding(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_AT, "findings", place)
    singular, plural = _WORDS[entry["kind"]].split("|")
    runs = [f"{run} {many:,}" for run, many in entry["runs"].items()]
    yield say(
        "{rollouts} {do}: {failures} and {passes}, of the others {other_passes} of {others} pass ({runs}; tasks "
        "{tasks}).",
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        do=singular if entry["rollouts"] == 1 else plural,
        failures=fact(count(entry["failures"], "failure"), entry["failures"], *path, "failures"),
        passes=fact(count(entry["passes"], "pass", "passes"), entry["passes"], *path, "passes"),
        other_passes=amount(entry["other_passes"], *path, "other_passes"),
        others=amount(entry["others"], *path, "others"),
        runs=listed(runs),
        tasks=task_list(entry["tasks"]),
    )
    if entry["kind"] == EMPTY and entry["passing_tasks"]:
        yield say(
            "It passes in {tasks}: "
            + ("that task is" if len(entry["passing_tasks"]) == 1 else "these tasks are")
            + " passed without any change.",
            tasks=task_list(entry["passing_tasks"]),
        )
    if entry["why"]:
        parts: list[str | Fact] = ["Of the failures, "]
        for number, why in enumerate(entry["why"]):
            many = fact(f"{why['rollouts']:,}", why["rollouts"], *path, "why", number, "rollouts")
            runs_of_why = listed([f"{run} {rollouts:,}" for run, rollouts in why["runs"].items()])
            parts += [many, f" {_REASONS[why['reason']]} ({runs_of_why})", "; "]
        yield Sentence((*parts[:-1], "."))
    if entry["files"]:
        yield say("Most of them hold {files}.", files=listed(entry["files"]))
    if entry["p"] is not None and entry["p"] <= SURE:
        yield say("It goes with the outcome (p = {p}, corrected).", p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"))


_AT = ("investigation", "patches")


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The commonest flaw of what was handed in, where it touches a good part of the rollouts and none of them pass."""
    for place, entry in enumerate(answer["findings"][:1]):
        every = entry["rollouts"] + entry["others"]
        if entry["passes"] or entry["rollouts"] < FEWEST or entry["rollouts"] < LARGE * every:
            continue
        path = (*_AT, "findings", place)
        yield say(
            "{rollouts} of {every} {do}, and none of them passes ({runs}).",
            rollouts=amount(entry["rollouts"], *path, "rollouts"),
            every=count(every, "rollout"),
            do=_WORDS[entry["kind"]].split("|")[1],
            runs=listed([f"{run} {many:,}" for run, many in entry["runs"].items()]),
        )
