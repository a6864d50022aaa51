"""Which failures say a required value in another form than the verifier looks for?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.counted_as_passes import by_run, counted_as_passes, run_counts
from blade.diagnosis.effective_key import effective_shape, refused_changes
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.extract.failure_shape import RIGHT
from blade.questions import OF_THE_EVALUATION, in_order, judged, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Required values said in another form"
ORDER = 27
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_TASKS = 3, 2
MOST_QUOTES = 4
LIKELY = 0.8
_PATH = ("investigation", "said_otherwise")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Judged failures in which all else is right, as far as rows tell, and each required value is said otherwise."""
    refused = refused_changes(runs)
    having = [
        case
        for run in runs
        for case in run.observing("said_otherwise")
        if not case.passed and effective_shape(case.observed, refused) in {None, RIGHT}
    ]
    if len(having) < FEWEST or len({case.key for case in having}) < FEWEST_TASKS:
        return None
    tasks = {case.key for case in having}
    quotes: dict[str, list[str]] = {}
    for case in having:
        for text, quote in case.observed["said_otherwise"]:
            quotes.setdefault(text, []).append(quote)
    return {
        "rollouts": len(having),
        "tasks": in_order(case.label for case in having),
        "passes_there": sum(bool(case.passed) for run in runs for case in judged(run) if case.key in tasks),
        "of_there": sum(case.key in tasks for run in runs for case in judged(run)),
        "quotes": [[text, said[0]] for text, said in sorted(quotes.items())][:MOST_QUOTES],
        "runs": run_counts(runs, having),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    text, quote = answer["quotes"][0]
    yield say(
        "{rollouts} of {tasks} say the required value in another form than the verifier looks for and fail ({runs}): "
        "“{text}” is wanted, and the model says “{quote}”.",
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        tasks=fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
        runs=by_run(answer["runs"]),
        text=text,
        quote=quote,
    )
    others = [f"“{text}” as “{quote}”" for text, quote in answer["quotes"][1:]]
    if others:
        yield say("Others say {others}.", others=listed(others))
    yield say(
        "Tasks: {tasks}; {passes} of {of} pass there.",
        tasks=task_list(answer["tasks"]),
        passes=amount(answer["passes_there"], *_PATH, "passes_there"),
        of=fact(count(answer["of_there"], "judged rollout"), answer["of_there"], *_PATH, "of_there"),
    )
    yield counted_as_passes(answer["runs"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Values are compared as values."""
    yield Advice(
        "verifier",
        "Have the verifier compare required numbers by value, not letter by letter, or say in the prompt how they are "
        "to be written",
        say(
            "{rollouts} say the required number in another form and fail.",
            rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        ),
        answer["rollouts"],
        LIKELY,
        before_scores=True,
    )
