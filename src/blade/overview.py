"""What can be told of a run at any time and at any size: while it is written, or where it is too large to hold."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from blade.counting.live import LiveCount
from blade.counting.partitions import Partitions
from blade.counting.run import TASK_ID
from blade.counting.summary import Summary
from blade.engine.discover import discover
from blade.engine.engines import open_engine
from blade.engine.files import FileRequest, Progress, ReadOptions, stream_files
from blade.engine.following import Following
from blade.engine.rows import NO_INPUTS
from blade.engine.runs import declared_of
from blade.engine.settings import find_benchmark, load_benchmark
from blade.facts.cache import FactsCache
from blade.facts.chunk import FactsChunk
from blade.options import Options
from blade.wording import count, percent, printable, score, span


def follow(
    *paths: str | Path, options: Options | None = None, every: float = 2.0, idle: float | None = None
) -> Iterator[Summary]:
    """The summary of a run that is being written, again after every look at what is new.

    It ends when all that was expected is there, or when nothing new came for `idle` seconds. What was read is then in
    the cache, so that an analysis need not read it again.
    """
    settings = options or Options()
    with open_engine(settings) as engine:
        following, live = Following(paths, settings, engine), LiveCount(settings)
        moved, by_name = time.monotonic(), False
        try:
            while True:
                news = following.look()
                if news.anew or (following.translated and not by_name):
                    by_name = following.translated
                    live = LiveCount(_by_name(settings) if by_name else settings)
                if news.inputs is not None:
                    live.expect(news.inputs)
                for file, piece in news.pieces:
                    live.add(piece.facts, file)
                summary = live.summary()
                yield summary
                moved = time.monotonic() if news.pieces else moved
                if (summary.coverage or 0) >= 1 or (idle is not None and time.monotonic() - moved >= idle):
                    return
                time.sleep(every)
        finally:
            following.keep()


def summarize(
    *paths: str | Path, options: Options | None = None, progress: Progress | None = None
) -> dict[str, Summary]:
    """The summary of each run, by name, without ever holding a run: rows are counted in partitions."""
    settings = options or Options()
    summaries = {}
    with open_engine(settings) as engine:
        for plan in discover(paths, settings.field_map):
            benchmark, _ = load_benchmark(find_benchmark([item.path.parent for item in plan.rollouts]))
            context = (declared_of(benchmark, settings), NO_INPUTS)
            manner = ReadOptions(FactsCache(settings.cache_dir) if settings.cache else None, settings.fingerprint)
            with Partitions(_by_name(settings) if plan.translated else settings) as partitions:
                requests = [FileRequest(item.path, role) for role in ("inputs", "rollouts") for item in plan.of(role)]
                inputs = len(plan.of("inputs"))

                def take(
                    number: int, _: int, piece: FactsChunk, into: Partitions = partitions, first: int = inputs
                ) -> None:
                    if number < first:
                        into.add_inputs(piece.facts)
                    else:
                        into.add(piece.facts, number)

                stream_files(requests, [context], engine, take, manner, progress)
                summaries[plan.name] = partitions.summary()
    return summaries


def _by_name(options: Options) -> Options:
    """Tasks of another program are called by its own ids, whatever their prompts."""
    return replace(options, match_by=options.match_by or TASK_ID)


def summary_line(summary: Summary) -> str:
    """A summary in one line."""
    scale = "unit" if summary.interval or summary.score is None or 0 <= summary.score <= 1 else "native"
    rows = count(summary.rollouts, "rollout")
    if summary.expected is not None:
        rows = f"{summary.rollouts:,} of {summary.expected:,} rollouts ({percent(summary.coverage)} graded)"
    parts = [f"{rows} of {count(summary.tasks, 'task')}"]
    if summary.score is None:
        return f"{parts[0]}; no score yet"
    score_text = f"score {score(summary.score, scale)}"
    if summary.interval is not None:
        score_text += f" (95 %: {span(summary.interval, scale)})"
    if summary.bounds is not None and (summary.coverage or 0) < 1:
        score_text += f", {span(summary.bounds)} with what is missing"
    parts.append(score_text)
    if summary.buckets is not None:
        parts.append(", ".join(f"{tasks:,} {name}" for name, tasks in summary.buckets.items()))
    if summary.copies:
        parts.append(f"{count(summary.copies, 'copy', 'copies')} left out")
    if summary.broken:
        parts.append(f"{summary.broken:,} broken by infrastructure")
    return "; ".join(parts)


def page(name: str, summary: Summary) -> str:
    """A summary with its pass rates and slices, in lines."""
    lines = [f"{printable(name)}: {summary_line(summary)}"]
    rates = summary.pass_at_k or {}
    ks = [k for k in (1, 2, 4, 8, 16, 32) if k in rates]
    if ks:
        lines.append("  " + ", ".join(f"pass@{k} {percent(rates[k])}" for k in ks))
    lines += [
        f"  {level.field} = {printable(level.value)}: {percent(level.score)} on {count(level.tasks, 'task')}"
        for level in summary.slices
    ]
    return "\n".join(lines)
