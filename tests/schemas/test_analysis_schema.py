"""The contract of analysis.json holds what it promises, and it can be broken."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from blade import api
from blade.options import Options
from blade.renderers.json import document
from blade.schemas import load

SCHEMA = load("analysis")
CONTRACT = Draft202012Validator(SCHEMA)
Json = dict[str, Any]

EVIDENCE: Json = {
    "kind": "quote",
    "file": "a.jsonl",
    "line": 3,
    "offset": 120,
    "length": 80,
    "item": 2,
    "field": None,
    "start": 0,
    "end": 4,
    "quote": "oops",
    "sha256": "00",
}
PART: Json = {
    "cause": "verifier",
    "sub": "change",
    "points": -0.1,
    "interval": None,
    "status": "identified",
    "named": True,
    "tasks": ["1"],
    "rollouts": 4,
    "where": {"category": "x"},
    "evidence": [EVIDENCE],
}
CHANGE: Json = {
    "base": "one",
    "candidate": "two",
    "common_tasks": 10,
    "delta": -0.1,
    "delta_zero_fill": -0.1,
    "delta_common": -0.1,
    "interval": [-0.2, 0.0],
    "p": 0.03,
    "mde": 0.1,
    "verdict": "real",
    "reason": "p is below 0.05",
    "churn_p": None,
    "repeats_needed": None,
    "separable": True,
    "confounded_with": [],
    "shared_outputs": {"pairs": 40, "identical": 40, "reward_differs": 4},
    "parts": [PART],
    "flips": [{"task": "1", "base": [4, 4], "candidate": [0, 4], "lfdr": 0.01, "beyond_noise": True}],
    "slices": [{"where": {"category": "x"}, "tasks": 4, "excess": -0.2, "p_adjusted": 0.01, "named": True}],
    "passport": [{"field": "verifier", "base": None, "candidate": 2, "role": "treatment"}],
}
MORE: Json = {
    "change": CHANGE,
    "changes": [CHANGE],
    "modes": [
        {
            "id": "no_box",
            "name": "no box",
            "family": "format",
            "kind": "format",
            "runs": {"one": {"rollouts": 3, "tasks": 2, "share_of_failures": 0.5}},
            "recoverable": {"points": 0.03, "exact": True},
            "findings": ["f1"],
            "trend": None,
        }
    ],
    "funnel": [{"stage": "answered", "order": 1, "runs": {"one": {"reached": 4, "of": 5}}}],
    "twins": [
        {"run": "one", "task": "1", "pass": 0, "fail": 1, "item_pass": 2, "item_fail": 3, "quotes": ["yes", "no"]}
    ],
    "findings": [
        {
            "id": "f1",
            "detector": "no_box",
            "family": "format",
            "run": "one",
            "task": "1",
            "attempt": 0,
            "statement": "no box",
            "evidence": [EVIDENCE],
        }
    ],
    "labels": [
        {
            "run": "one",
            "task": "1",
            "labels": ["BI"],
            "confidence": 0.5,
            "calibrated": False,
            "because": ["f1"],
            "missing": None,
        }
    ],
    "interventions": [
        {
            "kind": "prompt",
            "summary": "ask for a box",
            "points": 0.03,
            "interval": [0.01, 0.05],
            "exact": True,
            "tasks": ["1"],
            "because": ["f1"],
            "cheap_test": "20 rollouts",
            "prediction": "above 0.5",
        }
    ],
    "counterfactuals": [{"mode": "no_box", "score": 0.6, "note": "if every answer were boxed"}],
    "health": [
        {
            "check": "gold",
            "severity": "high",
            "tasks": ["1"],
            "statement": "wrong gold",
            "evidence": [],
            "effect": None,
        }
    ],
}


@pytest.fixture(scope="module")
def written(broken: Path) -> Json:
    made = api.analyze(broken, options=Options(cache=False))
    return document(made, api.report(made))


@pytest.fixture(scope="module")
def whole(written: Json) -> Json:
    """Every list of the contract with something in it, and little of it: it is held against the schema many times."""
    short = {key: value[:2] if isinstance(value, list) else value for key, value in written.items()}
    return {**copy.deepcopy(short), **copy.deepcopy(MORE), "flaws": [flaw()]}


def flaw() -> Json:
    return {"slug": "no-score", "file": "a.jsonl", "line": 3, "rows": 1, "statement": "no score in this row"}


def problems(value: Json) -> list[str]:
    return [error.json_path for error in CONTRACT.iter_errors(value)]


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"].endswith("2020-12/schema")


def test_what_blade_writes_holds(written: Json) -> None:
    assert problems(written) == []
    assert written["runs"]
    assert written["claims"]


def test_a_full_analysis_holds_and_may_carry_more(whole: Json) -> None:
    assert problems(whole) == []
    assert problems({**whole, "more": 1, "runs": [{**run, "more": 1} for run in whole["runs"]]}) == []


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in the example at which an object stands."""
    found: list[tuple[Any, ...]] = []
    if isinstance(value, dict):
        found.append(path)
        for key, inner in value.items():
            found += places(inner, (*path, key))
    elif isinstance(value, list) and value:
        found += places(value[0], (*path, 0))
    return found


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


TOP = (
    "format blade benchmark runs tasks change changes modes funnel twins findings labels interventions "
    "counterfactuals health claims flaws totals"
).split()
RUN = (
    "name files model agent skills sampling notes tasks rollouts expected score_threshold scale statuses metrics "
    "denominator buckets buckets_evaluable tokens"
).split()
METRICS = (
    "score score_as_found score_zero_fill score_interval micro pass_at_k pass_hat_k any_at_n consistency coverage "
    "retry_value flakiness"
).split()
DOCUMENTED: dict[tuple[Any, ...], list[str]] = {
    (): TOP,
    ("runs", 0): RUN,
    ("runs", 0, "files", 0): ["path", "rows", "bytes", "fingerprint"],
    ("runs", 0, "metrics"): [*METRICS, "evaluable"],
    ("runs", 0, "metrics", "evaluable"): METRICS,
    ("runs", 0, "denominator"): "expected expected_source started finished graded counted losses bounds".split(),
    ("runs", 0, "buckets"): ["always", "sometimes", "never", "missing"],
    ("runs", 0, "tokens"): ["input", "output", "reasoning"],
    ("tasks", 0): ["task", "key_source", "slices", "runs"],
    **{
        (key, 0) if isinstance(value, list) else (key,): list(value[0] if isinstance(value, list) else value)
        for key, value in MORE.items()
    },
    ("change", "parts", 0): list(PART),
    ("change", "parts", 0, "evidence", 0): ["kind"],
    ("findings", 0, "evidence", 0): list(EVIDENCE),
    ("change", "flips", 0): list(CHANGE["flips"][0]),
    ("change", "slices", 0): list(CHANGE["slices"][0]),
    ("change", "passport", 0): list(CHANGE["passport"][0]),
    ("claims", 0): ["id", "section", "text", "kind", "value", "proof"],
    ("flaws", 0): list(flaw()),
}


@pytest.mark.parametrize("path", list(DOCUMENTED), ids=lambda path: ".".join(map(str, path)) or "top")
def test_no_documented_key_may_be_left_out(whole: Json, path: tuple[Any, ...]) -> None:
    assert path in places(whole)
    for key in DOCUMENTED[path]:
        less = copy.deepcopy(whole)
        del at(less, path)[key]
        assert problems(less) != [], f"{path} without {key}"


def set_at(*path: Any, to: Any) -> Callable[[Json], None]:
    def change(value: Json) -> None:
        at(value, path[:-1])[path[-1]] = to

    return change


@pytest.mark.parametrize(
    "spoil",
    [
        set_at("format", to=2),
        set_at("runs", 0, "scale", to="percent"),
        set_at("runs", 0, "metrics", "score", to=71.0),
        set_at("runs", 0, "metrics", "score", to="0.71"),
        set_at("runs", 0, "metrics", "score_interval", to=[0.1]),
        set_at("runs", 0, "metrics", "pass_at_k", "1", to=1.5),
        set_at("runs", 0, "metrics", "pass_at_k", "one", to=0.5),
        set_at("runs", 0, "statuses", "crashed", to=1),
        set_at("runs", 0, "rollouts", to=-1),
        set_at("runs", 0, "denominator", "expected_source", to="guessed"),
        set_at("tasks", 0, "key_source", to="none"),
        set_at("tasks", 0, "slices", to={"level": 3}),
        set_at("tasks", 0, "runs", to={}),
        set_at("change", "verdict", to="better"),
        set_at("change", "p", to=1.1),
        set_at("change", "passport", 0, "role", to="control"),
        set_at("change", "parts", 0, "cause", to="noise"),
        set_at("change", "parts", 0, "sub", to="task_missing"),
        set_at("change", "parts", 0, "points", to=None),
        set_at("change", "parts", 0, "status", to="sure"),
        set_at("change", "flips", 0, "base", to=[4]),
        set_at("modes", 0, "kind", to="other"),
        set_at("modes", 0, "trend", to="up"),
        set_at("findings", 0, "evidence", to=[]),
        set_at("findings", 0, "evidence", 0, "kind", to="hearsay"),
        set_at("labels", 0, "labels", to=["BI", "TI", "IR"]),
        set_at("labels", 0, "labels", to=["XX"]),
        set_at("interventions", 0, "kind", to="luck"),
        set_at("twins", 0, "quotes", to=["only one"]),
        set_at("claims", 0, "kind", to="opinion"),
        set_at("claims", 0, "proof", to={}),
        set_at("flaws", 0, "slug", to="No Score"),
        set_at("flaws", 0, "line", to="3"),
    ],
)
def test_a_value_out_of_contract_is_seen(whole: Json, spoil: Callable[[Json], None]) -> None:
    value = copy.deepcopy(whole)
    spoil(value)
    assert problems(value) != []


def test_an_unknown_schema_is_not_made_up() -> None:
    with pytest.raises(FileNotFoundError):
        load("nothing")
