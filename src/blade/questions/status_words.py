"""What do the words mean with which the harness or the verifier names the end of an attempt?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from statistics import median
from typing import Any

from blade.counting.durations import durations
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Paragraph, Sentence, Table, say
from blade.extract.names import words
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.questions import task_list
from blade.wording import amount, count, fact, listed, percent

TITLE = "What the status words mean"
ORDER = 77
WEIGHT = 1.3
MOST_FIELDS = 2
MOST_VALUES = 10
MOST_WORDS = 12
LEAST_SHARE = 0.5
FEWEST = 5
FEWEST_PASSES = 3
EXCEPTIONS = 0.05
"""Two values are told apart by a duration if no larger share of the rows lies on the wrong side."""
_NAME = late_regex(
    r"status|error|reason|mode|outcome|failure|state|finish|stop|end(?:ed|_source|ing)?$|class|verdict|result|exit|kind",
    re.IGNORECASE,
)
_NO_STATUS = late_regex(
    r"answer|pred|choice|option|language|model|agent|name|path|id$|version|commit|benchmark", re.IGNORECASE
)
_TROUBLE = late_regex(
    r"error|time_?-?\s?out|fail|exceed|limit|abort|invalid|max|cut|kill|crash|incomplete", re.IGNORECASE
)
_CLOCK = late_regex(r"time_?-?\s?out|timed|time_?limit", re.IGNORECASE)
AGENT = "agent"
NOT_STARTED = "not_started"
SHORTEST = 5
"""Seconds that say that something was done before the agent started."""
_START = ("before_start",)
_WORD = late_regex(r"[A-Za-z][A-Za-z0-9_ .:-]{1,59}")


@frozen
class TimedRow:
    """A counted rollout with the fields of its row and the seconds that its parts took."""

    case: Case
    fields: Mapping[str, Any]
    seconds: Mapping[str, float]

    @property
    def judged(self) -> bool:
        return self.case.evaluable and self.case.stage_lost is None


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per status field: its values with rows, passes and rows without a verdict in every run; what misleads in them."""
    rows = {run.run.name: _rows(run) for run in runs}
    fields = [_field(name, rows) for name in _status_fields(rows)[:MOST_FIELDS]]
    return {"runs": list(rows), "fields": fields} if fields else None


def _rows(run: RunCases) -> list[TimedRow]:
    told = run.fields()
    return [TimedRow(case, fields, durations(fields)) for case, fields in zip(run.cases, told, strict=True)]


@lru_cache(maxsize=4096)
def _may_be_status(name: str) -> bool:
    return _NAME.search(name) is not None and _NO_STATUS.search(name) is None


def _status_fields(rows: Mapping[str, Sequence[TimedRow]]) -> list[str]:
    """Fields of a few words that differ between attempts at one task: those that split the most rows first."""
    every = [row for some in rows.values() for row in some]
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    by_task: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    by_run: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in every:
        for name, value in row.fields.items():
            if isinstance(value, str) and _may_be_status(name):
                values[name][value] += 1
                by_task[name][row.case.key].add(value)
                by_run[name][row.case.run].add(value)
    good = [
        name
        for name, counts in values.items()
        if 1 < len(counts) <= MOST_WORDS
        and counts.total() >= LEAST_SHARE * len(every)
        and all(_WORD.fullmatch(value) for value in counts)
        and any(len(some) > 1 for some in by_task[name].values())
        and any(len(some) > 1 for some in by_run[name].values())
    ]
    return sorted(good, key=lambda name: (-(values[name].total() - max(values[name].values())), name))


def _field(name: str, rows: Mapping[str, Sequence[TimedRow]]) -> dict[str, Any]:
    common = Counter(value for some in rows.values() for row in some if isinstance(value := row.fields.get(name), str))
    shown = [value for value, _ in common.most_common(MOST_VALUES)]
    runs = [
        {"run": run, "values": {value: _counts(_with(some, name, value)) for value in shown}}
        for run, some in rows.items()
    ]
    return {
        "field": name,
        "values": shown,
        "runs": runs,
        "strict": list(_strict(rows, name, common)),
        "labels": [entry for run, some in rows.items() for entry in _labels(run, some, name, common)],
        "alike": [entry for run, some in rows.items() for entry in _alike(run, some, name, common)],
    }


def _with(rows: Sequence[TimedRow], name: str, value: str) -> list[TimedRow]:
    return [row for row in rows if row.fields.get(name) == value]


def _counts(rows: Sequence[TimedRow]) -> dict[str, int]:
    return {
        "rows": len(rows),
        "passes": sum(bool(row.case.passed) for row in rows),
        "not_judged": sum(not row.judged for row in rows),
    }


def _labels(run: str, rows: Sequence[TimedRow], name: str, common: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Values that speak of trouble and stand on passes."""
    for value in common:
        here = _with(rows, name, value)
        passed = [row for row in here if row.case.passed]
        if not _TROUBLE.search(value) or len(passed) < FEWEST_PASSES:
            continue
        acting = [seen for row in here if (seen := row.case.observed).get("calls") or seen.get("submitted")]
        others = [row for row in rows if row.fields.get(name) != value and row.judged]
        yield {
            "run": run,
            "value": value,
            "rows": len(here),
            "passes": len(passed),
            "acting": len(acting),
            "submitted": sum(bool(seen.get("submitted")) for seen in acting),
            "others": len(others),
            "other_passes": sum(bool(row.case.passed) for row in others),
            "tasks": sorted({row.case.label for row in passed}),
            "before_start": _before_start(rows) if _CLOCK.search(value) else None,
        }


def _strict(rows: Mapping[str, Sequence[TimedRow]], name: str, common: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Values that speak of trouble and stand on passes: what every run passes if these do not count."""
    for value in common:
        labelled = {run: sum(bool(row.case.passed) for row in _with(some, name, value)) for run, some in rows.items()}
        if not _TROUBLE.search(value) or max(labelled.values()) < FEWEST_PASSES:
            continue
        runs = []
        for run, some in rows.items():
            passes = sum(bool(row.case.passed) for row in some)
            runs.append({"run": run, "rows": len(some), "passes": passes, "strict": passes - labelled[run]})
        yield {"value": value, "passes": sum(labelled.values()), "runs": runs}


def _before_start(rows: Sequence[TimedRow]) -> dict[str, Any] | None:
    """What rollouts whose agent never started were charged for the agent: all of it is set-up."""
    never = [row for row in rows if row.case.stage_lost == NOT_STARTED]
    spent: defaultdict[str, list[float]] = defaultdict(list)
    for row in never:
        for part, seconds in row.seconds.items():
            if AGENT in words(part.rsplit(".", 1)[-1]):
                spent[part].append(seconds)
    if not spent:
        return None
    part = max(sorted(spent), key=lambda name: len(spent[name]))
    if len(spent[part]) < FEWEST or median(spent[part]) < SHORTEST:
        return None
    return {"part": part, "rows": len(spent[part]), "median": round(median(spent[part]))}


def _alike(run: str, rows: Sequence[TimedRow], name: str, common: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Two values without any pass, most of their rows without a verdict, which only a duration tells apart."""
    groups = {value: _with(rows, name, value) for value in common}
    void = {value: some for value, some in groups.items() if _void(some)}
    for first, other in combinations(void, 2):
        for part in sorted({part for row in (*void[first], *void[other]) for part in row.seconds}):
            split = _split(run, part, (first, void[first]), (other, void[other]))
            if split is not None:
                yield split
                break


def _void(rows: Sequence[TimedRow]) -> bool:
    """Rows enough, none of which passes, most of them without a verdict."""
    unjudged = sum(not row.judged for row in rows)
    return len(rows) >= FEWEST and 2 * unjudged > len(rows) and not any(row.case.passed for row in rows)


def _split(
    run: str, part: str, first: tuple[str, list[TimedRow]], other: tuple[str, list[TimedRow]]
) -> dict[str, Any] | None:
    """The values in order of their durations, and how few rows lie on the wrong side of the border between them."""
    sides = [
        (value, sorted(row.seconds[part] for row in rows if part in row.seconds)) for value, rows in (first, other)
    ]
    (low, short), (high, long) = sorted(sides, key=lambda side: median(side[1]) if side[1] else 0.0)
    if min(len(short), len(long)) < FEWEST:
        return None
    wrong, border = min((sum(s > at for s in short) + sum(s <= at for s in long), at) for at in (*short, *long))
    if wrong > EXCEPTIONS * (len(short) + len(long)):
        return None
    right = [seconds for seconds in long if seconds > border]
    return {
        "run": run,
        "values": [low, high],
        "rows": [len(short), len(long)],
        "all_unjudged": not any(row.judged for _, rows in (first, other) for row in rows),
        "part": part,
        "at_most": round(max(seconds for seconds in short if seconds <= border)),
        "at_least": round(min(right)) if right else round(border),
        "exceptions": wrong,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, field in enumerate(answer["fields"]):
        blocks.append(_table(place, field))
        sentences = [_strictly(place, at, entry) for at, entry in enumerate(field["strict"])]
        sentences += [said for at, entry in enumerate(field["labels"]) for said in _label(place, at, entry)]
        sentences += [_same_event(entry) for entry in field["alike"]]
        if sentences:
            blocks.append(Paragraph(tuple(sentences)))
    return blocks


def _table(place: int, field: Mapping[str, Any]) -> Table:
    runs = list(enumerate(field["runs"]))
    rows = [
        (value, *(_cell((*_at(place), "runs", at, "values", value), run["values"][value]) for at, run in runs))
        for value in field["values"]
    ]
    return Table(
        (field["field"], *(f">{run['run']}" for run in field["runs"])),
        tuple(rows),
        "Rows: passes, failures, and rows that did not run or were not judged",
    )


def _cell(path: tuple[str | int, ...], counts: Mapping[str, int]) -> Any:
    if not counts["rows"]:
        return "none"
    failed = counts["rows"] - counts["passes"] - counts["not_judged"]
    parts = [f"{counts['passes']:,} pass" if counts["passes"] == 1 else f"{counts['passes']:,} passes"]
    parts += [count(failed, "failure")] if failed > 0 else []
    parts += [f"{counts['not_judged']:,} not judged"] if counts["not_judged"] else []
    return fact(f"{counts['rows']:,} ({', '.join(parts)})", counts["rows"], *path, "rows")


def _strictly(place: int, at: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_at(place), "strict", at)
    runs = [run for run in entry["runs"] if run["rows"]]
    scores = [
        f"{run['run']} {run['strict']:,} of {run['rows']:,} ({percent(run['strict'] / run['rows'])})" for run in runs
    ]
    before, after = (_order(runs, key) for key in ("passes", "strict"))
    order = (
        ""
        if len(runs) < 2
        else "; the order of the runs stays"
        if before == after
        else "; the order of the runs changes"
    )
    return say(
        "{passes} are labelled “{value}”; counted as failures, they leave {scores} of all rows{order}.",
        passes=fact(count(entry["passes"], "pass", "passes"), entry["passes"], *path, "passes"),
        value=entry["value"],
        scores=listed(scores),
        order=order,
    )


def _order(runs: Sequence[Mapping[str, Any]], key: str) -> list[str]:
    return [run["run"] for run in sorted(runs, key=lambda run: (-run[key] / run["rows"], run["run"]))]


def _label(place: int, at: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_at(place), "labels", at)
    submitted = ""
    if entry["submitted"]:
        submitted = "; {submitted} of the {acting} that show what they did had already handed in their work"
    yield say(
        "In {run} “{value}” is a label, not by itself a cause: {passes} of its {rows} pass (others that were judged: "
        "{other_passes} of {others})" + submitted + " (passes in {tasks}).",
        run=entry["run"],
        value=entry["value"],
        passes=amount(entry["passes"], *path, "passes"),
        rows=fact(count(entry["rows"], "row"), entry["rows"], *path, "rows"),
        other_passes=amount(entry["other_passes"], *path, "other_passes"),
        others=amount(entry["others"], *path, "others"),
        submitted=amount(entry["submitted"], *path, "submitted"),
        acting=amount(entry["acting"], *path, "acting"),
        tasks=task_list(entry["tasks"], 8),
    )
    if entry["before_start"]:
        yield say(
            "The agent's clock includes its installation and set-up: {rows} whose agent never started took a median "
            "of {median} s of it ({part}).",
            rows=fact(
                count(entry["before_start"]["rows"], "rollout"), entry["before_start"]["rows"], *path, *_START, "rows"
            ),
            median=fact(
                f"{entry['before_start']['median']:,}", entry["before_start"]["median"], *path, *_START, "median"
            ),
            part=entry["before_start"]["part"],
        )


def _same_event(entry: Mapping[str, Any]) -> Sentence:
    low, high = entry["values"]
    but = f" ({count(entry['exceptions'], 'exception')})" if entry["exceptions"] else ""
    return say(
        "In {run} “{low}” ({low_rows}) and “{high}” ({high_rows}) look like one event under two names: no row of "
        "either passes, {judged}, and it depends on a duration ({part}) which of them stands there: at "
        "most {most} s for “{low}”, at least {least} s for “{high}”" + but + ".",
        run=entry["run"],
        low=low,
        high=high,
        low_rows=count(entry["rows"][0], "row"),
        judged="none was judged" if entry["all_unjudged"] else "most were not judged",
        high_rows=count(entry["rows"][1], "row"),
        part=entry["part"],
        most=f"{entry['at_most']:,}",
        least=f"{entry['at_least']:,}",
    )


def _at(place: int) -> tuple[str | int, ...]:
    return ("investigation", "status_words", "fields", place)
