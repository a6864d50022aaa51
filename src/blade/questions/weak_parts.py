"""On which part of the tasks does a run fall behind the others, and what do its tools print there and nowhere else?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter
from statistics import median
from typing import Any

import numpy as np

from blade.counting.derived_slices import field_words
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import PhraseFinding, find_words, holds, printed_phrases, whole_share
from blade.document import Advice, Block, Fact, Paragraph, Quote, Sentence, say
from blade.extract.phrases import ENVIRONMENT, Numbers
from blade.frozen import frozen
from blade.questions import SURE, in_order, judged, task_levels, task_list
from blade.stats.marks import Separating
from blade.stats.multiple import benjamini_hochberg
from blade.stats.odds import odds_change, odds_change_p
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, at, count, fact, listed, percent, printable

TITLE = "Parts of the tasks where a run falls behind"
ORDER = 25
WEIGHT = 1.3
FEWEST = 8
"""Rollouts inside and outside a part."""
BEHIND = 0.2
"""So much further behind the other runs than on its other tasks, a run falls behind there."""
OFTEN, SELDOM = 0.5, 0.25
"""What most rollouts of the part print, and others so much more seldom."""
UNLIKE = 0.1
"""The share of false ones among the parts in which the odds of a run against the others are worse than elsewhere."""
ALIKE = 0.1
"""Another run that passes hardly more there is named: what several runs meet is not this one's alone."""
MOST = 4
MOST_MARKS = 40
_key = attrgetter("key")


class _Others:
    """The rollouts of all other runs, and how many pass and fail at each task: every part asks for it."""

    def __init__(self, cases: list[Case]) -> None:
        self.cases = cases
        passes = Counter(case.key for case in cases if case.passed)
        self.outcomes = {key: (passes[key], many - passes[key]) for key, many in Counter(map(_key, cases)).items()}


@frozen
class _Part:
    """A run's rollouts of one level of a field, its others, and those of other runs at the same tasks and elsewhere."""

    run: str
    field: str
    level: str
    inside: list[Case]
    own: list[Case]
    """All rollouts of the run at tasks that others have, too."""
    rest: _Others

    @property
    def keys(self) -> set[str]:
        return {case.key for case in self.inside}

    @property
    def outside(self) -> list[Case]:
        keys = self.keys
        return [case for case in self.own if case.key not in keys]

    @property
    def others(self) -> list[Case]:
        keys = self.keys
        return [case for case in self.rest.cases if case.key in keys]

    @property
    def others_outside(self) -> list[Case]:
        keys = {case.key for case in self.outside}
        return [case for case in self.rest.cases if case.key in keys]

    @property
    def behind(self) -> float:
        """How much further behind the others inside than outside."""
        return _rate(self.others) - _rate(self.inside) - (_rate(self.others_outside) - _rate(self.outside))

    @property
    def further_p(self) -> float:
        """How far the odds against the others are worse inside: who fails nearly everything is behind everywhere."""
        inside = (*_outcomes(self.inside), *_outcomes(self.others))
        outside = (*_outcomes(self.outside), *_outcomes(self.others_outside))
        return odds_change_p(inside, outside) if odds_change(inside, outside) < 0 else 1.0

    def p(self) -> float | None:
        """The exact test of the run against the others on these tasks, tasks kept apart."""
        tables: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        for case in self.inside:
            tables[case.key][not case.passed] += 1
        return exact_p([(a, b, *self.rest.outcomes[key]) for key, (a, b) in tables.items()])


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The parts in which a run falls behind, those with the most lost passes first."""
    if len(runs) < 2:
        return None
    tested = [(part, p) for part in _parts(runs) if (p := part.p()) is not None]
    adjusted = benjamini_hochberg([p for _, p in tested])
    worse = chain.from_iterable(
        benjamini_hochberg([part.further_p for part, _ in of_run])
        for _, of_run in groupby(tested, lambda pair: pair[0].run)
    )
    behind = [
        (part, significant(p, WRITTEN))
        for (part, _), p, unlike in zip(tested, adjusted, worse, strict=True)
        if p <= SURE and unlike <= UNLIKE and part.behind >= BEHIND and _rate(part.others) > _rate(part.inside)
    ]
    behind.sort(key=lambda pair: (-_lost(pair[0]), pair[0].run, pair[0].field, pair[0].level))
    parts = list(_distinct(behind))
    if not parts:
        return None
    printed = printed_phrases(runs)
    return {"parts": [_entry(part, p, printed) for part, p in parts[:MOST]], "left_out": len(parts[MOST:])}


def _rate(cases: Sequence[Case]) -> float:
    return sum(bool(case.passed) for case in cases) / len(cases) if cases else 0.0


def _outcomes(cases: Sequence[Case]) -> tuple[int, int]:
    passes = sum(bool(case.passed) for case in cases)
    return passes, len(cases) - passes


def _lost(part: _Part) -> float:
    return len(part.inside) * (_rate(part.others) - _rate(part.inside))


def _parts(runs: Sequence[RunCases]) -> Iterator[_Part]:
    cases = {run.run.name: judged(run) for run in runs}
    for run in runs:
        name = run.run.name
        rest = _Others([case for other, rows in cases.items() if other != name for case in rows])
        own = [case for case in cases[name] if case.key in rest.outcomes]
        levels = task_levels(run)
        for field in sorted({field for of_task in levels.values() for field in of_task}):
            groups: defaultdict[str, list[Case]] = defaultdict(list)
            for case in own:
                if (level := levels.get(case.key, {}).get(field)) is not None:
                    groups[level].append(case)
            for level, inside in sorted(groups.items()):
                if min(len(inside), len(own) - len(inside)) >= FEWEST:  # the rollouts of a task have one level
                    yield _Part(name, field, level, inside, own, rest)


def _distinct(found: Sequence[tuple[_Part, float]]) -> Iterator[tuple[_Part, float]]:
    """Of several names for much the same rollouts of a run the first."""
    told: list[tuple[str, set[int]]] = []
    for part, p in found:
        mine = {id(case) for case in part.inside}
        if not any(run == part.run and 2 * len(mine & theirs) > min(len(mine), len(theirs)) for run, theirs in told):
            told.append((part.run, mine))
            yield part, p


def _entry(part: _Part, p: float, printed: Mapping[int, tuple[Numbers, int]]) -> dict[str, Any]:
    return {
        "run": part.run,
        "field": part.field,
        "level": part.level,
        "tasks": in_order(case.label for case in part.inside),
        **_counts("inside", part.inside),
        **_counts("outside", part.outside),
        **_counts("others", part.others),
        **_counts("others_outside", part.others_outside),
        "alike": list(_alike(part)),
        "p": p,
        "text": _text(part, printed),
    }


def _alike(part: _Part) -> Iterator[dict[str, Any]]:
    """The other runs that fall behind there, too."""
    by_run: defaultdict[str, list[Case]] = defaultdict(list)
    for case in part.others:
        by_run[case.run].append(case)
    limit = min(_rate(part.inside) + ALIKE, _rate(part.others) - BEHIND)
    for run, cases in by_run.items():
        if _rate(cases) <= limit:
            yield {"run": run, **_counts("rollouts", cases)}


def _counts(name: str, cases: Sequence[Case]) -> dict[str, int]:
    return {name: len(cases), f"{name}_passes": sum(bool(case.passed) for case in cases)}


def _text(part: _Part, printed: Mapping[int, tuple[Numbers, int]]) -> dict[str, Any] | None:
    """What most rollouts of the part print, and hardly any of its other tasks or of the usual other run there."""
    marks, many = np.unique(np.concatenate([printed[id(case)][0] for case in part.inside]), return_counts=True)
    often = many >= OFTEN * len(part.inside)
    by_run: defaultdict[str, list[Case]] = defaultdict(list)
    for case in part.others:
        by_run[case.run].append(case)
    candidates = []
    for mark, rows in zip(marks[often].tolist(), many[often].tolist(), strict=True):
        most = SELDOM * rows / len(part.inside)
        usual = median(_share(mark, cases, printed) for cases in by_run.values())
        if usual <= most and _share(mark, part.outside, printed) <= most:
            candidates.append(mark)
    everyone = [*part.inside, *part.outside, *part.others]
    limits = [printed[id(case)][1] for case in everyone]
    members = [_separating(mark, part, printed) for mark in candidates]
    members.sort(key=lambda entry: (-len(entry.rows), entry.mark))
    if not members:
        return None
    best = [entry for entry in members if len(entry.rows) >= 0.9 * len(members[0].rows)][:MOST_MARKS]
    finding = PhraseFinding(ENVIRONMENT, best, everyone, np.array(limits, np.int64), best[0])
    if not find_words([finding]):
        return None
    mark = finding.chosen.mark
    if max(median(whole_share(mark, cases) for cases in by_run.values()), whole_share(mark, part.outside)) > SELDOM:
        return None
    return _told(mark, finding, part, by_run, printed)


def _share(mark: int, cases: Sequence[Case], printed: Mapping[int, tuple[Numbers, int]]) -> float:
    known = [case for case in cases if printed[id(case)][1] > mark]
    return sum(holds(printed[id(case)][0], mark) for case in known) / len(known) if known else 1.0


def _separating(mark: int, part: _Part, printed: Mapping[int, tuple[Numbers, int]]) -> Separating:
    rows = tuple(place for place, case in enumerate(part.inside) if holds(printed[id(case)][0], mark))
    return Separating(mark, rows, -1.0, 0.0, 0.0)


def _told(
    mark: int,
    finding: PhraseFinding,
    part: _Part,
    by_run: Mapping[str, Sequence[Case]],
    printed: Mapping[int, tuple[Numbers, int]],
) -> dict[str, Any]:
    having = [case for case in part.inside if holds(printed[id(case)][0], mark)]
    others = {run: [case for case in cases if holds(printed[id(case)][0], mark)] for run, cases in by_run.items()}
    case, cite = finding.example, finding.cite
    quote = {}
    if case is not None and cite is not None:
        quote = {
            "quote": printable(cite.quote),
            "place": f"{case.run}, task {case.label}, attempt {case.attempt}, item {cite.item}",
            "evidence": case.evidence(cite).sha256,
        }
    return {
        "words": printable(finding.words),
        **_counts("rollouts", having),
        "outside": sum(holds(printed[id(case)][0], mark) for case in part.outside),
        "runs": [
            {"run": run, "of": len(by_run[run]), **_counts("rollouts", cases)} for run, cases in sorted(others.items())
        ],
        **quote,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, part in enumerate(answer["parts"]):
        blocks.append(Paragraph(tuple(_sentences(place, part))))
        if part["text"] and part["text"].get("quote"):
            blocks.append(Quote(part["text"]["quote"], part["text"]["place"], at(*_at(place), "text", "quote")))
    if answer["left_out"]:
        words = count(answer["left_out"], "more part is", "more parts are")
        path = ("investigation", "weak_parts", "left_out")
        blocks.append(Paragraph((say("{more} left out.", more=fact(words, answer["left_out"], *path)),)))
    return blocks


def _sentences(place: int, part: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _where(place, part, tasks=f" ({task_list(part['tasks'])})")
    text = part["text"]
    if not text:
        return
    path = (*_at(place), "text")
    yield say(
        "There its tools and programs print “{words}” in {rollouts} of {all}, {passes} of which {pass_word}, and in "
        "{outside} of its {others} others.",
        words=text["words"],
        rollouts=amount(text["rollouts"], *path, "rollouts"),
        all=amount(part["inside"], *_at(place), "inside"),
        passes=fact(
            f"{text['rollouts_passes']:,}" if text["rollouts_passes"] else "none",
            text["rollouts_passes"],
            *path,
            "rollouts_passes",
        ),
        pass_word="passes" if text["rollouts_passes"] < 2 else "pass",
        outside=amount(text["outside"], *path, "outside"),
        others=amount(part["outside"], *_at(place), "outside"),
    )
    shown = [
        f"{entry['run']} {entry['rollouts']:,} of {entry['of']:,}"
        + (f" ({entry['rollouts_passes']:,} pass)" if entry["rollouts_passes"] else "")
        for entry in text["runs"]
    ]
    yield say(
        "At the same tasks: {runs}. What only one run meets there may be its own doing, or that of its prompt, "
        "harness or environment.",
        runs="; ".join(shown),
    )


def _where(place: int, part: Mapping[str, Any], tasks: str = "") -> Sentence:
    path = _at(place)
    return say(
        "{run} passes {inside_passes} of {inside} ({inside_rate}) where {field} is {level}{tasks}, the other runs "
        "{others_passes} of {others} ({others_rate}{alike}) at the same tasks; on its other tasks it passes "
        "{outside_passes} of {outside} ({outside_rate}), they {others_outside_passes} of {others_outside} "
        "({others_outside_rate}; exact test p = {p}).",
        run=part["run"],
        field=field_words(part["field"]),
        level=part["level"],
        tasks=tasks,
        alike=_alike_words(part["alike"]),
        p=fact(f"{part['p']:.2g}", part["p"], *path, "p"),
        **_rates(part, path),
    )


def _alike_words(runs: Sequence[Mapping[str, Any]]) -> str:
    words = [f"{entry['run']} only {entry['rollouts_passes']:,} of {entry['rollouts']:,}" for entry in runs]
    return f", of these {listed(words)}" if words else ""


def _rates(part: Mapping[str, Any], path: tuple[str | int, ...]) -> dict[str, Fact | str]:
    rates: dict[str, Fact | str] = {}
    for name in ("inside", "others", "outside", "others_outside"):
        passes = f"{name}_passes"
        rates[name] = amount(part[name], *path, name)
        rates[passes] = amount(part[passes], *path, passes)
        rates[f"{name}_rate"] = percent(part[passes] / part[name]) if part[name] else "none"
    return rates


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The part that costs the most, and what is printed there."""
    for place, part in enumerate(answer["parts"][:1]):
        yield _where(place, part)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Repair what one run alone meets: at most it gains what the other runs pass at the same tasks."""
    for place, part in enumerate(answer["parts"]):
        text = part["text"]
        if not text or not part["others"]:
            continue
        failures = text["rollouts"] - text["rollouts_passes"]
        path = _at(place)
        yield Advice(
            "harness",
            f"Find out why {part['run']} alone meets this so often where {field_words(part['field'])} is "
            f"{part['level']}: by what it does there, or by its prompt, harness or environment",
            say(
                "There its tools and programs print “{words}” in {rollouts} of {inside}, {passes} of which {pass_word}"
                "; the other runs pass {others_rate} at the same tasks, the most that this can gain.",
                words=text["words"],
                rollouts=amount(text["rollouts"], *path, "text", "rollouts"),
                inside=fact(count(part["inside"], "rollout"), part["inside"], *path, "inside"),
                passes=amount(text["rollouts_passes"], *path, "text", "rollouts_passes"),
                pass_word="passes" if text["rollouts_passes"] == 1 else "pass",
                others_rate=percent(part["others_passes"] / part["others"]),
            ),
            failures,
            part["others_passes"] / part["others"],
        )


def _at(place: int) -> tuple[str | int, ...]:
    return ("investigation", "weak_parts", "parts", place)
