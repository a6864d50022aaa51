"""Within tasks that sometimes pass: what passing attempts did that failing ones did not."""

from __future__ import annotations

from typing import Any

import polars as pl

from blade.counting.run import Run
from blade.counting.seed import seed_of
from blade.detectors import names as rules
from blade.detectors import read_states
from blade.diagnosis.cases import believed
from blade.findings import State
from blade.options import Options
from blade.registry import plugins
from blade.stats.contrast import Contrasts, contrast
from blade.stats.divergence import telling_fork

MIDWAY = '"midway":1'
"""A record without its head, as `extract.observed` writes it."""
MOST_TOOLS = 30
MOST_DIVERGENCES = 20
RULE = "rule "
GIVEN = "an answer was given"
OF_THE_ANSWER_FIELD = (GIVEN, f"{RULE}parse_failed")
_READ = ("null", "given")
FEWEST, HALF = 5, 0.5
_OF_THE_AGENT = {"tool", "behaviour", "knowledge"}


def contrasts(run: Run, options: Options) -> dict[str, Any] | None:
    """Features of attempts held against the outcome inside each task; None without tasks that sometimes pass."""
    rows = run.evaluable.filter(pl.col("passed").is_not_null())
    rate = pl.col("passed").mean().over("task")
    rows = rows.filter((rate > 0) & (rate < 1)).sort("task", "attempt")
    if rows.is_empty():
        return None
    rows = rows.with_columns(_unrecorded(run.evaluable, rows))
    passed = [bool(value) for value in rows["passed"].to_list()]
    features = _features(rows)
    if _empty_answers_tell_nothing(run.evaluable):
        features = {name: values for name, values in features.items() if name not in OF_THE_ANSWER_FIELD}
    result = contrast(rows["task"].to_list(), passed, features, seed=seed_of([run], options.seed))
    return {
        "run": run.name,
        "tasks": rows["task"].n_unique(),
        "rollouts": rows.height,
        "tested": result.tested,
        "best_known": _best_known(result),
        "features": [
            {
                "feature": item.feature,
                "kind": item.kind,
                "when": _when(item.feature),
                "effect": item.effect,
                "interval": item.interval,
                "p": item.p,
                "q": item.q,
                "named": item.named,
                **_sides(item.kind, features[item.feature], passed),
            }
            for item in result.features
        ],
        "divergences": _divergences(rows),
    }


def _empty_answers_tell_nothing(rows: pl.DataFrame) -> bool:
    """Whether rollouts with an empty answer field pass at least half as often as the others: it was not judged."""
    states, passed = rows["answer_state"].to_list(), rows["passed"].to_list()
    empty, filled = (
        [bool(good) for state, good in zip(states, passed, strict=True) if state == name] for name in _READ
    )
    return sum(empty) >= FEWEST and sum(empty) * len(filled) >= HALF * sum(filled) * len(empty)


def _sides(kind: str, values: list[Any], passed: list[bool]) -> dict[str, list[int]]:
    """Passes and rollouts with a feature and without it, where rollouts have it or not."""
    if kind != "binary":
        return {}
    pairs = list(zip(values, passed, strict=True))
    sides = ([good for value, good in pairs if value is has] for has in (True, False))
    having, lacking = ([sum(side), len(side)] for side in sides)
    return {"with": having, "without": lacking}


def _best_known(result: Contrasts) -> dict[str, int] | None:
    """In how many rollouts, of how many tasks that then still sometimes pass, the best recorded feature is known."""
    best = max(result.features, key=lambda item: (item.rows, item.tasks), default=None)
    return {"tasks": best.tasks, "rollouts": best.rows} if best else None


def _unrecorded(every: pl.DataFrame, rows: pl.DataFrame) -> pl.Series:
    """Rows whose transcript is not kept: without any item, where such rows pass though others have items; or its head.

    What a record that begins in mid-run lacks may have been done before.
    """
    empty = pl.col("items").fill_null(0) == 0
    passing = every.filter(pl.col("passed"))
    transcripts_dropped = not passing.filter(empty).is_empty() and not passing.filter(~empty).is_empty()
    midway = pl.col("observed").str.contains(MIDWAY, literal=True).fill_null(value=False)
    return rows.select(((empty & transcripts_dropped) | midway).alias("unrecorded"))["unrecorded"]


def _features(rows: pl.DataFrame) -> dict[str, list[Any]]:
    """Declared before anybody looks at a reward; what a row does not record of the attempt is not known there."""
    unrecorded = rows["unrecorded"].to_list() if "unrecorded" in rows.columns else [False] * rows.height
    features = {
        name: [None if missing else value for value, missing in zip(values, unrecorded, strict=True)]
        for name, values in _of_transcripts(rows).items()
    }
    features["cut off"] = [state in {"truncated", "timed_out"} for state in rows["state"].to_list()]
    features |= _rule_features(rows["detectors"].to_list(), rows["state"].to_list())
    return {
        name: values for name, values in features.items() if len({value for value in values if value is not None}) > 1
    }


def _of_transcripts(rows: pl.DataFrame) -> dict[str, list[Any]]:
    features: dict[str, list[Any]] = {}
    used = rows["tools_called"].to_list()
    tools = sorted({tool for names in used for tool in names or ()})[:MOST_TOOLS]
    for tool in tools:
        features[f"calls {tool}"] = [tool in (names or ()) for names in used]
    features["a call failed"] = [number > 0 for number in rows["calls_failed"].to_list()]
    features["the last call failed"] = rows["last_call_failed"].to_list()
    features["ends on a tool's output"] = [ends == "output" for ends in rows["ends_on"].to_list()]
    features[GIVEN] = [None if state == "none" else state == "given" for state in rows["answer_state"].to_list()]
    features["number of calls"] = [float(number) for number in rows["calls"].to_list()]
    partial = rows["usage_is_partial"].fill_null(value=False).to_list()
    features["output tokens"] = [
        None if part else value or None for value, part in zip(rows["output_tokens"].to_list(), partial, strict=True)
    ]
    features["length of the last message"] = [float(number) for number in rows["final_chars"].to_list()]
    return features


def _rule_features(packed_states: list[str | None], status: list[str]) -> dict[str, list[bool | None]]:
    """Of each rule that tells rows apart whether it fired.

    Where it could not apply, was guarded or is not believed, it says nothing.
    """
    verdicts = {State.FIRED: True, State.CLEAN: False}
    rows = list(zip(packed_states, status, strict=True))
    kinds = dict.fromkeys(rows)  # rows have few combinations of states and a status: each is looked at once
    states = {letters: read_states(letters) for letters, _ in kinds}
    features = {}
    for name in rules():
        fired_by_states = {letters: verdicts.get(of.get(name, State.NOT_APPLICABLE)) for letters, of in states.items()}
        fired = {
            (letters, state): None
            if fired_by_states[letters] and not believed(name, state)
            else fired_by_states[letters]
            for letters, state in kinds
        }
        if {True, False} <= set(fired.values()):
            features[f"{RULE}{name}"] = [fired[row] for row in rows]
    return features


def _when(feature: str) -> str:
    """Whether a feature is known before the outcome or only describes it."""
    if feature.startswith(RULE):
        rule = plugins("detectors")[feature.removeprefix(RULE)]
        return "during" if rule.FAMILY in _OF_THE_AGENT else "after"
    after = ("ends on", "an answer", "cut off", "length of", "output tokens", "number of")
    return "after" if feature.startswith(after) else "during"


def _divergences(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Where the actions of failing attempts part from those of passing ones, task by task."""
    divergences = []
    grouped = (
        rows.filter(~pl.col("unrecorded"))
        .group_by("task", maintain_order=True)
        .agg(pl.first("label"), "actions", "passed")
    )
    for _, label, acted, passed in grouped.iter_rows():
        attempts = [(tuple(actions or ()), bool(good)) for actions, good in zip(acted, passed, strict=True)]
        if not any(actions for actions, _ in attempts):
            continue
        fork = telling_fork(attempts)
        if fork is None:
            continue
        divergences.append(
            {
                "task": label,
                "after": list(fork.node),
                "gain": fork.gain,
                "branches": [
                    {"action": branch.action, "rollouts": branch.rollouts, "passes": branch.passes}
                    for branch in fork.branches
                ],
            },
        )
    divergences.sort(key=lambda item: (-(item["gain"] or 0.0), item["task"]))
    return divergences[:MOST_DIVERGENCES]
