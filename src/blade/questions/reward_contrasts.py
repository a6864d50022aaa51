"""What goes with a higher or a lower reward, where rewards are graded and nothing says what a pass is?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from statistics import median
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.features import RULE, SHAPE, VERDICT, features_of_case
from blade.document import Block, Paragraph, Sentence, Table, say
from blade.questions import SURE, judged
from blade.registry import plugins
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table as Strata
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "What goes with the reward"
ORDER = 2
FEWEST = 8
FEWEST_TASKS = 3
ONE_FEATURE = 0.8
"""Features whose rollouts are so much the same are one."""
MOST_SHOWN = 8
KINDS = {"first call": "first calls", "last call": "last calls", "call": "calls", "pair": "calls", "error": "gets"}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Features that go with a reward above or not above the median of like rollouts; None where passes are known."""
    graded = [run for run in runs if not judged(run)]
    cases = [case for run in graded for case in run.cases if case.evaluable and case.stage_lost is None]
    strata, levels = _strata(cases)
    better = {id(case) for case in cases if case.reward > levels[strata[id(case)]]}
    tested = [
        (p, kind, name, having)
        for (kind, name), having in sorted(_holders(cases).items())
        if (p := _tested(cases, having, better, strata)) is not None
    ]
    sure = [
        (p, kind, name, having)
        for p, (_, kind, name, having) in zip(benjamini_hochberg([entry[0] for entry in tested]), tested, strict=True)
        if p <= SURE
    ]
    entries = [_entry(cases, better, *entry) for entry in _different(sorted(sure, key=lambda entry: entry[:3]))]
    if not entries:
        return None
    return {
        "runs": [run.run.name for run in graded],
        "rollouts": len(cases),
        "median": significant(median(case.reward for case in cases), WRITTEN),
        "repeated": sum(isinstance(stratum, tuple) for stratum in strata.values()),
        "tested": len(tested),
        "features": entries[:MOST_SHOWN],
        "others": max(0, len(entries) - MOST_SHOWN),
    }


def _strata(cases: Sequence[Case]) -> tuple[dict[int, Any], dict[Any, float]]:
    """What is compared with what, and the median reward of each: attempts at one task of a run, else all of a run."""
    tasks: defaultdict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in cases:
        tasks[case.run, case.key].append(case)
    strata: dict[int, Any] = {
        id(case): place if len(some) > 1 else place[0] for place, some in tasks.items() for case in some
    }
    rewards: defaultdict[Any, list[float]] = defaultdict(list)
    for case in cases:
        rewards[strata[id(case)]].append(case.reward)
    return strata, {stratum: median(some) for stratum, some in rewards.items()}


def _holders(cases: Sequence[Case]) -> dict[tuple[str, str], set[int]]:
    """The features of rollouts that do not read the verifier: what it says is the reward once more."""
    verdicts = {str(rule.TITLE) for rule in plugins("detectors").values() if "verifier" in rule.READS}
    holders: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    tasks: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for case in cases:
        for kind, name in features_of_case(case):
            if kind not in {SHAPE, VERDICT} and not (kind == RULE and name in verdicts):
                holders[kind, name].add(id(case))
                tasks[kind, name].add(case.key)
    return {
        feature: having
        for feature, having in holders.items()
        if FEWEST <= len(having) <= len(cases) - FEWEST and len(tasks[feature]) >= FEWEST_TASKS
    }


def _tested(cases: Sequence[Case], having: set[int], better: set[int], strata: Mapping[int, Any]) -> float | None:
    """The exact test of a feature against a reward above the median, inside what is compared."""
    tables: defaultdict[Any, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for case in cases:
        tables[strata[id(case)]][(id(case) not in having) * 2 + (id(case) not in better)] += 1
    written: list[Strata] = [(entry[0], entry[1], entry[2], entry[3]) for entry in tables.values()]
    return exact_p(written)


def _different(
    entries: Sequence[tuple[float, str, str, set[int]]],
) -> list[tuple[float, str, str, set[int]]]:
    """The surest of features that the same rollouts have."""
    chosen: list[tuple[float, str, str, set[int]]] = []
    for entry in entries:
        if all(len(entry[3] & other[3]) < ONE_FEATURE * len(entry[3] | other[3]) for other in chosen):
            chosen.append(entry)
    return chosen


def _entry(cases: Sequence[Case], better: set[int], p: float, kind: str, name: str, having: set[int]) -> dict[str, Any]:
    with_it = [case for case in cases if id(case) in having]
    without = [case for case in cases if id(case) not in having]
    return {
        "kind": kind,
        "name": name,
        "p": significant(p, WRITTEN),
        "with": _side(with_it, better),
        "without": _side(without, better),
    }


def _side(cases: Sequence[Case], better: set[int]) -> dict[str, Any]:
    mean = fsum(case.reward for case in cases) / len(cases)
    return {
        "rollouts": len(cases),
        "mean": significant(mean, WRITTEN),
        "above": sum(id(case) in better for case in cases),
        "tasks": len({case.key for case in cases}),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_opening(answer))), _table(answer)]


def _opening(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        "Rewards of {runs} are graded and no pass threshold is declared, so questions about passes and failures have "
        "no answer there. Instead {rollouts} are held against the median reward of the attempts at their task, or of "
        "their run where a task has one attempt ({repeated} of them have several); over all it is {median}.",
        runs=listed(answer["runs"]),
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_AT, "rollouts"),
        repeated=amount(answer["repeated"], *_AT, "repeated"),
        median=fact(f"{answer['median']:.4g}", answer["median"], *_AT, "median"),
    )
    yield say(
        "--pass-threshold sets a bound, and the other questions are then asked. What goes with a reward need not be "
        "its cause."
    )


def _table(answer: Mapping[str, Any]) -> Table:
    rows = []
    for place, entry in enumerate(answer["features"]):
        path = (*_AT, "features", place)
        sides = [
            fact(
                f"{side['mean']:.3g} (above in {side['above']:,} of {side['rollouts']:,})",
                side["mean"],
                *path,
                key,
                "mean",
            )
            for key, side in (("with", entry["with"]), ("without", entry["without"]))
        ]
        name = f"{KINDS[entry['kind']]} {entry['name']}" if entry["kind"] in KINDS else entry["name"]
        rows.append((name, *sides, fact(f"{entry['p']:.2g}", entry["p"], *path, "p")))
    more = f"; {answer['others']:,} more in analysis.json" if answer["others"] else ""
    return Table(
        ("What rollouts do", ">mean reward with it", ">without it", ">p"),
        tuple(rows),
        f"What goes with the reward, of {answer['tested']:,} features tried (exact test inside what is compared, "
        f"corrected for all{more})",
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The feature that goes most surely with the reward."""
    entry = answer["features"][0]
    sides = {
        key: f"{entry[key]['mean']:.3g} in {count(entry[key]['rollouts'], 'rollout')}" for key in ("with", "without")
    }
    yield say(
        "No pass is declared; what goes most with the reward: “{name}”, mean reward {with_it} with it and {without} "
        "without (p = {p}).",
        name=f"{KINDS[entry['kind']]} {entry['name']}" if entry["kind"] in KINDS else entry["name"],
        with_it=sides["with"],
        without=sides["without"],
        p=fact(f"{entry['p']:.2g}", entry["p"], *_AT, "features", 0, "p"),
    )


_AT = ("investigation", "reward_contrasts")
