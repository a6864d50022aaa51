"""Which failures give a value that stands close to the right one in what a tool showed: the wrong line was read?

Tasks in which half of the attempts give one and the same other answer are left out: there the key is in doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_groups import grouped, judged_answers
from blade.diagnosis.cases import RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.extract.values_beside_keys import LINE, NEAR, NEXT, TABLE
from blade.questions import in_order, judged, run_p, task_list, uneven_parts
from blade.stats.rounding import WRITTEN, significant
from blade.wording import count, fact, listed, printable

TITLE = "Values next to the right one"
ORDER = 43
WEIGHT = 1.2
FEWEST, FEWEST_TASKS = 5, 3
FEWEST_AGREEING = 3
HALF = 0.5
LIKELY = 0.5
_HOW = {
    NEXT: "in neighbouring lines of a table",
    TABLE: "in other lines of one table",
    LINE: "in one line",
    NEAR: "in lines close to each other",
}
_PATH = ("investigation", "neighbour_values")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Judged failures whose tools show the given and the expected value close together."""
    cases = [case for run in runs for case in judged(run)]
    doubtful = _doubtful_keys(runs)
    neighbours = [
        case for case in cases if not case.passed and "beside_key" in case.observed and case.key not in doubtful
    ]
    tasks = {case.key for case in neighbours}
    if len(neighbours) < FEWEST or len(tasks) < FEWEST_TASKS:
        return None
    ids = {id(case) for case in neighbours}
    other_failures = [
        case for case in cases if not case.passed and "tools_show" in case.observed and id(case) not in ids
    ]
    unshown = [case for case in other_failures if case.observed["tools_show"][0] == 0]
    failures_of_tasks = [case for case in cases if case.key in tasks and not case.passed and id(case) not in ids]
    p = run_p([case for case in cases if case.key in tasks], ids)
    rollouts_of_run, unseen = Counter(case.run for case in neighbours), Counter(case.run for case in unshown)
    example = min(neighbours, key=lambda case: (case.observed["beside_key"][3] != 1, case.observed["beside_key"][3]))
    tool, item, _, _, key, answer, words = example.observed["beside_key"]
    kinds = Counter(case.observed["beside_key"][2] for case in neighbours)
    return {
        "rollouts": len(neighbours),
        "tasks": in_order(case.label for case in neighbours),
        "tools": sorted({case.observed["beside_key"][0] for case in neighbours}),
        "how": {closeness: kinds[closeness] for closeness in _HOW if kinds[closeness]},
        "unshown": len(unshown),
        "there": len(failures_of_tasks),
        "there_unshown": sum(case.key in tasks for case in unshown),
        "p": None if p is None else significant(p, WRITTEN),
        "parts": uneven_parts(runs, tasks),
        "example": {
            "tool": tool,
            "key": key,
            "answer": answer,
            "words": [printable(text) for text in words],
            "place": f"{example.run}, task {example.label}, attempt {example.attempt}, item {item}",
        },
        "runs": [
            {
                "run": run.run.name,
                "rollouts": rollouts_of_run[run.run.name],
                "attempts": sum(case.key in tasks for case in judged(run)),
                "passes": sum(bool(case.passed) for case in judged(run) if case.key in tasks),
                "unshown": unseen[run.run.name],
            }
            for run in runs
            if judged(run)
        ],
    }


def _doubtful_keys(runs: Sequence[RunCases]) -> set[str]:
    """Tasks in which half of the attempts or more agree on one answer that is not the key."""
    doubtful = set()
    for key, task in judged_answers(runs).items():
        rows = [entry for entry in task.answered if not entry.meets and not entry.case.passed]
        agreeing = len(grouped(rows)[0]) if rows else 0
        if agreeing >= FEWEST_AGREEING and agreeing >= HALF * len(task.rows):
            doubtful.add(key)
    return doubtful


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    shares = [f"{run['run']} in {run['rollouts']:,} of {count(run['attempts'], 'attempt')}" for run in answer["runs"]]
    yield say(
        "{rollouts} of {tasks} {give} a value that stands next to the expected one in an answer of {tools}: the right "
        "place was found and another value taken ({runs}{p}).",
        rollouts=fact(count(answer["rollouts"], "judged failure"), answer["rollouts"], *_PATH, "rollouts"),
        tasks=fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
        give="gives" if answer["rollouts"] == 1 else "give",
        tools=listed(answer["tools"]),
        runs=listed(shares),
        p=_uneven_words(answer),
    )
    kinds = [f"{_HOW[closeness]} in {rollouts_of_run:,}" for closeness, rollouts_of_run in answer["how"].items()]
    yield say("The two values stand {kinds} of them.", kinds=listed(kinds))
    example = answer["example"]
    yield say(
        "For instance the answer is {answer}, the key {key}, and {tool} shows “{words}” ({place}).",
        answer=example["answer"],
        key=example["key"],
        tool=example["tool"],
        words=" / ".join(example["words"]),
        place=example["place"],
    )
    if answer["parts"]:
        levels = [
            f"{level} {level_tasks:,} of {tasks:,}"
            for level, level_tasks, tasks in answer["parts"]["levels"]
            if level_tasks
        ]
        yield say("Tasks with it, by {field}: {levels}.", field=answer["parts"]["field"], levels=listed(levels))
    yield say("Tasks: {tasks}.", tasks=task_list(answer["tasks"]))
    if answer["there"]:
        yield say(
            "Of {there} at these tasks {there_unshown} {were} never shown the expected value by a tool.",
            there=fact(count(answer["there"], "other failure"), answer["there"], *_PATH, "there"),
            there_unshown=fact(
                f"{answer['there_unshown']:,}" if answer["there_unshown"] else "none",
                answer["there_unshown"],
                *_PATH,
                "there_unshown",
            ),
            were="was" if answer["there_unshown"] == 1 else "were",
        )
    if answer["unshown"]:
        runs = [f"{run['run']} {run['unshown']:,}" for run in answer["runs"] if run["unshown"]]
        yield say(
            "At all tasks {unshown} {were} never shown it ({runs}): these are another matter.",
            unshown=fact(count(answer["unshown"], "failure"), answer["unshown"], *_PATH, "unshown"),
            were="was" if answer["unshown"] == 1 else "were",
            runs=listed(runs),
        )


def _uneven_words(answer: Mapping[str, Any]) -> str:
    """The test of the run that does so most often; of little weight, it says what the counts alone do not."""
    if answer["p"] is None:
        return ""
    leader = max(answer["runs"], key=lambda run: run["rollouts"] / max(run["attempts"], 1))
    return f"; p = {answer['p']:.2g} for {leader['run']} against the others"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """What is copied with its head is checked on the way."""
    yield Advice(
        "prompt",
        "Have the model quote the line with its label, and the head of the column, before it takes a value from a "
        "table",
        say(
            "{rollouts} {give} the value beside the expected one, which the same answer of a tool shows.",
            rollouts=fact(count(answer["rollouts"], "judged failure"), answer["rollouts"], *_PATH, "rollouts"),
            give="gives" if answer["rollouts"] == 1 else "give",
        ),
        answer["rollouts"],
        LIKELY,
    )
