"""The classes and the messages that the verifier itself left on a row, masked and few: one row may have several.

Classes are the short words of lists that tell of trouble (`failure_labels`); those of single fields and the counters
(`num_tool_failures`) stand among the fields of the row. Messages are sentences in fields of trouble, however deep, what
lists of checks say of those that fail, the lines of short logs, and the errors that end the tracebacks in its logs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.checks import failing_texts
from blade.extract.logs import is_log
from blade.extract.names import is_error_text, words
from blade.extract.raised_errors import RaisedError, errors_in, may_raise
from blade.extract.sent_calls import is_idle
from blade.extract.text import clip
from blade.extract.trouble import is_neutral
from blade.late_regex import late_regex
from blade.signatures import template

MOST_MESSAGES = 16
MOST_CLASSES = 12
MOST_FLAGS = 3
MOST_ERRORS = 4
MOST_READ = 40
DEEPEST = 6
DEEPEST_FIELD = 2
LONGEST = 600
LONGEST_CLASS = 60
LONGEST_SHOWN = 160
MOST_WORDS = 3
NEXT = "; "
MOST_LINES, LONGEST_LOG, FEWEST_WORDS = 40, 6_000, 3
_BEFORE_WORDS = late_regex(r"^(?:<time>|#|[^\w<])+\s*")
_TROUBLE = frozenset("failure failures error errors violation violations invalid issues problems flaws faults".split())
_HEAVY = frozenset({"responses_create_params", "response"})


def verifier_words(attempt: Attempt) -> dict[str, Any]:
    """`classes`: field → its words; `says`: templates of the messages; `flags`: field → counts of steps.

    These are the steps that it denies, all steps, and what `_idle_steps` counts. Nothing where the row has none.
    """
    classes: dict[str, list[str]] = {}
    messages: dict[str, None] = {}
    flags: dict[str, list[int]] = {}
    for name, value in attempt.once(_fields_of_row):
        if isinstance(value, list) and len(flags) < MOST_FLAGS and _is_by_step(value, attempt):
            flags[name] = [value.count(False), len(value), *_idle_steps(value, attempt)]
        if not _tells(name):
            continue
        if isinstance(value, list) and value and all(_is_class(item) for item in value):
            classes[name] = sorted(set(value))[:MOST_CLASSES]
        else:
            for text, _ in zip(_texts(value, 0), range(MOST_READ), strict=False):
                messages[template(text)] = None
    messages |= dict.fromkeys(_of_checks_and_logs(attempt))
    errors = attempt.once(_errors)[:MOST_ERRORS]
    messages |= {template(error.line): None for error in errors}
    record: dict[str, Any] = {"classes": classes} if classes else {}
    if messages:
        record["says"] = list(messages)[: MOST_MESSAGES + MOST_LINES + len(errors)]
    if flags:
        record["flags"] = flags
    if errors:
        record["raised"] = [clip(error.line, LONGEST_SHOWN) for error in errors]
    return {"verifier": record} if record else {}


def _of_checks_and_logs(attempt: Attempt) -> Iterator[str]:
    """What checks that fail say, and the lines of short logs, by their templates."""
    for text in islice(failing_texts(attempt.row), MOST_READ) if attempt.lost else ():
        if " " in text.strip() and len(text) <= LONGEST and not is_neutral(text):
            yield template(text.split(NEXT, 1)[0])  # one that lists several says the same of each
    for log in attempt.texts():
        if is_short_log(log.name, log.text):
            yield from _lines_of(log.text)


def is_short_log(name: str, text: str) -> bool:
    """Whether a field keeps a log of the verifier of a few lines, each of which may be told."""
    return text.count("\n") in range(1, MOST_LINES) and len(text) <= LONGEST_LOG and is_log(name)


def _lines_of(log: str) -> Iterator[str]:
    """The lines of a log by their templates, without the time before them; a line of a word or two says nothing."""
    for line in log.split("\n"):
        masked = _BEFORE_WORDS.sub("", template(line))
        if masked.count(" ") >= FEWEST_WORDS - 1:
            yield masked


def complaints(attempt: Attempt) -> list[str]:
    """The sentences in the fields that tell of trouble, as they are written."""
    return attempt.once(_complaints)


def _complaints(attempt: Attempt) -> list[str]:
    return [
        text
        for name, value in attempt.once(_fields_of_row)
        if _tells(name)
        for text, _ in zip(_texts(value, 0), range(MOST_READ), strict=False)
    ]


def _errors(attempt: Attempt) -> list[RaisedError]:
    return errors_in(attempt.texts()) if may_raise(attempt.all_texts) else []


def _fields_of_row(attempt: Attempt) -> list[tuple[str, Any]]:
    """Those fields of the row and of the objects in it that tell of trouble, and all lists."""
    fields: list[tuple[str, Any]] = []
    _add_fields(fields, attempt.row, "", 0)
    return fields


def _add_fields(fields: list[tuple[str, Any]], holder: dict[str, Any], prefix: str, depth: int) -> None:
    for name, value in holder.items():
        if not depth and (name in _HEAVY or name.startswith("ng_")):
            continue
        if isinstance(value, list) or _tells(prefix + name):
            fields.append((prefix + name, value))
        if isinstance(value, dict) and not _tells(name) and depth < DEEPEST_FIELD:
            _add_fields(fields, value, f"{prefix}{name}.", depth + 1)


def _is_by_step(values: list[Any], attempt: Attempt) -> bool:
    """Whether a list holds a yes or no for every call of the rollout."""
    return len(values) == len(attempt.calls) > 0 and all(isinstance(flag, bool) for flag in values)


def _idle_steps(flags: Sequence[bool], attempt: Attempt) -> tuple[int, int, int]:
    """Steps that run nothing and are affirmed, all that run nothing, and steps with an empty answer that are denied."""
    idle = [is_idle(call) for call in attempt.calls]
    empty = [
        bool(call.answers) and not any(answer.step.text.strip() for answer in call.answers) for call in attempt.calls
    ]
    return (
        sum(flag and runs_nothing for flag, runs_nothing in zip(flags, idle, strict=True)),
        sum(idle),
        sum(not flag and silent for flag, silent in zip(flags, empty, strict=True)),
    )


@lru_cache(maxsize=65536)
def _tells(name: str) -> bool:
    return is_error_text(name) or not _TROUBLE.isdisjoint(words(name))


def _is_class(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_CLASS and len(value.split()) <= MOST_WORDS


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Sentences in a value: a word by itself is a class, a long text is a log."""
    if isinstance(value, str):
        if " " in value.strip() and len(value) <= LONGEST and not is_neutral(value):
            yield value
    elif depth < DEEPEST and isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner, depth + 1)
