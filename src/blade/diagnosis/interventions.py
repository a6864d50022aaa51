"""What to change, ranked: each from a counted pattern, with its points, a cheap test and what the next run must show.

They speak of one run: the candidate, which is the last. Points are those of the ledger where runs are compared, else an
estimate that few tasks do not allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from blade.diagnosis.attribution import Attribution, whole_points
from blade.diagnosis.cases import RunCases
from blade.diagnosis.findings_table import finding_id
from blade.diagnosis.hits import Hit, find_hits
from blade.diagnosis.named_values import FEWEST, SHARE, named_value, noun_of
from blade.diagnosis.recovery import FEWEST_TASKS, Recovery, rewards_of, unpassed_tasks
from blade.diagnosis.remedies import BENCHMARK, KNOWLEDGE, LIMIT, LOOPS, RELIABILITY, USER, Remedy, remedy
from blade.diagnosis.same_aborts import same_aborts
from blade.diagnosis.votes import vote_gain
from blade.diagnosis.work_errors import work_error
from blade.findings import Intervention, Label, Mode, MoreRoom, TaskFault
from blade.stats import binomial
from blade.wording import abridged, count, listed, printable

LONGEST_MET = 100
REASON = "reason"
MOST_CITED = 20
MOST_TASKS = 50
MOST_NAMES = 3
CHANCE = 0.05
OF_THE_TASK = ("verifier", "data")
MEASUREMENT = ("TI", "DA", "IR")
COST = {"prompt": 1, "skill": 1, "verifier": 2, "harness": 3, "environment": 3, "data": 5, "sft": 8, "rl": 13}
WORKS = {"verifier": 0.8, "environment": 0.7, "data": 0.7, "harness": 0.5, "prompt": 0.4, "skill": 0.4}
SELDOM = 0.3
OTHER_LABEL = 0.1
OPEN_LABEL = 0.3
TRIED = 20
UNKNOWN_POINTS = 0.25
"""Of the most that a mode could bring, where fewer than eight tasks are hit and no points are told."""


def find_interventions(
    runs: Sequence[RunCases],
    modes: Sequence[Mode],
    labels: Sequence[Label],
    *,
    half_width: float | None = None,
    ledger: Attribution | None = None,
    faults: Mapping[str, TaskFault] = MappingProxyType({}),
    sole: Collection[int] | None = None,
    more_room: MoreRoom | None = None,
) -> tuple[Intervention, ...]:
    """Ranked: repairs of the measurement first where they outweigh its uncertainty, then expected value over cost.

    `half_width` is that of the headline's interval; `ledger` holds the rollouts against the parts of the change from
    the baseline, whose points are told where there are any. What they cost is estimated only where nothing is compared.
    `faults` are tasks that were found at fault themselves, `sole` failures that a user ended by accepting and in which
    nothing else is known to be wrong; `more_room` is what twice the limit may bring. Loops are broken before a limit is
    raised, as more room gives more of them.
    """
    if not runs or not runs[-1].failing:
        return ()
    run = runs[-1]
    run_labels = {label.task: label for label in labels if label.run == run.run.name}
    ranked = []
    aborted = {key for abort in same_aborts(runs) if not abort.cut for key in abort.tasks}
    unpassed = unpassed_tasks(runs)
    hits = _joined(find_hits(run, modes, run_labels, ledger, faults, sole, more_room))
    for hit in hits:
        estimate = _recovery(run, hit)
        item = replace(
            _intervention(run, hit, estimate, names_run=len(runs) > 1), elsewhere=_elsewhere(hit, hits, modes)
        )
        if hit.remedy is LIMIT:
            answered = {id(case) for other_hit in hits for case in other_hit.cases}
            left = [case for case in run.failing if id(case) not in answered]
            item = _with_own_errors(item, sum(work_error(case) is not None for case in left))
        item = item if ledger is None else _as_the_ledger_says(item, hit, ledger)
        item = _within_reach(item, run, hit, unpassed)
        item = _no_outage(item, len(aborted.intersection(hit.keys)))
        is_known = hit.remedy is LIMIT and more_room is not None and more_room.covers(hit.cases)
        if is_known and more_room is not None and more_room.points <= (item.highest or 0.0):
            item = replace(item, more_room=more_room)
        points = item.points if item.points is not None else estimate.points
        size = points if points is not None else estimate.most
        first = hit.remedy.label in MEASUREMENT and half_width is not None and size > half_width
        expected = points if points is not None else UNKNOWN_POINTS * estimate.most
        expected = expected if item.more_room is None else min(expected, item.more_room.points)
        value = _belief(hit, run_labels) * _works(item) * expected / COST[item.kind]
        ranked.append((not first, -size if first else -value, item.summary, item))
    return _loops_before_limits([entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:-1])])


def _with_own_errors(item: Intervention, own_errors: int) -> Intervention:
    """The same, with the failures at the limit that it leaves out: more time may not mend a failing assertion."""
    if not own_errors:
        return item
    summary = f"{item.summary} {own_errors_words(own_errors)}"
    return replace(item, own_errors=own_errors, summary=summary)


def own_errors_words(rollouts: int) -> str:
    ends = "that it cut is left out: its" if rollouts == 1 else "that it cut are left out: their"
    return f"{count(rollouts, 'more rollout')} {ends} tests show a failing assertion, which more room may not mend."


def _loops_before_limits(items: Sequence[Intervention]) -> tuple[Intervention, ...]:
    """The same order, but for a limit that stands before the loops it lets run."""
    places = {item.change: place for place, item in enumerate(items)}
    limit, loops = places.get(LIMIT.change), places.get(LOOPS.change)
    if limit is None or loops is None or loops < limit:
        return tuple(items)
    return (*items[:limit], items[loops], *items[limit:loops], *items[loops + 1 :])


def _joined(hits: Iterable[Hit]) -> list[Hit]:
    """One hit for each remedy: a task may be at fault by what all runs show, or by its label."""
    joined: dict[str, Hit] = {}
    for hit in hits:
        earlier = joined.get(hit.remedy.name)
        if earlier is not None:
            modes = {mode.id: mode for mode in (*earlier.modes, *hit.modes)}
            hit = Hit(hit.remedy, (*earlier.cases, *hit.cases), tuple(modes.values()))  # noqa: PLW2901 - both in one
        joined[hit.remedy.name] = hit
    return list(joined.values())


def _elsewhere(hit: Hit, hits: Sequence[Hit], modes: Sequence[Mode]) -> int:
    """Failures in the modes that a remedy answers which are counted under another."""
    answered = {mode.id for mode in modes if remedy(mode) == hit.remedy}
    return sum(case.mode in answered for other_hit in hits if other_hit is not hit for case in other_hit.cases)


def _recovery(run: RunCases, hit: Hit) -> Recovery:
    again = bool(hit.modes) and all(mode.recoverable["exact"] for mode in hit.modes)
    return rewards_of(run).recovery(hit.cases, exact=again)


def _intervention(run: RunCases, hit: Hit, estimate: Recovery, *, names_run: bool) -> Intervention:
    helps = hit.remedy
    passes = any(not case.failing for case in run.cases if case.key in hit.keys)
    points, interval, note = estimate.points, estimate.interval, _note(estimate)
    most: float | None = estimate.most
    if helps is RELIABILITY:
        points = most = vote_gain(run, hit.keys)
        interval = None
        note = "the gain of a majority vote over the stored attempts"
    elif helps is BENCHMARK:
        points, interval, note = None, None, "the direction is known once the keys are read"
    elif helps is USER:
        points, interval, note = None, None, "the gain is known once the user keeps to its instruction"
    elif helps.only_reading:
        points, interval, note = None, None, "reading changes no score; the gain is known afterwards"
    tasks = Counter(case.label for case in hit.cases)
    most_hit = tuple(task for task, _ in sorted(tasks.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_TASKS])
    mode_counts = _modes_hit(hit)
    extent = f"{count(len(hit.cases), 'rollout')} of {count(len(tasks), 'task')}"
    extent += f" of {run.run.name}" if names_run else ""
    within, of = (None, 0) if helps.only_reading else _within(run, hit)
    item = Intervention(
        kind=helps.kind if passes else helps.never,
        summary="",
        points=points,
        interval=interval,
        exact=estimate.exact,
        tasks=most_hit,
        because=_cited(hit),
        cheap_test=_at_hand(helps.test, len(hit.keys)),
        prediction="" if helps.only_reading else _prediction(len(hit.cases), within, of),
        run=run.run.name,
        mode=hit.modes[0].id if len(hit.modes) == 1 else "",
        rollouts=len(hit.cases),
        note=note,
        change=helps.change,
        ways=mode_counts,
        named=_values_named(hit),
        tasks_total=len(tasks),
        most=most,
        within=within,
        of=of,
    )
    pattern = ("" if run.mixed_up_rows else _named_tasks(helps, most_hit)) + _pattern(mode_counts, most_named([item]))
    return replace(item, summary=f"{helps.change}: {extent} ({pattern}).")


def _as_the_ledger_says(item: Intervention, hit: Hit, ledger: Attribution) -> Intervention:
    """The same with its part of the change for its points; the ceiling stays beside it, and is called so."""
    shares = ledger.shares(hit.cases, of=[item.run])
    ledger_points = whole_points(shares)
    item = replace(item, parts=shares, change_points=ledger_points, base=ledger.change.base)
    if hit.remedy in {RELIABILITY, BENCHMARK, USER} or hit.remedy.only_reading:
        return item
    if ledger_points is None or ledger_points >= 0:
        return replace(item, points=None, interval=None, note="")
    return replace(item, points=-ledger_points, interval=ledger.interval(shares), note="")


def _within_reach(item: Intervention, run: RunCases, hit: Hit, unpassed: Collection[str]) -> Intervention:
    """The same with its ceiling on the tasks that some rollout passes, where it also hits others.

    A task that is to be repaired itself is passed by nobody until then.
    """
    beyond = sum(case.key in unpassed for case in hit.cases)
    if item.exact or not beyond or hit.remedy.label in MEASUREMENT or item.kind in OF_THE_TASK:
        return item
    if hit.remedy is RELIABILITY:  # what a vote wins is counted, and no ceiling
        return item
    reachable = rewards_of(run).ceiling(case for case in hit.cases if case.key not in unpassed)
    return replace(item, unpassed=beyond, reachable=reachable)


def _no_outage(item: Intervention, aborted: int) -> Intervention:
    """Says of a repair of the environment how many of its tasks end so in every run: those are not worth a rerun."""
    if not aborted or item.kind != "environment":
        return item
    ends = "every attempt of every run ends so: fix the task or the harness there; a rerun will not help."
    return replace(item, cheap_test=f"{item.cheap_test} In {aborted} of its tasks {ends}")


def _note(estimate: Recovery) -> str:
    if estimate.exact:
        return ""
    if estimate.points is None and estimate.extrapolated == estimate.tasks >= FEWEST_TASKS:
        return "no task has an attempt without it to compare with"
    if estimate.points is None:
        return f"fewer than {FEWEST_TASKS} tasks are hit"
    if estimate.extrapolated:
        return (
            f"{estimate.extrapolated} of the {count(estimate.tasks, 'task')} have no attempt without it to compare with"
        )
    return ""


def _modes_hit(hit: Hit) -> tuple[tuple[str, int], ...]:
    """The modes by size, with their rollouts."""
    sizes = Counter(case.mode for case in hit.cases)
    ordered = sorted(hit.modes, key=lambda mode: (-sizes[mode.id], mode.id))
    return tuple((printable(mode.name), sizes[mode.id]) for mode in ordered)


def _values_named(hit: Hit) -> tuple[tuple[str, str, int], ...]:
    """What the rules name in the rollouts, or what the rows say of their end, with the rollouts; the commonest first.

    What passes name as often is left out: it is no matter of failing.
    """
    modes_by_id = {mode.id: mode for mode in hit.modes}
    habitual = {
        (mode.id, value.value) for mode in hit.modes if mode.named for value in mode.named.common if not value.is_sign
    }
    values: Counter[tuple[str, str]] = Counter()
    for case in hit.cases:
        mode = modes_by_id.get(case.mode or "")
        noun = noun_of(mode.detector) if mode else ""
        value = named_value(case, mode.detector) if mode and noun else ""
        if mode and value and (mode.id, value) not in habitual:
            values[noun, printable(value)] += 1
        elif mode and mode.id.startswith("status_") and case.reason:
            values[REASON, printable(case.reason)[:LONGEST_MET]] += 1
    ordered = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple((noun, value, times) for (noun, value), times in ordered)


def most_named(items: Sequence[Intervention]) -> list[tuple[str, str, int]]:
    """What recurs among the rollouts of some interventions: three values of one kind at most, each with its rollouts.

    What the rows say of their end counts where half of them say it.
    """
    values: Counter[tuple[str, str]] = Counter()
    for item in items:
        values.update({(noun, value): times for noun, value, times in item.named})
    rollouts = sum(item.rollouts for item in items)
    ordered = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
    recurring = [
        (noun, value, times)
        for (noun, value), times in ordered
        if times >= (rollouts / 2 if noun == REASON else max(min(FEWEST, rollouts), SHARE * rollouts))
    ]
    return [entry for entry in recurring if entry[0] == recurring[0][0]][:MOST_NAMES]


def _named_tasks(helps: Remedy, tasks: Sequence[str]) -> str:
    """The tasks that somebody has to open, where a change is for them alone and their ids are not mixed up."""
    return f"{abridged([printable(task) for task in tasks], MOST_NAMES)}; " if helps in {BENCHMARK, USER} else ""


def _pattern(mode_counts: Sequence[tuple[str, int]], named: Sequence[tuple[str, str, int]]) -> str:
    names = ", ".join(
        f"{name} ({rollouts})" if len(mode_counts) > 1 else name for name, rollouts in mode_counts[:MOST_NAMES]
    )
    others_left = len(mode_counts) - MOST_NAMES
    names += f" and {count(others_left, 'other mode')}" if others_left > 0 else ""
    if not named:
        return names
    if named[0][2] == sum(rollouts for _, rollouts in mode_counts):
        return f"{names}; '{named[0][1]}'"
    if len(named) == 1:
        return f"{names}; most often '{named[0][1]}', {named[0][2]} times"
    return f"{names}; most often " + listed([f"'{value}' ({times})" for _, value, times in named])


def _within(run: RunCases, hit: Hit) -> tuple[int | None, int]:
    """The most rollouts that may fail this way again, for the fall to be more than chance; of how many."""
    label_only = hit.remedy in {KNOWLEDGE, RELIABILITY, BENCHMARK, USER}
    pool = [case for case in run.cases if not label_only or case.key in hit.keys]
    rollouts, of = len(hit.cases), len(pool)
    limit = binomial.quantile(CHANCE, of, rollouts / of) - 1
    return (limit if limit >= 0 else None), of


def _prediction(rollouts: int, within: int | None, of: int) -> str:
    if within is None:
        return f"None of {count(of, 'rollout')} fails this way ({rollouts} now); chance alone may do that, too."
    at_most = f"At most {within}" if within else "None"
    fail, rest = "fails" if within == 1 else "fail", "; with more, chance may explain the drop" if within else ""
    return f"{at_most} of {count(of, 'rollout')} {fail} this way ({rollouts} now){rest}."


def _cited(hit: Hit) -> tuple[str, ...]:
    modes_by_id = {mode.id: mode for mode in hit.modes}
    ids: list[str] = []
    for case in hit.cases:
        if len(ids) == MOST_CITED:
            break
        fired = case.fired()
        mode = modes_by_id.get(case.mode or "")
        name = mode.detector if mode and mode.detector in fired else next(iter(sorted(fired)), None)
        if name:
            ids.append(finding_id(case.run, case, name))
    return tuple(ids)


def _belief(hit: Hit, labels: Mapping[str, Label]) -> float:
    """How sure the labels of the tasks hit are of the cause that the remedy presumes."""
    tasks = {case.label for case in hit.cases}
    task_labels = [labels[task] for task in sorted(tasks) if task in labels]
    sure = [
        OPEN_LABEL
        if label.confidence is None
        else label.confidence
        if hit.remedy.label in label.labels
        else OTHER_LABEL
        for label in task_labels
    ]
    return sum(sure) / len(sure) if sure else OPEN_LABEL


def _works(item: Intervention) -> float:
    return 1.0 if item.exact else WORKS.get(item.kind, SELDOM)


def _at_hand(test: str, tasks: int) -> str:
    """The cheap test for as many tasks as there are: nobody runs twenty of sixteen."""
    return test.replace(f"{TRIED} of these", "these") if tasks < TRIED else test


def failing_totals(modes: Sequence[Mode], interventions: Sequence[Intervention]) -> dict[str, dict[str, int]]:
    """Run → failing rollouts, and how many of them an intervention speaks of; no rollout is in two interventions."""
    totals: dict[str, dict[str, int]] = {}
    for mode in modes:
        for run, counts in mode.runs.items():
            totals.setdefault(run, {"rollouts": 0, "addressed": 0})["rollouts"] += counts["rollouts"]
    for item in interventions:
        totals.setdefault(item.run, {"rollouts": 0, "addressed": 0})["addressed"] += item.rollouts
    return totals
