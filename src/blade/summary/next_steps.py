"""What to do first, in a few sentences: what puts the scores in doubt, then what may mend most failures."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TypeVar

from blade.counting.lost_rollouts import mostly_lost
from blade.counting.passing import UNIT
from blade.diagnosis.definitions import INSUFFICIENT
from blade.diagnosis.evidence_needed import in_short
from blade.diagnosis.interventions import own_errors_words
from blade.diagnosis.labels import count_labels
from blade.diagnosis.remedies import OF_TASKS, ONLY_READING
from blade.document import Advice, Fact, Sentence, say
from blade.findings import Intervention
from blade.model import Analysis
from blade.stats.paired import FEWEST_TASKS
from blade.summary.advice import advised
from blade.summary.failure_words import named_words
from blade.summary.limit_advice import more_room_words
from blade.wording import abridged, count, difference, fact, listed, name

STEPS_TOLD = 3
RUNS_TOLD = 3
TASKS_TOLD = 5
NEEDS_TOLD = 3
FEW_RUNS = 2
FEWEST_UNKNOWN = 10
"""So many failing tasks without a cause are worth a step of their own beside others."""
FEWEST_JUDGED = 10
"""A run with fewer rollouts asks for no step of its own where there is another."""
NEARLY = 0.02
"""So near to all points nothing is left to compare."""
FEW_TASKS = 10
FAR_MORE = 10
"""A change that may mend so many times more failures goes before what an answer advises."""
HARDLY_MORE = 1.25
"""A change for so many times the rollouts of an advice of its kind is mostly the same in other words."""
OF_KEYS = frozenset({"verifier", "data"})
ENVIRONMENT, HARNESS = "environment", "harness"
"""Kinds of steps; a harness has so many parts that two steps of this kind are hardly the same in other words."""

Change = tuple[str, str]
Item = TypeVar("Item")


def next_steps(analysis: Analysis) -> list[Sentence]:
    """The first steps: doubts about the scores, then advice and changes, and what is only to be read at the end.

    A change of the environment that more rollouts need than any doubt concerns goes first of all: they were lost.
    Changes that far fewer failures ask for than another step concerns come last. Of more than two runs the answers
    speak of all of them; of fewer the plan for the last run knows more. A kind of step that was named before, for
    about as many rollouts, is not named again: it would be the same in other words. A change that rests on one rollout,
    or on a handful of a small run, is named only where there is nothing else.
    """
    few = len(analysis.runs) <= FEW_RUNS
    large_runs = {run.name for run in analysis.runs if run.denominator.counted >= FEWEST_JUDGED}
    small_runs = {run.name for run in analysis.runs} - large_runs if large_runs else set()
    changes, weak_changes = _parted(_changes(analysis), lambda change: _carries(change, small_runs))
    changes, readings = _parted(changes, lambda change: change[0][1] not in ONLY_READING)
    largest = max(map(_rollouts, changes), default=0)
    every_advice = list(advised(analysis))
    most = max((*map(_rollouts, (*changes, *readings)), *(item.rollouts for item in every_advice)), default=0)
    changes, small_changes = _parted(changes, lambda change: FAR_MORE * _rollouts(change) >= most)
    advice, later = _parted(
        every_advice, lambda item: item.before_scores or (not few and FAR_MORE * item.rollouts >= largest)
    )
    kinds = {item.kind for item in advice[:STEPS_TOLD]}
    advised_rollouts = {item.kind: item.rollouts for item in sorted(advice, key=lambda item: item.rollouts)}
    changes = [
        change
        for change in changes
        if change[0][0] == HARNESS or _rollouts(change) > HARDLY_MORE * advised_rollouts.get(change[0][0], 0)
    ]
    readings = _of_other_kinds(readings, kinds, lambda change: change[0][0])
    most_advised = max(advised_rollouts.values(), default=0)
    outweighed = max(
        (most_advised, *(_rollouts(change) for change in changes if change[0][0] != ENVIRONMENT)), default=0
    )
    losses, changes = _parted(changes, lambda change: change[0][0] == ENVIRONMENT and _rollouts(change) > outweighed)
    kinds |= {kind for (kind, _), _ in losses}
    kinds |= {kind for (kind, _), _ in changes[:STEPS_TOLD]}
    kinds |= OF_KEYS if kinds & OF_KEYS else set()
    later = _of_other_kinds(later, kinds, lambda item: item.kind)
    steps = [_change_words(change, analysis) for change in losses]
    steps += [*map(_advice_words, advice), *(_change_words(change, analysis) for change in changes)]
    steps += [*map(_advice_words, later), *(_change_words(change, analysis) for change in (*readings, *small_changes))]
    if not steps:
        steps = [_change_words(change, analysis) for change in weak_changes]
    if not analysis.interventions and not analysis.other_interventions:
        steps += _to_be_settled(analysis, FEWEST_UNKNOWN if steps else 1)
    return steps[:STEPS_TOLD] or list(_to_be_run(analysis))


def _to_be_settled(analysis: Analysis, fewest: int) -> Iterator[Sentence]:
    """Where no change is proposed for a failure: what would tell why tasks of the last run fail, where many do."""
    last = analysis.runs[-1]
    run = last.name
    needs = in_short(label.missing for label in analysis.labels if label.run == run)
    unknown = count_labels(analysis.labels).get(run, {}).get(INSUFFICIENT, 0)
    reasons = "said_of_failures" in analysis.investigation
    is_graded = last.score_threshold is None and bool(last.metrics["score"])  # where all is zero, all fails
    tasks = "task" if is_graded else "failing task"
    facts: dict[str, Fact | str] = {
        "tasks": fact(count(unknown, tasks), unknown, "totals", "label_counts", run, INSUFFICIENT),
        "run": name(run),
    }
    if is_graded:
        needs = [need for need in needs if "failing" not in need]  # nothing says what fails
        read = "Get {needs}, and read" if needs else "Read"
        silence = "only the words of the judge tell" if reasons else "nothing that BLADE reads tells"
        if unknown >= fewest and not _is_moved_by_one_score(analysis, run):
            yield say(
                f"Next (evidence): {read} the rollouts with the lowest rewards (blade reading-list): for {{tasks}} of "
                f"{{run}} {silence} what keeps the reward below {{best}}.",
                **({"needs": listed(needs[:NEEDS_TOLD])} if needs else {}),
                best="a full score" if last.scale == UNIT else "the best of the run",
                **facts,
            )
    elif needs and unknown >= fewest:
        silence = "only the words of the judge tell" if reasons else "nothing recorded tells"
        yield say(
            "Next (evidence): Get {needs}, and read {read} failures against their keys (blade reading-list): for "
            f"{{tasks}} of {{run}} {silence} whether the model, the key or the task is at fault.",
            needs=listed(needs[:NEEDS_TOLD]),
            read="ten" if unknown >= FEW_TASKS else "these",
            **facts,
        )


def _is_moved_by_one_score(analysis: Analysis, run: str) -> bool:
    """Whether one score alone moves the rewards of a run, so that it is known what keeps them low."""
    parts = analysis.investigation.get("reward_parts", {"runs": ()})
    return any(entry["run"] == run for entry in parts["runs"])


def _to_be_run(analysis: Analysis) -> Iterator[Sentence]:
    """Where nothing is to be mended: verdicts if there are none, harder tasks if all pass, more if they are too few."""
    unjudged = [run for run in analysis.runs if run.rollouts and run.metrics["score"] is None]
    if unjudged and len(unjudged) == len(analysis.runs):
        rollouts = sum(run.rollouts for run in unjudged)
        yield say(
            "Next (verifier): Judge the outputs that are there before anything is run again: none of {rollouts} has a "
            "verdict.",
            rollouts=count(rollouts, "rollout"),
        )
        return
    scores = [run.metrics["score"] for run in analysis.runs if run.scale == "unit"]
    if len(scores) == len(analysis.runs) and all(value is not None and value >= 1 - NEARLY for value in scores):
        tasks = len(analysis.tasks)
        yield say(
            "Next (data): Take {kind} tasks: {share} rollout of {tasks} passes, so that {these} no model from another.",
            kind="harder" if tasks >= FEW_TASKS else "more and harder",
            share="every" if all(value == 1 for value in scores) else "nearly every",
            tasks=count(tasks, "task"),
            these="it tells" if tasks == 1 else "these tell",
        )
        return
    for place, change in enumerate(analysis.changes):
        if change.verdict == "inconclusive" and change.tasks_needed and change.passport:  # of repeats nothing is asked
            yield say(
                "Next (data): To tell {candidate} from {base}, run about {tasks} of this kind: these are too few for a "
                "difference of this size.",
                candidate=name(change.candidate),
                base=name(change.base),
                tasks=fact(count(change.tasks_needed, "task"), change.tasks_needed, "changes", place, "tasks_needed"),
            )
            return
        if change.verdict == "inconclusive" and change.passport and 0 < change.common_tasks < FEWEST_TASKS:
            common = change.common_tasks
            yield say(
                "Next (data): Give {base} and {candidate} more of the same tasks: {common} in common {are} too few for "
                "any verdict.",
                base=name(change.base),
                candidate=name(change.candidate),
                common=fact(count(common, "task"), common, "changes", place, "common_tasks"),
                are="is" if common == 1 else "are",
            )
            return


def _carries(change: tuple[Change, Sequence[Intervention]], small_runs: Container[str]) -> bool:
    """Whether a change rests on more than one rollout, and on a run that is no handful of them."""
    return _rollouts(change) > 1 and any(item.run not in small_runs for item in change[1])


def _rollouts(change: tuple[Change, Sequence[Intervention]]) -> int:
    return sum(item.rollouts for item in change[1])


def _of_other_kinds(items: Iterable[Item], kinds: Container[str], kind_of: Callable[[Item], str]) -> list[Item]:
    return [item for item in items if kind_of(item) == HARNESS or kind_of(item) not in kinds]


def _parted(items: Iterable[Item], has: Callable[[Item], bool]) -> tuple[list[Item], list[Item]]:
    """Those that have it, and the others."""
    parts: tuple[list[Item], list[Item]] = ([], [])
    for item in items:
        parts[not has(item)].append(item)
    return parts


def _changes(analysis: Analysis) -> Iterator[tuple[Change, Sequence[Intervention]]]:
    """Kind and change with the interventions of all runs that need it, the most worthwhile first."""
    if not analysis.other_interventions:
        yield from (((item.kind, item.change), (item,)) for item in analysis.interventions)
        return
    lost = {run.name for run in analysis.runs if mostly_lost(run)}
    changes: dict[Change, list[Intervention]] = {}
    for item in (*analysis.interventions, *analysis.other_interventions):
        changes.setdefault((item.kind, item.change), []).append(item)
    for change, items in sorted(changes.items(), key=lambda pair: (*_rank(pair[1], lost), pair[0])):
        yield change, sorted(items, key=lambda item: (-item.rollouts, item.run))


def _rank(items: Sequence[Intervention], lost: Container[str]) -> tuple[bool, float]:
    """What keeps most rollouts of a run from being judged goes before all else, then what has most points to win."""
    opens = any(item.kind == ENVIRONMENT and item.run in lost for item in items)
    return not opens, -sum(item.more_room.points if item.more_room else item.highest or 0.0 for item in items)


def _advice_words(item: Advice) -> Sentence:
    return Sentence((f"Next ({item.kind}): {item.change}. ", *item.because.parts))


def _tasks(items: Iterable[Intervention]) -> list[str]:
    return list(dict.fromkeys(task for item in items for task in item.tasks))


def _change_words(change: tuple[Change, Sequence[Intervention]], analysis: Analysis) -> Sentence:
    (kind, words), items = change
    scale = analysis.runs[-1].scale
    if not analysis.other_interventions:
        (step,) = items
        told = say("Next ({kind}): {summary}", kind=kind, summary=step.summary)
        room = more_room_words(step, scale, "interventions", analysis.interventions.index(step))
        return told if room is None else Sentence((*told.parts, " By what this run shows, ", *room.parts, "."))
    own_errors = sum(item.own_errors for item in items)
    with_room = [f"{item.run} {difference(item.more_room.points, scale)}" for item in items if item.more_room]
    return say(
        "Next ({kind}): {change}{named}. Rollouts: {runs}{tasks}."
        + (" Twice the limit would bring about {room}." if with_room else "")
        + (f" {own_errors_words(own_errors)}" if own_errors else ""),
        kind=kind,
        change=words,
        named=named_words(words, items),
        runs=abridged([f"{item.run} {item.rollouts:,}" for item in items], RUNS_TOLD),
        tasks=f"; tasks: {abridged(_tasks(items), TASKS_TOLD)}" if words in OF_TASKS else "",
        room=abridged(with_room, RUNS_TOLD),
    )
