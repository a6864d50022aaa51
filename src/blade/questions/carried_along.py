"""What do patches carry along beside the work: files left behind, whole copies, changes that other tasks have too?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import PATCH_CHANGES, carried_changes, in_order, judged, outcome_p, patch_field, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import abridged, amount, count, fact, listed

TITLE = "What the patches carry along"
ORDER = 75
FEWEST = 5
FEWEST_PATCHES = 10
SURE = 0.001
"""Hard tasks leave more behind, and nothing keeps them apart in a run of one attempt: a plain difference is told."""
LONGER = 50
"""A patch so many times as long as the usual one holds more than a change."""
LONGEST = 50_000
LARGE = 0.05
MOST_TASKS = 6
MOST_FILES = 3
MAY_MEND = 0.2
"""That what a patch carries along makes it fail: seldom, but to score it again without costs little."""
TESTS, ADDED, NAMES, SIZE, CODE_LINES = 1, 9, 10, 11, 13
"""Where a record of a patch holds its test files, the files that it adds, some of their names, its length and how many
lines of code change."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Patches that add files, with both outcomes; far too long ones; the same change of one file in several tasks."""
    cases = [case for run in runs for case in judged(run)]
    field = patch_field(cases)
    if field is None:
        return None
    opened = {id(case): patch for case in cases if (patch := case.observed.get("patches", {}).get(field))}
    having = [case for case in cases if id(case) in opened]
    if len(having) < FEWEST_PATCHES:
        return None
    answer = {
        "patches": len(having),
        "added": _added(having, opened),
        "long": _long(having, opened),
        "shared": _shared(having, opened),
    }
    return answer if answer["added"] or answer["long"] or answer["shared"] else None


def _added(cases: Sequence[Case], opened: Mapping[int, Sequence[Any]]) -> dict[str, Any] | None:
    adding = [case for case in cases if opened[id(case)][ADDED]]
    if len(adding) < FEWEST or len(cases) - len(adding) < FEWEST:
        return None
    passes, every = (sum(bool(case.passed) for case in some) for some in (adding, cases))
    p = outcome_p(cases, {id(case) for case in adding})
    return {
        "rollouts": len(adding),
        "passes": passes,
        "others": len(cases) - len(adding),
        "other_passes": every - passes,
        "files": list(dict.fromkeys(opened[id(case)][NAMES][0] for case in adding if not case.passed))[:3],
        "p": None if p is None else significant(p, WRITTEN),
    }


def _long(cases: Sequence[Case], opened: Mapping[int, Sequence[Any]]) -> dict[str, Any] | None:
    usual = median(opened[id(case)][SIZE] for case in cases)
    least = max(LONGEST, LONGER * usual)
    longest = sorted(
        (case for case in cases if opened[id(case)][SIZE] > least), key=lambda case: -opened[id(case)][SIZE]
    )
    if not longest:
        return None
    return {
        "usual": round(usual),
        "patches": [
            {"task": case.label, "size": opened[id(case)][SIZE], "passed": bool(case.passed)} for case in longest
        ],
    }


def _shared(cases: Sequence[Case], opened: Mapping[int, Sequence[Any]]) -> dict[str, Any] | None:
    """What patches of several tasks have in common, and what they hold beside it."""
    common = carried_changes(cases, opened)
    holding = {id(case): case for some in common.values() for case in some}
    if len(holding) < FEWEST:
        return None
    files: defaultdict[str, set[int]] = defaultdict(set)
    for (_, path), some in common.items():
        files[path] |= {id(case) for case in some}
    nothing_else = [case for case in holding.values() if _is_nothing_else(opened[id(case)], common)]
    return {
        "rollouts": len(holding),
        "passes": sum(bool(case.passed) for case in holding.values()),
        "nothing_else": in_order(case.label for case in nothing_else),
        "nothing_else_passes": sum(bool(case.passed) for case in nothing_else),
        "runs": dict(Counter(case.run for case in holding.values())),
        "tasks": in_order(case.label for case in holding.values()),
        "files": {
            path: len(some) for path, some in sorted(files.items(), key=lambda entry: (-len(entry[1]), entry[0]))
        },
    }


def _is_nothing_else(patch: Sequence[Any], common: Collection[tuple[int, str]]) -> bool:
    """Whether a patch holds no line of code and no test besides what it carries along."""
    carried = sum(lines for number, path, lines in patch[PATCH_CHANGES] if (number, path) in common)
    return not patch[TESTS] and patch[CODE_LINES] <= carried


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((sentence,)) for sentence in _sentences(answer)))]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    if answer["shared"]:
        yield _shared_words(answer["shared"])
        if answer["shared"]["nothing_else"]:
            yield _nothing_else_words(answer["shared"])
    if answer["added"]:
        yield _added_words(answer["added"])
    if answer["long"]:
        yield _long_words(answer["long"])


def _shared_words(entry: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "shared")
    files = [f"{path} in {many:,}" for path, many in entry["files"].items()]
    return say(
        "{rollouts} ({runs}; {passes}) make a file change that patches of other tasks make word for "
        "word ({files}; tasks {tasks}): that points to the environment or to how patches are collected, not to the "
        "model.",
        rollouts=fact(count(entry["rollouts"], "patch", "patches"), entry["rollouts"], *at, "rollouts"),
        runs=listed([f"{run} {many:,}" for run, many in entry["runs"].items()]),
        passes=fact(count(entry["passes"], "of them passes", "of them pass"), entry["passes"], *at, "passes"),
        files=abridged(files, 3, "more file"),
        tasks=task_list(entry["tasks"], MOST_TASKS),
    )


def _nothing_else_words(entry: Mapping[str, Any]) -> Sentence:
    tasks = entry["nothing_else"]
    passes = entry["nothing_else_passes"]
    return say(
        "Without that {many} no code and no test at all ({outcome}; {tasks}): nothing was handed in there, though the "
        "patch is not empty.",
        many=fact(count(len(tasks), "of them changes", "of them change"), len(tasks), *_AT, "shared", "nothing_else"),
        outcome=fact(count(passes, "pass", "passes"), passes, *_AT, "shared", "nothing_else_passes"),
        tasks=task_list(tasks, MOST_TASKS),
    )


def _added_words(entry: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "added")
    sure = entry["p"] is not None and entry["p"] <= SURE
    goes = "; it goes with the outcome (p = {p})" if sure else ", which may be chance"
    such = f" (such as {listed(entry['files'])})" if entry["files"] else ""
    return say(
        "{rollouts} add files that were not there{such}: {passes}, of the others {other_passes} of "
        "{others}" + goes + ".",
        rollouts=fact(count(entry["rollouts"], "patch", "patches"), entry["rollouts"], *at, "rollouts"),
        such=such,
        passes=fact(count(entry["passes"], "of them passes", "of them pass"), entry["passes"], *at, "passes"),
        other_passes=amount(entry["other_passes"], *at, "other_passes"),
        others=amount(entry["others"], *at, "others"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *at, "p") if sure else "",
    )


def _long_words(entry: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "long")
    shown = [f"{one['task']} {one['size']:,} ({'passes' if one['passed'] else 'fails'})" for one in entry["patches"]]
    return say(
        "The usual patch has {usual} characters, but {long} far more: {shown}. Look for copies, backups and build "
        "files in {them}.",
        usual=fact(f"{entry['usual']:,}", entry["usual"], *at, "usual"),
        long=count(len(shown), "has", "have"),
        shown=abridged(shown, MOST_TASKS, "more patch"),
        them="it" if len(shown) == 1 else "them",
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """That a good part of the patches carries what is not the model's."""
    entry = answer["shared"]
    if entry and entry["rollouts"] >= LARGE * answer["patches"]:
        yield say(
            "{rollouts} of {patches} make a file change word for word as patches of other tasks do ({files}): it comes "
            "from the environment, not from the model.",
            rollouts=amount(entry["rollouts"], *_AT, "shared", "rollouts"),
            patches=fact(count(answer["patches"], "patch", "patches"), answer["patches"], *_AT, "patches"),
            files=abridged(list(entry["files"]), MOST_FILES, "more file"),
        )
    if (added := answer["added"]) and _goes_with_failing(added):
        yield _added_words(added)


def _goes_with_failing(entry: Mapping[str, Any]) -> bool:
    """Whether patches that add files pass less often than others, beyond chance."""
    rate, other_rate = entry["passes"] / entry["rollouts"], entry["other_passes"] / entry["others"]
    return entry["p"] is not None and entry["p"] <= SURE and rate < other_rate


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Collect what the model changed and nothing else; whether that mends a failure, the stored patches can tell."""
    shared, added = answer["shared"], answer["added"]
    if shared and (failures := shared["rollouts"] - shared["passes"]):
        yield Advice(
            "harness",
            "Collect patches against a clean checkout of the task's own image, so that they hold nothing but what the "
            "model changed",
            say(
                "{rollouts} {files} word for word as patches of other tasks do; whether that costs a pass is unknown.",
                rollouts=count(failures, "patch that fails changes", "patches that fail change"),
                files=abridged(list(shared["files"]), MOST_FILES, "more file"),
            ),
            failures,
            MAY_MEND / 4,
        )
    if added and _goes_with_failing(added) and (failures := added["rollouts"] - added["passes"]):
        yield Advice(
            "harness",
            "Leave files that the task does not need (scripts, backups, build output) out of the patch, and score the "
            "stored patches of these failures again without them",
            say(
                "{failures} of {rollouts} that add files fail, of the others {other_failures} of {others}.",
                failures=f"{failures:,}",
                rollouts=count(added["rollouts"], "patch", "patches"),
                other_failures=f"{added['others'] - added['other_passes']:,}",
                others=f"{added['others']:,}",
            ),
            failures,
            MAY_MEND,
        )


_AT = ("investigation", "carried_along")
