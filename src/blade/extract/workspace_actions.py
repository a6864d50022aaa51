"""What a call does in a workspace: it edits a file, runs code, or tests it, as its tool and its command line tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from blade.extract.calls import Call
from blade.extract.commands import LONGEST_COMMAND, Deed, patched, shell_deeds
from blade.extract.names import words
from blade.extract.prefilter import holds_any
from blade.late_regex import late_regex

_TAIL = 3_000
_SHELL = frozenset("bash shell sh terminal command cmd execute exec run console".split())
_CODE = frozenset("code python ipython jupyter notebook interpreter repl".split())
_EDITORS = frozenset(
    "edit edits editor write patch replace insert create overwrite swap substitute modify append".split()
)
_COMMANDS = ("command", "cmd", "keystrokes", "action", "code", "script", "commands", "input")
_PATHS = ("path", "file_path", "filePath", "filepath", "filename", "file_name", "file", "target_file")
_OLD = ("old_string", "old_str", "oldString", "oldText", "old_text", "search", "old", "find", "before")
_NEW = (
    "new_string",
    "new_str",
    "newString",
    "newText",
    "new_text",
    "replace",
    "new",
    "insert_text",
    "put",
    "replacement",
    "after",
)
_WHOLE = ("content", "file_text", "contents", "text")
_BAD_CHECK = late_regex(
    r"\b[1-9]\d* (failed|failures?|errors?)\b|\b(failures|errors)=[1-9]|^FAILED\b|^FAIL:|^--- FAIL|"
    r"^\w*(Error|Exception): |^E   |Traceback \(most recent call last\)|\b(BUILD|TESTS?) FAILED\b|"
    r"\berror: |\bfatal error\b|Segmentation fault|\bTests? failed\b",
    re.MULTILINE,
)
_BAD_HINTS = ("fail", "rror", "FAIL", "E   ", "Exception: ", "Traceback", "Segmentation")
"""What tells of a failed check holds one of these."""
_NO_MATCH = late_regex(r"\b(grep|egrep|rg|diff|cmp|which|pgrep|test|\[|command -v|type|find|ls)\b|\bcommand -v\b")
_EXIT_ONE = late_regex(r"\D1$")


def command_of(call: Call) -> str:
    """The command line or the code that a call hands to a shell or an interpreter; empty for every other tool."""
    if _tool_kind(call.name) not in {"shell", "code"}:
        return ""
    arguments = call.arguments
    if isinstance(arguments, str):
        return arguments[:LONGEST_COMMAND]
    if not isinstance(arguments, dict):
        return ""
    for key in _COMMANDS:
        value = arguments.get(key)
        if isinstance(value, list):
            value = " ".join(part for part in value if isinstance(part, str))
        if isinstance(value, str) and value:
            return value[:LONGEST_COMMAND]
    return ""


def deeds(call: Call) -> Sequence[Deed]:
    """What a call does, in order."""
    kind = _tool_kind(call.name)
    if kind == "test":
        return [Deed("test")]
    if kind == "edit":
        return list(_tool_edits(call.arguments))
    command = command_of(call)
    if not command:
        return []
    if kind == "code":
        return [Deed("run")]
    return _in_shell(command)


class Work(NamedTuple):
    """What a call does to files and in a shell."""

    call: Call
    deeds: Sequence[Deed]
    command: str

    @property
    def checks(self) -> bool:
        """Whether it runs or tests something."""
        return any(deed.kind != "edit" for deed in self.deeds)


def work_of(call: Call) -> Work | None:
    """None for a call of a tool that neither edits nor runs anything."""
    if not _tool_kind(call.name):
        return None
    work = Work(call, deeds(call), command_of(call))
    return work if work.deeds or work.command else None


def check_problem(call: Call) -> tuple[int, int] | None:
    """Where the answer of a test or a run tells of a failure: the start and the end in its text."""
    if call.answer is None:
        return None
    text = call.answer.text
    base = max(len(text) - _TAIL, 0)
    match = _BAD_CHECK.search(text, base) if holds_any(text[base:], _BAD_HINTS) else None
    if match:
        stop = text.find("\n", match.start())
        return match.start(), min(len(text) if stop < 0 else stop, match.start() + 160)
    if call.failed and not harmless(call):
        at = text.find(call.problem or "")
        return (at, at + min(len(call.problem or ""), 160)) if at >= 0 and call.problem else (0, min(len(text), 160))
    return None


def harmless(call: Call) -> bool:
    """Exit code 1 of a command that only says "nothing found": a search, a comparison, a question."""
    problem = call.problem
    if problem is None or len(problem) > 40 or _EXIT_ONE.search(problem) is None:
        return False
    return _NO_MATCH.search(command_of(call)) is not None


def edits_files(name: str) -> bool:
    """Whether a tool edits files."""
    return _tool_kind(name) == "edit"


def runs_things(name: str) -> bool:
    """Whether a tool can run code: a shell, an interpreter, a test runner."""
    return _tool_kind(name) in {"shell", "code", "test"}


@lru_cache(maxsize=1024)
def _in_shell(command: str) -> tuple[Deed, ...]:
    """Many rules ask the same of the same command."""
    return tuple(shell_deeds(command))


@lru_cache(maxsize=4096)
def _tool_kind(name: str) -> str:
    have = set(words(name.replace(".", "_")))
    if have & {"test", "tests"} and have & (_SHELL | {"tests"}):
        return "test"
    if have & _CODE and not have & {"search", "review", "edit", "read", "write"}:
        return "code"
    if have & _SHELL:
        return "shell"
    return "edit" if have & _EDITORS else ""


def _tool_edits(arguments: Any) -> Iterator[Deed]:
    if isinstance(arguments, str):
        yield from patched(arguments)
        return
    if not isinstance(arguments, dict):
        return
    for key in ("input", "patch", "diff"):
        value = arguments.get(key)
        if isinstance(value, str):
            yield from patched(value)
    path = _text(arguments, _PATHS)
    if not path:
        return
    inner = arguments.get("edits")
    parts = [arguments, *(part for part in inner if isinstance(part, dict))] if isinstance(inner, list) else [arguments]
    for part in parts:
        old, new, content = _text(part, _OLD), _text(part, _NEW), _text(part, _WHOLE)
        if old or new:
            yield Deed("edit", path, old=old, new=new)
        elif content:
            yield Deed("edit", path, creates=True, new=content)


def _text(holder: Mapping[str, Any], keys: Sequence[str]) -> str:
    return next((holder[key] for key in keys if isinstance(holder.get(key), str) and holder[key]), "")
