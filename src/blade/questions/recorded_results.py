"""What did the failing tests get: nothing, a part, the right result written otherwise, on an example of the prompt?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.features import phrases
from blade.diagnosis.phrases import find_words
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.extract.phrases import MODEL
from blade.extract.recorded_results import (
    CUT_SHORT,
    LETTERS,
    NO_VALUE,
    NOTHING,
    NUMBER,
    REORDERED,
    ROUNDING,
    SPACES,
    TIME,
    UNIT,
)
from blade.findings import OF_VERIFIER, TaskFault
from blade.health import Item, item
from blade.questions import SURE, by_task, cause, in_order, judged, order_if_passed, order_words, task_list
from blade.stats.binomial import sign_p
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, printable

TITLE = "What the failing tests got"
ORDER = 44
WEIGHT = 1.5
FEWEST = 5
FEWEST_OF_A_KIND = 3
MOST_PHRASES = 6
HALF, MUCH = 0.5, 0.25
DOUBTFUL, SURE_OF_VALUES = 0.3, 0.8
EQUAL_BY_VALUE = frozenset({ROUNDING, NUMBER, UNIT, SPACES})
"""Kinds in which the result is the one expected, and only its writing is not."""
MUCH_OF_TASKS = 0.1
FEWEST_LEFT = 20
MOST, SELDOM = 0.8, 0.1
"""A phrase goes with a kind that so many of its rollouts hold, and so few of the passes."""
_LOST = "the result of its program does not reach the test"
FAULT = "every judged rollout has the expected numbers but for their last places, and the verifier takes them as text"
_UNFINISHED = frozenset({NOTHING, NO_VALUE, CUT_SHORT})
"""Kinds whose reason lies in how the code runs."""
_WORDS = {
    NOTHING: "the test that failed got nothing: the program printed no result",
    NO_VALUE: "the test that failed got no value, only “{got}”: the code returned nothing",
    ROUNDING: "the test that failed got the expected numbers but for their last places (“{got}” for “{expected}”): "
    "the verifier takes them as text",
    CUT_SHORT: "the test that failed got the beginning of what was expected and no more",
    LETTERS: "the test that failed got what was expected but for capital letters (“{got}” for “{expected}”)",
    SPACES: "the test that failed got what was expected but for spaces and line breaks",
    TIME: "a time limit ended the test",
    REORDERED: "the test that failed got what was expected in another order (“{got}” for “{expected}”)",
    UNIT: "the test that failed got the expected quantity in another unit (“{got}” for “{expected}”): the verifier "
    "compares them as text",
    NUMBER: "the test that failed got the expected number written otherwise (“{got}” for “{expected}”)",
}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per kind of result the failures that end so, by run; how many fail on a test that the prompt shows."""
    cases = [case for run in runs for case in judged(run)]
    recorded = [case for case in cases if not case.passed and case.observed.get("result")]
    if len(recorded) < FEWEST:
        return None
    kinds = [entry for kind in _WORDS if (entry := _of_kind(kind, recorded, cases, runs)) is not None]
    shown = [case for case in recorded if "shown" in case.observed["result"]]
    if not kinds and len(shown) < FEWEST:
        return None
    causes = [of_kind for entry in kinds for of_kind in entry.pop("causes") if of_kind["rollouts"]]
    return {
        "causes": causes,
        "kinds": sorted(kinds, key=lambda entry: -entry["failures"]),
        "shown": [_shown(run.run.name, shown) for run in runs if any(case.run == run.run.name for case in shown)],
    }


def _of_kind(
    kind: str, recorded: Sequence[Case], cases: Sequence[Case], runs: Sequence[RunCases]
) -> dict[str, Any] | None:
    ending = [case for case in recorded if case.observed["result"]["kind"] == kind]
    if len(ending) < FEWEST_OF_A_KIND:
        return None
    tasks = {case.key for case in ending}
    of_tasks = [case for case in cases if case.key in tasks]
    idle = [case for case in ending if case.observed["result"].get("idle")]
    unfinished = kind in _UNFINISHED
    phrase, writing, lost = _phrase(ending, idle, cases, runs) if unfinished else (None, set(), [])
    return {
        "causes": [
            cause(
                "TI", "got what the test expects, but for how it is written", ending if kind in EQUAL_BY_VALUE else []
            ),
            cause("TI", f"{_LOST}, as of nearly all programs with “{phrase['words']}”" if phrase else "", lost),
            cause("BI", "defines functions and calls none, so that nothing is printed", idle if unfinished else []),
        ],
        "kind": kind,
        "failures": len(ending),
        "runs": [_of_run(run.run.name, ending, cases) for run in runs],
        "tasks": in_order({case.label for case in ending}),
        "judged_of_tasks": len(of_tasks),
        "passes_of_tasks": sum(bool(case.passed) for case in of_tasks),
        "got": ending[0].observed["result"]["got"],
        "expected": ending[0].observed["result"]["expected"],
        "always": in_order(_always(kind, of_tasks)),
        "small": [case.label for case in ending if kind == TIME and case.observed["result"].get("shown")],
        "idle": len(idle),
        "idle_runs": [[run.run.name, sum(case.run == run.run.name for case in idle)] for run in runs],
        "idle_tasks": in_order({case.label for case in idle}),
        "lost": _lost(ending, cases, runs),
        "elsewhere": _elsewhere(tasks, cases, runs) if unfinished else None,
        "unwritten": _elsewhere(tasks | writing, cases, runs) if writing else None,
        "phrase": phrase,
        "order": order_if_passed(runs, {id(case) for case in ending} - {id(case) for case in idle})
        if unfinished
        else None,
    }


def _of_run(run: str, ending: Sequence[Case], cases: Sequence[Case]) -> dict[str, Any]:
    return {
        "run": run,
        "failures": sum(case.run == run for case in ending),
        "of": sum(case.run == run and not case.passed for case in cases),
    }


def _always(kind: str, cases: Sequence[Case]) -> set[str]:
    """The tasks of which every judged rollout fails so, and several do."""
    tasks = by_task(cases).values()
    return {
        some[0].label
        for some in tasks
        if len(some) > 1
        and all(not case.passed and (case.observed.get("result") or {}).get("kind") == kind for case in some)
    }


def _lost(ending: Sequence[Case], cases: Sequence[Case], runs: Sequence[RunCases]) -> list[dict[str, Any]]:
    """Of two runs: the tasks that only the other one ever passes, and those of them that end so."""
    if len(runs) != 2:
        return []
    passed = {run.run.name: {case.key for case in cases if case.run == run.run.name and case.passed} for run in runs}
    first, second = (run.run.name for run in runs)
    entries = []
    for loser, winner in ((first, second), (second, first)):
        tried = {case.key for case in cases if case.run == loser}
        only = (passed[winner] - passed[loser]) & tried
        many = len({case.key for case in ending if case.run == loser} & only)
        entries.append({"run": loser, "other": winner, "tasks": many, "of": len(only)})
    return entries


def _elsewhere(ending: Collection[str], cases: Sequence[Case], runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Of two runs: who passes what on the tasks of both that neither loses so, where that is a good part of them."""
    if len(runs) != 2:
        return None
    sides = [by_task([case for case in cases if case.run == run.run.name]) for run in runs]
    common = [key for key in sides[0] if key in sides[1]]
    left = [key for key in common if key not in ending]
    if len(left) < FEWEST_LEFT or len(common) - len(left) < MUCH_OF_TASKS * len(common):
        return None
    ahead = _ahead(sides, left)
    return {
        "tasks": len(left),
        "runs": [run.run.name for run in runs],
        "ahead": ahead,
        "of_all": _ahead(sides, common),
        "p": significant(sign_p(*ahead), WRITTEN),
    }


def _ahead(sides: Sequence[Mapping[str, Sequence[Case]]], keys: Sequence[str]) -> list[int]:
    """In how many tasks the first of two runs passes more often, and in how many the second."""
    first, second = ([sum(bool(case.passed) for case in side[key]) / len(side[key]) for key in keys] for side in sides)
    pairs = list(zip(first, second, strict=True))
    return [sum(one > other for one, other in pairs), sum(one < other for one, other in pairs)]


def _phrase(
    ending: Sequence[Case], idle: Sequence[Case], cases: Sequence[Case], runs: Sequence[RunCases]
) -> tuple[dict[str, Any] | None, set[str], list[Case]]:
    """What the model writes in most of these rollouts, beside those whose code runs nothing, and hardly in passes.

    With it go the tasks in which any rollout writes it, and the rollouts concerned that do.
    """
    aside = {id(case) for case in idle}
    rest = {id(case) for case in ending} - aside
    passes = sum(bool(case.passed) for case in cases)
    if len(rest) < FEWEST:
        return None, set(), []
    candidates = []
    failing = [finding for finding in phrases(runs, cases) if finding.actor == MODEL and finding.chosen.effect < 0]
    for finding in find_words(failing[:MOST_PHRASES]):
        among = [case for case in finding.cases if id(case) in rest]
        in_passes = sum(bool(case.passed) for case in finding.cases)
        if len(among) >= MOST * len(rest) and in_passes < SELDOM * passes:
            candidates.append((among, printable(finding.words), in_passes, {case.key for case in finding.cases}))
    if not candidates:
        return None, set(), []
    among, words, in_passes, writing = max(
        candidates, key=lambda candidate: len(candidate[0]) / len(rest) - candidate[2] / passes
    )
    entry = {"words": words, "failures": len(among), "of": len(rest), "passes": in_passes, "of_passes": passes}
    return entry, writing, among


def _shown(run: str, cases: Sequence[Case]) -> dict[str, Any]:
    own = [case for case in cases if case.run == run]
    return {"run": run, "shown": sum(case.observed["result"]["shown"] for case in own), "of": len(own)}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["kinds"])]
    if answer["shown"] and any(entry["shown"] for entry in answer["shown"]):
        items.append(Paragraph((_examples(answer["shown"]),)))
    return [Bullets(tuple(items))] if items else []


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_AT, "kinds", place)
    shares = [
        (
            amount(run["failures"], *path, "runs", index, "failures"),
            " of ",
            fact(count(run["of"], "failure"), run["of"], *path, "runs", index, "of"),
            f" of {run['run']}",
        )
        for index, run in enumerate(entry["runs"])
        if run["failures"]
    ]
    what = _WORDS[entry["kind"]].format(got=printable(entry["got"]), expected=printable(entry["expected"]))
    yield Sentence(("In ", *_joined(shares), f" {what} ({task_list(entry['tasks'])})."))
    if not entry["passes_of_tasks"]:
        yield say(
            "None of the {judged} of these tasks pass.",
            judged=fact(
                count(entry["judged_of_tasks"], "judged rollout"), entry["judged_of_tasks"], *path, "judged_of_tasks"
            ),
        )
    for index, lost in enumerate(entry["lost"]):
        if lost["tasks"] >= HALF * lost["of"] > 0:
            yield say(
                "Of the {of} that only {other} passes, {run} loses {tasks} this way.",
                of=fact(count(lost["of"], "task"), lost["of"], *path, "lost", index, "of"),
                other=lost["other"],
                tasks=amount(lost["tasks"], *path, "lost", index, "tasks"),
                run=lost["run"],
            )
    if entry["elsewhere"]:
        stays = "the difference stays" + ("" if _stays(entry["unwritten"]) else ", but see below")
        yield _elsewhere_words((*path, "elsewhere"), entry["elsewhere"], stays)
    yield from _causes(path, entry)
    yield from _bounds(path, entry)


def _elsewhere_words(path: tuple[str | int, ...], entry: Mapping[str, Any], stays: str) -> Sentence:
    apart = stays if _stays(entry) else _OTHERWISE[entry["p"] <= SURE]
    return say(
        "On the {tasks} of both that no rollout loses so, {first} is ahead in {up} and {second} in {down} (of all "
        f"tasks in {{all_up}} and {{all_down}}; sign test p = {{p}}): there {apart}. They may be the easier tasks.",
        all_up=amount(entry["of_all"][0], *path, "of_all", 0),
        all_down=amount(entry["of_all"][1], *path, "of_all", 1),
        **_ahead_facts(path, entry),
    )


def _ahead_facts(path: tuple[str | int, ...], entry: Mapping[str, Any]) -> dict[str, Fact | str]:
    return {
        "tasks": fact(count(entry["tasks"], "task"), entry["tasks"], *path, "tasks"),
        "first": entry["runs"][0],
        "second": entry["runs"][1],
        "up": amount(entry["ahead"][0], *path, "ahead", 0),
        "down": amount(entry["ahead"][1], *path, "ahead", 1),
        "p": fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
    }


def _bounds(path: tuple[str | int, ...], entry: Mapping[str, Any]) -> Iterator[Sentence]:
    """What is left of a difference where nobody writes what goes with these failures; the order if they had passed."""
    if (unwritten := entry["unwritten"]) is not None and entry["elsewhere"]:
        outcome = "the difference stays" if _stays(unwritten) else _OTHERWISE[unwritten["p"] <= SURE]
        yield say(
            "Without the tasks in which any rollout writes that, either, {tasks} are left, and {first} is ahead in "
            f"{{up}} and {{second}} in {{down}} (p = {{p}}): there {outcome}.",
            **_ahead_facts((*path, "unwritten"), unwritten),
        )
    if entry["order"]:
        yield order_words(_had_passed(entry), (*path, "order"), entry["order"])


_OTHERWISE = {True: "the difference is reversed", False: "no difference is proven"}


def _stays(entry: Mapping[str, Any] | None) -> bool:
    """Whether the run that is ahead on all tasks is so, beyond chance, on those that are left, if any were left out."""
    if entry is None:
        return True
    ahead, of_all = (first - second for first, second in (entry["ahead"], entry["of_all"]))
    return bool(ahead * of_all > 0 and entry["p"] <= SURE)


def _had_passed(entry: Mapping[str, Any]) -> str:
    doubtful = entry["failures"] - entry["idle"]
    if entry["idle"]:
        return f"If all {doubtful:,} whose program does run had passed"
    return f"If all {doubtful:,} had passed"


def _causes(path: tuple[str | int, ...], entry: Mapping[str, Any]) -> Iterator[Sentence]:
    if entry["idle"]:
        by_run = [f"{many:,} of {run}" for run, many in entry["idle_runs"] if many]
        yield say(
            "In {idle} of the {failures} ({runs}) the program defines functions and calls none, so that nothing runs "
            "({tasks}).",
            idle=amount(entry["idle"], *path, "idle"),
            failures=amount(entry["failures"], *path, "failures"),
            runs=listed(by_run),
            tasks=task_list(entry["idle_tasks"]),
        )
    if entry["small"]:
        yield say(
            "In {small} of the {failures} that test is one that the prompt shows ({tasks}): such examples are "
            "mostly small, so that the program may wait or run for ever there.",
            small=fact(f"{len(entry['small']):,}", entry["small"], *path, "small"),
            failures=amount(entry["failures"], *path, "failures"),
            tasks=task_list(set(entry["small"])),
        )
    if (phrase := entry["phrase"]) is not None:
        rest = count(phrase["of"], "other", "others") if entry["idle"] else f"{phrase['of']:,}"
        yield say(
            "Of the {rest}, {failures} hold “{words}” in what the model wrote; of all {passes} {in_passes}.",
            rest=fact(rest, phrase["of"], *path, "phrase", "of"),
            failures=amount(phrase["failures"], *path, "phrase", "failures"),
            words=phrase["words"],
            passes=fact(
                count(phrase["of_passes"], "pass", "passes"), phrase["of_passes"], *path, "phrase", "of_passes"
            ),
            in_passes=amount(phrase["passes"], *path, "phrase", "passes"),
        )


def _examples(shown: Sequence[Mapping[str, Any]]) -> Sentence:
    parts = [
        (
            amount(entry["shown"], *_AT, "shown", index, "shown"),
            " of ",
            fact(count(entry["of"], "failure"), entry["of"], *_AT, "shown", index, "of"),
            f" of {entry['run']}",
        )
        for index, entry in enumerate(shown)
    ]
    return Sentence(
        ("The test that fails is one that the prompt itself shows, with its result, in ", *_joined(parts), ".")
    )


def _joined(parts: Sequence[tuple[str | Fact, ...]]) -> list[str | Fact]:
    joined: list[str | Fact] = []
    for place, part in enumerate(parts):
        joined += ([" and "] if place == len(parts) - 1 else [", "]) if place else []
        joined += part
    return joined


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Tasks in which every rollout has the right numbers and is failed for their last places."""
    rounded = [label for entry in answer["kinds"] if entry["kind"] == ROUNDING for label in entry["always"]]
    return {label: TaskFault(FAULT, OF_VERIFIER) for label in rounded}


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Right results that are failed for how they are written."""
    for place, entry in enumerate(answer["kinds"]):
        if entry["kind"] in EQUAL_BY_VALUE:
            yield item("suspect_gold", "medium", next(_sentences(place, entry)).text, tasks=entry["tasks"])


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """For the first screen: a kind that makes up a good part of a run's failures."""
    for place, entry in enumerate(answer["kinds"][:1]):
        if entry["kind"] in EQUAL_BY_VALUE or any(
            run["of"] and run["failures"] >= MUCH * run["of"] for run in entry["runs"]
        ):
            head = next(_sentences(place, entry))
            bounds = [sentence for sentence in _sentences(place, entry) if entry["order"]][-1:]
            yield Sentence((*head.parts, *(part for bound in bounds for part in (" ", *bound.parts))))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Find out whether the harness loses results, and have values compared as values, where many failures end so."""
    for place, entry in enumerate(answer["kinds"]):
        change = _CHANGES.get(entry["kind"])
        strict = entry["kind"] in EQUAL_BY_VALUE
        if change and (strict or any(run["of"] and run["failures"] >= MUCH * run["of"] for run in entry["runs"])):
            phrase, at = entry["phrase"], (*_AT, "kinds", place)
            yield Advice(
                "verifier",
                change,
                say(
                    "{many} end so"
                    + ("; {among} of them write “{words}”, as {do} {in_passes} of {of_passes}." if phrase else "."),
                    many=fact(count(entry["failures"], "failure"), entry["failures"], *at, "failures"),
                    **(_of_phrase(phrase, *at, "phrase") if phrase else {}),
                ),
                entry["failures"],
                SURE_OF_VALUES if strict else DOUBTFUL,
                before_scores=True,
            )


def _of_phrase(phrase: Mapping[str, Any], *at: str | int) -> dict[str, Fact | str]:
    return {
        "words": phrase["words"],
        "do": "does" if phrase["passes"] == 1 else "do",
        "among": amount(phrase["failures"], *at, "failures"),
        "in_passes": amount(phrase["passes"], *at, "passes"),
        "of_passes": fact(count(phrase["of_passes"], "pass", "passes"), phrase["of_passes"], *at, "of_passes"),
    }


_BY_HAND = (
    "Run some programs that gave no result by hand on the test that failed them: where the result comes, the harness "
    "that runs the tests loses it, and every row is to be judged again"
)
_BY_VALUE = "Have the verifier compare results by value, and judge again what differs only in how it is written"
_CHANGES = dict.fromkeys((NOTHING, NO_VALUE, CUT_SHORT), _BY_HAND) | dict.fromkeys(
    (ROUNDING, LETTERS, SPACES, NUMBER), _BY_VALUE
)


_AT = ("investigation", "recorded_results")
