"""Which outputs do two runs have in common, where do the others lie, and did their verdicts change?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.copies import MOSTLY, outputs, outputs_in_order_of, same_rollouts, same_rows
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.extract.names import is_outcome
from blade.questions import in_order, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Outputs that two runs share"
ORDER = 13
OF_COPIES = True
MOST_LEVELS = 50
MOST_SHOWN = 3
INSIDE = 0.95
CERTAIN = 0.9


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Pairs of runs of which most outputs are identical: the rest by slice and by verdict."""
    slices = {run.run.name: _slices(run) for run in runs[1:]}
    pairs, judged_otherwise = [], set()
    for first, second in combinations(runs, 2):
        entry = _pair(first, second, slices[second.run.name])
        if entry is not None:
            pairs.append({"runs": [first.run.name, second.run.name], **entry})
            judged_otherwise |= set(_judged_otherwise(first, second))
    return {"pairs": pairs, "judged_otherwise": len(judged_otherwise)} if pairs else None


def _slices(run: RunCases) -> dict[str, dict[str, str]]:
    """Field → task → its level, of fields with some levels."""
    found: dict[str, dict[str, str]] = {}
    for case, fields in zip(run.cases, run.fields(), strict=True):
        for name, value in fields.items():
            if isinstance(value, str) and not is_outcome(name):
                found.setdefault(name, {})[case.key] = value
    return {
        name: levels
        for name, levels in found.items()
        if 2 <= len(set(levels.values())) <= min(MOST_LEVELS, len(levels) // 2)
    }


def _pair(one: RunCases, another: RunCases, slices: Mapping[str, Mapping[str, str]]) -> dict[str, Any] | None:
    first, second = outputs(one), outputs_in_order_of(one, another)
    both = sorted(first.keys() & second.keys())
    other = [place for place in both if first[place][0] != second[place][0]]
    if not both or len(other) > (1 - MOSTLY) * len(both) or not (other or same_rollouts(one, another)):
        return None
    moved = [place for place in other if first[place][1].passed != second[place][1].passed]
    kept = [place for place in both if first[place][0] == second[place][0]]
    gained = [second[place][1].label for place in moved if second[place][1].passed]
    lost = [second[place][1].label for place in moved if not second[place][1].passed]
    return {
        "outputs": len(both),
        "same": len(kept),
        "other": len(other),
        "same_judged_otherwise": sum(1 for _ in _judged_otherwise(one, another)),
        "gained": in_order(gained),
        "lost": in_order(lost),
        "same_rows": same_rows(one, another),
        "renumbered": second is not outputs(another),
        "alone": [len(first.keys() - second.keys()), len(second.keys() - first.keys())],
        "where": _where([task for task, _ in other], [task for task, _ in both], slices),
    }


def _judged_otherwise(one: RunCases, another: RunCases) -> Iterator[tuple[Any, Any]]:
    """Places with an output that both runs have there and that has two verdicts: three runs may share one."""
    first, second = outputs(one), outputs_in_order_of(one, another)
    for place in first.keys() & second.keys():
        if first[place][0] == second[place][0] and first[place][1].passed != second[place][1].passed:
            yield place, first[place][0]


def _where(other: Sequence[str], every: Sequence[str], slices: Mapping[str, Mapping[str, str]]) -> list[list[Any]]:
    """The levels of the field in whose fewest rows nearly all the other outputs lie: field, level, outputs, of all."""
    best: tuple[int, str, list[list[Any]]] | None = None
    for name, levels in sorted(slices.items()):
        counts = Counter(levels.get(task, "") for task in other).most_common(MOST_SHOWN)
        base = Counter(levels.get(task, "") for task in every)
        room = sum(base[level] for level, _ in counts)
        if sum(many for _, many in counts) < INSIDE * len(other) or 2 * room > len(every):
            continue
        told = [[name, level, many, base[level]] for level, many in counts]
        if best is None or room < best[0]:
            best = room, name, told
    return best[2] if best else []


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_told(place, entry))) for place, entry in enumerate(answer["pairs"])]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Runs that hold the rollouts of another."""
    for place, entry in enumerate(answer["pairs"]):
        if not entry["other"]:
            yield _copied(entry, "investigation", "kept_outputs", "pairs", place)
            return


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """One verifier for outputs that are the same and have two verdicts."""
    rollouts = answer["judged_otherwise"]
    if rollouts:
        yield Advice(
            "verifier",
            "Find out why the verifier judges the same output in two ways, and judge the runs again with one verifier",
            say("{many} in several runs with two verdicts.", many=count(rollouts, "output stands", "outputs stand")),
            rollouts,
            CERTAIN,
            before_scores=True,
        )


def _copied(entry: Mapping[str, Any], *at: str | int) -> Sentence:
    first, second = entry["runs"]
    alone = [
        f"{run} has {count(many, 'judged rollout')} more"
        for run, many in zip(entry["runs"], entry["alone"], strict=True)
        if many
    ]
    same = entry["same_judged_otherwise"]
    return say(
        "{first} and {second} are the same rollouts: all {same} that both have are identical{order}, and {judged} "
        "judged otherwise{alone}. They are no independent repeats, and comparing them does not measure the "
        "model.{once}",
        first=first,
        second=second,
        same=fact(count(entry["same"], "output"), entry["same"], *at, "same"),
        order=" once attempts at a task are put in one order" if entry["renumbered"] else "",
        judged=fact("none is" if not same else count(same, "is", "are"), same, *at, "same_judged_otherwise"),
        alone=f"; {listed(alone)}" if alone else "",
        once=f" What this report says of {first} also applies to {second}." if entry["same_rows"] else "",
    )


def _told(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "kept_outputs", "pairs", place)
    if not entry["other"]:
        yield _copied(entry, *at)
        return
    first, second = entry["runs"]
    where = ""
    if entry["where"]:
        levels = [f"{level} ({many:,} of {base:,})" for _, level, many, base in entry["where"]]
        which = "" if entry["other"] == 1 else "all of them "
        where = f", {which}in {entry['where'][0][0]} {listed(levels)}"
        if sum(many for _, _, many, _ in entry["where"]) < entry["other"]:
            where = where.replace("all of them", "nearly all")
    yield say(
        "{same} of {outputs} that {first} and {second} both have are identical; {other} {differ}" + where + ".",
        same=amount(entry["same"], *at, "same"),
        outputs=fact(count(entry["outputs"], "output"), entry["outputs"], *at, "outputs"),
        first=first,
        second=second,
        other=amount(entry["other"], *at, "other"),
        differ="differs" if entry["other"] == 1 else "differ",
    )
    changed = [
        f"{count(len(entry[key]), 'task has', 'tasks have')} outputs that {verb} ({task_list(entry[key])})"
        for key, verb in _VERBS
        if entry[key]
    ]
    same = entry["same_judged_otherwise"]
    judged_otherwise = "none is" if not same else f"{same:,} {'is' if same == 1 else 'are'}"
    yield say(
        "Where they differ, {changed}; of the identical ones {same} judged differently.",
        changed=listed(changed) if changed else "no verdict changed",
        same=fact(judged_otherwise, same, *at, "same_judged_otherwise"),
    )


_VERBS = (("gained", "came to pass"), ("lost", "came to fail"))
