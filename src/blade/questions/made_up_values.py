"""Does the model write what its simulated user made up?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.health import Item
from blade.health import item as health_item
from blade.questions import SURE, in_order, judged, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p, risk_difference
from blade.wording import count, fact, listed

TITLE = "What the user made up and the model wrote"
ORDER = 91
WEIGHT = 1.8
FEWEST = 3
MOST_TASKS = 5
MOST_VALUES = 5

Row = tuple[str, Case, list[list[Any]]]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rollouts with an accepted change outside the key that holds what only the user said, where those fail."""
    rows: list[Row] = []
    tables: list[Table] = []
    for run in runs:
        cases = judged(run)
        having = [case for case in cases if "made_up" in case.observed]
        rows += [(run.run.name, case, case.observed["made_up"]) for case in having]
        passes, all_passes = (sum(bool(case.passed) for case in some) for some in (having, cases))
        failures = len(having) - passes
        tables.append((passes, failures, all_passes - passes, len(cases) - all_passes - failures))
    p, effect = exact_p(tables), risk_difference(tables)
    if len(rows) < FEWEST or p is None or p > SURE or effect is None or effect >= 0:
        return None
    tasks: dict[str, list[Row]] = {}
    for row in rows:
        tasks.setdefault(row[1].key, []).append(row)
    told = sorted(tasks.values(), key=lambda some: (-len(some), some[0][1].label))
    return {
        "rollouts": len(rows),
        "passes": sum(bool(case.passed) for _, case, _ in rows),
        "runs": dict(Counter(name for name, _, _ in rows)),
        "tasks": in_order(case.label for _, case, _ in rows),
        "p": significant(p, WRITTEN),
        "shown": [_task(some) for some in told[:MOST_TASKS] if len(some) > 1],
    }


def _task(rows: Sequence[Row]) -> dict[str, Any]:
    """One task: who wrote which invention."""
    values: dict[str, list[str]] = {}
    for run, _, found in rows:
        tool, name, value, *_ = max(found, key=lambda entry: len(entry[2]))
        values.setdefault(value.lower(), [tool, name, value]).append(run)
    return {
        "task": rows[0][1].label,
        "rollouts": len(rows),
        "passes": sum(bool(case.passed) for _, case, _ in rows),
        "values": [
            {"tool": tool, "argument": name, "value": value, "runs": sorted(set(runs))}
            for tool, name, value, *runs in sorted(values.values(), key=lambda entry: (3 - len(entry), entry[2]))
        ][:MOST_VALUES],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(answer)))]
    items += [Paragraph((_task_words(place, entry),)) for place, entry in enumerate(answer["shown"])]
    return [Bullets(tuple(items))]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        "In {rollouts} the model writes what its simulated user made up: words found neither in the user's "
        "instruction nor in any tool's answer; {passes} (p = {p}). By run: {runs}. Tasks: {tasks}.",
        rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
        passes=fact(_passing(answer["passes"]), answer["passes"], *_PATH, "passes"),
        p=fact(f"{answer['p']:.2g}", answer["p"], *_PATH, "p"),
        runs=listed([f"{name} {many:,}" for name, many in sorted(answer["runs"].items())]),
        tasks=task_list(answer["tasks"]),
    )
    yield say("The user should say that it does not know, and the model may look it up.")


def _passing(passes: int) -> str:
    return count(passes, "of them passes", "of them pass") if passes else "none of them pass"


def _task_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "shown", place)
    return say(
        "Task {task} ({rollouts}, passes: {passes}): {values}.",
        task=entry["task"],
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        values=_values(entry["values"]),
        passes=fact(f"{entry['passes']:,}" if entry["passes"] else "none", entry["passes"], *path, "passes"),
    )


def _values(values: Sequence[Mapping[str, Any]]) -> str:
    """What is invented and by the users of which runs; the argument once where it is the same."""
    arguments = {each["argument"] for each in values}
    if len(arguments) > 1:
        return listed([f"“{each['value']}” as {each['argument']} ({listed(each['runs'])})" for each in values])
    shown = listed([f"“{each['value']}” ({listed(each['runs'])})" for each in values])
    return f"{arguments.pop()} {shown}"


_PATH = ("investigation", "made_up_values")


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """What users invent and the model writes."""
    words = (
        f"{count(answer['rollouts'], 'rollout')} write a value that the simulated user made up; "
        f"{_passing(answer['passes'])}."
    )
    yield health_item("misleading_users", "medium", words, tasks=answer["tasks"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """A user that says that it does not know, in place of one that invents."""
    failures = answer["rollouts"] - answer["passes"]
    if failures:
        yield Advice(
            "environment",
            "Have the simulated user say that it does not know instead of inventing what the agent then writes",
            say(
                "{many} write such a value (tasks {tasks}).",
                many=count(failures, "failure"),
                tasks=task_list(answer["tasks"]),
            ),
            failures,
            0.6,
        )
