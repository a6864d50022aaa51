"""Which rollouts state an answer although their last call came back empty, and do those that ask again pass?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import (
    SURE,
    cause,
    counted_with_passes,
    in_order,
    outcome_p,
    pass_rate,
    run_p,
    task_list,
    undisturbed,
)
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, printable

TITLE = "Answers after an empty result"
ORDER = 42
WEIGHT = 1.4
FEWEST, FEWEST_TASKS = 5, 3
APART = 0.3
"""By so much more often those pass that get something out of their last call."""
LIKELY = 0.6
_PATH = ("investigation", "answers_after_nothing")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rollouts whose last call came back empty and that answer, against those with empty answers that went on."""
    cases = [case for run in runs for case in undisturbed(run) if case.observed.get("calls")]
    ending = [case for case in cases if _ends_empty(case) and _gives_an_answer(case)]
    tasks = {case.key for case in ending}
    if len(ending) < FEWEST or len(tasks) < FEWEST_TASKS:
        return None
    having = {id(case) for case in ending}
    other_cases = [case for case in cases if case.key in tasks and id(case) not in having]
    p = outcome_p([*ending, *other_cases], having)
    if not other_cases or p is None or p > SURE or pass_rate(other_cases) - pass_rate(ending) < APART:
        return None
    again = [case for case in cases if case.observed.get("empty", (0,))[0] and not _ends_empty(case)]
    of_run = run_p(cases, having)
    example = next((case for case in ending if not case.passed), ending[0])
    looked_up = [case for case in ending if not case.passed and "tools_show" in case.observed]
    return {
        **counted_with_passes("rollouts", ending),
        **counted_with_passes("others", other_cases),
        **counted_with_passes("again", again),
        "tasks": in_order(case.label for case in ending),
        "causes": [cause("BI", "answers although its last call came back empty", ending)],
        "tools": sorted({case.observed["empty"][2] for case in ending}),
        "unshown": sum(case.observed["tools_show"][1] == 0 for case in looked_up),
        "failures_known": len(looked_up),
        "runs": [
            {
                "run": run.run.name,
                **counted_with_passes("rollouts", [case for case in ending if case.run == run.run.name]),
                **counted_with_passes("again", [case for case in again if case.run == run.run.name]),
            }
            for run in runs
        ],
        "p": significant(p, WRITTEN),
        "p_run": None if of_run is None else significant(of_run, WRITTEN),
        "example": {
            "place": f"{example.run}, task {example.label}, attempt {example.attempt}, "
            f"item {example.observed['empty'][3]}",
            "answer": printable(str(example.observed["answer"]["text"])),
            "key": printable(str((example.observed["answer"].get("key") or [""])[0])),
        },
    }


def _ends_empty(case: Case) -> bool:
    return len(case.observed.get("empty", ())) > 2


def _gives_an_answer(case: Case) -> bool:
    """Whether an answer is known that the rollout gives; one that handed in files rests on what these hold."""
    return bool((case.observed.get("answer") or {}).get("text"))


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    shares = [f"{run['run']} {run['rollouts']:,} ({run['rollouts_passes']:,} pass)" for run in answer["runs"]]
    yield say(
        "{rollouts} of {tasks} ({names}) state an answer although their last call, of {tools}, came back empty: "
        "{passes} of them {verb}, {other_passes} of the {others} others at these tasks (exact test within tasks: "
        "p = {p}; {runs}{beyond}).",
        rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
        tasks=fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
        names=task_list(answer["tasks"]),
        tools=listed(answer["tools"]),
        passes=amount(answer["rollouts_passes"], *_PATH, "rollouts_passes"),
        verb="passes" if answer["rollouts_passes"] == 1 else "pass",
        other_passes=amount(answer["others_passes"], *_PATH, "others_passes"),
        others=amount(answer["others"], *_PATH, "others"),
        p=fact(f"{answer['p']:.2g}", answer["p"], *_PATH, "p"),
        runs=listed(shares),
        beyond=_beyond(answer),
    )
    if answer["unshown"]:
        yield say(
            "In {unshown} of their {known} no tool shows the value that is given.",
            unshown=amount(answer["unshown"], *_PATH, "unshown"),
            known=fact(count(answer["failures_known"], "failure"), answer["failures_known"], *_PATH, "failures_known"),
        )
    if answer["again"]:
        runs = [f"{run['run']} {run['again']:,}" for run in answer["runs"] if run["again"]]
        yield say(
            "An empty answer by itself costs nothing: of {again} that got one and called again {passes} {verb} "
            "({runs}).",
            again=fact(count(answer["again"], "rollout"), answer["again"], *_PATH, "again"),
            passes=amount(answer["again_passes"], *_PATH, "again_passes"),
            verb="passes" if answer["again_passes"] == 1 else "pass",
            runs=listed(runs),
        )
    example = answer["example"]
    yield say(
        "For instance the answer is “{answer}”{key} ({place}).",
        answer=example["answer"],
        key=f", the key “{example['key']}”" if example["key"] else "",
        place=example["place"],
    )


def _beyond(answer: Mapping[str, Any]) -> str:
    if answer["p_run"] is None or answer["p_run"] > SURE:
        return ""
    leader = max(answer["runs"], key=lambda run: run["rollouts"])
    return f", beyond chance {leader['run']}"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """An empty answer is to be said to be one."""
    failures = answer["rollouts"] - answer["rollouts_passes"]
    yield Advice(
        "harness",
        f"Have {listed(answer['tools'])} say that nothing was printed and how to print it, and have the model call "
        "again before it states a value",
        say(
            "{failures} state an answer right after an empty result.",
            failures=fact(count(failures, "failure"), answer["rollouts_passes"], *_PATH, "rollouts_passes"),
        ),
        failures,
        LIKELY,
    )
