"""Do tasks whose prompt allows several answers, a tolerance or a dialogue pass clearly less often than the others?

A verifier that compares with one key fails right answers there. Whether it does is not known from that alone, so such
tasks are told as a doubt: they may also be the harder ones, wherefore tasks of like level are held against each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.extract.allowances import ANY_ANSWER, ANY_ORDER, DIALOGUE, KINDS, TOLERANCE
from blade.extract.recorded_results import NO_VALUE, NOTHING, REORDERED, ROUNDING, TIME
from blade.findings import OF_VERIFIER, TaskFault
from blade.questions import MOST_LEVELS, MOST_TASKS, SURE, in_order, judged, passes_by_run, task_levels, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, p_value, printable

TITLE = "Prompts that allow more than one answer"
ORDER = 73
WEIGHT = 1.5
FEWEST_TASKS = 5
FEWEST_UNPASSED, FEWEST_ROLLOUTS = 3, 6
"""So few tasks are enough where none of so many rollouts passes."""
MOST_RUNS = 6
MOST_NAMED = 4
DOUBTFUL = 0.3
_NO_RESULT = frozenset({NOTHING, NO_VALUE, TIME})
"""Results that no verifier could accept."""
_ALLOW = {
    ANY_ANSWER: "allow any of several answers",
    ANY_ORDER: "leave the order of the answer open",
    TOLERANCE: "grant a numeric tolerance",
    DIALOGUE: "make the task a dialogue with the judge",
}
_RIGHT = {
    ANY_ORDER: (REORDERED, "the test that failed got what was expected in another order"),
    TOLERANCE: (ROUNDING, "the test that failed got the expected numbers but for their last places"),
}
"""How a right answer differs from the key where the verifier records both, and that in words."""
_CHANGES = {
    ANY_ANSWER: "Have the verifier accept every valid answer of",
    ANY_ORDER: "Have the verifier take the answer in any order in",
    TOLERANCE: "Have the verifier compare numbers within the tolerance that the prompt grants in",
    DIALOGUE: "Have the verifier answer the program as the prompt says in",
}


@dataclass(slots=True)
class _AskedTask:
    """One task over all runs: its judged rollouts, and what its prompt allows, in its words."""

    label: str
    allows: Mapping[str, str]
    cases: list[Case] = field(default_factory=list)

    @property
    def passes(self) -> int:
        return sum(bool(case.passed) for case in self.cases)

    @property
    def solved(self) -> bool:
        """Whether at least half of its rollouts pass: rollouts of one task are no independent trials."""
        return 2 * self.passes >= len(self.cases)


Tasks = Mapping[str, _AskedTask]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per allowance that goes with failing: its tasks against those that allow nothing, over all runs and in each."""
    tasks = _tasks(runs)
    strict = {key: task for key, task in tasks.items() if not task.allows}
    entries = []
    for kind in KINDS:
        allowing = {key: task for key, task in tasks.items() if kind in task.allows}
        if _are_enough(allowing) and strict and _rate(allowing) < _rate(strict):
            p, apart = _p(runs, allowing, strict)
            if p <= SURE:
                entries.append(_entry(kind, allowing, strict, runs) | {"p": significant(p, WRITTEN), "apart": apart})
    return {"kinds": entries} if entries else None


def _tasks(runs: Sequence[RunCases]) -> dict[str, _AskedTask]:
    """The judged tasks whose prompt the rows show; what an unknown prompt allows is unknown."""
    tasks: dict[str, _AskedTask] = {}
    for run in runs:
        for case in judged(run):
            properties = case.observed.get("task") or {}
            if properties.get("prompt"):
                task = tasks.setdefault(case.key, _AskedTask(case.label, properties.get("allows") or {}))
                task.cases.append(case)
    return tasks


def _are_enough(allowing: Tasks) -> bool:
    rollouts = sum(len(task.cases) for task in allowing.values())
    unpassed = rollouts >= FEWEST_ROLLOUTS and not any(task.passes for task in allowing.values())
    return len(allowing) >= (FEWEST_UNPASSED if unpassed else FEWEST_TASKS)


def _rate(tasks: Tasks) -> float:
    return sum(task.solved for task in tasks.values()) / len(tasks)


def _p(runs: Sequence[RunCases], allowing: Tasks, strict: Tasks) -> tuple[float, str]:
    """The exact test of solved tasks, times the allowances asked for: the largest p of those that keep a field apart.

    With it goes the field; none where the rows record no level of the tasks. Where no level holds both kinds of tasks,
    the field says as much as the prompt, and p is 1.
    """
    levels: dict[str, Mapping[str, str]] = {}
    for run in runs:
        levels = {**task_levels(run), **levels}
    keys = [*allowing, *strict]
    fields = sorted({name for key in keys for name in levels.get(key, {})})
    candidates = [(_test({}, allowing, strict), "")]
    for name in fields:
        of_task = {key: levels[key][name] for key in keys if name in levels.get(key, {})}
        if len(of_task) == len(keys) and 1 < len(set(of_task.values())) <= MOST_LEVELS:
            candidates.append((_test(of_task, allowing, strict), name))
    p, apart = max(candidates)
    return min(1.0, p * len(KINDS)), apart


def _test(level: Mapping[str, str], allowing: Tasks, strict: Tasks) -> float:
    groups: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for tasks, start in ((allowing, 0), (strict, 2)):
        for key, task in tasks.items():
            groups[level.get(key, "")][start + (not task.solved)] += 1
    p = exact_p([(cells[0], cells[1], cells[2], cells[3]) for cells in groups.values()])
    return 1.0 if p is None else p


def _entry(kind: str, allowing: Tasks, strict: Tasks, runs: Sequence[RunCases]) -> dict[str, Any]:
    unpassed = [task for task in allowing.values() if not task.passes]
    example = min(allowing.values(), key=lambda task: (task.passes, len(task.allows[kind]), task.label))
    results = [case for task in allowing.values() for case in task.cases if not case.passed and _result(case)]
    return {
        "kind": kind,
        "tasks": in_order(task.label for task in allowing.values()),
        **_counts(allowing, None),
        "other_tasks": len(strict),
        **{f"other_{name}": number for name, number in _counts(strict, None).items()},
        "runs": [_of_run(run.run.name, allowing, strict) for run in runs],
        "unpassed": in_order(task.label for task in unpassed),
        "example": {"task": example.label, "words": example.allows[kind]},
        "recorded": len(results),
        "right": sum(_result(case) == _RIGHT[kind][0] for case in results) if kind in _RIGHT else 0,
        "doubtful": in_order(task.label for task in unpassed if _is_doubtful(kind, task)),
        "failures": sum(len(task.cases) for task in unpassed if _is_doubtful(kind, task)),
    }


def _counts(tasks: Tasks, run: str | None) -> dict[str, int]:
    cases = [case for task in tasks.values() for case in task.cases if run in {None, case.run}]
    return {"passes": sum(bool(case.passed) for case in cases), "rollouts": len(cases)}


def _of_run(run: str, allowing: Tasks, strict: Tasks) -> dict[str, Any]:
    of_others = {f"other_{name}": number for name, number in _counts(strict, run).items()}
    return {"run": run, **_counts(allowing, run), **of_others}


def _result(case: Case) -> str:
    """How the recorded result of the failed test differs from the key; empty where none is recorded."""
    return str((case.observed.get("result") or {}).get("kind") or "")


def _is_doubtful(kind: str, task: _AskedTask) -> bool:
    """Whether the key may be what fails the task: not where all recorded results are wrong in another way."""
    recorded = Counter(filter(None, map(_result, task.cases)))
    if not recorded or kind == DIALOGUE:
        return True
    return bool(recorded[_RIGHT[kind][0]]) if kind in _RIGHT else not _NO_RESULT.issuperset(recorded)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["kinds"])))]


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_AT, "kinds", place)
    example = entry["example"]
    yield say(
        "The prompts of {tasks} {allow} (task {task}: “{words}”): {passes} of {rollouts} pass, of those of the other "
        "{others} {other_passes} of {other_rollouts}{unpassed}.",
        task=example["task"],
        words=printable(example["words"]),
        others=fact(count(entry["other_tasks"], "task"), entry["other_tasks"], *path, "other_tasks"),
        unpassed=_unpassed(entry, MOST_TASKS),
        **_numbers(path, entry),
    )
    yield say(
        "That is beyond chance (exact test over tasks{apart}, p {p}): they may be harder, or the verifier {fails}.",
        p=p_value(entry["p"], *path, "p"),
        apart=f", each {entry['apart']} by itself" if entry["apart"] else "",
        fails=_fails(entry),
    )
    if 1 < len(entry["runs"]) <= MOST_RUNS:
        yield passes_by_run("Passes at these and at the other tasks", path, entry["runs"])
    if entry["right"]:
        yield say(
            "In {right} of the {recorded} whose result is recorded, {words}.",
            right=amount(entry["right"], *path, "right"),
            recorded=fact(count(entry["recorded"], "failure"), entry["recorded"], *path, "recorded"),
            words=_RIGHT[entry["kind"]][1],
        )


def _unpassed(entry: Mapping[str, Any], limit: int) -> str:
    """How many of the tasks no run passes, and which."""
    number, names = len(entry["unpassed"]), task_list(entry["unpassed"], limit)
    if number == len(entry["tasks"]):
        return f"; none of the {number:,} is passed by any run ({names})"
    return (
        f"; {number:,} of the {len(entry['tasks']):,} {'is' if number == 1 else 'are'} passed by no run ({names})"
        if number
        else ""
    )


def _fails(entry: Mapping[str, Any]) -> str:
    """What a verifier does that does not grant what the prompt allows."""
    if entry["kind"] == DIALOGUE:
        return "feeds a fixed input, compares the output and fails right programs"
    return "compares with one key and fails right answers"


def _numbers(path: tuple[str | int, ...], entry: Mapping[str, Any]) -> dict[str, Fact | str]:
    return {
        "tasks": fact(count(len(entry["tasks"]), "task"), entry["tasks"], *path, "tasks"),
        "allow": _ALLOW[entry["kind"]],
        "passes": amount(entry["passes"], *path, "passes"),
        "rollouts": fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        "other_passes": amount(entry["other_passes"], *path, "other_passes"),
        "other_rollouts": amount(entry["other_rollouts"], *path, "other_rollouts"),
    }


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What tasks that allow more pass against the others, and what may be behind it."""
    parts: list[str | Fact] = []
    for place, entry in enumerate(answer["kinds"]):
        numbers = _numbers((*_AT, "kinds", place), entry)
        parts += ["; " if place else "", f"where the prompts {_ALLOW[entry['kind']]}, ", numbers["passes"], " of "]
        parts += [numbers["rollouts"], " (", numbers["tasks"], _none(entry), ")"]
    numbers = _numbers((*_AT, "kinds", 0), answer["kinds"][0])
    start = "Tasks whose prompt allows more than one answer pass less often than the others ("
    ends = "). They may be harder, or the verifier fails right answers: "
    yield Sentence((start, numbers["other_passes"], " of ", numbers["other_rollouts"], ends, *parts, "."))


def _none(entry: Mapping[str, Any]) -> str:
    number, names = len(entry["unpassed"]), task_list(entry["unpassed"], MOST_NAMED)
    if not number:
        return ""
    passed = "none passed by any run" if number == len(entry["tasks"]) else f"{number:,} passed by no run"
    return f", {passed}: {names}"


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Tasks that no run passes and whose prompt allows more than one key may hold: their failures may be its."""
    return {
        label: TaskFault(
            f"the prompts of such tasks {_ALLOW[entry['kind']]}, and hardly any rollout passes", OF_VERIFIER
        )
        for entry in answer["kinds"]
        for label in entry["doubtful"]
    }


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Let the verifier accept what the prompt allows, or set these tasks aside, and judge them again."""
    for place, entry in enumerate(answer["kinds"]):
        if entry["doubtful"]:
            path = (*_AT, "kinds", place)
            yield Advice(
                "verifier",
                f"{_CHANGES[entry['kind']]} {task_list(entry['doubtful'], 8)}, or set these tasks aside, and judge "
                "them again",
                say(
                    "Their prompts {allow}, and none of their {failures} passes: a single key fails right answers.",
                    allow=_ALLOW[entry["kind"]],
                    failures=fact(count(entry["failures"], "rollout"), entry["failures"], *path, "failures"),
                ),
                entry["failures"],
                DOUBTFUL,
            )


_AT = ("investigation", "lenient_prompts")
