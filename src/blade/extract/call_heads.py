"""The calls of a rollout in a few words each: the tool, or the program of a command line and its first argument."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from blade.extract.calls import Call, changing_name
from blade.extract.commands import HEREDOC, PARTS
from blade.extract.text import clip
from blade.late_regex import late_regex

MOST = 80
LONGEST = 60
LONGEST_COMMAND = 4_000
_BEFORE = late_regex(r"(?:sudo|time|env|exec|nohup|\w+=\S*)\s+")
_PROGRAM = late_regex(r"[A-Za-z][\w.+-]*$")
_SAYS_NOTHING = frozenset(
    "echo printf cd true false then do done fi else return import from def class elif except raise assert yield pass "
    "break continue const let var function".split()
)
"""What does nothing by itself, and words of languages in which the lines of a text are no commands."""
_NO_NAME = ("-", '"', "'", "$", ">", "<", "{", "(")
_ASIDE = late_regex(r"(?<!\S)(?:\d?>&\d|2>>?\s*\S+|[\d&]?>>?\s*/dev/null)(?!\S)")
"""Errors sent elsewhere, and what nobody reads."""
_WRITTEN = late_regex(r"(?<!\S)[1&]?>>?\s*([^\s>&]+)")
_FILE = late_regex(r"[\w./~-]*\w\.\w{1,8}$")
_COMMANDS = ("command", "cmd", "script", "code", "input", "bash")


def call_heads(calls: Sequence[Call]) -> list[str]:
    """Each kind of call once, in order of its first: `man rencrypt`, `git log`, or a tool's name."""
    heads: dict[str, None] = {}
    for call in calls:
        for head in _heads(call):
            heads[clip(head, LONGEST)] = None
            if len(heads) >= MOST:
                return list(heads)
    return list(heads)


def _heads(call: Call) -> list[str]:
    command = _command(call)
    if command is None:
        return [call.name] if call.name else []
    command = command[:LONGEST_COMMAND]
    parts = PARTS.split(HEREDOC.sub(r"\2\n", command) if "<<" in command else command)
    return [head for part in parts for head in _heads_of(part)]


def _command(call: Call) -> str | None:
    """The command line of a call of a shell; None for other tools."""
    if changing_name(call.name) is not None:
        return None
    arguments = call.arguments
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, dict):
        return None
    return next((arguments[key] for key in _COMMANDS if isinstance(arguments.get(key), str)), None)


def _heads_of(part: str) -> list[str]:
    """The program and its first argument that is no option, of a path the last part; each file, where it takes several.

    A file that it only writes stands behind an arrow.
    """
    part = part.strip()
    before = _BEFORE.match(part)
    words = part[before.end() :].split() if before else part.split()
    if not words:
        return []
    program = words[0].rsplit("/", 1)[-1]
    if not _PROGRAM.match(program) or program in _SAYS_NOTHING:
        return []
    arguments, written_files = _without_written_files(words[1:]) if ">" in part else (words[1:], [])
    places = [place for place, word in enumerate(arguments[:3]) if not word.startswith(_NO_NAME)]
    if not places:
        return [f"{program} > {_name(written_files[0])}"] if written_files else [program]
    first, *further_arguments = arguments[places[0] :]
    files = takewhile(_FILE.match, further_arguments) if _FILE.match(first) else ()
    return [f"{program} {_name(word)}".strip() for word in (first, *files)]


def _without_written_files(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments of a command with its output, and the files that this goes to."""
    command = _ASIDE.sub("", " ".join(words))
    return _WRITTEN.sub(" ", command).split(), _WRITTEN.findall(command)


def _name(word: str) -> str:
    return word.rstrip("/").rsplit("/", 1)[-1]
