"""Which marks do the other runs write at some tasks, one run never, and does it fail there as it fails nowhere else?

A rule of stars, a fence, a bracket or a blank line that one run never writes may be a stop string: its answers end
where the mark would stand. A run may also have another manner of writing, which costs nothing, and is not told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.final_message import BLANK_LINE
from blade.questions import SURE, by_task, cause, in_order, judged, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.odds import Outcomes, odds_change
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p
from blade.wording import amount, count, fact, listed, p_value

TITLE = "Marks that one run never writes"
ORDER = 77
WEIGHT = 1.3
FEWEST_TASKS = 3
MOSTLY = 0.5
"""A task has a mark where more of the other runs' answers hold it."""
FURTHER = 1.645
"""So many standard errors further behind the others the run lies at these tasks than elsewhere."""
MUCH_SHORTER = 0.5
SAME_TASKS = 0.5
MOST = 4
LIKELY = 0.7
_PATH = ("investigation", "marks_never_written", "marks")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Marks of tasks that a run never writes there, beyond chance, and where it falls behind, with words and passes."""
    answers = {run.run.name: [case for case in judged(run) if _final(case).get("words")] for run in runs}
    if sum(map(bool, answers.values())) < 2:
        return None
    tested = []
    for run, own_cases in answers.items():
        other_cases = [case for name, cases in answers.items() if name != run for case in cases]
        for mark in sorted({mark for case in other_cases for mark in _final(case).get("marks", ())}):
            p = exact_p(_tables(own_cases, other_cases, mark))
            if p is not None:
                tested.append((run, mark, other_cases, p))
    entries, causes = [], []
    for (run, mark, other_cases, _), p in zip(tested, benjamini_hochberg([p for *_, p in tested]), strict=True):
        if p <= SURE and (entry := _entry(run, mark, answers[run], other_cases)) is not None:
            causes.append(
                cause("BI", f"writes no “{mark}”, as its run never does and others do there", entry.pop("cases"))
            )
            entries.append(entry | {"p": significant(p, WRITTEN)})
    entries.sort(key=lambda entry: (entry["anywhere"], entry["p"], entry["run"], entry["mark"]))
    apart = _apart(entries)
    return {"marks": apart[:MOST], "left_out": len(apart[MOST:]), "causes": causes} if apart else None


def _final(case: Case) -> Mapping[str, Any]:
    final: Mapping[str, Any] = case.observed.get("final", {})
    return final


def _holds(case: Case, mark: str) -> bool:
    return mark in _final(case).get("marks", ())


def _tables(own_cases: Sequence[Case], other_cases: Sequence[Case], mark: str) -> list[Table]:
    tables: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for side, cases in enumerate((own_cases, other_cases)):
        for case in cases:
            tables[case.key][2 * side + (not _holds(case, mark))] += 1
    return [(a, b, c, d) for a, b, c, d in tables.values()]


def _entry(run: str, mark: str, own_cases: Sequence[Case], other_cases: Sequence[Case]) -> dict[str, Any] | None:
    """The tasks at which most others write the mark; nothing where the run writes it, too, or is not further behind."""
    others_by_task = by_task(other_cases)
    keys = {
        key for key, cases in others_by_task.items() if sum(_holds(case, mark) for case in cases) > MOSTLY * len(cases)
    } & {case.key for case in own_cases}
    own = [case for case in own_cases if case.key in keys]
    if len(keys) < FEWEST_TASKS or any(_holds(case, mark) for case in own):
        return None
    others_there = [case for case in other_cases if case.key in keys]
    there = (*_outcomes(own), *_outcomes(others_there))
    own_left = [case for case in own_cases if case.key not in keys]
    others_left = [case for case in other_cases if case.key not in keys]
    elsewhere = (*_outcomes(own_left), *_outcomes(others_left))
    p = exact_p([(*_outcomes(cases), *_outcomes(others_by_task[key])) for key, cases in by_task(own).items()])
    if p is None or p > SURE or not _is_behind(there) or odds_change(there, elsewhere) > -FURTHER:
        return None
    with_mark = [case for case in others_there if _holds(case, mark)]
    return {
        "run": run,
        "mark": mark,
        "also": [],
        "cases": own,
        "tasks": in_order(case.label for case in own),
        "rollouts": len(own),
        "anywhere": sum(_holds(case, mark) for case in own_cases),
        "answers": len(own_cases),
        "others_with": len(with_mark),
        "others": len(others_there),
        "passes": there[0],
        "other_passes": there[2],
        "left_passes": elsewhere[0],
        "left": len(own_left),
        "other_left_passes": elsewhere[2],
        "other_left": len(others_left),
        "outcome_p": significant(p, WRITTEN),
        "words": round(median(_final(case)["words"] for case in own)),
        "other_words": round(median(_final(case)["words"] for case in with_mark)),
        "example": {"task": own[0].label, "attempt": str(own[0].attempt)},
    }


def _outcomes(cases: Sequence[Case]) -> tuple[int, int]:
    passes = sum(bool(case.passed) for case in cases)
    return passes, len(cases) - passes


def _is_behind(outcomes: Outcomes) -> bool:
    passes, failures, other_passes, other_failures = outcomes
    return passes * (other_passes + other_failures) < other_passes * (passes + failures)


def _apart(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Marks of a run at much the same tasks as one, under the name of the first."""
    apart: list[dict[str, Any]] = []
    for entry in entries:
        tasks = set(entry["tasks"])
        home = next(
            (
                earlier
                for earlier in apart
                if earlier["run"] == entry["run"]
                and len(tasks & set(earlier["tasks"])) >= SAME_TASKS * min(len(tasks), len(earlier["tasks"]))
            ),
            None,
        )
        if home is None:
            apart.append(entry)
        else:
            home["also"].append(entry["mark"])
    return apart


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["marks"])]
    if answer["left_out"]:
        left_out = count(answer["left_out"], "more mark is", "more marks are")
        items.append(Paragraph((say("{left_out} left out.", left_out=left_out),)))
    return [Bullets(tuple(items))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Only answers that end where the mark would stand tell of a fault."""
    for place, entry in enumerate(answer["marks"]):
        if _is_cut(entry):
            parts = [sentence.parts for sentence in list(_sentences(place, entry))[:2]]
            yield Sentence((*parts[0], " ", *parts[1]))
            return


def _is_cut(entry: Mapping[str, Any]) -> bool:
    return bool(entry["words"] <= MUCH_SHORTER * entry["other_words"])


def _named(mark: str) -> str:
    return mark if mark == BLANK_LINE else f"“{mark}”"


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_PATH, place)
    yield say(
        "{run} writes {mark}{also} in {none} to {tasks}{nowhere}; {others_with} of {others} answers of the other runs "
        "hold it (exact test within tasks, corrected: p {p}). There {run} passes {passes} of {rollouts} and the others "
        "{other_passes} of {others}, elsewhere {left_passes} of {left} and {other_left_passes} of {other_left}.",
        none=fact(f"none of its {entry['rollouts']:,} answers", entry["rollouts"], *at, "rollouts"),
        run=entry["run"],
        tasks=f"{count(len(entry['tasks']), 'task')} ({task_list(entry['tasks'])})",
        mark=_named(entry["mark"]),
        also=f" or {listed([_named(mark) for mark in entry['also']], 'or')}" if entry["also"] else "",
        nowhere="" if entry["anywhere"] else ", nor in any other",
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        others_with=amount(entry["others_with"], *at, "others_with"),
        others=amount(entry["others"], *at, "others"),
        p=p_value(entry["p"], *at, "p"),
        passes=amount(entry["passes"], *at, "passes"),
        other_passes=amount(entry["other_passes"], *at, "other_passes"),
        left_passes=amount(entry["left_passes"], *at, "left_passes"),
        left=amount(entry["left"], *at, "left"),
        other_left_passes=amount(entry["other_left_passes"], *at, "other_left_passes"),
        other_left=amount(entry["other_left"], *at, "other_left"),
    )
    words = {
        "words": amount(entry["words"], *at, "words"),
        "other_words": amount(entry["other_words"], *at, "other_words"),
    }
    if _is_cut(entry):
        yield say(
            "Its answers there have {words} words, those with the mark {other_words} (medians): they seem to end where "
            "the mark would stand, as if it were a stop string.",
            **words,
        )
    else:
        yield say("Its answers there have {words} words, those with the mark {other_words} (medians).", **words)
    yield say("For example task {task}, attempt {attempt}.", **entry["example"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """A stop string cuts what the task asks for."""
    for place, entry in enumerate(answer["marks"]):
        failures = entry["rollouts"] - entry["passes"]
        if _is_cut(entry):
            yield Advice(
                "harness",
                f"Look for {_named(entry['mark'])} among the stop strings of {entry['run']}, and run these tasks again "
                "without it",
                say(
                    "{failures} of {run} {end} where the mark would stand.",
                    failures=fact(count(failures, "failure"), failures, *_PATH, place, "rollouts"),
                    run=entry["run"],
                    end="ends" if failures == 1 else "end",
                ),
                failures,
                LIKELY,
            )
