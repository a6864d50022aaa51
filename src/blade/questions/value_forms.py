"""Do rollouts that write an argument in one form fail more often than those that write it otherwise?

They are held against others at the same or equally hard tasks; and, where several tasks share a check by its name,
against all that are checked so: a form may be that of whole tasks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import strata
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.value_forms import ABSENT
from blade.questions import SURE, in_order, judged, outcome_p, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed, printable

TITLE = "Arguments whose form goes with failing"
ORDER = 47
WEIGHT = 1.3
FEWEST, FEWEST_TASKS = 5, 2
MOST_TESTED = 400
FAR, FAR_OF_CHECK = 0.25, 0.4
FEWEST_SHARING = 3
MOST = 6
LIKELY = 0.5
_PATH = ("investigation", "value_forms")
Writers = Sequence[tuple[Case, Mapping[str, str]]]
"""The rollouts that call a tool, and the forms in which each writes one argument of it."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Forms of one argument of a tool that pass far less often than its other forms, or meet a check less often."""
    cases = [case for run in runs for case in judged(run)]
    candidates = [candidate for candidate in _candidates(cases) if candidate["p"] is not None][:MOST_TESTED]
    adjusted = benjamini_hochberg([candidate["p"] for candidate in candidates])
    sure = [
        candidate | {"p": significant(p, WRITTEN)}
        for candidate, p in zip(candidates, adjusted, strict=True)
        if p <= SURE
    ]
    if not sure:
        return None
    sure.sort(key=lambda entry: (entry["p"], -entry["rollouts"], entry["tool"], entry["argument"]))
    entries = _once(sure)
    return {"forms": entries[:MOST], "left_out": len(entries[MOST:])}


def _candidates(cases: Sequence[Case]) -> Iterator[dict[str, Any]]:
    levels = {id(case): level for case, level in zip(cases, strata(cases), strict=True)}
    for (tool, name), writers in _written_arguments(cases).items():
        verdicts = {id(case): bool(case.passed) for case, _ in writers}
        checked_writers = list(_checked(writers))
        for form in {form: None for _, forms in writers for form in forms}:
            for never in (False, True) if form else (False,):
                about = {"tool": tool, "argument": name, "form": form, "never": never}
                yield from _of_outcomes(about, writers, verdicts, levels)
                yield from _of_checks(about, checked_writers)


def _written_arguments(cases: Sequence[Case]) -> dict[tuple[str, str], Writers]:
    """Each argument of a tool with all rollouts that call the tool; who never gives it has the empty form."""
    of_argument: defaultdict[tuple[str, str], dict[int, Mapping[str, str]]] = defaultdict(dict)
    callers: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        for tool, arguments in (case.observed.get("forms") or {}).items():
            callers[tool].append(case)
            for name, forms in arguments.items():
                of_argument[tool, name][id(case)] = forms
    return {
        (tool, name): [(case, forms_by_case.get(id(case), {ABSENT: ""})) for case in callers[tool]]
        for (tool, name), forms_by_case in of_argument.items()
    }


def _of_outcomes(
    about: Mapping[str, Any], writers: Writers, verdicts: Mapping[int, bool], levels: Mapping[int, Hashable]
) -> Iterator[dict[str, Any]]:
    """Rollouts with the form against the others, tasks of one level compared."""
    entry = _held_against(about, writers, verdicts, FAR)
    if entry is not None:
        cases = [case for case, _ in writers]
        inside = {id(case) for case, forms in writers if _is_inside(about, forms)}
        yield entry | {"check": "", "p": outcome_p(cases, inside, [levels[id(case)] for case in cases])}


def _checked(writers: Writers) -> Iterator[tuple[str, Writers, Mapping[int, bool]]]:
    """Each check that several tasks share, with the rollouts that have it and whether each meets it."""
    tasks: defaultdict[str, set[str]] = defaultdict(set)
    for case, _ in writers:
        for check in case.checks:
            tasks[check].add(case.key)
    for check in [check for check, keys in tasks.items() if len(keys) >= FEWEST_SHARING]:
        checked = [(case, forms) for case, forms in writers if check in case.checks]
        yield check, checked, {id(case): bool(case.checks[check]) for case, _ in checked}


def _of_checks(
    about: Mapping[str, Any], checked_writers: Sequence[tuple[str, Writers, Mapping[int, bool]]]
) -> Iterator[dict[str, Any]]:
    """The same for each check."""
    for check, checked, verdicts in checked_writers:
        entry = _held_against(about, checked, verdicts, FAR_OF_CHECK)
        if entry is not None:
            failed, other_failed = entry["rollouts"] - entry["met"], entry["others"] - entry["other_met"]
            yield entry | {"check": check, "p": exact_p([(entry["met"], failed, entry["other_met"], other_failed)])}


def _example(form: str, about: Mapping[str, Any], writers: Writers, verdicts: Mapping[int, bool]) -> str:
    """The value that failing rollouts write most often in a form, where that form is what goes with failing."""
    failing = Counter(forms[form] for case, forms in writers if form in forms and not verdicts[id(case)])
    return "" if about["never"] or not failing else failing.most_common(1)[0][0]


def _is_inside(about: Mapping[str, Any], forms: Mapping[str, str]) -> bool:
    return (about["form"] in forms) is not about["never"]


def _held_against(
    about: Mapping[str, Any], writers: Writers, verdicts: Mapping[int, bool], far: float
) -> dict[str, Any] | None:
    """How those with a form fare against the others; None where they are few, or hardly worse."""
    form = about["form"]
    inside = [case for case, forms in writers if (form in forms) is not about["never"]]
    if min(len(inside), len(writers) - len(inside)) < FEWEST or len({case.key for case in inside}) < FEWEST_TASKS:
        return None
    outside = [case for case, forms in writers if (form in forms) is about["never"]]
    met_inside, met_outside = (sum(verdicts[id(case)] for case in side) for side in (inside, outside))
    if met_outside / len(outside) - met_inside / len(inside) < far:
        return None
    examples = {form_seen: text for _, forms in reversed(writers) for form_seen, text in forms.items()}
    instead = Counter(
        form_seen
        for _, forms in writers
        if _is_inside(about, forms) is about["never"]
        for form_seen in forms
        if form_seen not in (form, ABSENT)
    )
    return {
        "tool": about["tool"],
        "argument": about["argument"],
        "absent": form == ABSENT or (about["never"] and not instead),
        "never": about["never"],
        "example": _example(form, about, writers, verdicts) or examples[form],
        "other": examples[max(instead, key=lambda form_seen: (instead[form_seen], form_seen))] if instead else "",
        "rollouts": len(inside),
        "met": met_inside,
        "others": len(outside),
        "other_met": met_outside,
        "runs": [[run, rollouts] for run, rollouts in Counter(case.run for case in inside).items()],
        "tasks": in_order(case.label for case in inside),
        "cases": frozenset(id(case) for case in inside),
    }


def _once(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of forms in mostly the same rollouts the first alone."""
    entries_kept: list[tuple[frozenset[int], dict[str, Any]]] = []
    for entry in entries:
        cases = entry.pop("cases")
        if all(2 * len(cases & earlier) < len(cases | earlier) for earlier, _ in entries_kept):
            entries_kept.append((cases, entry))
    return [entry for _, entry in entries_kept]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["forms"])]
    left = f" {count(answer['left_out'], 'more form')} in analysis.json." if answer["left_out"] else ""
    note = "A form may also stand for what the model did not look up: read one rollout of each.{left}"
    return [Bullets(tuple(items)), Paragraph((say(note, left=left),))]


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "forms", place)
    never = "never " if entry["never"] else ""
    writing = "is left out" if entry["absent"] else f"is {never}written as in “{{example}}”"
    writing += " (but as in “{other}”)" if entry["other"] and entry["never"] else ""
    writing += " (others: “{other}”)" if entry["other"] and not entry["never"] else ""
    outcome = "the check “{check}” is met in {met} of {rollouts}" if entry["check"] else "{met} of {rollouts} pass"
    compared = "over all tasks that have it" if entry["check"] else "tasks of similar difficulty compared"
    return say(
        f"Where {{argument}} of {{tool}} {writing}, {outcome} ({{runs}}; {{tasks}}), elsewhere in {{other_met}} "
        f"of {{others}} (p = {{p}}, {compared}).",
        argument=f"“{entry['argument']}”",
        tool=entry["tool"],
        example=printable(entry["example"]),
        other=printable(entry["other"]),
        check=printable(entry["check"]),
        met=amount(entry["met"], *path, "met"),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        runs=listed([f"{run} {rollouts:,}" for run, rollouts in entry["runs"]]),
        tasks=task_list(entry["tasks"]),
        other_met=amount(entry["other_met"], *path, "other_met"),
        others=amount(entry["others"], *path, "others"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(0, answer["forms"][0])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """What a tool takes and what is right are two things: its description says the form, or it refuses others."""
    for place, entry in enumerate(answer["forms"]):
        path = (*_PATH, "forms", place)
        yield Advice(
            "prompt",
            f"Say in the description of {entry['tool']} in which form “{entry['argument']}” is wanted, with an "
            "example, or have the tool refuse any other",
            say(
                "Of {rollouts} that leave it out {met} {do}."
                if entry["absent"]
                else f"Of {{rollouts}} that {'never ' * entry['never']}write it as in “{{example}}” {{met}} {{do}}.",
                met=amount(entry["met"], *path, "met"),
                do=f"meet “{printable(entry['check'])}”" if entry["check"] else "pass",
                rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
                example=printable(entry["example"]),
            ),
            entry["rollouts"] - entry["met"],
            LIKELY,
        )
