"""Which runs end their failures, without an error, long before passes at the same tasks do?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.remedies import LOOP_RULES
from blade.diagnosis.used_turns import used_turns
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.model import Status
from blade.questions import SURE, cause, in_order, judged, outcome_p, task_levels, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rank_sum import kruskal_p
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "Failures that stop far sooner than passes"
ORDER = 68
WEIGHT = 1.2
FEWEST_PASSES = 3
"""Passes at a task that tell how long it takes."""
FEWEST_EARLY = 10
LEAST_SHARE = 0.2
"""Of a run's failures at these tasks."""
HALF = 0.5
MOSTLY = 0.8
"""Of the judged rollouts of a run: so many tell their turns."""
FEWEST_TASKS = 5
MOST_LEVELS = 8
MORE_OFTEN = 1.5
MOST_BRIEF = 3
MOST_NAMED = 5
LIKELY = 0.3
ERROR = "error|"
"""So begins what a row tells of an error, as it is written down."""
_WHY = "ends by itself before half of the turns that passes at this task usually take"
STOPPED = frozenset(
    {
        *("context_overflow", "turn_limit", "agent_timeout", "truncated_max_tokens", "parse_failed", "no_response"),
        *("harness_exception", "call_not_run", "user_ends_early", "simulated_user_fault", *LOOP_RULES),
    }
)
"""What ends a rollout that did not end by itself."""


@frozen
class _Stay:
    """A judged rollout at a task that some pass: its turns, and the median of the passes there."""

    case: Case
    turns: float
    usual: float

    @property
    def early(self) -> bool:
        return self.turns < HALF * self.usual


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Runs of which many failures take less than half of the turns that passes at the same task usually take."""
    broken = frozenset().union(*map(_with_error, runs))
    timed = [(case, turns) for case, turns in _timed(runs) if case.passed or id(case) not in broken]
    stays = _stays(timed)
    entries = []
    for run in runs:
        run_stays = stays.get(run.run.name, [])
        other_stays = [stay for name, group in stays.items() if name != run.run.name for stay in group]
        if run_stays and (entry := _entry(run, run_stays, other_stays)) is not None:
            entries.append(entry)
    for entry, p in zip(entries, benjamini_hochberg([entry["p"] for entry in entries]), strict=True):
        entry["p"] = significant(p, WRITTEN)
    early = {entry["run"]: entry.pop("cases") for entry in entries}
    sure = sorted((entry for entry in entries if entry["p"] <= SURE), key=lambda entry: (-entry["early"], entry["run"]))
    if not sure:
        return None
    names = {entry["run"] for entry in sure}
    remaining = [stay for name, group in stays.items() if name not in names for stay in group]
    causes = [cause("BI", _WHY, early[entry["run"]]) for entry in sure]
    return {
        "runs": sure,
        "causes": causes,
        "rest": {"runs": len(stays) - len(sure), **_counts(remaining)},
        "shorter": _shorter(timed),
    }


def _timed(runs: Sequence[RunCases]) -> list[tuple[Case, float]]:
    """The judged rollouts and their turns: of transcripts where every run has them, else as rows count them.

    A run that does not tell what most others do is left out.
    """
    measured: tuple[dict[str, list[tuple[Case, float]]], dict[str, list[tuple[Case, float]]]] = ({}, {})
    for run in runs:
        good = {id(case) for case in judged(run)}
        for measure, values in zip(measured, used_turns(run), strict=True):
            turns = [(case, turns) for case, turns in zip(run.cases, values, strict=True) if turns and id(case) in good]
            if turns and len(turns) >= MOSTLY * len(good):
                measure[run.run.name] = turns
    by_transcript, by_row = measured
    return [
        entry for group in (by_row if len(by_row) > len(by_transcript) else by_transcript).values() for entry in group
    ]


def _with_error(run: RunCases) -> frozenset[int]:
    """The identities of rollouts whose rows tell of an error, classed or not; none where most passes tell of one."""
    claims = zip(run.cases, run.run.graded["signals"].to_list(), strict=True)
    telling = {id(case): case for case, texts in claims if any(text.startswith(ERROR) for text in texts or ())}
    passes = sum(bool(case.passed) for case in run.cases)
    passing = sum(bool(case.passed) for case in telling.values())
    return frozenset(telling) if 2 * passing <= passes else frozenset()


def _stays(timed: Sequence[tuple[Case, float]]) -> dict[str, list[_Stay]]:
    """By run the rollouts that ended by themselves, at tasks with enough passes."""
    passes: defaultdict[str, list[float]] = defaultdict(list)
    for case, turns in timed:
        if case.passed:
            passes[case.key].append(turns)
    usual = {key: median(values) for key, values in passes.items() if len(values) >= FEWEST_PASSES}
    stays: defaultdict[str, list[_Stay]] = defaultdict(list)
    for case, turns in timed:
        if case.key in usual and _ends_itself(case):
            stays[case.run].append(_Stay(case, turns, usual[case.key]))
    return dict(stays)


def _ends_itself(case: Case) -> bool:
    return case.state == Status.OK.value and STOPPED.isdisjoint(case.fired())


def _entry(run: RunCases, run_stays: Sequence[_Stay], other_stays: Sequence[_Stay]) -> dict[str, Any] | None:
    """What one run shows, tested against the other runs at the same tasks, else against its own outcomes."""
    counts = _counts(run_stays)
    failing = counts["early"] / max(counts["failures"], 1)
    passing = counts["early_passes"] / max(counts["passes"], 1)
    if counts["early"] < FEWEST_EARLY or failing < max(LEAST_SHARE, 2 * passing):
        return None
    p = (
        _against(run_stays, other_stays)
        if other_stays
        else outcome_p([s.case for s in run_stays], {id(s.case) for s in run_stays if s.early})
    )
    if p is None or (other_stays and _share(run_stays) <= _share(other_stays)):
        return None
    tasks = in_order(stay.case.label for stay in run_stays if stay.early and not stay.case.passed)
    cases = [stay.case for stay in run_stays if stay.early]
    return {"run": run.run.name, **counts, "tasks": tasks, "part": _part(run, run_stays), "p": p, "cases": cases}


def _counts(stays: Sequence[_Stay]) -> dict[str, int]:
    failures = [stay for stay in stays if not stay.case.passed]
    return {
        "early": sum(stay.early for stay in failures),
        "failures": len(failures),
        "early_passes": sum(stay.early for stay in stays if stay.case.passed),
        "passes": len(stays) - len(failures),
    }


def _share(stays: Sequence[_Stay]) -> float:
    return sum(stay.early for stay in stays) / len(stays)


def _against(run_stays: Sequence[_Stay], other_stays: Sequence[_Stay]) -> float | None:
    """Whether the run stops early more or less often than the others, tasks kept apart."""
    groups: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for side, stays in enumerate((run_stays, other_stays)):
        for stay in stays:
            groups[stay.case.key][2 * side + (not stay.early)] += 1
    return exact_p([(a, b, c, d) for a, b, c, d in groups.values()])


def _part(run: RunCases, run_stays: Sequence[_Stay]) -> dict[str, Any] | None:
    """The part of the tasks, by a field of theirs, in which the early failures lie far more often than elsewhere."""
    levels = task_levels(run)
    tested: list[tuple[str, str, list[_Stay], list[_Stay], float]] = []
    for field in sorted({field for of_task in levels.values() for field in of_task}):
        groups: defaultdict[str, list[_Stay]] = defaultdict(list)
        for stay in run_stays:
            if (level := levels.get(stay.case.key, {}).get(field)) is not None:
                groups[level].append(stay)
        if not 1 < len(groups) <= MOST_LEVELS:
            continue
        for level, part_stays in sorted(groups.items()):
            other_part = [stay for other_level, group in groups.items() if other_level != level for stay in group]
            if min(_tasks(part_stays), _tasks(other_part)) >= FEWEST_TASKS:
                tested.append(
                    (field, level, part_stays, other_part, kruskal_p([_shares(part_stays), _shares(other_part)]))
                )
    adjusted = benjamini_hochberg([entry[-1] for entry in tested])
    sure = [
        (p, place)
        for place, p in enumerate(adjusted)
        if p <= SURE and _early_failures(tested[place][2]) >= MORE_OFTEN * _early_failures(tested[place][3])
    ]
    if not sure:
        return None
    p, place = min(sure)
    field, level, part_stays, other_part, _ = tested[place]
    return {
        "field": field,
        "level": level,
        "early": sum(stay.early and not stay.case.passed for stay in part_stays),
        "rollouts": len(part_stays),
        "other_early": sum(stay.early and not stay.case.passed for stay in other_part),
        "other_rollouts": len(other_part),
        "p": significant(p, WRITTEN),
    }


def _tasks(stays: Sequence[_Stay]) -> int:
    return len({stay.case.key for stay in stays})


def _early_failures(stays: Sequence[_Stay]) -> float:
    return sum(stay.early and not stay.case.passed for stay in stays) / len(stays)


def _shares(stays: Sequence[_Stay]) -> list[float]:
    """Per task the share of early failures: attempts at one task are no independent draws."""
    tasks: defaultdict[str, list[_Stay]] = defaultdict(list)
    for stay in stays:
        tasks[stay.case.key].append(stay)
    return [_early_failures(group) for group in tasks.values()]


def _shorter(timed: Sequence[tuple[Case, float]]) -> dict[str, Any] | None:
    """Failures that ended by themselves with fewer turns than the shortest pass of all, by run."""
    passes = [turns for case, turns in timed if case.passed]
    shortest = min(passes)
    short = Counter(case.run for case, turns in timed if turns < shortest and _ends_itself(case))
    if not short:
        return None
    runs = dict(sorted(short.items(), key=lambda pair: (-pair[1], pair[0])))
    return {"turns": shortest, "passes": len(passes), "rollouts": short.total(), "runs": runs}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_run_words(place, entry))) for place, entry in enumerate(answer["runs"])]
    if answer["rest"]["runs"] and answer["rest"]["failures"]:
        items.append(Paragraph((_rest_words(answer["rest"]),)))
    if answer["shorter"]:
        items.append(Paragraph((_shorter_words(answer["shorter"]),)))
    lead = say(
        "How many turns of the model a rollout takes, against the median of the passes of all runs at the same task "
        "(tasks with {fewest} passes or more; what an error, a limit or a loop ended is left out):",
        fewest=str(FEWEST_PASSES),
    )
    return [Paragraph((lead,)), Bullets(tuple(items))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The run that stops early most often, and two more."""
    first, *next_runs = (_share_words(place, entry) for place, entry in enumerate(answer["runs"][:MOST_BRIEF]))
    addition = [Sentence((" (", *_joined(next_runs), ")")).parts] if next_runs else [()]
    yield Sentence(
        (
            *first,
            " end, without an error, before half of the turns that passes at the same task usually take",
            *addition[0],
            ".",
        )
    )


def _joined(parts: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    for place, group in enumerate(parts):
        yield from ("; ",) if place else ()
        yield from group


def _share_words(place: int, entry: Mapping[str, Any]) -> tuple[Any, ...]:
    path = (*_AT, "runs", place)
    return (
        amount(entry["early"], *path, "early"),
        " of ",
        fact(count(entry["failures"], "failure"), entry["failures"], *path, "failures"),
        " and ",
        amount(entry["early_passes"], *path, "early_passes"),
        " of ",
        fact(count(entry["passes"], "pass", "passes"), entry["passes"], *path, "passes"),
        f" of {entry['run']}",
    )


def _run_words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    yield Sentence(
        (
            *_share_words(place, entry),
            f" take less than half of it ({task_list(entry['tasks'], MOST_NAMED)}; exact test p = ",
            fact(f"{entry['p']:.2g}", entry["p"], *_AT, "runs", place, "p"),
            ").",
        )
    )
    part = entry["part"]
    if part:
        path = (*_AT, "runs", place, "part")
        yield say(
            "Most often where {field} is {level}: {early} of {rollouts}, elsewhere {other_early} of {other_rollouts} "
            "(rank test over tasks p = {p}).",
            field=part["field"],
            level=part["level"],
            early=amount(part["early"], *path, "early"),
            rollouts=fact(count(part["rollouts"], "rollout"), part["rollouts"], *path, "rollouts"),
            other_early=amount(part["other_early"], *path, "other_early"),
            other_rollouts=amount(part["other_rollouts"], *path, "other_rollouts"),
            p=fact(f"{part['p']:.2g}", part["p"], *path, "p"),
        )


def _rest_words(remaining: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "rest")
    return say(
        "{runs}: {early} of {failures} and {early_passes} of {passes}.",
        runs="The other run" if remaining["runs"] == 1 else f"The other {remaining['runs']:,} runs",
        early=amount(remaining["early"], *path, "early"),
        failures=fact(count(remaining["failures"], "failure"), remaining["failures"], *path, "failures"),
        early_passes=amount(remaining["early_passes"], *path, "early_passes"),
        passes=fact(count(remaining["passes"], "pass", "passes"), remaining["passes"], *path, "passes"),
    )


def _shorter_words(shorter: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "shorter")
    rollouts = shorter["rollouts"]
    return say(
        "The shortest of all {passes} takes {turns}; {rollouts} {end} by {itself} with fewer: {runs}.",
        passes=fact(count(shorter["passes"], "pass", "passes"), shorter["passes"], *path, "passes"),
        turns=fact(count(int(shorter["turns"]), "turn"), shorter["turns"], *path, "turns"),
        rollouts=fact(count(rollouts, "failure"), rollouts, *path, "rollouts"),
        end="ends" if rollouts == 1 else "end",
        itself="itself" if rollouts == 1 else "themselves",
        runs=listed([f"{run} {rollouts_of_run:,}" for run, rollouts_of_run in shorter["runs"].items()]),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Have the model go on where it ends before the work can be done."""
    failures = sum(entry["early"] for entry in answer["runs"])
    runs = [entry["run"] for entry in answer["runs"]]
    yield Advice(
        "prompt",
        f"Read how {listed(runs)} {'ends its' if len(runs) == 1 else 'end their'} short failures; have the model check "
        "its work before it ends, or let the harness ask it to go on",
        say(
            "Without an error, before half of the turns of passes at the same task: {runs}.",
            runs=listed([f"{entry['run']} {count(entry['early'], 'failure')}" for entry in answer["runs"]]),
        ),
        failures,
        LIKELY,
    )


_AT = ("investigation", "early_stops")
