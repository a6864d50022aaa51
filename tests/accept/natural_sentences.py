"""Sentences in the wording of investigators' reports, written by hand; the facts are filled in from the runs.

They have lead-ins in bold print, several runs or tasks in one sentence, asides, quotes, advice. Each has a false twin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from tests.accept.report_sentences import Package, RunFacts, Saying

PROPOSED = "never give up before the last step of the plan is done"


@dataclass
class Told:
    """What the sentences speak of: the runs by their score, and tasks that came out in known ways."""

    package: Package
    best: RunFacts
    middle: RunFacts
    worst: RunFacts

    @property
    def runs(self) -> list[RunFacts]:
        return [self.best, self.middle, self.worst]

    def tasks(self, good: Sequence[RunFacts], bad: Sequence[RunFacts]) -> list[str]:
        """Tasks that pass in all attempts of some runs and in no attempt of others; none of these is void."""
        return [
            task
            for task in self.package.tasks
            if all(task not in run.void and run.of(task)[1] for run in (*good, *bad))
            and all(run.of(task)[0] == run.of(task)[1] for run in good)
            and not any(run.of(task)[0] for run in bad)
        ]

    def word(self, task: str) -> str:
        return self.package.task_word(task)


def natural(package: Package) -> Iterator[Saying]:
    """Pairs of a true sentence and its false twin."""
    ranked = sorted(package.runs, key=lambda run: -run.passes / run.rows)
    told = Told(package, ranked[0], ranked[len(ranked) // 2], ranked[-1])
    for maker in (_scores, _shares, _differences, _tasks_of_runs, _counts, _quotes, _cited, _models, _advice):
        for true, false in maker(told):
            yield True, f"natural: {maker.__name__.strip('_')}", true
            yield False, f"natural: {maker.__name__.strip('_')}", false


def _rate(run: RunFacts) -> str:
    return f"{100 * run.passes / run.rows:.1f}%"


def _scores(told: Told) -> Iterator[tuple[str, str]]:
    a, b, c = told.runs
    for text in (
        "`{a}` leads with {x}, `{c}` comes last with {y}.",
        "**No ranking is safe here.** On paper `{a}` scores {x} and `{c}` {y}.",
        "The score falls from {x} (`{a}`) to {y} (`{c}`).",
        "As reported, `{a}` stands at {x}; `{c}` reaches only {y}.",
    ):
        yield (
            text.format(a=a.name, c=c.name, x=_rate(a), y=_rate(c)),
            text.format(a=a.name, c=c.name, x=_rate(c), y=_rate(a)),
        )
    text = "1. **The number of `{b}` is not to be trusted.** `{b}` scores {x}, and I did not find out why."
    yield text.format(b=b.name, x=_rate(b)), text.format(b=b.name, x=f"{100 * b.passes / b.rows + 9:.1f}%")


def _shares(told: Told) -> Iterator[tuple[str, str]]:
    a, b, c = told.runs
    for text, run in (
        ("1. **The number of `{r}` is not real.** `{r}` passes {p} of {n} rollouts.", c),
        ("Only {p} of the {n} rollouts of `{r}` pass.", c),
        ("`{r}` gets {p} of {n} rollouts right, the others not.", b),
        ("**Not a fair number:** `{r}` passes {p} of {n} rollouts.", a),
        ("Counted by hand, {p} of {n} rollouts of `{r}` pass ({x}).", b),
        ("`{r}`: {p} of {n} rollouts pass, which nobody would call good.", c),
        ("`{r}` scores {x}, that is {p} of {n} rollouts.", a),
    ):
        wrong = run.passes + 6
        yield (
            text.format(r=run.name, p=run.passes, n=run.rows, x=_rate(run)),
            text.format(r=run.name, p=wrong, n=run.rows, x=f"{100 * wrong / run.rows:.1f}%"),
        )
    text = "`{r}` fails {f} of its {n} rollouts, and that is no accident."
    yield (
        text.format(r=b.name, f=b.rows - b.passes, n=b.rows),
        text.format(r=b.name, f=b.rows - b.passes - 5, n=b.rows),
    )
    text = "Of the judged rollouts `{a}` passes {p} of {j}, `{c}` {q} of {k}."
    words = {"a": a.name, "c": c.name, "p": a.passes, "j": a.judged, "k": c.judged}
    yield text.format(**words, q=c.passes), text.format(**words, q=c.passes + 7)


def _differences(told: Told) -> Iterator[tuple[str, str]]:
    a, b, c = told.runs
    for better, worse in ((a, c), (a, b)):
        gap = 100 * (better.passes / better.rows - worse.passes / worse.rows)
        if gap < 1 or {*better.rewards} != {*worse.rewards}:
            continue
        for text in (
            "**The gap is not small.** `{w}` lies {d:.1f} pp below `{b}`.",
            "`{w}` scores {d:.1f} points less than `{b}`, whatever the reason.",
        ):
            words = {"w": worse.name, "b": better.name}
            yield text.format(**words, d=gap), text.format(**words, d=gap + 4.7)
    for text in (
        "**Not even close.** `{a}` is ahead of `{c}`.",
        "I would not trust the rest, but `{a}` scores higher than `{c}`.",
        "`{c}` trails `{a}`.",
        "The best run is `{a}`; the reason is not recorded.",
    ):
        yield text.format(a=a.name, c=c.name), text.format(a=c.name, c=a.name)


def _tasks_of_runs(told: Told) -> Iterator[tuple[str, str]]:
    a, b, c = told.runs
    runs = told.package.runs
    split = [(one, other, tasks) for one, other in permutations(runs, 2) if (tasks := told.tasks([one], [other]))]
    texts = (
        "{t} passes in `{x}` and fails in `{y}`.",
        "While `{x}` solves {t}, `{y}` never does.",
        "**{t} is not broken.** It passes in `{x}`.",
        "I read {t} in `{y}`: it fails there, though `{x}` passes it.",
        "**Look at {t}.** `{y}` does not solve it, `{x}` does.",
        "- {t}: passes in `{x}`, fails in `{y}`.",
    )
    for place, text in enumerate(texts):
        one, other, tasks = split[place * len(split) // len(texts)]
        task = told.word(tasks[place % len(tasks)])
        yield text.format(t=task, x=one.name, y=other.name), text.format(t=task, x=other.name, y=one.name)
    nobody = told.tasks([], runs) or [task for task in told.package.tasks if not any(run.of(task)[0] for run in runs)]
    someone = told.tasks([a], [])
    for text in (
        "No run ever solves {t}.",
        "**Not a matter of chance.** {t} fails in every run.",
        "{t} is out of reach for all of them: no run passes it.",
        "{t} fails in every run, for a reason that I did not find.",
    ):
        place = len(text) % min(len(nobody), len(someone))
        yield text.format(t=told.word(nobody[place])), text.format(t=told.word(someone[place]))
    text = "{t} fails in `{x}`, `{y}` and `{z}`."
    names = {"x": a.name, "y": b.name, "z": c.name}
    yield text.format(t=told.word(nobody[0]), **names), text.format(t=told.word(someone[0]), **names)


def _counts(told: Told) -> Iterator[tuple[str, str]]:
    package = told.package
    total = len(package.tasks)
    nobody = sum(not any(run.of(task)[0] for run in package.runs) for task in package.tasks)
    for text, value in (
        ("**Hard, or not possible at all.** {x} of {n} tasks pass in no run.", nobody),
        ("{x} of the {n} tasks are passed by no run, which is not the fault of any one of them.", nobody),
        ("At least one run passes {x} of {n} tasks.", total - nobody),
    ):
        yield text.format(x=value, n=total), text.format(x=value + 6, n=total)
    for run in (told.best, told.worst):
        results = [run.of(task) for task in package.tasks]
        never = sum(not passes for passes, attempts in results if attempts)
        always = sum(passes == attempts for passes, attempts in results if attempts)
        for text, value in (
            ("{x} tasks never pass in `{r}`.", never),
            ("**Stable, not lucky.** `{r}` always passes {x} tasks.", always),
        ):
            yield text.format(r=run.name, x=value), text.format(r=run.name, x=value + 4)


def _quotes(told: Told) -> Iterator[tuple[str, str]]:
    runs = [run for run in told.package.runs if any(run.quotes.values())]
    texts = (
        "**{t} is not the model's fault.** There `{r}` says “{q}”.",
        "In {t}, which I read in full, `{r}` says “{q}”.",
        "“{q}”, writes `{r}` in {t}.",
        "`{r}` never noticed: in {t} it writes “{q}”.",
        "In {u} it says something else; in {t} `{r}` says “{q}”.",
    )
    for place, text in enumerate(texts):
        run = runs[place % len(runs)]
        tasks = [task for task in sorted(run.quotes) if run.quotes[task]]
        task, other = tasks[place % len(tasks)], tasks[(place + 3) % len(tasks)]
        words = {"t": told.word(task), "u": told.word(other), "r": run.name}
        quote = run.quotes[task][-1]
        false = quote.split()
        false[len(false) // 2] = "periscope"
        yield text.format(**words, q=quote), text.format(**words, q=" ".join(false))


def _cited(told: Told) -> Iterator[tuple[str, str]]:
    for run, text in zip(
        (told.best, told.middle, told.worst, told.best),
        (
            "No call fails in {x} rollouts of `{r}` [q:{q}], and nothing else is told by that.",
            "**Counted, not guessed.** {x} rollouts of `{r}` are without a failing call [q:{q}].",
            "In `{r}` {x} rollouts of {t} tasks never see an error of a tool [q:{q}].",
            "Errors of tools do not explain `{r}`: {x} of its rollouts have none [q:{q}].",
        ),
        strict=True,
    ):
        name, rollouts, tasks = run.cited
        words = {"r": run.name, "q": name, "t": tasks}
        yield text.format(**words, x=rollouts), text.format(**words, x=rollouts + 3)


def _models(told: Told) -> Iterator[tuple[str, str]]:
    for run in (told.best, told.worst):
        text = "**Which model?** The model of `{r}` is {m}."
        yield text.format(r=run.name, m=run.model), text.format(r=run.name, m="llama-3.3-70b")


def _advice(told: Told) -> Iterator[tuple[str, str]]:
    """Words that are proposed are not said to stand anywhere; the false twin says so."""
    name = told.worst.name
    for text, false in (
        ("Have the prompt say “{q}”.", "`{r}` says “{q}”."),
        ("Add to the prompt of `{r}`: “{q}”.", "`{r}` writes “{q}” again and again."),
        ("The harness should say “{q}” to the agent.", "The harness says “{q}” to `{r}`."),
    ):
        yield text.format(r=name, q=PROPOSED), false.format(r=name, q=PROPOSED)
