"""Which kind of criterion, by how it begins, does one run meet and another one not?

A rubric has criteria of its own for each task, so that no check stands in many. They begin alike where they ask for the
same thing, and there two runs can be held against each other at the same criteria.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.rubric_criteria import FEWEST_WORDS, FIRST_WORDS
from blade.questions import SURE, close_pairs, judged
from blade.stats.multiple import benjamini_hochberg
from blade.stats.odds import odds_change_p
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p
from blade.wording import amount, count, fact, percent, printable

TITLE = "Kinds of criteria that one run meets and another misses"
ORDER = 33
WEIGHT = 1.4
FEWEST_TASKS = 5
APART = 0.15
UNLIKE = 0.05
"""The difference at these criteria must be another one than at the rest, corrected for the kinds tried."""
MOST, MOST_PAIRS = 4, 3
_PATH = ("investigation", "kinds_of_criteria", "kinds")
Outcomes = list[tuple[str, Case, bool]]
"""Task and place of a criterion, the rollout, and whether it meets it."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The kinds in which two runs lie apart, further than in all other criteria, those with most criteria first."""
    outcomes = {run.run.name: _by_kind(judged(run)) for run in runs}
    tested: list[tuple[dict[str, Any], float, float]] = []
    for first, second in close_pairs(runs, MOST_PAIRS):
        tested += _tested(first.run.name, second.run.name, outcomes[first.run.name], outcomes[second.run.name])
    inside = benjamini_hochberg([p for _, p, _ in tested])
    elsewhere = benjamini_hochberg([p for *_, p in tested])
    kinds = [
        {**entry, "p": significant(p, WRITTEN)}
        for (entry, *_), p, unlike in zip(tested, inside, elsewhere, strict=True)
        if p <= SURE and unlike <= UNLIKE and abs(_rate(entry["first"]) - _rate(entry["second"])) >= APART
    ]
    kinds.sort(key=lambda entry: (-entry["tasks"], entry["runs"], -len(entry["words"]), entry["words"]))
    return {"kinds": list(_distinct(kinds))[:MOST]} if kinds else None


def _by_kind(cases: Sequence[Case]) -> dict[str, Outcomes]:
    """The first words of criteria, from four to six of them, and the criteria that begin so; under "" all."""
    kinds: defaultdict[str, Outcomes] = defaultdict(list)
    for case in cases:
        for place, (words, passed) in enumerate(case.observed.get("criteria", ())):
            entry = (f"{case.key} {place}", case, bool(passed))
            parts = words.split(" ")
            for length in range(FEWEST_WORDS, min(len(parts), FIRST_WORDS) + 1):
                kinds[" ".join(parts[:length])].append(entry)
            kinds[""].append(entry)
    return dict(kinds)


def _tested(
    first: str, second: str, own: Mapping[str, Outcomes], others: Mapping[str, Outcomes]
) -> Iterator[tuple[dict[str, Any], float, float]]:
    """Every kind of several tasks of both runs, the exact test in it, and that against all other criteria."""
    total = _total(own.get("", ()), others.get("", ()))
    for words in sorted(own.keys() & others.keys() - {""}):
        tasks = {case.key for _, case, _ in own[words]} & {case.key for _, case, _ in others[words]}
        if len(tasks) < FEWEST_TASKS:
            continue
        p = exact_p(_tables(own[words], others[words]))
        inside = _total(own[words], others[words])
        if p is None:
            continue
        rest = (total[0] - inside[0], total[1] - inside[1], total[2] - inside[2], total[3] - inside[3])
        entry = {
            "words": words,
            "runs": [first, second],
            "tasks": len(tasks),
            "first": [inside[0], inside[0] + inside[1]],
            "second": [inside[2], inside[2] + inside[3]],
            "first_rest": [rest[0], rest[0] + rest[1]],
            "second_rest": [rest[2], rest[2] + rest[3]],
        }
        yield entry, p, odds_change_p(inside, rest)


def _total(own: Sequence[tuple[str, Case, bool]], others: Sequence[tuple[str, Case, bool]]) -> Table:
    met, other_met = (sum(passed for *_, passed in outcomes) for outcomes in (own, others))
    return met, len(own) - met, other_met, len(others) - other_met


def _tables(own: Outcomes, others: Outcomes) -> list[Table]:
    """Per criterion what both runs make of it."""
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for offset, outcomes in ((0, own), (2, others)):
        for criterion, _, passed in outcomes:
            counts[criterion][offset + (not passed)] += 1
    return [(a, b, c, d) for a, b, c, d in counts.values()]


def _rate(outcome: Sequence[int]) -> float:
    return outcome[0] / outcome[1] if outcome[1] else 0.0


def _distinct(kinds: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Of beginnings that hold the same criteria the longest."""
    counts: set[tuple[Any, ...]] = set()
    for entry in kinds:
        numbers = (*entry["runs"], *entry["first"], *entry["second"])
        if numbers not in counts:
            counts.add(numbers)
            yield entry


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["kinds"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(0, answer["kinds"][0])


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_PATH, place)
    better, worse = ("first", "second") if _rate(entry["first"]) >= _rate(entry["second"]) else ("second", "first")
    names = dict(zip(("first", "second"), entry["runs"], strict=True))
    return say(
        "Criteria that begin “{words} …” ({tasks}): {better} meets {met} of {of} ({rate}), {worse} {worse_met} of "
        "{worse_of} ({worse_rate}); of all other criteria {rest} and {worse_rest} (exact test by criterion, corrected: "
        "p = {p}).",
        words=printable(entry["words"]),
        tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *at, "tasks"),
        better=names[better],
        met=amount(entry[better][0], *at, better, 0),
        of=amount(entry[better][1], *at, better, 1),
        rate=percent(_rate(entry[better])),
        worse=names[worse],
        worse_met=amount(entry[worse][0], *at, worse, 0),
        worse_of=amount(entry[worse][1], *at, worse, 1),
        worse_rate=percent(_rate(entry[worse])),
        rest=percent(_rate(entry[f"{better}_rest"])),
        worse_rest=percent(_rate(entry[f"{worse}_rest"])),
        p=fact(f"{entry['p']:.2g}", entry["p"], *at, "p"),
    )
