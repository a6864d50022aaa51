"""Do words of a prompt that one run alone has come back in what its model says, and how do they end?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from blade.change.config_diff import prompt_lines, usual_prompt
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import PhraseFinding, find_words
from blade.document import Advice, Block, Paragraph, Quote, Sentence, say
from blade.extract.phrases import MODEL, packed, unpacked
from blade.extract.text import clip
from blade.frozen import frozen
from blade.questions import SURE, in_order, judged, task_list
from blade.stats.marks import Separating
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, at, count, fact, listed, printable

TITLE = "Words of a prompt in what the model says"
ORDER = 70
WEIGHT = 1.1
FEWEST, FEWEST_TASKS = 5, 3
RARER = 0.25
"""So much as often, at most, do runs without the line say its words."""
MOST_LINES, MOST_TOLD, MOST_MARKS = 20, 4, 20
SHORTEST, SHORT, LONGEST = 20, 80, 200
LIKELY = 0.5
_PATH = ("investigation", "prompt_echoes")


class _Spoken:
    """The phrases of the model in the judged rollouts of a run: who says which, and how far each one's are kept."""

    def __init__(self, run: RunCases) -> None:
        kept = zip(run.cases, run.run.graded[MODEL].to_list(), strict=True)
        by_case = {id(case): unpacked(numbers) for case, numbers in kept}
        self._cases = judged(run)
        marks = [by_case[id(case)][0] for case in self._cases]
        self.limits = {identity: limit for identity, (_, limit) in by_case.items()}
        numbers = np.concatenate([np.zeros(0, np.uint32), *marks])
        by_number = np.argsort(numbers, kind="stable")
        self._numbers = numbers[by_number]
        self._owners = np.repeat(np.arange(len(marks)), [*map(len, marks)] or 0)[by_number]

    def saying(self, mark: int) -> list[Case]:
        """The rollouts whose model says one phrase."""
        first, last = (int(np.searchsorted(self._numbers, np.uint32(mark), side=side)) for side in ("left", "right"))
        return [self._cases[place] for place in self._owners[first:last].tolist()]


Said = Mapping[str, _Spoken]
"""Run → what its model says."""


@frozen
class _Echo:
    """A line that stands in the prompts of some runs alone, and the rollouts of one of them that say its words."""

    line: str
    run: RunCases
    cases: tuple[Case, ...]
    marks: tuple[int, ...]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The lines of which words come back in one run and go with passing or failing there."""
    prompts = {run.run.name: usual_prompt(run.run) for run in runs} if len(runs) > 1 else {}
    if len({prompt for prompt in prompts.values() if prompt}) < 2:
        return None
    said = {run.run.name: _Spoken(run) for run in runs}
    tested: list[tuple[_Echo, dict[str, Any], float]] = []
    for run in runs:
        others = [other for other in runs if prompts[other.run.name] and other is not run]
        for line in _own_lines([prompts[one.run.name] for one in (run, *others)]):
            without = [other for other in others if line not in prompts[other.run.name]]
            echo = _echo(line, run, without, prompts, said)
            p = None if echo is None else _against(echo, without)
            if echo is not None and p is not None and _differs_inside(entry := _entry(echo, without, said)):
                tested.append((echo, entry, p))
    adjusted = benjamini_hochberg([p for *_, p in tested])
    sure = [(echo, entry, p) for (echo, entry, _), p in zip(tested, adjusted, strict=True) if p <= SURE]
    sure.sort(key=lambda item: (item[2], item[1]["run"], item[1]["line"]))
    lines = [entry | _quoted(echo, said) | {"p": significant(p, WRITTEN)} for echo, entry, p in sure[:MOST_TOLD]]
    return {"lines": lines} if lines else None


def _own_lines(prompts: Sequence[str]) -> list[str]:
    """The lines of the first prompt that at least one of the others has not."""
    lines = (line.strip() for line in prompt_lines(prompts)[0])
    own = {line: None for line in lines if len(line) >= SHORTEST and any(line not in other for other in prompts[1:])}
    return list(own)[:MOST_LINES]


def _echo(
    line: str, run: RunCases, without: Sequence[RunCases], prompts: Mapping[str, str], said: Said
) -> _Echo | None:
    """The rollouts of the run whose model says three words of the line that runs without it seldom say."""
    other_marks = {mark for other in without for mark in _marks_of(prompts[other.run.name])}
    own = {mark: said[run.run.name].saying(mark) for mark in _marks_of(line) if mark not in other_marks}
    rare = {
        mark: cases
        for mark, cases in own.items()
        if cases
        and all(_share(said[other.run.name].saying(mark), other) <= RARER * _share(cases, run) for other in without)
    }
    having = {id(case): case for cases in rare.values() for case in cases}
    if len(having) < FEWEST or len({case.key for case in having.values()}) < FEWEST_TASKS:
        return None
    marks = sorted(rare, key=lambda mark: (-len(rare[mark]), mark))
    return _Echo(line, run, tuple(case for case in judged(run) if id(case) in having), tuple(marks))


def _against(echo: _Echo, without: Sequence[RunCases]) -> float | None:
    """The rollouts that say the words against those of the other runs, task by task."""
    outcomes = Counter((case.key, True, bool(case.passed)) for case in echo.cases)
    outcomes.update((case.key, False, bool(case.passed)) for other in without for case in judged(other))
    tasks = {case.key for case in echo.cases}
    cells = ((True, True), (True, False), (False, True), (False, False))
    tables = [[outcomes[task, *cell] for cell in cells] for task in sorted(tasks)]
    return exact_p([(saying, failing, passing, rest) for saying, failing, passing, rest in tables])


def _differs_inside(entry: Mapping[str, Any]) -> bool:
    """Whether the run's other rollouts end otherwise: of a run that fails anyhow the words tell nothing."""
    there = sum(other["rollouts"] for other in entry["others"])
    passes_there = sum(other["passes"] for other in entry["others"])
    worse_than_others = entry["passes"] * there < passes_there * entry["rollouts"]
    worse_inside = entry["passes"] * entry["without"] < entry["without_passes"] * entry["rollouts"]
    better_inside = entry["passes"] * entry["without"] > entry["without_passes"] * entry["rollouts"]
    return bool(worse_inside if worse_than_others else better_inside)


def _marks_of(text: str) -> list[int]:
    (numbers,) = packed([text.encode("utf-8", errors="replace")])
    return [int(number) for number in unpacked(numbers)[0]]


def _share(cases: Sequence[Case], run: RunCases) -> float:
    return len(cases) / max(len(judged(run)), 1)


def _entry(echo: _Echo, without: Sequence[RunCases], said: Said) -> dict[str, Any]:
    """How rollouts with and without these words end, and how the other runs end at the same tasks."""
    saying = {id(case) for case in echo.cases}
    other_cases = [case for case in judged(echo.run) if id(case) not in saying]
    tasks = {case.key for case in echo.cases}
    others = []
    for other in without:
        alike = [case for case in judged(other) if case.key in tasks]
        saying_there = {id(case) for mark in echo.marks for case in said[other.run.name].saying(mark)}
        echoes = [case for case in alike if id(case) in saying_there]
        others.append({"run": other.run.name, "rollouts": len(alike), "passes": _passes(alike), "echoes": len(echoes)})
    return {
        "run": echo.run.run.name,
        "line": clip(echo.line, LONGEST),
        "rollouts": len(echo.cases),
        "passes": _passes(echo.cases),
        "failures": len(echo.cases) - _passes(echo.cases),
        "without": len(other_cases),
        "without_passes": _passes(other_cases),
        "tasks": in_order(case.label for case in echo.cases),
        "others": others,
    }


def _passes(cases: Sequence[Case]) -> int:
    return sum(bool(case.passed) for case in cases)


def _quoted(echo: _Echo, said: Said) -> dict[str, Any]:
    """The words that most of the rollouts say, and one place where they stand."""
    everyone = list(echo.cases)
    own = said[echo.run.run.name]
    limits = np.array([own.limits[id(case)] for case in everyone], np.int64)
    places = {id(case): place for place, case in enumerate(everyone)}
    rows = {
        mark: tuple(places[id(case)] for case in own.saying(mark) if id(case) in places)
        for mark in echo.marks[:MOST_MARKS]
    }
    members = [Separating(mark, places, -1.0, 0.0, 0.0) for mark, places in rows.items()]
    finding = PhraseFinding(MODEL, members, everyone, limits, members[0])
    if not find_words([finding]) or finding.example is None or finding.cite is None:
        return {"words": "", "quote": "", "place": ""}
    case, cite = finding.example, finding.cite
    place = f"{case.run}, task {case.label}, attempt {case.attempt}, item {cite.item}"
    return {"words": printable(finding.words), "quote": printable(cite.quote), "place": place}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, entry in enumerate(answer["lines"]):
        blocks.append(Paragraph(tuple(_sentences(place, entry))))
        if entry["quote"]:
            blocks.append(Quote(entry["quote"], entry["place"], at(*_PATH, "lines", place, "quote")))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["lines"][0]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "lines", place)
    rates = [
        f"{other['run']} passes {other['passes']:,} of {other['rollouts']:,}"
        + (f" (and says them in {other['echoes']:,})" if other["echoes"] else "")
        for other in entry["others"]
        if other["rollouts"]
    ]
    yield say(
        "The model of {run} says words of a line of its prompt that {lacking} not have, “{line}”, in "
        "{rollouts}{words}: {passes} of "
        "them {verb}. At the same tasks ({tasks}) {others} (p = {p}, by tasks).",
        words=f" (“{entry['words']}”)" if entry["words"] else "",
        run=entry["run"],
        line=entry["line"],
        lacking=_lacking(entry["others"]),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        passes=fact(f"{entry['passes']:,}" if entry["passes"] else "none", entry["passes"], *path, "passes"),
        verb="pass" if entry["passes"] > 1 else "passes",
        tasks=task_list(entry["tasks"]),
        others=listed(rates),
        p=f"{entry['p']:.2g}",
    )
    yield say(
        "Of the other {without} of {run}, {without_passes} pass.",
        run=entry["run"],
        without=fact(count(entry["without"], "judged rollout"), entry["without"], *path, "without"),
        without_passes=amount(entry["without_passes"], *path, "without_passes"),
    )


def _lacking(others: Sequence[Mapping[str, Any]]) -> str:
    runs = [other["run"] for other in others]
    return f"{listed(runs)} {'does' if len(runs) == 1 else 'do'}"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """A line whose words end in failures is read against the rest of the prompt."""
    for place, entry in enumerate(answer["lines"]):
        failures = entry["failures"]
        if failures > entry["passes"]:
            yield Advice(
                "prompt",
                f"Read the line “{clip(entry['line'], SHORT)}” of the prompt of {entry['run']} against its other lines "
                "and the keys of these tasks, and say what it does not forbid",
                say(
                    "{failures} of the {rollouts} that say its words fail.",
                    failures=fact(f"{failures:,}", failures, *_PATH, "lines", place, "failures"),
                    rollouts=fact(
                        count(entry["rollouts"], "rollout"), entry["rollouts"], *_PATH, "lines", place, "rollouts"
                    ),
                ),
                failures,
                LIKELY,
            )
