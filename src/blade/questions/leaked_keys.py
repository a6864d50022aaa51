"""Does a tool show the task's own question together with its key: a copy of the question set?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Fact, Paragraph, Quote, Sentence, say
from blade.questions import OF_THE_EVALUATION, in_order, judged, outcome_p, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, at, count, fact, listed, percent, printable

TITLE = "Keys that the rollouts are shown"
ORDER = 9
WEIGHT = OF_THE_EVALUATION
FEWEST = 3
LIKELY = 0.9
_PATH = ("investigation", "leaked_keys")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rollouts whose tools show question and key, against the other attempts at the same tasks."""
    showing = [case for run in runs for case in run.observing("leaked_key")]
    if len(showing) < FEWEST:
        return None
    tasks = {case.key for case in showing}
    attempts = [case for run in runs for case in judged(run) if case.key in tasks]
    ids = {id(case) for case in showing}
    other_attempts = [case for case in attempts if id(case) not in ids]
    at_once = [case for case in showing if not case.observed["leaked_key"][2]]
    p = outcome_p(attempts, {id(case) for case in at_once})
    tools = {case.observed["leaked_key"][0] for case in showing}
    example = next((case for case in at_once if case.passed), showing[0])
    return {
        "tools": sorted(tools),
        "tasks": in_order(case.label for case in showing),
        "rollouts": len(showing),
        "passes": _passes(showing),
        "rest": len(other_attempts),
        "rest_passes": _passes(other_attempts),
        "at_once": len(at_once),
        "at_once_passes": _passes(at_once),
        "going_on": len(showing) - len(at_once),
        "going_on_passes": _passes(showing) - _passes(at_once),
        "p": None if p is None else significant(p, WRITTEN),
        "quote": printable(example.observed["leaked_key"][3]),
        "place": f"{example.run}, task {example.label}, attempt {example.attempt}, "
        f"item {example.observed['leaked_key'][1]}",
        "runs": [_of_run(run, tasks, ids) for run in runs if judged(run)],
    }


def _of_run(run: RunCases, tasks: set[str], showing: set[int]) -> dict[str, Any]:
    """How often a run is shown the key, how these end, and its passes with and without the tasks."""
    rows = judged(run)
    having = [case for case in rows if id(case) in showing]
    left = [case for case in rows if case.key not in tasks]
    return {
        "run": run.run.name,
        "shown": len(having),
        "shown_passes": _passes(having),
        "attempts": len(rows) - len(left),
        "judged": len(rows),
        "passes": _passes(rows),
        "left": len(left),
        "left_passes": _passes(left),
    }


def _passes(cases: Sequence[Case]) -> int:
    return sum(bool(case.passed) for case in cases)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer))), Quote(answer["quote"], answer["place"], at(*_PATH, "quote"))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    task_noun = "this task" if len(answer["tasks"]) == 1 else "these tasks"
    against = ", against {rest_passes} of {rest} at {these}" if answer["rest"] else ""
    yield say(
        "In {rollouts} of {tasks} ({names}) an answer of {tools} holds the task's own question with the expected "
        "answer beside it, as a copy of the question set does: {passes} of them {verb}" + against + ".",
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        tasks=fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
        names=task_list(answer["tasks"]),
        tools=listed(answer["tools"]),
        passes=_number(answer, "passes"),
        verb=_verb(answer["passes"]),
        rest_passes=_number(answer, "rest_passes"),
        rest=fact(count(answer["rest"], "other attempt"), answer["rest"], *_PATH, "rest"),
        these=task_noun,
    )
    if answer["at_once"] and answer["going_on"]:
        yield say(
            "{at_once} {make} no further call, and {at_once_passes} of these {verb}; {going_on} {go} on working, and "
            "{going_on_passes} of these {verb_of_others}{p}.",
            at_once=amount(answer["at_once"], *_PATH, "at_once"),
            make="makes" if answer["at_once"] == 1 else "make",
            at_once_passes=_number(answer, "at_once_passes"),
            verb=_verb(answer["at_once_passes"]),
            going_on=amount(answer["going_on"], *_PATH, "going_on"),
            go="goes" if answer["going_on"] == 1 else "go",
            going_on_passes=_number(answer, "going_on_passes"),
            verb_of_others=_verb(answer["going_on_passes"]),
            p=_against_others(answer["p"]),
        )
    shares = [
        f"{run['run']} in {run['shown']:,} of {count(run['attempts'], 'attempt')} at {task_noun} "
        f"({run['shown_passes'] or 'none'} of them {_verb(run['shown_passes'])})"
        for run in answer["runs"]
        if run["shown"]
    ]
    never = [run["run"] for run in answer["runs"] if not run["shown"]]
    yield say(
        "It is shown to {runs}{never}.",
        runs=listed(shares),
        never=f", and never to {listed(never, 'or')}" * bool(never),
    )
    scores = [
        f"{run['run']} {percent(run['passes'] / run['judged'])} → {percent(run['left_passes'] / run['left'])}"
        for run in answer["runs"]
        if run["left"]
    ]
    if scores:
        yield say("Passes with and without {these}: {scores}.", these=task_noun, scores=listed(scores))


def _against_others(p: float | None) -> str:
    return "" if p is None else f" (p = {p:.2g} against all other attempts, by tasks)"


def _verb(passes: int) -> str:
    return "pass" if passes > 1 else "passes"


def _number(answer: Mapping[str, Any], name: str) -> Fact:
    return fact(f"{answer[name]:,}" if answer[name] else "none", answer[name], *_PATH, name)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """What is shown cannot be asked."""
    tasks = task_list(answer["tasks"])
    yield Advice(
        "data",
        f"Block the source that shows question and key in the answers of {listed(answer['tools'])}, and replace "
        f"{'task' if len(answer['tasks']) == 1 else 'tasks'} {tasks} or leave them out of the score",
        say(
            "{rollouts} {read} the key beside the question, and {passes} of them {verb}.",
            rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
            read="reads" if answer["rollouts"] == 1 else "read",
            passes=_number(answer, "passes"),
            verb=_verb(answer["passes"]),
        ),
        answer["rollouts"],
        LIKELY,
        before_scores=True,
    )
