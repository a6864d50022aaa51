"""Opens the index of some runs: from disk where they were seen before, else by reading and analyzing them."""

from __future__ import annotations

from collections.abc import Sequence

from blade.engine.files import Progress
from blade.index import index_cache
from blade.index.tables import Index
from blade.options import Options


def open_index(
    paths: Sequence[str], options: Options, progress: Progress | None = None, pair: Sequence[str] = ()
) -> Index:
    """The slow modules are loaded only where something must be read. With a pair, the index of its two runs alone."""
    key = index_cache.key_of(paths, options, pair) if options.cache else ""
    cached = index_cache.load(key, options.cache_dir) if key else None
    if cached is not None:
        return cached
    from blade.index.build_index import gather  # noqa: PLC0415 - heavy: statistics, all rules and sections

    index = gather(paths, options, progress, pair)
    if key:
        index_cache.save(key, index, options.cache_dir)
    return index
