"""Which fields do failing checks find wrong, and which values do they find again and again?

Where the verifier records what it wanted and what it got, many failures share one field that alone is wrong, or one
value: the page on which work stops, the label that is lost. The value says where to look, and is no cause by itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.missed_values import NOTHING
from blade.questions import in_order, task_list
from blade.wording import count, fact, listed, printable

TITLE = "What failing checks wanted and got"
ORDER = 35
WEIGHT = 1.2
FEWEST, FEWEST_TASKS = 5, 3
MOSTLY = 0.5
"""A value is told with a field where so many of its failures have it."""
MOST = 6
_PATH = ("investigation", "missed_values")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The sets of fields that differ while all else is right, the values that recur, and what got nothing."""
    failures = [case for run in runs for case in run.observing("missed_values") if not case.passed]
    fields: defaultdict[tuple[str, tuple[str, ...]], dict[int, tuple[Case, Any]]] = defaultdict(dict)
    values: defaultdict[tuple[str, str], dict[int, tuple[Case, Any]]] = defaultdict(dict)
    nothing: defaultdict[str, dict[int, Case]] = defaultdict(dict)
    for case in failures:  # each counts once, however many checks of a kind say the same
        for check, unlike, right in case.observed["missed_values"]:
            if unlike == NOTHING:
                nothing[check][id(case)] = case
            elif right:
                fields[check, tuple(field for field, _, _ in unlike)].setdefault(id(case), (case, unlike))
            elif not unlike[0][0]:
                values[check, unlike[0][2]].setdefault(id(case), (case, unlike))
    of_fields = [_of_fields(*key, list(rows.values())) for key, rows in fields.items() if _is_common(rows.values())]
    of_values = [_of_value(*key, list(rows.values())) for key, rows in values.items() if _is_common(rows.values())]
    of_nothing = [
        {"check": check} | _counts(list(cases.values()))
        for check, cases in nothing.items()
        if _is_common((case, None) for case in cases.values())
    ]
    for entries in (of_fields, of_values, of_nothing):
        entries.sort(key=lambda entry: (-entry["failures"], entry["check"]))
    if not of_fields and not of_values:
        return None
    return {
        "fields": of_fields[:MOST],
        "values": of_values[:MOST],
        "nothing": of_nothing[:MOST],
        "left_out": sum(len(entries[MOST:]) for entries in (of_fields, of_values, of_nothing)),
    }


def _is_common(rows: Iterable[tuple[Case, Any]]) -> bool:
    tasks = [case.key for case, _ in rows]
    return len(tasks) >= FEWEST and len(set(tasks)) >= FEWEST_TASKS


def _counts(cases: Sequence[Case]) -> dict[str, Any]:
    return {
        "failures": len(cases),
        "runs": dict(Counter(case.run for case in cases)),
        "tasks": in_order(case.label for case in cases),
    }


def _of_fields(check: str, names: Sequence[str], rows: Sequence[tuple[Case, Any]]) -> dict[str, Any]:
    """A set of fields that are wrong together, and what most failures have in place of each."""
    common = []
    for place, name in enumerate(names):
        value, rollouts = Counter(unlike[place][2] for _, unlike in rows).most_common(1)[0]
        if rollouts > MOSTLY * len(rows) and rollouts >= FEWEST:
            common.append([name, value, rollouts])
    case, unlike = rows[0]
    example = {"task": case.label, "attempt": case.attempt, "run": case.run, "unlike": unlike}
    return {"check": check, "fields": list(names), "common": common, "example": example} | _counts(
        [case for case, _ in rows]
    )


def _of_value(check: str, value: str, rows: Sequence[tuple[Case, Any]]) -> dict[str, Any]:
    wanted, rollouts = Counter(unlike[0][1] for _, unlike in rows).most_common(1)[0]
    return {"check": check, "value": value, "wanted": wanted, "wanted_in": rollouts} | _counts(
        [case for case, _ in rows]
    )


def tell(answer: Mapping[str, Any]) -> list[Block]:
    sentences = [
        *(_field_words(place, entry) for place, entry in enumerate(answer["fields"])),
        *(_value_words(place, entry) for place, entry in enumerate(answer["values"])),
        *(_nothing_words(place, entry) for place, entry in enumerate(answer["nothing"])),
    ]
    if answer["left_out"]:
        words = count(answer["left_out"], "more set of fields or value is", "more sets of fields or values are")
        sentences.append(say("{more} left out.", more=fact(words, answer["left_out"], *_PATH, "left_out")))
    return [Bullets(tuple(Paragraph((sentence,)) for sentence in sentences))]


def _check(entry: Mapping[str, Any]) -> str:
    return f"Check “{printable(entry['check'])}”" if entry["check"] else "The verifier"


def _by_run(entry: Mapping[str, Any]) -> str:
    tasks = task_list(entry["tasks"])
    if len(entry["runs"]) == 1:
        return f"{next(iter(entry['runs']))}: {tasks}"
    return f"{listed([f'{run} {many:,}' for run, many in entry['runs'].items()])}; {tasks}"


def _shown(value: str) -> str:
    return printable(value) if value.strip() else "(empty)"


def _failures(kind: str, place: int, entry: Mapping[str, Any]) -> Any:
    return fact(count(entry["failures"], "failure"), entry["failures"], *_PATH, kind, place, "failures")


def _field_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    common = [f"{name} is {_shown(value)} in {rollouts:,}" for name, value, rollouts in entry["common"]]
    example = entry["example"]
    shown = listed([f"{name} {_shown(got)} for {_shown(wanted)}" for name, wanted, got in example["unlike"]])
    return say(
        "{check} finds {fields} wrong and all else that it compares right in {failures} ({runs}){common}; such as "
        "{example} (task {task}, attempt {attempt} of {run}).",
        check=_check(entry),
        fields=f"{listed(entry['fields'])}{' alone' if len(entry['fields']) == 1 else ''}",
        failures=_failures("fields", place, entry),
        runs=_by_run(entry),
        common=f": {listed(common)}" if common else "",
        example=shown,
        task=example["task"],
        attempt=f"{example['attempt']}",
        run=example["run"],
    )


def _value_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    wants = "each" if entry["wanted_in"] == entry["failures"] else "most of them"
    return say(
        "{check} gets “{value}” in {failures} of {tasks} ({runs}); it wants “{wanted}” in {wants}.",
        check=_check(entry),
        value=printable(entry["value"]),
        failures=_failures("values", place, entry),
        tasks=count(len(entry["tasks"]), "task"),
        runs=_by_run(entry),
        wanted=printable(entry["wanted"]),
        wants=wants if 2 * entry["wanted_in"] > entry["failures"] else f"{entry['wanted_in']:,} of them",
    )


def _nothing_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    return say(
        "{check} finds nothing of what it wants in {failures} ({runs}).",
        check=_check(entry),
        failures=_failures("nothing", place, entry),
        runs=_by_run(entry),
    )
