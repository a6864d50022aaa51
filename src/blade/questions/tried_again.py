"""Does trying again after a failed call, instead of going on without it, separate passes from failures?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.tool_errors import WORKED_AGAIN
from blade.frozen import frozen
from blade.questions import SURE, in_order, outcome_p, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed

TITLE = "Trying again after a failed call"
ORDER = 60
WEIGHT = 1.1
FEWEST = 5
"""So many rollouts on either side, of several tasks."""
FEWEST_TASKS = 3
LIKELY = 0.5
MOST_OF_THE_CALLS = 0.5
"""A tool of which so many calls are made, a shell, is called again in any case."""
_PATH = ("investigation", "tried_again")


@frozen
class _Hit:
    """A rollout in which calls of a tool fail: their words, and whether it is called for the same object again."""

    case: Case
    words: tuple[str, ...]
    templates: frozenset[str]
    again: bool
    worked: bool


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tools whose failed calls some rollouts repeat and others do not, where that goes with the outcome."""
    hits: defaultdict[str, list[_Hit]] = defaultdict(list)
    for run in runs:
        for case in run.observing("errors"):
            for tool, hit in _hits(case).items():
                hits[tool].append(hit)
    tested: list[tuple[dict[str, Any], float]] = []
    for tool, every in sorted(hits.items()):
        group = _alike(every)
        left = [hit for hit in group if not hit.again]
        if min(len(left), len(group) - len(left)) < FEWEST or len({hit.case.key for hit in left}) < FEWEST_TASKS:
            continue
        if _is_the_main_tool(tool, group):
            continue
        p = outcome_p([hit.case for hit in group], {id(hit.case) for hit in left})
        entry = _entry(tool, group)
        if p is not None and entry["left_passes"] * entry["again"] < entry["again_passes"] * entry["left"]:
            tested.append((entry, p))
    adjusted = benjamini_hochberg([p for _, p in tested])
    tools = [
        entry | {"p": significant(p, WRITTEN)} for (entry, _), p in zip(tested, adjusted, strict=True) if p <= SURE
    ]
    tools.sort(key=lambda entry: (entry["left_passes"] - entry["left"], entry["tool"]))
    return {"tools": tools} if tools else None


def _alike(hits: Sequence[_Hit]) -> list[_Hit]:
    """The rollouts whose errors some repeat after and others do not: who meets another error is in another case."""
    again, left = (
        {template for hit in hits if hit.again is tried for template in hit.templates} for tried in (True, False)
    )
    return [hit for hit in hits if not (again & left).isdisjoint(hit.templates)]


def _hits(case: Case) -> dict[str, _Hit]:
    """The rollout by each tool of which a call failed."""
    failed: defaultdict[str, list[Sequence[Any]]] = defaultdict(list)
    for entry in case.observed["errors"]:
        failed[entry[0]].append(entry)
    return {
        tool: _Hit(
            case,
            tuple(entry[3] for entry in entries),
            frozenset(entry[1] for entry in entries),
            again=any(entry[7] for entry in entries),
            worked=any(entry[5] == WORKED_AGAIN for entry in entries),
        )
        for tool, entries in failed.items()
    }


def _is_the_main_tool(tool: str, hits: Sequence[_Hit]) -> bool:
    calls = sum(len(hit.case.tools) for hit in hits)
    return sum(hit.case.tools.count(tool) for hit in hits) >= MOST_OF_THE_CALLS * calls


def _entry(tool: str, hits: Sequence[_Hit]) -> dict[str, Any]:
    again, left = [hit for hit in hits if hit.again], [hit for hit in hits if not hit.again]
    words = Counter(hit.words[0] for hit in hits)
    commonest = max(sorted(words), key=lambda text: words[text])
    of_run, left_of_run = Counter(hit.case.run for hit in hits), Counter(hit.case.run for hit in left)
    return {
        "tool": tool,
        "quote": commonest,
        "kinds": len(words),
        "again": len(again),
        "again_passes": _passes(again),
        "worked": sum(hit.worked for hit in again),
        "left": len(left),
        "left_passes": _passes(left),
        "runs": [{"run": run, "left": left_of_run[run], "rollouts": of_run[run]} for run in sorted(of_run)],
        "tasks": in_order({hit.case.label for hit in left if not hit.case.passed}),
    }


def _passes(hits: Sequence[_Hit]) -> int:
    return sum(bool(hit.case.passed) for hit in hits)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["tools"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["tools"][0]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "tools", place)
    yield say(
        "After a failed call of {tool} ({words}), {again} {call} it again (which goes well in "
        "{worked}) and {again_passes} of them {pass_again}; "
        "{left} {go} on without it and {left_passes} of them {pass_left} (p = {p}, tasks of similar "
        "difficulty compared).",
        tool=entry["tool"],
        words=_answer_words(entry),
        again=fact(count(entry["again"], "rollout"), entry["again"], *path, "again"),
        again_passes=amount(entry["again_passes"], *path, "again_passes"),
        worked=amount(entry["worked"], *path, "worked"),
        left=amount(entry["left"], *path, "left"),
        left_passes=fact(
            f"{entry['left_passes']:,}" if entry["left_passes"] else "none", entry["left_passes"], *path, "left_passes"
        ),
        call="calls" if entry["again"] == 1 else "call",
        go="goes" if entry["left"] == 1 else "go",
        pass_again="passes" if entry["again_passes"] == 1 else "pass",
        pass_left="pass" if entry["left_passes"] > 1 else "passes",
        p=f"{entry['p']:.2g}",
    )
    shares = [f"{run['run']} in {run['left']:,} of {run['rollouts']:,}" for run in entry["runs"]]
    if len(shares) > 1:
        yield say("They go on without it: {runs}.", runs=listed(shares))
    if entry["tasks"]:
        yield say("It fails so in {tasks}.", tasks=task_list(entry["tasks"]))


def _answer_words(entry: Mapping[str, Any]) -> str:
    return f"“{entry['quote']}”" if entry["kinds"] == 1 else f"“{entry['quote']}” and other answers"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """What the passes do, for those that did not try."""
    for place, entry in enumerate(answer["tools"]):
        failures = entry["left"] - entry["left_passes"]
        yield Advice(
            "prompt",
            f"Have the agent call {entry['tool']} again after a failed call, as the passes do, before it goes on "
            "without it",
            say(
                "{again_passes} of the {again} rollouts that call {tool} again after a failed call pass, {left_passes} "
                "of the {left} others.",
                tool=entry["tool"],
                again=amount(entry["again"], *_PATH, "tools", place, "again"),
                again_passes=amount(entry["again_passes"], *_PATH, "tools", place, "again_passes"),
                left=amount(entry["left"], *_PATH, "tools", place, "left"),
                left_passes=amount(entry["left_passes"], *_PATH, "tools", place, "left_passes"),
            ),
            failures,
            LIKELY,
        )
