"""What does the verifier itself call the failures, in which runs and slices, and what do its messages say?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.copies import independent_runs
from blade.diagnosis.verdict_words import verdict_word_fields
from blade.document import Block, Fact, Paragraph, Sentence, Table, say
from blade.extract.checks import verdict
from blade.extract.names import VERIFIER, is_error_text, is_outcome, words
from blade.extract.text import clip
from blade.findings import Sighting
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.questions import in_order, judged, task_list
from blade.registry import plugins
from blade.signatures import template
from blade.wording import amount, count, fact, listed

TITLE = "What the verifier calls the failures"
ORDER = 45
WEIGHT = 1.3
OF_ONE_RUN, MOSTLY, MOST_CLAIMS = 8, 0.7, 2
"""A message with so many failures of one run, and so large a share of all of them, is a claim."""
NOT_RECORDED = "not recorded"
"""Of a run whose rows keep no words of the verifier."""
FEWEST = 3
FEWEST_TASKS = 3
MOST_CLASSES = 12
MOST_MESSAGES = 10
MOST_VALUES = 60
LONGEST_LINE = 100
LONGEST_LEVEL = 60
MOST_LEVELS = 50
ON_PASSES = 0.5
"""A class or a message that stands on passes at least half as often as on failures is none of failures."""
ONE = 0.8
"""A message and a class that share so much of their rows are one finding."""
ROW = "row."
ENDINGS, OF_WORK = frozenset({"pipeline", "infrastructure"}), frozenset({"knowledge", "unknown"})
"""Families of detectors that read how a rollout ended, and what among them speaks of its work."""
INSIDE, LIFT = 0.6, 2.0
"""A class lies in a slice if so many of its rows do, and so many times as many as of all rows."""
_CLASS = late_regex(r"[A-Za-z][\w.:/()-]{1,59}(?: [\w.:/()-]{1,59}){0,2}")
_COUNTS = frozenset("num number n count counts total".split())
_TROUBLE = frozenset("failure failures error errors violation violations".split())
_KIND = frozenset("type class category kind label mode reason code".split())
_SILENT = frozenset("none null ok success passed pass no false true unset".split())


@frozen
class ClassifiedRow:
    """A judged rollout with the classes of its verdict, the templates of its messages and its slices."""

    case: Case
    classes: frozenset[tuple[str, str]]
    says: frozenset[str]
    raised: Mapping[str, str]
    """The errors in the verifier's logs as they stand, by their template."""
    slices: frozenset[tuple[str, str]]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Classes and messages with their counts over all judged rows of every run, failures and passes."""
    names = [run.run.name for run in runs]
    by_word = verdict_word_fields(runs)
    rows = [row for run in runs for row in _rows(run, by_word)]
    failures = [row for row in rows if not row.case.passed]
    if len(failures) < FEWEST:
        return None
    base = Counter(place for row in rows for place in row.slices)
    classes = [
        _entry(
            rows, names, {"field": field, "class": value}, lambda row, entry=(field, value): entry in row.classes, base
        )
        for field, value in _common((row.classes for row in failures), 1)
    ]
    messages = [
        _entry(rows, names, shown, lambda row, texts=texts: not texts.isdisjoint(row.says), base)
        for shown, texts in _messages_of(failures)
    ]
    messages.sort(key=lambda entry: -entry["failures"])
    classes = [entry for entry in classes if _of_failures(entry, rows)]
    messages = [entry for entry in messages if _of_failures(entry, rows) and entry["of_tasks"] >= FEWEST_TASKS]
    if sum(entry["failures"] for entry in classes) < FEWEST:
        classes = []
    messages = [entry for entry in messages if not _joined(entry, classes)]
    if not classes and not messages:
        return None
    for entry in (*classes, *messages):
        del entry["rows"]
    speaking = {row.case.run for row in failures if row.says or row.raised}
    return {
        "runs": names,
        "independent_runs": len(independent_runs(runs)),
        "silent": [name for name in names if name not in speaking and any(row.case.run == name for row in failures)],
        "failed": [sum(row.case.run == name for row in failures) for name in names],
        "classes": classes[:MOST_CLASSES],
        "other_classes": len(classes[MOST_CLASSES:]),
        "messages": messages[:MOST_MESSAGES],
        "other_messages": len(messages[MOST_MESSAGES:]),
    }


def _rows(run: RunCases, by_word: frozenset[str]) -> Iterator[ClassifiedRow]:
    told = run.fields()
    good = {id(case) for case in judged(run)}
    named = {*_class_fields(told, [name for name in run.field_names() if _names_class(name)]), *by_word}
    sliced = _slice_fields(run.cases, told)
    for case, fields in zip(run.cases, told, strict=True):
        if id(case) not in good:
            continue
        seen = case.observed.get("verifier") or {}
        classes = {(name, str(fields[name])) for name in named if _says_class(fields.get(name))}
        classes |= {(name, f"{name} above 0") for name in _trouble_names(tuple(fields)) if _above_zero(fields[name])}
        classes |= {(name, value) for name, values in (seen.get("classes") or {}).items() for value in values}
        slices = {(name, str(fields[name])) for name in sliced if fields.get(name) is not None}
        raised = {template(line): line for line in seen.get("raised") or ()}
        yield ClassifiedRow(case, frozenset(classes), frozenset(seen.get("says") or ()), raised, frozenset(slices))


def _class_fields(told: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    """Fields with few different words that are called a type, class or reason of an error or failure."""
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for fields in told:
        for name in names:
            if _says_class(value := fields.get(name)):
                values[name][str(value)] += 1
    return sorted(
        name
        for name, counts in values.items()
        if len(counts) <= MOST_VALUES and counts.total() >= FEWEST and all(_CLASS.fullmatch(value) for value in counts)
    )


@lru_cache(maxsize=4096)
def _names_class(name: str) -> bool:
    have = set(words(name))
    return is_error_text(name) or (bool(have & _KIND) and bool(have & (_TROUBLE | {"fail", "failed"})))


def _says_class(value: Any) -> bool:
    """Whether it is a word of its own; that something passed or failed is a verdict and names no class."""
    return (
        isinstance(value, str)
        and bool(value.strip())
        and value.strip().lower() not in _SILENT
        and verdict(value) is None
    )


@lru_cache(maxsize=4096)
def _trouble_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Fields that count errors or failures. Rows have few sets of names."""
    return tuple(name for name in names if _COUNTS & (have := set(words(name))) and _TROUBLE & have)


def _above_zero(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _slice_fields(cases: Sequence[Case], told: Sequence[Mapping[str, Any]]) -> list[str]:
    """Text fields of the task: one value in all its attempts, some levels, each with several tasks."""
    by_task: defaultdict[str, dict[str, set[str]]] = defaultdict(dict)
    for case, fields in zip(cases, told, strict=True):
        for name in _task_names(tuple(fields)):
            value = fields[name]
            if isinstance(value, str) and len(value) <= LONGEST_LEVEL and "\n" not in value:
                by_task[name].setdefault(case.key, set()).add(value)
    entries = []
    for name, tasks in by_task.items():
        levels = {value for some in tasks.values() for value in some}
        constant = all(len(some) == 1 for some in tasks.values())
        if constant and 2 <= len(levels) <= min(MOST_LEVELS, len(tasks) // 2):
            entries.append(name)
    return sorted(entries)


@lru_cache(maxsize=4096)
def _task_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Fields that may be the task's: what the verifier wrote is no slice, though one attempt a task makes it one."""
    return tuple(name for name in names if not is_outcome(name) and not _of_verifier(name.partition(".")[0]))


@lru_cache(maxsize=4096)
def _of_verifier(name: str) -> bool:
    return not VERIFIER.isdisjoint(words(name))


def _messages_of(failures: Sequence[ClassifiedRow]) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """The common messages; those that say one thing in several wordings, as a detector reads them, together."""
    sharing: defaultdict[str, list[str]] = defaultdict(list)
    rows = {text: [row for row in failures if text in row.says] for text in _common((row.says for row in failures), 1)}
    for text, having in rows.items():
        sharing[_reading(having) or text].append(text)
    for reading, texts in sharing.items():
        failed = len({row.case.place for text in texts for row in rows[text]})
        if len(texts) > 1 and failed >= FEWEST:
            title = plugins("detectors")[reading].TITLE
            yield {"message": title, "wordings": len(texts), "wording": texts[0]}, frozenset(texts)
        elif failed >= FEWEST:
            yield _shown(failures, texts[0]), frozenset(texts)


def _reading(rows: Sequence[ClassifiedRow]) -> str | None:
    """The detector that reads its finding out of the verifier's words in every one of these rows; None for none."""
    endings = ({name for name, sighting in row.case.fired().items() if _of_ending(name, sighting)} for row in rows)
    shared = set.intersection(*endings)
    return min(shared, key=lambda name: (-plugins("detectors")[name].EXPLAINS, name), default=None)


def _of_ending(name: str, sighting: Sighting) -> bool:
    """Whether a finding tells how the rollout ended, not how good its work is, and cites a field of the verifier."""
    rule = plugins("detectors")[name]
    of_work = rule.FAMILY not in ENDINGS or rule.KIND in OF_WORK or getattr(rule, "SPLIT", False)
    return not of_work and any(
        cite.field.startswith(ROW) and _of_verifier(cite.field.split(".")[1]) for cite in sighting.cites
    )


def _common(rows: Iterator[frozenset[Any]], fewest: int) -> list[Any]:
    counts = Counter(entry for some in rows for entry in some)
    return [
        entry for entry, many in sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0]))) if many >= fewest
    ]


def _entry(
    rows: Sequence[ClassifiedRow],
    names: Sequence[str],
    named: Mapping[str, Any],
    has: Any,
    base: Mapping[tuple[str, str], int],
) -> dict[str, Any]:
    here = [row for row in rows if has(row)]
    failed = [row for row in here if not row.case.passed]
    where = _where(failed, len(rows), base)
    tasks = [{row.case.key for row in failed if row.case.run == name} for name in names]
    return {
        **named,
        "rows": frozenset(row.case.place for row in failed),
        "in_all_runs": len(set.intersection(*tasks)),
        "failures": len(failed),
        "passes": len(here) - len(failed),
        "runs": [sum(row.case.run == name for row in failed) for name in names],
        "tasks": in_order(row.case.label for row in failed)[:FEWEST],
        "of_tasks": len({row.case.key for row in failed}),
        "where": f"{where[0]} = {where[1]}" if where else "",
        "inside": [sum(row.case.run == name and where in row.slices for row in failed) for name in names]
        if where
        else [],
    }


def _shown(failures: Sequence[ClassifiedRow], text: str) -> dict[str, Any]:
    """A message by its template, and the commonest line behind it where lines of a log are."""
    lines = Counter(row.raised[text] for row in failures if text in row.raised)
    if not lines:
        return {"message": text}
    line = min(lines, key=lambda line: (-lines[line], line))
    return {"message": text, "line": line, "line_rows": lines[line]}


def _joined(message: dict[str, Any], classes: Sequence[dict[str, Any]]) -> bool:
    """Whether a message stands on the rows of one class: it is then told beside the class, in the verifier's words."""
    for entry in classes:
        if len(message["rows"] & entry["rows"]) >= ONE * len(message["rows"] | entry["rows"]):
            entry.setdefault("says", message["message"])
            return True
    return False


def _where(failed: Sequence[ClassifiedRow], every: int, base: Mapping[tuple[str, str], int]) -> tuple[str, str] | None:
    """The slice in which most of the failures lie, several times as many as of all rows."""
    counts = Counter(place for row in failed for place in row.slices)
    good = [
        (many, place)
        for place, many in counts.items()
        if many >= FEWEST and many >= INSIDE * len(failed) and many * every >= LIFT * base[place] * len(failed)
    ]
    return min(good, key=lambda pair: (-pair[0], base[pair[1]], pair[1]))[1] if good else None


def _of_failures(entry: Mapping[str, Any], rows: Sequence[ClassifiedRow]) -> bool:
    """Whether passes bear it less than half as often as failures."""
    failed = sum(not row.case.passed for row in rows)
    passed = len(rows) - failed
    return bool(entry["passes"] * failed < ON_PASSES * entry["failures"] * passed) or not entry["passes"]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    if answer["classes"]:
        blocks.append(_classes(answer))
    if answer["messages"]:
        blocks.append(_messages(answer))
    same = [*_same_everywhere(answer)]
    return [*blocks, Paragraph(tuple(same))] if same else blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The messages that no pass has and that stand mostly in the failures of one run."""
    messages = [
        (place, entry, max(range(len(entry["runs"])), key=lambda number: entry["runs"][number]))
        for place, entry in enumerate(answer["messages"])
        if not entry["passes"] and len(entry["runs"]) > 1 and "wordings" not in entry
    ]
    claims = [
        (place, entry, run)
        for place, entry, run in messages
        if entry["runs"][run] >= max(OF_ONE_RUN, MOSTLY * entry["failures"])
    ]
    for place, entry, run in claims[:MOST_CLAIMS]:
        at = (*_AT, "messages", place)
        yield say(
            "The verifier says “{message}” in {rollouts} of {run}, in {others} of the other runs and in no pass "
            "({tasks}, first {names}).",
            message=clip(_says(entry), LONGEST_LINE),
            rollouts=fact(count(entry["runs"][run], "failure"), entry["runs"][run], *at, "runs", run),
            run=answer["runs"][run],
            others=str(entry["failures"] - entry["runs"][run]),
            tasks=fact(count(entry["of_tasks"], "task"), entry["of_tasks"], *at, "of_tasks"),
            names=task_list(entry["tasks"]),
        )


def _classes(answer: Mapping[str, Any]) -> Table:
    rows = []
    for place, entry in enumerate(answer["classes"]):
        at = (*_AT, "classes", place)
        name = f"{entry['class']} (“{entry['says']}”)" if "says" in entry else entry["class"]
        rows.append((name, *_counts(entry, at), amount(entry["passes"], *at, "passes"), entry["where"]))
    fields = listed(sorted({entry["field"] for entry in answer["classes"]}))
    return Table(
        ("Class", *(f">{name}" for name in answer["runs"]), ">passes that have it", "Mostly in"),
        tuple(rows),
        f"Failures by the classes that the rows themselves name ({fields}), each row under all its classes; in "
        f"brackets those in the slice of the last column{_left_out(answer['other_classes'], 'class', 'classes')}",
    )


def _messages(answer: Mapping[str, Any]) -> Table:
    rows = []
    sliced = any(entry["where"] for entry in answer["messages"])
    for place, entry in enumerate(answer["messages"]):
        at = (*_AT, "messages", place)
        tasks = fact(f"{entry['of_tasks']:,} ({task_list(entry['tasks'])})", entry["of_tasks"], *at, "of_tasks")
        counts = _counts(entry, at)
        for number, name in enumerate(answer["runs"]):
            if name in answer["silent"]:
                counts[number] = NOT_RECORDED
        where = [entry["where"]] if sliced else []
        rows.append((_says(entry), *counts, amount(entry["passes"], *at, "passes"), tasks, *where))
    return Table(
        (
            "What the verifier says",
            *(f">{name}" for name in answer["runs"]),
            ">passes",
            "tasks (first)",
            *(["Lies mostly in"] if sliced else []),
        ),
        tuple(rows),
        "Failures by the masked sentences of the verifier and by the errors that end its tracebacks; a row may "
        "have several" + _left_out(answer["other_messages"], "sentence", "sentences"),
    )


def _says(entry: Mapping[str, Any]) -> str:
    """A message by its template; an error by its line, or, where lines differ, by both; several by what they say."""
    if "wordings" in entry:
        wording = clip(entry["wording"], LONGEST_LINE)
        return f"{entry['message']} ({entry['wordings']:,} wordings, most often “{wording}”)"
    if "line" not in entry:
        return str(entry["message"])
    if entry["line_rows"] == entry["failures"]:
        return str(entry["line"])
    return f"{entry['message']} (in {entry['line_rows']:,}: “{clip(entry['line'], LONGEST_LINE)}”)"


def _counts(entry: Mapping[str, Any], at: tuple[str | int, ...]) -> list[Any]:
    inside = [f" ({many:,})" for many in entry["inside"]] or [""] * len(entry["runs"])
    return [fact(f"{many:,}{inside[number]}", many, *at, "runs", number) for number, many in enumerate(entry["runs"])]


def _left_out(many: int, entry: str, several: str) -> str:
    return f"; {count(many, f'rarer {entry}', f'rarer {several}')} left out" if many else ""


def _same_everywhere(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Messages that come back in the same tasks whoever is judged: the check or its surroundings say them."""
    if answer["independent_runs"] < 2:
        return
    facts: dict[str, Fact | str] = {}
    parts = []
    for place, entry in enumerate(answer["messages"]):
        if entry["in_all_runs"] == entry["of_tasks"]:
            tasks = fact(count(entry["of_tasks"], "task"), entry["of_tasks"], *_AT, "messages", place, "of_tasks")
            first = task_list(entry["tasks"])
            facts |= {f"message{place}": entry["message"], f"tasks{place}": tasks, f"first{place}": first}
            parts.append(f"“{{message{place}}}” ({{tasks{place}}}, first {{first{place}}})")
    if parts:
        yield say(
            "The same tasks of every run fail with "
            + "; ".join(parts)
            + ": look at the check and what it needs before blaming a model.",
            **facts,
        )


_AT = ("investigation", "verifier_classes")
