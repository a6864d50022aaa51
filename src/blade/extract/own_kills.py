"""Kills that are no fault of a machine: the agent's own commands, and signals of which no sender is recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from blade.extract.calls import Call
from blade.extract.commands import HEREDOC, LONGEST_COMMAND
from blade.extract.names import VERIFIER, words
from blade.extract.prefilter import holds_any
from blade.extract.text import clip
from blade.extract.transcript import arguments_text
from blade.extract.workspace_actions import command_of
from blade.late_regex import late_regex
from blade.model import Step, StepKind

OWN = "own"
"""The strength of a claim that tells of nothing but the agent's own act."""
SAID = "the agent's own command ended its process"
UNOWNED = "unowned"
"""The strength of a claim that tells of a kill, in a row that was judged all the same and names nobody who did it."""
UNOWNED_SAID = "killed, by whom is not recorded"
KILL, TERM = "KILL", "TERM"
LONGEST = 160
_END = 400
_SOFT = "infrastructure|soft|"
_CODES = {"137": KILL, "-9": KILL, "143": TERM, "-15": TERM}
_TEXT = late_regex(r"\b(?:SIG(KILL|TERM)|(killed)|(terminated))\b", re.IGNORECASE)
_HINTS = (
    "kill",
    "fuser",
    "systemctl",
    "docker",
    "podman",
    "service",
    "shutdown",
    "reboot",
    "poweroff",
    "halt",
    "timeout",
)
"""Every command that ends a process holds one of these."""
_START = r"(?:^|[;&|\n({`]|\b(?:do|then|else|sudo|exec|nohup)\s|\bxargs(?:\s+-\S+)*\s|-c\s+[\"'])\s*"
_KILLS = late_regex(_START + r"(?:\S*/)?(?:kill|pkill|killall5?)\b([^;&|\n]*)")
_HOLDERS = late_regex(_START + r"fuser\s+(?:\S+\s+)*?-\w*k")
_STOPS = late_regex(
    _START + r"(?:\S*/)?(?:systemctl\s+(?:stop|restart|kill)|(?:docker|podman)\s+(?:stop|kill|restart)|"
    r"service\s+\S+\s+(?:stop|restart)|shutdown|reboot|poweroff|halt)\b"
)
_TIMEOUT = late_regex(_START + r"timeout\s+(?:-\S+\s+)*?(?:-s\s*|--signal[= ])(?:SIG)?(?:KILL|9)\b")
_CODE = late_regex(r"\b(?:os\.kill(?:pg)?|process\.kill|Process\.kill)\s*\(([^\n;]*)")
_SIGNAL = late_regex(r"(?:^|\s)(?:-s\s+|--signal[= ]\s*|-)(?:SIG)?([A-Z]{2,}\d?|\d+|l)(?=\s|$)")
_OPTIONS_END = late_regex(r"\s--\s")
_NUMBERS = {"9": KILL, "15": TERM}
_ENDED = late_regex(
    r"\b(?:killed|terminated)\b|\b(?:code|status|exited|exit)\W{0,4}(?:137|143|-9|-15)\b", re.IGNORECASE
)


def without_own_kills(claims: list[str], steps: Sequence[Step], made: Sequence[Call]) -> list[str]:
    """The claims of a row; those of a kill become the agent's own where its last command sent just that signal."""
    signals = [_claimed_signals(text) for text in claims]
    command = _last_kill(steps, made) if any(signals) else None
    if command is None:
        return claims
    sent = set(sent_signals(command))
    return [_marked(text, OWN) if signals_of & sent else text for text, signals_of in zip(claims, signals, strict=True)]


def without_unowned_kills(claims: list[str]) -> list[str]:
    """The claims of a row that the verifier judged in full; an exit by a signal is no trouble where nothing else is.

    Whoever sent it (the agent, the harness, a limit of memory), what was there then was tested, and fails or passes.
    """
    exits = [text.startswith(_SOFT) and _of_agent(text) for text in claims]
    if sum(text.startswith("infrastructure|") for text in claims) > sum(exits):
        return claims
    return [_marked(text, UNOWNED) if is_exit else text for text, is_exit in zip(claims, exits, strict=True)]


def _of_agent(text: str) -> bool:
    _, _, field, value = text.split("|", 3)
    return value in _CODES and not VERIFIER & set(words(field))


def ending_command(claims: Sequence[str], steps: Sequence[Step], made: Sequence[Call]) -> str | None:
    """The command with which the agent ended its own process, where a claim was settled so."""
    command = _last_kill(steps, made) if any(text.startswith(f"error|{OWN}|") for text in claims) else None
    return None if command is None else clip(" ".join(command.split()), LONGEST)


def kills(call: Call) -> bool:
    """Whether a call sends a signal that ends processes, or stops a service or a container."""
    command = _command(call)
    return any(sent_signals(command)) or (holds_any(command, _HINTS) and _TIMEOUT.search(command) is not None)


def is_own_kill(call: Call, problem: str) -> bool:
    """Whether a failed answer tells of a kill, and the call itself sent one."""
    return (_TEXT.search(problem) or _ENDED.search(problem)) is not None and kills(call)


def sent_signals(command: str) -> Iterator[str]:
    """The signals that a command sends, of those that end a process; a service or a container gets one or both."""
    if not holds_any(command, _HINTS):
        return
    for match in _KILLS.finditer(command):
        option = _SIGNAL.search(_OPTIONS_END.split(match.group(1))[0])
        signal = TERM if option is None else _NUMBERS.get(option.group(1), option.group(1))
        if signal in {KILL, TERM}:
            yield signal
    if _HOLDERS.search(command):
        yield KILL
    for match in _CODE.finditer(command):
        yield KILL if re.search(r"KILL|,\s*9\b", match.group(1)) else TERM
    if _STOPS.search(command):
        yield from (KILL, TERM)


def _claimed_signals(text: str) -> set[str]:
    """The signals that a claim of infrastructure may tell of: by an exit code, or by a word."""
    if not text.startswith(_SOFT):
        return set()
    value = text.split("|", 3)[3]
    if value in _CODES:
        return {_CODES[value]}
    match = _TEXT.search(value)
    if match is None:
        return set()
    return {match.group(1).upper()} if match.group(1) else {KILL} if match.group(2) else {TERM}


def _marked(text: str, strength: str) -> str:
    _, _, field, value = text.split("|", 3)
    return f"error|{strength}|{field}|{value}"


def _last_kill(steps: Sequence[Step], made: Sequence[Call]) -> str | None:
    """The command of a last call that got no answer, or only that something was killed, and nobody speaks after it."""
    calls = {call.place: call for call in made}
    for place in range(len(steps) - 1, -1, -1):
        kind = steps[place].kind
        if kind is StepKind.CALL and place in calls:
            call = calls[place]
            if not _is_unanswered(call):
                return None
            if any(sent_signals(_command(call))):
                return _command(call)
        elif kind is not StepKind.OUTPUT and kind is not StepKind.ENVIRONMENT:
            return None
    return None


def _is_unanswered(call: Call) -> bool:
    return call.answer is None or _ENDED.search(call.answer.text[-_END:]) is not None


def _command(call: Call) -> str:
    command = command_of(call) or arguments_text(call.step.arguments)[:LONGEST_COMMAND]
    return HEREDOC.sub(r"<<\1 \2", command) if "<<" in command else command
