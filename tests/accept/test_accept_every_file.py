"""Every file that was committed as an artifact is read, known for what it is, and counted as it stands."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.errors import NoRuns
from blade.options import Options

pytestmark = pytest.mark.corpus

Analyse = Callable[..., dict[str, Any]]
Read = Callable[[Path], list[dict[str, Any]]]
Record = Callable[..., None]

WORDS = {
    "inputs": "input rows (no reward and no response)",
    "materialized": "input rows (no reward and no response)",
    "aggregate": "aggregate metrics",
    "agent metrics": "agent metrics",
    "profile": "a reward profile",
    "placeholder": "a placeholder without data, such as a pointer of Git LFS whose data was not fetched",
    "dataset metrics": "counts about a dataset",
}
NUMBERS = {
    "nemo-gym": {
        "rollouts": 133,
        "inputs": 20,
        "materialized": 17,
        "aggregate": 18,
        "agent metrics": 4,
        "profile": 4,
        "placeholder": 1,
        "dataset metrics": 2,
        "one response": 1,
    },
    "nemo-gym-history": {"rollouts": 18, "aggregate": 2, "materialized": 2},
}
ID_FIELDS = ("id", "instance_id", "problem_id", "uuid", "task_idx", "provenance_id", "hashid")


def content_kind(path: Path) -> str:
    """What a file holds, told from its content alone and without BLADE."""
    text = path.read_text(encoding="utf-8-sig")
    if set(text.splitlines()) == {"<PLACEHOLDER ROW>"}:
        return "placeholder"
    if path.suffix == ".json":
        found = json.loads(text)
        first = found[0] if isinstance(found, list) else found
        if "Number of examples" in first or "jsonl_fpath" in first:
            return "dataset metrics"
        if "reward" in first:
            return "one response"
        return "aggregate" if "agent_metrics" in first else "agent metrics" if "mean/reward" in first else "unknown"
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    if all("mean/reward" in row for row in rows):
        return "profile"
    if all("reward" in row for row in rows):
        return "rollouts"
    if any("response" in row for row in rows) or not all("responses_create_params" in row for row in rows):
        return "unknown"
    return "materialized" if all("_ng_task_index" in row for row in rows) else "inputs"


def files(folder: Path) -> list[tuple[Path, str]]:
    return [
        (path, content_kind(path))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "MANIFEST.json"
    ]


def what_blade_says(path: Path) -> str:
    try:
        blade.read(path, options=Options(cache=False))
    except NoRuns as error:
        return error.message.removesuffix(".").rpartition("; it is ")[2]
    return "rollouts"


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_every_file_is_known_for_what_it_holds(corpus: Path, record: Record, name: str) -> None:
    found = files(corpus / name)
    assert Counter(kind for _, kind in found) == NUMBERS[name]
    wrong = {}
    for path, kind in found:
        said = what_blade_says(path)
        if kind != "one response" and said != WORDS.get(kind, kind):
            wrong[path.relative_to(corpus).as_posix()] = (kind, said)
    record("files", f"{name}: known for what they hold", len(found), len(found) - len(wrong))
    assert wrong == {}


def identity(rows: list[dict[str, Any]]) -> Callable[[dict[str, Any]], Hashable] | None:
    """The task of a row by its index, else by the first id that every row has; None where there is neither."""
    if all("_ng_task_index" in row for row in rows):
        return lambda row: str(row["_ng_task_index"])
    for name in ID_FIELDS:
        values = [row.get(name) for row in rows]
        if None not in values and (len(set(map(str, values))) > 1 or len(rows) == 1):
            return lambda row, name=name: str(row[name])  # type: ignore[misc]
    if all("task_id" in (row.get("verifier_metadata") or {}) for row in rows):
        return lambda row: str(row["verifier_metadata"]["task_id"])
    return None


def content(row: dict[str, Any]) -> str:
    """The task of a row without any id: what was asked, what was expected, how hard it was meant to be."""
    names = ("expected_answer", "metadata", "verifier_metadata", "difficulty", "law_version", "system", "noise_level")
    asked = (row.get("responses_create_params") or {}).get("input")
    return json.dumps([asked, [row.get(name) for name in names]], sort_keys=True)


def plain_runs(rows: list[dict[str, Any]]) -> dict[str, dict[Hashable, list[float]]]:
    """Agent → task → rewards; a row that repeats the key and response of another is one row."""
    key = identity(rows)
    seen = set()
    found: dict[str, dict[Hashable, list[float]]] = {}
    for row in rows:
        task = key(row) if key else content(row)
        same = (task, row.get("_ng_rollout_index"), json.dumps(row.get("response"), sort_keys=True))
        if row.get("_ng_rollout_index") is not None and same in seen:
            continue
        seen.add(same)
        agent = (row.get("agent_ref") or {}).get("name") or ""
        found.setdefault(agent, {}).setdefault(task, []).append(float(row["reward"]))
    return found


def macro(tasks: dict[Hashable, list[float]]) -> float:
    return math.fsum(math.fsum(values) / len(values) for values in tasks.values()) / len(tasks)


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_every_rollout_file_has_its_rows_tasks_repeats_and_score(
    corpus: Path, analysed: Analyse, rows_of: Read, record: Record, name: str
) -> None:
    wrong: dict[str, Any] = {}
    checked = keyed = total = 0
    for path in (path for path, kind in files(corpus / name) if kind == "rollouts"):
        rows = rows_of(path)
        expected = plain_runs(rows)
        made = analysed(path)["runs"]
        got = {run["agent"] or "": run for run in made} if len(expected) > 1 else {next(iter(expected)): made[0]}
        checked += 1
        total += sum(run["rollouts"] for run in made)
        keyed += identity(rows) is not None
        problems = [] if sum(run["rollouts"] for run in made) == len(rows) else ["rows"]
        problems += differences(expected, got)
        if problems:
            wrong[path.relative_to(corpus).as_posix()] = problems
    record("rollouts", f"{name}: rows, tasks × repeats and score of each file", checked, checked - len(wrong))
    record("rollouts", f"{name}: rows in all", {"nemo-gym": 663, "nemo-gym-history": 85}[name], total)
    assert wrong == {}
    if name == "nemo-gym":
        assert (checked, keyed, total) == (133, 100, 663)


def differences(expected: dict[str, dict[Hashable, list[float]]], got: dict[str, dict[str, Any]]) -> list[str]:
    if set(expected) != set(got):
        return [f"agents {sorted(expected)} and {sorted(got)}"]
    problems = []
    for agent, tasks in expected.items():
        run = got[agent]
        counted = run["metrics"]["rollouts"], run["tasks"]
        wanted = sum(map(len, tasks.values())), len(tasks)
        if counted != wanted:
            problems.append(f"{agent} rollouts, tasks: {wanted} and {counted}")
        if not math.isclose(run["metrics"]["score"], macro(tasks), rel_tol=0, abs_tol=1e-12):
            problems.append(f"{agent} score: {macro(tasks)} and {run['metrics']['score']}")
        if run["metrics"]["tasks_used"] and run["metrics"]["tasks_used"] != used(tasks):
            problems.append(f"{agent} repeats: {used(tasks)} and {run['metrics']['tasks_used']}")
    return problems


def used(tasks: dict[Hashable, list[float]]) -> dict[str, int]:
    """For each k, how many tasks have at least k attempts: the repeats, whatever the tasks are called."""
    most = max(map(len, tasks.values()))
    return {str(k): sum(len(values) >= k for values in tasks.values()) for k in range(1, most + 1)}
