"""Progress on standard error: the stage of the analysis and how much was read, after two seconds, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

from blade import timings

PATIENCE = 2.0


@contextmanager
def reading(paths: Sequence[str], *, quiet: bool = False) -> Iterator[Callable[[int], None] | None]:
    """Yields a function that is told how many bytes were read; every stage that begins inside is named."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only on a terminal
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    total = float(_bytes(paths)) or None
    task = bar.add_task("", total=None)

    def name_stage(name: str) -> None:
        """What comes after reading takes nobody knows how long: its bar moves, and shows no percentage."""
        bar.update(task, description=name, completed=0)
        bar.tasks[0].total = total if name == timings.READING else None  # `update` takes None for no change

    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        with timings.watching(name_stage):
            yield lambda read: bar.advance(task, read)
    finally:
        timer.cancel()
        timer.join()
        if bar.live.is_started:
            bar.stop()


def _bytes(paths: Sequence[str]) -> int:
    total = 0
    for argument in paths:
        path = Path(argument.partition("=")[2] or argument)
        files = path.iterdir() if path.is_dir() else [path]
        total += sum(file.stat().st_size for file in files if file.is_file() and ".jsonl" in file.name)
    return total
