"""Keeps translated rows: a run of another program is written once, as rollout rows, into the cache.

Everything behind the door (reading in ranges, evidence, viewer, checks) then works on lines of a plain file. Its path
is the one of the original with `!format` behind it, and `TranslatedPath` opens what was kept. Rows are written anew
when a file of the run, or the format's version, has changed.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

import orjson

from blade.errors import InputError
from blade.files.remote_paths import (
    BUFFER,
    TranslatedPath,
    digest_of,
    is_remote,
    local_state,
    translated_file,
)
from blade.frozen import frozen
from blade.model import Flaw
from blade.translate.foreign_run import BadRecord, ForeignRun, UnknownScore

MOST_FLAWS = 20
NO_ROW, NO_SCORE, OTHER_TASK = "row", "score", "task"
MOST_ATTEMPTS = 1_000_000
"""More than this that a file names for a task is no number of attempts."""
DEEPEST = 200
_WRITING = orjson.OPT_APPEND_NEWLINE
"""Asking for other keys than texts makes all writing a third slower: it is done where there are some."""


@frozen
class Spooled:
    """A run that was translated: the path of its rows, what its files say of it, and the records that have no row."""

    path: TranslatedPath
    rows: int
    flaws: tuple[Flaw, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    reported: float | None = None
    expected: Mapping[str, int] = field(default_factory=dict)
    figures: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    states: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Size and times of the local files that were translated, before that."""
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    """The fingerprints of what those files held."""
    models: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def spool(run: ForeignRun, name: str, version: int) -> Spooled:
    """Translate a run, or take what was kept of it."""
    place = spool_place(run, name)
    file = translated_file(str(place))
    times, states = _states(run.files)
    state = [version, *times]
    manifest = _kept_manifest(file, state)
    if manifest is None:
        manifest = _write(run, file, state, states)
    flaws = tuple(_flaw(kind, text, str(run.files[0]), rows) for kind, text, rows in manifest["flaws"])
    return Spooled(
        place,
        manifest["rows"],
        flaws,
        manifest["settings"],
        manifest["reported"],
        manifest["expected"],
        manifest["figures"],
        states,
        manifest["fingerprints"],
        manifest["models"],
    )


def _flaw(kind: str, text: str, file: str, rows: int) -> Flaw:
    if kind == NO_ROW:
        return Flaw("record-unreadable", text, file, rows=rows)
    if kind == OTHER_TASK:
        return Flaw("task-contradicted", text, file, rows=rows)
    return Flaw("score-unknown", text, file, rows=rows)


def spool_place(run: ForeignRun, name: str) -> TranslatedPath:
    """What the rows of a run are called: its file, the format, and what tells it from the other runs in the file."""
    return TranslatedPath(f"{run.files[0]}!{name}" + (f":{_printable(run.name)}" if run.name else ""))


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() and letter != "!" else "_" for letter in name)[:80]


def _states(files: Iterable[Path]) -> tuple[list[Any], dict[str, Mapping[str, Any]]]:
    """Size and time of all files and folders, and the whole state of the local files: each is asked once."""
    times: list[Any] = []
    states: dict[str, Mapping[str, Any]] = {}
    for path in files:
        name = str(path)
        try:
            status = path.stat()
        except OSError:
            times.append([name, 0, 0])
            continue
        times.append([name, status.st_size, status.st_mtime_ns])
        if not is_remote(path) and stat.S_ISREG(status.st_mode):
            states[name] = local_state(status)
    return times, states


def _fingerprint(path: Path) -> str:
    """The fingerprint of a file; nothing where it cannot be read, which no content has."""
    try:
        return digest_of(path)
    except OSError:
        return ""


def _sibling(file: Path, end: str) -> Path:
    return file.with_name(file.stem + end)


def _kept_manifest(file: Path, state: list[Any]) -> dict[str, Any] | None:
    try:
        manifest: dict[str, Any] = orjson.loads(_sibling(file, ".kept.json").read_bytes())
        return (
            manifest
            if "models" in manifest and manifest["state"] == state and file.stat().st_size == manifest["bytes"]
            else None
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(run: ForeignRun, file: Path, state: list[Any], watched: Iterable[str]) -> dict[str, Any]:
    flaws: Counter[tuple[str, str]] = Counter()
    fingerprints = {name: _fingerprint(Path(name)) for name in watched}  # before it is read, as its state
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = _write_lines(file, _good(run, flaws))
        manifest: dict[str, Any] = {
            "state": state,
            "bytes": file.stat().st_size,
            "rows": rows,
            "flaws": _commonest(flaws),
            "settings": dict(run.settings),
            "reported": run.reported,
            "expected": {task: attempts for task, attempts in run.expected.items() if 0 < attempts < MOST_ATTEMPTS},
            "figures": dict(run.figures),
            "models": dict(run.models),
            "fingerprints": fingerprints,
        }
        _write_lines(_sibling(file, ".kept.json"), iter([manifest]))
        manifest = orjson.loads(_line(manifest))
    except OSError as error:
        raise InputError(
            f"{run.files[0]}: the translated rows cannot be kept in {file.parent} ({error.strerror}).",
            "Set BLADE_CACHE_DIR to a folder that can be written.",
        ) from None
    return manifest


def _good(run: ForeignRun, flaws: Counter[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """The rows; a record that gives none, an unreadable score and a wrong task are counted by their reasons."""
    for row in run.rows():
        if isinstance(row, dict):
            yield row
        elif isinstance(row, BadRecord):
            flaws[NO_ROW, f"a record that gives no rollout: {row.reason}"] += 1
        elif isinstance(row, UnknownScore):
            flaws[NO_SCORE, row.text] += 1
        else:
            flaws[OTHER_TASK, row.text] += 1


def _commonest(reasons: Counter[tuple[str, str]]) -> list[tuple[str, str, int]]:
    """The commonest reasons; the records of all others are counted together."""
    other_records = sum(count for (kind, _), count in reasons.most_common()[MOST_FLAWS:] if kind == NO_ROW)
    remainder = [(NO_ROW, "records that give no rollout, for other reasons", other_records)] if other_records else []
    return [(kind, text, count) for (kind, text), count in reasons.most_common(MOST_FLAWS)] + remainder


def _write_lines(file: Path, values: Iterator[Any]) -> int:
    """Write beside its place and move it there in one step: two processes may do so at once."""
    count = 0
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=".translated-")
    try:
        with os.fdopen(handle, "wb", BUFFER) as stream:
            for value in values:
                stream.write(_line(value))
                count += 1
        Path(name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    return count


def _line(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=_WRITING)
    except TypeError:
        pass
    try:
        return orjson.dumps(value, option=_WRITING | orjson.OPT_NON_STR_KEYS)
    except TypeError:
        return orjson.dumps(_cleaned(value), option=_WRITING)


def _cleaned(value: Any, depth: int = 0) -> Any:
    """What JSON can hold: a lone surrogate is no character, a huge integer no number of 64 bits.

    What is nested deeper than a row could be written is cut off there.
    """
    if depth > DEEPEST:
        return "[nested too deeply]"
    if isinstance(value, dict):
        return {str(_cleaned(str(key))): _cleaned(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cleaned(inner, depth + 1) for inner in value]
    if isinstance(value, str):
        return value.encode("utf-8", errors="replace").decode("utf-8")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 63:
        return float(value) if abs(value) < 10**300 else str(value)[:40]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return str(value)
