"""What the commands that ask questions share: their options, how runs are opened, and where a question is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from blade.cli.progress import reading
from blade.cli.reading_options import as_options, caching, comparing, describing, scoring

if TYPE_CHECKING:
    from blade.index.tables import Index
    from blade.queries.question_file import Counts, Query

Command = TypeVar("Command", bound=Callable[..., None])
TOKENS = 4_000


def asking(command: Command) -> Command:
    """--tokens, and all options that say how runs are read and compared."""
    size = click.option(
        "--tokens", type=click.IntRange(min=200), default=TOKENS, show_default=True, help="How long the answer may be."
    )
    return size(describing(scoring(caching(comparing(command)))))


def keeping(command: Command) -> Command:
    """-o and --no-keep."""
    place = click.option(
        "-o",
        "--output",
        "kept_in",
        type=click.Path(path_type=Path),
        help="The folder or .jsonl file that keeps the question (default: queries.jsonl here).",
    )
    return place(click.option("--no-keep", is_flag=True, help="Keep no question.")(command))


def opened(paths: tuple[str, ...], options: Mapping[str, Any], pair: Sequence[str] = ()) -> Index:
    """The index of the runs, or of a pair of them; from disk where they were asked before."""
    from blade.index.open_index import open_index  # noqa: PLC0415 - heavy: only when the command runs

    with reading(paths) as progress:
        return open_index(paths, as_options(options), progress, pair)


def cited(index: Index, query: Query, counts: Counts, kept_in: Path | None, *, no_keep: bool) -> str:
    """The last line of an answer: the id under which its counts can be cited."""
    from blade.queries.question_file import keep, place_of  # noqa: PLC0415 - as above

    digests = index.facts["digests"]
    if no_keep:
        return f"[q:{query.id(digests)}] not kept"
    place = place_of(kept_in)
    return f"[q:{keep(query, digests, counts, place)}] kept in {place}: cite it, and `blade check` counts again"
