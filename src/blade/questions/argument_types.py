"""Do calls that fill a parameter of some declared type pass clearly less often, and in which written form?

A type that the checker or the prompt treats otherwise than the model writes it loses every task that needs it. Such
tasks may also be the harder ones: they are held against tasks of the same level, and what is written in which form is
told with its passes and failures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any

from blade.counting.derived_slices import FAMILY, field_words
from blade.diagnosis.argument_forms import (
    MOSTLY,
    FormContrast,
    counts_of_form,
    exact_of_groups,
    pass_counts,
    pass_rate,
    written_forms,
)
from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract import argument_types as forms_of
from blade.extract.attempt import Attempt
from blade.model import Source
from blade.questions import SURE, in_order, judged, passes_by_run, task_levels, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, p_value, printable

TITLE = "Types of arguments that fail"
ORDER = 47
FEWEST_TASKS = 5
FEWEST_CONTRAST = 3
"""So many tasks tell how another form of the same type fares."""
CLEARLY = 0.15
FAR_LESS = 0.5
SURE_OF_TASKS = 0.005
"""Tasks taken once, whatever the number of their rollouts, must differ by themselves: repeats are no new evidence."""
MOST_LEVELS, TASKS_PER_LEVEL = 40, 5
MOST_RUNS, MOST_FORMS = 6, 5
MUCH = 0.1
HARDLY = 0.1
LIKELY, DOUBTFUL = 0.5, 0.3
_WORDS = {
    forms_of.NUMBER: "a number",
    forms_of.SUFFIXED: "a number with a letter behind it",
    forms_of.LOWER: "lower-case true or false",
    forms_of.CAPITAL: "capitalised True or False",
    forms_of.NOTHING: "null",
    forms_of.LIST: "a list",
    forms_of.OBJECT: "an object",
    forms_of.TUPLE: "a tuple",
    forms_of.NAME: "a bare name",
    forms_of.EXPRESSION: "an expression",
    forms_of.TEXT: "a quoted text",
    forms_of.QUOTED + forms_of.NAME: "one quoted word",
}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per declared type that goes with failing its rollouts and the others, by run and form; and forms that fail."""
    cases = [case for run in runs for case in _readable(run)]
    if not cases or all(case.passed for case in cases):
        return None
    field, levels = _levels(runs, {case.key for case in cases})
    types = _types(cases, levels, runs)
    spoken_of = {(entry["type"], level) for entry in types for level in entry["levels"]}
    forms = _forms(cases, levels, spoken_of)
    if not types and not forms:
        return None
    return {"field": field, "types": types, "forms": forms}


def _readable(run: RunCases) -> list[Case]:
    """The judged rollouts with a call that fills a declared parameter; none where no pass of the run has one."""
    cases = [case for case in run.observing("argument_types") if case.observed["argument_types"]]
    return cases if any(case.passed for case in cases) else []


def _levels(runs: Sequence[RunCases], keys: Collection[str]) -> tuple[str, Mapping[str, str]]:
    """The field of the tasks with the most levels that hold several tasks on average, and each task's level.

    What the rows record comes before what is read out of the tasks' names.
    """
    levels: dict[str, Mapping[str, str]] = {}
    for run in runs:
        levels = {**task_levels(run), **levels}
    candidates = []
    for name in sorted({name for key in keys for name in levels.get(key, {})}):
        of_task = {key: levels[key][name] for key in keys if name in levels.get(key, {})}
        number = len(set(of_task.values()))
        if len(of_task) == len(keys) and 1 < number <= min(MOST_LEVELS, len(keys) / TASKS_PER_LEVEL):
            candidates.append((name != FAMILY, number, name, of_task))
    _, _, field, of_task = max(candidates, key=lambda candidate: candidate[:2], default=(False, 0, "", {}))
    return field, of_task


def _types(cases: Sequence[Case], levels: Mapping[str, str], runs: Sequence[RunCases]) -> list[dict[str, Any]]:
    entries, chances = [], []
    for name in sorted({name for case in cases for name in written_forms(case)}):
        having = {id(case) for case in cases if name in written_forms(case)}
        mixed = _mixed(cases, having, levels)
        comparable = [case for case in cases if levels.get(case.key, "") in mixed]
        filling = [case for case in comparable if id(case) in having]
        if len({case.key for case in filling}) < FEWEST_TASKS:
            continue
        chances.append(_p(comparable, having, lambda case: (case.run, levels.get(case.key, ""))))
        other_cases = [case for case in comparable if id(case) not in having]
        less = pass_rate(other_cases) - pass_rate(filling) >= CLEARLY
        if less and _p_of_tasks(comparable, having, levels) <= SURE_OF_TASKS:
            entry = _entry(name, filling, other_cases, runs) | {"levels": sorted(mixed)}
            entries.append((len(chances) - 1, entry))
    adjusted = benjamini_hochberg(chances)
    sure = [entry | {"p": significant(adjusted[place], WRITTEN)} for place, entry in entries if adjusted[place] <= SURE]
    return sorted(sure, key=lambda entry: (entry["p"], entry["type"]))


def _mixed(cases: Sequence[Case], having: Collection[int], levels: Mapping[str, str]) -> set[str]:
    """The levels with rollouts of both kinds."""
    with_it = {levels.get(case.key, "") for case in cases if id(case) in having}
    return with_it & {levels.get(case.key, "") for case in cases if id(case) not in having}


def _p(cases: Sequence[Case], having: Collection[int], stratum: Callable[[Case], Hashable]) -> float:
    groups: defaultdict[Hashable, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for case in cases:
        groups[stratum(case)][(id(case) not in having) * 2 + (not case.passed)] += 1
    return exact_of_groups(groups.values())


def _p_of_tasks(cases: Sequence[Case], having: Collection[int], levels: Mapping[str, str]) -> float:
    """The same of tasks, each taken once: of the type where a rollout is, and solved where half of them pass."""
    tasks: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        tasks[case.key].append(case)
    groups: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for key, rollouts in tasks.items():
        filled = any(id(case) in having for case in rollouts)
        groups[levels.get(key, "")][(not filled) * 2 + (pass_rate(rollouts) < MOSTLY)] += 1
    return exact_of_groups(groups.values())


def _entry(name: str, filling: Sequence[Case], other_cases: Sequence[Case], runs: Sequence[RunCases]) -> dict[str, Any]:
    passed_keys = {case.key for case in filling if case.passed}
    forms = sorted({form for case in filling for form in written_forms(case)[name]})
    entries = [counts_of_form(form, [case for case in filling if form in written_forms(case)[name]]) for form in forms]
    passing = [entry["form"] for entry in entries if entry["passes"] >= MOSTLY * entry["rollouts"]]
    failing = [entry["form"] for entry in entries if entry["passes"] <= HARDLY * entry["rollouts"]]
    return {
        "type": name,
        "tasks": in_order(case.label for case in filling),
        "unpassed": in_order(case.label for case in filling if case.key not in passed_keys),
        **pass_counts(filling),
        **{f"other_{counted}": number for counted, number in pass_counts(other_cases).items()},
        "runs": [_of_run(run, filling, other_cases) for run in runs],
        "forms": sorted(entries, key=lambda entry: (-entry["rollouts"], entry["form"])),
        "passing": _side(name, passing, filling),
        "failing": _side(name, failing, filling),
        "example": _example(name, "", [case for case in filling if not case.passed]),
    }


def _of_run(run: RunCases, filling: Sequence[Case], other_cases: Sequence[Case]) -> dict[str, Any]:
    name = run.run.name
    counts = pass_counts([case for case in other_cases if case.run == name])
    return {
        "run": name,
        **pass_counts([case for case in filling if case.run == name]),
        **{f"other_{counted}": number for counted, number in counts.items()},
        "failures": sum(not case.passed for case in judged(run)),
    }


def _side(name: str, forms: Collection[str], filling: Sequence[Case]) -> dict[str, Any]:
    """Rollouts that write all values of a type in some forms."""
    cases = [case for case in filling if written_forms(case)[name].keys() <= set(forms)]
    written_so = sorted({form for case in cases for form in written_forms(case)[name]})
    return {"forms": written_so, "tasks": len({case.key for case in cases}), **pass_counts(cases)}


def _example(name: str, form: str, failures: Sequence[Case]) -> dict[str, str] | None:
    """A value of the type, in some form, of the first failure that can be opened."""
    for case in sorted(failures, key=lambda case: (len(case.label), case.label, case.run))[:1]:
        for _, row in open_rows([Source(*case.place)]):
            for value in forms_of.typed_values(Attempt(row)):
                if value.type == name and form in {"", value.form}:
                    return {
                        "task": case.label,
                        "run": case.run,
                        "parameter": value.parameter,
                        "words": value.words,
                    }
    return None


def _forms(
    cases: Sequence[Case], levels: Mapping[str, str], spoken_of: Collection[tuple[str, str]]
) -> list[dict[str, Any]]:
    """Forms of a type that fail at one level of the tasks where other forms pass, inside runs."""
    groups: defaultdict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in cases:
        for name in written_forms(case):
            groups[name, levels.get(case.key, "")].append(case)
    entries, chances = [], []
    for (name, level), filling in sorted(groups.items()):
        for form in sorted({form for case in filling for form in written_forms(case)[name]}):
            contrast = FormContrast(name, form, filling)
            if contrast.tasks[0] >= FEWEST_TASKS and contrast.tasks[1] >= FEWEST_CONTRAST:
                chances.append(contrast.p(SURE))
                entries.append((len(chances) - 1, level, contrast))
    adjusted = benjamini_hochberg(chances)
    return [
        _form_entry(contrast) | {"level": level, "p": significant(adjusted[place], WRITTEN)}
        for place, level, contrast in entries
        if adjusted[place] <= SURE and contrast.gap >= FAR_LESS and (contrast.type, level) not in spoken_of
    ]


def _form_entry(contrast: FormContrast) -> dict[str, Any]:
    failures = [case for case in contrast.having if not case.passed]
    return {
        **contrast.entry(),
        "tasks": in_order(case.label for case in contrast.having),
        "example": _example(contrast.type, contrast.form, failures),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    types = [Paragraph(tuple(_type_words(answer, place))) for place, _ in enumerate(answer["types"])]
    forms = [Paragraph(tuple(_form_words(answer, place))) for place, _ in enumerate(answer["forms"])]
    return [Bullets((*types, *forms))]


def _type_words(answer: Mapping[str, Any], place: int) -> Iterator[Sentence]:
    entry, path = answer["types"][place], (*_AT, "types", place)
    forms = _written_as(path, entry["forms"])
    ends = "." if entry["passes"] else f"; {_NO_FORM}."
    yield Sentence((*_claim(answer, place), ": ", *forms, ends))
    if entry["passes"] and _differs(entry):
        yield _both_sides(path, entry)
    if entry["unpassed"]:
        yield say("{unpassed}.", unpassed=_unpassed(entry))
    if 1 < len(entry["runs"]) <= MOST_RUNS:
        yield passes_by_run("Passes with and without such a value", path, entry["runs"])
    yield say(
        "The test takes {apart} by itself, and shows the same where each task counts once; such tasks may be harder, "
        "too.",
        apart=f"each run and {answer['field']}" if answer["field"] else "each run",
    )
    yield from _example_words(entry["example"])


def _claim(answer: Mapping[str, Any], place: int) -> tuple[str | Fact, ...]:
    entry, path = answer["types"][place], (*_AT, "types", place)
    return say(
        f"{{where}}{{passes}} of {{rollouts}} of {{tasks}} with a call that fills a parameter declared as “{{type}}” "
        f"{_verb(entry['passes'])}, of those with other calls {{other_passes}} of {{other_rollouts}} (exact test, p "
        "{p})",
        where=_where(answer["field"], entry["levels"]),
        passes=amount(entry["passes"], *path, "passes"),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        type=printable(entry["type"]),
        tasks=fact(count(len(entry["tasks"]), "task"), entry["tasks"], *path, "tasks"),
        other_passes=amount(entry["other_passes"], *path, "other_passes"),
        other_rollouts=amount(entry["other_rollouts"], *path, "other_rollouts"),
        p=p_value(entry["p"], *path, "p"),
    ).parts


def _verb(number: int) -> str:
    return "passes" if number == 1 else "pass"


def _where(field: str, levels: Sequence[str]) -> str:
    if not field:
        return ""
    if len(levels) > MOST_RUNS:
        return f"In the {len(levels):,} values of {field_words(field)} that have both kinds of calls, "
    return f"Where {field_words(field)} is {listed([printable(level) for level in levels], 'or')}, "


def _unpassed(entry: Mapping[str, Any]) -> str:
    number, tasks = len(entry["unpassed"]), len(entry["tasks"])
    part = f"any of the {number:,} tasks" if number == tasks else f"{number:,} of the {tasks:,} tasks"
    return f"No run passes {part} ({task_list(entry['unpassed'])})"


def _written_as(path: tuple[str | int, ...], forms: Sequence[Mapping[str, Any]]) -> list[str | Fact]:
    parts: list[str | Fact] = []
    for place, form in enumerate(forms[:MOST_FORMS]):
        start = "; as" if place else "written as"
        parts += [f"{start} {_form(form['form'])}, ", *_passes((*path, "forms", place), form)]
    left = len(forms) - MOST_FORMS
    return [*parts, f"; and in {count(left, 'other form')}"] if left > 0 else parts


def _passes(path: tuple[str | int, ...], entry: Mapping[str, Any]) -> list[str | Fact]:
    """The passes of a form in each run; where the runs are many, in all together."""
    if len(entry["runs"]) > MOST_RUNS:
        return [amount(entry["passes"], *path, "passes"), " of ", amount(entry["rollouts"], *path, "rollouts")]
    parts: list[str | Fact] = []
    for place, run in enumerate(entry["runs"]):
        at = (*path, "runs", place)
        between = "" if not place else " and " if run is entry["runs"][-1] else ", "
        parts += [between, f"{run['run']} ", amount(run["passes"], *at, "passes"), " of "]
        parts.append(amount(run["rollouts"], *at, "rollouts"))
    return parts


def _form(form: str) -> str:
    """The words for a form: "a number", "a quoted number"."""
    if form in _WORDS:
        return _WORDS[form]
    words = _WORDS[form.removeprefix(forms_of.QUOTED)].removeprefix("an ").removeprefix("a ")
    return f"a quoted {words}"


def _differs(entry: Mapping[str, Any]) -> bool:
    """Whether some forms mostly pass and others hardly ever, in enough tasks each."""
    return all(entry[side]["tasks"] >= FEWEST_CONTRAST for side in ("passing", "failing"))


def _both_sides(path: tuple[str | int, ...], entry: Mapping[str, Any]) -> Sentence:
    passing, failing = entry["passing"], entry["failing"]
    return say(
        "So {passing_forms} mostly passes ({passes} of {rollouts}) and {failing_forms} hardly ever ({failing_passes} "
        "of {failing_rollouts}).",
        passing_forms=_alternatives(passing["forms"]),
        passes=amount(passing["passes"], *path, "passing", "passes"),
        rollouts=fact(count(passing["rollouts"], "rollout"), passing["rollouts"], *path, "passing", "rollouts"),
        failing_forms=_alternatives(failing["forms"]),
        failing_passes=amount(failing["passes"], *path, "failing", "passes"),
        failing_rollouts=amount(failing["rollouts"], *path, "failing", "rollouts"),
    )


def _alternatives(forms: Sequence[str]) -> str:
    return listed([_form(form) for form in forms], "or")


def _example_words(example: Mapping[str, str] | None) -> Iterator[Sentence]:
    if example:
        yield say(
            "For example, {run} fails task {task} with {parameter} = {words}.",
            run=example["run"],
            task=example["task"],
            parameter=printable(example["parameter"]),
            words=printable(example["words"]),
        )


def _form_words(answer: Mapping[str, Any], place: int) -> Iterator[Sentence]:
    entry, path = answer["forms"][place], (*_AT, "forms", place)
    yield _first_of_form(answer, place)
    elsewhere = entry["elsewhere"]
    if elsewhere["rollouts"]:
        yield say(
            "The other runs, which write it otherwise, pass {passes} of {rollouts} of these tasks.",
            passes=amount(elsewhere["passes"], *path, "elsewhere", "passes"),
            rollouts=fact(
                count(elsewhere["rollouts"], "rollout"), elsewhere["rollouts"], *path, "elsewhere", "rollouts"
            ),
        )
    yield from _example_words(entry["example"])


def _first_of_form(answer: Mapping[str, Any], place: int) -> Sentence:
    entry, path = answer["forms"][place], (*_AT, "forms", place)
    where = _where(answer["field"], [entry["level"]])
    start = f"{where}{'calls' if where else 'Calls'} that write a value declared as “{printable(entry['type'])}” as "
    contrast: list[str | Fact] = []
    for index, form in enumerate(entry["other_forms"]):
        at = (*path, "other_forms", index)
        contrast += ["; " if index else "", f"{_form(form['form'])}, ", *_passes(at, form)]
    return Sentence(
        (
            f"{start}{_form(entry['form'])} mostly fail: ",
            *_passes(path, entry),
            f" (tasks {task_list(entry['tasks'])}); written as ",
            *contrast,
            " (exact test, each run by itself, p ",
            p_value(entry["p"], *path, "p"),
            ").",
        )
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The first type whose failures are a good part of all failures of a run."""
    for place, entry in enumerate(answer["types"]):
        if any(run["rollouts"] - run["passes"] >= MUCH * max(run["failures"], 1) for run in entry["runs"]):
            yield Sentence((*_claim(answer, place), "."))
            return


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Mend the checker or the prompt where nothing passes; say how to write the value where one form does."""
    for place, entry in enumerate(answer["types"]):
        if not entry["passes"]:
            yield Advice(
                "verifier",
                f"Try the verifier on a right call with a value declared as “{printable(entry['type'])}”, repair it "
                "where it fails it, and say in the prompt how such a value is written",
                Sentence((*_claim(answer, place), f"; {_NO_FORM}.")),
                entry["rollouts"],
                LIKELY,
            )
        elif _differs(entry):
            failures = entry["failing"]["rollouts"] - entry["failing"]["passes"]
            reason = _both_sides((*_AT, "types", place), entry)
            yield Advice("prompt", _SAY_HOW.format(printable(entry["type"])), reason, failures, DOUBTFUL)
    for place, entry in enumerate(answer["forms"]):
        failures = entry["rollouts"] - entry["passes"]
        change = _SAY_HOW.format(printable(entry["type"]))
        yield Advice("prompt", change, _first_of_form(answer, place), failures, LIKELY)


_NO_FORM = "no form that was tried passes: look at the checker and at what the prompt says about how to write it"
_SAY_HOW = (
    "Say in the prompt how a value declared as “{}” is written, with an example, or let the verifier accept the other "
    "form"
)
_AT = ("investigation", "argument_types")
