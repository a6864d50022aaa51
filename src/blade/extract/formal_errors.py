"""How databases, gateways and services refuse: the first words of their answers, their pages, and their records."""

from __future__ import annotations

import re
from typing import Any

from blade.late_regex import late_regex

_FORMAL = late_regex(
    r"\W{0,3}(?:"
    r"ORA-\d{5}\b|SQLSTATE\b|Msg \d+, Level \d+|"
    r"HTTP(?:/\d(?:\.\d)?| [Ss]tatus| [Ee]rror)?:? ?[45]\d\d\b(?! errors?\b)|Page [Nn]ot [Ff]ound\b|"
    r"(?i:status)(?: code)?:? ?[45]\d\d\b(?! errors?\b)|"
    r"(?:ERR|ERROR|EXC|FAULT)[-_ ]?\d{2,6}\b\W{1,4}\S|"
    r"(?P<code>(?:[A-Z]{1,8}[-_ ]?\d{2,5}|[A-Z]{2,5}[-_][A-Z]\d{2,4})\b\W{1,4}\S)|"
    r"(?:NOK|NACK|NAK)\b|"
    r"(?:KO|DENIED|REJECTED|REFUSED|ABORTED|BUSY|TIMEOUT|UNAVAILABLE|PANIC) ?[:!\u2013\u2014-] *[A-Za-z]|"
    r"E(?:CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|NOTFOUND|HOSTUNREACH|NETUNREACH|PIPE|ACCES|NOENT|PERM|EXIST|"
    r"ISDIR|NOTDIR|AI_AGAIN)\b|"
    r"(?:sqlite3|psycopg2?|pymysql|mysql|asyncpg|pyodbc|duckdb)\.[\w.]+\)|"
    r"(?:no such (?:table|column|function|module|index|database|schema|view)|misuse of aggregate|"
    r"ambiguous column name)\b|"
    r"near \"[^\"\n]{0,60}\": syntax error|upstream connect error|no healthy upstream|"
    r"(?i:gateway|proxy|upstream|backend|server|service|database|pool|session|worker): (?=[^\n]{0,60}\b(?:exhausted|"
    r"unavailable|unreachable|refused|down|overloaded|timed? ?out|timeout|closed|lost|no healthy|not responding|"
    r"no (?:answer|reply|response)|50[234])\b)|"
    r"50[0234] (?i:(?:bad )?gateway|upstream|backend|proxy|internal server error|service unavailable)\b|"
    r"(?i:request|call|operation)(?: [\w-]{1,20})? timed out\b|"
    r"4(?:04|10)(?: [Nn]ot [Ff]ound| [Gg]one|: ?[A-Za-z])|"
    r"(?:[Tt]h(?:e|is) (?:requested )?)?(?:[Dd]omain|DOMAIN)(?: name)? (?:is|has|was|may be) (?:been )?"
    r"(?:parked|expired|for sale|suspended)\b|"
    r"(?P<words>(?:[A-Za-z-]+ ){1,3}(?:[Ee]rror|ERROR|[Ee]xception|EXCEPTION))"
    r"(?: \d+| \([^()\n]{1,30}\)| at [^:\n]{1,30})?:(?: |$)(?!\s*[-+~\u2248]?\d))"
)
"""What a refusal begins with. A code of any other kind counts where its line tells of trouble in small letters."""
_TROUBLE = late_regex(
    r"\b(?:not (?:found|exist|allowed|permitted|available|applied|known|supported|authori[sz]ed|valid|accepted)|"
    r"unknown|invalid|cannot|can't|couldn't|could not|unable|failed|failure|denied|refused|rejected|busy|locked|"
    r"held by|timed? ?-?out|unavailable|unreachable|no such|no healthy|does(?: not|n't) exist|missing|malformed|"
    r"conflict|expired|unsupported|ambiguous|undefined|forbidden|exceeded|violat\w+|duplicate|syntax|error|"
    r"no (?:file|record))\b"
)
_RESULT = late_regex(
    r"\b(?:squared?|standard|mean|absolute|percentage|margin of|rounding|training|test|validation|relative|average|of|"
    r"in|and|or|the|an?|this|that|no|without|any|type|measurement|sampling|prediction|reconstruction|max|min|maximum|"
    r"minimum|final|total|numerical|truncation|forecast|fit|residual|estimation|approximation|human) "
    r"(?:error|exception)$",
    re.IGNORECASE,
)
"""Errors that are a result of the work, and those that are spoken of."""
_PAGE = late_regex(
    r"<(?:title|h1)[^>]*>\s*((?:(?:HTTP )?Error |HTTP )[45]\d\d\b[^<\n]{0,80}|"
    r"[45]\d\d\b(?=\W*(?:<|error|bad|unauthori|forbidden|not |method|proxy|"
    r"request|conflict|gone|length|payload|unsupported|too many|internal|service|gateway|server|client|origin|web))"
    r"[^<\n]{0,80})",
    re.IGNORECASE,
)
"""A page of a server that could not give the one that was asked for."""
_PAGE_BEGINS = ("<html", "<!doctype", "<head", "<?xml", "<h1", "<title")
ERROR_KEYS = frozenset(
    {"err", "fault", "failure", "Error", "ERROR", "Fault", "Exception"}
    | {f"{word}{end}" for word in ("error", "err", "fault") for end in ("Code", "_code", "code", "Message", "_message")}
    | {f"{word}{end}" for word in ("error", "err", "fault") for end in ("Msg", "_msg", "msg", "String", "string")}
)
"""Keys that say that a call failed, beside the plainest ones."""
_HOLD_CODES = ("code", "status", "status_code", "statusCode")
CODE_KEYS = (*_HOLD_CODES, "result", "outcome", "type", "state")
_IN_WORDS = ("message", "detail", "details", "reason", "msg", "hint", "explanation", "description")
_CODE = late_regex(
    r"[45]\d\d|-3\d{4}|(?:ERR|ERROR|EXC|FAULT|E)[-_ ]?\d{2,6}|"
    r"(?=[A-Z_]*(?:BUSY|TAKEN|LOCKED|DENIED|REFUSED|REJECTED|FORBIDDEN|UNAUTHORI[SZ]ED|INVALID|MISSING|EXPIRED|"
    r"UNAVAILABLE|UNKNOWN|UNSUPPORTED|FAILED|FAILURE|ERROR|EXCEEDED|CONFLICT|TIMEOUT|DUPLICATE|NOT_|_NOT))[A-Z][A-Z_]+"
)
"""A code that is one of trouble by itself."""
_ANY_CODE = late_regex(r"[A-Z]{1,8}[-_ ]?\d{2,5}")
_STATES = frozenset("error failed failure fault unauthorized forbidden not_found unavailable timeout aborted".split())
_DECISIONS = frozenset("rejected denied refused invalid conflict".split())
"""States that a record may have as well: they are a refusal where hardly anything else is told."""
_NO_PROBLEM = late_regex(r"(?:none|null|ok|0|2\d\d|false|no|success\w*|no errors?|n/?a|-)?\W*", re.IGNORECASE)
_FEW_KEYS, _SOME_KEYS = 4, 6
_GOES_WELL = ("ok", "success", "succeeded")


def formal_error(head: str) -> str | None:
    """The first line of an answer that is a database's, a gateway's or a service's refusal; `head` is its beginning."""
    line = head.strip().split("\n", 1)[0].rstrip()
    if line[:9].lower().startswith(_PAGE_BEGINS):
        page = _PAGE.search(head)
        return page[1].strip() if page else None
    match = _FORMAL.match(line)
    if match is None or (match["code"] and not _TROUBLE.search(line)):
        return None
    if match["words"] and _RESULT.search(match["words"]):
        return None
    return " ".join(head.split("\n")[:2]).strip() if line.endswith(":") else line


def refusing_record(value: dict[str, Any]) -> str | None:
    """What a record says that is nothing but an error: a key that names one, or a code or a state with its meaning."""
    if len(value) > _SOME_KEYS or any(value.get(key) is True for key in _GOES_WELL):
        return None
    words = next((text for key in _IN_WORDS if isinstance(text := value.get(key), str) and text.strip()), "")
    if words and len(value) == 1:
        return formal_error(words)
    problems = [text for key, inner in value.items() if key in ERROR_KEYS and (text := _told(key, inner))]
    if problems:
        return ": ".join(dict.fromkeys((*problems, words))) if words else ": ".join(dict.fromkeys(problems))
    if not words or len(value) > _FEW_KEYS:
        return None
    return next((f"{text}: {words}" for key in CODE_KEYS if (text := _trouble(key, value, words))), None)


def _told(key: str, value: Any) -> str:
    """What stands under a key that names an error; a number is one only where the key speaks of a code."""
    if isinstance(value, dict):
        return str(value) if value else ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    is_number = isinstance(value, int) and "code" not in key.lower()
    return "" if is_number or _NO_PROBLEM.fullmatch(str(value).strip()) else str(value)


def _trouble(key: str, record: dict[str, Any], words: str) -> str:
    """The code or the state under a key, where it is one of trouble, or its meaning speaks of some."""
    value = record.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = str(value)
    if text.lower() in _STATES or (text.lower() in _DECISIONS and len(record) <= 2):
        return text
    if key not in _HOLD_CODES:
        return ""
    speaks = _TROUBLE.search(words) is not None
    return text if _CODE.fullmatch(text) or (speaks and _ANY_CODE.fullmatch(text)) else ""
