"""Makes small runs of other programs large, so that a measure of reading is not one of opening files.

Rows of JSONL files, entries of lists in documents, members of archives and folders of trials are written again and
again, each time under other ids and in slightly other words, until there are so many megabytes. Nothing is kept: the
copies stand in a temporary folder while somebody measures.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from blade.translate.archives import members, unpack

TRIAL = ("result.json", "*.traj.json", "report.json")
"""What the folder of one trial holds."""
FEWEST = 5
"""Entries from which on a list or a mapping is one of records."""
WORDY = 40
_ID_NAMES = {"id", "uuid", "task_name", "trial_name", "hash", "doc_id", "instance_id", "problem_idx"}
_MAKERS = {"provider", "agent_info", "model_info", "config"}
"""What made a record stays as it is: another provider would be another run."""
_SHARED = {"eval_id", "run_id", "model_id", "agent_id", "source_id", "prompt_id", "type_id", "task_checksum"}


def grow(source: Path, target: Path, megabytes: float) -> Path:
    """A copy of a run that has about so many megabytes; the path of it."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("README*"))
    else:
        target.mkdir(parents=True)
        shutil.copy(source, target / source.name)
    for path in target.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    copies = max(0, int(megabytes * 1e6 / max(1, _size(target))))
    folders = [folder for folder in target.rglob("*") if folder.is_dir() and _is_trial(folder)]
    inside = {file for folder in folders for file in folder.rglob("*")}
    others = [file for file in target.rglob("*") if file.is_file() and file not in inside]
    for folder in folders:
        _repeat_folder(folder, copies)
    for file in others:
        _repeat_inside(file, copies)
    return target if source.is_dir() else target / source.name


def _size(folder: Path) -> int:
    """Bytes after unpacking."""
    total = 0
    for file in folder.rglob("*"):
        if file.suffix == ".eval":
            total += sum(info.file_size for info in members(file).values())
        elif file.is_file():
            total += file.stat().st_size
    return total


def _is_trial(folder: Path) -> bool:
    """Whether a folder stands among others and holds what a trial leaves."""
    if not any(any(folder.glob(pattern)) for pattern in TRIAL):
        return False
    return sum(entry.is_dir() for entry in folder.parent.iterdir()) >= FEWEST


def _repeat_folder(folder: Path, copies: int) -> None:
    for number in range(1, copies + 1):
        beginning, sign, end = folder.name.partition("__")
        copy = folder.with_name(f"{beginning}{sign}{end}-{number}")
        for file in folder.rglob("*"):
            if not file.is_file():
                continue
            place = copy / file.relative_to(folder).with_name(file.name.replace(folder.name, copy.name))
            place.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix == ".json":
                content = file.read_bytes()
                place.write_bytes(_written(_other(orjson.loads(content), number), content))
            else:
                shutil.copy(file, place)


def _repeat_inside(file: Path, copies: int) -> None:
    if file.suffix == ".eval":
        _repeat_members(file, copies)
        return
    if file.suffix not in {".json", ".jsonl"}:
        return
    content = file.read_bytes()
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError:
        lines = [line for line in content.split(b"\n") if line.strip()]
        file.write_bytes(b"".join(line + b"\n" for line in _repeated_lines(lines, copies)))
        return
    if file.suffix == ".jsonl":
        file.write_bytes(b"".join(line + b"\n" for line in _repeated_lines([content.strip()], copies)))
    else:
        file.write_bytes(_written(_repeated(document, copies), content))


def _repeated_lines(lines: list[bytes], copies: int) -> Iterator[bytes]:
    yield from lines
    rows = []
    for line in lines:
        try:
            rows.append((orjson.loads(line), line))
        except orjson.JSONDecodeError:
            continue
    for number in range(1, copies + 1):
        for row, line in rows:
            if not (isinstance(row, dict) and "total_count" in row):  # the head of a file of scores
                yield _written(_other(row, number), line)


def _repeated(value: Any, copies: int, depth: int = 0) -> Any:
    """A document whose lists and mappings of records are so many times as long."""
    if isinstance(value, list) and len(value) >= 2 and all(isinstance(entry, dict) for entry in value):
        return [*value, *(_other(entry, number) for number in range(1, copies + 1) for entry in value)]
    if isinstance(value, list) and len(value) >= FEWEST and all(isinstance(entry, str) for entry in value):
        return [*value, *(f"{entry}-{number}" for number in range(1, copies + 1) for entry in value)]
    if not isinstance(value, dict):
        return value
    records = [entry for entry in value.values() if isinstance(entry, dict)]
    if len(records) == len(value) >= FEWEST and len({tuple(entry) for entry in records}) <= 2:
        copied = {f"{key}-{n}": _other(entry, n) for n in range(1, copies + 1) for key, entry in value.items()}
        return {**value, **copied}
    return {key: _repeated(entry, copies, depth + 1) if depth < 3 else entry for key, entry in value.items()}


def _repeat_members(file: Path, copies: int) -> None:
    with file.open("rb") as stream:
        contents = {name: unpack(stream, info) for name, info in members(file).items()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
            if name.startswith("samples/") and b"NaN" not in content:
                sample = orjson.loads(content)
                beginning, sign, end = name.partition("_epoch_")
                for number in range(1, copies + 1):
                    archive.writestr(f"{beginning}-{number}{sign}{end}", _written(_other(sample, number), content))


def _written(value: Any, like: bytes) -> bytes:
    """JSON with or without line ends, as the original has it."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 if b"\n" in like[:200] else 0)


def _other(value: Any, number: int, key: str = "") -> Any:
    """The same record under other ids, its texts in other words: what a reader keeps of a text must not help it."""
    if isinstance(value, dict):
        return value if key in _MAKERS else {name: _other(entry, number, name) for name, entry in value.items()}
    if isinstance(value, list):
        return [_other(entry, number) for entry in value]
    is_id = key not in _SHARED and (key in _ID_NAMES or key.endswith("_id"))
    if isinstance(value, str):
        wordy = len(value) > WORDY and value[0].isalpha() and value.count(" ") > 3
        return f"{value}-{number}" if is_id and value else f"Number {number} {value}" if wordy else value
    return value + number * 1_000_000 if is_id and type(value) is int else value
