"""Is one task another in another run: is what its user or its agent is told worded otherwise there?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.task_text import instruction
from blade.extract.text import clip
from blade.model import Source
from blade.questions import by_task, in_order, judged, task_list
from blade.wording import amount, count, fact

TITLE = "Tasks that are not the same in all runs"
ORDER = 14
OF_COPIES = True
WEIGHT = 1.5
MOST_NAMED = 5
CERTAIN = 0.9
MOST_SHOWN = 4
MOST_PAIRS = 6
SOME = 0.5
"""Where more of the common tasks are worded otherwise, the wording is a setting of the run."""
LONGEST_PART = 160


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Pairs of runs in which a few common tasks have another instruction, and how it differs."""
    texts = [_instructions(run) for run in runs]
    pairs = []
    for (first, left), (other, right) in combinations(zip(runs, texts, strict=True), 2):
        common = left.keys() & right.keys()
        changed_cases = [key for key in common if _hash(left[key]) != _hash(right[key])]
        if changed_cases and len(changed_cases) < SOME * len(common):
            pairs.append(_pair(first, other, [(left[key], right[key]) for key in sorted(changed_cases)], len(common)))
    return {"pairs": pairs[:MOST_PAIRS], "of_pairs": len(pairs)} if pairs else None


def _instructions(run: RunCases) -> dict[str, Case]:
    """One rollout of each task that is told with one instruction in all its attempts."""
    tasks = by_task([case for case in judged(run) if "instruction" in (case.observed.get("task") or {})])
    return {key: cases[0] for key, cases in tasks.items() if len({_hash(case) for case in cases}) == 1}


def _hash(case: Case) -> int:
    return int(case.observed["task"]["instruction"])


def _pair(first: RunCases, other: RunCases, changed_cases: Sequence[tuple[Case, Case]], common: int) -> dict[str, Any]:
    return {
        "one": first.run.name,
        "other": other.run.name,
        "common": common,
        "tasks": in_order(left.label for left, _ in changed_cases),
        "of_tasks": len(changed_cases),
        "changed": sum(left.passed != right.passed for left, right in changed_cases),
        "shown": [
            {"task": left.label, **words}
            for left, right in changed_cases[:MOST_SHOWN]
            if (words := _difference(left, right))
        ],
    }


def _difference(left: Case, right: Case) -> dict[str, str] | None:
    """The longest words that only one of two instructions has."""
    first, other = (_words(case) for case in (left, right))
    parts = [part for part in SequenceMatcher(None, first, other, autojunk=False).get_opcodes() if part[0] != "equal"]
    if not first or not other or not parts:
        return None
    _, start, end, begin, stop = max(parts, key=lambda part: part[2] - part[1] + part[4] - part[3])
    return {
        "one": clip(" ".join(first[start:end]), LONGEST_PART),
        "other": clip(" ".join(other[begin:stop]), LONGEST_PART),
    }


def _words(case: Case) -> list[str]:
    return next((instruction(row).split() for _, row in open_rows([Source(*case.place)])), [])


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, item))) for place, item in enumerate(answer["pairs"])))]


def _sentences(place: int, item: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "changed_tasks", "pairs", place)
    yield say(
        "{tasks} of {common} that {one} and {other} have in common {are} given with another instruction ({names}): "
        "there the task itself may have changed. The outcome differs in {changed} of them.",
        tasks=amount(item["of_tasks"], *at, "of_tasks"),
        common=fact(count(item["common"], "task"), item["common"], *at, "common"),
        one=item["one"],
        other=item["other"],
        are="is" if item["of_tasks"] == 1 else "are",
        names=task_list(item["tasks"]),
        changed=amount(item["changed"], *at, "changed"),
    )
    for entry in item["shown"]:
        yield say(
            "Task {task}: {left} in {one}, {right} in {other}.",
            task=entry["task"],
            one=item["one"],
            other=item["other"],
            left=_quoted(entry["one"]),
            right=_quoted(entry["other"]),
        )


def _quoted(text: str) -> str:
    return f"“{text}”" if text else "nothing of it"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Tasks with another instruction, where the outcome differs, belong in no comparison."""
    for item in answer["pairs"]:
        if item["changed"]:
            yield Advice(
                "data",
                f"Compare {item['one']} and {item['other']} without the tasks that were given with another "
                "instruction, or run both with one",
                say(
                    "{tasks} differ ({names}), {changed} of them in the outcome.",
                    tasks=count(item["of_tasks"], "task"),
                    names=task_list(item["tasks"], MOST_NAMED),
                    changed=f"{item['changed']:,}",
                ),
                item["changed"],
                CERTAIN,
                before_scores=True,
            )
