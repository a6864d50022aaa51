"""What the verifier's and the compiler's logs say of submitted work: the stage at which it failed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from blade.extract.names import words
from blade.extract.prefilter import holds_any, may_hold
from blade.extract.raised_errors import errors_in
from blade.extract.row_texts import RowText
from blade.extract.tracebacks import printed
from blade.late_regex import late_regex

_LOGS = frozenset(
    "log logs stderr stdout error errors exception traceback details detail message messages compiler diagnostics "
    "failure failures status verdict".split()
)
_TOLD_BY = frozenset("test tests compiler eval evaluation verifier container build".split())
_ECHOES = frozenset(
    "model generated generation answer expected prompt question input inputs instruction instructions "
    "judge reference policy config tools scenario rubric dir fpath path agent run harness user trajectory".split()
)
"""Words of fields that repeat what was asked or answered, or that somebody else keeps: anywhere in a name."""
_ECHOES_AT_THE_END = frozenset("code sql patch solution".split())
"""Words of the work itself: a field that is called so holds it; one below it or named after it may hold its log."""
_BUILDERS = (
    r"gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|rustc|cargo|javac|kotlinc|scalac|ghc|tsc|nvcc|swiftc|ocamlc|coqc|lean|lake|dotnet|"
    r"msbuild|cmake|ninja|gfortran|nasm|iverilog|vvp|verilator|yosys|vcs|xrun|irun|ncsim|ncvlog|vsim|vlog|vcom|ghdl|xvlog|"
    r"xelab|xsim|ngspice|hspice|spectre"
)
"""Compilers and simulators: one that a harness calls and that fails has not taken the work."""
_COMPILE = late_regex(
    r"\b(?:SyntaxError|IndentationError|TabError|CompileError|CompilationError)\b|:\d+: (?:fatal )?error\b|"
    r"\berror(?:\[E\d+\]| TS\d+):|\b[Cc]ompil(?:e|ation|er)[ _-]?(?:[Ee]rror|[Ff]ail(?:ed|ure))|"
    r"\bCOMPIL(?:E|ATION)[ _]ERROR|\b[Ss]yntax error\b|\bundefined reference to\b|\bcannot find symbol\b|%Error\b|"
    r"\bCalledProcessError: Command ['\"\[(]*(?:[^\n]{0,400}?(?:[&;|]|-c['\", ]+))?"
    rf"\s*(?:[^\s'\",]*/)?({_BUILDERS})(?=['\" ,\]]|$)"
)
_RUNTIME = late_regex(
    r"^(?:E +|\w+\()?((?:[a-z_]+\.)*[A-Z]\w*(?:Error|Exception))\b(?!')|\b([Ss]egmentation fault)|\b(panicked at)|"
    r"\bException in thread \"[^\"]*\" ([\w.]+)|\b([Rr]untime[ _][Ee]rror)\b|\b([Ee]xecution[ _][Ee]rror)\b|"
    r"\b([Tt]ime[ _][Ll]imit[ _][Ee]xceeded)\b|\b([Mm]emory[ _][Ll]imit[ _][Ee]xceeded)\b",
    re.MULTILINE,
)
_ASSERTION = late_regex(
    r"\b(AssertionError|AssertionFailedError|ComparisonFailure)\b|^E +(assert)\b|\b([Ww]rong [Aa]nswer)\b|"
    r"\b([Aa]ssertion failed)",
    re.MULTILINE,
)
_DIFFERS = late_regex(
    r"\b[Ee]xpected\b[^\n{]{1,80}\b(?:got|found|received|was)\b|^(?:FAILED|--- FAIL:|not ok) ", re.MULTILINE
)
_FUNNEL = (
    (
        "compile",
        _COMPILE,
        (
            *("SyntaxError", "IndentationError", "TabError", ": error", ": fatal error", "error[E", "error TS"),
            *("ompil", "COMPIL", "yntax error", "undefined reference to", "cannot find symbol", "%Error"),
            "CalledProcessError: Command",
        ),
    ),
    (
        "runtime",
        _RUNTIME,
        ("Error", "Exception", "egmentation fault", "panicked at", "untime", "xecution", "xceeded"),
    ),
    ("assertion", _ASSERTION, ("ssert", "ComparisonFailure", "rong ")),
    ("assertion", _DIFFERS, ("xpected", "FAIL", "not ok ")),
)
"""The stages in order, and words of which each of their patterns needs one."""
_FAILING_HINTS = tuple(hint for *_, hints in _FUNNEL for hint in hints)
_RAN = late_regex(r"\b[1-9]\d* passed\b|\bPASS(ED)?\s*[=:]\s*[1-9]|\b(FAIL|FAILED)=[1-9]")
_RAN_HINTS = ("passed", "PASS", "FAIL")
_TESTS = late_regex(r"\btests?\b|\bpytest\b|\bcompil|Traceback \(most", re.IGNORECASE)
_FRAMES = ("Traceback (most recent call last)", '", line ')
_WORK = frozenset("code patch rtl proof program submission".split())
_GRADED = frozenset("test tests compiler compile build".split())
_NOT_THE_WORK = {"AssertionError", "AssertionFailedError", "ConnectionError", "HTTPError", "CalledProcessError"}
_OTHER_PARTY = late_regex(r"(?:Agent|Harness|Verifier|Sandbox)[A-Z]")
"""A class that names who broke off, such as AgentTimeoutError: what it ended is not the tests."""
_CONSTANT = late_regex(r"[A-Z0-9_]+|[a-z0-9_]+")
"""A class that the verifier names, such as EXECUTION_ERROR, may stand for any result that differs: it is no crash."""
_PASSED = late_regex(r"\b[1-9]\d* passed\b|\bPASS(?:ED)?\s*[=:]\s*[1-9]")
_ABSENT = late_regex(
    r"\b(?:does not exist|doesn'?t exist|not found(?! in\b)|No such file or directory|(?:is|was|are) missing|"
    r"(?:was|were|is) not (?:created|generated|produced|written))\b"
)
_OUTPUT = late_regex(r"/\w|\b\w+\.[a-z]\w{0,5}\b|\b(?:file|files|folder|directory)\b", re.IGNORECASE)
"""A path, the name of a file, or the word for one."""
_TEST_FILE = late_regex(r"/tests?/|\btest_\w+\.\w+|\bconftest\b")
_LINE = 160
_WORDS_OF_A_TEST = 3


class Stage(NamedTuple):
    """Where the work failed (`compile`, `runtime`, `assertion`, `absent`: no file is there), and where that stands."""

    kind: str
    field: str
    start: int
    end: int
    error: str


@lru_cache(maxsize=16384)
def is_log(name: str) -> bool:
    """A field, or the holder of one, that keeps what a verifier or a compiler said."""
    have = {word for part in name.split(".") for word in words(part)}
    if (have & _ECHOES and not have & {"compiler", "traceback"}) or _last_word(name) in _ECHOES_AT_THE_END:
        return False
    return bool(have & _LOGS) or ("output" in have and bool(have & _TOLD_BY))


def _shows_frames(log: RowText) -> bool:
    """Whether a text is a log by what it holds, whatever its field is called: frames of a traceback."""
    return holds_any(log.text, _FRAMES) and not _repeats_others(log.name)


@lru_cache(maxsize=16384)
def _repeats_others(name: str) -> bool:
    name = _without_test(name)
    have = {word for part in name.split(".") for word in words(part)}
    return not have.isdisjoint(_ECHOES) or _last_word(name) in _ECHOES_AT_THE_END


def _without_test(name: str) -> str:
    """The holder of what a test said: the words of a test's own name tell what is tested, not what the field holds."""
    holder, _, leaf = name.rpartition(".")
    named = words(leaf)
    return holder if holder and named[:1] == ("test",) and len(named) >= _WORDS_OF_A_TEST else name


def _last_word(name: str) -> str:
    """The last word of a field's own name; the number of an entry of a list is none."""
    parts = (words(part) for part in reversed(name.split(".")) if not part.isdecimal())
    return next((part[-1] for part in parts if part), "")


def failed_stage(texts: Iterable[RowText], names: Iterable[str], final: str) -> Stage | bool | None:
    """The first stage of the funnel at which submitted work failed; False where no log is kept or no work graded.

    A bare status word that names no stage is no log.
    """
    texts = tuple(texts)
    framed = holds_any("\n".join([log.text for log in texts]), _FRAMES)
    logs = [log for log in texts if is_log(log.name) or (framed and _shows_frames(log))]
    if not logs or not (_holds_work(names, final) or any(_of_tests(log.name, log.text) for log in logs)):
        return False
    logs = [RowText(name, printed(text), start) for name, text, start in logs]
    if not holds_any("\n".join([log.text for log in logs]), _FAILING_HINTS):
        return _nothing_failed(logs)
    ends = {log.name: log.text for log in logs}  # of a text that comes in two parts, the second
    ran = any(holds_any(text, _RAN_HINTS) and _RAN.search(text[-4000:]) for text in ends.values())
    for kind, pattern, hints in _FUNNEL:
        if kind == "compile" and ran:
            continue
        for name, text, begin in logs:
            for match in pattern.finditer(text) if holds_any(text, hints) else ():
                error = next((group for group in match.groups() if group), None) or match.group(0)
                if kind == "runtime" and (_of_others(error) or _CONSTANT.fullmatch(text.strip())):
                    continue
                if kind != "compile" and (missing := _absence(logs)) is not None:
                    return missing
                first, last = _line(text, match.start(), match.end())
                return Stage(kind, name, begin + first, begin + last, _short(error))
    return _nothing_failed(logs)


def _nothing_failed(logs: Sequence[RowText]) -> bool | None:
    return None if any(_several_words(log.text) for log in logs) else False


def _absence(logs: Sequence[RowText]) -> Stage | None:
    """The first error, where no test passes and every error says that a file is not there that is none of the tests."""
    if any(_PASSED.search(log.text[-4000:]) for log in logs):
        return None
    errors = errors_in(logs)
    if not errors or not all(_ABSENT.search(error.line) and _OUTPUT.search(error.line) for error in errors):
        return None
    if any(_TEST_FILE.search(error.line) for error in errors):
        return None
    first = errors[0]
    return Stage(
        "absent", first.field, first.start, first.start + len(first.line), _short(first.line.partition(":")[0])
    )


def _of_others(error: str) -> bool:
    """Whether an error is none of the work and its tests, by the last part of its class."""
    error_class = error.rsplit(".", 1)[-1]
    return error_class in _NOT_THE_WORK or _OTHER_PARTY.search(error_class) is not None


def _several_words(text: str) -> bool:
    """Whether a text says more than a word: a bare status tells of no stage, and keeps no log."""
    return len(text.split(None, 1)) > 1


def _holds_work(names: Iterable[str], final: str) -> bool:
    return "```" in final or any(map(_names_work, names))


@lru_cache(maxsize=65536)
def _names_work(name: str) -> bool:
    return not _WORK.isdisjoint(words(name))


def _of_tests(name: str, text: str) -> bool:
    """Whether a log is that of tests or of a compiler, by its name or by its first words."""
    return bool({word for part in name.split(".") for word in words(part)} & _GRADED) or bool(
        may_hold(text[:2000], ("test", "compil", "traceback")) and _TESTS.search(text[:2000])
    )


def _line(text: str, start: int, end: int) -> tuple[int, int]:
    first = max(text.rfind("\n", 0, start) + 1, start - _LINE // 2)
    stop = text.find("\n", end)
    return first, min(stop if stop >= 0 else len(text), first + _LINE)


def _short(error: str) -> str:
    error_name = re.search(r"[A-Z]\w*(Error|Exception)$", error)
    if error_name or not error[:1].isalpha():
        return error_name.group(0) if error_name else "compiler error"
    if error.startswith(("FAILED", "not ok")) or error.lower().startswith("expected"):
        return "test failed"
    return " ".join(error.strip(" :").lower().replace("_", " ").split())[:40]
