"""Whose text it is: the parts of a message that a terminal, a server or a test runner wrote.

A harness may put what stood on a screen or in a log into a message of the assistant. Nobody's behaviour is told by such
text, so it is set apart before any rule about the model's words reads the message. It is known by lines that programs
write and people do not: shell prompts, time stamps with a level, requests with their status, progress bars, listings,
frames of a traceback. One such line proves nothing; three near each other do, a session at a prompt does, and so does a
message that holds nothing else. What the model quotes in a fence stays its own words, and so do its sentences before,
between and after logs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from xxhash import xxh3_128_digest

from blade.extract.prefilter import holds_any
from blade.extract.text import THINK_CLOSE
from blade.late_regex import late_regex

FEWEST = 3
"""So many lines of a program near each other are a log."""
NEAR = 10
"""Lines between two lines of a program that belong to the same log."""
MOSTLY = 0.8
"""Where so many lines of a message are of logs, what stands before them and is no sentence is of them too."""
FULL, HARDLY_ANY = 0.1, 0.05
"""So many lines of a screen that is full of one text reach its edge; so few of its lines are sentences."""
HALF = 0.5
"""Where so many lines end at one edge, the sentences among them are broken by it, too."""
WRAPPED = 70
"""A screen breaks lines at its width, and no screen is narrower."""

_PROMPT = (
    r"(?:\([\w.-]{1,40}\) )?(?:[\w.-]{1,40}@[\w.-]{1,80}:(?:[~/][^\s$#%]{0,120})?[$#%]|"
    r"\[[\w.-]{1,40}@[\w.-]{1,80} [^\]\n]{1,80}\][$#]|(?:ba|z|da)?sh-\d\.\d+[$#]|(?:PS )?[A-Z]:\\[^>\n]{0,120}>)"
)
_TOLD = r"(?:INFO|DEBUG|TRACE|NOTICE)"
_ALARM = r"(?:WARN(?:ING)?|ERROR|CRITICAL|FATAL)"
_AFTER_LEVEL = r"(?:\]|:| - |  ).*"
_STAMP = (
    r"[\[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]|[A-Z][a-z]{2} {1,2}\d{1,2} )?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r"(?:Z|[+-]\d\d:?\d\d)?[\])]?"
)
_MACHINE_LINE = late_regex(
    rf"^(?:(?P<prompt>{_PROMPT})(?P<command>$| .*)"
    rf"|(?P<level>\[?{_TOLD}{_AFTER_LEVEL})"
    rf"|(?P<weak>\[?{_ALARM}{_AFTER_LEVEL}|(?:[a-z_]+\.)*[A-Z][A-Za-z]+(?:Error|Exception|Warning)(?::.*)?)"
    rf"|{_STAMP}[ \t:|-][^\n]{{0,80}}?(?:\b(?:{_TOLD}|{_ALARM})\b|[\w/-]\.[a-z]{{1,4}}:\d|\w\[\d+\]:).*"
    r"|[dlcbsp-]r[w-][xsStT-](?:[r-][w-][xsStT-]){2}[.+@]? +\d.*"
    r"|(?:ba|z|da)?sh: (?:line \d+: )?\S.*: (?:command not found|not found|No such file or directory|Permission denied)"
    r"|\s*File \"[^\"\n]+\", line \d+.*"
    r"|Traceback \(most recent call last\):"
    r"|(?:During handling of the above exception|The above exception was the direct cause).*"
    r"|HTTP/\d(?:\.\d)? [1-5]\d\d.*"
    r"|\[ {0,2}\d{1,3}%\] .*"
    r"|[\u2800-\u28ff] .*"
    r"|.*\"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+ HTTP/\d.*"
    r"|.*HTTP/\d(?:\.\d)?\" [1-5]\d\d.*"
    r"|.*\d%\|[^|\n]*\|[^|\n]*\[\d+:\d\d.*"
    r"|.*(?:\d%\[[=>+ ]*\]|[━╸╺█]{3}).*[kKMG]i?B/s.*"
    r"|\w[\w ]+: +\d{1,3}% \(\d+/\d+\),.*"
    r")$",
    re.MULTILINE,
)
_MARKS = ("rw-", "r-x", "sh: ", "sh-", ":\\")
_CAPITALS = late_regex(
    r'HTTP/|INFO|DEBUG|WARN|ERROR|TRACE|CRITICAL|FATAL|NOTICE|B/s|%(?:\||\] | \()|File "|Traceback \('
)
"""A log holds one of these, or a host after a user's name, or the time of day. Capitals are rare, and found at once."""
_AFTER_HOST = (":/", ":~", ":$", ":#", "]$", "]#")
_SECONDS = tuple(f":{tens}" for tens in "012345")
_CLOCK = late_regex(r"\d:[0-5]\d:[0-5]\d")
_FENCE = late_regex(r"^[ \t]*```[^\n]*\n.*?^[ \t]*```", re.MULTILINE | re.DOTALL)
_WORD = late_regex(r"[^\W\d_]+(?:['’][a-z]+)?")
_FUNCTION_WORDS = frozenset(
    "the a an to of is are was were and or but in on at that this these it its for with from by as be been will would "
    "can could should i we you my me so if not have has had do does did now let there which because then".split()
)
_LEAST_WORDS, _LEAST_FUNCTION_WORDS, _LEAST_PLAIN = 4, 2, 0.6


@dataclass(slots=True)
class ScreenLine:
    """One line of a message that is not blank, and what it shows of who wrote it."""

    number: int
    start: int
    end: int
    machine: bool
    prompt: bool = False
    bare: bool = False
    """A prompt with nothing behind it: the screen as it was left."""
    level: bool = False
    """The name of a level at its beginning is all that shows a program; it needs company."""
    weak: bool = False
    """An alarm or the name of an error at its beginning, as people write them, too; no number of them is proof."""
    said: bool = False
    """A sentence that somebody says."""


Log = list[int]
"""Places in the list of lines."""


Parts = tuple[tuple[int, int], ...]
"""Where they begin and end."""
MOST_KNOWN = 20_000
_known: dict[bytes, Parts] = {}


def environment_parts(text: str) -> Parts:
    """The places of a message that are output of the environment, in order; none for nearly every message.

    A row is opened again by whoever looks at all rows together: what was told of a text is kept by its digest.
    """
    if not _may_hold(text):
        return ()
    digest = xxh3_128_digest(text.encode("utf-8", "surrogatepass"))
    parts = _known.get(digest)
    if parts is None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        parts = _known[digest] = _parts(text)
    return parts


def _parts(text: str) -> Parts:
    begin = text.rfind(THINK_CLOSE) + len(THINK_CLOSE) if THINK_CLOSE in text else 0
    if not begin and "<think>" in text:
        return ()
    machine_lines = _machine_lines(text, begin)
    if not machine_lines:
        return ()
    lines = list(_lines(text, begin, machine_lines))
    _mark_sentences(text, lines)
    parts = [_widened(lines, log) for log in _near_each_other(lines) if _is_log(lines, log)]
    if _is_one_screen(lines, logs=bool(parts)):
        return ((lines[0].start, lines[-1].end),)
    return tuple((lines[first].start, lines[last].end) for first, last in _whole_screens(lines, parts))


def _may_hold(text: str) -> bool:
    """False only where no log can stand: a few quick looks for nearly every text."""
    if _CAPITALS.search(text) or holds_any(text, _MARKS) or ("@" in text and holds_any(text, _AFTER_HOST)):
        return True
    return text.count(":") > 2 * FEWEST and holds_any(text, _SECONDS) and _CLOCK.search(text) is not None


def _machine_lines(text: str, begin: int) -> dict[int, re.Match[str]]:
    """Lines that programs write, by where they begin; those in a fence are the model's own quotation."""
    edges = [edge for match in _FENCE.finditer(text, begin) for edge in match.span()] if "```" in text else []
    return {
        at: match for match in _MACHINE_LINE.finditer(text, begin) if bisect_right(edges, at := match.start()) % 2 == 0
    }


def _lines(text: str, begin: int, machine_lines: dict[int, re.Match[str]]) -> Iterator[ScreenLine]:
    for number, line in enumerate(text[begin:].split("\n")):
        end = begin + len(line)
        match = machine_lines.get(begin)
        if match is not None:
            shows = {name: match[name] is not None for name in ("prompt", "level", "weak")}
            yield ScreenLine(
                number, begin, end, machine=True, bare=shows["prompt"] and not match["command"].strip(), **shows
            )
        elif line.strip():
            yield ScreenLine(number, begin, end, machine=False)
        begin = end + 1


def _mark_sentences(text: str, lines: list[ScreenLine]) -> None:
    """Tell the lines that somebody says. What goes on from a line that a screen broke at its width is none of them."""
    widths = Counter(line.end - line.start for line in lines)
    widest = max(widths)
    at_the_edge = widest >= WRAPPED and widths[widest] >= FEWEST
    before: ScreenLine | None = None
    for line in lines:
        words = text[line.start : line.end]
        right_before = before if before and before.number == line.number - 1 else None
        broken = at_the_edge and right_before is not None and right_before.end - right_before.start == widest
        goes_on = broken or words[0].isspace() or words[0].islower()
        said_before = right_before is not None and right_before.said
        line.said = not line.machine and (not goes_on or said_before) and _is_sentence(words)
        before = line


def _is_one_screen(lines: list[ScreenLine], *, logs: bool) -> bool:
    """Whether a message with a line of a program is a screen: many lines end at its edge, hardly any is a sentence.

    With a log on it, it is one also if most lines are broken at its edge, unless somebody opens or closes it.
    """
    widths = Counter(line.end - line.start for line in lines)
    widest = max(widths)
    full = widest >= WRAPPED and widths[widest] >= max(NEAR, FULL * len(lines))
    hardly_any = sum(line.said for line in lines) <= HARDLY_ANY * len(lines)
    if not logs:
        return full and hardly_any
    return full and (hardly_any or widths[widest] >= HALF * len(lines)) and not (lines[0].said or lines[-1].said)


def _is_sentence(text: str) -> bool:
    """Mostly plain words, some of them those that hold a sentence together; in other scripts, words at all."""
    words = _WORD.findall(text)
    if not text.isascii() and sum(not word.isascii() for word in words) * 2 > len(words):
        return True
    if len(words) < _LEAST_WORDS or sum(word.lower() in _FUNCTION_WORDS for word in words) < _LEAST_FUNCTION_WORDS:
        return False
    tokens = text.split()
    return sum(_WORD.fullmatch(token.strip(".,;:!?()*\"'`-")) is not None for token in tokens) >= _LEAST_PLAIN * len(
        tokens
    )


def _near_each_other(lines: list[ScreenLine]) -> list[Log]:
    """Lines of programs with few lines and no sentence between them; all between two prompts are of one session."""
    prompts = [place for place, line in enumerate(lines) if line.prompt]
    logs: list[Log] = []
    for place, line in enumerate(lines):
        if not line.machine:
            continue
        before = logs[-1][-1] if logs else None
        in_session = prompts and before is not None and prompts[0] <= before and place <= prompts[-1]
        if before is None or not (
            in_session
            or (
                line.number - lines[before].number <= NEAR
                and not any(line_between.said for line_between in lines[before:place])
            )
        ):
            logs.append([])
        logs[-1].append(place)
    return logs


def _is_log(lines: list[ScreenLine], log: Log) -> bool:
    """Three lines of a program, two prompts, a screen left at its prompt, or a message that is nothing else."""
    log_lines = [lines[place] for place in log]
    if all(line.weak for line in log_lines):
        return False
    if len(log_lines) >= FEWEST or sum(line.prompt for line in log_lines) > 1:
        return True
    left = log_lines[-1].bare and log[-1] == len(lines) - 1
    return left or (len(log_lines) == len(lines) and not all(line.weak or line.level for line in log_lines))


def _widened(lines: list[ScreenLine], log: Log) -> tuple[int, int]:
    """A log with the lines right before and after it that nobody says."""
    first, last = log[0], log[-1]
    while first and not lines[first - 1].said and lines[first - 1].number == lines[first].number - 1:
        first -= 1
    while last + 1 < len(lines) and not lines[last + 1].said and lines[last + 1].number == lines[last].number + 1:
        last += 1
    return first, last


def _whole_screens(lines: list[ScreenLine], parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts, with what stands above and below them on the same screen.

    Above, where the message is mostly log or is left at a prompt. Below, where it begins at one and goes on for long.
    Sentences may stand on a screen, too, as long as most of what stands there is none.
    """
    if not parts:
        return []
    end, top = len(lines) - 1, parts[0][0]
    left = lines[-1].bare and parts[-1][1] == end
    covered = sum(last - first + 1 for first, last in parts)
    if (left or covered >= MOSTLY * len(lines)) and 2 * sum(line.said for line in lines[:top]) <= top:
        parts[0] = (0, parts[0][1])
    first, last = parts[-1]
    below = lines[last + 1 :]
    session = sum(line.prompt for line in lines[first : last + 1]) > 1
    if first == 0 and session and len(below) >= NEAR and 2 * sum(line.said for line in below) <= len(below):
        parts[-1] = (first, end)
    return parts
