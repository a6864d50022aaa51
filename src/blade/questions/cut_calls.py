"""Do time limits cut single calls, in how many rollouts, and how do those end?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Quote, Sentence, say
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.endings import cut_short, cut_words
from blade.findings import LONGEST_QUOTE, Cite
from blade.model import Source
from blade.questions import SURE, judged, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p, informative
from blade.wording import abridged, amount, at, count, fact, listed, percent

TITLE = "Calls that a time limit cut"
ORDER = 76
WEIGHT = 1.3
FEWEST_ROLLOUTS, FEWEST_TASKS, LEAST_SHARE = 5, 3, 0.05
MOST_TASKS = 10
OFTEN = 0.5
FEWEST_TELLING = 2
"""So few tasks with passes and failures of both kinds, and a test inside tasks rests on one."""
ABOUT = 0.75
"""Rollouts with a cut call that pass at least so often as others, in parts, overcame it."""
SELDOM = 0.2
"""So sure is it that a failure comes of a cut: tasks that need long calls are hard, too."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run: cut calls, and the outcomes of the rollouts that have one and of those that have none."""
    entries = [entry for run in runs if (entry := _of_run(run, runs)) is not None]
    tested = [entry for entry in entries if entry["p"] is not None]
    for entry, p in zip(tested, benjamini_hochberg([entry["p"] for entry in tested]), strict=True):
        entry["p"] = significant(p, WRITTEN)
    return {"runs": entries} if entries else None


def _of_run(run: RunCases, runs: Sequence[RunCases]) -> dict[str, Any] | None:
    acting = [(case, seen) for case in run.cases if (seen := case.observed).get("calls")]
    cut = [(case, int(seen["cut"])) for case, seen in acting if seen.get("cut")]
    hit = [case for case, _ in cut]
    tasks = {case.key for case in hit}
    if len(hit) < max(FEWEST_ROLLOUTS, LEAST_SHARE * len(acting)) or len(tasks) < FEWEST_TASKS:
        return None
    others = [case for case, seen in acting if not seen.get("cut")]
    with_cut = {id(case) for case in hit}
    entry: dict[str, Any] = {
        "run": run.run.name,
        "calls": sum(many for _, many in cut),
        "rollouts": len(hit),
        "acting": len(acting),
        "tasks": len(tasks),
        "passes": sum(bool(case.passed) for case in hit),
        "other_rollouts": len(others),
        "other_passes": sum(bool(case.passed) for case in others),
        **_within_tasks(run, with_cut),
        "failures": sum(not case.passed for case in judged(run) if id(case) in with_cut),
        "worst": [],
        "unjudged": [],
        "always": [],
        "passed_elsewhere": [],
    }
    labels = {case.key: case.label for case, _ in acting}
    was_judged = {case.key for case in judged(run)}
    decided = _always_cut(run)
    for key in _worst(acting, cut, {case.key for case in run.cases if case.passed}):
        entry["worst" if key in was_judged else "unjudged"].append(labels[key])
        if decided.get(key, 0) >= FEWEST_TELLING:
            entry["always"].append(labels[key])
        elsewhere = [(other.run.name, *_passes(other, key)) for other in runs if other is not run and key in decided]
        told = [f"{name} {passes:,} of {many:,}" for name, passes, many in elsewhere if passes]
        if told:
            entry["passed_elsewhere"].append(f"{labels[key]} ({listed(told)})")
    return entry | _quote(hit)


def _passes(run: RunCases, key: str) -> tuple[int, int]:
    """How many of the judged attempts of a run at a task pass."""
    cases = [case for case in judged(run) if case.key == key]
    return sum(bool(case.passed) for case in cases), len(cases)


def _always_cut(run: RunCases) -> dict[str, int]:
    """Tasks → their judged failures with calls, where each of these has a cut one: else they fail without any."""
    cuts: defaultdict[str, list[bool]] = defaultdict(list)
    for case in judged(run):
        if not case.passed and (seen := case.observed).get("calls"):
            cuts[case.key].append(bool(seen.get("cut")))
    return {key: len(entries) for key, entries in cuts.items() if all(entries)}


def _within_tasks(run: RunCases, hit: set[int]) -> dict[str, Any]:
    """The exact test on judged rollouts with calls, tasks kept apart; none where fewer than two tasks can tell."""
    tables: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for case in judged(run):
        if case.observed.get("calls"):
            tables[case.key][2 * (id(case) not in hit) + (not case.passed)] += 1
    told: list[Table] = [(a, b, c, d) for a, b, c, d in tables.values()]
    telling = sum(map(informative, told))
    return {"p": exact_p(told) if telling >= FEWEST_TELLING else None, "telling_tasks": telling}


def _worst(acting: Sequence[tuple[Case, Any]], cut: Sequence[tuple[Case, int]], passed: set[str]) -> list[str]:
    """Keys of tasks that never pass and are cut in at least half of their attempts, those with most cut calls first."""
    attempts: defaultdict[str, list[Case]] = defaultdict(list)
    for case, _ in acting:
        attempts[case.key].append(case)
    calls: defaultdict[str, list[int]] = defaultdict(list)
    for case, many in cut:
        calls[case.key].append(many)
    lost = [key for key, many in calls.items() if len(many) >= OFTEN * len(attempts[key]) and key not in passed]
    lost.sort(key=lambda key: (-sum(calls[key]), key))
    return lost


def _quote(cases: Sequence[Case]) -> dict[str, Any]:
    """The first line that tells of a cut call."""
    case = cases[0]
    for _, row in open_rows([Source(*case.place)]):
        attempt = Attempt(row)
        for call in attempt.answered:
            if call.answer is not None and cut_short(call.answer.text):
                cite = _line(attempt, call.answer.text, call)
                place = f"{case.run}, task {case.label}, attempt {case.attempt}, item {cite.item}"
                return {"quote": cite.quote, "place": place, "file": case.place[0], "line": case.place[1]}
    return {}


def _line(attempt: Attempt, text: str, call: Any) -> Cite:
    match = cut_words(text)
    start, end = match.span() if match else (0, 0)
    first = max(text.rfind("\n", 0, start) + 1, start - LONGEST_QUOTE // 2)
    last = text.find("\n", end)
    return attempt.cite(call.answer, first, min(last if last >= 0 else len(text), first + LONGEST_QUOTE))


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, run in enumerate(answer["runs"]):
        blocks.append(Paragraph(tuple(_sentences(place, run))))
        if run.get("quote"):
            blocks.append(Quote(run["quote"], run["place"], at(*_at(place), "quote")))
    return blocks


def _sentences(place: int, run: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        "In {run} the outputs of {calls} in {rollouts} of the {acting} that make calls say that they timed out or were "
        "killed at a time limit ({tasks}): {passes} of the {rollouts} pass ({rate}), {other_passes} of the {others} "
        "others ({other_rate}).",
        run=run["run"],
        calls=fact(count(run["calls"], "command or call", "commands or calls"), run["calls"], *_at(place), "calls"),
        rollouts=amount(run["rollouts"], *_at(place), "rollouts"),
        acting=fact(count(run["acting"], "rollout"), run["acting"], *_at(place), "acting"),
        tasks=fact(count(run["tasks"], "task"), run["tasks"], *_at(place), "tasks"),
        passes=amount(run["passes"], *_at(place), "passes"),
        rate=percent(run["passes"] / run["rollouts"]),
        other_passes=amount(run["other_passes"], *_at(place), "other_passes"),
        others=amount(run["other_rollouts"], *_at(place), "other_rollouts"),
        other_rate=percent(run["other_passes"] / run["other_rollouts"]) if run["other_rollouts"] else "none",
    )
    if run["telling_tasks"] == 1:
        yield say(
            "Within tasks nothing is shown either way: only {tasks} has passes and failures with a cut call and "
            "without one.",
            tasks=fact(count(1, "task"), 1, *_at(place), "telling_tasks"),
        )
    elif run["p"] is not None and run["p"] > SURE:
        yield say(
            "Within tasks it is not shown to separate passes from failures (exact test p = {p}): tasks that need "
            "long calls are cut, and are hard.",
            p=fact(f"{run['p']:.2g}", run["p"], *_at(place), "p"),
        )
    elif run["p"] is not None:
        yield say(
            "Within tasks, too, cut rollouts end differently (exact test p = {p}).",
            p=fact(f"{run['p']:.2g}", run["p"], *_at(place), "p"),
        )
    if run["worst"]:
        yield say(
            "Cut in at least half of their attempts and never passed in this run: {tasks}.",
            tasks=task_list(run["worst"], MOST_TASKS),
        )
    if run["always"]:
        yield say(
            "In {tasks} every judged failure of this run that records calls has a cut one.",
            tasks=task_list(run["always"], MOST_TASKS),
        )
    if run["passed_elsewhere"] and not _is_overcome(run):
        yield say(
            "Of these, other runs pass {tasks}: there the limit may decide.",
            tasks=abridged(run["passed_elsewhere"], MOST_TASKS),
        )
    if run["unjudged"]:
        yield say("Cut as often and never judged in this run: {tasks}.", tasks=task_list(run["unjudged"], MOST_TASKS))


def _at(place: int) -> tuple[str | int, ...]:
    return ("investigation", "cut_calls", "runs", place)


def _is_overcome(run: Mapping[str, Any]) -> bool:
    """Whether rollouts with a cut call pass about as often as others: most make the call again."""
    with_cut, others = run["passes"] * run["other_rollouts"], run["other_passes"] * run["rollouts"]
    return bool((run["p"] is None or run["p"] > SURE) and with_cut >= ABOUT * others > 0)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Give long commands room: what a limit kills is often the work itself."""
    runs = [run for run in answer["runs"] if run["passed_elsewhere"] and not _is_overcome(run)]
    many = sum(run["failures"] for run in runs)
    if many:
        yield Advice(
            "harness",
            "Raise the time limit of a single command or call, or run long ones in the background",
            say(
                "It ends calls of {failures}: {runs}.",
                failures=count(many, "judged failure"),
                runs=listed([f"{run['run']} {run['calls']:,} calls in {run['rollouts']:,} rollouts" for run in runs]),
            ),
            many,
            SELDOM,
        )
