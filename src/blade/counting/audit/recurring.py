"""Lines that recur in rows of different tasks, whatever words they are made of.

A text that belongs to a task differs from task to task. What a harness writes when it fails is the same everywhere,
once numbers, names and paths are masked: it is known by recurring, not by its words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

import orjson

from blade.evidence import open_rows, quote_at
from blade.extract.log_ends import begins_patch, says_something
from blade.extract.row_texts import RowText, row_texts
from blade.extract.text import clip
from blade.extract.transcript import arguments_text, output_steps
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Source, Step, StepKind
from blade.signatures import agreed, common_words, template

MOST_LEARNED = 400
"""Recurring lines are learned from so many rows; more would teach no more."""
OTHER_TASKS = 2
"""A line recurs if rows of so many other tasks hold it."""
WHOLLY_SHARED = 0.5
"""A text of which so many lines recur holds nothing of its own task."""
OPENING = 3
"""Rows whose first so many lines are alike begin alike."""
SHORTEST = 8
LONGEST_TEXT = 60_000
LONGEST_OPENING = 2_000
LONGEST_LINE = 160
MOST_SHOWN = 4
MOST_HOLDERS = 8
SAME_ROWS = 0.8
TROUBLE = late_regex(
    r"error|fail|not found|cannot|can't|could not|couldn't|unable|refused|denied|no such|missing|no module|no match"
    r"|unreachable|timed? ?out|killed|aborted|exception",
    re.IGNORECASE,
)
"""Of lines that recur alike, people understand these first. Nothing is told from them."""
T = TypeVar("T")
_SUCCESS = late_regex(r"success", re.IGNORECASE)
Place = tuple[str, int | None, str, int]
"""A line as it stands, its item and its field, and where it begins there."""
Lines = dict[str, Place]
"""Masked line → its last place."""
_NOBODY: frozenset[str] = frozenset()


@frozen
class SharedLine:
    """A line without what differs from row to row, in how many rows and tasks it stands, and where one of them is."""

    line: str
    rows: int
    tasks: int
    evidence: Mapping[str, Any] = field(default_factory=dict)
    holders: tuple[str, ...] = ()
    """The tasks, where they are few."""
    places: frozenset[int] = frozenset()
    """The rows."""
    template: str = ""
    first_error: bool = False
    """An error of some verifier's log, and not the line at which it stops."""


def wholly_shared(
    sources: Mapping[int, Source], tasks: Mapping[int, str], acting: Mapping[int, Source], *, turns_counted: bool
) -> tuple[set[int], tuple[SharedLine, ...], SharedLine | None]:
    """The rows of which most lines recur in rows of other tasks, the lines that tell them best, and a claim of success.

    Words with which rows that acted end a message are the model's, however many tasks share them. So may be a single
    line with which a row ends, unless tokens are counted elsewhere and there are none here; and so may be an unfamiliar
    last line where most rows hold only what the harness also writes beside a model at work. A line that claims success
    in rows that never started is why nobody noticed.
    """
    silent = _Silent(_spread(sources), tasks, _spread(acting), turns_counted=turns_counted)
    if not silent.recur:
        return set(), (), None
    own_rows = {place for place, shares in silent.learned.items() if not silent.shares(place, *shares)}
    shared: set[int] = set()
    tally = _Tally(tasks)
    left = {place: source for place, source in sources.items() if place not in own_rows}
    for place, source, (lines, one_line) in opened_lines(left, _lines_and_ending):
        if place in silent.learned or silent.shares(place, tuple(lines), one_line):
            shared.add(place)
            tally.add(place, source, {name: lines[name] for name in silent.recurring(place, lines)})
    return shared, tally.shown(), tally.claim()


class _Silent:
    """The lines of silent rows, learned from some of them, each of which is opened once."""

    def __init__(
        self,
        sources: Mapping[int, Source],
        tasks: Mapping[int, str],
        acting: Mapping[int, Source],
        *,
        turns_counted: bool,
    ) -> None:
        self._tasks, self._acting, self._counted = tasks, acting, turns_counted
        self._holders: defaultdict[str, set[str]] = defaultdict(set)
        self.learned: dict[int, tuple[tuple[str, ...], bool]] = {}
        """The masked lines of each row, and whether it ends in a message of one line."""
        names: dict[str, str] = {}
        for place, _, (lines, one_line) in opened_lines(sources, _lines_and_ending):
            self.learned[place] = tuple(names.setdefault(name, name) for name in lines), one_line
            for name in lines:
                self._holders[name].add(tasks[place])

    @property
    def recur(self) -> bool:
        """Whether any line does."""
        return any(len(of_line) >= OTHER_TASKS for of_line in self._holders.values())

    def recurring(self, place: int, lines: Iterable[str]) -> list[str]:
        """Those lines of a row that rows of other tasks hold."""
        own_task = {self._tasks[place]}
        return [name for name in lines if len(self._holders.get(name, _NOBODY) - own_task) >= OTHER_TASKS]

    def shares(self, place: int, lines: Sequence[str], one_line: bool) -> bool:
        """Whether a row holds nothing of its own task, and nothing that the model may have said."""
        if not lines or len(self.recurring(place, lines)) < WHOLLY_SHARED * len(lines) or lines[-1] in self._spoken:
            return False
        return self._counted or not (one_line or (self._mostly_plain and lines[-1] not in self._familiar))

    @cached_property
    def _spoken(self) -> set[str]:
        """How rows end their messages in which the model acted: these are opened only where lines recur."""
        return set[str]().union(*(words for _, _, words in opened_lines(self._acting, _message_endings)))

    @cached_property
    def _familiar(self) -> set[str]:
        """All their lines."""
        return set[str]().union(*(lines for _, _, lines in opened_lines(self._acting, transcript_lines)))

    @cached_property
    def _mostly_plain(self) -> bool:
        """Whether most silent rows hold nothing but such lines."""
        plain = [bool(lines) and self._familiar.issuperset(lines) for lines, _ in self.learned.values()]
        return 2 * sum(plain) > len(plain)


def counted_in(
    lines: Sequence[SharedLine],
    further_rows: Mapping[int, Source],
    tasks: Mapping[int, str],
    lines_of: Callable[[dict[str, Any]], Lines] | None = None,
) -> tuple[SharedLine, ...]:
    """The same lines, counted in every one of further rows that holds them, whatever else it holds."""
    places = [set(line.places) for line in lines]
    words = [line.line for line in lines]
    for place, _, row_lines in opened_lines(further_rows, lines_of or transcript_lines) if lines else ():
        for number, line in enumerate(lines):
            if line.template in row_lines and place not in places[number]:
                places[number].add(place)
                words[number] = common_words([words[number], clip(row_lines[line.template][0], LONGEST_LINE)])
    counted_lines = (_in_rows(line, line_places, tasks) for line, line_places in zip(lines, places, strict=True))
    return tuple(replace(line, line=common_line) for line, common_line in zip(counted_lines, words, strict=True))


def _in_rows(line: SharedLine, places: Collection[int], tasks: Mapping[int, str]) -> SharedLine:
    tasks_held = sorted({tasks[place] for place in places})
    holders = tuple(tasks_held) if len(tasks_held) <= MOST_HOLDERS else ()
    return replace(line, rows=len(places), tasks=len(tasks_held), holders=holders, places=frozenset(places))


def opening_shared(sources: Mapping[int, Source], other_rows: Mapping[int, Source]) -> set[int]:
    """The rows that begin, line by line, as some of the others do."""
    openings = {opening for _, _, opening in opened_lines(other_rows, _opening) if len(opening) == OPENING}
    return {place for place, _, opening in opened_lines(sources, _opening) if opening in openings}


def verifier_endings(
    sources: Mapping[int, Source], tasks: Mapping[int, str], further_rows: Mapping[int, Source]
) -> tuple[SharedLine, ...]:
    """Where the verifier's own logs stop, the commonest first, each counted in further rows, too."""
    return counted_in(lines_told(sources, tasks, _last_log_line), further_rows, tasks, _last_log_line)


def lines_told(
    sources: Mapping[int, Source], tasks: Mapping[int, str], lines_of: Callable[[dict[str, Any]], Lines]
) -> tuple[SharedLine, ...]:
    """The lines that are read from each of these rows, the commonest first."""
    return tallied(opened_lines(sources, lines_of), tasks)


def tallied(row_lines: Iterable[tuple[int, Source, Lines]], tasks: Mapping[int, str]) -> tuple[SharedLine, ...]:
    """The lines of rows, the commonest first."""
    tally = _Tally(tasks)
    for place, source, lines in row_lines:
        tally.add(place, source, lines)
    return tally.shown()


def shared_endings(sources: Mapping[int, Source], tasks: Mapping[int, str]) -> tuple[SharedLine, ...]:
    """The last lines of these transcripts, the commonest first."""
    tally = _Tally(tasks)
    for place, source, lines in opened_lines(sources, transcript_lines):
        tally.add(place, source, dict([lines.popitem()]) if lines else {})
    return tally.shown()


def log_endings(
    sources: Mapping[int, Source], tasks: Mapping[int, str], ends: Mapping[int, Mapping[str, str]]
) -> tuple[SharedLine, ...]:
    """Of the lines at which these rows' logs stop, those that recur."""
    holders: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for place, logs in ends.items():
        for entry in logs.items():
            holders[entry].add(tasks[place])
    tally = _Tally(tasks)
    for place, source, row in opened_lines(sources, lambda row: row):
        for entry in ends[place].items():
            if len(holders[entry]) > OTHER_TASKS:
                tally.add(place, source, _log_line(row, *entry))
    return tally.shown()


def _log_line(row: dict[str, Any], name: str, masked: str) -> Lines:
    """The line of a log that is masked so."""
    lines: Lines = {}
    for row_text in row_texts(row):
        if row_text.name == name:
            _add_lines(lines, row_text.text, None, f"row.{name}", row_text.start)
    return {masked: lines[masked]} if masked in lines else {}


class _Tally:
    """In which rows each masked line stands, and one place to show it from."""

    def __init__(self, tasks: Mapping[int, str]) -> None:
        self.tasks = tasks
        self.rows: defaultdict[str, list[int]] = defaultdict(list)
        self.first: dict[str, tuple[str, dict[str, Any]]] = {}
        self.words: dict[str, str] = {}

    def add(self, place: int, source: Source, lines: Lines) -> None:
        for name, place_found in lines.items():
            self.rows[name].append(place)
            if name not in self.first:
                self.first[name] = place_found[0], quote_at(source, *place_found)
            self.words[name] = agreed(self.words.get(name, place_found[0]), place_found[0])

    def shown(self) -> tuple[SharedLine, ...]:
        """At most a few lines: those that speak of trouble first, then the commonest; of lines in the same rows one."""
        worded_lines = [name for name in self.rows if says_something(self.first[name][0])]
        shown_lines: list[str] = []
        for name in sorted(worded_lines, key=self._rank):
            if len(shown_lines) < MOST_SHOWN and not any(
                self._together(name, shown_line) for shown_line in shown_lines
            ):
                shown_lines.append(name)
        return tuple(self._line(name) for name in shown_lines)

    def claim(self) -> SharedLine | None:
        """The commonest line that speaks of success, whatever became of the row."""
        claims = [name for name in self.rows if _SUCCESS.search(self.first[name][0])]
        return self._line(min(claims, key=self._rank)) if claims else None

    def _rank(self, name: str) -> tuple[bool, int, int, str]:
        line = self.first[name][0]
        return TROUBLE.search(line) is None, -len(self.rows[name]), len(line), name

    def _line(self, name: str) -> SharedLine:
        tasks = sorted({self.tasks[place] for place in self.rows[name]})
        return SharedLine(
            clip(common_words([self.words[name]]), LONGEST_LINE),
            len(self.rows[name]),
            len(tasks),
            self.first[name][1],
            tuple(tasks) if len(tasks) <= MOST_HOLDERS else (),
            frozenset(self.rows[name]),
            name,
        )

    def _together(self, first: str, second: str) -> bool:
        left, right = set(self.rows[first]), set(self.rows[second])
        return len(left & right) >= SAME_ROWS * len(left | right)


def _spread(sources: Mapping[int, Source]) -> dict[int, Source]:
    """So many rows as are learned from, evenly over the run."""
    places = sorted(sources)
    step = max(1, -(-len(places) // MOST_LEARNED))
    return {place: sources[place] for place in places[::step]}


def opened_lines(
    sources: Mapping[int, Source], lines_of: Callable[[dict[str, Any]], T]
) -> Iterator[tuple[int, Source, T]]:
    places: defaultdict[Source, list[int]] = defaultdict(list)
    for place, source in sources.items():
        places[source].append(place)
    for source, row in open_rows(sources.values()):
        lines = lines_of(row)
        for place in places[source]:
            yield place, source, lines


def transcript_lines(row: dict[str, Any]) -> Lines:
    """The lines of everything that stands after the request."""
    return _lines_of(output_steps(row.get("response")))


def _lines_and_ending(row: dict[str, Any]) -> tuple[Lines, bool]:
    """The same, and whether the last thing in the row is a message of one line."""
    steps = output_steps(row.get("response"))
    last = next((step for step in reversed(steps) if step.text.strip()), None)
    return _lines_of(steps), last is not None and last.kind is StepKind.MESSAGE and "\n" not in last.text.strip()


def _lines_of(steps: Sequence[Step]) -> Lines:
    lines: Lines = {}
    for step in steps:
        _add_lines(lines, step.text[:LONGEST_TEXT], step.item, "text", step.start)
    return lines


def _message_endings(row: dict[str, Any]) -> set[str]:
    """The masked last lines of all messages of the assistant."""
    texts = (step.text.strip() for step in output_steps(row.get("response")) if step.kind is StepKind.MESSAGE)
    return {template(text.rpartition("\n")[2].strip()) for text in texts if text}


def _opening(row: dict[str, Any]) -> tuple[str, ...]:
    """The first masked lines after the request."""
    text = "\n".join(step.text[:LONGEST_OPENING] for step in output_steps(row.get("response"))[:OPENING])
    lines = (line.strip() for line in text.split("\n"))
    return tuple(template(line) for line in islice((line for line in lines if len(line) >= SHORTEST), OPENING))


def verifier_log(row: dict[str, Any]) -> list[RowText]:
    """The longest text that the verifier or the harness left: its parts in order, none where it left one line.

    A patch is somebody's work, and so is a text that the model wrote itself.
    """
    texts = [row_text for row_text in row_texts(row) if "\n" in row_text.text and not begins_patch(row_text.text)]
    if texts:
        words = _own_words(row)
        texts = [row_text for row_text in texts if not _is_among(row_text.text.strip(), words)]
    longest = max(texts, key=lambda row_text: row_text.start + len(row_text.text), default=None)
    return [row_text for row_text in texts if longest is not None and row_text.name == longest.name]


def _is_among(text: str, words: str) -> bool:
    """Whether a text stands in others, also as a value of JSON."""
    return text in words or orjson.dumps(text)[1:-1].decode() in words


def _own_words(row: dict[str, Any]) -> str:
    """What the model says and calls, in one text."""
    steps = output_steps(row.get("response"))
    texts = (arguments_text(step.arguments) if step.kind is StepKind.CALL else step.text for step in steps)
    kinds = (StepKind.MESSAGE, StepKind.CALL)
    return "\n".join(text for step, text in zip(steps, texts, strict=True) if step.kind in kinds)


def _last_log_line(row: dict[str, Any]) -> Lines:
    """The last line of words of the longest text that the verifier or the harness left."""
    parts = verifier_log(row)
    if not parts:
        return {}
    lines: Lines = {}
    _add_lines(lines, parts[-1].text, None, f"row.{parts[-1].name}", parts[-1].start)
    worded_lines = [entry for entry in lines.items() if says_something(entry[1][0])]
    return dict(worded_lines[-1:])


def _add_lines(lines: Lines, text: str, item: int | None, field_name: str, start: int) -> None:
    for raw in text.split("\n"):
        line = raw.strip()
        if len(line) >= SHORTEST:
            name = template(line)
            lines.pop(name, None)
            lines[name] = line, item, field_name, start + raw.index(line)
        start += len(raw) + 1
