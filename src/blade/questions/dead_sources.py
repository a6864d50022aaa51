"""Which tasks that no run passes have a source that is gone, and who still states a value?

Nearly every attempt at such a task is told that what it opens is not there, which is rare at other tasks, and no tool
shows the key in any of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.findings import TaskFault
from blade.late_regex import late_regex
from blade.questions import OF_THE_EVALUATION, SURE, by_task, in_order, judged, task_list
from blade.wording import abridged, amount, count, fact, listed

TITLE = "Tasks whose source is gone"
ORDER = 71
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_ATTEMPTS = 5, 3
NEARLY_ALL, SELDOM = 0.8, 0.3
MOST_WORDS = 3
LIKELY = 0.8
_GONE = late_regex(
    r"\b(?:40[134]|410|451)\b|\bnot found\b|\bgone\b|\bno longer (?:exists?|available)\b|\bremoved\b|\bforbidden\b|"
    r"\b(?:does not|doesn't) exist\b|\bparked\b|\bfor sale\b|\bpaywall|\bdomain\b.*\bexpired\b",
    re.IGNORECASE,
)
_SHELL = late_regex(r"^\S*sh: |command not found|\bmodule\b|\btool\b|\bfunction\b", re.IGNORECASE)
"""What was mistyped, or is not installed, is no source."""
_PATH = ("investigation", "dead_sources")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks without a pass whose attempts nearly all end at something that is not there."""
    if not any(run.observing("tools_show") for run in runs):
        return None
    tasks = by_task([case for run in runs for case in judged(run)])
    candidates = [key for key, rows in tasks.items() if _has_lost_its_source(rows)]
    dead_tasks = _beyond_chance(tasks, candidates) if candidates else {}
    attempts = [case for rows in dead_tasks.values() for case in rows]
    refused_attempts = [case for case in attempts if _answers(case)]
    if len(refused_attempts) < FEWEST:
        return None
    other_attempts = [case for key, rows in tasks.items() if key not in dead_tasks for case in rows]
    others_told = sum(bool(_answers(case)) for case in other_attempts)
    unsupported = [case for case in attempts if case.observed.get("tools_show", (0, 1, 0))[1:] == [0, 1]]
    declined = [case for case in attempts if _declines(case)]
    words = Counter(text for case in refused_attempts for text in dict.fromkeys(entry[3] for entry in _answers(case)))
    return {
        "tasks": in_order(case.label for case in attempts),
        "attempts": len(attempts),
        "told": len(refused_attempts),
        "others": len(other_attempts),
        "others_told": others_told,
        "tools": sorted({entry[0] for case in refused_attempts for entry in _answers(case)}),
        "answers": sorted(words, key=lambda text: (-words[text], text)),
        "stated": len(unsupported),
        "declined": len(declined),
        "quotes": sorted({str(case.observed["answer"]["text"]) for case in unsupported})[:MOST_WORDS],
        "runs": [_of_run(run, dead_tasks, unsupported, declined) for run in runs if judged(run)],
    }


def _beyond_chance(tasks: Mapping[str, Sequence[Case]], candidates: Sequence[str]) -> dict[str, Sequence[Case]]:
    """Those of some tasks that are told so far more often than all others, with all tasks counted as asked."""
    other_attempts = [case for key, rows in tasks.items() if key not in candidates for case in rows]
    refused_attempts = sum(bool(_answers(case)) for case in other_attempts)
    if not other_attempts or refused_attempts > SELDOM * len(other_attempts):
        return {}
    rate = (refused_attempts + 1) / (len(other_attempts) + 2)
    return {key: tasks[key] for key in candidates if _tail(tasks[key], rate) * len(tasks) <= SURE}


def _tail(rows: Sequence[Case], rate: float) -> float:
    """How likely so many attempts or more are told so at a rate."""
    refused_attempts, size = sum(bool(_answers(case)) for case in rows), len(rows)
    return sum(
        comb(size, hits) * rate**hits * (1 - rate) ** (size - hits) for hits in range(refused_attempts, size + 1)
    )


def _has_lost_its_source(rows: Sequence[Case]) -> bool:
    """Whether nobody passes, nearly all are told that something is gone, and no tool may show the key."""
    if len(rows) < FEWEST_ATTEMPTS or any(case.passed for case in rows):
        return False
    visible = [case.observed["tools_show"][0] for case in rows if "tools_show" in case.observed]
    if 0 not in visible or 1 in visible or any(case.observed.get("answer", {}).get("meets") for case in rows):
        return False
    return sum(bool(_answers(case)) for case in rows) >= NEARLY_ALL * len(rows)


def _answers(case: Case) -> list[Sequence[Any]]:
    """The failed calls that are told that something is not there."""
    errors = case.observed.get("errors", ())
    return [entry for entry in errors if _GONE.search(entry[3]) and not _SHELL.search(entry[3])]


def _declines(case: Case) -> bool:
    visible = case.observed.get("tools_show")
    return visible is not None and not visible[2] and bool(case.observed.get("answer", {}).get("text"))


def _of_run(
    run: RunCases, dead_tasks: Mapping[str, Any], unsupported: Sequence[Case], declined: Sequence[Case]
) -> dict[str, Any]:
    name = run.run.name
    return {
        "run": name,
        "attempts": sum(case.key in dead_tasks for case in judged(run)),
        "stated": sum(case.run == name for case in unsupported),
        "declined": sum(case.run == name for case in declined),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    several = len(answer["tasks"]) > 1
    quotes = [f"“{text}”" for text in answer["answers"]]
    yield say(
        "At {tasks} ({names}), which no run passes, {told} of {attempts} {are} told by {tools} that what they open is "
        "not there ({answers}), against {others_told} of {others} at all other tasks: the source of {these} is gone, "
        "and no tool shows the expected answer.",
        tasks=fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
        names=task_list(answer["tasks"]),
        told=amount(answer["told"], *_PATH, "told"),
        attempts=fact(count(answer["attempts"], "judged attempt"), answer["attempts"], *_PATH, "attempts"),
        are="is" if answer["told"] == 1 else "are",
        tools=listed(answer["tools"]),
        answers=abridged(quotes, MOST_WORDS),
        others_told=fact(
            f"{answer['others_told']:,}" if answer["others_told"] else "none",
            answer["others_told"],
            *_PATH,
            "others_told",
        ),
        others=amount(answer["others"], *_PATH, "others"),
        these="these tasks" if several else "this task",
    )
    if answer["stated"]:
        shares = [f"{run['run']} {run['stated']:,} of {run['attempts']:,}" for run in answer["runs"] if run["attempts"]]
        yield say(
            "{stated} of them still {state} a value that no tool's answer holds ({runs}; e.g. {quotes}).",
            stated=amount(answer["stated"], *_PATH, "stated"),
            state="states" if answer["stated"] == 1 else "state",
            runs=listed(shares),
            quotes=listed([f"“{text}”" for text in answer["quotes"]]),
        )
    if answer["declined"]:
        shares = [f"{run['run']} {run['declined']:,}" for run in answer["runs"] if run["declined"]]
        yield say(
            "{declined} {say_} that the answer could not be found ({runs}).",
            declined=amount(answer["declined"], *_PATH, "declined"),
            say_="says" if answer["declined"] == 1 else "say",
            runs=listed(shares),
        )


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Nobody can find what is no longer there."""
    fault = TaskFault(
        "what nearly all judged attempts of all runs open is not there any more, and no tool shows the key"
    )
    return dict.fromkeys(answer["tasks"], fault)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """A source that is there, or no such task."""
    yield Advice(
        "data",
        f"Give {'task' if len(answer['tasks']) == 1 else 'tasks'} {task_list(answer['tasks'])} a source that can be "
        "opened, such as a kept copy, or leave them out of the score",
        say(
            "{told} of {attempts} {are} told that what they open is not there, and none passes.",
            told=amount(answer["told"], *_PATH, "told"),
            attempts=fact(count(answer["attempts"], "judged attempt"), answer["attempts"], *_PATH, "attempts"),
            are="is" if answer["told"] == 1 else "are",
        ),
        answer["attempts"],
        LIKELY,
    )
