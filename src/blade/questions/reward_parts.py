"""Which of the scores behind a reward vary at all, and which one alone moves it?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.wording import count, fact, listed

TITLE = "What moves the reward"
ORDER = 35
FEWEST_ROWS = 8
FEWEST_PARTS, MOST_PARTS = 2, 8
NEAR = 1e-9
REWARDS = ("reward", "score", "total")
COUNTS = frozenset({"turns", "steps", "calls", "tokens", "attempts"})
"""Words of numbers that count and judge nothing."""
OF_THE_TASK = "metadata."


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run with several rewards: the scores that are equal on all rows, and the one beside them that varies."""
    entries = [entry for run in runs if (entry := _run(run)) is not None]
    return {"runs": entries} if entries else None


def _run(run: RunCases) -> dict[str, Any] | None:
    rows = [
        (case.reward, fields)
        for case, fields in zip(run.cases, run.fields(), strict=True)
        if case.evaluable and case.stage_lost is None and case.reward is not None
    ]
    rewards = [reward for reward, _ in rows]
    if len(rows) < FEWEST_ROWS or max(rewards) - min(rewards) <= NEAR:
        return None
    for holder, parts in _holders([fields for _, fields in rows]):
        constant = {name: values[0] for name, values in parts.items() if max(values) - min(values) <= NEAR}
        varying = [name for name in parts if name not in constant]
        if constant and len(varying) == 1 and _decides(parts[varying[0]], rewards):
            (name,) = varying
            return {
                "run": run.run.name,
                "field": holder,
                "rollouts": len(rows),
                "constant": [[part, value] for part, value in sorted(constant.items())],
                "varies": name,
                "from": min(parts[name]),
                "to": max(parts[name]),
                "lowest": min(rewards),
                "highest": max(rewards),
            }
    return None


def _holders(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, list[float]]]]:
    """Name → the numbers that stand beside each other under it on every row."""
    names = set.intersection(*({name for name in fields if "." in name} for fields in rows))
    holders: defaultdict[str, dict[str, list[float]]] = defaultdict(dict)
    for name in sorted(names):
        holder, _, last = name.rpartition(".")
        values = [fields[name] for fields in rows]
        numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
        if numbers and last not in REWARDS and COUNTS.isdisjoint(last.split("_")) and not name.startswith(OF_THE_TASK):
            holders[holder][last] = [float(value) for value in values]
    for holder, parts in holders.items():
        if FEWEST_PARTS <= len(parts) <= MOST_PARTS:
            yield holder, parts


def _decides(values: Sequence[float], rewards: Sequence[float]) -> bool:
    """Whether a higher value always means a higher reward, or always a lower one, and an equal one the same."""
    pairs = sorted(zip(values, rewards, strict=True))
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(pairs)]
    equal = all(abs(gained) <= NEAR for moved, gained in steps if moved <= NEAR)
    gains = [gained for moved, gained in steps if moved > NEAR]
    return equal and (all(gained > NEAR for gained in gains) or all(gained < -NEAR for gained in gains))


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["runs"])))]


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = ("investigation", "reward_parts", "runs", place)
    constant = [f"{name} ({value:g})" for name, value in entry["constant"]]
    return say(
        "Of the scores in {field} of {run} {constant} {are} the same in all {rollouts}; {varies} alone varies, from "
        "{low} to {high}, and the reward with it, from {lowest} to {highest}: differences of this score tell of "
        "nothing else.",
        field=entry["field"],
        run=entry["run"],
        constant=listed(constant),
        are="is" if len(constant) == 1 else "are",
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        varies=entry["varies"],
        low=f"{entry['from']:g}",
        high=f"{entry['to']:g}",
        lowest=fact(f"{entry['lowest']:g}", entry["lowest"], *path, "lowest"),
        highest=fact(f"{entry['highest']:g}", entry["highest"], *path, "highest"),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The first run whose reward one score alone moves."""
    for place, entry in enumerate(answer["runs"][:1]):
        yield _words(place, entry)
