"""Reads one file into facts: one streaming pass, or none where the cache knows the content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import polars as pl
from xxhash import xxh3_64_intdigest, xxh3_128

from blade.detectors import examine, names
from blade.extract.attempt import Attempt
from blade.extract.declared import NOTHING, Declared, asked_facts
from blade.extract.fields import short_fields
from blade.extract.row import identity_facts, rollout_facts
from blade.facts.cache import Entry, FactsCache
from blade.facts.table import FactsBuilder, empty
from blade.lines import UNREADABLE, Line, Parsed, has_duplicate_keys, iter_lines, open_bytes, parse
from blade.model import Flaw

WATCHED = (b'"reward"', b'"_ng_task_index"', b'"_ng_rollout_index"')
Progress = Callable[[int], None]


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

    file: str
    found: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def add(self, slug: str, statement: str, line: int) -> None:
        entry = self.found.setdefault((slug, statement), [line, 0])
        entry[1] += 1

    def flaws(self) -> list[Flaw]:
        return [Flaw(slug, text, self.file, line, rows) for (slug, text), (line, rows) in sorted(self.found.items())]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What one file gave."""

    path: Path
    facts: pl.DataFrame
    flaws: tuple[Flaw, ...]
    bytes: int
    lines: int
    fingerprint: str
    cached: bool


def read_file(
    path: Path,
    role: str,
    *,
    declared: Declared = NOTHING,
    asked: Asked = NO_INPUTS,
    cache: FactsCache | None = None,
    progress: Progress | None = None,
) -> FileFacts:
    """The facts of one file. `role` is rollouts, failures or inputs; `asked` is what the inputs expect of a task."""
    shape = shape_of(role, declared, asked)
    try:
        before = path.stat()  # a change while the file is read must not be taken for the content that was read
    except OSError as error:
        flaw = Flaw("file-unreadable", f"the file could not be read ({error.strerror})", str(path))
        return FileFacts(path, empty(), (flaw,), 0, 0, "", cached=False)
    size = before.st_size
    if cache is not None:
        fingerprint = cache.known_fingerprint(path) or (_fingerprint(path) if cache.may_hold(size) else None)
        entry = cache.load(fingerprint, shape, size) if fingerprint else None
        if entry is not None and fingerprint:
            cache.remember(path, fingerprint, before)
            return _from_entry(path, entry, size, fingerprint)
    made = _extract(path, role, (declared, asked), size, progress)
    if cache is not None and not any(flaw.slug == "file-unreadable" for flaw in made.flaws):
        note = {
            "flaws": [[flaw.slug, flaw.statement, flaw.line, flaw.rows] for flaw in made.flaws],
            "lines": made.lines,
        }
        cache.store(made.fingerprint, shape, size, made.facts, note)
        cache.remember(path, made.fingerprint, before)
    return made


def shape_of(role: str, declared: Declared = NOTHING, asked: Asked = NO_INPUTS) -> str:
    """What beside the content decides the facts of a file: part of its cache key."""
    shape = f"{role}|{declared.key}"
    return f"{shape}|{','.join(names())}|{asked.key}" if role == "rollouts" else shape


def _from_entry(path: Path, entry: Entry, size: int, fingerprint: str) -> FileFacts:
    flaws = tuple(Flaw(slug, text, str(path), line, rows) for slug, text, line, rows in entry.note["flaws"])
    return FileFacts(path, entry.facts, flaws, size, int(entry.note["lines"]), fingerprint, cached=True)


def _extract(path: Path, role: str, known: Known, size: int, progress: Progress | None) -> FileFacts:
    builder = FactsBuilder()
    tally = FlawTally(str(path))
    digest = xxh3_128()
    last = 0
    try:
        with open_bytes(path) as stream:
            for line in iter_lines(stream, digest):
                last = line.number
                record = read_line(line, role, known, tally)
                if record is not None:
                    builder.add(record)
                if progress is not None:
                    progress(len(line.data) + 1)
    except UNREADABLE as error:
        tally.add(
            "file-unreadable", f"the file could not be read to its end ({error}); the rows before stand", last + 1
        )
    return FileFacts(path, builder.finish(), tuple(tally.flaws()), size, last, digest.hexdigest(), cached=False)


def read_line(line: Line, role: str, known: Known, tally: FlawTally) -> dict[str, Any] | None:
    """One line → one record of facts, or None with the reason counted."""
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
                _examine(attempt, record, line.number, tally)
    except Exception as error:  # noqa: BLE001 - one row that nobody thought of never stops a run: it is said
        tally.add("row-unreadable", f"a row that could not be taken apart ({type(error).__name__})", line.number)
        return None
    if role == "rollouts" and record["reward_problem"] is not None:
        _score_flaw(record["reward_problem"], declared.reward_field, line.number, tally)
    record["line"] = line.number
    record["offset"] = line.offset
    record["length"] = len(line.data)
    record["row_hash"] = xxh3_64_intdigest(line.data)
    return record


def _examine(attempt: Attempt, record: dict[str, Any], number: int, tally: FlawTally) -> None:
    """Run every detector; one that crashes is a flaw, and the row stands."""
    found, crashed = examine(attempt)
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
    for key in WATCHED:
        if line.data.count(key) > 1 and _count(parsed.value, key[1:-1].decode()) < line.data.count(key + b":"):
            if has_duplicate_keys(line.data):
                tally.add(
                    "duplicate-key", f"a row that writes the key {key.decode()} twice; the last one counts", line.number
                )
            break
    return parsed.value


def _count(value: Any, key: str) -> int:
    """How often a key stands anywhere in a parsed value."""
    found = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            found += key in item
            waiting.extend(inner for inner in item.values() if isinstance(inner, (dict, list)))
        elif isinstance(item, list):
            waiting.extend(inner for inner in item if isinstance(inner, (dict, list)))
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


def _score_flaw(problem: str, reward_field: str | None, number: int, tally: FlawTally) -> None:
    looked = f"'{reward_field}'" if reward_field else "'reward', 'score'"
    text = _SCORE_WORDS.get(problem, "a score of an unknown type")
    tally.add("no-score", f"{text}; looked for {looked}; the row is kept and not counted as graded", number)


def _json_type(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}
    return names.get(type(value), "something else")


def _fingerprint(path: Path) -> str | None:
    digest = xxh3_128()
    try:
        with open_bytes(path) as stream:
            for block in _blocks(stream):
                digest.update(block)
    except UNREADABLE:
        return None
    return digest.hexdigest()


def _blocks(stream: Any) -> Iterator[bytes]:
    while block := stream.read(1 << 20):
        yield block
