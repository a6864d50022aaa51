"""Text for large corpora, dealt from pools of lines with fresh numbers: prose, logs, records, code, and tool rounds."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from blade.simulate.prose import WORDS, fresh_text, musing

__all__ = ["SHELL_TOOLS", "Rounds", "code", "log", "prose", "records", "thinking", "tool_rounds"]

Json = dict[str, Any]
POOL = 2000
FAILING = 0.06
LEVELS = ("INFO", "INFO", "INFO", "DEBUG", "WARNING", "ERROR")
FAULTS = (
    "Traceback (most recent call last):",
    "ValueError: invalid literal for int() with base 10: 'n/a'",
    "FileNotFoundError: [Errno 2] No such file or directory",
    "error: command exited with status 1",
    "timed out after 30 s, trying again",
)
MARKS = ("’s own note", "– see above", "→ next", "✓ done", "naïve")
FAILED = (
    '{"error": "no record has this id"}',
    '{"error": "the service is busy, try again"}',
    "bash: command not found",
    "Traceback (most recent call last):\nModuleNotFoundError: No module named 'tables'",
)


def _tool(name: str, says: str, *fields: str) -> Json:
    properties = {field: {"type": "string"} for field in fields}
    parameters = {"type": "object", "properties": properties, "required": [*fields], "additionalProperties": False}
    return {"name": name, "parameters": parameters, "strict": False, "type": "function", "description": says}


SHELL_TOOLS = (
    _tool("run_command", "Run a command in the sandbox.", "command"),
    _tool("read_file", "Read a file.", "path"),
    _tool("search_text", "Search the sources.", "pattern", "path"),
    _tool("edit_file", "Put new text in place of old text.", "path", "old", "new"),
)


def prose(rng: random.Random, chars: int) -> str:
    """Sentences as a model thinks aloud; some hold letters beyond ASCII."""
    return " ".join(_dealt(rng, _sentences(), chars))


def log(rng: random.Random, chars: int) -> str:
    """What a command prints: numbered lines, a few of them warnings and errors."""
    number = rng.randrange(1_000_000)
    return "\n".join(f"{number + step:07d} {line}" for step, line in enumerate(_dealt(rng, _log_lines(), chars)))


def code(rng: random.Random, chars: int) -> str:
    """A source file."""
    return "\n".join(_dealt(rng, _code_lines(), chars))


def records(rng: random.Random, chars: int) -> str:
    """A page of records as a search tool gives them: JSON inside a string."""
    found = _dealt(rng, _records(), chars)
    return f'{{"records": [{", ".join(found)}], "total": {len(found)}, "page": "{rng.getrandbits(40):x}"}}'


@dataclass(frozen=True, slots=True)
class Rounds:
    """Items of a long transcript: thinking, call, output, again and again."""

    items: list[Json]
    calls: int
    errors: int


def tool_rounds(rng: random.Random, chars: int, family: str) -> Rounds:
    """About this many characters of tool use. `family` is desk (searches) or shell (commands and files)."""
    make = _desk_call if family == "desk" else _shell_call
    items: list[Json] = []
    calls = errors = size = 0
    while size < chars:
        name, arguments, answer = make(rng, rng.randint(400, 1600) + int(rng.expovariate(1 / 2200)))
        failed = rng.random() < FAILING
        text, output = json.dumps(arguments), rng.choice(FAILED) if failed else answer
        call_id = f"call_{rng.getrandbits(64):016x}"
        call = {"arguments": text, "call_id": call_id, "name": name, "type": "function_call"}
        answered = {"call_id": call_id, "output": output, "type": "function_call_output", "id": None, "status": None}
        thought = thinking(rng, rng.randint(120, 700))
        items += (thought, {**call, "id": f"fc_{rng.getrandbits(64):016x}", "status": "completed"}, answered)
        calls += 1
        errors += failed
        size += len(output) * 21 // 20 + len(text) + 1000  # with its quotes escaped, and the items around it
    return Rounds(items, calls, errors)


def thinking(rng: random.Random, chars: int) -> Json:
    """One reasoning item with fresh words."""
    summary = [{"text": prose(rng, chars), "type": "summary_text"}]
    body = {"summary": summary, "type": "reasoning", "encrypted_content": None, "content": None}
    return {"id": f"rs_{rng.getrandbits(64):016x}", **body}


def _desk_call(rng: random.Random, chars: int) -> tuple[str, Json, str]:
    day = f"2031-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    name = rng.choice(("bookings_search", "invoices_search", "shifts_search"))
    owner = {"desk": rng.choice(WORDS)} if name == "shifts_search" else {"member_id": f"M{rng.randint(100, 999)}"}
    return name, {**owner, "date_from": day, "date_to": day}, records(rng, chars)


def _shell_call(rng: random.Random, chars: int) -> tuple[str, Json, str]:
    path = f"src/{rng.choice(WORDS)}/{rng.choice(WORDS)}_{rng.randint(1, 99)}.py"
    name = rng.choice(("run_command", "run_command", "read_file", "search_text", "edit_file"))
    if name == "run_command":
        return name, {"command": f"python -m pytest {path} -q -k {rng.choice(WORDS)}"}, log(rng, chars)
    if name == "read_file":
        return name, {"path": path}, code(rng, chars)
    if name == "search_text":
        return name, {"pattern": rng.choice(WORDS), "path": path}, log(rng, chars)
    return name, {"path": path, "old": code(rng, 200), "new": code(rng, 300)}, f"edited {path}"


def _dealt(rng: random.Random, pool: tuple[tuple[str, ...], int], chars: int) -> list[str]:
    lines, mean = pool
    return rng.choices(lines, k=max(1, chars // mean))


def _pool(name: str, make: Callable[[random.Random], str]) -> tuple[tuple[str, ...], int]:
    rng = random.Random(f"corpus {name}")
    lines = tuple(make(rng) for _ in range(POOL))
    return lines, 1 + sum(map(len, lines)) // POOL


@lru_cache(maxsize=1)
def _sentences() -> tuple[tuple[str, ...], int]:
    def make(rng: random.Random) -> str:
        said = musing(rng, 1) if rng.random() < 0.5 else fresh_text(rng, 96).strip().capitalize() + "."
        return f"{said} {rng.choice(MARKS)} {rng.randint(1, 9999)}." if rng.random() < 0.02 else said

    return _pool("sentences", make)


@lru_cache(maxsize=1)
def _log_lines() -> tuple[tuple[str, ...], int]:
    def make(rng: random.Random) -> str:
        if rng.random() < 0.01:
            return rng.choice(FAULTS)
        words = " ".join(rng.choices(WORDS, k=rng.randint(3, 12)))
        place = f"/srv/app/{rng.choice(WORDS)}/{rng.choice(WORDS)}.py:{rng.randint(1, 900)}"
        took = f"{rng.random() * 90:.3f}"
        return f"{rng.choice(LEVELS)} {place} {words} id={rng.getrandbits(32):08x} took={took}"

    return _pool("log", make)


@lru_cache(maxsize=1)
def _code_lines() -> tuple[tuple[str, ...], int]:
    def make(rng: random.Random) -> str:
        one, two, three = rng.choices(WORDS, k=3)
        forms = (
            f"def {one}_{two}({three}, limit={rng.randint(1, 500)}):",
            f"    {one} = {two}[{rng.randint(0, 60)}] + {three}",
            f'    if {one} == "{two} {three}":  # {" ".join(rng.choices(WORDS, k=6))}',
            f"        return {one}.{two}({three}=None)",
            f"    for {one}, {two} in enumerate({three}_{rng.randint(1, 999)}):",
        )
        return rng.choice(forms)

    return _pool("code", make)


@lru_cache(maxsize=1)
def _records() -> tuple[tuple[str, ...], int]:
    def make(rng: random.Random) -> str:
        made = {
            "booking_id": f"B{rng.randint(10_000, 99_999)}",
            "member_id": f"M{rng.randint(100, 999)}",
            "name": " ".join(rng.choices(WORDS, k=3)).title(),
            "date": f"2031-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
            "amount": round(rng.random() * 900, 2),
            "status": rng.choice(("confirmed", "cancelled", "open", "paid")),
        }
        return json.dumps(made)

    return _pool("records", make)
