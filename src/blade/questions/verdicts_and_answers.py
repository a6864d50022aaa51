"""Is the verdict a function of the answer: equal answers judged apart, an empty answer field, answers all agree on?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_groups import Given, TaskAnswers, grouped, hard_keys, judged_answers, passes_give_the_key
from blade.diagnosis.cases import RunCases
from blade.diagnosis.copies import independent_runs
from blade.diagnosis.unit_factors import unit_factor
from blade.diagnosis.unread_answers import is_not_what_was_judged
from blade.diagnosis.verdict_splits import ATTEMPT, FIRST, RUN, Group, clearest_split
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.answer_kind import CHOICE, NUMBER
from blade.extract.equivalent import calls_form
from blade.extract.given_answer import SHORT
from blade.extract.same_answer import normal
from blade.extract.task_text import task_text
from blade.findings import OF_VERIFIER, TaskFault
from blade.model import Source
from blade.questions import ONE_MATCHER, OTHER_KEYS, SURE, in_order, judged, settings, task_list
from blade.wording import amount, count, fact, p_value

TITLE = "Verdicts against answers"
ORDER = 78
WEIGHT = 1.5
HALF = 0.5
FEWEST = 3
FEWEST_MAKERS = 2
FEWEST_BY_THE_GOOD, MOSTLY = 2, 0.8
"""So few tasks that all runs miss alike are told where every run passes so much."""
FEWEST_OF_UNPASSED = 4
MOST_SHOWN = 6
MOST_NAMED = 3
CERTAIN, DOUBTFUL = 0.9, 0.3


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Empty answer fields that pass, one answer with two verdicts, and answers that most give against the key.

    Where two verdicts of equal answers go by the attempt or by the run, over all tasks, that part is named.
    """
    tasks = judged_answers(runs)
    comparable, _ = passes_give_the_key(tasks)
    independent = judged_answers(independent_runs(runs))
    answer = {
        "empty": [_empty(run) for run in runs if is_not_what_was_judged(judged(run))],
        "apart": _listed(_apart(tasks)) if comparable else None,
        "graded_otherwise": _graded_otherwise(tasks) if comparable else None,
        "agreed": _listed(_agreed(independent)) if comparable else None,
        "alike": _alike(tasks, runs),
        "unpassed": _listed(_unpassed(tasks)),
        "units": _units(tasks) if comparable else [],
    }
    return answer if any(answer.values()) else None


def _listed(found: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The first of the findings with the tasks of all."""
    if not found:
        return None
    tasks = in_order(entry["task"] for entry in found)
    rollouts = sum(entry["rollouts"] for entry in found)
    return {"of_tasks": len(tasks), "rollouts": rollouts, "shown": found[:MOST_SHOWN], "tasks": tasks}


def _empty(run: RunCases) -> dict[str, Any]:
    rows = [(case, case.observed.get("answer") or {}) for case in judged(run)]
    empty = [case for case, seen in rows if seen.get("source") == "empty"]
    others = [case for case, seen in rows if seen.get("source") not in ("empty", None)]
    return {
        "run": run.run.name,
        "rows": len(empty),
        "passes": sum(bool(case.passed) for case in empty),
        "others": len(others),
        "other_passes": sum(bool(case.passed) for case in others),
    }


def _apart(tasks: Mapping[str, TaskAnswers]) -> list[dict[str, Any]]:
    """Answers that are not the key and both pass and fail in one run: between runs the verifier may have changed."""
    found = []
    for task, group in _wrong_answers(tasks):
        verdicts = {(entry.case.run, bool(entry.case.passed)) for entry in group}
        if len(verdicts) > len({run for run, _ in verdicts}):
            found.append(_told(task, group) | {"passes": sum(bool(entry.case.passed) for entry in group)})
    return sorted(found, key=lambda entry: (-entry["rollouts"], entry["task"]))


def _wrong_answers(tasks: Mapping[str, TaskAnswers]) -> Iterator[tuple[TaskAnswers, list[Given]]]:
    """Each task with its rollouts that give one answer which is not the key."""
    for task in tasks.values():
        for group in grouped([entry for entry in task.answered if entry.key and not entry.meets]):
            yield task, group


def _graded_otherwise(tasks: Mapping[str, TaskAnswers]) -> dict[str, Any] | None:
    """The attempt, the first attempts or the run at which equal answers get another verdict, with both verdicts."""
    groups: list[Group] = [
        (task.label, group)
        for task, group in _wrong_answers(tasks)
        if len({bool(entry.case.passed) for entry in group}) > 1
    ]
    split = clearest_split(groups, SURE)
    if split is None:
        return None
    answers = [
        {
            "task": label,
            "answer": group[0].text,
            "passes": split.tables[place][0],
            "of": sum(split.tables[place][:2]),
            "other_passes": split.tables[place][2],
            "of_others": sum(split.tables[place][2:]),
        }
        for place, (label, group) in enumerate(groups)
        if split.stands_apart(place)
    ]
    answers.sort(key=_distinctness)
    return {
        "by": split.kind,
        "value": split.value,
        "p": split.p,
        "of_tasks": len({entry["task"] for entry in answers}),
        "tasks_with_two_verdicts": len({label for label, _ in groups}),
        "answers": len(answers),
        "shown": answers[:MOST_SHOWN],
    }


def _distinctness(entry: Mapping[str, Any]) -> tuple[float, int, str]:
    """How far the passes of an answer lie apart, the farthest first; of equals the one with the most rollouts."""
    distance = abs(entry["passes"] / entry["of"] - entry["other_passes"] / entry["of_others"])
    return -distance, -entry["of"] - entry["of_others"], str(entry["task"])


def _told(task: TaskAnswers, group: Sequence[Given]) -> dict[str, Any]:
    return {
        "task": task.label,
        "key": group[0].key[0] if group[0].key else "",
        "answer": group[0].text,
        "rollouts": len(group),
        "of": len(task.rows),
    }


def _agreed(tasks: Mapping[str, TaskAnswers]) -> list[dict[str, Any]]:
    """Tasks in which most rollouts give one answer that is not the key although some rollout passes.

    Not where that is so in most tasks with this key: then the class is hard, and nothing speaks against one key. Nor
    where one run passes most of several attempts: it knows what the key asks for, and the others share a mistake.
    """
    found = []
    hard = hard_keys(tasks)
    for task in tasks.values():
        rows = task.answering
        if len(task.keys()) != 1 or normal(task.keys()[0][0]) in hard or task.rows[0].seen.get("key_kind") == CHOICE:
            continue
        if not any(entry.case.passed or entry.meets for entry in task.rows) or _mastered(task):
            continue
        top = grouped(rows)[0] if rows else []
        if len(top) < FEWEST or any(entry.meets for entry in top) or len(top) <= HALF * len(task.rows):
            continue
        passes = sum(bool(entry.case.passed) for entry in top)
        right = sum(bool(entry.meets) for entry in task.rows)
        found.append(_told(task, top) | {"passes": passes, "right": right})
    return sorted(found, key=lambda entry: (-entry["passes"] / entry["rollouts"], -entry["rollouts"], entry["task"]))


def _mastered(task: TaskAnswers) -> bool:
    """Whether some run passes most of its several attempts with the key as its answer."""
    outcomes: defaultdict[str, list[bool]] = defaultdict(list)
    for entry in task.rows:
        outcomes[entry.case.run].append(bool(entry.case.passed and entry.meets))
    return any(len(passed) > 1 and sum(passed) > HALF * len(passed) for passed in outcomes.values())


def _units(tasks: Mapping[str, TaskAnswers]) -> list[dict[str, Any]]:
    """Tasks in which most rollouts agree on the key in another unit, the only one that the task names."""
    candidates: list[tuple[TaskAnswers, list[Given]]] = []
    for task in tasks.values():
        if task.rows[0].seen.get("key_kind") != NUMBER or len(task.keys()) != 1 or not task.answering:
            continue
        top = grouped(task.answering)[0]
        if len(top) >= FEWEST and len(top) > HALF * len(task.rows) and all(e.key and not e.meets for e in top):
            candidates.append((task, top))
    texts = {
        (source.file, source.line, source.offset, source.length): task_text(row)
        for source, row in open_rows(Source(*top[0].case.place) for _, top in candidates)
    }
    entries = []
    for task, top in candidates:
        pair = unit_factor(top[0].text, top[0].key[0], texts.get(top[0].case.place, ""))
        if pair is not None:
            passes = sum(bool(entry.case.passed) for entry in top)
            entries.append(_told(task, top) | {"units": pair.name, "factor": pair.factor, "passes": passes})
    return sorted(entries, key=lambda entry: (-entry["rollouts"], entry["task"]))


def _alike(tasks: Mapping[str, TaskAnswers], runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks that nobody passes in which runs of different makes give one and the same answer."""
    makers = {run.run.name: _maker(run) for run in runs} if len(runs) > 1 else {}
    if len(set(makers.values())) < FEWEST_MAKERS:
        return None
    failed = [task for task in tasks.values() if not any(entry.case.passed for entry in task.rows)]
    every = set(makers.values())
    shared = [task for task in failed if {makers[entry.case.run] for entry in task.answered} == every]
    alike = [
        task
        for task in shared
        if _is_one_answer(task.answered)
        and not (task.rows[0].meets or task.answered[0].declines)
        and task.rows[0].seen.get("key_kind") != CHOICE
    ]
    if len(alike) < (FEWEST if not _mostly_right(runs) else FEWEST_BY_THE_GOOD):
        return None
    return {"tasks": in_order(task.label for task in alike), "of_tasks": len(alike), "failed": len(shared)}


def _mostly_right(runs: Sequence[RunCases]) -> bool:
    """Whether every run passes most of its rollouts: what all of them miss alike then stands out."""
    outcomes = [[bool(case.passed) for case in judged(run)] for run in runs]
    return all(passed and sum(passed) >= MOSTLY * len(passed) for passed in outcomes)


def _unpassed(tasks: Mapping[str, TaskAnswers]) -> list[dict[str, Any]]:
    """Tasks without a pass in which most of several rollouts give one answer."""
    entries = []
    for task in tasks.values():
        if len(task.answering) < FEWEST_OF_UNPASSED or any(entry.case.passed or entry.meets for entry in task.rows):
            continue
        top = grouped(task.answering)[0]
        if len(top) > HALF * len(task.rows):
            entries.append(_told(task, top))
    return sorted(entries, key=lambda entry: (-entry["rollouts"], entry["task"]))


def _is_one_answer(answers: Sequence[Given]) -> bool:
    """Whether all give one answer. Calls are one whether in brackets or not: none of them passes in either form."""
    if len(grouped(answers)) == 1:
        return True
    forms = {calls_form(answer.text) if answer.seen["length"] <= SHORT else "" for answer in answers}
    return len(forms) == 1 and "" not in forms


def _maker(run: RunCases) -> Hashable:
    """The configuration of a run; where it is not recorded the model, and the name where no model is."""
    return settings(run) or run.models() or run.run.name


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [*_told_empty(answer["empty"]), *_told_apart(answer["apart"])]
    items += [*_told_otherwise(answer["graded_otherwise"]), *_told_agreed(answer["agreed"])]
    items += [*_told_units(answer["units"]), *_told_alike(answer["alike"]), *_told_unpassed(answer["unpassed"])]
    return [Bullets(tuple(Paragraph((item,)) for item in items))]


def _told_empty(empty: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    for place, entry in enumerate(empty):
        at = (*_AT, "empty", place)
        yield say(
            "In {run} the field for the answer is empty in {rows}, and {passes} of these pass ({other_passes} of "
            "the {others} others): that field is not what was judged, and an empty one does not explain a failure.",
            run=entry["run"],
            rows=fact(count(entry["rows"], "row"), entry["rows"], *at, "rows"),
            passes=amount(entry["passes"], *at, "passes"),
            other_passes=amount(entry["other_passes"], *at, "other_passes"),
            others=amount(entry["others"], *at, "others"),
        )


def _told_units(units: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    if not units:
        return
    examples = [
        f"{entry['task']} (key '{entry['key']}'; {entry['rollouts']} of {entry['of']} answer '{entry['answer']}', "
        f"{count(entry['passes'], 'of them passes', 'of them pass')}; {entry['units']} differ by {entry['factor']:,})"
        for entry in units[:MOST_SHOWN]
    ]
    tasks = len(units)
    yield say(
        "In {tasks} most rollouts agree on an answer that is the key in another unit, and the task names only the unit "
        "of the answer: {shown}"
        + (f"; and {tasks - MOST_SHOWN:,} more" if tasks > MOST_SHOWN else "")
        + ". The key may "
        "be in a unit that nobody is asked for, or this is chance: read the task.",
        tasks=count(tasks, "task"),
        shown="; ".join(examples),
    )


def _told_apart(apart: Mapping[str, Any] | None) -> Iterator[Sentence]:
    if apart is None:
        return
    shown = [
        f"{entry['task']} ('{entry['answer']}', key '{entry['key']}': {entry['passes']} of {entry['rollouts']} pass)"
        for entry in apart["shown"]
    ]
    yield say(
        "Equal answers are not judged alike: in {many} an answer that is not the key passes in some attempts and "
        "fails in others: {shown}. Check what was judged there before using these verdicts.",
        many=fact(count(apart["of_tasks"], "task"), apart["of_tasks"], *_AT, "apart", "of_tasks"),
        shown=_with_rest(shown, apart),
    )


def _told_otherwise(split: Mapping[str, Any] | None) -> Iterator[Sentence]:
    if split is None:
        return
    at = (*_AT, "graded_otherwise")
    answers = [
        f"{entry['task']} ('{entry['answer']}') {entry['passes']} of {entry['of']} and {entry['other_passes']} of "
        f"{entry['of_others']}"
        for entry in split["shown"]
    ]
    every = split["of_tasks"] == split["tasks_with_two_verdicts"]
    yield say(
        ("In all {tasks}" if every else "In {many} of {tasks}")
        + " where one answer that is not the key gets two verdicts, the verdict {at} {part} differs from that of the "
        "same answer elsewhere (passes {at} {part} and elsewhere: {answers}; exact test, corrected for all attempts "
        "and runs, p {p}): {part} {seem} to be graded otherwise.",
        many=f"{split['of_tasks']:,}",
        tasks=fact(
            count(split["tasks_with_two_verdicts"], "task"),
            split["tasks_with_two_verdicts"],
            *at,
            "tasks_with_two_verdicts",
        ),
        at="in" if split["by"] == RUN else "at",
        part=_part(split),
        answers="; ".join(answers) + ("; …" if split["answers"] > len(answers) else ""),
        p=p_value(split["p"], *at, "p"),
        seem=_seem(split),
    )


def _part(split: Mapping[str, Any]) -> str:
    """What to call the part of the rollouts that is graded otherwise."""
    value = split["value"]
    return {ATTEMPT: f"attempt {value}", FIRST: f"the attempts up to {value}", RUN: str(value)}[str(split["by"])]


def _seem(split: Mapping[str, Any]) -> str:
    return "seem" if split["by"] == FIRST else "seems"


def _told_agreed(agreed: Mapping[str, Any] | None) -> Iterator[Sentence]:
    if agreed is None:
        return
    shown = [
        f"{entry['task']} (key '{entry['key']}'; {entry['rollouts']} of {entry['of']} answer '{entry['answer']}', "
        f"{count(entry['passes'], 'of them passes', 'of them pass')}; {count(entry['right'], 'gives', 'give')} the key)"
        for entry in agreed["shown"]
    ]
    yield say(
        "In {many} more than half of all rollouts agree on an answer that is not the key, although some give the "
        "key or pass: {shown}. A wrong key and a trap look alike: read the task.",
        many=fact(count(agreed["of_tasks"], "task"), agreed["of_tasks"], *_AT, "agreed", "of_tasks"),
        shown=_with_rest(shown, agreed),
    )


def _with_rest(shown: Sequence[str], found: Mapping[str, Any]) -> str:
    named = {entry["task"] for entry in found["shown"]}
    rest = [task for task in found["tasks"] if task not in named]
    return "; ".join([*shown, *([f"also {task_list(rest)}"] if rest else [])])


def _told_alike(alike: Mapping[str, Any] | None) -> Iterator[Sentence]:
    if alike is None:
        return
    at = (*_AT, "alike")
    yield say(
        "Of the {failed} that no run passes and all configurations answer, {many} get the same answer from all "
        "of them ({tasks}): read these keys and checks first.",
        failed=fact(count(alike["failed"], "task"), alike["failed"], *at, "failed"),
        many=amount(alike["of_tasks"], *at, "of_tasks"),
        tasks=task_list(alike["tasks"]),
    )


def _told_unpassed(unpassed: Mapping[str, Any] | None) -> Iterator[Sentence]:
    if unpassed is None:
        return
    shown = [
        f"{entry['task']} '{entry['answer']}' in {entry['rollouts']:,} of {count(entry['of'], 'rollout')}"
        + (f" (key '{entry['key']}')" if entry["key"] else "")
        for entry in unpassed["shown"]
    ]
    yield say(
        "In {many} that no run passes most rollouts agree: {shown}.",
        many=fact(count(unpassed["of_tasks"], "task"), unpassed["of_tasks"], *_AT, "unpassed", "of_tasks"),
        shown=_with_rest(shown, unpassed),
    )


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Task → why its failures are not the model's: the same answer passes elsewhere."""
    apart = answer["apart"]
    fault = TaskFault("one answer both passes and fails within a run", OF_VERIFIER)
    return dict.fromkeys(apart["tasks"], fault) if apart else {}


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Equal answers with two verdicts in a run, before anything is said about the model.

    What differs between runs alone is a change of score, and stands there as the verifier's part.
    """
    apart, split = answer["apart"], answer["graded_otherwise"]
    if apart:
        yield say(
            "The verdict is not a function of the answer: in {many} one answer that is not the key both passes and "
            "fails (first {task}){otherwise}.",
            many=fact(count(apart["of_tasks"], "task"), apart["of_tasks"], *_AT, "apart", "of_tasks"),
            task=apart["shown"][0]["task"],
            otherwise=f": {_part(split)} {_seem(split)} to be graded otherwise" if split else "",
        )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """One matcher where equal answers have two verdicts; a look at keys that most rollouts answer otherwise."""
    apart, agreed = answer["apart"], answer["agreed"]
    if apart:
        yield Advice(
            "verifier",
            ONE_MATCHER,
            say(
                "In {many} one answer both passes and fails ({tasks}).",
                many=fact(count(apart["of_tasks"], "task"), apart["of_tasks"], *_AT, "apart", "of_tasks"),
                tasks=task_list(apart["tasks"], MOST_NAMED),
            ),
            apart["rollouts"],
            CERTAIN,
            before_scores=True,
        )
    if agreed:
        yield Advice(
            "data",
            OTHER_KEYS,
            say(
                "In {many} more than half agree on an answer that is not the key, although some give the key or pass "
                "({tasks}).",
                many=fact(count(agreed["of_tasks"], "task"), agreed["of_tasks"], *_AT, "agreed", "of_tasks"),
                tasks=task_list(agreed["tasks"], MOST_NAMED),
            ),
            agreed["rollouts"],
            DOUBTFUL,
        )


_AT = ("investigation", "verdicts_and_answers")
