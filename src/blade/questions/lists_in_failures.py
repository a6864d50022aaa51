"""Which lists of the verifier hold something, or nothing, in failures alone?

A verifier may write down what it found beside the checks: changes that nobody asked for, broken rules, files too many.
A list that is empty in passes and holds something in failures decides them, whether or not a check says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.counted_as_passes import by_run, run_counts
from blade.diagnosis.deciding_lists import deciding_lists
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, task_list
from blade.wording import amount, count, fact, printable

TITLE = "Lists of the verifier that part failures from passes"
ORDER = 37
WEIGHT = 1.4
MOST_SHOWN = 4
_PATH = ("investigation", "lists_in_failures", "lists")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per list the failures in which it holds something, those without a failing check among them, and an entry."""
    lists = deciding_lists(runs)
    if not lists:
        return None
    failures = sum(not case.passed for run in runs for case in run.observing("verifier_lists"))
    entries = [_entry(kind, failing, failures, runs) for kind, failing in lists.items()]
    entries.sort(key=lambda entry: (-entry["alone"], -entry["failures"], entry["list"]))
    return {"lists": entries[:MOST_SHOWN], "left_out": len(entries[MOST_SHOWN:])}


def _entry(kind: tuple[str, bool], failing: Sequence[Case], failures: int, runs: Sequence[RunCases]) -> dict[str, Any]:
    name, filled = kind
    first = failing[0]
    return {
        "list": name,
        "filled": filled,
        "failures": len(failing),
        "of": failures,
        "alone": sum(bool(case.checks) and all(case.checks.values()) for case in failing),
        "tasks": in_order(case.label for case in failing),
        "runs": run_counts(runs, failing),
        "entry": printable(first.observed["verifier_lists"][name][1]),
        "example": {"run": first.run, "task": first.label, "attempt": first.attempt},
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["lists"])]
    if answer["left_out"]:
        items.append(Paragraph((say("{more} in analysis.json.", more=count(answer["left_out"], "more list")),)))
    return [Bullets(tuple(items))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["lists"][0]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_PATH, place)
    alone = f", in {entry['alone']:,} of them though every check is met" if entry["alone"] else ""
    yield say(
        "“{list}” {state} in {failures} of {of} and in hardly a pass ({runs}; {tasks}){alone}; for example in task "
        "{task}, attempt {attempt} of {run}{entry}.",
        state="holds something" if entry["filled"] else "is empty",
        list=entry["list"],
        failures=amount(entry["failures"], *at, "failures"),
        of=fact(count(entry["of"], "judged failure"), entry["of"], *at, "of"),
        runs=by_run(entry["runs"]),
        tasks=task_list(entry["tasks"]),
        alone=alone,
        entry=f": “{entry['entry']}”" if entry["filled"] else "",
        **{name: str(value) for name, value in entry["example"].items()},
    )
