"""Every summary file of the corpus comes out of its own rows."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from blade.counting.recompute import Recomputed, ScoredRow, check_agent_metrics, check_aggregate, check_profile

pytestmark = pytest.mark.corpus

CORPUS = Path(__file__).parents[2] / "../shared/corpus"
FOLDERS = ("nemo-gym", "nemo-gym-history", "gym-live")


def load(path: Path) -> list[ScoredRow]:
    rows = []
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(text)
        usage = (row.get("response") or {}).get("usage") or {}
        scalars = {k: v for k, v in row.items() if v is None or isinstance(v, bool | int | float | str)}
        numbers = {k: float(v) for k, v in (row | usage).items() if isinstance(v, bool | int | float)}
        task, attempt = row.get("_ng_task_index") or 0, row.get("_ng_rollout_index") or 0
        rows.append(
            ScoredRow(
                agent=(row.get("agent_ref") or {}).get("name"),
                task=task,
                attempt=attempt,
                line=line,
                reward=row.get("reward"),
                numbers={k: v for k, v in numbers.items() if k not in ("_ng_task_index", "_ng_rollout_index")},
                answers={k: v for k, v in scalars.items() if "answer" in k and not isinstance(v, bool | int | float)},
                fields=scalars,
            )
        )
    return rows


def pairs(suffix: str) -> list[tuple[str, Path, Path]]:
    """(name, summary file, rollouts file) wherever both are there."""
    found = []
    for folder in FOLDERS:
        for path in sorted((CORPUS / folder).rglob(f"*{suffix}")):
            rollouts = path.with_name(path.name.removesuffix(suffix) + ".jsonl")
            if rollouts.exists():
                found.append((path.relative_to(CORPUS).as_posix(), path, rollouts))
    return found


@pytest.fixture(autouse=True)
def corpus_there() -> None:
    if not CORPUS.exists():
        pytest.skip("../shared/corpus is not there")


def parsed(path: Path) -> Any:
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return json.loads(path.read_text(encoding="utf-8"))


def assert_exact(check: Recomputed) -> None:
    assert check.disagreements == ()
    assert check.problems == ()
    assert check.matched > 0
    assert check.tolerance <= 1e-9


def test_every_aggregate_comes_out_of_its_rows() -> None:
    found = pairs("_aggregate_metrics.json")
    assert len([name for name, *_ in found if name.startswith("nemo-gym/")]) == 18
    for name, summary, rollouts in found:
        check = check_aggregate(parsed(summary), load(rollouts))
        assert_exact(check)
        assert check.groups_matched == len(parsed(summary)[0]["group_level_metrics"]), name


def test_every_agent_file_comes_out_of_its_rows() -> None:
    found = pairs("_agent_metrics.json")
    assert len(found) == 12
    for _, summary, rollouts in found:
        check = check_agent_metrics(parsed(summary), load(rollouts))
        assert_exact(check)
        assert check.matched == len(parsed(summary)[0]) - 1
        assert check.not_recomputed == ()


def test_every_profile_comes_out_of_its_rows() -> None:
    found = pairs("_reward_profiling.jsonl")
    assert len(found) == 12
    for _, summary, rollouts in found:
        check = check_profile(parsed(summary), load(rollouts))
        assert_exact(check)
        assert check.groups_matched == len(parsed(summary))
        assert check.not_recomputed == ()


def test_the_whole_pass_family_of_the_live_runs_is_recomputed() -> None:
    found = [pair for pair in pairs("_aggregate_metrics.json") if "mcqa" in pair[0] and "gym-live" in pair[0]]
    assert len(found) == 4
    for _, summary, rollouts in found:
        check = check_aggregate(parsed(summary), load(rollouts))
        assert check.not_recomputed == ()
        assert check.notes == ("no_answer is read as extracted_answer is null.",)


def test_first_k_means_rollout_index_not_the_order_of_the_file() -> None:
    """The live files are written in completion order, and no reading in that order gives their numbers."""
    _, summary, rollouts = next(pair for pair in pairs("_aggregate_metrics.json") if "live/mcqa/stub-weak" in pair[0])
    rows = load(rollouts)
    assert [row.attempt for row in rows] != sorted(row.attempt for row in rows)
    seen: dict[int, int] = {}
    renumbered = []
    for row in rows:  # the attempt becomes the place in the file
        seen[row.task] = seen.get(row.task, -1) + 1
        renumbered.append(dataclasses.replace(row, attempt=seen[row.task]))
    wrong = {found.key for found in check_aggregate(parsed(summary), renumbered).disagreements}
    assert "pass@1[avg-of-1]/accuracy" in wrong
    assert "pass@2/accuracy" not in wrong


def test_means_by_slice_are_made_again_from_the_rows() -> None:
    _, summary, rollouts = next(pair for pair in pairs("_aggregate_metrics.json") if "structeval/example" in pair[0])
    check = check_aggregate(parsed(summary), load(rollouts))
    assert check.not_recomputed == ()
    assert (check.disagreements_total, check.matched) == (0, 290)
