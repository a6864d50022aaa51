"""Which value do most rollouts of several runs hand in though it fails, where no row names the key?

Rollouts that find one value by themselves may be right and the key wrong, or all of them fall for the same. What passes
hand in instead shows what the verifier wants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.submissions import submissions
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, OTHER_KEYS, by_task, in_order, judged, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Values that most rollouts hand in, and that fail"
ORDER = 79
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_RUNS = 3, 2
"""So many rollouts of so many runs hand in the value, and half of the rollouts at the task at least."""
MOST_SHOWN = 8
LIKELY = 0.4
_PATH = ("investigation", "shared_submissions")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks with such a value: how many rollouts hand it in, of which runs, and what the passes hand in."""
    cases = [case for run in runs for case in judged(run) if _is_without_key(case)]
    values = submissions(cases)
    if not values:
        return None
    entries = [entry for rows in by_task(cases).values() if (entry := _of_task(rows, values)) is not None]
    if not entries:
        return None
    entries.sort(key=lambda entry: (-entry["rollouts"], entry["task"]))
    return {
        "tasks": in_order(entry["task"] for entry in entries),
        "rollouts": sum(entry["rollouts"] for entry in entries),
        "shown": entries[:MOST_SHOWN],
    }


def _is_without_key(case: Case) -> bool:
    """Whether neither an expected answer nor expected changes are known."""
    observed = case.observed
    return "expected" not in observed and not (observed.get("answer") or {}).get("key")


def _of_task(rows: Sequence[Case], values: Mapping[int, str]) -> dict[str, Any] | None:
    counts = Counter(values[id(case)] for case in rows if id(case) in values)
    value, rollouts = counts.most_common(1)[0] if counts else ("", 0)
    giving = [case for case in rows if values.get(id(case)) == value]
    runs = list(dict.fromkeys(case.run for case in giving))
    if rollouts < FEWEST or 2 * rollouts < len(rows) or len(runs) < FEWEST_RUNS or any(case.passed for case in giving):
        return None
    passes = [case for case in rows if case.passed]
    return {
        "task": rows[0].label,
        "value": value,
        "rollouts": rollouts,
        "judged": len(rows),
        "runs": [[run, sum(case.run == run for case in giving)] for run in runs],
        "passes": len(passes),
        "passing": Counter(values[id(case)] for case in passes if id(case) in values).most_common(2),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = (Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["shown"]))
    left = answer["tasks"][len(answer["shown"]) :]
    more = say("{more} in analysis.json.", more=count(len(left), "more task"))
    head = say(
        "No row names the key of these tasks. Where rollouts that know nothing of each other hand in one value, the "
        "key may be wrong, or all of them fall for the same."
    )
    return [Paragraph((head,)), Bullets(tuple(items)), *([Paragraph((more,))] if left else [])]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(0, answer["shown"][0])


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_PATH, "shown", place)
    return say(
        "{rollouts} of {judged} of task {task} hand in {value} ({runs}), and all of them fail; {passing}.",
        task=entry["task"],
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        judged=fact(count(entry["judged"], "rollout"), entry["judged"], *at, "judged"),
        value=entry["value"],
        runs=listed([f"{run} {rollouts:,}" for run, rollouts in entry["runs"]]),
        passing=_passing(entry),
    )


def _passing(entry: Mapping[str, Any]) -> str:
    if not entry["passes"]:
        return "no rollout passes"
    passing = entry["passing"]
    is_one = len(passing) == 1 and passing[0][1] == entry["passes"]
    values = passing[0][0] if is_one else listed([f"{value} in {rollouts:,}" for value, rollouts in passing])
    return f"{count(entry['passes'], 'rollout passes', 'rollouts pass')}{f', with {values}' if values else ''}"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """The keys of these tasks are to be looked at."""
    yield Advice(
        "verifier",
        OTHER_KEYS,
        say(
            "In {tasks} most rollouts of several runs hand in one value that fails.",
            tasks=fact(task_list(answer["tasks"]), answer["tasks"], *_PATH, "tasks"),
        ),
        answer["rollouts"],
        LIKELY,
        before_scores=True,
    )
