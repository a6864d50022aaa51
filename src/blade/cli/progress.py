"""A progress bar on standard error, on anything that takes longer than two seconds, and only where somebody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 2.0


@contextmanager
def reading(paths: Sequence[str]) -> Iterator[Callable[[int], None] | None]:
    """Yields a function that is told how many bytes were read."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only on a terminal
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    bar = Progress(
        TextColumn("reading"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("reading", total=_bytes(paths) or None)
    begun = time.monotonic()
    shown = False

    def tell(read: int) -> None:
        nonlocal shown
        bar.advance(task, read)
        if not shown and time.monotonic() - begun > PATIENCE:
            shown = True
            bar.start()

    try:
        yield tell
    finally:
        if shown:
            bar.stop()


def _bytes(paths: Sequence[str]) -> int:
    total = 0
    for given in paths:
        path = Path(given.partition("=")[2] or given)
        files = path.iterdir() if path.is_dir() else [path]
        total += sum(file.stat().st_size for file in files if file.is_file() and ".jsonl" in file.name)
    return total
