"""Would a larger limit help: how do passes depend on the turns, tokens or time used, and who only repeats himself?"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from statistics import median, quantiles
from typing import Any

from blade.counting.audit import COUNTS
from blade.counting.status import in_time, of_source
from blade.diagnosis.beyond_limit import beyond_limit
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.circles import in_circles
from blade.diagnosis.phrases import strata
from blade.diagnosis.stop_words import unstopped, unstopped_words
from blade.diagnosis.used_turns import counted_turns, whole_records
from blade.document import Block, Bullets, Fact, Paragraph, Sentence, Table, say
from blade.findings import FEWEST_WORKING, HARDLY, MoreRoom
from blade.questions import MOST_PAIRS, SURE, outcome_p, task_list
from blade.stats.binomial import sign_p
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, points

TITLE = "Would a higher limit help?"
ORDER = 102
WEIGHT = 0.3
FEWEST = 20
MANY_RUNS = 4
"""From so many runs on a table shows their limits."""
FEWEST_LOOPING = 3
FEWEST_BEYOND = 3
TURNS, CALLS, TIME, LENGTH = "acts", "calls", "seconds", "output_chars"
MEASURES = (TURNS, "output_tokens", "total_tokens", TIME, LENGTH)
ALL_MEASURES = (*MEASURES, CALLS)
"""Calls are as many as turns, or nearly: they are the measure where it is they that are limited."""
NAMES = {**COUNTS, TIME: "seconds", LENGTH: "characters of output"}
TRUNCATED = "truncated"
"""Cut at a length: how long it took says nothing of that limit."""
FULL_CONTEXT = "context_overflow"
CUT = frozenset({TRUNCATED, "timed_out"})
OFTEN = 5
"""So many equal calls are more than a second look."""
HALF = 0.5
MOSTLY = 0.8


@dataclass(slots=True)
class _Row:
    """A rollout that acted and was judged: what it used, and whether a limit cut it."""

    case: Case
    used: dict[str, float]
    cut: bool
    in_time: bool
    """It bears the word for a limit, and came to an end of its own."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the passes by quarters of what was used, what rollouts near the limit do, and loops, cut or not."""
    rows = {run.run.name: _rows(run) for run in runs}
    levels = _levels([row.case for run_rows in rows.values() for row in run_rows])
    entries = [entry for run in runs if (entry := _run(run, rows[run.run.name], levels)) is not None]
    tested = [entry for entry in entries if entry["p"] is not None]
    for entry, p in zip(tested, benjamini_hochberg([entry["p"] for entry in tested]), strict=True):
        entry["p"] = significant(p, WRITTEN)
    for entry in entries:
        if entry["limit"]:
            entry["limit"]["elsewhere"] = _elsewhere(entry, rows)
            entry["limit"]["without"] = _without(entry, rows)
    worth = [entry for entry in entries if entry["limit"] or (entry["measure"] != LENGTH and _sure(entry))]
    loops = _loops([row for run_rows in rows.values() for row in run_rows])
    unnamed = [run.run.name for run in runs if any(2 * limit.named < limit.rows for limit, _ in run.run.reached_limits)]
    answer = {"runs": worth, "loops": loops, "first_turns": _first_turns(entries, rows), "unnamed": unnamed}
    return answer if worth or loops else None


def _elsewhere(entry: Mapping[str, Any], rows: Mapping[str, Sequence[_Row]]) -> dict[str, int]:
    """What the other runs make of the tasks in which this run was cut and failed, and who passes beyond its limit."""
    limit, measure = entry["limit"]["value"], entry["measure"]
    tasks = {row.case.key for row in rows[entry["run"]] if row.cut and not row.case.passed}
    others = [row for run, run_rows in rows.items() if run != entry["run"] for row in run_rows if row.case.key in tasks]
    passes = [row for row in others if row.case.passed]
    beyond = sum(limit is not None and row.used.get(measure, 0.0) > limit for row in passes)
    return {"rollouts": len(others), "passes": len(passes), "beyond": beyond}


def _without(entry: Mapping[str, Any], rows: Mapping[str, Sequence[_Row]]) -> dict[str, Any] | None:
    """What the run that goes furthest beyond this limit, and is not cut at it, makes of the tasks that need more."""
    limit, measure = entry["limit"]["value"], entry["measure"]
    if limit is None:
        return None
    beyond = {
        run: sum(row.used.get(measure, 0.0) > limit for row in run_rows)
        for run, run_rows in rows.items()
        if run != entry["run"]
    }
    run = max(beyond, key=lambda run: (beyond[run], run), default=None)
    if run is None or not beyond[run]:
        return None
    own, other = (
        [(row.case.key, bool(row.case.passed), row.used.get(measure)) for row in rows[name]]
        for name in (entry["run"], run)
    )
    told = beyond_limit(run, own, other, limit)
    return None if told is None else {**told._asdict(), "holds_the_gap": told.holds_the_gap}


def _helps_elsewhere(limit: Mapping[str, Any]) -> bool:
    """Whether other runs show that more room helps: several pass the same tasks, and mostly beyond this limit."""
    elsewhere = limit["elsewhere"]
    return bool(elsewhere["beyond"] >= max(FEWEST_BEYOND, HALF * elsewhere["passes"]))


def _sure(entry: Mapping[str, Any]) -> bool:
    return entry["p"] is not None and entry["p"] <= SURE


def _rows(run: RunCases) -> list[_Row]:
    frame, cut = run.run.graded, _cut(run)
    counted = [name for name in ALL_MEASURES if name != TIME]
    columns = [frame[name].to_list() for name in counted]
    signals = [texts or () for texts in frame["signals"].to_list()]
    ended = [any(map(in_time, texts)) for texts in signals]
    late = [any(map(of_source, texts)) for texts in signals]
    used_rows = []
    rows = zip(
        *(run.cases, cut, ended, late, whole_records(run), counted_turns(run), run.agent_seconds(), *columns),
        strict=True,
    )
    for case, at_limit, early, by_source, whole, turns, seconds, *values in rows:
        if case.evaluable and case.stage_lost is None and case.passed is not None:
            used = dict(zip(counted, values, strict=True)) | {TIME: seconds}
            if not whole:
                used[TURNS] = used[CALLS] = used[LENGTH] = 0  # the record shows a part of what was used
            used[TURNS] = used[TURNS] or turns
            measures = {name: float(value) for name, value in used.items() if value}
            reached = at_limit and "user_ends" not in case.observed  # who is dismissed in his last turn is not cut
            used_rows.append(_Row(case, measures, reached or by_source or case.state in CUT, early))
    return used_rows


def _cut(run: RunCases) -> list[bool]:
    """Whether each counted row reached a limit, named or not."""
    facts = run.run.facts
    return [at for at, counted in zip(run.run.cut_rows(), facts["counted"].to_list(), strict=True) if counted]


def _measure(run: RunCases, rows: Sequence[_Row]) -> str | None:
    """The measure that nearly all rollouts have and at which the run cuts, else the first of them that varies."""
    limited = {entry.count for entry, _ in run.run.reached_limits}
    shown = {name: [row.used[name] for row in rows if name in row.used] for name in MEASURES}
    usual = [name for name, values in shown.items() if len(values) >= max(FEWEST, MOSTLY * len(rows))]
    cutting = [name for name in usual if (name in limited and len({*shown[name]}) > 1) or _cuts_at_most(rows, name)]
    calls = [row.used.get(CALLS, 0.0) for row in rows]
    if CALLS in limited and not limited.intersection(usual) and len({*calls}) > 1 and sum(map(bool, calls)) >= FEWEST:
        return CALLS
    varying = [name for name in usual if len({*quantiles(shown[name], n=4)}) > 1]
    return next(iter((*cutting, *varying)), None)


def _cuts_at_most(rows: Sequence[_Row], name: str) -> bool:
    """Whether nearly all rollouts that were cut, and many were, stand at the largest of several values."""
    values = {row.used[name] for row in rows if name in row.used}
    cut, most = [row for row in rows if row.cut], max(values, default=None)
    at_most = sum(row.used.get(name) == most for row in cut)
    return len(values) > 1 and len(cut) >= FEWEST and at_most >= MOSTLY * len(cut)


def _ends_failing(row: _Row) -> bool:
    """Whether it fails and no limit cut it: where none does, a rollout goes on until it passes, and is long if not."""
    return not row.case.passed and not row.cut


def _levels(cases: Sequence[Case]) -> dict[int, Hashable]:
    """What is kept apart, over all runs: the tasks that a run repeats, else those that the other runs pass alike."""
    return {id(case): level for case, level in zip(cases, strata(cases), strict=True)}


def _run(run: RunCases, rows: Sequence[_Row], levels: Mapping[int, Hashable]) -> dict[str, Any] | None:
    measure = _measure(run, rows)
    known = [row for row in rows if measure in row.used]
    if measure is None or len({bool(row.case.passed) for row in known}) < 2:
        return None
    cuts = quantiles([row.used[measure] for row in known], n=4)
    quarters: list[list[_Row]] = [[], [], [], []]
    for row in known:
        quarters[bisect_left(cuts, row.used[measure])].append(row)
    longer = {id(row.case) for row in known if row.used[measure] > cuts[1]}
    passes = sorted(row.used[measure] for row in known if row.case.passed)
    apart = [levels[id(row.case)] for row in known]
    return {
        "run": run.run.name,
        "measure": measure,
        "quarters": [_quarter(run_rows, measure) for run_rows in quarters],
        "longest_pass": passes[-1],
        "most_passes": passes[ceil(9 * len(passes) / 10) - 1],
        "first_turn": _first_turn(known) if measure == TURNS else None,
        "limit": _limit(run, rows, measure),
        "levels": len({*apart}),
        "p": outcome_p([row.case for row in known], longer, apart) if any(map(_ends_failing, known)) else None,
    }


def _first_turn(rows: Sequence[_Row]) -> dict[str, Any] | None:
    """Where most passes need a single turn: how many, and what becomes of those who go on with what they were told."""
    passes = sum(bool(row.case.passed) for row in rows)
    at_once = sum(bool(row.case.passed) for row in rows if row.used[TURNS] == 1)
    longer = [row for row in rows if row.used[TURNS] > 1]
    if at_once < HALF * passes or len(longer) < FEWEST:
        return None
    return {"passes": passes, "at_once": at_once, "longer": len(longer), "longer_passes": passes - at_once}


def _first_turns(entries: Sequence[Mapping[str, Any]], rows: Mapping[str, Sequence[_Row]]) -> list[dict[str, Any]]:
    """Pairs of runs with one attempt a task that mostly pass with the first turn: who passes what with that alone."""
    tasks = {
        entry["run"]: {row.case.key: bool(row.case.passed) and row.used.get(TURNS) == 1 for row in rows[entry["run"]]}
        for entry in entries
        if entry["first_turn"]
    }
    single = [run for run, passes in tasks.items() if len(passes) == len(rows[run])]
    pairs = []
    for one, other in list(combinations(single, 2))[:MOST_PAIRS]:
        common = tasks[one].keys() & tasks[other].keys()
        alone = sum(tasks[one][key] > tasks[other][key] for key in common)
        other_alone = sum(tasks[one][key] < tasks[other][key] for key in common)
        if len(common) >= FEWEST and alone + other_alone:
            pairs.append(
                {
                    "runs": [one, other],
                    "tasks": len(common),
                    "passes": [sum(tasks[run][key] for key in common) for run in (one, other)],
                    "alone": [alone, other_alone],
                    "p": significant(sign_p(alone, other_alone), WRITTEN),
                }
            )
    return pairs


def _quarter(rows: Sequence[_Row], measure: str) -> dict[str, Any]:
    used = [row.used[measure] for row in rows]
    return {
        "from": min(used, default=0.0),
        "to": max(used, default=0.0),
        "rollouts": len(rows),
        "passes": sum(bool(row.case.passed) for row in rows),
        "cut": sum(row.cut for row in rows),
    }


def _limit(run: RunCases, rows: Sequence[_Row], measure: str) -> dict[str, Any] | None:
    """What was cut, and how many of those still at work halfway to the limit passed after that.

    Where no value of this measure is the limit, halfway is half of what the cut rollouts used in the middle.
    """
    cut = [row for row in rows if row.cut and not (measure == TIME and row.case.state == TRUNCATED)]
    if measure in {TURNS, CALLS, TIME}:  # more of either gives a full context no room
        cut = [row for row in cut if FULL_CONTEXT not in row.case.fired()]
    if not cut:
        return None
    named = next((entry.value for entry, _ in run.run.reached_limits if entry.count == measure), None)
    halfway = HALF * (named if named is not None else median(row.used.get(measure, 0.0) for row in cut))
    working = [row for row in rows if row.used.get(measure, 0.0) > halfway]
    later = sum(bool(row.case.passed) for row in working)
    lost = sum(not row.case.passed for row in cut)
    endless = unstopped([row.case for row in cut], [row.case for row in rows if not row.cut])
    circling = sum(not row.case.passed and in_circles(row.case) for row in cut)
    unfinished = max(0, lost - circling - (endless["rollouts"] - endless["passes"] if endless else 0))
    return {
        "value": named,
        "halfway": halfway,
        "cut": len(cut),
        "cut_passes": len(cut) - lost,
        "looping": sum(in_circles(row.case) for row in cut),
        "looping_failures": circling,
        "again": sum(row.case.observed.get("same", (0,))[0] >= OFTEN for row in cut),
        "shown": any(row.case.shows_the_model for row in cut),
        "working": len(working),
        "ended_later": sum(not row.cut for row in working),
        "later_passes": later,
        "in_time": sum(row.in_time and not row.cut for row in rows),
        "throttled": sum("throttled" in row.case.observed for row in cut),
        "unstopped": endless,
        "ceiling": unfinished * later / max(len(working), 1) / len(rows),
    }


def room(answer: Mapping[str, Any]) -> dict[str, MoreRoom]:
    """Run → what twice its limit may bring, where one cut rollouts and others show it."""
    limits_by_run = {
        entry["run"]: limit
        for entry in answer["runs"]
        if (limit := entry["limit"]) and _can_be_judged(limit) and not _helps_elsewhere(limit)
    }
    return {
        run: MoreRoom(limit["cut"], limit["looping"], limit["working"], limit["later_passes"], limit["ceiling"])
        for run, limit in limits_by_run.items()
    }


def _can_be_judged(limit: Mapping[str, Any]) -> bool:
    """Whether some rollout was at work halfway that the limit did not cut, or so many were that none of them passes."""
    return bool(limit["ended_later"]) or limit["working"] >= FEWEST_WORKING


def _loops(rows: Sequence[_Row]) -> dict[str, Any] | None:
    """Rollouts that repeat themselves, cut by a limit or not."""
    having = [row for row in rows if in_circles(row.case)]
    if len(having) < FEWEST_LOOPING:
        return None
    cases = [row.case for row in rows]
    p = outcome_p(cases, {id(row.case) for row in having})
    sides = {
        name: {
            "rollouts": len(run_rows),
            "passes": sum(bool(row.case.passed) for row in run_rows),
            "tasks": sorted({row.case.label for row in run_rows}),
        }
        for name, run_rows in (
            ("cut", [row for row in having if row.cut]),
            ("by_itself", [r for r in having if not r.cut]),
        )
    }
    runs = {name: sum(row.case.run == name for row in having) for name in dict.fromkeys(case.run for case in cases)}
    return {
        **sides,
        "rollouts": len(having),
        "of": len(rows),
        "others": len(rows) - len(having),
        "other_passes": sum(bool(row.case.passed) for row in rows) - sum(bool(row.case.passed) for row in having),
        "runs": runs,
        "p": None if p is None else significant(p, WRITTEN),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    if answer["runs"]:
        blocks.append(_table(answer))
    in_table = len(answer["runs"]) >= MANY_RUNS
    if in_table:
        blocks.append(_limit_table(answer))
    by_run = (tuple(_run_words(place, entry, in_table=in_table)) for place, entry in enumerate(answer["runs"]))
    items = [*map(Paragraph, filter(None, by_run))]
    items += [Paragraph((_pair_words(place, pair),)) for place, pair in enumerate(answer["first_turns"])]
    if answer["loops"]:
        items.append(Paragraph(tuple(_loop_words(answer["loops"]))))
    return [*blocks, Bullets(tuple(items))] if items else blocks


def _table(answer: Mapping[str, Any]) -> Table:
    rows = []
    for place, entry in enumerate(answer["runs"]):
        cells = []
        for at, quarter in enumerate(entry["quarters"]):
            low, high = (f"{quarter[side]:,.0f}" for side in ("from", "to"))
            span = low if low == high else f"{low} to {high}"
            words = f"{quarter['passes']:,} of {quarter['rollouts']:,} ({span})"
            path = (*_AT, "runs", place, "quarters", at, "passes")
            cells.append(fact(words, quarter["passes"], *path) if quarter["rollouts"] else "")
        rows.append((entry["run"], NAMES[entry["measure"]], *cells))
    head = ("Run", "used", ">fewest", ">2nd quarter", ">3rd quarter", ">most")
    return Table(head, tuple(rows), "Passes by how much a rollout used (all judged rollouts, cut or not):")


def _limit_table(answer: Mapping[str, Any]) -> Table:
    """What the passes of many runs used, what a limit cut and what more room may win: a line for each run."""
    rows = []
    for place, entry in enumerate(answer["runs"]):
        path, limit = (*_AT, "runs", place), entry["limit"]
        most, longest = (fact(f"{entry[key]:,.0f}", entry[key], *path, key) for key in ("most_passes", "longest_pass"))
        cells: tuple[Fact | str, ...] = ("", "", "")
        if limit:
            text = f"{limit['cut']:,}" + (f" (at {limit['value']:,.0f})" if limit["value"] is not None else "")
            cells = (
                fact(text, limit["cut"], *path, "limit", "cut"),
                amount(limit["cut_passes"], *path, "limit", "cut_passes"),
                fact(points(limit["ceiling"]), limit["ceiling"], *path, "limit", "ceiling")
                if _can_be_judged(limit)
                else "not known",
            )
        rows.append((entry["run"], NAMES[entry["measure"]], most, longest, *cells))
    head = ("Run", "used", ">90% of passes use at most", ">longest pass", ">cut by a limit", ">of these pass")
    caption = (
        "An estimate, not a bound: if as many of the cut failures passed with twice the limit as did later of the "
        "rollouts still at work halfway"
    )
    return Table((*head, ">with twice the limit"), tuple(rows), caption)


def _run_words(place: int, entry: Mapping[str, Any], *, in_table: bool = False) -> Iterator[Sentence]:
    """What one run shows; `in_table` leaves out what a table of all runs shows."""
    path, name = (*_AT, "runs", place), NAMES[entry["measure"]]
    if _sure(entry):
        halves = [_half(entry["quarters"][:2]), _half(entry["quarters"][2:])]
        apart = "tasks of similar difficulty compared" if entry["levels"] > 1 else "which task difficulty may explain"
        yield say(
            "In {run} rollouts that use more {name} pass {how} often: {short} of the shorter half, {long} of the "
            "longer (p = {p}, {apart}).",
            apart=apart,
            run=entry["run"],
            name=name,
            how="less" if halves[0][0] * halves[1][1] > halves[1][0] * halves[0][1] else "more",
            short=f"{halves[0][0]:,} of {halves[0][1]:,}",
            long=f"{halves[1][0]:,} of {halves[1][1]:,}",
            p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        )
    if not in_table:
        yield say(
            "90% of the passes of {run} use at most {most} {name}, the longest {longest}.",
            run=entry["run"],
            most=fact(f"{entry['most_passes']:,.0f}", entry["most_passes"], *path, "most_passes"),
            name=_unit(entry["most_passes"], name),
            longest=fact(f"{entry['longest_pass']:,.0f}", entry["longest_pass"], *path, "longest_pass"),
        )
    of_run = f" of {entry['run']}" if in_table else ""
    if entry["first_turn"]:
        yield from _first_words((*path, "first_turn"), entry["first_turn"], of_run)
    if entry["limit"]:
        at, limit = (*path, "limit"), entry["limit"]
        yield from () if in_table else _limit_words(at, limit, name)
        yield from _cut_words(at, limit, of_run)
        if limit["unstopped"]:
            yield unstopped_words(limit["unstopped"], of_run, *at, "unstopped")
        elif _helps_elsewhere(limit):
            yield _elsewhere_words((*at, "elsewhere"), limit, name)
        elif not in_table:
            yield _more_room_words(at, limit, name)
        if limit["without"]:
            yield _without_words((*at, "without"), limit, entry["run"], name)


def _pair_words(place: int, pair: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "first_turns", place)
    one, other = pair["runs"]
    return say(
        "With the first turn alone {one} passes {passes} of the {tasks} that both have, {other} {other_passes} "
        "({alone} against {other_alone} tasks that only one of them passes so; sign test p = {p}).",
        one=one,
        other=other,
        tasks=fact(count(pair["tasks"], "task"), pair["tasks"], *path, "tasks"),
        passes=amount(pair["passes"][0], *path, "passes", 0),
        other_passes=amount(pair["passes"][1], *path, "passes", 1),
        alone=amount(pair["alone"][0], *path, "alone", 0),
        other_alone=amount(pair["alone"][1], *path, "alone", 1),
        p=fact(f"{pair['p']:.2g}", pair["p"], *path, "p"),
    )


def _first_words(path: tuple[str | int, ...], first: Mapping[str, Any], of_run: str) -> Iterator[Sentence]:
    yield say(
        "{at_once} of the {passes}{of_run} come with the first turn; of the {longer} that go on {longer_passes} "
        "{pass_}.",
        at_once=amount(first["at_once"], *path, "at_once"),
        passes=fact(count(first["passes"], "pass", "passes"), first["passes"], *path, "passes"),
        longer=fact(count(first["longer"], "rollout"), first["longer"], *path, "longer"),
        of_run=of_run,
        longer_passes=amount(first["longer_passes"], *path, "longer_passes"),
        pass_="passes" if first["longer_passes"] == 1 else "pass",
    )


def _unit(value: float, name: str) -> str:
    """The name of what is counted, as one and as many have it."""
    noun, *rest = name.split(" ")
    return " ".join((noun.removesuffix("s"), *rest)) if f"{value:.0f}" == "1" else name


def _half(quarters: Sequence[Mapping[str, int]]) -> tuple[int, int]:
    return sum(entry["passes"] for entry in quarters), sum(entry["rollouts"] for entry in quarters)


def _limit_words(path: tuple[str | int, ...], limit: Mapping[str, Any], name: str) -> Iterator[Sentence]:
    ended = "it ended by itself" if limit["cut"] == 1 else "they ended by themselves"
    at = f"at {limit['value']:,.0f} {_unit(limit['value'], name)}" if limit["value"] is not None else f"before {ended}"
    themselves = "itself" if limit["looping"] == 1 else "themselves"
    looping = f", {{looping}} of them while repeating {themselves}" if limit["looping"] else ""
    cut_words = "A limit cut {cut} " + at
    if limit["cut_passes"] and limit["value"] is not None:
        cut_words = "{cut} {reach} the limit of " + at.removeprefix("at ")
    if limit["value"] is None and not limit["shown"]:
        cut_words = "{cut} {are} labelled as cut by a limit; whether the work was handed in by then is not recorded"
    passes = amount(limit["cut_passes"], *path, "cut_passes")
    if not limit["cut_passes"]:
        passes = fact("none", 0, *path, "cut_passes")
    outcome = ", and {passes} of the {cut} {pass_}." if looping else ", and {passes} of these {pass_}."
    if limit["cut"] == 1:
        outcome = ", and it passes." if limit["cut_passes"] else ", and it fails."
    often = ""
    if limit["again"] > max(limit["looping"], HALF * limit["cut"]):
        often = " In {again} of them one call with the same arguments was made {times} times or more."
    yield say(
        cut_words + looping + outcome + often,
        again=amount(limit["again"], *path, "again"),
        times=str(OFTEN),
        cut=fact(count(limit["cut"], "rollout"), limit["cut"], *path, "cut"),
        are="is" if limit["cut"] == 1 else "are",
        reach="reaches" if limit["cut"] == 1 else "reach",
        looping=amount(limit["looping"], *path, "looping"),
        passes=passes,
        pass_="pass" if limit["cut_passes"] > 1 else "passes",
    )


def _cut_words(path: tuple[str | int, ...], limit: Mapping[str, Any], of_run: str) -> Iterator[Sentence]:
    """What the cut ones are not: those that had ended by themselves, and those that a provider throttled."""
    if limit["in_time"]:
        yield say(
            "{more} {are} labelled as cut by a limit but had ended {own}.",
            more=fact(f"{count(limit['in_time'], 'more rollout')}{of_run}", limit["in_time"], *path, "in_time"),
            are="is" if limit["in_time"] == 1 else "are",
            own="by itself" if limit["in_time"] == 1 else "by themselves",
        )
    if limit["throttled"]:
        yield say(
            "{throttled} of the cut ones{of_run} {end} on a screen that shows a rate limit: there the provider "
            "throttled the agent, and more time alone does not help.",
            of_run=of_run,
            throttled=amount(limit["throttled"], *path, "throttled"),
            end="ends" if limit["throttled"] == 1 else "end",
        )


def _elsewhere_words(path: tuple[str | int, ...], limit: Mapping[str, Any], name: str) -> Sentence:
    elsewhere = limit["elsewhere"]
    return say(
        "At the tasks in which it cut failures the other runs pass {passes} of {rollouts}, {beyond} of them with more "
        "than {limit} {name}: there a higher limit helps.",
        passes=amount(elsewhere["passes"], *path, "passes"),
        rollouts=fact(count(elsewhere["rollouts"], "rollout"), elsewhere["rollouts"], *path, "rollouts"),
        beyond=amount(elsewhere["beyond"], *path, "beyond"),
        limit=f"{limit['value']:,.0f}",
        name=_unit(limit["value"], name),
    )


def _without_words(path: tuple[str | int, ...], limit: Mapping[str, Any], of_run: str, name: str) -> Sentence:
    """The tasks that need more than the limit, beside the run that may use it."""
    told = limit["without"]
    sides = {
        side: fact(f"{told[side][0]:,} of {told[side][1]:,}", told[side][0], *path, side, 0)
        for side in ("own", "other", "own_elsewhere", "other_elsewhere")
    }
    where = ": most of what it lacks lies there" if told["holds_the_gap"] else ""
    return say(
        "At the {tasks} on which {run} uses more than {limit} {name} on average, {run} passes {other} and {of_run} "
        "{own}; at the {other_tasks} {other_elsewhere} and {own_elsewhere}" + where + ".",
        tasks=fact(count(told["tasks"], "task"), told["tasks"], *path, "tasks"),
        run=told["run"],
        of_run=of_run,
        limit=f"{limit['value']:,.0f}",
        name=_unit(limit["value"], name),
        other_tasks=fact(count(told["other_tasks"], "other task"), told["other_tasks"], *path, "other_tasks"),
        **sides,
    )


def _more_room_words(path: tuple[str | int, ...], limit: Mapping[str, Any], name: str) -> Sentence:
    """What twice the limit may win, judged by the rollouts still at work halfway."""
    hardly = limit["later_passes"] < HARDLY * limit["working"]
    close = ", so a higher limit would hardly help." if hardly else " (an estimate, not a bound)."
    others = " that do not repeat themselves" if limit["looping_failures"] else ""
    if others and limit["looping_failures"] == limit["cut"] - limit["cut_passes"]:
        failures = amount(limit["looping_failures"], *path, "looping_failures")
        return say("All {failures} cut failures repeat themselves: more room would help none.", failures=failures)
    if not _can_be_judged(limit):
        return say(
            "No rollout that ended by itself was still at work after {halfway} {name}: what more room would bring is "
            "not known.",
            halfway=f"{limit['halfway']:,.0f}",
            name=name,
        )
    return say(
        "Of those {working} still at work after {halfway} {name}, {later} passed later: if as many of the cut "
        "failures" + others + " did with twice the limit, the pass rate would rise by {points} points" + close,
        working=fact(count(limit["working"], "rollout"), limit["working"], *path, "working"),
        halfway=f"{limit['halfway']:,.0f}",
        name=name,
        later=amount(limit["later_passes"], *path, "later_passes"),
        points=fact(f"{100 * limit['ceiling']:.1f}", limit["ceiling"], *path, "ceiling"),
    )


def _loop_words(loops: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_AT, "loops")
    parts = []
    for name, words in (("cut", "cut by a limit"), ("by_itself", "not known to be cut")):
        side = loops[name]
        if side["rollouts"]:
            many = "all" if side["rollouts"] == loops["rollouts"] else f"{side['rollouts']:,}"
            passing = f"{side['passes'] or 'none'} {'passes' if side['passes'] <= 1 else 'pass'}"
            parts.append(f"{many} {words} ({passing}; {task_list(side['tasks'], 8)})")
    runs = [f"{run} {many:,}" for run, many in loops["runs"].items()]
    yield say(
        "{rollouts} of {of} go in circles (the same call and answer, or the same words, three times or more, most of "
        "the later calls made before, or work done, undone and done again){runs}: {parts}. Of the others {other} of "
        "{others} pass.",
        rollouts=fact(count(loops["rollouts"], "rollout"), loops["rollouts"], *path, "rollouts"),
        of=amount(loops["of"], *path, "of"),
        parts=listed(parts),
        other=amount(loops["other_passes"], *path, "other_passes"),
        others=amount(loops["others"], *path, "others"),
        runs=f" ({listed(runs)})" if len(runs) > 1 else "",
    )
    p = fact(f"{loops['p'] or 0:.2g}", loops["p"], *path, "p")
    if _sure(loops):
        yield say("Repeating goes with the outcome (p = {p}).", p=p)
    elif loops["p"] is None:
        yield say("Too few attempts at the same or equally hard tasks to say whether repeating goes with failing.")
    else:
        yield say(
            "Against other attempts at the same or equally hard tasks, that does not prove that repeating goes with "
            "failing (p = {p}).",
            p=p,
        )
    if not _sure(loops) and loops["by_itself"]["passes"] and loops["cut"]["rollouts"] and not loops["cut"]["passes"]:
        yield say(
            "Repeating until a limit cuts is another matter: "
            + ("the one that does so fails." if loops["cut"]["rollouts"] == 1 else "all {cut} that do so fail."),
            cut=amount(loops["cut"]["rollouts"], *path, "cut", "rollouts"),
        )


_AT = ("investigation", "more_room")
