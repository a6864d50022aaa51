"""Programs and modules that a rollout calls for and the environment says it lacks."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.sent_calls import texts_of
from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex

MOST_NAMES = 12
LONGEST_ANSWER = 6_000
PROGRAM, MODULE = "program", "module"
_LACKS = late_regex(
    r"(?<!\w)(?:ba|da|z|k)?sh: (?:line )?(?:\d+: )?(?P<shell>[a-z][\w.+-]{1,40}): (?:command )?not found(?![\w:])|"
    r"\b(?:ba|z)sh: command not found: (?P<named>[a-z][\w.+-]{1,40})|"
    r"\bexec: \\?\"(?P<started>[a-z][\w.+-]{1,40})\\?\": executable file not found\b|"
    r"\b(?:ModuleNotFound|Import)Error: No module named '?(?P<module>[A-Za-z_]\w{1,40})"
)


_PROGRAM = late_regex(r"(?:^|[|;&(]|\b(?:sudo|xargs|time|exec|env)\s)\s*(?=([a-z][\w.+-]*))", re.MULTILINE)
"""What stands where a program does in a command."""
_WORDS = frozenset("a an and for from here i if in is it let now or so that the then there this to we with you".split())
"""What a sentence begins with that was sent as a command."""


def lacking(attempt: Attempt) -> dict[str, Any]:
    """`lacking`: each name that a call calls for and its answer says is not there, and whether it is a module.

    Left out is what no call names (the harness may miss it), modules that the rollout writes itself, and words of
    sentences or answers that were sent as commands.
    """
    names: dict[str, str] = {}
    for call in attempt.answered:
        answer = call.answer.text[:LONGEST_ANSWER] if call.answer is not None else ""
        if "not found" not in answer and "No module named" not in answer:
            continue
        for match in _LACKS.finditer(answer):
            name = next(filter(None, match.groups()))
            is_asked = _is_imported(name, attempt) if match["module"] else _is_run(name, call)
            if name not in names and is_asked:
                names[name] = MODULE if match["module"] else PROGRAM
    return {"lacking": [list(entry) for entry in list(names.items())[:MOST_NAMES]]} if names else {}


def _is_run(name: str, call: Call) -> bool:
    """Whether the call has it where a program stands, with something beside it."""
    texts = [text for text in texts_of(call) if text.strip() != name]
    return name not in _WORDS and any(name in _PROGRAM.findall(text) for text in texts)


def _is_imported(name: str, attempt: Attempt) -> bool:
    """Whether a call names the module, and none a file or folder of that name: that would be the rollout's own work."""
    texts = [arguments_text(call.step.arguments) for call in attempt.calls]
    return any(name in text for text in texts) and not any(f"{name}.py" in text or f"{name}/" in text for text in texts)
