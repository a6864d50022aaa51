"""Which tasks does only one of two runs pass, on the tasks that were judged in both?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from scipy import stats

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Paragraph, Table, say
from blade.questions import by_task, judged, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact

TITLE = "Like for like: who passes what"
ORDER = 10
MOST_RUNS = 7
MOST_SHOWN = 40
SURE = 0.05


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Every pair of at most seven runs, else the first against each, on the tasks that both of them have judged."""
    grouped = {run.run.name: by_task(judged(run)) for run in runs}
    names = [name for name, tasks in grouped.items() if tasks]
    pairs = combinations(names, 2) if len(names) <= MOST_RUNS else ((names[0], other) for other in names[1:])
    found = [_pair(one, other, grouped[one], grouped[other]) for one, other in pairs]
    found = [pair for pair in found if pair["tasks"]]
    return {"pairs": found} if found else None


def _pair(one: str, other: str, left: Mapping[str, list[Case]], right: Mapping[str, list[Case]]) -> dict[str, Any]:
    common = [key for key in left if key in right]
    first, second, both, neither = [], [], 0, 0
    for key in common:
        a, b = _rate(left[key]), _rate(right[key])
        if a > b:
            first.append(left[key][0].label)
        elif b > a:
            second.append(left[key][0].label)
        elif a > 0:
            both += 1
        else:
            neither += 1
    moved = len(first) + len(second)
    return {
        "runs": [one, other],
        "tasks": len(common),
        "single": all(len(tasks[key]) == 1 for tasks in (left, right) for key in common),
        "first": len(first),
        "second": len(second),
        "both": both,
        "neither": neither,
        "p": significant(float(stats.binomtest(len(first), moved).pvalue), WRITTEN) if moved else None,
        "first_tasks": first[:MOST_SHOWN],
        "second_tasks": second[:MOST_SHOWN],
    }


def _rate(cases: Sequence[Case]) -> float:
    return sum(bool(case.passed) for case in cases) / len(cases)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    pairs = answer["pairs"]
    single = all(pair["single"] for pair in pairs)
    words = ("only A passes", "only B passes") if single else ("A passes more often", "B passes more often")
    both = "both pass" if single else "alike, above 0"
    rows = [
        (
            pair["runs"][0],
            pair["runs"][1],
            _cell(place, "tasks", pair),
            *(_cell(place, key, pair) for key in ("first", "second", "both", "neither")),
            "" if pair["p"] is None else fact(f"{pair['p']:.3f}", pair["p"], *_at(place), "p"),
        )
        for place, pair in enumerate(pairs)
    ]
    head = ("A", "B", ">tasks judged in both", f">{words[0]}", f">{words[1]}", f">{both}", ">neither passes", ">p")
    shown = [(place, pair) for place, pair in enumerate(pairs) if pair["first"] + pair["second"]][:3]
    return [
        Table(head, tuple(rows), "p: the exact sign test, by tasks; no correction for the number of pairs"),
        *(Paragraph((_sentence(place, pair, single=single),)) for place, pair in shown),
    ]


def _sentence(place: int, pair: Mapping[str, Any], *, single: bool) -> Any:
    one, other = pair["runs"]
    verb = "Only {a} passes" if single else "{a} passes more often in"
    second = "only {b} passes" if single else "{b} in"
    end = "that is churn, not a proven difference" if pair["p"] >= SURE else "more than chance would do"
    return say(
        f"{verb} {{first}} ({{first_tasks}}), {second} {{second}} ({{second_tasks}}) (exact sign test p = {{p}}): "
        f"{end}.",
        a=one,
        b=other,
        first=fact(count(pair["first"], "task"), pair["first"], *_at(place), "first"),
        second=fact(count(pair["second"], "task"), pair["second"], *_at(place), "second"),
        first_tasks=task_list(pair["first_tasks"], 20) or "none",
        second_tasks=task_list(pair["second_tasks"], 20) or "none",
        p=fact(f"{pair['p']:.3f}", pair["p"], *_at(place), "p"),
    )


def _cell(place: int, key: str, pair: Mapping[str, Any]) -> Any:
    return amount(pair[key], *_at(place), key)


def _at(place: int) -> tuple[str | int, ...]:
    return ("investigation", "like_for_like", "pairs", place)
