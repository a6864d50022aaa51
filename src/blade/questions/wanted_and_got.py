"""What did the tests want and what did they get: how far from a mark, and is it the same wrong result every time?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, Table, say
from blade.extract.comparisons import GOT, number_of
from blade.extract.recorded_results import OTHER
from blade.extract.text import clip
from blade.frozen import frozen
from blade.health import Item, item
from blade.late_regex import late_regex
from blade.questions import OF_THE_EVALUATION, by_task, in_order, judged
from blade.stats.rounding import WRITTEN, significant
from blade.wording import abridged, amount, count

TITLE = "What the tests expected and got"
ORDER = 71
WEIGHT = OF_THE_EVALUATION
MOST_MARKS = 15
MOST_RESULTS = 12
MOST_SUSPECTS = 5
MOST_VALUES = 6
MOST_OF_A_TASK = 2
LONGEST_VALUE = 50
SHORTEST_RESULT, SHORTEST_NUMBER = 3, 2
MOSTLY = 0.6
LIKELY = 0.5
FEWEST_SHARING = 3
"""A place that the tests of so many tasks want to be reached is no key of one task."""
_PLACE = late_regex(r"^(?:[a-z]+:/)?/|\*")
FEWEST_ALIKE = 2
FEWEST_OF_ONE_RUN = 3
_ORDERS = {"<": -1, "<=": -1, ">": 1, ">=": 1}
_WANTS = frozenset({"==", GOT})
_EQUALS = frozenset({"==", "!=", "in", "not in", GOT})
_SAYS_NOTHING = frozenset(
    (
        *("0", "1", "-1", "2", "0.0", "1.0", "True", "False", "None", "''", '""', "[]", "{}", "()"),
        *("no", "yes", "none", "null", "missing", "absent", "not found", "empty", "n/a", "-"),
    )
)
"""Codes of an exit, truth values and what is empty or absent: equal in many rollouts for many reasons."""


@frozen
class Compared:
    """A comparison of one failed rollout: its two sides and the sign between them."""

    case: Case
    left: str
    sign: str
    right: str

    @property
    def words(self) -> str:
        return f"wants {self.right}, gets {self.left}" if self.sign == GOT else f"{self.left} {self.sign} {self.right}"


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Marks that were missed, with every value, and wrong results that come back, by task."""
    tasks = by_task([case for run in runs for case in judged(run)])
    marks: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    failures = {key: [case for case in cases if not case.passed] for key, cases in tasks.items()}
    compared = {key: list(_compared(failed)) for key, failed in failures.items()}
    recorded = {key: list(_recorded(failed)) for key, failed in failures.items()}
    wanted = Counter(
        right
        for key in tasks
        for right in {comparison.right for comparison in (*compared[key], *recorded[key]) if comparison.sign == GOT}
    )
    for key, cases in tasks.items():
        marks += _marks(cases, compared[key])
        own = [
            comparison
            for comparison in (*compared[key], *recorded[key])
            if wanted[comparison.right] < FEWEST_SHARING or not _PLACE.search(comparison.right)
        ]
        results += _results(cases, failures[key], own)
    if not marks and not results:
        return None
    marks.sort(key=lambda entry: (-entry["nearest"], entry["task"]))
    results.sort(key=lambda entry: (-entry["runs"], -entry["rollouts"], entry["task"]))
    return {"marks": marks, "results": _once(results)}


def _compared(failed: Sequence[Case]) -> Iterator[Compared]:
    for case in failed:
        for sides in case.observed.get("compared") or ():
            if len(sides) == 3:
                yield Compared(case, *sides)


def _recorded(failed: Sequence[Case]) -> Iterator[Compared]:
    """Results that the verifier records beside what it expected; short ones are equal by chance."""
    for case in failed:
        result = case.observed.get("result") or {}
        if result.get("kind") == OTHER and all(map(_is_telling, (result["got"], result["expected"]))):
            yield Compared(case, result["got"], GOT, result["expected"])


def _is_telling(value: str) -> bool:
    return len(value) >= (SHORTEST_NUMBER if value.isdigit() else SHORTEST_RESULT)


def _marks(cases: Sequence[Case], comparisons: Sequence[Compared]) -> list[dict[str, Any]]:
    """Numbers that were held against each other, by the side that stays where several rollouts show it: the mark."""
    numbered = [
        (comparison, left, right)
        for comparison in comparisons
        if comparison.sign in _ORDERS
        and not {comparison.left, comparison.right} <= _SAYS_NOTHING
        and (left := number_of(comparison.left)) is not None
        and (right := number_of(comparison.right)) is not None
    ]
    rights = Counter((comparison.sign, right) for comparison, _, right in numbered)
    lefts = Counter((comparison.sign, left) for comparison, left, _ in numbered)
    groups: defaultdict[str, list[tuple[Case, str, float]]] = defaultdict(list)
    for comparison, left, right in numbered:
        near = _nearness(left, right)
        if max(lefts[comparison.sign, left], rights[comparison.sign, right]) < FEWEST_ALIKE:
            groups[""].append((comparison.case, f"{left:,.6g} {comparison.sign} {right:,.6g}", near))
        elif lefts[comparison.sign, left] > rights[comparison.sign, right]:
            groups[f"{left:,.6g} {comparison.sign} …"].append((comparison.case, f"{right:,.6g}", near))
        else:
            groups[f"… {comparison.sign} {right:,.6g}"].append((comparison.case, f"{left:,.6g}", near))
    for mark, values in _words_against_one(comparisons).items():
        groups[mark] += [(case, clip(text, LONGEST_VALUE), 0.0) for case, text in values]
    entries: list[dict[str, Any]] = [
        {
            "task": cases[0].label,
            "mark": mark,
            "values": [[case.run, text] for case, text, _ in values],
            "nearest": significant(max(near for _, _, near in values), WRITTEN),
            "judged": len(cases),
            "passes": sum(bool(case.passed) for case in cases),
        }
        for mark, values in groups.items()
    ]
    return sorted(entries, key=lambda entry: -entry["nearest"])[:MOST_OF_A_TASK]


def _words_against_one(comparisons: Sequence[Compared]) -> dict[str, list[tuple[Case, str]]]:
    """Words that the tests want, and the others that several rollouts gave instead."""
    groups: defaultdict[str, list[tuple[Case, str]]] = defaultdict(list)
    for comparison in comparisons:
        said = not {comparison.left, comparison.right} & _SAYS_NOTHING and number_of(comparison.right) is None
        if comparison.sign in _WANTS and said and comparison.left != comparison.right:
            groups[f"wants {comparison.right}" if comparison.sign == GOT else f"… == {comparison.right}"].append(
                (comparison.case, comparison.left)
            )
    return {
        mark: values
        for mark, values in groups.items()
        if len({id(case) for case, _ in values}) >= FEWEST_ALIKE and len({text for _, text in values}) > 1
    }


def _nearness(value: float, mark: float) -> float:
    """The smaller of two numbers of one sign by the larger: 1 at the mark, 0 where they cannot be put so."""
    if value * mark <= 0:
        return 0.0
    return min(abs(value), abs(mark)) / max(abs(value), abs(mark))


def _results(
    cases: Sequence[Case], failed: Sequence[Case], comparisons: Sequence[Compared]
) -> Iterator[dict[str, Any]]:
    """Comparisons that come back word for word in two runs, or in three rollouts of one."""
    groups: defaultdict[str, dict[int, Compared]] = defaultdict(dict)
    for comparison in comparisons:
        if (
            comparison.sign in _EQUALS
            and comparison.left != comparison.right
            and not {comparison.left, comparison.right} & _SAYS_NOTHING
        ):
            groups[comparison.words][id(comparison.case)] = comparison
    for words, alike in groups.items():
        alike_cases = [comparison.case for comparison in alike.values()]
        runs = {case.run for case in alike_cases}
        if len(alike) >= FEWEST_OF_ONE_RUN or len(runs) >= FEWEST_ALIKE:
            yield {
                "task": cases[0].label,
                "words": words,
                "rollouts": len(alike),
                "runs": len(runs),
                "failures": len(failed),
                "judged": len(cases),
                "passes": len(cases) - len(failed),
                "keyed": any("expected" in case.observed for case in cases),
                "against_prompt": sum("against_prompt" in case.observed for case in alike_cases) >= FEWEST_ALIKE,
            }


def _once(results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each task what most of its failures have in common."""
    kept: dict[str, dict[str, Any]] = {}
    for entry in results:
        kept.setdefault(entry["task"], entry)
    return list(kept.values())


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    if answer["results"]:
        lead = [_lead(answer), *([_suspect_words(suspects)] if (suspects := _suspects(answer)) else [])]
        blocks += [Paragraph(tuple(lead)), _result_table(answer["results"])]
    if answer["marks"]:
        blocks.append(_mark_table(answer["marks"]))
    return blocks


def _suspects(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The results of which most judged rollouts of several runs agree, in tasks that nobody passes.

    Where a key lists changes, what a check gets may be what was there before: nothing was done. What the task's own
    text calls right is told as such (`tests_against_prompts`).
    """
    return [
        entry
        for entry in answer["results"]
        if not entry["passes"]
        and not entry["keyed"]
        and not entry["against_prompt"]
        and entry["runs"] >= FEWEST_ALIKE
        and entry["rollouts"] >= max(FEWEST_OF_ONE_RUN, MOSTLY * entry["judged"])
    ]


def _suspect_words(suspects: Sequence[Mapping[str, Any]]) -> Sentence:
    tasks_shown = [
        f"{entry['task']} ({entry['words']}: {entry['rollouts']:,} of {entry['judged']:,})" for entry in suspects
    ]
    return say(
        "In {tasks} that no run passes most rollouts come to one result, and the check wants another: {tasks_shown}.",
        tasks=count(len(suspects), "task"),
        tasks_shown=abridged(tasks_shown, MOST_SUSPECTS),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    if suspects := _suspects(answer):
        yield _suspect_words(suspects)


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Checks of tasks that nobody passes, where most rollouts agree on another result."""
    if suspects := _suspects(answer):
        tasks = [entry["task"] for entry in suspects]
        yield item("suspect_gold", "medium", _suspect_words(suspects).text, tasks=tasks)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """The value that a check wants is held against the task by hand."""
    if suspects := _suspects(answer):
        names = abridged(in_order(entry["task"] for entry in suspects), MOST_RESULTS)
        rollouts = sum(entry["rollouts"] for entry in suspects)
        yield Advice(
            "data",
            f"Work out by hand what the checks of {names} should want; repair or drop what is wrong, and judge again",
            say(
                "{rollouts} of several runs come to one other result there, and none passes.",
                rollouts=count(rollouts, "rollout"),
            ),
            rollouts,
            LIKELY,
            before_scores=True,
        )


def _lead(answer: Mapping[str, Any]) -> Sentence:
    every = [entry["task"] for entry in answer["results"] if entry["rollouts"] == entry["judged"]]
    words = "In {many} one comparison of the tests fails word for word in several rollouts"
    if every:
        words += "; every judged rollout ends so in {names}"
    return say(
        words + ". A wrong or hidden key and a trap look alike: read the task.",
        many=count(len(answer["results"]), "task"),
        names=abridged(in_order(every), MOST_RESULTS),
    )


def _result_table(results: Sequence[Mapping[str, Any]]) -> Table:
    rows = tuple(
        (
            entry["task"],
            entry["words"],
            amount(entry["rollouts"], *_AT, "results", place, "rollouts"),
            amount(entry["runs"], *_AT, "results", place, "runs"),
            amount(entry["failures"], *_AT, "results", place, "failures"),
            amount(entry["passes"], *_AT, "results", place, "passes"),
        )
        for place, entry in enumerate(results[:MOST_RESULTS])
    )
    return Table(
        ("Task", "The comparison that fails", ">rollouts", ">runs", ">failures of the task", ">its passes"),
        rows,
        "Wrong results that recur word for word" + _left(results, MOST_RESULTS),
    )


def _mark_table(marks: Sequence[Mapping[str, Any]]) -> Table:
    rows = []
    for place, entry in enumerate(marks[:MOST_MARKS]):
        by_run: defaultdict[str, list[str]] = defaultdict(list)
        for run, value in entry["values"]:
            by_run[run].append(value)
        values = "; ".join(f"{run} {abridged(some, MOST_VALUES)}" for run, some in by_run.items())
        judged_rollouts = amount(entry["judged"], *_AT, "marks", place, "judged")
        passes = amount(entry["passes"], *_AT, "marks", place, "passes")
        rows.append((entry["task"], entry["mark"], values, judged_rollouts, passes))
    return Table(
        ("Task", "The mark", "What it was compared with", ">judged rollouts", ">passes"),
        tuple(rows),
        "Comparisons that fail in the tests, the nearest numbers first" + _left(marks, MOST_MARKS),
    )


def _left(entries: Sequence[Any], most: int) -> str:
    return f"; {len(entries) - most:,} more in analysis.json" if len(entries) > most else ""


_AT = ("investigation", "wanted_and_got")
