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
from blade.extract.phrases import CALLS, ENVIRONMENT
from blade.frozen import frozen
from blade.questions import SURE, by_task, in_order, judged, outcome_p, task_list, undisturbed
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
SAME_ROWS, SAME_CALLS = 0.5, 0.8
BETTER = 0.3
"""By so much more often rollouts pass there that hold it."""
MOST_RUNS, MOST_TESTED, MOST_MEMBERS, MOST = 6, 60, 12, 4
_PATH = ("investigation", "left_by_a_run", "phrases")
TOOL = "tool"
_WORDS = {
    ENVIRONMENT: "a tool shows “{words}”",
    CALLS: "a call holds “{words}”",
    TOOL: "{words} is called and tells something",
}
"""What is done and what is seen; what a model says of it is its manner of speaking, or its answer."""

Outcomes = tuple[int, int]
"""Passes and rollouts."""


@frozen
class _Deed:
    """What some rollouts do or get to see, by their identities: a phrase, or a tool that tells them something."""

    actor: str
    name: str
    holding: frozenset[int]
    finding: PhraseFinding | None = None


@frozen
class _LeftDeed:
    """A deed that goes with passing, at the tasks at which one of two runs does it."""

    deed: _Deed
    better: str
    worse: str
    tasks: tuple[str, ...]
    having: tuple[Outcomes, Outcomes]
    """Of the better and of the worse run those that do it."""
    lacking: tuple[Outcomes, Outcomes]
    p: float
    """How likely two runs differ so by chance; for a tool, of which no other test is made, the larger of two."""

    def is_telling(self) -> bool:
        (better_having, worse_having), (better_lacking, worse_lacking) = self.having, self.lacking
        if better_having[1] < FEWEST or len(self.tasks) < FEWEST_TASKS or not better_lacking[1] + worse_lacking[1]:
            return False
        better_rollouts, worse_rollouts = better_having[1] + better_lacking[1], worse_having[1] + worse_lacking[1]
        oftener = better_having[1] / better_rollouts - worse_having[1] / worse_rollouts
        rates = [(first[0] + second[0]) / (first[1] + second[1]) for first, second in (self.having, self.lacking)]
        ahead = (better_having[0] + better_lacking[0]) / better_rollouts - (
            worse_having[0] + worse_lacking[0]
        ) / worse_rollouts
        return oftener >= OFTENER and rates[0] - rates[1] >= BETTER and ahead > 0


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Phrases and look-ups that go with passing and that the run with fewer passes seldom has, with both outcomes."""
    if not 1 < len(runs) <= MOST_RUNS:
        return None
    cases = [case for run in runs for case in judged(run)]
    calls = list(_answering_tools(cases))
    singles = (single for finding in likely_phrases(runs, cases) for single in _singles(finding))
    phrases = [single for single in singles if not _is_of_a_call(single, calls)][:MOST_TESTED]
    tasks = {run.run.name: by_task(undisturbed(run)) for run in runs}
    left = [
        left_deed
        for deed in (*phrases, *calls)
        for pair in combinations(tasks, 2)
        if (left_deed := _of_pair(deed, pair, tasks)) is not None
    ]
    adjusted = benjamini_hochberg([left_deed.p for left_deed in left])
    clear = [
        (left_deed, p) for left_deed, p in zip(left, adjusted, strict=True) if p <= SURE and left_deed.is_telling()
    ]
    clear.sort(key=lambda entry: (entry[1], entry[0].deed.actor, entry[0].deed.name, entry[0].better, entry[0].worse))
    find_words([left_deed.deed.finding for left_deed, _ in clear if left_deed.deed.finding is not None])
    clearest = _different(
        [
            (left_deed, p)
            for left_deed, p in clear
            if left_deed.deed.finding is None or has_words(left_deed.deed.finding.words)
        ]
    )
    return {"phrases": [_entry(left_deed, p) for left_deed, p in clearest[:MOST]]} if clearest else None


def _different(deeds: Sequence[tuple[_LeftDeed, float]]) -> list[tuple[_LeftDeed, float]]:
    """Of deeds of one pair of runs in much the same rollouts the first."""
    clearest: list[tuple[_LeftDeed, float]] = []
    for left_deed, p in deeds:
        holding = left_deed.deed.holding
        if not any(
            (left_deed.better, left_deed.worse) == (first.better, first.worse)
            and len(holding & first.deed.holding) > SAME_ROWS * min(len(holding), len(first.deed.holding))
            for first, _ in clearest
        ):
            clearest.append((left_deed, p))
    return clearest


def _is_of_a_call(phrase: _Deed, calls: Sequence[_Deed]) -> bool:
    """Whether a phrase stands in just the rollouts that a tool tells something: whatever it says, these called it."""
    return any(len(phrase.holding & call.holding) >= SAME_CALLS * len(phrase.holding | call.holding) for call in calls)


def _singles(finding: PhraseFinding) -> Iterator[_Deed]:
    """Each phrase of a finding that goes with passing by itself: the tasks at which it stands differ."""
    for member in finding.members[:MOST_MEMBERS] if finding.actor in _WORDS else ():
        if member.effect > 0 and len(member.rows) >= FEWEST:
            single = PhraseFinding(finding.actor, [member], finding.everyone, finding.limits, member)
            yield _Deed(finding.actor, str(member.mark), frozenset(map(id, single.cases)), single)


def _answering_tools(cases: Sequence[Case]) -> Iterator[_Deed]:
    """Each tool with the rollouts to which it told something."""
    answered: defaultdict[str, set[int]] = defaultdict(set)
    for case in cases:
        for tool in set(case.observed.get("answered", ())) - set(case.observed.get("nothing", ())):
            answered[tool].add(id(case))
    for tool, holding in sorted(answered.items()):
        yield _Deed(TOOL, tool, frozenset(holding))


def _of_pair(deed: _Deed, pair: tuple[str, str], tasks: Mapping[str, Mapping[str, Sequence[Case]]]) -> _LeftDeed | None:
    shared = tasks[pair[0]].keys() & tasks[pair[1]].keys()
    keys = [
        key for key in sorted(shared) if any(id(case) in deed.holding for name in pair for case in tasks[name][key])
    ]
    counts = {(name, has): [0, 0] for name in pair for has in (True, False)}
    tables = []
    for key in keys:
        table = []
        for name in pair:
            for has in (True, False):
                rollouts = [case for case in tasks[name][key] if (id(case) in deed.holding) is has]
                counts[name, has][0] += sum(bool(case.passed) for case in rollouts)
                counts[name, has][1] += len(rollouts)
                table.append(len(rollouts))
        tables.append((table[0], table[1], table[2], table[3]))
    p = exact_p(tables)
    if p is not None and deed.actor == TOOL:
        of_outcome = outcome_p([case for name in pair for key in keys for case in tasks[name][key]], deed.holding)
        p = None if of_outcome is None else max(p, of_outcome)
    if p is None:
        return None
    better, worse = sorted(pair, key=lambda name: (-_share(counts[name, True], counts[name, False]), name))
    having, lacking = (
        ((counts[better, has][0], counts[better, has][1]), (counts[worse, has][0], counts[worse, has][1]))
        for has in (True, False)
    )
    labels = in_order({case.label for key in keys for case in tasks[better][key]})
    return _LeftDeed(deed, better, worse, tuple(labels), having, lacking, p)


def _share(having: Sequence[int], lacking: Sequence[int]) -> float:
    """How many of the rollouts do it."""
    return having[1] / max(having[1] + lacking[1], 1)


def _entry(left: _LeftDeed, p: float) -> dict[str, Any]:
    finding = left.deed.finding
    entry = {
        "actor": left.deed.actor,
        "words": printable(finding.words if finding is not None else left.deed.name),
        "tasks": list(left.tasks),
        "runs": [
            {
                "run": run,
                "rollouts": having[1],
                "passes": having[0],
                "others": lacking[1],
                "other_passes": lacking[0],
            }
            for run, having, lacking in zip((left.better, left.worse), left.having, left.lacking, strict=True)
        ],
        "p": significant(p, WRITTEN),
    }
    return entry | (finding.quote if finding is not None else {})


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
        + " in {better_having} of {own_all} of {better} and in {worse_having} of {other_all} of {worse} (exact test "
        "within tasks, corrected: p = {p}); with it {own_passes} and {other_passes} pass, without it {better_lacking} "
        "and {worse_lacking}.",
        tasks=fact(count(len(entry["tasks"]), "task"), len(entry["tasks"]), *path, "tasks"),
        names=task_list(entry["tasks"]),
        words=entry["words"],
        better_having=amount(better["rollouts"], *path, "runs", 0, "rollouts"),
        own_all=count(better["rollouts"] + better["others"], "rollout"),
        better=better["run"],
        worse_having=amount(worse["rollouts"], *path, "runs", 1, "rollouts"),
        other_all=f"{worse['rollouts'] + worse['others']:,}",
        worse=worse["run"],
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        own_passes=having[0],
        other_passes=having[1],
        better_lacking=lacking[0],
        worse_lacking=lacking[1],
    )
