"""What carries the lost points between two runs, first of all inside the slice that moved most?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.features import (
    CALL,
    ERROR,
    FIRST,
    LAST,
    PAIR,
    PATCH,
    PHRASE,
    RULE,
    SENT,
    STEPS,
    TURNS,
    features,
)
from blade.diagnosis.phrases import strata
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, by_task, disturbed_words, in_order, outcome_p, task_list, undisturbed
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "What goes with the difference"
ORDER = 15
OF_COPIES = True
WEIGHT = 1.3
MOST_PAIRS = 6
MOST_TOLD = 3
MOST_FOUND = 3
FEWEST_TASKS = 20
FEWEST_SHOWING = 8
SMALLEST = 0.02
"""Runs that lie closer have no loss to explain."""
LEAST_SHARE = 0.1
"""A feature carries the loss if its failures grew by so much of it."""
MOST_OF_IT = 0.5
TOGETHER = 0.8
VERDICT = 0.97
WORDS = {
    SENT: "{name}",
    PHRASE: "{name}",
    ERROR: "a tool answers with an error ({name})",
    RULE: "the sign is “{name}”",
    PATCH: "{name}",
    STEPS: "{name}",
    FIRST: "the first call is {name}",
    LAST: "the last call is {name}",
    CALL: "{name} is called",
    PAIR: "{name} is called",
    TURNS: "it takes {name}",
}
"""Kinds of features in the order in which one of several that occur together gives the name."""


OF_THE_WORK = frozenset({PHRASE, FIRST, CALL, PAIR})
"""Kinds that tell what was done. Errors, ends and signs of failing stand in few passes, whatever the reason."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Baseline against each run: features that became more common, go with failing, and whose failures grew.

    Beside each what both runs pass of the tasks at which no rollout of either shows it.
    """
    pairs = [(runs[0], run) for run in runs[1 : MOST_PAIRS + 1]] if runs else []
    made = [pair for entry, other in pairs for pair in _scopes(entry, other, runs)]
    flat = [(entry, key) for pair in made for entry in pair["tested"] for key in ("p_runs", "p_outcome")]
    for (entry, key), q in zip(flat, benjamini_hochberg([entry[key] for entry, key in flat]), strict=True):
        entry[key] = significant(q, WRITTEN)
    told: dict[tuple[str, ...], dict[str, Any]] = {}
    for pair in made:
        cases = pair.pop("cases")
        sure = [entry for entry in pair.pop("tested") if entry["p_runs"] <= SURE and entry["p_outcome"] <= SURE]
        if found := _apart(sure, [case for some in cases for case in some]):
            more = max(len(sure) - len(found), 0)
            told.setdefault(
                tuple(pair["runs"]), {**pair, "features": [_data(entry, cases) for entry in found], "left_out": more}
            )
    return {"pairs": sorted(told.values(), key=lambda pair: -pair["loss"])} if told else None


def _scopes(base: RunCases, candidate: RunCases, runs: Sequence[RunCases]) -> Iterator[dict[str, Any]]:
    """The slice in which the runs differ most, where one stands out, then all tasks judged in both."""
    sides = [by_task(undisturbed(run)) for run in (base, candidate)]
    common = [key for key in sides[0] if key in sides[1]]
    names = [base.run.name, candidate.run.name]
    scopes: list[tuple[str, list[str]]] = [("", common)]
    if "moved" in candidate.known:
        where, members, inside = candidate.known["moved"]
        scopes.insert(0, (where, [key for key in common if (key in members) == inside]))
    for where, keys in scopes:
        if len(keys) >= FEWEST_TASKS and (pair := _pair(names, sides, keys, runs)) is not None:
            disturbed = sum(case.in_dead_stretch for run in (base, candidate) for case in run.judged())
            yield {"where": where, "disturbed": disturbed, **pair}


def _pair(
    names: Sequence[str], sides: Sequence[Mapping[str, list[Case]]], keys: Sequence[str], runs: Sequence[RunCases]
) -> dict[str, Any] | None:
    """The worse run against the better on some tasks."""
    rates = [_rate(side, keys) for side in sides]
    if abs(rates[0] - rates[1]) < SMALLEST:
        return None
    worse, better = (1, 0) if rates[0] > rates[1] else (0, 1)
    loss = rates[better] - rates[worse]
    rows = [[case for key in keys for case in sides[side][key]] for side in (better, worse)]
    return {
        "runs": [names[better], names[worse]],
        "tasks": len(keys),
        "passes": [sum(bool(case.passed) for case in some) for some in rows],
        "rollouts": [len(some) for some in rows],
        "loss": loss,
        "cases": rows,
        "tested": list(_tested(rows[0], rows[1], keys, loss, runs, _of_all_tasks(sides))),
    }


def _of_all_tasks(sides: Sequence[Mapping[str, list[Case]]]) -> list[Case]:
    return [case for side in sides for key in side if all(key in other for other in sides) for case in side[key]]


def _rate(tasks: Mapping[str, Sequence[Case]], keys: Sequence[str]) -> float:
    return sum(sum(bool(case.passed) for case in tasks[key]) / len(tasks[key]) for key in keys) / len(keys)


def _tested(
    better: Sequence[Case],
    worse: Sequence[Case],
    keys: Sequence[str],
    loss: float,
    runs: Sequence[RunCases],
    wider: Sequence[Case],
) -> Iterator[dict[str, Any]]:
    """Features that may carry a loss, each tested twice: between the runs, and between failures and passes.

    What every rollout of the worse run shows in a slice is held against the outcomes of all tasks: inside, it cannot
    be told from the run.
    """
    every = [*better, *worse]
    mine = {id(case) for case in every}
    failures = {id(case) for case in every if not case.passed}
    of_worse = {id(case) for case in worse}
    apart = strata(every)
    within = {case.key for case in better if case.passed}
    failing = [_failing_by_task([case for case in some if case.key in within]) for some in (better, worse)]
    lost = _lost_tasks(better, worse)
    for (kind, name), having in features(runs).items():
        here = having & mine
        if kind not in WORDS or not FEWEST_SHOWING <= len(here) < len(every) or _is_verdict(mine, failures, here):
            continue
        shares = [_failing_share(tasks, here, keys) for tasks in failing]
        carried = (shares[1] - shares[0]) / loss
        if carried < LEAST_SHARE:
            continue
        if not _points_down(mine, failures, of_worse, here):
            continue
        p_runs = _between(better, worse, here)
        p_outcome = outcome_p(wider, having) if of_worse <= here else outcome_p(every, here, apart)
        if p_runs is not None and p_outcome is not None:
            counts = [_counts(some, here) for some in (better, worse)]
            beyond = sum(not case.passed and id(case) in here and case.key not in within for case in worse)
            yield {
                "kind": kind,
                "name": name,
                "carried": carried,
                "counts": counts,
                "unpassed": beyond,
                "lost": len(lost),
                "tasks": in_order(case.label for case in worse if id(case) in here and _is_loss(case, lost)),
                "p_runs": p_runs,
                "p_outcome": p_outcome,
                "having": here,
            }


def _points_down(every: set[int], failures: set[int], of_worse: set[int], having: set[int]) -> bool:
    """Whether the worse run shows it more often, and rollouts that show it fail more often than the others.

    Rollouts are given by their identity.
    """
    shown = len(having & of_worse)
    often = shown / len(of_worse) > (len(having) - shown) / (len(every) - len(of_worse))
    failed = len(having & failures)
    return often and failed / len(having) > (len(failures) - failed) / (len(every) - len(having))


def _is_verdict(every: set[int], failures: set[int], having: set[int]) -> bool:
    """Whether nearly all failures show it and no pass does, or the other way round."""
    differing = len(having ^ failures)
    return max(differing, len(every) - differing) >= VERDICT * len(every)


def _failing_by_task(cases: Sequence[Case]) -> tuple[dict[int, int], list[int]]:
    """The task of each failure, as its place and by the identity of the case; how many rollouts each task has."""
    rollouts = Counter(case.key for case in cases)
    places = {key: place for place, key in enumerate(rollouts)}
    return {id(case): places[case.key] for case in cases if not case.passed}, list(rollouts.values())


def _lost_tasks(better: Sequence[Case], worse: Sequence[Case]) -> set[str]:
    """The tasks that the worse run passes more rarely than the better one."""
    rates = [
        {key: sum(bool(case.passed) for case in cases) / len(cases) for key, cases in by_task(some).items()}
        for some in (better, worse)
    ]
    return {key for key, rate in rates[1].items() if rate < rates[0][key]}


def _is_loss(case: Case, lost: Collection[str]) -> bool:
    return case.key in lost and not case.passed


def _failing_share(tasks: tuple[Mapping[int, int], Sequence[int]], having: set[int], keys: Sequence[str]) -> float:
    """Failures with the feature: their mean share over the tasks."""
    task_of, rollouts = tasks
    failures = Counter(task_of[identity] for identity in having if identity in task_of)
    return sum([failures[place] / rollouts[place] for place in sorted(failures)]) / len(keys)


def _between(better: Sequence[Case], worse: Sequence[Case], having: Collection[int]) -> float | None:
    groups: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for side, cases in enumerate((worse, better)):
        for case in cases:
            groups[case.key][2 * side + (id(case) not in having)] += 1
    return exact_p([(entry[0], entry[1], entry[2], entry[3]) for entry in groups.values()])


def _counts(cases: Sequence[Case], having: Collection[int]) -> dict[str, int]:
    with_it = [case for case in cases if id(case) in having]
    passes = sum(bool(case.passed) for case in with_it)
    every = sum(bool(case.passed) for case in cases)
    return {
        "rollouts": len(with_it),
        "failures": len(with_it) - passes,
        "of_failures": len(cases) - every,
        "passes": passes,
        "of_passes": every,
    }


def _apart(found: Sequence[dict[str, Any]], cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Those that carry the most; of several in the same rollouts the most readable.

    Calls that do not arrive as they should go first where they carry most of it: what fails after them is their doing.
    What goes with failing only in the company of one that carries more is none of its own.
    """
    order = list(WORDS)
    ranked = sorted(
        found,
        key=lambda entry: (
            entry["kind"] != SENT or entry["carried"] < MOST_OF_IT,
            -round(entry["carried"], 1),
            order.index(entry["kind"]),
            entry["name"],
        ),
    )
    kept: list[dict[str, Any]] = []
    for entry in ranked:
        if len(kept) == MOST_FOUND:
            break
        if all(_jaccard(entry["having"], other["having"]) < TOGETHER for other in kept) and _goes_alone(
            entry["having"], frozenset().union(*(other["having"] for other in kept)), cases
        ):
            kept.append(entry)
    return kept


def _goes_alone(having: set[int], known: Collection[int], cases: Sequence[Case]) -> bool:
    """Whether a feature goes with failing among the rollouts that show none of those that are known."""
    if not known:
        return True
    other_cases = [case for case in cases if id(case) not in known]
    having = {id(case) for case in other_cases if id(case) in having}
    failed = {id(case) for case in other_cases if not case.passed}
    if not having or len(having & failed) * len(other_cases) <= len(failed) * len(having):
        return False
    p = outcome_p(other_cases, having)
    return p is not None and p <= SURE


def _jaccard(entry: set[int], other: set[int]) -> float:
    return len(entry & other) / len(entry | other)


def _data(entry: Mapping[str, Any], cases: Sequence[Sequence[Case]]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "having"} | {
        "carried": round(entry["carried"], 3),
        "without": _without(entry["having"], cases) if entry["kind"] in OF_THE_WORK else None,
    }


def _without(having: Collection[int], cases: Sequence[Sequence[Case]]) -> dict[str, Any] | None:
    """What both runs pass of the tasks at which no rollout shows a feature; None where such tasks are few."""
    showing_tasks = {case.key for some in cases for case in some if id(case) in having}
    other_cases = [[case for case in some if case.key not in showing_tasks] for some in cases]
    tasks = len({case.key for case in other_cases[0]})
    if tasks < FEWEST_TASKS:
        return None
    passes, rollouts = [sum(bool(case.passed) for case in some) for some in other_cases], list(map(len, other_cases))
    shares = [passed / judged_rollouts for passed, judged_rollouts in zip(passes, rollouts, strict=True)]
    left = shares[0] - shares[1]
    return {
        "tasks": tasks,
        "passes": passes,
        "rollouts": rollouts,
        "gone": left < SMALLEST,
        "reversed": left <= -SMALLEST,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    alike: dict[tuple[Any, ...], list[int]] = {}
    for place, pair in enumerate(answer["pairs"][:MOST_TOLD]):
        names = tuple((entry["kind"], entry["name"]) for entry in pair["features"])
        alike.setdefault((pair["runs"][1], pair["where"], names), []).append(place)
    for first, *others in alike.values():
        pair = answer["pairs"][first]
        blocks.append(Paragraph((_loss(first, pair),)))
        items = [
            Paragraph((_feature(first, at, entry, pair), *_rest(first, at, entry, pair)))
            for at, entry in enumerate(pair["features"])
        ]
        items += [Paragraph((_same(place, answer["pairs"][place]),)) for place in others]
        blocks.append(Bullets(tuple(items)))
    words = "These features go with the loss but need not cause it; they may overlap."
    more = len(answer["pairs"]) - MOST_TOLD
    rest = [say("{more} in analysis.json.", more=count(more, "more pair"))] if more > 0 else []
    return [*blocks, Paragraph((say(words), *rest))]


def _loss(place: int, pair: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "pairs", place)
    better, worse = pair["runs"]
    inside = f"{pair['where'].capitalize()}, where they differ most, " if pair["where"] else "On the tasks of both, "
    return say(
        "{inside}{worse} passes {few} judged rollouts and {better} {many} ({tasks}): {points} points less{disturbed}.",
        disturbed=disturbed_words(pair["disturbed"]),
        inside=inside,
        worse=worse,
        better=better,
        few=_of(pair, 1),
        many=_of(pair, 0),
        tasks=fact(count(pair["tasks"], "task"), pair["tasks"], *path, "tasks"),
        points=fact(f"{100 * pair['loss']:.1f}", pair["loss"], *path, "loss"),
    )


def _same(place: int, pair: Mapping[str, Any]) -> Sentence:
    """Another pair of the same worse run with the same features, in short."""
    path = (*_AT, "pairs", place)
    better = pair["runs"][0]
    shown = [
        f"{entry['counts'][0]['failures']:,} of {count(entry['counts'][0]['of_failures'], 'failure')}"
        for entry in pair["features"]
    ]
    return say(
        "The same holds against {better}, which passes {many} ({points} points more) and shows {it} in {shown}.",
        better=better,
        many=_of(pair, 0),
        points=fact(f"{100 * pair['loss']:.1f}", pair["loss"], *path, "loss"),
        it="it" if len(shown) == 1 else "them",
        shown=fact(
            listed(shown), pair["features"][0]["counts"][0]["failures"], *path, "features", 0, "counts", 0, "failures"
        ),
    )


def _of(pair: Mapping[str, Any], side: int) -> str:
    return f"{pair['passes'][side]:,} of {pair['rollouts'][side]:,}"


def _feature(place: int, at: int, entry: Mapping[str, Any], pair: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "pairs", place, "features", at)
    better, worse = pair["runs"]
    few, many = entry["counts"]
    return say(
        "Where {what}: {failures} of {of_failures} of {worse} ({passes} of its {of_passes}{unpassed}), and "
        "{better_failures} of {better_of} of {better} ({better_passes} of its {better_of_passes}). It occurs in "
        "{covered} {lost} that {worse} passes less often ({tasks}).",
        what=WORDS[entry["kind"]].format(name=entry["name"]),
        worse=worse,
        better=better,
        failures=amount(many["failures"], *path, "counts", 1, "failures"),
        of_failures=count(many["of_failures"], "failure"),
        unpassed=f"; {unpassed}" if (unpassed := _unpassed(entry, better)) else "",
        passes=amount(many["passes"], *path, "counts", 1, "passes"),
        of_passes=count(many["of_passes"], "pass", "passes"),
        better_failures=amount(few["failures"], *path, "counts", 0, "failures"),
        better_of=count(few["of_failures"], "failure"),
        better_passes=amount(few["passes"], *path, "counts", 0, "passes"),
        better_of_passes=count(few["of_passes"], "pass", "passes"),
        lost=fact(count(entry["lost"], "task"), entry["lost"], *path, "lost"),
        covered="all" if len(entry["tasks"]) == entry["lost"] else f"{len(entry['tasks']):,} of the",
        tasks=task_list(entry["tasks"]),
    )


def _rest(place: int, at: int, entry: Mapping[str, Any], pair: Mapping[str, Any]) -> Iterator[Sentence]:
    """What is left where nobody shows a feature; not what the first screen says already."""
    if place or at or not (entry["without"] or {}).get("gone"):
        yield from _elsewhere(place, at, entry, pair)


def _elsewhere(place: int, at: int, entry: Mapping[str, Any], pair: Mapping[str, Any]) -> Iterator[Sentence]:
    """What is left of the difference at the tasks where neither run shows the feature."""
    without = entry["without"]
    if without is None:
        return
    path = (*_AT, "pairs", place, "features", at, "without")
    change = "reversed" if without["reversed"] else "gone"
    yield say(
        "On the {tasks} where no rollout of either does, {worse} passes {few} of {worse_rollouts} and {better} {many} "
        "of {better_rollouts}{gone}.",
        tasks=fact(count(without["tasks"], "task"), without["tasks"], *path, "tasks"),
        worse=pair["runs"][1],
        better=pair["runs"][0],
        few=amount(without["passes"][1], *path, "passes", 1),
        many=amount(without["passes"][0], *path, "passes", 0),
        worse_rollouts=amount(without["rollouts"][1], *path, "rollouts", 1),
        better_rollouts=amount(without["rollouts"][0], *path, "rollouts", 0),
        gone=f": there the difference is {change}, though these tasks may be other ones" if without["gone"] else "",
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What carries most of the loss, in the pair with the largest one; and that nothing of it is left elsewhere."""
    place, pair = 0, answer["pairs"][0]
    entry = pair["features"][0]
    few, many = entry["counts"]
    path = (*_AT, "pairs", place, "features", 0)
    where = f" {pair['where']}" if pair["where"] else ""
    carried = say(
        "What {worse} loses against {better}{where} goes with rollouts where {what}: {failures} of its {of_failures}"
        "{unpassed} and {passes} of its {of_passes}; in {better} {better_failures} of {better_of}.",
        worse=pair["runs"][1],
        better=pair["runs"][0],
        where=where,
        what=WORDS[entry["kind"]].format(name=entry["name"]),
        failures=amount(many["failures"], *path, "counts", 1, "failures"),
        of_failures=count(many["of_failures"], "failure"),
        unpassed=f", {unpassed}," if (unpassed := _unpassed(entry, pair["runs"][0])) else "",
        passes=amount(many["passes"], *path, "counts", 1, "passes"),
        of_passes=count(many["of_passes"], "pass", "passes"),
        better_failures=amount(few["failures"], *path, "counts", 0, "failures"),
        better_of=count(few["of_failures"], "failure"),
    )
    gone = entry["without"] is not None and entry["without"]["gone"]
    rest = [part for sentence in _elsewhere(place, 0, entry, pair) for part in (" ", *sentence.parts)] if gone else []
    yield Sentence((*carried.parts, *rest))


def _unpassed(entry: Mapping[str, Any], better: str) -> str:
    """Failures with the feature that explain no loss: the better run never passes their tasks either."""
    failures = entry["unpassed"]
    tasks = "a task" if failures == 1 else "tasks"
    return f"{failures:,} of these failures at {tasks} that {better} never passes either" if failures else ""


_AT = ("investigation", "mechanism")
