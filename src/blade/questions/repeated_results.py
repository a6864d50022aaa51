"""Which failures hold every wanted item, and some more than once: done twice, or left over from an attempt before?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.extract.names import is_outcome
from blade.questions import cause, in_order, judged, task_list
from blade.wording import count, fact, listed

TITLE = "Right items more than once"
ORDER = 71
WEIGHT = 1.3
FEWEST, RARELY = 3, 0.3
_PATH = ("investigation", "repeated_results")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The failures whose compared items are those wanted, some several times, by run and by attempt."""
    entries, causes = [], []
    for run in runs:
        failures = [case for case in judged(run) if not case.passed and "repeated" in case.observed]
        if len(failures) >= FEWEST:
            attempts = Counter(case.attempt for case in failures)
            every = sorted({case.attempt for case in judged(run)})
            first = failures[0]
            if all(case.attempt != every[0] for case in failures):
                causes.append(cause("IR", "has what is wanted several times over, as no first attempt does", failures))
            entries.append(
                {
                    "run": run.run.name,
                    "rollouts": len(failures),
                    "tasks": in_order(case.label for case in failures),
                    "attempts": [[attempt, attempts[attempt]] for attempt in every],
                    "task": first.label,
                    "attempt": first.attempt,
                    "sides": first.observed["repeated"],
                    "field": _shared_field(run, {id(case) for case in failures}),
                }
            )
    if not entries:
        return None
    entries.sort(key=lambda entry: (-entry["rollouts"], entry["run"]))
    return {"runs": entries, "causes": causes}


def _shared_field(run: RunCases, chosen: Collection[int]) -> list[Any] | None:
    """A field of words that has one value in all these rollouts, and that value in few others; how many have it.

    It is no field of the task: some task is tried with another value, too.
    """
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    shared_counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    of_task: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for case, fields in zip(run.cases, run.fields(), strict=True):
        for name, value in fields.items():
            if isinstance(value, str) and not is_outcome(name):
                values[name][value] += 1
                of_task[name].add((case.key, value))
                shared_counts[name][value] += id(case) in chosen
    shared = [
        (values[name][level], name, level)
        for name, counts in shared_counts.items()
        for level, many in counts.items()
        if many == len(chosen) and values[name][level] <= RARELY * len(run.cases)
    ]
    return next(
        ([name, level, many] for many, name, level in sorted(shared) if len(of_task[name]) > len(run.by_task())), None
    )


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["runs"])]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer["runs"]):
        if _is_left_over(entry):
            yield next(_sentences(place, entry))


def _is_left_over(entry: Mapping[str, Any]) -> bool:
    """Whether later attempts alone have it, of several: the first one finds nothing of another."""
    attempts = entry["attempts"]
    return len(attempts) > 1 and not attempts[0][1] and entry["rollouts"] > FEWEST


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_PATH, "runs", place)
    yield say(
        "{rollouts} of {run} in {tasks} ({names}) hold every item that the verifier wants, and some of them more than "
        "once" + ("; never in the first attempt at a task" if _is_left_over(entry) else "") + ".",
        rollouts=fact(count(entry["rollouts"], "judged failure"), entry["rollouts"], *at, "rollouts"),
        run=entry["run"],
        tasks=fact(count(len(entry["tasks"]), "task"), len(entry["tasks"]), *at, "tasks"),
        names=task_list(entry["tasks"]),
    )
    if len(entry["attempts"]) > 1:
        yield say(
            "By attempt: {attempts}.",
            attempts=listed([f"attempt {attempt}: {many:,}" for attempt, many in entry["attempts"]]),
        )
    if entry["field"]:
        yield say(
            "All of them have {field} {level}, as have {many} of the run.",
            field=entry["field"][0],
            level=entry["field"][1],
            many=fact(count(entry["field"][2], "rollout"), entry["field"][2], *at, "field", 2),
        )
    yield say(
        "For instance {left} against {right} (task {task}, attempt {attempt}).",
        left=entry["sides"][0],
        right=entry["sides"][1],
        task=entry["task"],
        attempt=str(entry["attempt"]),
    )
    if _is_left_over(entry):
        yield say("Something may be left over from the attempts before: look whether each begins from the same state.")
