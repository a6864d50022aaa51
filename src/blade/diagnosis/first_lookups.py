"""With which look-ups the work begins: the tools that give passes their first answer, nearly all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

FEWEST_PASSES = 8
NEARLY_ALL = 0.9
MOST_TOOLS = 3


def first_lookups(passes: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The fewest tools of which one answers in nearly all passes, by how often each gives the first answer.

    `passes` has for each pass the tools that told it something. None where there is no such handful of tools.
    """
    firsts = Counter(tools[0] for tools in passes if tools)
    opening_tools: list[str] = []
    for tool, _ in sorted(firsts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_TOOLS]:
        opening_tools.append(tool)
        covered = sum(not set(opening_tools).isdisjoint(tools) for tools in passes)
        if len(passes) >= FEWEST_PASSES and covered >= NEARLY_ALL * len(passes):
            return tuple(opening_tools)
    return ()


def known_everywhere(first: Iterable[str], called_by_run: Mapping[str, Iterable[Iterable[str]]]) -> bool:
    """Whether every run that makes calls calls one of these tools: another agent may have them under other names."""
    wanted = set(first)
    return all(
        not rollouts_called or any(not wanted.isdisjoint(tools) for tools in rollouts_called)
        for rollouts_called in ([tools for tools in map(set, rows) if tools] for rows in called_by_run.values())
    )
