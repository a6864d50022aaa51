"""Live runs of scripted models: what was planted is what BLADE says happened."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.options import Options

pytestmark = pytest.mark.corpus

Analyse = Callable[..., dict[str, Any]]
Read = Callable[[Path], list[dict[str, Any]]]
Record = Callable[..., None]

MODELS = ("stub-weak", "stub-strong")
STATUS_OF_MODE = {
    "mcqa": {  # the verifier extracted nothing wherever the letter did not stand in a box as a capital
        "ok": "ok",
        "wrong_option": "ok",
        "cut_off": "truncated",
        "right_letter_no_box": "malformed",
        "lower_case_in_box": "malformed",
        "refusal": "malformed",
    },
    "reasoning_gym": {  # this verifier takes the whole text where there is no tag: an answer, if a poor one
        "ok": "ok",
        "scrambled_answer": "ok",
        "right_answer_no_tag": "ok",
        "cut_off": "truncated",
        "empty": "malformed",
    },
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("environment", sorted(STATUS_OF_MODE))
def test_the_status_of_every_rollout_follows_from_its_planted_mode(
    corpus: Path, record: Record, environment: str, model: str
) -> None:
    truth = json.loads((corpus / "gym-live/TRUTH.json").read_text(encoding="utf-8"))[environment][model]
    run = blade.read(corpus / "gym-live" / environment / model, options=Options(cache=False))[0]
    expected: Counter[tuple[str, str]] = Counter()
    got: Counter[tuple[str, str]] = Counter()
    for place in truth.values():
        expected[place["mode"], STATUS_OF_MODE[environment][place["mode"]]] += 1
    for task, attempt, state, reward in run.facts.select("task", "attempt", "state", "reward").iter_rows():
        place = truth[f"{task}:{attempt}"]
        got[place["mode"], state] += 1
        assert reward == pytest.approx(place["reward"], abs=1e-9)
    record("live", f"{environment} {model}: rollouts by mode and status", len(truth), (expected & got).total())
    assert got == expected


@pytest.mark.parametrize("model", MODELS)
def test_an_answer_the_verifier_did_not_extract_is_what_malformed_rests_on(
    corpus: Path, rows_of: Read, model: str
) -> None:
    path = corpus / "gym-live/mcqa" / model / "rollouts.jsonl"
    rows = rows_of(path)
    run = blade.read(path, options=Options(cache=False))[0]
    states = dict(run.facts.select("line", "state").iter_rows())
    for line, row in enumerate(rows, 1):
        if states[line] == "malformed":
            assert row["extracted_answer"] is None
        elif states[line] == "ok":
            assert row["extracted_answer"] is not None


@pytest.mark.parametrize(("model", "ended", "passed"), [("stub-weak", 16, 7), ("stub-strong", 10, 2)])
def test_rollouts_that_end_on_a_tool_output_are_counted(
    corpus: Path, analysed: Analyse, record: Record, model: str, ended: int, passed: int
) -> None:
    run = analysed(corpus / "gym-live/workplace_assistant" / model)["runs"][0]
    got = run["endings"]["output"]
    record(
        "live", f"workplace_assistant {model}: end on a tool output, of these passed", (ended, passed), (*got.values(),)
    )
    assert got == {"rollouts": ended, "passed": passed}
    assert run["endings"]["message"]["rollouts"] == 120 - ended


@pytest.mark.parametrize("model", MODELS)
def test_the_category_of_a_task_comes_from_the_materialized_inputs(
    corpus: Path, analysed: Analyse, rows_of: Read, record: Record, model: str
) -> None:
    folder = corpus / "gym-live/workplace_assistant" / model
    assert not any("category" in row for row in rows_of(folder / "rollouts.jsonl"))
    inputs = rows_of(folder / "rollouts_materialized_inputs.jsonl")
    category = {str(row["_ng_task_index"]): row["category"] for row in inputs}
    made = analysed(folder)
    lines = [line for line in made["runs"][0]["slices"] if line["field"] == "category"]
    got = {line["level"]: line["tasks"] for line in lines}
    expected = Counter(category.values())
    record("live", f"workplace_assistant {model}: tasks by category", sorted(expected.values()), sorted(got.values()))
    assert got == expected
    assert {task["task"]: task["slices"]["category"] for task in made["tasks"]} == category
    rewards: dict[str, dict[int, list[float]]] = {}
    for row in rows_of(folder / "rollouts.jsonl"):
        task = row["_ng_task_index"]
        rewards.setdefault(category[str(task)], {}).setdefault(task, []).append(row["reward"])
    for line in lines:
        means = [sum(values) / len(values) for values in rewards[line["level"]].values()]
        assert line["score"] == pytest.approx(sum(means) / len(means), abs=1e-12)


def test_a_later_build_of_gym_gives_the_same_scores(corpus: Path, analysed: Analyse) -> None:
    for model in MODELS:
        now = analysed(corpus / "gym-live/mcqa" / model)["runs"][0]
        later = analysed(corpus / "gym-live/head-0.5.1/mcqa" / model)["runs"][0]
        for metrics in (later["metrics"], now["metrics"], later["metrics"]["evaluable"], now["metrics"]["evaluable"]):
            metrics.pop("majority_first_k")  # the vote of the first attempts: which are first differs between builds
        assert later["metrics"] == now["metrics"]
        assert later["statuses"] == now["statuses"]
        assert [check["disagreements"] for check in later["checks"]] == [0, 0, 0]
