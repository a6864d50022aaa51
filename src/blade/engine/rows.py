"""One line of a file → one record of facts, with every detector's word on it; what is wrong with a line is counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson
import polars as pl
from xxhash import xxh3_64_intdigest, xxh3_128

from blade.detectors import examine
from blade.extract.attempt import Attempt
from blade.extract.declared import Declared, asked_facts
from blade.extract.fields import short_fields
from blade.extract.row import identity_facts, rollout_facts
from blade.lines import Line, Parsed, has_duplicate_keys, parse
from blade.model import Flaw

WATCHED = (b'"reward"', b'"_ng_task_index"', b'"_ng_rollout_index"')
_STAMP = b'"_ng_'


@dataclass(frozen=True, slots=True)
class Asked:
    """What the inputs of a run expect, by the task's index."""

    by_task: dict[int, str] = field(default_factory=dict)
    key: str = ""
    """Tells two sets of inputs apart in the cache."""

    def of(self, row: dict[str, Any]) -> dict[str, Any] | None:
        text = self.by_task.get(row["_ng_task_index"]) if type(row.get("_ng_task_index")) is int else None
        return orjson.loads(text) if text else None


NO_INPUTS = Asked()
Known = tuple[Declared, Asked]


def asked_of(inputs: pl.DataFrame) -> Asked:
    """What input rows expect; a task that is asked in two ways expects nothing for certain."""
    rows = inputs.select("task_index", "asked").drop_nulls().unique()
    by_task = dict(rows.filter(pl.col("task_index").is_unique()).sort("task_index").rows())
    return Asked(by_task, xxh3_128(orjson.dumps(sorted(by_task.items()))).hexdigest() if by_task else "")


@dataclass(slots=True)
class FlawTally:
    """Counts what was wrong, keeping the first place of each kind."""

    found: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def add(self, slug: str, statement: str, line: int) -> None:
        entry = self.found.setdefault((slug, statement), [line, 0])
        entry[1] += 1

    def flaws(self) -> list[Flaw]:
        return [Flaw(slug, text, line=line, rows=rows) for (slug, text), (line, rows) in sorted(self.found.items())]


def read_line(
    line: Line, role: str, known: Known, tally: FlawTally, seconds: dict[str, float] | None = None
) -> dict[str, Any] | None:
    """One line → one record of facts, or None with the reason counted. What the parts took is added to `seconds`."""
    declared, asked = known
    parsed = parse(line.data)
    row = _usable_row(parsed, line, tally)
    if row is None:
        return None
    try:
        if role == "inputs":
            fields = short_fields(row)
            record = identity_facts(row, fields) | asked_facts(row, declared)
            record["fields"] = orjson.dumps(fields).decode()
        else:
            attempt = Attempt(row, declared, asked.of(row))
            record = rollout_facts(attempt, line.data)
            if role == "rollouts":
                _examine(attempt, record, line.number, tally, seconds)
    except Exception as error:  # noqa: BLE001 - one row that nobody thought of never stops a run: it is said
        tally.add("row-unreadable", f"a row that could not be taken apart ({type(error).__name__})", line.number)
        return None
    if role == "rollouts" and record["reward_problem"] is not None:
        _score_flaw(record, declared.reward_field, line.number, tally)
    record["line"] = line.number
    record["offset"] = line.offset
    record["length"] = len(line.data)
    record["row_hash"] = xxh3_64_intdigest(line.data)
    return record


def _examine(
    attempt: Attempt, record: dict[str, Any], number: int, tally: FlawTally, seconds: dict[str, float] | None
) -> None:
    """Run every detector; one that crashes is a flaw, and the row stands."""
    found, crashed = examine(attempt, seconds)
    record |= found
    for name in crashed:
        tally.add("detector-crashed", f"the detector '{name}' stopped on a row; it says nothing of it", number)


def _usable_row(parsed: Parsed, line: Line, tally: FlawTally) -> dict[str, Any] | None:
    if parsed.problem:
        tally.add("row-unreadable", f"a row that is {parsed.problem}", line.number)
        return None
    if not isinstance(parsed.value, dict):
        tally.add("row-not-object", f"a row that is {_json_type(parsed.value)}, not an object", line.number)
        return None
    if parsed.mended:
        tally.add("row-mended", f"a row with {parsed.mended}; it was read all the same", line.number)
    if _may_repeat(line.data, parsed.value):
        _repeated_key(line, parsed.value, tally)
    return parsed.value


def _may_repeat(data: bytes, row: dict[str, Any]) -> bool:
    """Whether a watched key may stand twice in the row: two scans say no for nearly all."""
    stamped = sum([key.startswith("_ng_") for key in row])
    return _more_often(data, _STAMP, max(stamped, 1)) or _more_often(data, WATCHED[0], 1)


def _more_often(data: bytes, mark: bytes, times: int) -> bool:
    """Whether a mark stands there more often than that; from the end it is found sooner than it is counted."""
    at = len(data)
    for _ in range(times + 1):
        at = data.rfind(mark, 0, at)
        if at < 0:
            return False
    return True


def _repeated_key(line: Line, row: dict[str, Any], tally: FlawTally) -> None:
    for key in WATCHED:
        written = line.data.count(key + b":")
        name = key[1:-1].decode()
        if written > 1 and _count(row, name, dict) < written and _count(row, name, (dict, list)) < written:
            if has_duplicate_keys(line.data):
                tally.add(
                    "duplicate-key", f"a row that writes the key {key.decode()} twice; the last one counts", line.number
                )
            return


def _count(value: Any, key: str, inside: type | tuple[type, ...]) -> int:
    """How often a key stands in a parsed value and in what it holds, of objects alone or of lists, too."""
    found = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            found += key in item
            waiting.extend(inner for inner in item.values() if isinstance(inner, inside))
        else:
            waiting.extend(inner for inner in item if isinstance(inner, inside))
    return found


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
    looked = f"'{reward_field}'" if reward_field else "'reward', 'score'"
    if problem == "absent" and record["response_state"] in {"absent", "unknown"} and record["output_hash"] is None:
        told = f"a row of a shape that is not understood; looked for 'response' and for {looked}; it is not graded"
        tally.add("row-not-understood", told, number)
        return
    text = _SCORE_WORDS.get(problem, "a score of an unknown type")
    tally.add("no-score", f"{text}; looked for {looked}; the row is kept and not counted as graded", number)


def _json_type(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}
    return names.get(type(value), "something else")
