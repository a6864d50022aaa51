"""Does a check fail in every answer of a script that has no blanks between words, as the verifier counts by them?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.counted_as_passes import by_run
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.verdict import REWARD_FIELDS
from blade.questions import OF_THE_EVALUATION, SURE, by_task, cause, in_order, judged, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, p_value

TITLE = "Words counted where no blanks part them"
ORDER = 37
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_TASKS = 5, 2
"""Answers in such a script that fail the check, and their tasks."""
MOSTLY = 0.5
"""A task is of a script where so many of its answers are; a check is met elsewhere by more than so many."""
NEARLY_ALL = 0.9
"""Of the answers, whose words, counted by blanks or by runs of letters, a field of the row counts."""
FEWEST_VALUES = 3
CERTAIN = 0.9
_PATH = ("investigation", "words_without_blanks", "checks")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Checks that no answer of such tasks meets, that most others meet, and the field that counts their words."""
    cases = [case for run in runs for case in judged(run)]
    scripts = {key: script for key, of_task in by_task(cases).items() if (script := _script_of(of_task))}
    if not scripts:
        return None
    fields = {id(case): of_row for run in runs for case, of_row in zip(run.cases, run.fields(), strict=True)}
    holders: defaultdict[tuple[str, str], list[Case]] = defaultdict(list)
    elsewhere: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        for name in case.checks:
            if case.key in scripts:
                holders[scripts[case.key], name].append(case)
            else:
                elsewhere[name].append(case)
    entries = [
        entry
        for (script, name), of_script in sorted(holders.items())
        if (entry := _entry(script, name, of_script, elsewhere[name], fields)) is not None
    ]
    if not entries:
        return None
    causes = [
        cause("TI", f"{entry['check']} counts words by blanks, and the answer has none", entry.pop("alone_cases"))
        for entry in entries
    ]
    return {"checks": entries, "causes": causes}


def _script_of(cases: Sequence[Case]) -> str:
    """The script without blanks in which most answers to a task are written; empty where they are not."""
    scripts = [case.observed.get("final", {}).get("script", [""])[0] for case in cases]
    commonest = max(sorted(set(scripts)), key=scripts.count)
    return commonest if scripts.count(commonest) > MOSTLY * len(scripts) else ""


def _entry(
    script: str, name: str, cases: Sequence[Case], elsewhere: Sequence[Case], fields: Mapping[int, Mapping[str, Any]]
) -> dict[str, Any] | None:
    tasks = {case.key for case in cases}
    if any(case.checks[name] for case in cases) or len(cases) < FEWEST or len(tasks) < FEWEST_TASKS:
        return None
    other_met = sum(bool(case.checks[name]) for case in elsewhere)
    p = exact_p([(0, len(cases), other_met, len(elsewhere) - other_met)])
    counted = [case for case in cases if len(case.observed.get("final", {}).get("script", ())) > 1]
    field = _word_field(counted, fields)
    if p is None or p > SURE or other_met <= MOSTLY * len(elsewhere) or field is None:
        return None
    values = [int(fields[id(case)][field]) for case in counted if field in fields[id(case)]]
    letters = [case.observed["final"]["script"][2] for case in counted]
    alone = [case for case in cases if not any(not met for check, met in case.checks.items() if check != name)]
    return {
        "script": script,
        "check": name,
        "rollouts": len(cases),
        "alone": len(alone),
        "alone_cases": alone,
        "tasks": in_order(case.label for case in cases),
        "runs": [{"run": run, "rollouts": sum(case.run == run for case in cases)} for run in _run_names(cases)],
        "other_met": other_met,
        "others": len(elsewhere),
        "field": field,
        "values": [min(values), max(values)],
        "letters": [min(letters), max(letters)],
        "p": significant(p, WRITTEN),
        "example": {"task": cases[0].label, "attempt": str(cases[0].attempt), "run": cases[0].run},
    }


def _run_names(cases: Sequence[Case]) -> list[str]:
    return list(dict.fromkeys(case.run for case in cases))


def _word_field(cases: Sequence[Case], fields: Mapping[int, Mapping[str, Any]]) -> str | None:
    """The field whose number is that of the words, by blanks or by runs of letters, in nearly all of these answers."""
    names = dict.fromkeys(name for case in cases for name in fields[id(case)])
    for name in sorted(set(names) - {*REWARD_FIELDS}):
        values = [fields[id(case)].get(name) for case in cases]
        equal = [
            value
            for value, case in zip(values, cases, strict=True)
            if type(value) in {int, float} and value in case.observed["final"]["script"][1]
        ]
        if len(equal) >= max(FEWEST, NEARLY_ALL * len(cases)) and len(set(equal)) >= FEWEST_VALUES:
            return name
    return None


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["checks"])]
    return [Bullets(tuple(items))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    first, second, *_ = _sentences(0, answer["checks"][0])
    yield Sentence((*first.parts, " ", *second.parts))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_PATH, place)
    yield say(
        "“{check}” fails in all {rollouts} of {tasks} whose answers are written in {script} ({runs}), in {alone} of "
        "them as the only check that fails, and is met by {other_met} of {others} other rollouts (exact test p {p}).",
        check=entry["check"],
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *at, "rollouts"),
        tasks=f"{count(len(entry['tasks']), 'task')} ({task_list(entry['tasks'])})",
        script=entry["script"],
        runs=by_run(entry["runs"]),
        alone=amount(entry["alone"], *at, "alone"),
        other_met=amount(entry["other_met"], *at, "other_met"),
        others=amount(entry["others"], *at, "others"),
        p=p_value(entry["p"], *at, "p"),
    )
    (fewest, most), (shortest, longest) = entry["values"], entry["letters"]
    yield say(
        "The verifier counts words by blanks or runs of letters, and this script puts nothing between words: {field} "
        "is {fewest} to {most} for answers of {shortest} to {longest} letters.",
        field=entry["field"],
        fewest=amount(fewest, *at, "values", 0),
        most=amount(most, *at, "values", 1),
        shortest=amount(shortest, *at, "letters", 0),
        longest=amount(longest, *at, "letters", 1),
    )
    yield say("For example task {task}, attempt {attempt} of {run}.", **entry["example"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """What counts words has to know the script."""
    for place, entry in enumerate(answer["checks"]):
        yield Advice(
            "verifier",
            f"Count words of {entry['script']} by a rule of that script, or leave “{entry['check']}” out of tasks in "
            "it, and judge these again",
            say(
                "{rollouts} fail a count of words that knows no such script.",
                rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *_PATH, place, "rollouts"),
            ),
            entry["rollouts"],
            CERTAIN,
            before_scores=True,
        )
