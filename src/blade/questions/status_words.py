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
from blade.counting.row_settings import limit_settings
from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, Table, say
from blade.extract.names import words
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.questions import SURE, common_part, in_order, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
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
    r"status|error|reason|mode|outcome|failure|state|finish|stop|end(?:ed|ing)?(?:_by|_source)?$|class|verdict|result|exit|kind",
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
FEWEST_ENDED, FEWEST_OTHERS = 3, 10
SELDOM, OFTENER = 0.2, 2
"""A word of one run is told where so few of its rollouts pass, and the others at least so many times as often."""
VERDICT, MOSTLY = 0.95, 0.8
LIKELY = 0.6
MOST_OWN, MOST_LIMITS = 3, 3
SPOKEN = "message"
_ENDS = late_regex(r"end|stop|finish|exit", re.IGNORECASE)
_START = ("before_start",)
_WORD = late_regex(r"[A-Za-z][A-Za-z0-9_ .:-]{1,59}")


@frozen
class TimedRow:
    """A counted rollout with the fields of its row and the seconds that its parts took."""

    case: Case
    fields: Mapping[str, Any]
    seconds: Mapping[str, float]
    last: str | None
    """What its record ends on."""
    at_limit: bool
    """Whether it reached a limit that is stated, or at which rollouts heap."""

    @property
    def judged(self) -> bool:
        return self.case.evaluable and self.case.stage_lost is None


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per status field: its values with rows, passes and rows without a verdict in every run; what misleads in them."""
    rows = {run.run.name: _rows(run) for run in runs}
    names = _status_fields(rows)[:MOST_FIELDS]
    fields = [_field(name, rows) | {"own": []} for name in names]
    for place, entry in _own_words(names, runs, rows):
        fields[place]["own"].append(entry)
    return {"runs": list(rows), "fields": fields} if fields else None


def _rows(run: RunCases) -> list[TimedRow]:
    endings, is_counted = run.run.graded["ends_on"].to_list(), run.run.facts["counted"].to_list()
    limited = [at_limit for at_limit, counts in zip(run.run.cut_rows(), is_counted, strict=True) if counts]
    rows = zip(run.cases, run.fields(), endings, limited, strict=True)
    return [TimedRow(case, fields, durations(fields), ending, at_limit) for case, fields, ending, at_limit in rows]


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


def _own_words(
    names: Sequence[str], runs: Sequence[RunCases], rows: Mapping[str, Sequence[TimedRow]]
) -> list[tuple[int, dict[str, Any]]]:
    """Words that some run never has and that stand on rollouts of another which hardly pass, each with its field.

    Told is what differs beyond chance, task by task, or stands where rollouts reach a limit that is smaller there.
    """
    judged_rows = {run: [row for row in run_rows if row.judged] for run, run_rows in rows.items()}
    limits = {
        run.run.name: limit_settings(run.run.columns, run.run.facts.height, run.run.facts["sampling"].to_list())
        for run in (runs if len(runs) > 1 else ())
    }
    candidates: list[tuple[int, dict[str, Any], float]] = []
    for place, name in enumerate(names):
        values = {row.fields.get(name) for run_rows in judged_rows.values() for row in run_rows}
        if _is_verdict([row for run_rows in judged_rows.values() for row in run_rows], name):
            continue
        for value in sorted(value for value in values if isinstance(value, str)):
            without = [run for run, run_rows in rows.items() if not _with(run_rows, name, value) and judged_rows[run]]
            for run in runs if without else ():
                judged_here = judged_rows[run.run.name]
                ended = _with(judged_here, name, value)
                if _hardly_passes(ended, [row for row in judged_here if row.fields.get(name) != value]):
                    other_rows = [row for run_without in without for row in judged_rows[run_without]]
                    entry = _own_word(run, value, ended, judged_here, _smaller(limits, run.run.name, without))
                    candidates.append((place, entry, _of_the_run(ended, judged_here, other_rows)))
    adjusted = benjamini_hochberg([p for *_, p in candidates])
    entries = [
        (place, entry | {"p": significant(p, WRITTEN)})
        for (place, entry, _), p in zip(candidates, adjusted, strict=True)
        if p <= SURE or (entry["limits"] and entry["at_limit"] >= MOSTLY * entry["rollouts"])
    ]
    return sorted(entries, key=lambda item: -item[1]["rollouts"])[:MOST_OWN]


def _is_verdict(rows: Sequence[TimedRow], name: str) -> bool:
    """Whether one value stands on nearly all passes and on hardly any failure."""
    passes = Counter(row.fields.get(name) for row in rows if row.case.passed)
    failures = Counter(row.fields.get(name) for row in rows if not row.case.passed)
    return any(
        times >= VERDICT * passes.total() and failures[value] <= (1 - VERDICT) * failures.total()
        for value, times in passes.items()
    )


def _hardly_passes(ended: Sequence[TimedRow], other_rows: Sequence[TimedRow]) -> bool:
    if len(ended) < FEWEST_ENDED or len(other_rows) < FEWEST_OTHERS:
        return False
    passes, other_passes = (sum(bool(row.case.passed) for row in side) for side in (ended, other_rows))
    return passes <= SELDOM * len(ended) and other_passes * len(ended) > OFTENER * passes * len(other_rows)


def _of_the_run(ended: Sequence[TimedRow], run_rows: Sequence[TimedRow], other_rows: Sequence[TimedRow]) -> float:
    """The chance that the word falls on this run so often, task by task."""
    having = {id(row) for row in ended}
    tables: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in run_rows:
        tables[row.case.key][id(row) not in having] += 1
    for row in other_rows:
        tables[row.case.key][3] += 1
    p = exact_p([(with_word, without_word, 0, elsewhere) for with_word, without_word, _, elsewhere in tables.values()])
    return 1.0 if p is None else p


def _smaller(limits: Mapping[str, Mapping[str, float]], run: str, other_runs: Sequence[str]) -> list[dict[str, Any]]:
    """The limits that are smaller in a run than in each of the others that state them."""
    smaller = []
    for name, value in sorted(limits[run].items()):
        other_limits = [(other_run, limits[other_run][name]) for other_run in other_runs if name in limits[other_run]]
        if other_limits and all(value < number for _, number in other_limits):
            smaller.append(
                {"name": name, "value": value, "others": [[other_run, number] for other_run, number in other_limits]}
            )
    return smaller[:MOST_LIMITS]


def _own_word(
    run: RunCases,
    value: str,
    ended: Sequence[TimedRow],
    run_rows: Sequence[TimedRow],
    limits: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    passes = sum(bool(row.case.passed) for row in ended)
    usual = 2 * sum(row.last == SPOKEN for row in run_rows) > len(run_rows)
    return {
        "run": run.run.name,
        "value": value,
        "rollouts": len(ended),
        "passes": passes,
        "failures": len(ended) - passes,
        "others": len(run_rows) - len(ended),
        "other_passes": sum(bool(row.case.passed) for row in run_rows) - passes,
        "silent": sum(row.last != SPOKEN for row in ended) if usual else 0,
        "at_limit": sum(row.at_limit for row in ended),
        "part": common_part([run], [row.case.key for row in ended]),
        "limits": list(limits),
        "tasks": in_order(row.case.label for row in ended),
    }


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
        sentences = [
            words for at, entry in enumerate(field["own"]) for words in _own_sentences(place, at, entry, field)
        ]
        sentences += [_strictly(place, at, entry) for at, entry in enumerate(field["strict"])]
        sentences += [said for at, entry in enumerate(field["labels"]) for said in _label(place, at, entry)]
        sentences += [_same_event(entry) for entry in field["alike"]]
        if sentences:
            blocks.append(Paragraph(tuple(sentences)))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """A word for an end that goes with a smaller limit of one run."""
    for place, field in enumerate(answer["fields"]):
        for at, entry in enumerate(field["own"]):
            if entry["limits"]:
                parts = [
                    part for sentence in _own_sentences(place, at, entry, field) for part in (" ", *sentence.parts)
                ]
                yield Sentence(tuple(parts[1:]))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """One limit for all runs, before they are compared."""
    for place, field in enumerate(answer["fields"]):
        for at, entry in enumerate(field["own"]):
            failures = entry["failures"]
            if entry["limits"]:
                names = listed([limit["name"] for limit in entry["limits"]])
                yield Advice(
                    "harness",
                    f"Give {entry['run']} the {names} of the other runs, or compare the runs without the tasks that "
                    "reach it",
                    say(
                        "“{value}” {verb} {failures} of {run}, and {limits}.",
                        value=entry["value"],
                        verb=_verb(field),
                        failures=fact(count(failures, "failure"), failures, *_at(place), "own", at, "failures"),
                        run=entry["run"],
                        limits=_limits_told(entry),
                    ),
                    failures,
                    LIKELY,
                )


def _verb(field: Mapping[str, Any]) -> str:
    return "ends" if _ENDS.search(field["field"].rsplit(".", 1)[-1]) else "stands on"


def _limits_told(entry: Mapping[str, Any]) -> str:
    """Such as: max_tool_calls is 8 there and 16 in kestrel."""
    parts = []
    for limit in entry["limits"]:
        runs: defaultdict[float, list[str]] = defaultdict(list)
        for run, number in limit["others"]:
            runs[number].append(run)
        values = [f"{number:,.10g} in {listed(names)}" for number, names in sorted(runs.items())]
        parts.append(f"{limit['name']} is {limit['value']:,.10g} there and {listed(values)}")
    return listed(parts)


def _own_sentences(place: int, at: int, entry: Mapping[str, Any], field: Mapping[str, Any]) -> Iterator[Sentence]:
    """A word that another run never has: how many rollouts bear it, where they lie and what they lack."""
    path = (*_at(place), "own", at)
    rollouts, part = entry["rollouts"], entry["part"]
    none = "none of which passes" if not entry["passes"] else "{passes} of which " + _pass(entry["passes"])
    slice_words = ""
    if part and part["inside"] == part["of"]:
        slice_words = ", all of them where {field} is {level}"
    elif part:
        slice_words = ", at {inside} of {tasks} where {field} is {level}"
    yield say(
        "“{value}” {verb} {rollouts} of {run}, "
        + none
        + " (of its others {other_passes} of {others})"
        + slice_words
        + ".",
        value=entry["value"],
        verb=_verb(field),
        rollouts=fact(count(rollouts, "rollout"), rollouts, *path, "rollouts"),
        run=entry["run"],
        passes=amount(entry["passes"], *path, "passes"),
        other_passes=amount(entry["other_passes"], *path, "other_passes"),
        others=amount(entry["others"], *path, "others"),
        field=part["field"] if part else "",
        level=part["level"] if part else "",
        inside=amount(part["inside"], *path, "part", "inside") if part else "",
        tasks=fact(count(part["of"], "task"), part["of"], *path, "part", "of") if part else "",
    )
    if 2 * entry["silent"] > rollouts:
        yield say(
            "{silent} without a last message of the model.",
            silent=fact(
                "All of them end" if entry["silent"] == rollouts else f"{entry['silent']:,} of them end",
                entry["silent"],
                *path,
                "silent",
            ),
        )
    if entry["limits"]:
        limit_words = _limits_told(entry)
        yield say("{limits}.", limits=limit_words)


def _pass(passes: int) -> str:
    return "passes" if passes == 1 else "pass"


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
