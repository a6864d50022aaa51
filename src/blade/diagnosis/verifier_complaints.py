"""What the verifiers of some tasks complain of: lines that all logs share, errors by class, faults of the test itself.

Logs of rollouts that passed, and of other tasks, tell what is mere chatter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from blade.diagnosis.faulty_tests import Defect, row_defects
from blade.evidence import open_rows, quote_at
from blade.extract.log_ends import begins_patch
from blade.extract.row_texts import row_texts
from blade.extract.task_text import instruction
from blade.extract.text import clip
from blade.extract.tracebacks import printed
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Source
from blade.signatures import agreed, common_words, template

MOST_OPENED = 20
MOST_OTHERS = 60
MOST_LINES = 2
FEWEST_ROWS = 2
FEWEST_LOGS = 3
"""A fault of the test stands in all logs of its task, and in so many at least."""
NEARLY_ALL = 0.9
ELSEWHERE = 0.1
LONGEST = 160
LONGEST_READ = 400
SHORTEST = 12
_COMPLAINT = late_regex(
    r"\b(?:[A-Z]\w*)?(?:Error|Exception)\b|\b[1-9]\d* errors?\b|"
    r"(?i:\bassert\w*\b|\bexpected\b|\bmismatch|not found|\bmissing\b|\bcannot\b)"
)
_ERROR = late_regex(r"\b[A-Z]\w*(?:Error|Exception): ")
"""An error by its class, with what it says."""
_NO_MESSAGE = late_regex(r"^[+\-#?]|:\d+: \w+$")
"""Parts of a difference, and places without a word on what happened there."""
_MARGIN = late_regex(r"(?:E\s|>\s)\s*")
"""What a test runner writes before the line that failed."""
_VALUE = r"(?:'[^'\n]*'|\"[^\"\n]*\"|[\w.+-]+)"
_HOLDS = late_regex(rf"\bassert \(?({_VALUE}) == \1$")
"""An assertion that is broken off behind a half that holds; the half that fails stands further down."""
_OTHER_HALF = late_regex(rf"\band (?P<half>(?P<got>{_VALUE}) == (?!(?P=got)(?:\W|$)){_VALUE})")
_FAILING, _BY_CLASS = 1, 2
"""The ranks of the code that failed, and of an error by its class."""
ASSERTED = late_regex(r"\bAssert\w*Error\b|^assert\b")
"""What a check says that ran and was not met."""
_OF_THE_TASK = ("metadata", "verifier_metadata", "task", "info")
"""Where rows keep what their task is made of."""
Lines = dict[str, list[dict[str, Any]]]
_Place = tuple[str, str, int, int]


@frozen
class Complaints:
    """Of each task, by its label."""

    shared: Lines
    """The lines that nearly all its logs hold, and hardly those of other tasks."""
    errors: Lines
    """All errors by their class, shared or not."""
    asserted: frozenset[str]
    """The tasks of which some log shows a check that ran and was not met."""
    defects: Mapping[str, Defect]
    """What all logs show to be wrong in the test itself."""


def complaints_of(tasks: Mapping[str, Sequence[Source]], passing: Sequence[Source]) -> Complaints:
    """What the logs of these tasks say; rows that passed are read for what is said there, too."""
    opened: dict[Source, str] = {}
    for label, sources in tasks.items():
        step = max(1, -(-len(sources) // MOST_OPENED))
        opened |= dict.fromkeys(sources[::step], label)
    passing_sources = list(passing[:: max(1, len(passing) // MOST_OTHERS)])[:MOST_OTHERS]
    rows: Counter[str] = Counter()
    lines: defaultdict[str, Counter[str]] = defaultdict(Counter)
    holders: defaultdict[str, set[str]] = defaultdict(set)
    exact: dict[tuple[str, str], dict[str, Any]] = {}
    asserted: set[str] = set()
    defects: defaultdict[str, Counter[Defect]] = defaultdict(Counter)
    read = [_read(opened.get(source), source, row) for source, row in open_rows([*opened, *passing_sources])]
    given_fields = _given_fields([log for log in read if log.task is not None])
    for log in read:
        label = log.task or log.source.file
        complaints: dict[str, _Place] = {}
        for name, place in log.complaints:
            if (log.task, place[1]) not in given_fields:
                complaints.setdefault(name, place)
        rows[label] += bool(complaints)
        defects[label].update(log.defects if complaints else ())
        if any(rank != _FAILING and ASSERTED.search(words) for words, _, _, rank in complaints.values()):
            asserted.add(label)
        for name, place in complaints.items():
            lines[label][name] += 1
            holders[name].add(label)
            place_shown = exact.setdefault((label, name), _evidence(log.source, *place))
            place_shown["words"] = agreed(place_shown.get("words", place[0]), place[0])
    tasks_allowed = max(ELSEWHERE * len(tasks), 1)
    shared = {}
    for label in sorted(tasks):
        enough = max(NEARLY_ALL * rows[label], FEWEST_ROWS)
        recurring = [
            (name, rows_saying)
            for name, rows_saying in lines[label].items()
            if rows_saying >= enough and len(holders[name]) <= tasks_allowed
        ]
        shared[label] = _best(recurring, label, rows[label], exact)
    errors = {label: _errors(lines[label], label, rows[label], exact) for label in tasks}
    proven = {
        label: task_defects for label in tasks if (task_defects := _proven(defects[label], rows[label])) is not None
    }
    return Complaints(shared, errors, frozenset(asserted), proven)


class _Read(NamedTuple):
    """What one row says; `task` is None of a row that is read for what others say, too."""

    task: str | None
    source: Source
    complaints: list[tuple[str, _Place]]
    defects: Sequence[Defect]
    beside: Mapping[str, int]
    """The texts beside the verdict: field → the hash of what stands there."""


def _read(task: str | None, source: Source, row: dict[str, Any]) -> _Read:
    task_texts = {text.name: hash(text.text) for text in row_texts({name: row.get(name) for name in _OF_THE_TASK})}
    return _Read(task, source, _complaints(row), [] if task is None else list(row_defects(row)), task_texts)


def _given_fields(rows: Sequence[_Read]) -> set[tuple[str | None, str]]:
    """The texts, by task and field, that stand beside the verdict and are the same in all rows: they came with it."""
    texts: defaultdict[tuple[str | None, str], list[int]] = defaultdict(list)
    row_counts = Counter(row.task for row in rows)
    for row in rows:
        for name, text in row.beside.items():
            texts[row.task, name].append(text)
    return {key for key, hashes in texts.items() if len(hashes) == row_counts[key[0]] > 1 and len({*hashes}) == 1}


def _proven(defects: Mapping[Defect, int], logs: int) -> Defect | None:
    """A fault that every log shows."""
    return min((defect for defect, rows in defects.items() if rows == logs >= FEWEST_LOGS), default=None)


def _errors(
    lines: Mapping[str, int], label: str, rows: int, exact: Mapping[tuple[str, str], Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The errors by their class that the texts of a task hold, the commonest first, shared by all or not."""
    by_class = [(name, rows_with) for name, rows_with in lines.items() if exact[label, name]["rank"] == _BY_CLASS]
    return [
        _complaint(exact[label, name], rows_with, rows)
        for name, rows_with in sorted(by_class, key=lambda entry: (-entry[1], entry[0]))
    ]


def _best(
    names: Sequence[tuple[str, int]], label: str, rows: int, exact: Mapping[tuple[str, str], Mapping[str, Any]]
) -> list[dict[str, Any]]:
    ranked = sorted(names, key=lambda entry: (exact[label, entry[0]]["rank"], -entry[1], len(entry[0]), entry[0]))
    distinct: list[tuple[str, int]] = []
    for name, rows_with in ranked:
        if len(distinct) < MOST_LINES and not any(earlier in name or name in earlier for earlier, _ in distinct):
            distinct.append((name, rows_with))
    return [_complaint(exact[label, name], rows_with, rows) for name, rows_with in distinct]


def _complaint(exact: Mapping[str, Any], rows_with: int, rows: int) -> dict[str, Any]:
    return {
        "line": clip(common_words([exact["words"]]), LONGEST),
        "rows": rows_with,
        "of": rows,
        "by_runner": exact["rank"] <= _BY_CLASS,
        "word_for_word": exact["words"] == exact["quote"],
        "evidence": {key: value for key, value in exact.items() if key not in {"rank", "words"}},
    }


def _complaints(row: dict[str, Any]) -> list[tuple[str, _Place]]:
    """Masked lines, each with the line as it stands, its field, where it begins there and its rank.

    A line that a test runner marks as the error comes first, then the code that failed, then an error by its class.
    """
    complaints: list[tuple[str, _Place]] = []
    task_text = instruction(row)
    for text in row_texts(row):
        if "\n" not in text.text or text.text in task_text or begins_patch(text.text):
            continue  # what the task says is no word of its verifier, nor is the work that was handed in
        start = text.start
        lines = printed(text.text, failing=True).split("\n")
        for at, raw in enumerate(lines):
            line = raw.strip()
            margin = _MARGIN.match(line)
            words = line[margin.end() :] if margin else line
            if margin and _HOLDS.search(words) and (half := _other_half(lines[at + 1 :])):
                below, begin, words = half
                complaints.append((template(words), (words, text.name, start + len(raw) + 1 + below + begin, 0)))
            elif SHORTEST <= len(words) <= LONGEST_READ and _COMPLAINT.search(words) and not _NO_MESSAGE.search(words):
                rank = (
                    (0 if margin.group()[0] == "E" else _FAILING)
                    if margin
                    else _BY_CLASS
                    if _ERROR.search(words)
                    else 3
                )
                complaints.append((template(words), (words, text.name, start + raw.index(words), rank)))
            start += len(raw) + 1
    return complaints


def _other_half(lines: Sequence[str]) -> tuple[int, int, str] | None:
    """The failing half of an assertion among the lines of its error: how far down, where in its line, its words."""
    below = 0
    for line in lines:
        if not line.lstrip().startswith("E"):
            return None
        if half := _OTHER_HALF.search(line):
            return below, half.start("half"), half["half"]
        below += len(line) + 1
    return None


def _evidence(source: Source, line: str, field_name: str, start: int, rank: int) -> dict[str, Any]:
    return {**quote_at(source, line, None, f"row.{field_name}", start), "rank": rank}


def errors_of(checks: Collection[str], errors: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The errors with which these failing checks are named."""
    return [line for line in errors if any(check.split(" - ")[0] in line["evidence"]["quote"] for check in checks)]


def plainest_lines(shared: list[dict[str, Any]], failing: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What to quote: the shared complaints, unless none of them is an error and the failing check says one."""
    return shared if any(line["by_runner"] for line in shared) or not failing else failing[:1]
