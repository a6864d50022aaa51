"""Whether a tool's answer tells of a failure, by its shape: a flag, a key named error, an exit code, an error class."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.formal_errors import CODE_KEYS, ERROR_KEYS, formal_error, refusing_record
from blade.extract.prefilter import holds_any, may_hold
from blade.extract.text import NO_JSON, parsed
from blade.extract.trouble import says
from blade.late_regex import late_regex

_READ = 400
_PARSED = 20_000
_BEGINS = late_regex(
    r"[\W_]{0,4}(error|exception|traceback|fatal|failure|failed|invalid|unknown (tool|function|command)|"
    r"[45]\d\d (service|bad|internal|gateway|too many|not|forbidden|unauthorized|overloaded|client|server|error)|"
    r"(tool|function|command) [\w.'\"-]{1,60} (not found|does not exist|is not available)|no such (tool|function))\b",
    re.IGNORECASE,
)
_BEGINNINGS = frozenset(
    "error exception traceback fatal failure failed invalid unknown tool function command no".split()
)
"""The first words of which an answer in ASCII has one where it begins as above, if it begins with no figure."""
_FIRST_WORD = late_regex(r"[\W_]{0,4}(?:[45]\d\d|([A-Za-z]+))")
_TEST_REPORT = late_regex(r"[\W_]{0,4}failed (?:\d+ ?(?:/|of|out of) ?\d+ )?test(?: ?cases?|s)?\b", re.IGNORECASE)
"""What tests say of the work: the call that ran them went well."""
_LABEL = late_regex(r"\s*(?:[A-Za-z]+[ _-]){0,2}(?:output|result|response|observation|answer)[ \t]*:\s*", re.IGNORECASE)
"""What a harness writes before a tool's answer where it hands that answer on as text."""
_OPENS_JSON = ("", "{", "[")
"""How a tool's answer begins that has no such words, nor a space, before it; nearly half of all answers do."""
_CLASS = late_regex(r"[\W_]{0,4}[A-Za-z_.]*(Error|Exception)\b\s*[:(]")
_EXIT = late_regex(
    r"(exit(ed with)?[ _]?(code|status)|return ?code|non-zero exit status|(?<![^\W_])rc(?=\s?[=:]))\W{0,4}(-?[1-9]\d*)",
    re.IGNORECASE,
)
_SUCCEEDED = late_regex(r"(?:exit(?:ed with)?[ _]?(?:code|status)|return ?code)\W{0,4}0\b", re.IGNORECASE)
"""The code of a command that ended well: a traceback behind it is somebody else's, such as the harness's own log."""
_RETURN_CODES = ("rc=", "rc:", "rc =")
_SUCCEEDED_HINTS = ("exit", "returncode", "return code")
_ABOUT_A_COMMAND = late_regex(
    r"\W{0,4}(?:(?:the|your|this|last|previous|shell|tool) ){0,3}(?:command|process|execution|script|operation)\b",
    re.IGNORECASE,
)
_KILLED = late_regex(
    r"\b(?:timed[ -]?out|time ?limit|timeout)\b[^.\n]{0,60}\b(?:killed|terminated|aborted|interrupted)\b", re.IGNORECASE
)
_COMMAND = 4000
"""A harness that tells of a killed command may repeat the command first."""
_COMPLAINS = late_regex(
    r"(?:/(?:usr/)?bin/)?(?:ba|da|z|k)?sh: (?:(?:-c: )?(?:line )?\d+: |.{1,200}: command not found$)|"
    r"(?:[\w./+'\"-]{1,60} ){0,2}[\w./+:'\"-]{1,120}: (?:.{1,200}: )?(?:No such file or directory|Permission denied|"
    r"Is a directory|Not a directory|No space left on device|Disk quota exceeded|Read-only file system|"
    r"Input/output error|Too many open files|Cannot allocate memory|Operation not permitted|Device or resource busy|"
    r"Connection (?:refused|reset by peer|timed out)|Broken pipe|Stale file handle|Directory not empty|File exists|"
    r"File too large|Text file busy|No route to host|Network is unreachable|Exec format error|"
    r"Argument list too long|Resource temporarily unavailable)$|"
    r"[\w./+-]{1,60}: (?:cannot|can't|could not|unable to) (?:access|open|stat|find|create|remove|read|write|run)\b|"
    r"[\w./+-]{1,60}: (?:(?:invalid|illegal|unrecognized|unrecognised|unknown|missing|extra|bad) (?:\w+ )?"
    r"(?:option|argument|operand|format|expression|date|number|type|mode|user|command|predicate)|option requires |"
    r"paths must precede |(?:(?:cmd\. )?line[ :])?\d+: (?:syntax error|unexpected )|syntax error\b)|"
    r"(?:[\w./+-]{1,60}: ){1,2}cannot execute\b|malformed (?:command|call|request|arguments?)\b|"
    r"(?:the )?(?:command|process|execution|request) timed out\W*$|"
    r"[\W_]{0,4}(?:[\w.()`'\"-]{1,60} ){1,4}(?:is|are) not (?:allowed|permitted)\b(?! to be empty)",
    re.IGNORECASE,
)
"""The first line of what a shell or a program of it complains of, in the words that systems share."""
_COMPLAINT_HINTS = (": ", "malformed", "timed out", " not ")
"""Words of which a line in ASCII holds one, in small letters, for that to match."""
_USAGE_END = "\nTry '"
_GIVEN_COMMAND = ": -c: line "
_UNFINISHED = late_regex(r": -c: line \d+: (?:syntax error|unexpected EOF)[^\n]*")
"""What a shell says of a command that was handed to it; it may call itself by the last words of that command."""
_USAGE = late_regex(r"[\w./+-]{1,60}: [^\n]+\nTry '[^'\n]+' (?:or '[^'\n]+' )?for more information")
"""A program that was called as it cannot be."""
_RAISED = late_regex(r"[A-Za-z_][\w.]*(?:Error|Exception|Interrupt)\b")
_TRACEBACK = "Traceback (most recent call last)"
_TAG = late_regex(r"</?\w{1,30}>")
_CODE = late_regex(
    r"(?=[A-Z0-9_]*(?:BUSY|TAKEN|LOCKED|DENIED|REFUSED|REJECTED|FORBIDDEN|UNAUTHORI[SZ]ED|INVALID|MISSING|EXPIRED|"
    r"CLOSED|FULL|UNAVAILABLE|UNKNOWN|UNSUPPORTED|FAILED|FAILURE|ERROR|EXCEEDED|CONFLICT|TIMEOUT|EXISTS|DUPLICATE|"
    r"NOT_|_NOT|NO_))[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
    r"(?: ?[:\u2013\u2014-] ?(?!(?:[Tt]rue|[Ff]alse|[Yy]es|[Nn]o|[Nn]one|null|[\d.]+)\s*$)\S| ?$)|"
    r"ERR(?:[ :-]{1,3}\S| ?$)",
    re.MULTILINE,
)
"""A code in capitals that names a trouble, alone or before what it means: "CARD_BUSY - another clerk has it"."""
_REFUSALS = ("refused", "rejected", "denied", "refusal", "rejection")
"""Keys of an answer that say, in words or by a flag, that nothing was done."""
_MEANINGS = ("why", "reason", "message", "detail", "explanation", "hint", "text")
_IS_CODE = late_regex(r"\S{1,40}")
"""What one word of a refusal means stands beside it."""
NOTICE_LINES = 2
_FLAGS = {"is_error": True, "isError": True, "success": False, "ok": False}
_TELLING = (
    frozenset("error errors exception exit_code returncode output".split())
    | _FLAGS.keys()
    | {*_REFUSALS, *CODE_KEYS, *ERROR_KEYS, "detail", "message"}
)
_BREAKS = late_regex(
    r"[\W_]{0,4}(error|exception|fatal|[45]\d\d\b|[A-Za-z_.]*(Error|Exception|Timeout|Refused|Disconnected)\b|"
    r"(could not|cannot|unable to|failed to) (resolve|connect|reach|open|establish|contact|start|launch)|"
    r"(the )?(upstream|connection|gateway|sandbox|container|worker|provider|server|request|host|node|pod|proxy|network|"
    r"socket|TLS|SSL|DNS|HTTPS?|TCP)\b)",
    re.IGNORECASE,
)
_FIRST = late_regex(r"[\W_]{0,4}(?:([45]\d\d)|([A-Za-z]*)[A-Za-z_.]*)")
_FIRST_WORDS = frozenset(
    "could cannot unable failed the upstream connection gateway sandbox container worker provider server request host "
    "node pod proxy network socket tls ssl dns http https tcp".split()
)
_TALKS = late_regex(r"\b(means?|indicates?|says?|said|because|therefore|answer|I|you|we|he|she|they)\b")
"""Words of somebody who talks: no program's error."""


_CROSS = late_regex(r"\s*[\u274c\u26d4\U0001f6ab\u2717\u2718]\ufe0f?\s*\S")
"""A cross or a sign of prohibition before the first word."""


_DENIES = late_regex(
    r": .*?(?:\b(?:is|are|was|were|do|does|did|could|has|have) ?not\b|\b(?:is|are) (?:missing|gone)\b|"
    r"\bnot (?:found|available|allowed|permitted|supported|valid|an?)\b|"
    r"\b(?:none of|no such|nothing (?:found|filed|matches|matched|here|there|under)|cannot|can't|unable to|failed|"
    r"error|invalid|unknown|denied|refused|unavailable|exhausted|timed out|withdrawn|rejected|forbidden|expired|"
    r"unsupported|try (?:again|later))\b|(?<![\w$.,-])[45]\d\d(?= from\b| ?\(|\)|$| error\b))",
    re.IGNORECASE,
)
"""Behind the name of a tool: words and numbers of a refusal."""


def failure(text: str) -> str | None:
    """The message of a failed call, or None: a flag, a key named error, an error's first words, an exit code."""
    start = unlabelled(text)
    problem = _problem(text, start)
    if problem is None and "\n{" in start[:_READ] and (record := _behind_a_notice(start)):
        return failure(record)
    return problem


def _problem(text: str, start: str) -> str | None:
    if len(start) <= _PARSED:
        if start.startswith("{"):
            problem, read = _structured(start)
            return problem if read else _problem_in_words(text, start)
        if start.startswith("["):  # JSON that is no object tells of no failure: it is read only where words do
            problem = _problem_in_words(text, start)
            return None if problem is None or parsed(start) is not NO_JSON else problem
    return _problem_in_words(text, start)


def _behind_a_notice(text: str) -> str:
    """The record that follows a line or two of words; empty where there is none, or where it is not all of the rest."""
    notice, _, record = text.partition("\n{")
    record = "{" + record.rstrip()
    is_short = not notice.startswith("{") and notice.count("\n") < NOTICE_LINES and len(record) <= _PARSED
    return record if is_short and isinstance(parsed(record), dict) else ""


def unlabelled(text: str) -> str:
    """A tool's answer without what the harness writes before it ("API output: ")."""
    if text[:1] in _OPENS_JSON:
        return text
    label = _LABEL.match(text)
    return text[label.end() :] if label else text.lstrip()


def _problem_in_words(text: str, start: str) -> str | None:
    head = start[:_READ]
    plain = head.isascii()
    if not plain and _CROSS.match(head):
        return head.split("\n", 1)[0].strip()
    begins = (not plain or _may_begin(head)) and _BEGINS.match(head) and not _TEST_REPORT.match(head)
    if begins or _names_class(head) or head.startswith(_TRACEBACK):
        return head.split("\n", 1)[0] if not head.startswith("Traceback") else _last_line(text)
    line = head.split("\n", 1)[0].rstrip()
    if line[:2].isupper() and _CODE.match(line):
        return line
    if (not plain or holds_any(line.lower(), _COMPLAINT_HINTS)) and _COMPLAINS.match(line):
        return line
    if _USAGE_END in head and _USAGE.match(head):
        return line
    if _GIVEN_COMMAND in head and (unfinished := _UNFINISHED.search(head)) is not None:
        return unfinished.group(0).removeprefix(": ")
    if _TRACEBACK in text[-_COMMAND:] and _RAISED.match(last := _last_line(text)) and not _succeeded(text):
        return last
    if (formal := formal_error(head)) is not None:
        return formal
    if _ABOUT_A_COMMAND.match(head) and (killed := _KILLED.search(start, 0, _COMMAND)) is not None:
        return killed.group(0)
    return _exit_code(head) or (_exit_code(text[-_READ:]) if len(text) > _READ else None)


def _succeeded(text: str) -> bool:
    return may_hold(text, _SUCCEEDED_HINTS) and _SUCCEEDED.search(text) is not None


def _may_begin(head: str) -> bool:
    """Whether an answer in ASCII begins with a word or a figure that `_BEGINS` knows: far cheaper than its branches."""
    first = _FIRST_WORD.match(head)
    return first is not None and (first[1] is None or first[1].lower() in _BEGINNINGS)


def last_words(problem: str, text: str) -> str:
    """What a failed call says: its message or, where that is an exit code alone, the last line it printed, if any."""
    code = _EXIT.fullmatch(problem)
    if code is None:
        return problem
    plain = _TAG.sub("", text[-_COMMAND:])
    if not any(map(str.isalpha, _EXIT.sub("", plain))):
        return f"exit code {code.group(4)} and no words"
    lines = (line.strip() for line in reversed(plain.splitlines()))
    return next((line for line in lines if any(map(str.isalpha, line)) and _EXIT.search(line) is None), problem)


def _names_class(head: str) -> bool:
    return ("Error" in head or "Exception" in head) and _CLASS.match(head) is not None


def _exit_code(text: str) -> str | None:
    if text.isascii():  # beyond ASCII some letters are written in lower case otherwise than a pattern takes them
        low = text.lower()
        coded = ("code" in low or "status" in low) and ("exit" in low or "return" in low)
        if not coded and not ("rc" in low and holds_any(low, _RETURN_CODES)):
            return None
    match = _EXIT.search(text)
    return match.group(0) if match else None


def _structured(text: str) -> tuple[str | None, bool]:
    value = parsed(text)
    if value is NO_JSON:
        return None, False
    for _ in range(2):
        if not isinstance(value, dict) or _TELLING.isdisjoint(value):
            return None, True
        problem = _named_problem(value) or refusing_record(value)
        if problem is not None:
            return problem, True
        for key, bad in _FLAGS.items():
            if value.get(key) is bad:
                return str(value.get("message") or f"{key} is {str(bad).lower()}"), True
        status = value.get("status")
        if isinstance(status, str) and status in {"error", "failed", "failure"}:
            return str(value.get("message") or status), True
        code = value.get("exit_code", value.get("returncode"))
        if isinstance(code, int) and not isinstance(code, bool) and code != 0:
            return f"exit code {code}", True
        inner = value.get("output", value.get("result"))
        if isinstance(inner, str):
            return failure(inner) if inner.strip() else None, True
        value = inner
    return None, True


def _named_problem(value: dict[str, Any]) -> str | None:
    """What an answer says under a key that names an error or a refusal."""
    for key in ("error", "errors", "exception"):
        if value.get(key):
            return str(value[key])
    for key in _REFUSALS:
        reason = value.get(key)
        if reason is True:
            return str(value.get("message") or key)
        if isinstance(reason, str) and reason.strip():
            meaning = next((value[name] for name in _MEANINGS if isinstance(value.get(name), str) and value[name]), "")
            return f"{reason}: {meaning}" if meaning and _IS_CODE.fullmatch(reason) else reason
    return None


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else "traceback"


def error_message(text: str) -> str | None:
    """A last message that is nothing but an error: short, and an error from its first word. No model wrote it."""
    short = text.strip()
    if not short or len(short) > _READ or not _may_break(short):
        return None
    return short if _BREAKS.match(short) and not _TALKS.search(short) else None


def _may_break(text: str) -> bool:
    """Whether the first word is one that `_BREAKS` begins with: far cheaper than all of its branches."""
    if not text.isascii():
        return True
    match = _FIRST.match(text)
    if match is None or match[1]:
        return match is not None
    begin = match[0].lower()
    return (
        match[2].lower() in _FIRST_WORDS
        or "err" in begin
        or "exce" in begin
        or "fatal" in begin
        or "timeout" in begin
        or "refused" in begin
        or "disconnected" in begin
    )


def own_complaint(text: str) -> str | None:
    """One short line that begins with the tool's own name, as its results never do, and denies what was asked for."""
    line = text.strip()
    return line if len(line) <= _READ and "\n" not in line and _DENIES.search(line) else None


def broken_message(text: str) -> str | None:
    """A last message, or a tool's answer, that is nothing but an error of the transport: nobody's own words."""
    short = error_message(text)
    return short if short and says(short) == "infrastructure" else None
