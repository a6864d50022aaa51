"""Sentences about runs as people write them, true and false: made from the rows by templates that were written by hand.

Rewards are read from the files themselves; what only an analysis knows (verdicts, statuses, ids of questions) comes
from it. No sentence is made by the grammar of the check.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

Saying = tuple[bool, str, str]
"""Whether it is true, its kind, and the sentence."""


@dataclass
class RunFacts:
    """What the rows of a run say, and what the analysis counts of it."""

    name: str
    model: str
    rewards: dict[str, list[float]]
    void: set[str]
    quotes: dict[str, list[str]]
    statuses: Mapping[str, int]
    cited: tuple[str, int, int] = ("", 0, 0)
    judged: int = 0
    """Rollouts that ran and got a verdict."""

    @property
    def rows(self) -> int:
        return sum(map(len, self.rewards.values()))

    @property
    def passes(self) -> int:
        return sum(int(reward >= 1) for rewards in self.rewards.values() for reward in rewards)

    def of(self, task: str) -> tuple[int, int]:
        rewards = self.rewards.get(task, [])
        return sum(int(reward >= 1) for reward in rewards), len(rewards)


@dataclass
class Package:
    runs: list[RunFacts]
    verdicts: dict[tuple[str, str], str]
    task_word: Callable[[str], str]
    dice: random.Random = field(default_factory=lambda: random.Random(7))

    @property
    def tasks(self) -> list[str]:
        return sorted({task for run in self.runs for task in run.rewards})


def read_run(path: Path, name: str, model: str, void: set[str], statuses: Mapping[str, int]) -> RunFacts:
    rewards: dict[str, list[float]] = {}
    quotes: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        task = str(row["task_id"])
        rewards.setdefault(task, []).append(float(row["reward"]))
        quotes.setdefault(task, []).extend(_sentences(row))
    return RunFacts(name, model, rewards, void, quotes, statuses)


def _sentences(row: Mapping[str, Any]) -> Iterator[str]:
    """Plain sentences of the model, long enough to be quoted."""
    for item in row["response"].get("output", []):
        if item.get("type") == "message" and item.get("role") == "assistant":
            for part in item.get("content", []):
                for line in str(part.get("text", "")).splitlines():
                    if 40 < len(line) < 120 and all(char.isalnum() or char in " ,.'-" for char in line):
                        yield line.strip()


TRUE_OF_PASS = (
    "{T} passes in {R}.",
    "{R} solves {T}.",
    "{T} is solved by {R}.",
    "In {R}, {T} succeeds.",
    "{T} always passes in {R}.",
    "{R} gets {T} right.",
    "{R} manages {T}.",
    "{T} goes through in {R}.",
    "{R} is able to solve {T}.",
    "{R} completes {T} successfully.",
    "{R} has no trouble with {T}.",
)
TRUE_OF_FAIL = (
    "{T} fails in {R}.",
    "{R} does not solve {T}.",
    "{R} never solves {T}.",
    "{T} is not solved by {R}.",
    "{T} always fails in {R}.",
    "In {R}, {T} does not pass.",
    "{R} cannot solve {T}.",
    "{T} is out of reach for {R}.",
    "{R} gets {T} wrong.",
    "{R} is unable to solve {T}.",
    "{T} remains unsolved in {R}.",
)


def task_outcomes(package: Package) -> Iterator[Saying]:
    for run in package.runs:
        for task in package.tasks:
            passes, attempts = run.of(task)
            if not attempts or task in run.void:
                continue
            words = {"T": package.task_word(task), "R": _run(package, run)}
            if passes in {0, attempts}:
                for truth, texts in ((True, TRUE_OF_PASS), (False, TRUE_OF_FAIL)):
                    yield truth == bool(passes), "outcome", _one(package, texts).format(**words)
            else:
                counts = {"p": passes, "n": attempts, "q": passes + 1 if passes + 1 < attempts else passes - 1}
                yield True, "partial", _one(package, PARTIAL).format(**words, **counts)
                yield False, "partial", _one(package, NOT_PARTIAL).format(**words, **counts)


PARTIAL = (
    "{T} passes in {p} of {n} attempts of {R}.",
    "{R} solves {T} in {p} of {n} tries.",
    "{T} is unstable in {R}: it passes {p}/{n} times.",
    "{T} sometimes passes in {R}.",
    "{T} passes at least once in {R}.",
)
NOT_PARTIAL = (
    "{T} passes in {q} of {n} attempts of {R}.",
    "{R} solves {T} in {q} of {n} tries.",
    "{T} always fails in {R}.",
    "{R} never solves {T}.",
    "{T} passes every time in {R}.",
)


def across(package: Package) -> Iterator[Saying]:
    runs = package.runs
    for task in package.tasks:
        if any(task in run.void or not run.of(task)[1] for run in runs):
            continue
        word = package.task_word(task)
        solved = [run for run in runs if run.of(task)[0]]
        every = all(run.of(task)[0] == run.of(task)[1] for run in runs)
        nobody = (
            "No run solves {T}.",
            "{T} passes in no run.",
            "{T} fails in every run.",
            "{T} is never solved by any run.",
            "Nobody solves {T}.",
            "{T} defeats every run.",
            "{T} was never passed, whatever the run.",
        )
        yield not solved, "across", _one(package, nobody).format(T=word)
        if every or not solved:
            all_of = ("{T} passes in every run.", "All runs solve {T}.", "Every run passes {T}.")
            yield every, "across", _one(package, all_of).format(T=word)
        if 0 < len(solved) < len(runs):
            winner = _one(package, solved)
            loser = _one(package, [run for run in runs if run not in solved])
            one, other = _run(package, winner), _run(package, loser)
            text = _one(
                package,
                (
                    "{A} solves {T}, {B} does not.",
                    "{T} is solved by {A} but not by {B}.",
                    "{A} passes {T} while {B} fails it.",
                ),
            )
            yield True, "across", text.format(A=one, B=other, T=word)
            yield False, "across", text.format(A=other, B=one, T=word)
        if len(solved) == 1:
            text = _one(package, ("Only {A} solves {T}.", "{T} is solved by {A} alone."))
            yield True, "across", text.format(A=_run(package, solved[0]), T=word)
            loser = _one(package, [run for run in runs if run is not solved[0]])
            yield False, "across", text.format(A=_run(package, loser), T=word)


def scores(package: Package) -> Iterator[Saying]:
    for run in package.runs:
        share = run.passes / run.rows
        for texts, true, false in (
            (
                (
                    "{R} scores {x:.1f} %.",
                    "{R} scores {x:.1f}%.",
                    "{R} reaches {x:.0f} %.",
                    "{R} lands at {x:.1f} %.",
                    "{R}: {x:.1f} %.",
                    "The score is {x:.1f} % for {R}.",
                ),
                100 * share,
                100 * share + 6,
            ),
            (("The score of {R} is {x:.3f}.", "{R} has a mean reward of {x:.3f}."), share, share - 0.08),
            (
                ("The pass rate of {R} is {x:.1f} %.", "{x:.1f} % of the rollouts of {R} pass."),
                100 * share,
                100 * share - 5,
            ),
            (
                ("{R} passes {x:.0f} of {n} rollouts.", "{x:.0f} of {n} rollouts of {R} pass."),
                run.passes,
                run.passes + 4,
            ),
            (("{R} fails {x:.0f} of its {n} rollouts.",), run.rows - run.passes, run.passes - 3),
            (("{R} has {x:.0f} rollouts.", "{R} holds {x:.0f} graded rollouts."), run.rows, run.rows + 10),
        ):
            for text in texts:
                name = _run(package, run)
                yield True, "score", text.format(R=name, x=true, n=run.rows)
                yield False, "score", text.format(R=name, x=false, n=run.rows)


BETTER = (
    "{A} scores higher than {B}.",
    "{A} is better than {B}.",
    "{B} does worse than {A}.",
    "{B} scores lower than {A}.",
    "{A} passes more rollouts than {B}.",
    "{B} trails {A}.",
    "{A} beats {B}.",
    "{A} is ahead of {B}.",
    "{A} comes out on top of {B}.",
    "{A} outperforms {B}.",
    "{B} falls short of {A}.",
    "{B} is weaker than {A}.",
    "{B} has a lower pass rate than {A}.",
    "More rollouts pass in {A} than in {B}.",
)


def comparisons(package: Package) -> Iterator[Saying]:
    for one, other in permutations(package.runs, 2):
        difference = one.passes / one.rows - other.passes / other.rows
        if difference <= 0.01:
            continue
        a, b = _run(package, one), _run(package, other)
        for text in package.dice.sample(BETTER, 3):
            yield True, "compare", text.format(A=a, B=b)
            yield False, "compare", text.format(A=b, B=a)
        gap = _one(
            package,
            (
                "{A} beats {B} by {x:.1f} points.",
                "{B} lies {x:.1f} pp below {A}.",
                "{A} scores {x:.1f} pp more than {B}.",
            ),
        )
        yield True, "gap", gap.format(A=a, B=b, x=100 * difference)
        yield False, "gap", gap.format(A=a, B=b, x=100 * difference + 3.4)
    ranked = sorted(package.runs, key=lambda run: run.passes / run.rows)
    for text in ("The best run is {A}.", "{A} has the highest score of all runs.", "No run scores higher than {A}."):
        yield True, "compare", text.format(A=_run(package, ranked[-1]))
        yield False, "compare", text.format(A=_run(package, ranked[0]))
    for text in ("{A} is the worst run.", "{A} has the lowest score."):
        yield True, "compare", text.format(A=_run(package, ranked[0]))
        yield False, "compare", text.format(A=_run(package, ranked[-1]))


REAL = (
    "The difference between {A} and {B} is real.",
    "The change from {A} to {B} is more than noise.",
    "{A} and {B} differ significantly.",
    "The gap between {A} and {B} is statistically significant.",
    "The gap between {A} and {B} cannot be explained by chance.",
    "That {A} and {B} differ is certain.",
)
NOISE = (
    "The difference between {A} and {B} is within noise.",
    "The change from {A} to {B} is not proven.",
    "{A} and {B} do not differ significantly.",
    "The gap between {A} and {B} is not statistically significant.",
    "Chance could explain the gap between {A} and {B}.",
    "It is open whether {A} and {B} differ.",
)


def verdicts(package: Package) -> Iterator[Saying]:
    names = {run.name: run for run in package.runs}
    for (base, candidate), verdict in package.verdicts.items():
        words = {"A": _run(package, names[base]), "B": _run(package, names[candidate])}
        for truth, texts in ((True, REAL), (False, NOISE)):
            for text in texts:
                yield truth == (verdict == "real"), "verdict", text.format(**words)


def models(package: Package) -> Iterator[Saying]:
    known = sorted({run.model for run in package.runs})
    for run in package.runs:
        wrong = _one(package, [*(model for model in known if model != run.model), "llama-3.3-70b"])
        texts = (
            "{R} was made with {m}.",
            "The model of {R} is {m}.",
            "{R} ran with the model `{m}`.",
            "{R} uses {m}.",
            "{m} is the model of {R}.",
            "Behind {R} stands {m}.",
            "{R} was produced by {m}.",
        )
        for text in texts:
            yield True, "model", text.format(R=f"`{run.name}`", m=run.model)
            yield False, "model", text.format(R=f"`{run.name}`", m=wrong)


STATUSES = {
    "infrastructure": (
        "Infrastructure broke {x} rollouts of {R}.",
        "{x} rollouts of {R} were broken by infrastructure.",
    ),
    "timed_out": ("{x} rollouts of {R} timed out.", "In {R}, {x} rollouts ran out of time."),
    "missing": ("{x} rollouts of {R} are missing.", "{R} lacks {x} rollouts."),
    "verifier_error": (
        "The verifier failed on {x} rollouts of {R}.",
        "{x} rollouts of {R} have no verdict: verifier error.",
    ),
    "ok": ("{x} rollouts of {R} have the status ok.",),
}


def status_counts(package: Package) -> Iterator[Saying]:
    for run in package.runs:
        for status, texts in STATUSES.items():
            for text in texts if run.statuses.get(status) else ():
                yield True, "status", text.format(R=_run(package, run), x=run.statuses[status])
                yield False, "status", text.format(R=_run(package, run), x=run.statuses[status] + 7)


def task_counts(package: Package) -> Iterator[Saying]:
    total = len(package.tasks)
    solved = Counter(sum(bool(run.of(task)[0]) for run in package.runs) for task in package.tasks)
    nobody, everybody = solved[0], solved[len(package.runs)]
    for texts, value in (
        (
            (
                "{x} of {n} tasks pass in no run.",
                "{x} tasks are solved by no run.",
                "No run solves {x} of the {n} tasks.",
                "{x} tasks defeat every run.",
                "{x} of {n} tasks are never solved by anyone.",
                "For {x} of the {n} tasks there is no run that passes.",
            ),
            nobody,
        ),
        (
            ("{x} of {n} tasks pass in at least one run.", "At least one run solves {x} of the {n} tasks."),
            total - nobody,
        ),
        (
            ("{x} tasks pass in every run at least once.", "Every run solves {x} of the {n} tasks at least once."),
            everybody,
        ),
    ):
        for text in texts:
            yield True, "counts", text.format(x=value, n=total)
            yield False, "counts", text.format(x=value + 5, n=total)
    for run in package.runs:
        results = [run.of(task) for task in package.tasks]
        never = sum(not passes for passes, attempts in results if attempts)
        always = sum(passes == attempts for passes, attempts in results if attempts)
        for text, value in (
            ("{R} never passes {x} tasks.", never),
            ("{R} always passes {x} tasks.", always),
            ("{x} tasks never pass in {R}.", never),
            ("{x} tasks pass every time in {R}.", always),
        ):
            yield True, "counts", text.format(R=_run(package, run), x=value)
            yield False, "counts", text.format(R=_run(package, run), x=value + 3)
    for one, other in permutations(package.runs, 2):
        alone = [task for task in package.tasks if one.of(task)[0] and other.of(task)[1] and not other.of(task)[0]]
        text = _one(
            package, ("{A} solves {x} tasks that {B} does not solve.", "{x} tasks pass in {A} and fail in {B}.")
        )
        yield True, "counts", text.format(A=_run(package, one), B=_run(package, other), x=len(alone))
        yield False, "counts", text.format(A=_run(package, one), B=_run(package, other), x=len(alone) + 4)


def quotes(package: Package) -> Iterator[Saying]:
    for run in package.runs:
        chosen = [task for task in sorted(run.quotes) if run.quotes[task]]
        for task in package.dice.sample(chosen, min(6, len(chosen))):
            words = package.dice.choice(run.quotes[task])
            text = _one(package, ("In {T}, {R} says “{q}”.", '{R} writes "{q}" in {T}.'))
            yield True, "quote", text.format(T=package.task_word(task), R=_run(package, run), q=words)
            changed = words.split()
            changed[len(changed) // 2] = "hippopotamus"
            yield False, "quote", text.format(T=package.task_word(task), R=_run(package, run), q=" ".join(changed))
            others = [other for other in package.runs if other is not run and words not in other.quotes.get(task, ())]
            if others:
                yield (
                    False,
                    "quote",
                    text.format(T=package.task_word(task), R=_run(package, _one(package, others)), q=words),
                )


def cited_counts(package: Package) -> Iterator[Saying]:
    for run in package.runs:
        name, rollouts, tasks = run.cited
        for text in (
            "{x} rollouts of {R} call nothing that fails [q:{q}].",
            "This holds for {x} rollouts in {t} tasks of {R} [q:{q}].",
        ):
            yield True, "cited", text.format(x=rollouts, t=tasks, q=name, R=_run(package, run))
            yield False, "cited", text.format(x=rollouts + 2, t=tasks, q=name, R=_run(package, run))


def task_lists(package: Package) -> Iterator[Saying]:
    for run in package.runs:
        clean = [task for task in package.tasks if task not in run.void and run.of(task)[1]]
        sides = [[task for task in clean if good == bool(run.of(task)[0])] for good in (True, False)]
        for good, side, other in ((True, sides[0], sides[1]), (False, sides[1], sides[0])):
            if len(side) < 3 or not other:
                continue
            three = package.dice.sample(side, 3)
            text = "{a}, {b} and {c} {verb} in {R}."
            verb = "pass" if good else "never pass"
            yield True, "list", _listed(package, text, three, run, verb)
            yield False, "list", _listed(package, text, [*three[:2], package.dice.choice(other)], run, verb)


def no_claims() -> Iterator[Saying]:
    """What looks like a claim and is none; there is no false one."""
    for text in (
        "1. Read the verifier's log before anything else.",
        "2. Then rerun what was void.",
        "Intervals are 95 % intervals.",
        "The 95 % interval is Wilson's.",
        "Python 3.11 was used for this report.",
        "GPT-4o is not among the models.",
        "See section 4.2 for how it was counted.",
        "HTTP 502 is an error of the gateway.",
        "This was written on 2025-07-14.",
        "The second of the three questions is open.",
        "Step 1 of the plan is a rerun.",
        "An expert would need about 10 minutes for it.",
    ):
        yield True, "no claim", text


MAKERS = (
    task_outcomes,
    across,
    scores,
    comparisons,
    verdicts,
    models,
    status_counts,
    task_counts,
    quotes,
    cited_counts,
    task_lists,
)


def corpus_of(package: Package, size: int = 200) -> list[Saying]:
    """As many true and as many false sentences, of every kind in turn."""
    kinds = [list(maker(package)) for maker in MAKERS]
    sayings: list[Saying] = list(no_claims())
    for truth in (True, False):
        columns = [[saying for saying in kind if saying[0] is truth] for kind in kinds]
        for column in columns:
            package.dice.shuffle(column)
        wanted = size - sum(saying[0] is truth for saying in sayings)
        while wanted and any(columns):
            for column in columns:
                if column and wanted:
                    sayings.append(column.pop())
                    wanted -= 1
    return sayings


def page_of(sayings: Sequence[Saying]) -> tuple[str, dict[int, int]]:
    """Every sentence as a paragraph of its own, and line → sentence."""
    lines = ["# What we found", ""]
    places = {}
    for number, (_, _, text) in enumerate(sayings):
        places[len(lines) + 1] = number
        lines += [text, ""]
    return "\n".join(lines), places


def _listed(package: Package, text: str, tasks: Sequence[str], run: RunFacts, verb: str) -> str:
    words = [package.task_word(task) for task in tasks]
    if all(word.startswith("task ") for word in words):
        words = [f"tasks {tasks[0]}", *tasks[1:]]
    a, b, c = words
    said = text.format(a=a, b=b, c=c, R=_run(package, run), verb=verb)
    return said[0].upper() + said[1:]


def _run(package: Package, run: RunFacts) -> str:
    return f"`{run.name}`" if package.dice.random() < 0.7 else run.name


def _one(package: Package, values: Sequence[Any]) -> Any:
    return package.dice.choice(values)
