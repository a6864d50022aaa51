"""What can be told of a run at any time and at any size: while it is written, or where it is too large to hold."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from blade.counting.live import LiveCount
from blade.counting.partitions import Partitions
from blade.counting.summary import Summary
from blade.engine.discover import discover
from blade.engine.engines import open_engine
from blade.engine.files import Manner, Progress, Wanted, stream_files
from blade.engine.following import Following
from blade.engine.rows import NO_INPUTS
from blade.engine.runs import declared_of
from blade.engine.settings import find_benchmark, load_benchmark
from blade.facts.cache import FactsCache
from blade.facts.packed import Piece
from blade.options import Options
from blade.wording import count, percent, printable, score, span


def follow(
    *paths: str | Path, options: Options | None = None, every: float = 2.0, idle: float | None = None
) -> Iterator[Summary]:
    """The summary of a run that is being written, again after every look at what is new.

    It ends when all that was expected is there, or when nothing new came for `idle` seconds. What was read is then in
    the cache, so that an analysis need not read it again.
    """
    chosen = options or Options()
    with open_engine(chosen) as engine:
        following, live = Following(paths, chosen, engine), LiveCount(chosen)
        moved = time.monotonic()
        try:
            while True:
                news = following.look()
                if news.anew:
                    live = LiveCount(chosen)
                if news.inputs is not None:
                    live.expect(news.inputs)
                for file, piece in news.pieces:
                    live.add(piece.facts, file)
                found = live.summary()
                yield found
                moved = time.monotonic() if news.pieces else moved
                if (found.coverage or 0) >= 1 or (idle is not None and time.monotonic() - moved >= idle):
                    return
                time.sleep(every)
        finally:
            following.keep()


def summarize(
    *paths: str | Path, options: Options | None = None, progress: Progress | None = None
) -> dict[str, Summary]:
    """The summary of each run, by name, without ever holding a run: rows are counted in partitions."""
    chosen = options or Options()
    made = {}
    with open_engine(chosen) as engine:
        for plan in discover(paths):
            benchmark, _ = load_benchmark(find_benchmark([item.path.parent for item in plan.rollouts]))
            known = (declared_of(benchmark, chosen), NO_INPUTS)
            manner = Manner(FactsCache(chosen.cache_dir) if chosen.cache else None, chosen.fingerprint)
            with Partitions(chosen) as partitions:
                wanted = [Wanted(item.path, role) for role in ("inputs", "rollouts") for item in plan.of(role)]
                inputs = len(plan.of("inputs"))

                def take(number: int, _: int, piece: Piece, into: Partitions = partitions, first: int = inputs) -> None:
                    if number < first:
                        into.add_inputs(piece.facts)
                    else:
                        into.add(piece.facts, number)

                stream_files(wanted, [known], engine, take, manner, progress)
                made[plan.name] = partitions.summary()
    return made


def told(found: Summary) -> str:
    """A summary in one line."""
    scale = "unit" if found.interval or found.score is None or 0 <= found.score <= 1 else "native"
    rows = count(found.rollouts, "rollout")
    if found.expected is not None:
        rows = f"{found.rollouts:,} of {found.expected:,} rollouts ({percent(found.coverage)} graded)"
    parts = [f"{rows} of {count(found.tasks, 'task')}"]
    if found.score is None:
        return f"{parts[0]}; no score yet"
    shown = f"score {score(found.score, scale)}"
    if found.interval is not None:
        shown += f" (95 %: {span(found.interval, scale)})"
    if found.bounds is not None and (found.coverage or 0) < 1:
        shown += f", {span(found.bounds)} with what is missing"
    parts.append(shown)
    if found.buckets is not None:
        parts.append(", ".join(f"{many:,} {name}" for name, many in found.buckets.items()))
    if found.copies:
        parts.append(f"{count(found.copies, 'copy', 'copies')} left out")
    if found.broken:
        parts.append(f"{found.broken:,} broken by infrastructure")
    return "; ".join(parts)


def page(name: str, found: Summary) -> str:
    """A summary with its pass rates and slices, in lines."""
    lines = [f"{printable(name)}: {told(found)}"]
    rates = found.pass_at_k or {}
    shown = [k for k in (1, 2, 4, 8, 16, 32) if k in rates]
    if shown:
        lines.append("  " + ", ".join(f"pass@{k} {percent(rates[k])}" for k in shown))
    lines += [
        f"  {level.field} = {printable(level.value)}: {percent(level.score)} on {count(level.tasks, 'task')}"
        for level in found.slices
    ]
    return "\n".join(lines)
