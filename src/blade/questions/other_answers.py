"""Do the tools of one run answer otherwise than those of the others, asked the same before anything was changed?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.copies import independent_runs
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.text import clip
from blade.model import Source
from blade.questions import in_order, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Tools that answer differently in one run"
ORDER = 61
WEIGHT = 1.5
CERTAIN = 0.9
FEWEST_TASKS = 3
MOSTLY = 0.5
"""Of the calls that a run shares with others, so many must be answered otherwise."""
STEADY = 0.9
"""So many equal calls must get equal answers elsewhere: a clock or a random number is no other environment."""
FEWEST_ALIKE = 2
MOST = 4
LONGEST = 160


@dataclass(slots=True)
class SharedCall:
    """One call in one task: run → its answers with the rollouts that got them."""

    answers: defaultdict[str, dict[int, Case]] = field(default_factory=lambda: defaultdict(dict))
    rollouts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Runs and tools of which the same first calls in the same tasks get an answer that no other run gets."""
    tools: defaultdict[str, defaultdict[tuple[str, int], SharedCall]] = defaultdict(lambda: defaultdict(SharedCall))
    for run in independent_runs(runs):
        for case in run.observing("first_answers"):
            for tool, call, answer, _ in {entry[1]: entry for entry in case.observed["first_answers"]}.values():
                asked = tools[tool][case.key, call]
                asked.answers[case.run].setdefault(answer, case)
                asked.rollouts[case.run] += 1
    entries = [
        entry
        for tool, calls in sorted(tools.items())
        for run in sorted({name for asked in calls.values() for name in asked.answers})
        if _answered_alike(tools.values(), run) >= FEWEST_ALIKE and (entry := _entry(tool, run, calls)) is not None
    ]
    entries.sort(key=lambda entry: (-entry["tasks"], entry["tool"], entry["run"]))
    chosen = [entry for entry in entries if not any(_mirrored(entry, other) for other in entries)]
    return {"tools": chosen[:MOST], "others": len(chosen[MOST:])} if chosen else None


def _answered_alike(tools: Iterable[Mapping[tuple[str, int], SharedCall]], run: str) -> int:
    """Calls that a run shares with others and that are answered alike: without any, its harness words all otherwise."""
    shared = (asked for calls in tools for asked in calls.values() if run in asked.answers and len(asked.answers) > 1)
    return sum(not _differs(asked, run) for asked in shared)


def _mirrored(entry: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two runs differ from each other and nobody else is there: told once, of the later one."""
    return (
        bool(entry["tool"] == other["tool"] and entry["others"] == [other["run"]] and other["others"] == [entry["run"]])
        and entry["run"] < other["run"]
    )


def _entry(tool: str, run: str, calls: Mapping[tuple[str, int], SharedCall]) -> dict[str, Any] | None:
    shared = {place: asked for place, asked in calls.items() if run in asked.answers and len(asked.answers) > 1}
    other = {place: asked for place, asked in shared.items() if _differs(asked, run)}
    tasks = {task for task, _ in other}
    if len(tasks) < FEWEST_TASKS or len(other) < MOSTLY * len(shared) or not _steady(calls, run):
        return None
    place = min(other)
    another = min(other[place].answers.keys() - {run})
    own_case, other_case = (next(iter(other[place].answers[name].values())) for name in (run, another))
    cases = [case for asked in other.values() for case in asked.answers[run].values()]
    return {
        "tool": tool,
        "run": run,
        "others": sorted({name for asked in shared.values() for name in asked.answers} - {run}),
        "calls": len(other),
        "of": len(shared),
        "tasks": len(tasks),
        "labels": in_order(case.label for case in cases),
        "example": _example(place[1], own_case, other_case),
    }


def _differs(asked: SharedCall, run: str) -> bool:
    """Whether none of a run's answers is one that another run gets."""
    elsewhere = {answer for name, answers in asked.answers.items() if name != run for answer in answers}
    return elsewhere.isdisjoint(asked.answers[run])


def _steady(calls: Mapping[tuple[str, int], SharedCall], run: str) -> bool:
    """Whether the same call gets the same answer in the other runs, and within the run where it is made twice."""
    compared = agreeing = own = own_agreeing = 0
    for asked in calls.values():
        others = [answers for name, answers in asked.answers.items() if name != run]
        rollouts = sum(many for name, many in asked.rollouts.items() if name != run)
        if rollouts > 1:
            compared += 1
            agreeing += len({answer for answers in others for answer in answers}) == 1
        if asked.rollouts[run] > 1:
            own += 1
            own_agreeing += len(asked.answers[run]) == 1
    return compared >= FEWEST_TASKS and agreeing >= STEADY * compared and own_agreeing >= STEADY * own


def _example(call: int, own: Case, other: Case) -> dict[str, Any]:
    """Both answers to one call, as they stand in the rows."""
    texts = {}
    for case in (own, other):
        item = next(entry[3] for entry in case.observed["first_answers"] if entry[1] == call)
        for _, row in open_rows([Source(*case.place)]):
            text = next((step.text for step in Attempt(row).steps if step.item == item), "")
            texts[case.run] = clip(" ".join(text.split()), LONGEST)
    return {"task": own.label, "answers": texts}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_words(place, entry))) for place, entry in enumerate(answer["tools"])]
    if answer["others"]:
        items.append(Paragraph((say("{more} in analysis.json.", more=count(answer["others"], "more tool")),)))
    return [Bullets(tuple(items))]


def _words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_AT, "tools", place)
    yield say(
        "{tool} answers differently in {run}: before anything is changed, {calls} of {of} in the same tasks get an "
        "answer there that {others} never {get} ({tasks}), while elsewhere the same call gets the same answer. The "
        "environment is not the same, so that a difference between the runs is not the model's alone.",
        tool=entry["tool"],
        run=entry["run"],
        calls=amount(entry["calls"], *path, "calls"),
        of=fact(count(entry["of"], "equal call"), entry["of"], *path, "of"),
        others=listed(entry["others"]),
        get="gets" if len(entry["others"]) == 1 else "get",
        tasks=task_list(entry["labels"]),
    )
    quotes = "; ".join(f"{run} “{text}”" for run, text in entry["example"]["answers"].items())
    yield say("For instance in task {task}: {quotes}.", task=entry["example"]["task"], quotes=quotes)


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The tool that answers most calls otherwise."""
    entry = answer["tools"][0]
    yield say(
        "The environment differs: {tool} answers {calls} of {of} differently in {run} than in {others}, before "
        "anything is changed.",
        tool=entry["tool"],
        calls=amount(entry["calls"], *_AT, "tools", 0, "calls"),
        of=fact(count(entry["of"], "equal call"), entry["of"], *_AT, "tools", 0, "of"),
        run=entry["run"],
        others=listed(entry["others"]),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Make the environments alike before their runs are compared."""
    for place, entry in enumerate(answer["tools"]):
        yield Advice(
            "environment",
            f"Give {entry['run']} the same {entry['tool']} as the other runs, and run it again before it is compared",
            say(
                "It answers {calls} of {of} differently there, in {tasks}.",
                calls=amount(entry["calls"], *_AT, "tools", place, "calls"),
                of=fact(count(entry["of"], "equal call"), entry["of"], *_AT, "tools", place, "of"),
                tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *_AT, "tools", place, "tasks"),
            ),
            entry["tasks"],
            CERTAIN,
            before_scores=True,
        )


_AT = ("investigation", "other_answers")
