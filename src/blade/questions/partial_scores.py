"""Which parts of the verdict are recorded for some tasks only, and which failures have them perfect?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import judged
from blade.translate.rollout_row import NOT_IN_THE_REWARD
from blade.wording import amount, count, fact, listed

TITLE = "Scores that only some tasks have"
ORDER = 78
WEIGHT = 1.5
FEWEST_TASKS = 3
MOST_SHOWN = 3
MOSTLY = 0.85
REWARDS = ("reward", "score")
OF_THE_TASK = "metadata."
"""Numbers there came with the task, such as what its authors answered: no verifier recorded them."""
Rows = Sequence[tuple[Case, Mapping[str, Any]]]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Numbers from 0 to 1 that stand on the rows of some tasks and on none of others."""
    rows = [pair for run in runs for pair in _rows(run)]
    tasks = {case.key for case, _ in rows}
    partial = {name: own for name, own in _tasks_with(rows).items() if _some(own, tasks)}
    found: list[dict[str, Any]] = []
    for name, own in partial.items():
        perfect = _perfect(name, own, rows, runs)
        if any(entry["perfect"] for entry in perfect):
            others = sorted(other for other, theirs in partial.items() if not own & theirs)
            found.append({"field": name, "tasks": len(own), "of": len(tasks), "never_with": others, "runs": perfect})
    found.sort(key=lambda item: (-sum(entry["perfect"] for entry in item["runs"]), item["field"]))
    return {"fields": found[:MOST_SHOWN]} if found else None


def _rows(run: RunCases) -> Iterator[tuple[Case, Mapping[str, Any]]]:
    told = {id(case) for case in judged(run)}
    for case, fields in zip(run.cases, run.fields(), strict=True):
        if id(case) in told:
            yield case, fields


def _tasks_with(rows: Rows) -> dict[str, set[str]]:
    """Per field the tasks whose rows have it; without the reward and fields that only some rows of a task have."""
    have: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    size: defaultdict[str, int] = defaultdict(int)
    wrong: set[str] = set()
    for case, fields in rows:
        size[case.key] += 1
        for name, value in fields.items():
            if name in wrong or isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            if not 0 <= value <= 1 or name.rsplit(".", 1)[-1] in REWARDS or _decides_nothing(name):
                wrong.add(name)
            have[name][case.key] += 1
    return {
        name: set(tasks)
        for name, tasks in have.items()
        if name not in wrong and sum(tasks.values()) >= MOSTLY * sum(size[key] for key in tasks)
    }


def _decides_nothing(name: str) -> bool:
    """Whether a field came with the task, or its source says that the verdict does not rest on it."""
    return name.startswith(OF_THE_TASK) or NOT_IN_THE_REWARD in name


def _some(own: set[str], tasks: set[str]) -> bool:
    return FEWEST_TASKS <= len(own) <= len(tasks) - FEWEST_TASKS


def _perfect(name: str, own: set[str], rows: Rows, runs: Sequence[RunCases]) -> list[dict[str, Any]]:
    """Per run: failures of these tasks, and those of them whose value is the best there is."""
    failed = [(case, fields[name]) for case, fields in rows if case.key in own and not case.passed and name in fields]
    return [
        {
            "run": run.run.name,
            "failures": sum(case.run == run.run.name for case, _ in failed),
            "perfect": sum(case.run == run.run.name and value == 1 for case, value in failed),
        }
        for run in runs
    ]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(place, item))) for place, item in enumerate(answer["fields"])]


def _sentences(place: int, item: Mapping[str, Any]) -> Iterator[Sentence]:
    path = ("investigation", "partial_scores", "fields", place)
    field = item["field"].rsplit(".", 1)[-1]
    hidden = ""
    if item["never_with"]:
        hidden = "; {others} is never recorded on the same rows, so it is unknown there"
    yield say(
        "The verifier records {name} for {tasks} of {all} only" + hidden + ".",
        name=item["field"],
        tasks=amount(item["tasks"], *path, "tasks"),
        all=fact(count(item["of"], "task"), item["of"], *path, "of"),
        others=listed(item["never_with"]),
    )
    parts: list[Any] = []
    for number, run in enumerate(item["runs"]):
        parts += [", " if number else "", f"{run['run']} ", amount(run["perfect"], *path, "runs", number, "perfect")]
        parts.append(f" of {count(run['failures'], 'failure')}")
    yield Sentence((f"Failures whose {field} is perfect (1), so something else must have failed them: ", *parts, "."))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Have the verifier record all of its parts: no score moves, but failures can be told apart."""
    for item in answer["fields"]:
        if item["never_with"]:
            yield Advice(
                "verifier",
                f"Have the verifier record {listed(item['never_with'])} on every row, next to {item['field']}",
                say(
                    "Perfect in what is recorded: {many}; what failed there is hidden.",
                    many=count(sum(run["perfect"] for run in item["runs"]), "failure"),
                ),
                0,
                1.0,
            )
