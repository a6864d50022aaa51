"""What does one run do, or get to see, in rollouts that pass, and another one seldom does at the same tasks?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.features import likely_phrases
from blade.diagnosis.phrases import PhraseFinding, find_words, has_words
from blade.document import Block, Paragraph, Quote, Sentence, say
from blade.extract.phrases import CALLS, ENVIRONMENT, MODEL, THOUGHTS
from blade.frozen import frozen
from blade.questions import SURE, by_task, in_order, judged, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, at, count, fact, printable

TITLE = "What a run leaves and the better one does"
ORDER = 16
WEIGHT = 1.3
FEWEST, FEWEST_TASKS = 8, 4
"""Rollouts of the better run that hold a phrase, and tasks at which either run does."""
OFTENER = 0.25
"""By so much of its rollouts at these tasks more of the better run hold it."""
SAME_ROWS = 0.5
BETTER = 0.3
"""By so much more often rollouts pass there that hold it."""
MOST_RUNS, MOST_TESTED, MOST_MEMBERS, MOST = 6, 60, 12, 4
_PATH = ("investigation", "left_by_a_run", "phrases")
_WORDS = {
    ENVIRONMENT: "a tool shows “{words}”",
    CALLS: "a call holds “{words}”",
    MODEL: "the model says “{words}”",
    THOUGHTS: "the model thinks “{words}”",
}

Outcomes = tuple[int, int]
"""Passes and rollouts."""


@frozen
class _LeftPhrase:
    """A phrase that goes with passing, at the tasks at which one of two runs holds it."""

    finding: PhraseFinding
    better: str
    worse: str
    tasks: tuple[str, ...]
    having: tuple[Outcomes, Outcomes]
    """Of the better and of the worse run those that hold it."""
    lacking: tuple[Outcomes, Outcomes]
    p: float

    def is_telling(self) -> bool:
        (own, other), (own_left, other_left) = self.having, self.lacking
        if own[1] < FEWEST or len(self.tasks) < FEWEST_TASKS or not own_left[1] + other_left[1]:
            return False
        oftener = own[1] / (own[1] + own_left[1]) - other[1] / (other[1] + other_left[1])
        rates = [(first[0] + second[0]) / (first[1] + second[1]) for first, second in (self.having, self.lacking)]
        ahead = (own[0] + own_left[0]) / (own[1] + own_left[1]) - (other[0] + other_left[0]) / (
            other[1] + other_left[1]
        )
        return oftener >= OFTENER and rates[0] - rates[1] >= BETTER and ahead > 0


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Phrases that go with passing and that the run with fewer passes seldom holds, with both outcomes."""
    if not 1 < len(runs) <= MOST_RUNS:
        return None
    cases = [case for run in runs for case in judged(run)]
    findings = [single for finding in likely_phrases(runs, cases) for single in _singles(finding)][:MOST_TESTED]
    tasks = {run.run.name: by_task(judged(run)) for run in runs}
    left = [
        phrase
        for finding in findings
        for pair in combinations(tasks, 2)
        if (phrase := _of_pair(finding, pair, tasks)) is not None
    ]
    adjusted = benjamini_hochberg([phrase.p for phrase in left])
    clear = [(phrase, p) for phrase, p in zip(left, adjusted, strict=True) if p <= SURE and phrase.is_telling()]
    clear.sort(key=lambda entry: (entry[1], entry[0].finding.chosen.p, entry[0].better, entry[0].worse))
    find_words([phrase.finding for phrase, _ in clear])
    told = _different([(phrase, p) for phrase, p in clear if has_words(phrase.finding.words)])
    return {"phrases": [_entry(phrase, p) for phrase, p in told[:MOST]]} if told else None


def _different(phrases: Sequence[tuple[_LeftPhrase, float]]) -> list[tuple[_LeftPhrase, float]]:
    """Of phrases of one pair of runs in much the same rollouts the first."""
    told: list[tuple[_LeftPhrase, float]] = []
    for phrase, p in phrases:
        rows = phrase.finding.rows
        if not any(
            (phrase.better, phrase.worse) == (one.better, one.worse)
            and len(rows & one.finding.rows) > SAME_ROWS * min(len(rows), len(one.finding.rows))
            for one, _ in told
        ):
            told.append((phrase, p))
    return told


def _singles(finding: PhraseFinding) -> Iterator[PhraseFinding]:
    """Each phrase of a finding that goes with passing by itself: the tasks at which it stands differ."""
    for member in finding.members[:MOST_MEMBERS] if finding.actor in _WORDS else ():
        if member.effect > 0 and len(member.rows) >= FEWEST:
            yield PhraseFinding(finding.actor, [member], finding.everyone, finding.limits, member)


def _of_pair(
    finding: PhraseFinding, pair: tuple[str, str], tasks: Mapping[str, Mapping[str, Sequence[Case]]]
) -> _LeftPhrase | None:
    holding = {id(case) for case in finding.cases}
    keys = sorted(
        {case.key for case in finding.cases if case.run in pair} & tasks[pair[0]].keys() & tasks[pair[1]].keys()
    )
    if not keys:
        return None
    counts: dict[tuple[str, bool], list[int]] = defaultdict(lambda: [0, 0])
    tables = []
    for key in keys:
        table = []
        for name in pair:
            for has in (True, False):
                rollouts = [case for case in tasks[name][key] if (id(case) in holding) is has]
                counts[name, has][0] += sum(bool(case.passed) for case in rollouts)
                counts[name, has][1] += len(rollouts)
                table.append(len(rollouts))
        tables.append((table[0], table[1], table[2], table[3]))
    p = exact_p(tables)
    if p is None:
        return None
    better, worse = sorted(pair, key=lambda name: (-_share(counts[name, True], counts[name, False]), name))
    having, lacking = (
        ((counts[better, has][0], counts[better, has][1]), (counts[worse, has][0], counts[worse, has][1]))
        for has in (True, False)
    )
    labels = in_order({case.label for key in keys for case in tasks[better][key]})
    return _LeftPhrase(finding, better, worse, tuple(labels), having, lacking, p)


def _share(having: Sequence[int], lacking: Sequence[int]) -> float:
    """How many of the rollouts hold it."""
    return having[1] / max(having[1] + lacking[1], 1)


def _entry(phrase: _LeftPhrase, p: float) -> dict[str, Any]:
    finding = phrase.finding
    entry = {
        "actor": finding.actor,
        "words": printable(finding.words),
        "tasks": list(phrase.tasks),
        "runs": [
            {
                "run": run,
                "rollouts": having[1],
                "passes": having[0],
                "others": lacking[1],
                "other_passes": lacking[0],
            }
            for run, having, lacking in zip((phrase.better, phrase.worse), phrase.having, phrase.lacking, strict=True)
        ],
        "p": significant(p, WRITTEN),
    }
    if finding.example is not None and finding.cite is not None:
        case = finding.example
        place = f"{case.run}, task {case.label}, attempt {case.attempt}, item {finding.cite.item}"
        entry |= {"quote": finding.cite.quote, "place": place}
    return entry


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, entry in enumerate(answer["phrases"]):
        blocks.append(Paragraph((_words(place, entry),)))
        if entry.get("quote"):
            blocks.append(Quote(entry["quote"], entry["place"], at(*_PATH, place, "quote")))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The surest of them: what the better run does otherwise."""
    yield _words(0, answer["phrases"][0])


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, place)
    better, worse = entry["runs"]
    having, lacking = (
        [
            fact(f"{run[passes]:,} of {run[rollouts]:,}", run[passes], *path, "runs", number, passes)
            for number, run in enumerate(entry["runs"])
        ]
        for passes, rollouts in (("passes", "rollouts"), ("other_passes", "others"))
    )
    return say(
        "At {tasks} ({names}) "
        + _WORDS[entry["actor"]]
        + " in {own} of {own_all} of {better} and in {other} of {other_all} of {worse} (exact test within tasks, "
        "corrected: p = {p}); with it {own_passes} and {other_passes} pass, without it {own_left} and {other_left}.",
        tasks=fact(count(len(entry["tasks"]), "task"), len(entry["tasks"]), *path, "tasks"),
        names=task_list(entry["tasks"]),
        words=entry["words"],
        own=amount(better["rollouts"], *path, "runs", 0, "rollouts"),
        own_all=count(better["rollouts"] + better["others"], "rollout"),
        better=better["run"],
        other=amount(worse["rollouts"], *path, "runs", 1, "rollouts"),
        other_all=f"{worse['rollouts'] + worse['others']:,}",
        worse=worse["run"],
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        own_passes=having[0],
        other_passes=having[1],
        own_left=lacking[0],
        other_left=lacking[1],
    )
