"""Which words of the model, of tools or of a user stand in failures and not in passes?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.features import phrases
from blade.diagnosis.phrases import ANY_FIGURE, PhraseFinding, find_words, has_words, whole_share
from blade.document import Block, Fact, Paragraph, Quote, Sentence, say
from blade.extract.phrases import CALLS, ENVIRONMENT, MODEL, THOUGHTS, USER
from blade.questions import in_order, judged, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, at, count, fact, listed, printable

TITLE = "Words that failures share"
ORDER = 70
WEIGHT = 0.4
MOST_FINDINGS = 6
SELDOM = 0.1
"""So few passes may print in the middle of a long output what failures print at its ends."""
OFTEN = 2
"""Times in a rollout from which a phrase is worth a sentence."""
MOST_TASKS, FEW_TASKS = 25, 5
CLEARLY, MOST_PASSING = 0.5, 4
"""By so much more often passes must hold what is told of them: how the work was done, and not that it is done."""
_WORK = frozenset({CALLS, THOUGHTS})
PIECES = {
    MODEL: ("message",),
    ENVIRONMENT: ("output",),
    USER: ("message",),
    CALLS: ("call",),
    THOUGHTS: ("piece of reasoning", "pieces of reasoning"),
}
SPEAKERS = {
    MODEL: "The model says “{words}” in",
    ENVIRONMENT: "Tools or programs print “{words}” in",
    USER: "The user says “{words}” in",
    CALLS: "Calls hold “{words}” in",
    THOUGHTS: "The model thinks “{words}” in",
}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The phrases that failures hold more often than passes, those that touch the most failures first."""
    cases = [case for run in runs for case in judged(run)]
    if len({bool(case.passed) for case in cases}) < 2:
        return None
    found = phrases(runs, cases)
    failing = [candidate for candidate in found if candidate.chosen.effect < 0]
    told = [
        _entry(candidate, runs) | {"rollouts_unread": len(cases) - len(candidate.known)}
        for candidate in find_words(failing[:MOST_FINDINGS])
        if not _stands_in_passes(candidate) and has_words(candidate.words)
    ]
    passing = _of_passes(found[len(failing) :], cases)
    if not told and not passing:
        return None
    return {
        "judged": len(cases),
        "findings": told,
        "left_out": max(len(failing) - MOST_FINDINGS, 0),
        "passing": passing,
        "in_passes": len(found) - len(failing) - len(passing),
    }


def _of_passes(findings: Sequence[PhraseFinding], cases: Sequence[Case]) -> list[dict[str, Any]]:
    """What calls and reasoning of passes hold and the other rollouts of their tasks, which mostly fail, do not."""
    entries = []
    work = [finding for finding in findings if finding.actor in _WORK and finding.chosen.effect >= CLEARLY]
    for finding in find_words(work[:MOST_PASSING]):
        keys, ids = {case.key for case in finding.cases}, {id(case) for case in finding.cases}
        lacking = [case for case in cases if case.key in keys and id(case) not in ids]
        if not (has_words(finding.words) or finding.quote) or 2 * len(keys) > len({case.key for case in cases}):
            continue
        entries.append(
            {
                "actor": finding.actor,
                "words": printable(finding.words),
                "rollouts": len(finding.cases),
                "passes": sum(bool(case.passed) for case in finding.cases),
                "others": len(lacking),
                "other_passes": sum(bool(case.passed) for case in lacking),
                "tasks": in_order(case.label for case in finding.cases),
                "runs": _run_counts(finding.cases),
                "p": significant(finding.chosen.p, WRITTEN),
            }
            | finding.quote
        )
    return entries


def _run_counts(cases: Sequence[Case]) -> list[list[Any]]:
    return [[run, sum(case.run == run for case in cases)] for run in dict.fromkeys(case.run for case in cases)]


def _stands_in_passes(finding: PhraseFinding) -> bool:
    """Whether passes print the phrase after all, in the middle of outputs of which only the ends are kept."""
    having = {id(case) for case in finding.cases}
    passes = [case for case in finding.known if case.passed and id(case) not in having]
    return finding.actor == ENVIRONMENT and whole_share(finding.chosen.mark, passes) > SELDOM


def _entry(finding: PhraseFinding, runs: Sequence[RunCases]) -> dict[str, Any]:
    cases, known, example, cite = finding.cases, finding.known, finding.example, finding.cite
    entry = {
        "actor": finding.actor,
        "words": printable(finding.words),
        **_counts(cases, known),
        "tasks": len({case.key for case in cases}),
        "occurrences": finding.occurrences,
        "p": significant(finding.chosen.p, WRITTEN),
        "q": significant(finding.chosen.q, WRITTEN),
        "runs": [_of_run(run.run.name, cases, known) for run in runs],
    }
    if example is not None and cite is not None:
        place = f"{example.run}, task {example.label}, attempt {example.attempt}, item {cite.item}"
        entry |= {"quote": cite.quote, "place": place, "file": example.place[0], "line": example.place[1]}
    return entry


def _counts(cases: Sequence[Case], known: Sequence[Case]) -> dict[str, int]:
    """Rollouts with the phrase among those where it could be seen, and how they ended."""
    passes, all_passes = (sum(bool(case.passed) for case in some) for some in (cases, known))
    return {
        "rollouts": len(cases),
        "failures": len(cases) - passes,
        "passes": passes,
        "of_rollouts": len(known),
        "of_failures": len(known) - all_passes,
        "of_passes": all_passes,
    }


def _of_run(run: str, cases: Sequence[Case], known: Sequence[Case]) -> dict[str, Any]:
    own = [case for case in cases if case.run == run]
    failed = in_order(case.label for case in own if not case.passed)
    counts = _counts(own, [case for case in known if case.run == run])
    return {"run": run, **counts, "failed_tasks": failed}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, finding in enumerate(answer["findings"]):
        blocks.append(Paragraph(tuple(_sentences(place, finding))))
        if finding.get("quote"):
            blocks.append(Quote(finding["quote"], finding["place"], at(*_at(place), "quote")))
    for place, entry in enumerate(answer.get("passing", ())):
        blocks.append(Paragraph((_passing_words(place, entry),)))
        if entry.get("quote"):
            blocks.append(Quote(entry["quote"], entry["place"], at(*_AT, "passing", place, "quote")))
    return [*blocks, Paragraph(tuple(_ending(answer)))]


def _passing_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "passing", place)
    return say(
        SPEAKERS[entry["actor"]] + " {rollouts} of {tasks} ({names}), {passes} of which {verb}; of the {others} others "
        "at these tasks {other_passes} pass (exact test p = {p}; {runs}).",
        words=entry["words"],
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        tasks=fact(count(len(entry["tasks"]), "task"), len(entry["tasks"]), *path, "tasks"),
        names=task_list(entry["tasks"]),
        passes=amount(entry["passes"], *path, "passes"),
        verb="passes" if entry["passes"] == 1 else "pass",
        others=amount(entry["others"], *path, "others"),
        other_passes=amount(entry["other_passes"], *path, "other_passes"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        runs=listed([f"{run} {rollouts:,}" for run, rollouts in entry["runs"]]),
    )


def _sentences(place: int, finding: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        SPEAKERS[finding["actor"]]
        + " {rollouts} of {all}: {failures} of {all_failures}, {passes} of {all_passes} (exact test p = {p}).",
        words=finding["words"],
        rollouts=amount(finding["rollouts"], *_at(place), "rollouts"),
        all=_counted(finding, "of_rollouts", "judged rollout", place),
        failures=amount(finding["failures"], *_at(place), "failures"),
        all_failures=_counted(finding, "of_failures", "failure", place),
        passes=amount(finding["passes"], *_at(place), "passes"),
        all_passes=_counted(finding, "of_passes", "pass", place, "passes"),
        p=fact(f"{finding['p']:.2g}", finding["p"], *_at(place), "p"),
    )
    if unread := finding["rollouts_unread"]:
        yield say(
            "Not counted: {unread} with so much text that only some phrases are kept.",
            unread=fact(count(unread, "judged rollout"), unread, *_at(place), "rollouts_unread"),
        )
    runs = finding["runs"]
    if len(runs) > 1:
        yield Sentence(("By run: ", *_joined(list(_runs(place, runs))), "."))
    elif runs[0]["failed_tasks"]:
        yield say("It fails with it in: {tasks}.", tasks=task_list(runs[0]["failed_tasks"]))
    if finding["occurrences"] and finding["occurrences"] >= OFTEN * finding["rollouts"]:
        yield say(
            "{times} contain it: {often} per rollout that has it.",
            times=fact(
                count(finding["occurrences"], *PIECES[finding["actor"]]),
                finding["occurrences"],
                *_at(place),
                "occurrences",
            ),
            often=f"{finding['occurrences'] / finding['rollouts']:.1f}",
        )


def _runs(place: int, runs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str | Fact, ...]]:
    """Runs in which it stands with failures and passes, those with the most first; the others together."""
    order = sorted(range(len(runs)), key=lambda index: -runs[index]["rollouts"])
    for rank, index in enumerate(order):
        run, path = runs[index], (*_at(place), "runs", index)
        if not run["rollouts"]:
            continue
        most = MOST_TASKS if not rank else FEW_TASKS
        tasks = f"; fails with it in {task_list(run['failed_tasks'], most)}" if run["failed_tasks"] else ""
        yield (
            f"{run['run']} ",
            amount(run["rollouts"], *path, "rollouts"),
            f" of {run['of_rollouts']:,} (",
            amount(run["failures"], *path, "failures"),
            f" of {count(run['of_failures'], 'failure')}, ",
            amount(run["passes"], *path, "passes"),
            f" of {count(run['of_passes'], 'pass', 'passes')}{tasks})",
        )
    never = [run["run"] for run in runs if not run["rollouts"] and run["of_rollouts"]]
    if never:
        yield (f"never in {listed(never)}",)


def _joined(parts: Sequence[tuple[str | Fact, ...]]) -> Iterator[str | Fact]:
    for number, part in enumerate(parts):
        if number:
            yield "; "
        yield from part


def _ending(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    figures = any(ANY_FIGURE in finding["words"] for finding in answer["findings"])
    yield say(
        "Every three words in a row were tried, those of messages, calls and reasoning of the model, of tools and "
        "programs, and of users apart (false discovery rate 1%, at least 8 rollouts of 3 tasks)"
        + ("; # is any number" if figures else "")
        + "; rollouts of one task, or tasks of similar difficulty, are compared. A phrase in failures is a trace "
        "of what went wrong and need not be its cause."
    )
    if answer["left_out"]:
        yield say(
            "{more} that failures share are left out.",
            more=fact(count(answer["left_out"], "further phrase"), answer["left_out"], *_AT, "left_out"),
        )
    if answer["in_passes"]:
        yield say(
            "{more} with passes, mostly what is said when the work is done.",
            more=fact(count(answer["in_passes"], "phrase goes", "phrases go"), answer["in_passes"], *_AT, "in_passes"),
        )


def _counted(finding: Mapping[str, Any], key: str, noun: str, place: int, several: str | None = None) -> Fact:
    return fact(count(finding[key], noun, several), finding[key], *_at(place), key)


_AT = ("investigation", "separating_texts")


def _at(place: int) -> tuple[str | int, ...]:
    return (*_AT, "findings", place)


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The words that set failures apart most clearly."""
    for place, finding in enumerate(answer["findings"][:1]):
        unread = finding["rollouts_unread"]
        rest = f"; {count(unread, 'rollout')} with very much text {'is' if unread == 1 else 'are'} not counted"
        yield say(
            SPEAKERS[finding["actor"]]
            + " {failures} of {all_failures} and {passes} of {all_passes}"
            + (rest if unread else "")
            + ".",
            words=finding["words"],
            failures=amount(finding["failures"], *_at(place), "failures"),
            all_failures=_counted(finding, "of_failures", "failure", place),
            passes=amount(finding["passes"], *_at(place), "passes"),
            all_passes=_counted(finding, "of_passes", "pass", place, "passes"),
        )
