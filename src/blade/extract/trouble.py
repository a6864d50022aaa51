"""What an error text speaks of, by the words that languages, transports and providers share."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from blade.extract.prefilter import has_odd_letters, holds_any, lowered
from blade.late_regex import late_regex

NEUTRAL = frozenset(
    "none null nil unset ok success succeeded correct passed pass no_error n/a na completed complete done "
    "false 0 other unknown stop end_turn finished resolved tool_calls eos user_stop agent_stop user agent fail "
    "failed failure error incorrect wrong true".split(),
) | {"", "no error", "not applicable"}
SILENT = frozenset("none null nil false 0 {} [] ok success no_error n/a na".split()) | {"", "no error"}

_CONTEXT = late_regex(
    r"context[ _-]?(length|window|size|limit)|maximum context|prompt is too long|too many tokens|ContextWindow|"
    r"input (tokens?|length) exceeds?|exceeds? the (model's )?(maximum|max) .{0,30}tokens?|token limit|"
    r"(input|prompt) tokens? (exceed|limit)|max(imum)?[ _](prompt|input|sequence)[ _](length|size|tokens?)|"
    r"(input|prompt|sequence) (length|size) (should|must) be|"
    r"(prompt|input|request)[^.]{0,80}(exceed|maximum|too (long|large))[^.]{0,40}tokens?",
    re.IGNORECASE,
)
_STEPS = late_regex(
    r"(max(imum)?|limit)[ _]?(number of )?[ _]?(turns?|steps?|iterations?|tool[ _]calls?|rounds?)|"
    r"(turns?|steps?|iterations?)[ _](limit|exceeded|exhausted)|max[ _](turns|steps)|"
    r"budget (exhausted|exceeded)|exit_cost",
    re.IGNORECASE,
)
_LENGTH = late_regex(r"^length$|^max_(output_)?tokens$|^max_length$", re.IGNORECASE)
_TRANSPORT = late_regex(
    r"(HTTP|status|code|error|response)\W{0,3}(code\W{0,3})?(429|500|502|503|504|529)\b|"
    r"\b(HTTP|(error|status|response)[ _]?code)\W{0,3}(50\d|51[01]|52\d|530)\b|\bupstream[ _](connect[ _])?error|"
    r"rate[ _-]?limit(?![\w-]*\.[a-z])|overloaded|too many requests|service unavailable|bad gateway|"
    r"gateway time|^(429|500|502|503|504|529)$|temporarily unavailable|"
    r"connection[ _]?(refused|reset|aborted|error|closed|timed)|"
    r"ECONN|ETIMEDOUT|EPIPE|"
    r"broken pipe|name resolution|failure resolving|"
    r"(could ?n[o']t|cannot|failed to|unable to) (resolve|reach) (the )?(host|server|proxy)|"
    r"\bDNS\b[^.\n]{0,20}(error|fail|resol|time)|getaddrinfo|"
    r"(host|network|server|service|endpoint)[^.\n]{0,30}unreachable|"
    r"\b(backend|database|gateway|core|store)\b[^.\n]{0,30}\b(unreachable|not reachable)\b|"
    r"\b(system|platform) (is|was) (currently )?(unreachable|not reachable)\b|"
    r"\b(upstream|backend|server|service|host) (did not|failed to) (answer|respond|reply)\b"
    r"(?= in| within| after|[^\w ]|$)|"
    r"InternalServerError|internal server error|"
    r"ServiceUnavailable|APIConnection|ConnectionError|ConnectError|RemoteDisconnected|ServerDisconnected|"
    r"RemoteProtocolError|server disconnected|incomplete chunked read|peer closed connection|"
    r"cannot connect|could not connect|failed to connect|SSL(Error|:)|TLS (handshake|error)|provider (returned )?error|"
    r"ReadTimeout|ConnectTimeout|APITimeout|(read|operation|HTTP request) timed out|\bHTTP time-?out\b|"
    r"quota[ _](exceeded|exhausted)|(exceeded|insufficient)[^.\n]{0,30}quota",
    re.IGNORECASE,
)
_REFUSED = late_regex(r"\bBad ?Request|\binvalid_request_error\b|\b(?:code|status|HTTP)\W{0,3}400\b", re.IGNORECASE)
"""A request that a provider would not take: what was wrong with it is unknown, and nothing was out."""
_HARNESS = late_regex(r"\A\s*unhandled errors in a TaskGroup \(\d+ sub-exceptions?\)\s*\Z")
"""All that is left of an error that the harness did not catch in its own tasks; a program's traceback says more."""
_MEMORY = late_regex(
    r"out of memory|\bOOM\b|oom[ _-]?kill|no space left|disk (full|quota)|cannot allocate memory|"
    r"\bSIGKILL\b",
    re.IGNORECASE,
)
_MACHINE = late_regex(
    r"\bSIGTERM\b|"
    r"\b(sandbox|docker|pod|worker)[^.\n]{0,60}"
    r"(fail|error|died|crash|lost|not (start|found|running|ready|available|respond)|unavailable|killed|evict|exited|"
    r"could not|stopped respond)|"
    r"\b(container|node|environment|image)\b[^.\n]{0,25}"
    r"(died|crash|(was|is) (lost|gone)|not (start|running|ready|available|respond)|unavailable|killed|evict|exited|"
    r"failed to (start|pull)|stopped (respond|answer)|unreachable)|"
    r"(fail|error|could not|unable)[^.\n]{0,40}(start|create|launch|pull|provision)[^.\n]{0,40}"
    r"(sandbox|container|docker|image|pod)|"
    r"(worker|node|actor|process) (died|was killed|lost)|"
    r"\b(box|slot|lease|pool|runner|vm|machine)\b[^.\n]{0,40}(not granted|exhausted|expired before)|"
    r"\b(box|runner|vm|machine)\b[^.\n]{0,15} (is|was) gone\b|"
    r"(can ?not|could not|failed to|unable to) (attach|mount)\b[^.\n]{0,30}"
    r"(box|host|node|machine|container|sandbox|vm|worker|store|volume|disk|snapshot)|"
    r"\b(store|volume|disk|snapshot|share)\b[^.\n]{0,20} not mounted|"
    r"\bError response from daemon\b|\b(?:Err)?ImagePull(?:BackOff|Error)?\b|context deadline exceeded|"
    r"\b(agent|harness)[ _-](install\w*|set-?up|start-?up|launch)[ _-](fail|error)",
    re.IGNORECASE,
)
_SYSTEM = late_regex(
    r"\[Errno (5|19|28|70|10[0-9]|11[0-6]|121)\]|transport endpoint|stale (nfs )?file handle|input/output error|"
    r"device (is )?not (configured|ready)|no such device",
    re.IGNORECASE,
)
_NO_START = late_regex(r"\b(agent|harness)[ _-](install\w*|set-?up|start-?up|launch)[ _-](fail|error)", re.IGNORECASE)
_ORDINARY = late_regex(
    r"wrong answer|!=|\bassert|mismatch|incorrect|expected\b.{0,80}\b(got|but|found|received|actual)\b|does not match",
    re.IGNORECASE,
)
"""A verdict about content: whatever words it quotes, they are the answer's and tell of no crash."""
_TIME_LIMIT_VERDICT = late_regex(r"time[ _]?limit[ _]?exceeded|^TLE$", re.IGNORECASE)
_TIMEOUT = late_regex(r"timed?[ _-]?out|timeout", re.IGNORECASE)
_BARE_CLASS = late_regex(r"^[\w.]*(Error|Exception|Timeout|Expired)(\(.*\))?$", re.DOTALL)
_MALFORMED = late_regex(
    r"pars(e|er|ing)[ _-]?(error|fail)|decod(e|er|ing)[ _-]?(error|fail)|malformed|not well-formed|unpars|"
    r"(output|answer|format|json|response)[ _-]?invalid|invalid[ _-]?(output|answer|format|json|response)|"
    r"no[ _](answer|code|valid)[ _]?(found|block|extracted)?|JSONDecodeError|"
    r"^(Expecting (value|property name|'.' delimiter)|Unterminated string|Extra data|"
    r"Invalid control character|Invalid \\escape)",
    re.IGNORECASE,
)
_VERIFIER = late_regex(
    r"(\b|_)(verifier|judge|grader|evaluator|scorer|tests?|eval|evaluation|verification)(\b|_)", re.IGNORECASE
)


def is_neutral(text: str) -> bool:
    """A value that says nothing, or no more than that the attempt failed."""
    return text.strip().lower() in NEUTRAL


def is_silent(text: str) -> bool:
    """A value that says there was no error at all."""
    return text.strip().lower() in SILENT


def tells_of_an_outage(text: str) -> bool:
    """Whether an error is one of machines and networks, those of the operating system among them."""
    return _SYSTEM.search(text) is not None or says(text) == "infrastructure"


def keeps_from_starting(text: str) -> bool:
    """Whether an error says that the agent itself could not be installed or started."""
    return _NO_START.search(text) is not None


class Told(NamedTuple):
    """What a text speaks of, and where."""

    topic: str
    """context, length, turns, memory, machine, transport, harness, timeout or malformed."""
    start: int
    end: int


_TOPICS = (
    ("context", _CONTEXT, ("context", "token", "prompt", "exceed", "max", "length", "size")),
    ("turns", _STEPS, ("max", "limit", "exceeded", "exhausted", "budget", "exit_cost")),
    ("length", _LENGTH, ("length", "tokens")),
    ("memory", _MEMORY, ("memory", "oom", "no space left", "disk ", "sigkill")),
    (
        "machine",
        _MACHINE,
        (
            *("sigterm", "sandbox", "docker", "pod", "worker", "container", "node", "environment", "image", "actor"),
            *(
                "process",
                "agent",
                "harness",
                "box",
                "slot",
                "lease",
                "pool",
                "runner",
                "vm",
                "machine",
                "daemon",
                "imagepull",
                "deadline",
                "attach",
                "mount",
            ),
        ),
    ),
    (
        "transport",
        _TRANSPORT,
        (
            *(
                "429",
                "500",
                "502",
                "503",
                "504",
                "529",
                "http",
                "code",
                "upstream",
                "rate",
                "overloaded",
                "too many requests",
                "unavailable",
            ),
            *("gateway", "connect", "econn", "etimedout", "pipe", "resol", "reach", "dns", "getaddrinfo", "internal"),
            *(
                "reachable",
                "did not",
                "failed to",
                "ssl",
                "tls",
                "protocol",
                "chunked",
                "provider",
                "timeout",
                "timed out",
                "quota",
            ),
        ),
    ),
    ("harness", _HARNESS, ("taskgroup",)),
    ("timeout", _TIMEOUT, ("time",)),
    (
        "malformed",
        _MALFORMED,
        (
            *("pars", "decod", "malformed", "well-formed", "invalid", "no answer", "no_answer", "no code", "no_code"),
            *("no valid", "no_valid", "expecting", "unterminated", "extra data"),
        ),
    ),
)
"""The topics in the order in which they are tried, and words in lower case of which each pattern needs one."""
_ORDINARY_HINTS = ("wrong answer", "!=", "assert", "mismatch", "incorrect", "expected", "does not match")
_TIME_HINTS = ("limit", "tle")
_STATUS = {
    "context": "truncated",
    "turns": "truncated",
    "length": "truncated",
    "memory": "infrastructure",
    "machine": "infrastructure",
    "transport": "infrastructure",
    "harness": "infrastructure",
    "malformed": "malformed",
}
_END = 600


def speaks_of(text: str) -> Told | None:
    """The trouble that an error text tells of, or None when it is an ordinary failure message."""
    read = _ends(text)
    match = _speaks_of(read)
    return Told(match.topic, _place(text, read, match.start), _place(text, read, match.end)) if match else None


@lru_cache(maxsize=2048)
def _speaks_of(read: str) -> Told | None:
    """Errors repeat from row to row, and several parts ask for the same one."""
    low, odd = lowered(read), has_odd_letters(read)
    if (odd or holds_any(low, _ORDINARY_HINTS)) and _ORDINARY.search(read):
        return None
    if (odd or holds_any(low, _TIME_HINTS)) and _TIME_LIMIT_VERDICT.search(read):
        return None
    for topic, pattern, hints in _TOPICS:
        match = pattern.search(read) if odd or holds_any(low, hints) else None
        if match and not (match.group().lower().startswith("provider") and _REFUSED.search(read)):
            return Told(topic, *match.span())
    return None


def says(text: str) -> str | None:
    """The status an error text claims, or None when it is an ordinary failure message."""
    trouble = speaks_of(text)
    if trouble is None or trouble.topic != "timeout":
        return _STATUS[trouble.topic] if trouble else None
    if _VERIFIER.search(_ends(text)):
        return "verifier_error"
    return None if _BARE_CLASS.match(_ends(text).strip()) else "timed_out"


def _ends(text: str) -> str:
    """Errors stand at the beginning or at the end of a long text."""
    return text if len(text) <= 2 * _END else f"{text[:_END]}\n{text[-_END:]}"


def _place(text: str, read: str, at: int) -> int:
    return at if len(read) == len(text) or at <= _END else len(text) - (len(read) - at)
