"""The tool calls of a rollout, each with its answer: did it fail, does it change something, does its command write."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import Any

from blade.extract.answers import answered_calls
from blade.extract.failure import broken_message, failure, own_complaint
from blade.extract.json_spans import Path, leaves
from blade.extract.names import words
from blade.extract.prefilter import may_hold
from blade.extract.text import canonical, clip
from blade.extract.transcript import arguments_text, arguments_value
from blade.late_regex import late_regex
from blade.model import Step, StepKind

_REDIRECTS = r"(?<![0-9&])>{1,2}\s*(?!/dev/null|&)[\w./~$\"'-]"
_COMMANDS = (
    r"\bsed\s+-i|\bgit\s+(apply|commit|push|checkout|reset|am|merge)\b|"
    r"\b(rm|mv|cp|mkdir|touch|chmod|chown|ln|tee|patch|truncate|dd)\s|\b(pip3?|npm|apt|apt-get|yarn|cargo|conda)\s+"
    r"(install|add|remove|uninstall)\b|\b(INSERT|UPDATE|DELETE|DROP|ALTER|CREATE)\s"
)
_WORDS = frozenset(
    b"sed git rm mv cp mkdir touch chmod chown ln tee patch truncate dd pip pip3 npm apt yarn cargo conda "
    b"INSERT UPDATE DELETE DROP ALTER CREATE".split()
)
"""The words that the commands begin with."""
_REDIRECT = late_regex(_REDIRECTS)
_COMMAND = late_regex(_COMMANDS)
_APART = bytes(code if code < 128 and (chr(code).isalnum() or chr(code) == "_") else 32 for code in range(256))


def writing(text: str) -> bool:
    """Whether a text of a command writes: it sends output to a file, or holds a command that changes something.

    To take a text apart and look at the places of single words costs far less than to try a pattern everywhere.
    """
    if _matches(_REDIRECT, text, ">"):
        return True
    parts = text.encode("utf-8", errors="replace").translate(_APART).split()
    return any(_matches(_COMMAND, text, word.decode()) for word in _WORDS.intersection(parts))


def _matches(pattern: re.Pattern[str], text: str, word: str) -> bool:
    """Whether a pattern that begins with a word matches at one of the word's places."""
    at = text.find(word)
    while at >= 0:
        if pattern.match(text, at):
            return True
        at = text.find(word, at + 1)
    return False


_READS = frozenset(
    "get list find search read view lookup look fetch query check show count calculate think describe inspect "
    "browse open grep ls cat head tail select explain status info retrieve scan preview validate verify test".split()
)
_CHANGES = frozenset(
    "create add update delete remove send book cancel write edit apply submit modify set assign reassign move rename "
    "insert put post patch upload save schedule reschedule reply forward exchange return transfer pay purchase buy "
    "register enroll approve reject close reopen archive mark toggle enable disable complete change replace append "
    "commit push merge deploy start stop restart kill install uninstall drop grant revoke issue refund order place "
    "invite share publish unsubscribe subscribe reset finish".split()
)
_NOUNS = frozenset("status info test count head tail".split())
"""Words that read only where no plain verb of change stands beside them: `order_status`, but `invoice_set_status`."""
_VERBS = frozenset(
    "set update change modify edit create add delete remove write assign reassign mark reset toggle replace".split()
)
_SHELL = frozenset("bash shell sh terminal command cmd execute exec run".split())
_FINISHES = frozenset("finish finished submit submission done terminate final answer exit stop completion".split())
_FINISHING = frozenset({("complete",), ("end",), ("complete", "task"), ("task", "complete"), ("end", "task")})
_HANDS_OVER = frozenset("human handoff handover".split())
_FINISHING_WORDS = late_regex(
    r"\bsubmit(ted)?\b|submit_|_submit|(complete|finish|end|submit)_(the_)?task|task_(is_)?complete(d)?\W{0,4}true|"
    r"\bTASK_COMPLETE|COMPLETE_TASK",
    re.IGNORECASE,
)
_NUMBER = late_regex(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_FINISHING_HINTS = ("submit", "_task", "task_")
_NESTED = frozenset({dict, list})
_SHORT_ARGUMENTS = 4000
_REPEATING = 2000
"""Longer arguments and answers are seldom the same."""
_BY_PLACE = attrgetter("place")
_CALL = StepKind.CALL


@dataclass(slots=True)
class Answer:
    """What a tool said. `problem` is the message of a failure, None where it went well."""

    step: Step
    place: int
    problem: str | None


@dataclass(slots=True)
class Call:
    """One call. `place` is its index among the steps of the rollout."""

    step: Step
    place: int
    arguments: Any  # parsed where it is JSON; a string that is no JSON stays one
    name: str = ""
    _key: bytes | None = None
    _action: str | None = None
    answers: list[Answer] = field(default_factory=list)
    declared: bool = False  # the benchmark's owner says that this tool changes something
    answer: Step | None = None
    """The last one."""
    problem: str | None = None
    """The message of a failed call."""
    failed: bool = False
    _plain: list[tuple[Path, Any]] | None = None
    _changes: bool | None = None

    def take(self, answer: Answer) -> None:
        """One more answer: the last one tells whether the call failed."""
        self.answers.append(answer)
        self.answer = answer.step
        self.problem = answer.problem
        self.failed = answer.problem is not None

    @property
    def key(self) -> bytes:
        """Tool and canonical arguments: the same call has the same key."""
        if self._key is None:
            self._key = key_of(self.step.name, self.arguments)
        return self._key

    @property
    def action(self) -> str:
        """The call without its values: the tool and the names of its arguments."""
        if self._action is None:
            self._action = action_of(self.step.name, self.arguments)
        return self._action

    @property
    def changes(self) -> bool:
        """Whether the call changes something, as its owner, its name or its shell command tells."""
        if self._changes is None:
            verdict = True if self.declared else changing_name(self.name) and not self.computes
            self._changes = verdict if verdict is not None else writes(self.arguments)
        return self._changes

    @property
    def computes(self) -> bool:
        """Whether numbers went in and a number came back: `add` of two figures changes nothing, whatever its name."""
        arguments = self.arguments
        if not isinstance(arguments, dict) or not arguments or self.answer is None:
            return False
        if any("id" in words(name) or not _is_number(value) for name, value in arguments.items()):
            return False
        result = arguments_value(self.answer.text)
        values = list(result.values()) if isinstance(result, dict) else [result]
        return len(values) == 1 and _is_number(values[0])

    @property
    def plain(self) -> list[tuple[Path, Any]]:
        """The plain values of the arguments with their paths."""
        if self._plain is None:
            self._plain = _plain(self.arguments) if isinstance(self.arguments, dict) else []
        return self._plain

    @property
    def finishes(self) -> bool:
        """Whether the call hands in or ends the work, as its name or its command tells."""
        return finishing_name(self.name) or finishing_command(arguments_text(self.step.arguments))


def _is_number(value: Any) -> bool:
    """A number, a list of numbers, or a text that is nothing else."""
    if isinstance(value, list):
        return bool(value) and all(_is_number(item) for item in value)
    if isinstance(value, str):
        return _NUMBER.fullmatch(value.strip()) is not None
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _plain(arguments: dict[str, Any]) -> list[tuple[Path, Any]]:
    """Most calls have no lists or objects among their arguments."""
    if not _NESTED.isdisjoint(map(type, arguments.values())):
        return list(leaves(arguments))
    return [((key,), value) for key, value in arguments.items() if value is not None]


def key_of(name: str, arguments: Any) -> bytes:
    return name.encode("utf-8", errors="replace") + b"\x00" + canonical(arguments)


def action_of(name: str, arguments: Any) -> str:
    if isinstance(arguments, str):
        return clip(f"{name}(?)", 120)
    return _action_of_keys(name, *(arguments if isinstance(arguments, dict) else ()))


@lru_cache(maxsize=1024)
def _action_of_keys(name: str, *keys: str) -> str:
    """A tool is called with the same few arguments again and again."""
    return clip(f"{name}({','.join(sorted(keys))})", 120)


@lru_cache(maxsize=4096)
def finishing_name(name: str) -> bool:
    """finish, submit_answer, task_complete, transfer_to_human: after such a call nothing more is expected."""
    have = words(name.replace(".", "_"))
    return have in _FINISHING or bool(set(have) & (_FINISHES | _HANDS_OVER))


def finishing_command(command: str) -> bool:
    """Whether a command says that it hands in or ends the work."""
    end = command[-_SHORT_ARGUMENTS:]
    return may_hold(end, _FINISHING_HINTS) and _FINISHING_WORDS.search(end) is not None


def calls_of(steps: Sequence[Step], changing: Collection[str] = ()) -> list[Call]:
    """Every call with the answers to it."""
    return without_echoes(every_call(steps, changing))


def every_call(steps: Sequence[Step], changing: Collection[str] = ()) -> list[Call]:
    """The calls one by one as they are written, echoes too."""
    call_at: dict[int, Call] = {}
    for place, step in enumerate(steps):
        if step.kind is _CALL:
            arguments = step.arguments
            if isinstance(arguments, str) and len(arguments) <= _REPEATING:
                call_at[place] = Call(step, place, *_read(step.name, arguments), [], step.name in changing)
            else:
                call_at[place] = Call(
                    step, place, arguments_value(arguments), step.name, declared=step.name in changing
                )
    for place, owner in (answered_calls(steps) if call_at else {}).items():
        text = steps[place].text
        problem = _known_problem(text) if len(text) <= _REPEATING else _problem(text)
        if problem is None and text.startswith(f"{call_at[owner].name}: "):
            problem = own_complaint(text)
        call_at[owner].take(Answer(steps[place], place, problem))
    return list(call_at.values())


def _problem(text: str) -> str | None:
    """What an answer complains of."""
    return failure(text) or broken_message(text)


@lru_cache(maxsize=1024)
def _read(name: str, arguments: str) -> tuple[Any, str, bytes, str]:
    """The arguments of a call, its name, its key and its action. The attempts at a task make many calls alike."""
    value = arguments_value(arguments)
    return value, name, key_of(name, value), action_of(name, value)


_known_problem = lru_cache(maxsize=1024)(_problem)


def without_echoes(calls: list[Call]) -> list[Call]:
    """An unanswered call and, right after it, the same tool without arguments that has the answer are one call.

    Logs are put together from two records where the ids of a call and of its answer do not match.
    """
    answered: list[Call] = []
    before: Call | None = None
    for call in calls:
        if (
            before is not None
            and not before.answers
            and before.arguments
            and (before.name, before.place + 1) == (call.name, call.place)
            and call.answers
            and not call.arguments
        ):
            for answer in call.answers:
                before.take(answer)
        else:
            answered.append(call)
            before = call
    return answered


def calls_after(calls: Sequence[Call], place: int) -> Iterator[Call]:
    """The calls after a place; they stand in the order of their places."""
    return islice(calls, bisect_right(calls, place, key=_BY_PLACE), None)


@lru_cache(maxsize=4096)
def changing_name(name: str) -> bool | None:
    """True or false where the words of a tool's name tell; None for a shell or a name that says nothing."""
    have = set(words(name.replace(".", "_")))
    if have & _SHELL and not have & {"test", "tests"}:
        return None
    if have & (_READS - _NOUNS):
        return False
    if have & _NOUNS:
        return bool(have & _VERBS)
    return True if have & _CHANGES else None


def writes(arguments: Any) -> bool:
    """Whether a shell command, or a statement of SQL, writes."""
    if isinstance(arguments, str):
        return writing(arguments)
    if isinstance(arguments, dict):
        return any(isinstance(value, str) and writing(value) for value in arguments.values())
    return False
