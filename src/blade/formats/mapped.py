"""Mapped rows: JSONL, JSON, CSV or Parquet of any shape, read through a field map that stands beside them.

The map is `blade-map.yaml` in the same folder, or the one that `--map` names. `blade map FILE` suggests one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.files.sniff import Head, plain_name
from blade.translate.field_map import NAME, FieldMap, check_names, check_scores, load_map
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place
from blade.translate.tables import is_table, table_rows

VERSION = 2
LOOK = 1000


def recognises(head: Head) -> bool:
    """A table with a map beside it, unless the map speaks of other files."""
    map_file = head.path.parent / NAME
    if not is_table(head.path) or not map_file.is_file():
        return False
    field_map = load_map(map_file)
    return not field_map.files or any(file.samefile(head.path) for file in head.path.parent.glob(field_map.files))


def recognises_folder(folder: Path) -> bool:
    return (folder / NAME).is_file()


def runs(paths: Sequence[Path], map_file: Path | None = None) -> Iterator[ForeignRun]:
    """One run a file, or as the map's `run` says. The map is the one given, else the one that stands beside them."""
    for path in paths:
        map_path = map_file or (path if path.is_dir() else path.parent) / NAME
        field_map = load_map(map_path)
        files = [path] if path.is_file() else _files(path, field_map.files)
        yield from _mapped(files, field_map, map_path)


def _files(folder: Path, pattern: str) -> list[Path]:
    """The files that a map names, else the tables of the folder; documents only where there is nothing else."""
    tables = sorted(filter(is_table, folder.glob(pattern or "*")))
    rows = [file for file in tables if not plain_name(file).endswith(".json")]
    return tables if pattern else rows or tables


def _mapped(files: Sequence[Path], field_map: FieldMap, map_file: Path) -> Iterator[ForeignRun]:
    """The runs that a map makes of some files."""
    names: dict[str, list[Path]] = {}
    for file in files:
        rows = [row for _, row in _looked_at(file, field_map.rows)]
        keys = {key for row in rows for key in row}
        if keys:
            check_names(field_map, keys, str(map_file))
            check_scores(field_map, rows, str(map_file))
        for name in _run_names(file, field_map):
            names.setdefault(name, []).append(file)
    if not field_map.run:
        for file in files:
            yield ForeignRun((file, map_file), partial(_rows, (file,), field_map, ""))
        return
    for name, of_run in names.items():
        yield ForeignRun((*of_run, map_file), partial(_rows, tuple(of_run), field_map, name), name)


def _looked_at(file: Path, rows_path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, (part, row) in enumerate(table_rows(file, rows_path)):
        if number >= LOOK:
            return
        if not isinstance(row, BadRecord):
            yield part, row


def _run_names(file: Path, field_map: FieldMap) -> list[str]:
    if not field_map.run:
        return [""]
    rows = (row for _, row in table_rows(file, field_map.rows) if not isinstance(row, BadRecord))
    return list(dict.fromkeys(field_map.run_of(row, file) for row in rows))


def _rows(files: Sequence[Path], field_map: FieldMap, name: str) -> Iterator[dict[str, Any] | BadRecord]:
    for file in files:
        for part, row in table_rows(file, field_map.rows):
            if isinstance(row, BadRecord):
                yield row
            elif not name or field_map.run_of(row, file) == name:
                yield field_map.row(row, Place(file.name, part))
