"""Does the score depend on how many changes a task expects, and where do two runs part?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import refused_changes
from blade.diagnosis.idle_passes import idle_tasks
from blade.document import Block, Paragraph, Sentence, Table, say
from blade.questions import SURE, by_task, close_pairs, in_order, judged, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "By the number of changes a task expects"
ORDER = 30
FEWEST_APART = 4
FEWEST_ENDING, MOST_HANDOVERS = 5, 2
"""Rollouts with and without an expected change that end on one call, or tasks that always and never pass; how many
such calls, or runs, are told."""
ELSEWHERE = 0.5
MANY = 3
"""So many expected changes or more are one group."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Judged rollouts and passes of each run by the number of expected changes that the environment accepts.

    Tasks that pass without the expected change are left out: they need none.
    """
    refused, idle = refused_changes(runs), idle_tasks(runs)
    groups: defaultdict[int, dict[str, Any]] = defaultdict(lambda: {"tasks": {}, "runs": defaultdict(lambda: [0, 0])})
    names = []
    for run in runs:
        for case in judged(run):
            seen = case.observed
            if "expected" not in seen or case.key in idle:
                continue
            size = min(sum(digest not in refused for _, digest in seen["expected"]), MANY)
            groups[size]["tasks"][case.key] = case.label
            counts = groups[size]["runs"][run.run.name]
            counts[0] += 1
            counts[1] += bool(case.passed)
            names.append(run.run.name)
    if len(groups) < 2:
        return None
    return {
        "runs": list(dict.fromkeys(names)),
        "groups": [
            {
                "changes": size,
                "tasks": len(group["tasks"]),
                "runs": {name: {"rollouts": rows, "passes": passes} for name, (rows, passes) in group["runs"].items()},
            }
            for size, group in sorted(groups.items())
        ],
        "unchanged": sorted(groups[0]["tasks"].values()) if 0 in groups else [],
        "parting": _partings(close_pairs(runs), groups),
        "handovers": _handovers(runs, refused),
        "left_out": in_order(set(idle.values())),
        "settled": _settled(runs, refused, idle),
    }


def _settled(runs: Sequence[RunCases], refused: Collection[int], idle: Collection[str]) -> list[dict[str, Any]]:
    """Runs whose tasks that always pass, against those that never do, mostly differ in whether they expect a change.

    `always` and `never` are how many of these tasks expect none, and how many there are.
    """
    entries = []
    for run in runs:
        tasks = by_task([case for case in run.observing("expected") if case.key not in idle])
        repeated = [cases for cases in tasks.values() if len(cases) > 1]
        ends = {
            outcome: [
                all(digest in refused for _, digest in cases[0].observed["expected"])
                for cases in repeated
                if all(bool(case.passed) is passed for case in cases)
            ]
            for outcome, passed in (("always", True), ("never", False))
        }
        none, of = (sum(ends["always"]), sum(ends["never"])), (len(ends["always"]), len(ends["never"]))
        p = exact_p([(none[0], of[0] - none[0], none[1], of[1] - none[1])])
        if min(of) >= FEWEST_ENDING and p is not None:
            entries.append((p, {"run": run.run.name, "always": [none[0], of[0]], "never": [none[1], of[1]]}))
    adjusted = benjamini_hochberg([p for p, _ in entries])
    sure = [
        {**entry, "p": significant(p, WRITTEN)} for p, (_, entry) in zip(adjusted, entries, strict=True) if p <= SURE
    ]
    return sorted(sure, key=lambda entry: (entry["p"], entry["run"]))[:MOST_HANDOVERS]


def _handovers(runs: Sequence[RunCases], refused: Collection[int]) -> list[dict[str, Any]]:
    """Last calls that change nothing and end otherwise where a change is expected than where none is."""
    entries = []
    for run in runs:
        cases = [case for case in run.observing("expected") if case.observed.get("closing")]
        changing = {entry[0] for case in cases for kind in ("expected", "changes") for entry in case.observed[kind]}
        for tool in sorted({case.observed["closing"][0] for case in cases} - changing):
            ending = [case for case in cases if case.observed["closing"][0] == tool]
            needing = [any(digest not in refused for _, digest in case.observed["expected"]) for case in ending]
            none, some = (
                _outcomes([case for case, needs in zip(ending, needing, strict=True) if needs is wanted])
                for wanted in (False, True)
            )
            p = exact_p([(*none, *some)])
            if min(sum(none), sum(some)) >= FEWEST_ENDING and p is not None:
                entries.append((p, {"run": run.run.name, "tool": tool, "none": [*none], "some": [*some]}))
    adjusted = benjamini_hochberg([p for p, _ in entries])
    sure = [
        {**entry, "p": significant(p, WRITTEN)} for p, (_, entry) in zip(adjusted, entries, strict=True) if p <= SURE
    ]
    return sorted(sure, key=lambda entry: (entry["p"], entry["run"], entry["tool"]))[:MOST_HANDOVERS]


def _partings(
    pairs: Sequence[tuple[RunCases, RunCases]], groups: Mapping[int, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The partings, each with the exact p of its group, corrected for all groups of all pairs: it was looked for."""
    found = []
    for pair in pairs:
        parting = _parting(pair, groups)
        if parting is not None:
            tasks = groups[parting["changes"]]["tasks"]
            p, tried = _chance(pair, tasks), len(pairs) * len(groups)
            tests = {"p_alone": significant(p, WRITTEN), "tried": tried, "p": significant(min(1.0, p * tried), WRITTEN)}
            found.append(parting | {"only": _only(pair, tasks)} | tests)
    return found


def _chance(pair: tuple[RunCases, RunCases], tasks: Collection[str]) -> float:
    """The exact p of two runs passing some tasks alike, tasks kept apart."""
    first, other = (by_task(judged(run)) for run in pair)
    p = exact_p([(*_outcomes(first.get(key, ())), *_outcomes(other.get(key, ()))) for key in tasks])
    return 1.0 if p is None else p


def _only(pair: tuple[RunCases, RunCases], tasks: Mapping[str, str]) -> list[list[str]]:
    """The tasks that the first passes more often than the other, and the other than the first."""
    first, other = (by_task(judged(run)) for run in pair)
    ahead: list[list[str]] = [[], []]
    for key, label in tasks.items():
        gap = sum(bool(case.passed) for case in first.get(key, ())) - sum(bool(c.passed) for c in other.get(key, ()))
        if gap:
            ahead[gap < 0].append(label)
    return [in_order(labels) for labels in ahead]


def _outcomes(cases: Sequence[Case]) -> tuple[int, int]:
    passes = sum(bool(case.passed) for case in cases)
    return passes, len(cases) - passes


def _parting(pair: tuple[RunCases, RunCases], groups: Mapping[int, Mapping[str, Any]]) -> dict[str, Any] | None:
    """The one group that holds nearly all of the difference of two runs that judged the same rollouts of each group."""
    first, other = pair[0].run.name, pair[1].run.name
    counts = {size: (group["runs"].get(first), group["runs"].get(other)) for size, group in groups.items()}
    if any(left is None or right is None or left[0] != right[0] for left, right in counts.values()):
        return None
    gaps = {size: left[1] - right[1] for size, (left, right) in counts.items() if left and right}
    size = max(sorted(gaps), key=lambda size: abs(gaps[size]))
    elsewhere = sum(abs(gap) for place, gap in gaps.items() if place != size)
    if abs(gaps[size]) < FEWEST_APART or elsewhere > ELSEWHERE * abs(gaps[size]):
        return None
    rates = {place: gap / counts[place][0][0] for place, gap in gaps.items()}
    if any(rate / rates[size] > ELSEWHERE for place, rate in rates.items() if place != size):
        return None  # a small group may part as far as a large one
    return {"runs": [first, other], "changes": size, "gap": gaps[size], "all": sum(gaps.values())}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    names, groups = answer["runs"], answer["groups"]
    rows = [
        (
            _size(group["changes"]),
            amount(group["tasks"], *_at(place), "tasks"),
            *(_cell(place, group, name) for name in names),
        )
        for place, group in enumerate(groups)
    ]
    note = "those that the environment never accepted are not counted"
    if answer["left_out"]:
        tasks = f"{'task' if len(answer['left_out']) == 1 else 'tasks'} {task_list(answer['left_out'])}"
        note += f"; {tasks} left out, where passes make no change"
    blocks: list[Block] = [
        Paragraph((_passes_by_size(names[0], groups, note),))
        if len(names) == 1
        else Table(
            ("Expected changes", ">tasks", *(f">{name}" for name in names)),
            tuple(rows),
            f"Passes of judged rollouts by expected changes; {note}",
        )
    ]
    blocks += [Paragraph((_told(answer, at),)) for at in _by_gap(answer["parting"])]
    if answer["unchanged"]:
        blocks.append(
            Paragraph(
                (
                    say(
                        "{many} of {all} expect no change at all: their end state equals the start state ({tasks}).",
                        many=fact(count(groups[0]["tasks"], "task"), groups[0]["tasks"], *_at(0), "tasks"),
                        all=f"{sum(group['tasks'] for group in groups):,}",
                        tasks=task_list(answer["unchanged"], 30),
                    ),
                )
            )
        )
    blocks += [Paragraph((_settled_words(place, entry),)) for place, entry in enumerate(answer["settled"])]
    blocks += [Paragraph((_handover(place, entry),)) for place, entry in enumerate(answer["handovers"])]
    return blocks


def _settled_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "key_size", "settled", place)
    (always, of), (never, of_never) = entry["always"], entry["never"]
    return say(
        "Of the {of} that {run} always passes {always} {expect} no change, of the {of_never} that it never passes "
        "{never} (exact test p = {p}).",
        run=entry["run"],
        of=fact(count(of, "task"), of, *at, "always", 1),
        always=fact(f"{always:,}" if always else "none", always, *at, "always", 0),
        expect="expects" if always == 1 else "expect",
        of_never=fact(f"{of_never:,}", of_never, *at, "never", 1),
        never=fact(f"{never:,}" if never else "none", never, *at, "never", 0),
        p=fact(f"{entry['p']:.2g}", entry["p"], *at, "p"),
    )


def _passes_by_size(run: str, groups: Sequence[Mapping[str, Any]], note: str) -> Sentence:
    """The passes of one run, in a sentence instead of a table."""
    facts = {f"cell{place}": _cell(place, group, run) for place, group in enumerate(groups)}
    parts = [f"{_size(group['changes'])}: {{cell{place}}}" for place, group in enumerate(groups)]
    return say(f"Passes of {{run}} by the number of expected changes ({note}): {'; '.join(parts)}.", run=run, **facts)


def _handover(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "key_size", "handovers", place)
    cells = {
        side: fact(f"{entry[side][0]:,} of {sum(entry[side]):,}", entry[side][0], *at, side, 0)
        for side in ("none", "some")
    }
    return say(
        "Rollouts of {run} whose last call is {tool} pass in {none} where no change is expected, and in {some} where "
        "one is (exact test p = {p}).",
        run=entry["run"],
        tool=entry["tool"],
        p=fact(f"{entry['p']:.2g}", entry["p"], *at, "p"),
        **cells,
    )


def _by_gap(parting: Sequence[Mapping[str, Any]]) -> list[int]:
    """The places of the partings, the widest first."""
    return sorted(range(len(parting)), key=lambda at: -abs(parting[at]["gap"]))


def _told(answer: Mapping[str, Any], at: int) -> Sentence:
    parting = answer["parting"][at]
    first, other = parting["runs"]
    place = next(n for n, group in enumerate(answer["groups"]) if group["changes"] == parting["changes"])
    group = answer["groups"][place]
    rest = [
        f"{_cell(n, each, first).text} and {_cell(n, each, other).text} with {_size(each['changes'])}"
        for n, each in enumerate(answer["groups"])
        if n != place
    ]
    return say(
        "The net difference between {one} and {other} sits in the tasks that expect {size}: {left} against {right}; "
        "elsewhere they are about equal ({rest}). "
        + ("That is beyond chance" if parting["p"] <= SURE else "That may be chance")
        + " (exact test p = {alone}, {p} corrected for {tried} groups). {ahead}.",
        one=first,
        other=other,
        size=f"{_size(parting['changes'])} {'change' if parting['changes'] == 1 else 'changes'}",
        left=_cell(place, group, first),
        right=_cell(place, group, other),
        rest=listed(rest),
        ahead="; ".join(
            f"{name} is ahead in {task_list(tasks)}"
            for name, tasks in zip(parting["runs"], parting["only"], strict=True)
            if tasks
        ),
        alone=fact(f"{parting['p_alone']:.2g}", parting["p_alone"], *_PARTING, at, "p_alone"),
        p=fact(f"{parting['p']:.2g}", parting["p"], *_PARTING, at, "p"),
        tried=fact(f"{parting['tried']:,}", parting["tried"], *_PARTING, at, "tried"),
    )


_PARTING = ("investigation", "key_size", "parting")


def _size(changes: int) -> str:
    return f"{changes} or more" if changes == MANY else str(changes)


def _cell(place: int, group: Mapping[str, Any], name: str) -> Any:
    part = group["runs"].get(name)
    if part is None:
        return "none"
    text = f"{part['passes']:,} of {part['rollouts']:,}"
    return fact(text, part["passes"], *_at(place), "runs", name, "passes")


def _at(place: int) -> tuple[str | int, ...]:
    return ("investigation", "key_size", "groups", place)
