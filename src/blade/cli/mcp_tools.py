"""The commands as tools of an MCP server: the same questions and answers, confined to the folders that were given.

A tool is a command with its options, run in this process. Nothing is written but notes and questions, and those only
into the folder that was given for them. What comes out of rollouts stands between marks: it is data.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from io import BytesIO, TextIOWrapper
from pathlib import Path
from threading import Lock
from typing import Any

from blade.engine.discover import discover
from blade.errors import BladeError, UsageError
from blade.files.remote_paths import real_path
from blade.queries.compact import NOTICE, fenced
from blade.wording import printable

ASKING = ("tasks", "grep", "count", "contrast")
"""Commands whose questions can be cited."""
Arguments = Mapping[str, Any]


@dataclass
class ConfinedCommands:
    """Commands on the runs below some folders; notes and questions go into `notes`, or nowhere."""

    folders: tuple[Path, ...]
    notes: Path | None = None
    _lock: Lock = field(default_factory=Lock)

    def paths(self, requested: Sequence[str] = ()) -> list[str]:
        """Runs as they are given, or all folders; each must lie below a folder of the server."""
        return [self._inside(path) for path in requested] if requested else [str(folder) for folder in self.folders]

    def run(self, name: str, positional: Sequence[str], options: Arguments | None = None) -> str:
        """What a command prints, between marks. Options are one word each, so that no value is taken for another."""
        words = [name, *_options(options or {}), *self._own_options(name), "--", *positional]
        return f"{NOTICE}\n{fenced(self._printed(words))}"

    def note(self, path: str, note: Arguments) -> str:
        """Add a note to the folder of notes."""
        if self.notes is None:
            raise UsageError("This server writes nothing.", "Start it with --notes FOLDER.")
        task = str(note["task"])
        options = {name: value for name, value in note.items() if name != "task"}
        return self._printed(["note", *_options({**options, "output": str(self._file())}), "--", path, task])

    def check(self, report: str, paths: Sequence[str]) -> str:
        """A report in Markdown, held against the runs."""
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.md"
            page.write_text(report, encoding="utf-8", errors="replace")
            options = [f"--runs={path}" for path in self.paths(paths)]
            query_file = self.notes / "queries.jsonl" if self.notes else None
            queries = [f"--queries={query_file}"] if query_file and query_file.exists() else []
            printed = self._printed(["check", *options, *queries, *self._own_options("check"), "--", str(page)])
        return printed.replace(str(page), "report.md")

    def _printed(self, words: Sequence[str]) -> str:
        """Standard output of a command; a command that finds something wrong has printed it."""
        from click import ClickException  # noqa: PLC0415 - as the command line is
        from click.exceptions import Exit  # noqa: PLC0415 - as above

        from blade.cli import cli  # noqa: PLC0415 - it imports this module

        stream = TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True)
        with self._lock, redirect_stdout(stream):
            try:
                cli.main(list(words), standalone_mode=False)
            except (SystemExit, Exit):
                pass
            except ClickException as error:
                raise UsageError(error.format_message(), "See the tool's arguments.") from None
        stream.seek(0)
        return stream.read()

    def _own_options(self, name: str) -> list[str]:
        options = []
        if name in ASKING:
            options.append(f"--output={self.notes}" if self.notes else "--no-keep")
        if self.notes is not None and self._file().exists() and name not in {"show", "compare"}:
            options.append(f"--annotations={self._file()}")
        return options

    def _file(self) -> Path:
        assert self.notes is not None  # noqa: S101 - asked before
        return self.notes / "annotations.jsonl"

    def _inside(self, requested: str) -> str:
        name, sign, path = requested.partition("=")
        if not (sign and name and "/" not in name):
            name, sign, path = "", "", requested
        place = None if "://" in path else next(self._candidates(path), None)
        if place is None and ("://" in path or any(mark in path for mark in "*?[")):
            raise UsageError(f"'{requested}' is no plain path.", f"Give a path below {self._listed()}.")
        if place is None or not self._holds(place) or not all(map(self._holds, _files(place))):
            raise UsageError(
                f"'{requested}' does not lie below the folders of this server.", f"They are: {self._listed()}."
            )
        return f"{name}{sign}{place}"

    def _candidates(self, path: str) -> Iterator[Path]:
        """As it stands, then below each folder; nothing for what is no path: a link round to itself, a zero in it."""
        for place in (Path(path), *(folder / path for folder in self.folders)):
            with suppress(OSError, RuntimeError, ValueError):
                yield place.resolve(strict=True)

    def _holds(self, place: Path) -> bool:
        return any(real_path(place).is_relative_to(folder) for folder in self.folders)

    def _listed(self) -> str:
        return ", ".join(map(str, self.folders))


def _files(place: Path) -> Iterator[Path]:
    """The files that would be read: a link must not lead out of the folders."""
    for plan in discover([str(place)]):
        for item in (*plan.rollouts, *(item for items in plan.sidecars.values() for item in items)):
            yield Path(getattr(item.path, "original", item.path))


def _options(values: Arguments) -> Iterator[str]:
    for name, value in values.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            yield option
        elif name == "pair":  # two words
            yield from (option, *value) if len(value) == 2 else ()
        elif isinstance(value, list | tuple):
            yield from (f"{option}={part}" for part in value)
        elif value is not None and value is not False and value != "":
            yield f"{option}={value}"


def told(answer: Callable[[], str]) -> str:
    """An answer, or what was wrong with the question, with the way out."""
    try:
        return answer()
    except BladeError as error:
        return printable(f"Error: {error.message} {error.hint or ''}")
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return f"Error: {error.strerror or error}"
