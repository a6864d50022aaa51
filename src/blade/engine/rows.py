"""Lines of a file → records of facts, with every detector's word on them; what is wrong with a line is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import polars as pl
from xxhash import xxh3_64_intdigest, xxh3_128

from blade.detectors import examine_all, judged_facts
from blade.extract.attempt import Attempt
from blade.extract.declared import Declared, asked_facts
from blade.extract.fields import short_fields
from blade.extract.row import RowReading, identity_facts, read_facts
from blade.facts.table import FactsBuilder
from blade.files.lines import Line, Parsed, has_duplicate_keys, parse
from blade.frozen import frozen
from blade.model import Flaw
from blade.shared_json import is_written_once

WATCHED = (b'"reward"', b'"_ng_task_index"', b'"_ng_rollout_index"')
_STAMP = b'"_ng_'
MOST_ROWS = 32
LARGEST_BATCH = 1 << 20
"""How many rows, and how many bytes of them, are read together."""


@frozen
class ExpectedAnswers:
    """What the inputs of a run expect, by the task's index."""

    by_task: dict[int, str] = field(default_factory=dict)
    key: str = ""
    """Tells two sets of inputs apart in the cache."""

    def of(self, row: dict[str, Any]) -> dict[str, Any] | None:
        text = self.by_task.get(row["_ng_task_index"]) if type(row.get("_ng_task_index")) is int else None
        return orjson.loads(text) if text else None


NO_INPUTS = ExpectedAnswers()
Known = tuple[Declared, ExpectedAnswers]
Rows = Sequence[tuple[Line, dict[str, Any]]]


def asked_of(inputs: pl.DataFrame) -> ExpectedAnswers:
    """What input rows expect; a task that is asked in two ways expects nothing for certain."""
    rows = inputs.select("task_index", "asked").drop_nulls().unique()
    by_task = dict(rows.filter(pl.col("task_index").is_unique()).sort("task_index").rows())
    return ExpectedAnswers(by_task, xxh3_128(orjson.dumps(sorted(by_task.items()))).hexdigest() if by_task else "")


@dataclass(slots=True)
class FlawTally:
    """Counts what was wrong, keeping the first place of each kind."""

    found: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def add(self, slug: str, statement: str, line: int) -> None:
        entry = self.found.setdefault((slug, statement), [line, 0])
        entry[1] += 1

    def flaws(self) -> list[Flaw]:
        return [Flaw(slug, text, line=line, rows=rows) for (slug, text), (line, rows) in sorted(self.found.items())]


class RowReader:
    """Takes lines and adds their records to a table: a few rows at a time, by the parts of what is read of them.

    No more than `LARGEST_BATCH` bytes are held, or one line.
    """

    def __init__(
        self, role: str, context: Known, table: FactsBuilder, tally: FlawTally, seconds: dict[str, float] | None = None
    ) -> None:
        self._role, self._known = role, context
        self._table, self._tally, self._seconds = table, tally, seconds
        self._lines: list[Line] = []
        self._size = 0

    def add(self, line: Line) -> None:
        if len(self._lines) == MOST_ROWS or self._size + len(line.data) > LARGEST_BATCH:
            self.finish()
        self._lines.append(line)
        self._size += len(line.data)

    def finish(self) -> None:
        """Read what was added last."""
        for record in read_lines(self._lines, self._role, self._known, self._tally, self._seconds):
            self._table.add(record)
        self._lines, self._size = [], 0


def read_lines(
    lines: Sequence[Line], role: str, context: Known, tally: FlawTally, seconds: dict[str, float] | None = None
) -> list[dict[str, Any]]:
    """The records of those lines that have one; of the others the reason is counted. `seconds`: of each detector."""
    rows = [(line, row) for line in lines if (row := _usable_row(parse(line.data), line, tally)) is not None]
    records = (
        _input_records(rows, context, tally) if role == "inputs" else _records(rows, role, context, tally, seconds)
    )
    for line, record in records:
        record["line"] = line.number
        record["offset"] = line.offset
        record["length"] = len(line.data)
        record["row_hash"] = xxh3_64_intdigest(line.data)
    return [record for _, record in records]


def _input_records(rows: Rows, context: Known, tally: FlawTally) -> list[tuple[Line, dict[str, Any]]]:
    records = []
    for line, row in rows:
        try:
            fields = short_fields(row)
            record = identity_facts(row, fields) | asked_facts(row, context[0])
            record["fields"] = orjson.dumps(fields).decode()
        except Exception as error:  # noqa: BLE001 - one row that nobody thought of never stops a run: it is said
            _not_understood(error, line, tally)
        else:
            records.append((line, record))
    return records


def _records(
    rows: Rows, role: str, context: Known, tally: FlawTally, seconds: dict[str, float] | None
) -> list[tuple[Line, dict[str, Any]]]:
    declared, expected = context
    readings = [(line, RowReading(Attempt(row, declared, expected.of(row)), line.data)) for line, row in rows]
    read_facts([reading for _, reading in readings])
    if role == "rollouts":
        _examine([(line, reading) for line, reading in readings if reading.error is None], tally, seconds)
    records = []
    for line, reading in readings:
        if reading.error is not None:
            _not_understood(reading.error, line, tally)
            continue
        if role == "rollouts" and reading.facts["reward_problem"] is not None:
            _score_flaw(reading.facts, declared.reward_field, line.number, tally)
        records.append((line, reading.facts))
    return records


def _examine(readings: Sequence[tuple[Line, RowReading]], tally: FlawTally, seconds: dict[str, float] | None) -> None:
    """Run every detector; one that crashes is a flaw, and the row stands."""
    verdicts = examine_all([reading.attempt for _, reading in readings], seconds)
    for (line, reading), (letters, sightings, crashed) in zip(readings, verdicts, strict=True):
        try:
            reading.facts |= judged_facts(letters, sightings)
        except Exception as error:  # noqa: BLE001 - as of the facts
            reading.error = error
            continue
        for name in crashed:
            tally.add("detector-crashed", f"the detector '{name}' stopped on a row; it says nothing of it", line.number)


def _not_understood(error: Exception, line: Line, tally: FlawTally) -> None:
    tally.add("row-unreadable", f"a row that could not be taken apart ({type(error).__name__})", line.number)


def _usable_row(parsed: Parsed, line: Line, tally: FlawTally) -> dict[str, Any] | None:
    if parsed.problem:
        tally.add("row-unreadable", f"a row that is {parsed.problem}", line.number)
        return None
    if not isinstance(parsed.value, dict):
        tally.add("row-not-object", f"a row that is {_json_type(parsed.value)}, not an object", line.number)
        return None
    if parsed.mended:
        tally.add("row-mended", f"a row with {parsed.mended}; it was read all the same", line.number)
    if not is_written_once(parsed.value) and (repeating := _may_repeat(line.data, parsed.value)):
        _repeated_key(line, parsed.value, repeating, tally)
    return parsed.value


def _may_repeat(data: bytes, row: dict[str, Any]) -> tuple[bytes, ...]:
    """The watched keys that may stand twice in the row: two scans say that none does for nearly all."""
    stamped = sum([key.startswith("_ng_") for key in row])
    rewards = WATCHED[:1] if _more_often(data, WATCHED[0], 1) else ()
    return rewards + WATCHED[1:] if _more_often(data, _STAMP, max(stamped, 1)) else rewards


def _more_often(data: bytes, mark: bytes, times: int) -> bool:
    """Whether a mark stands there more often than that; from the end it is found sooner than it is counted."""
    at = len(data)
    for _ in range(times + 1):
        at = data.rfind(mark, 0, at)
        if at < 0:
            return False
    return True


def _repeated_key(line: Line, row: dict[str, Any], keys: Sequence[bytes], tally: FlawTally) -> None:
    for key in keys:
        occurrences = line.data.count(key + b":")
        name = key[1:-1].decode()
        if occurrences > 1 and _count(row, name, dict) < occurrences and _count(row, name, (dict, list)) < occurrences:
            if has_duplicate_keys(line.data):
                tally.add(
                    "duplicate-key", f"a row that writes the key {key.decode()} twice; the last one counts", line.number
                )
            return


def _count(value: Any, key: str, kinds: type | tuple[type, ...]) -> int:
    """How often a key stands in a parsed value and in what it holds, of objects alone or of lists, too."""
    occurrences = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            occurrences += key in item
            waiting.extend(inner for inner in item.values() if isinstance(inner, kinds))
        else:
            waiting.extend(inner for inner in item if isinstance(inner, kinds))
    return occurrences


_SCORE_WORDS = {
    "absent": "no score in this row",
    "null": "a score that is null",
    "nan": "a score that is not a number (NaN)",
    "infinite": "a score that is infinite or too large",
    "string": "a score that is a string",
    "list": "a score that is a list",
    "object": "a score that is an object",
}


def _score_flaw(record: dict[str, Any], reward_field: str | None, number: int, tally: FlawTally) -> None:
    problem = record["reward_problem"]
    names_tried = f"'{reward_field}'" if reward_field else "'reward', 'score'"
    if problem == "absent" and record["response_state"] in {"absent", "unknown"} and record["output_hash"] is None:
        statement = (
            f"a row of a shape that is not understood; looked for 'response' and for {names_tried}; it is not graded"
        )
        tally.add("row-not-understood", statement, number)
        return
    text = _SCORE_WORDS.get(problem, "a score of an unknown type")
    tally.add("no-score", f"{text}; looked for {names_tried}; the row is kept and not counted as graded", number)


def _json_type(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}
    return names.get(type(value), "something else")
