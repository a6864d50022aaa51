"""Rows that the verifier never judged: its results are absent, its log stops on the way, or its time ran out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import orjson

from blade.counting.audit.time_limits import time_limits
from blade.counting.columns import Column
from blade.evidence import open_rows
from blade.extract.log_ends import says_something
from blade.extract.names import VERIFIER, words
from blade.extract.row_texts import row_texts
from blade.late_regex import late_regex
from blade.model import Source, Status
from blade.signatures import template

MOSTLY = 0.5
"""What so many rows of a run have, the others lack."""
NEARLY_ALL = 0.9
FEWEST_ROWS = 3
FEWEST_PASSES = 5
MOST_VERDICTS, MOST_WORDS = 6, 24
LEARNED = 40
"""So many rows that passed, and as many that failed, tell how a log goes on."""
Row = Mapping[str, Any]
Ends = Sequence[Mapping[str, str]]
"""Per row: field → the masked line at which its log stops."""


def without_checks(rows: Sequence[Row]) -> set[int]:
    """Rows without the verifier's checks where most rows have them, and every row that passed."""
    return _lacking(rows, {place for place, row in enumerate(rows) if row["checks"] is not None})


def cut_checks(rows: Sequence[Row]) -> set[int]:
    """Failed rows of which no check failed and some are absent that other attempts at the task have.

    Only where a check fails in nearly every other failure: then the verdict follows the checks, and these broke off.
    """
    checks = {place: orjson.loads(row["checks"]) for place, row in enumerate(rows) if row["checks"]}
    most: defaultdict[str, int] = defaultdict(int)
    for place, results in checks.items():
        most[rows[place]["task"]] = max(most[rows[place]["task"]], len(results))
    failures = {place for place in checks if rows[place]["passed"] is False}
    faultless = {place for place in failures if all(checks[place].values())}
    cut = {place for place in faultless if len(checks[place]) < most[rows[place]["task"]]}
    several = len(cut) >= FEWEST_ROWS and len({rows[place]["task"] for place in cut}) >= FEWEST_ROWS
    follows = len(failures - faultless) >= NEARLY_ALL * len(failures - cut)
    return cut if several and follows else set()


def without_fields(rows: Sequence[Row], columns: Iterable[Column]) -> set[int]:
    """Rows that lack a whole group of fields which most rows have, and every row that passed."""
    groups: defaultdict[str, set[int]] = defaultdict(set)
    for column in columns:
        parent = column.name.rpartition(".")[0]
        if parent:
            present_codes = {code for code, value in enumerate(column.values) if value is not None}
            pairs = zip(column.rows.tolist(), column.codes.tolist(), strict=True)
            groups[parent] |= {row for row, code in pairs if code in present_codes}
    return set[int]().union(*(_lacking(rows, present) for present in groups.values()))


def blank_records(rows: Sequence[Row], lacking: set[int], columns: Iterable[Column]) -> set[int]:
    """Rows without checks for which the verifier wrote nothing, though it does in nearly all others.

    An answer was read out of what they handed in, so that there was something to judge. What names the verifier alone,
    the same on all rows, is no word of it.
    """
    unheard: set[int] = set()
    candidates = {place for place in lacking if rows[place]["answer_state"] == "given"}
    if len(candidates) < FEWEST_ROWS:
        return unheard
    judged_rows = set(range(len(rows))) - lacking
    check_names = {name for row in rows if (checks := row.get("checks")) for name in orjson.loads(checks)}
    written: defaultdict[str, list[set[int]]] = defaultdict(list)
    for column in columns:
        holder = column.name.rpartition(".")[0]
        filled = {code for code, value in enumerate(column.values) if value not in (None, "")}
        if not holder or column.name.rpartition(".")[2] in check_names:
            continue
        if len(filled) > 1 and all(isinstance(column.values[code], str) for code in filled):
            pairs = zip(column.rows.tolist(), column.codes.tolist(), strict=True)
            having = {row for row, code in pairs if code in filled}
            if len(having & judged_rows) >= NEARLY_ALL * len(judged_rows):
                written[holder].append(having)
    for texts in written.values():
        blank = candidates - set[int]().union(*texts)
        if len(blank) >= FEWEST_ROWS:
            unheard |= blank
    return unheard


def without_record(passed: Sequence[bool], columns: Iterable[Column]) -> set[int]:
    """Rows in which a record of the verifier is empty that every pass and most of the failures have.

    One pass or two do not tell what every pass has: tasks may be judged by different checks.
    """
    all_columns = list(columns)
    verifier_columns = [
        column for column in all_columns if any(VERIFIER & {*words(part)} for part in column.name.split(".")[:-1])
    ]
    lacking = without_fields([{"passed": row_passed} for row_passed in passed], verifier_columns)
    failures = len(passed) - sum(passed)
    is_telling = sum(passed) >= FEWEST_ROWS and len(lacking) <= (1 - MOSTLY) * failures
    return (lacking if is_telling else set()) | _null_records(passed, all_columns)


def _null_records(passed: Sequence[bool], columns: Sequence[Column]) -> set[int]:
    """Rows that say themselves that a record of the verifier is null, which is filled in every row that passed.

    One that is null in every failure says that they failed: some verifiers stop at the first fault.
    """
    passes = {place for place, row_passed in enumerate(passed) if row_passed}
    filled: defaultdict[str, set[int]] = defaultdict(set)
    null: dict[str, set[int]] = {}
    for column in columns:
        parts = column.name.split(".")
        if not any(VERIFIER & {*words(part)} for part in parts):
            continue
        absent = np.array([value is None for value in column.values])[column.codes]
        filled[column.name] |= set(column.rows[~absent].tolist())
        null[column.name] = set(column.rows[absent].tolist())
        for deep in range(1, len(parts)):
            filled[".".join(parts[:deep])] |= set(column.rows.tolist())
    null_names = (name for name in null if VERIFIER & {*words(name)} and passes and filled[name] > passes)
    return set[int]().union(*(null[name] - filled[name] for name in null_names))


def null_verdicts(rows: Sequence[Row], columns: Sequence[Column]) -> set[int]:
    """Failed rows whose verdict is null while a text beside it says the same in all of them, and in no other row.

    A field is the verdict where it has few values, each of them of passes alone or of failures alone.
    """
    passed = [bool(row["passed"]) for row in rows]
    unjudged: set[int] = set()
    for column in columns:
        holder = column.name.rpartition(".")[0]
        if not holder or all(value is not None for value in column.values):
            continue
        codes = dict(zip(column.rows.tolist(), column.codes.tolist(), strict=True))
        null = {row for row, code in codes.items() if column.values[code] is None}
        if len(null) < FEWEST_ROWS or any(passed[row] for row in null) or len(codes) < len(passed):
            continue
        outcomes: defaultdict[int, set[bool]] = defaultdict(set)
        for row, code in codes.items():
            if row not in null:
                outcomes[code].add(passed[row])
        settled = len(outcomes) <= MOST_VERDICTS and all(len(results) == 1 for results in outcomes.values())
        if settled and len({*map(frozenset, outcomes.values())}) > 1:
            siblings = (text for text in columns if text.name.rpartition(".")[0] == holder and text is not column)
            if any(_says_one_thing(text, null) for text in siblings):
                unjudged |= null
    return unjudged


_REACHED = frozenset("reached judged graded evaluated verified ran executed".split())
_SAYS_NOT_JUDGED = late_regex(
    r"(?:not|never|un)[ _-]?(?:run|judged|graded|scored|evaluated|checked|verified|executed)|"
    r"no[ _-](?:verdict|grade|judgement|judgment)|"
    r"(?:grader|grading|verifier|verification|judge|judging|scorer|scoring|checker|evaluator|evaluation|runner|harness|"
    r"infra(?:structure)?|sandbox)[ _-](?:error|exception|crash(?:ed)?|failure|failed|timeout|unavailable|down)",
    re.IGNORECASE,
)


def said_unjudged(rows: Sequence[Row], columns: Sequence[Column]) -> set[int]:
    """Failed rows of which a word of the verdict says that nothing judged them, if no pass has that word.

    The field has a few words, and passes have others of them.
    """
    passed = [bool(row["passed"]) for row in rows]
    unjudged: set[int] = set()
    for column in columns:
        said = {
            code
            for code, value in enumerate(column.values)
            if isinstance(value, str) and _SAYS_NOT_JUDGED.fullmatch(value.strip())
        }
        if not said or len(column.values) > MOST_WORDS:
            continue
        codes = list(zip(column.rows.tolist(), column.codes.tolist(), strict=True))
        of_passes = {code for row, code in codes if passed[row]}
        if of_passes and said.isdisjoint(of_passes):
            unjudged |= {row for row, code in codes if code in said}
    return unjudged


def flagged_unjudged(rows: Sequence[Row], columns: Sequence[Column]) -> set[int]:
    """Failed rows whose own flag says that no verdict was reached, where it is set in every pass and most failures."""
    passes = {place for place, row in enumerate(rows) if row["passed"]}
    unjudged: set[int] = set()
    for column in columns:
        if {*column.values} - {True, False, None} or _REACHED.isdisjoint(words(column.name)[-1:]):
            continue
        codes = list(zip(column.rows.tolist(), column.codes.tolist(), strict=True))
        unset = {row for row, code in codes if column.values[code] is False}
        has_flag = {row for row, code in codes if column.values[code] is True}
        if passes <= has_flag and 0 < len(unset) <= (1 - MOSTLY) * (len(rows) - len(passes)):
            unjudged |= unset
    return unjudged


def _says_one_thing(column: Column, rows: set[int]) -> bool:
    """Whether a text has one template in some rows, and another in all others."""
    inside: set[str] = set()
    outside: set[str] = set()
    templates = {code: template(value) for code, value in enumerate(column.values) if isinstance(value, str)}
    for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
        if code in templates:
            (inside if row in rows else outside).add(templates[code])
    return len(inside) == 1 and len(outside) > 1 and inside.isdisjoint(outside)


def _lacking(rows: Sequence[Row], present: set[int]) -> set[int]:
    """The other rows, where most are there and every row with points: what a judged row may lack tells nothing."""
    absent = set(range(len(rows))) - present
    judged_so = (rows[place]["passed"] or (rows[place].get("reward") or 0) > 0 for place in absent)
    is_telling = len(present) >= MOSTLY * len(rows) and not any(judged_so)
    return absent if is_telling else set()


def troubled(rows: Sequence[Row], lacking: Iterable[int]) -> set[int]:
    """Rows without results that tell of trouble, other than an answer that nobody could extract."""
    return {
        place for place in lacking if rows[place]["state"] != Status.OK.value and rows[place]["answer_state"] != "null"
    }


def out_of_time(rows: Sequence[Row], lacking: set[int], columns: Iterable[Column]) -> set[int]:
    """Rows without results whose time, by some field, ends at a limit at which no row passed."""
    passed = [bool(row["passed"]) for row in rows]
    limits = time_limits(columns, [row["task"] for row in rows], passed)
    starved_rows: set[int] = set()
    for limit in limits:
        starved = limit.places & lacking
        if len(starved) >= FEWEST_ROWS and not any(passed[place] for place in limit.places):
            starved_rows |= starved
    return starved_rows


def endings(ends: Sequence[Sequence[str] | None], columns: Iterable[Column]) -> list[dict[str, str]]:
    """Where the logs of each row stop. A log that is one line long stands among the row's short fields."""
    log_ends = [dict(entry.rpartition("\n")[::2] for entry in texts or ()) for texts in ends]
    logs = Counter(name for logs in log_ends for name in logs)
    common_logs = {name for name, rows_with in logs.items() if rows_with >= MOSTLY * len(log_ends)}
    for column in columns:
        if column.name not in common_logs:
            continue
        masked = {code: template(value) for code, value in enumerate(column.values) if isinstance(value, str)}
        for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
            if code in masked:
                log_ends[row].setdefault(column.name, masked[code])
    return [{name: line for name, line in logs.items() if name in common_logs} for logs in log_ends]


def stops_on_the_way(rows: Sequence[Row], ends: Ends, failed: Iterable[int], sources: Mapping[int, Source]) -> set[int]:
    """Failed rows whose log stops at a line after which every other log goes on, and always in the same way.

    Such a line stands in nearly every log of a row that passed and ends none of them. What comes after it is the same
    whatever the verdict: so nothing had been judged yet. A log that stops at words of its own may be the model's doing.
    """
    passes = [place for place, row in enumerate(rows) if row["passed"]]
    of_passes = {(name, line) for place in passes for name, line in ends[place].items()}
    odd = [place for place in failed if any(entry not in of_passes for entry in ends[place].items())]
    if len(odd) < FEWEST_ROWS or len(passes) < FEWEST_PASSES:
        return set()
    odd_places = frozenset(odd)
    other_failures = [place for place in failed if place not in odd_places] or odd
    on_the_way = {
        (name, line)
        for name in {name for place in odd for name in ends[place]}
        for line in _passed_through(name, _spread(passes, sources), _spread(other_failures, sources))
    } - of_passes
    stopped = {place for place in odd if any(entry in on_the_way for entry in ends[place].items())}
    return stopped if len(stopped) >= FEWEST_ROWS else set()


def _passed_through(name: str, passes: Iterable[Source], other_rows: Iterable[Source]) -> set[str]:
    """The lines of a log that nearly every row that passed has, each of them followed by one and the same line."""
    line_counts: Counter[str] = Counter()
    after: defaultdict[str, Counter[str]] = defaultdict(Counter)
    logs = 0
    for of_passes, sources in ((True, passes), (False, other_rows)):
        for _, row in open_rows(sources):
            lines = _log_lines(row, name)
            logs += of_passes and bool(lines)
            line_counts.update(set(lines) if of_passes else ())
            for line, following in pairwise(lines):
                after[line][following] += 1
    if logs < FEWEST_PASSES:
        return set()
    return {
        line
        for line, rows_with in line_counts.items()
        if rows_with >= NEARLY_ALL * logs
        and after[line]
        and max(after[line].values()) >= NEARLY_ALL * after[line].total()
    }


def _log_lines(row: dict[str, Any], name: str) -> list[str]:
    texts = [row_text.text for row_text in row_texts(row) if row_text.name == name]
    lines = (line.strip() for text in texts for line in text.split("\n"))
    return [template(line) for line in lines if says_something(line)]


def _spread(places: Sequence[int], sources: Mapping[int, Source]) -> list[Source]:
    step = max(1, -(-len(places) // LEARNED))
    return [sources[place] for place in places[::step]]
