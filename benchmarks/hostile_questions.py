"""Questions as somebody types them who does not know the language, or means harm: conditions, patterns, names.

Each is one that is understood, damaged by a seeded random. A command may refuse it; it may not raise, hang or print
what a screen obeys.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from benchmarks.fuzz_tally import Fault, Kind

Words = tuple[str | Path, ...]
_CONDITIONS = (
    "failed and calls > 2",
    "has(tools, 'look') and not has(findings, 'wrong_answer')",
    "grep('noth', 'tool') or igrep('QUESTION', 'task,model')",
    "reward >= 0.5 or not passed and void",
    "task in ('0', '1') and run = 'base'",
    "case when passed then 1 else 0 end = 1",
    "length(task) between 1 and 3 and task like '%1'",
)
_PATTERNS = ("noth", "(a+)+$", r"\bQuestion (\d+)", "[a-z]{1,3}|x", "(?i)BE brief", "(?P<n>.)", r"\\u0041|\x1b")
_PIECES = (
    *("(", ")", "'", "''", '"', ";", "--", "/*", "*", "%", "[", "]", "{", "}", ",", ".", "::int", "|", "||", "~", "\\"),
    *("null", "true", "not", "and", "or", "in", "is", "like", "/0", "% 0", "- -", "1e999", "9" * 400, "9" * 5_000),
    *("nan", "interval '1 d'", "date '2026-99-99'", "cast(task as int)", "reward.x", "tools[0]", "tools[99]", "?"),
    *("sum(reward)", "count(*)", "max(task)", "row_number() over ()", "repeat(task, 9)", "substr(task, -1)", "select"),
    *("(?=a)", r"\1", "{1000}{1000}", "(?", "[[:alpha:]]", r"\p{Greek}", "\x00", "\ud800", "\u202e", "\x1b]52;c"),
    *("é" * 3_000, "(" * 3_000, "not " * 3_000, "a " * 3_000, " or task = task" * 300, "\n", "\t", " "),
)  # fmt: skip
_PAGES = ("/", "/tasks", "/task", "/transcript", "/items", "/item", "/twin", "/twin-rows", "/search", "/text", "/raw")


def damaged(text: str, draw: random.Random) -> str:
    """The text with pieces put in, taken out or doubled."""
    for _ in range(draw.choice((0, 1, 1, 1, 2, 4))):
        start, end = sorted((draw.randrange(len(text) + 1), draw.randrange(len(text) + 1)))
        middle = draw.choice((draw.choice(_PIECES), draw.choice(_PIECES), text[start:end] * 2, ""))
        text = text[:start] + middle + text[end if draw.random() < 0.5 else start :]
    return text


def condition(draw: random.Random) -> str:
    return damaged(draw.choice(_CONDITIONS), draw)


def pattern(draw: random.Random) -> str:
    return damaged(draw.choice(_PATTERNS), draw)


def questions(paths: Sequence[Path], output: Path, draw: random.Random) -> list[Words]:
    """One damaged question for each command that takes one; options are one word with their value."""
    first, sought, name = paths[0], pattern(draw), damaged("t1", draw)
    allowed = ("--allow-unrelated", "--no-keep", "--")
    return [
        ("grep", *allowed, sought, *paths),
        ("grep", f"--where={condition(draw)}", f"--actor={name}", *allowed, sought, *paths),
        ("count", *allowed, condition(draw), *paths),
        ("count", f"--by={damaged('run,bucket', draw)}", *allowed, condition(draw), *paths),
        ("contrast", *allowed, condition(draw), condition(draw), *paths),
        ("tasks", f"--where={condition(draw)}", f"--slice={damaged('category=plain', draw)}", *allowed, *paths),
        ("reading-list", f"--where={condition(draw)}", "--allow-unrelated", "--", *paths),
        ("show", f"--attempt={damaged('0', draw)}", "--", first, name),
        ("note", f"--label={damaged('BI', draw)}", f"--quote={sought}", "--author=me", "--", first, name),
        ("compare", f"--format={damaged('csv', draw)}", "--", *paths),
        (
            "analyze",
            f"--slices={damaged('metadata.category', draw)}",
            f"--baseline={name}",
            "-q",
            "-o",
            output,
            "--",
            *paths,
        ),
    ]


def viewer_fault(get: Callable[[str], int], draw: random.Random) -> Fault | None:
    """What the viewer answers to damaged addresses: a page or a word that there is none, never an error of its own."""
    for page in _PAGES:
        fields = {"task": "t1", "of": "base", "attempt": "0", "item": "1", "q": "nothing", "page": "1", "from": "0"}
        fields |= {name: damaged(value, draw) for name, value in fields.items() if draw.random() < 0.4}
        address = f"{page}?" + "&".join(f"{name}={quote(value, errors='replace')}" for name, value in fields.items())
        if (status := get(address)) not in {200, 400, 404, 410, 414, 431}:
            return Fault(Kind.TRACEBACK, f"status {status} of {page}")
    return None
