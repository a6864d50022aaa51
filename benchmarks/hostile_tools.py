"""Arguments as an agent gives them to the tools of the MCP server: of the right type, and otherwise anything.

What has the wrong type is refused by the SDK before a tool sees it. A tool may answer with an error; it may not raise,
hang, or say what a screen obeys.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.fuzz_commands import CONTROL
from benchmarks.fuzz_tally import Fault, Kind
from benchmarks.hostile_questions import condition, damaged, pattern

from blade.cli.mcp_command import tools_of
from blade.cli.mcp_tools import ConfinedCommands

Tool = Callable[..., str]
TOOLS_PER_CASE = 4
_NUMBERS = (None, 0, 1, 2, 3, -1, 7, 4_000, 10**9, 1 << 63, -(1 << 64), 10**400)
_WORDS = {
    "task": "t1", "bucket": "never", "sort": "name", "by": "run,bucket", "of": "not void", "author": "me",
    "quote": "nothing", "label": "BI", "mechanism": "stops early", "blame": "model", "remark": "Read twice.",
    "actor": "model", "run": "base", "sections": "executive_summary", "pair": "base", "against": "second.jsonl",
}  # fmt: skip


def served_tools(folder: Path, draw: random.Random) -> tuple[Tool, ...]:
    """Some tools of a server of the folder, which may write notes or may not."""
    notes = folder.resolve().parent / "noted" if draw.random() < 0.5 else None
    return tuple(draw.sample(tools_of(ConfinedCommands((folder.resolve(),), notes)), TOOLS_PER_CASE))


def tools_fault(tools: Sequence[Tool], folder: Path, draw: random.Random) -> Fault | None:
    """What was wrong about the answers of tools; an exception is the caller's to name."""
    for tool in tools:
        answer = tool(**arguments(tool, folder, draw))
        if control := CONTROL.search(answer):
            return Fault(Kind.SCREEN, f"{control[0]!r} in the answer of {tool.__name__}")
    return None


def arguments(tool: Tool, folder: Path, draw: random.Random) -> dict[str, Any]:
    """One for each name that the tool must be given, and for some of the others."""
    parameters = inspect.signature(tool, eval_str=True).parameters.values()
    wanted = [parameter for parameter in parameters if parameter.default is parameter.empty or draw.random() < 0.4]
    return {parameter.name: _argument(parameter, folder, draw) for parameter in wanted}


def _argument(parameter: inspect.Parameter, folder: Path, draw: random.Random) -> Any:
    kind = str(parameter.annotation)
    if "bool" in kind:
        return draw.random() < 0.5
    if "int" in kind:
        return draw.choice(_NUMBERS if "None" in kind else _NUMBERS[1:])
    if "list" in kind:
        return [_word(parameter.name, folder, draw) for _ in range(draw.choice((0, 1, 1, 2, 3)))]
    return _word(parameter.name, folder, draw)


def _word(name: str, folder: Path, draw: random.Random) -> str:
    if name in {"path", "paths", "more_paths", "base", "candidate"}:
        return damaged(draw.choice(("base.jsonl", "second.jsonl", "base=base.jsonl", str(folder))), draw)
    if name in {"condition", "condition_a", "condition_b", "where"}:
        return condition(draw)
    if name == "report":
        report = folder / "report.md"
        text = report.read_bytes().decode("utf-8", errors="replace") if report.is_file() else "5 of 10 pass."
        return damaged(text, draw)
    return pattern(draw) if name == "pattern" else damaged(_WORDS[name], draw)
