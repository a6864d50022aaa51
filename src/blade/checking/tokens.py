"""A sentence or a cell as tokens: numbers, names of runs and tasks, quotes, and the words between them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePath

from blade.checking.names import Names
from blade.checking.numbers import WORDS, Printed, printed
from blade.checking.outcome import ClaimKind
from blade.frozen import frozen

LONG_QUOTE = 12
COMMON = frozenset(
    "a all base change main model new old report results rollouts run runs score task tasks test".split()
)
"""Names of runs that are everyday words: only in back-ticks do they name a run."""
_NUMERAL = rf"(?i:{'|'.join(WORDS)})"
_TERM = re.compile(r"\[([^\]]*)\]\(#glossary\)")
"""A term that leads to the glossary: only its first place in a report is a link."""
_UNESCAPE = re.compile(r"\\([\\`*\[\]<>#|~_])")
_TOKEN = re.compile(
    r"(?P<code>(?<!`)(?:`[^`]{1,2000}`|``(?!`).{1,400}?(?<!`)``)(?!`))"
    r"|(?P<quote>\"[^\"\n]{1,1000}\"|“[^“”\n]{1,1000}”)"
    r"|(?P<number>(?<![\w.@^/\\-])(?:\\?[<>])?(?:(?<![\w)])[+−-])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
    r"(?:(?:\s+(?:out\s+)?of\s+(?:the\s+|its\s+|all\s+)?|\s?/\s?)(?:\d{1,3}(?:,\d{3})+|\d+)(?![\w.]\w|\s?%)"
    r"|\s?(?:%|pp\b|percent(?:age points?)?\b|points?\b))?(?![\w@]|-\w|[./:]\d))"
    rf"|(?P<worded>(?<![\w-])(?:{_NUMERAL})(?:(?:\s+times)?\s+(?:out\s+)?of\s+(?:the\s+|its\s+|all\s+)?(?:{_NUMERAL}|\d+)"
    r"(?![\w-])|(?=\s+(?:[^\W\d_]+\s+)?(?:attempts|failures|passes|rollouts|rows|tasks|times|trials)\b)))"
    r"|(?P<word>[^\W_](?:[\w@^+=/.:'’-]{0,200}[\w@^+])?)"
    r"|(?P<sign>[^\s\w])",
)
_TASK_LIST = re.compile(
    r"\btasks\s+#?\d+(?:\s*,\s*#?\d+)*(?:\s*,?\s+(?:and|or|&)\s+#?\d+(?!\w|\.\d|\s*%|"
    r"\s+(?:out|of|attempts?|failures?|passes|points?|pp|rollouts?|rows?|runs?|tasks?|times)\b)|(?=\s*(?:[.;:)\]]|$)))",
    re.IGNORECASE,
)
"""Tasks that are named by their numbers: "tasks 3, 14 and 15"."""
_LIST_BEHIND = re.compile(
    r"(?<=[:(])\s*(?P<ids>\d+(?:\s*,\s*\d+)+(?:\s*,?\s+(?:and|or|&)\s+\d+)?)(?=\s*(?:[.;:)\]]|$))"
)
"""Numbers in a row behind a colon or a bracket: "19 tasks pass in no run: 2, 4 and 29"."""
_NAMED_AGAIN = re.compile(r"(?:\b(?:only|in|on|and|or|for|but|not)\s+|,\s*)$", re.IGNORECASE)
_COUNTS = re.compile(
    r"\s*(?:[^\W\d_]+\s+)?(?:attempts?|calls?|failures?|passes|points?|pp|rollouts?|rows?|runs?|tasks?|times|turns?)\b"
    r"|\s+of\s+(?:them|these|those|which)\b",
    re.IGNORECASE,
)
FEWEST_LISTED = 3
MOST_ODD_IDS = 500


@frozen
class Token:
    kind: ClaimKind
    text: str
    """As it is printed, without back-ticks and quotation marks; of a run and a task its whole name."""
    start: int
    end: int
    number: Printed | None = None
    known: bool = False
    """A name that the runs know."""
    code: bool = False

    @property
    def is_fact(self) -> bool:
        return self.kind is not ClaimKind.WORD


def plain(text: str) -> str:
    """Markdown as people read it: links to the glossary and escapes undone, white space folded."""
    return " ".join(_UNESCAPE.sub(r"\1", _TERM.sub(r"\1", text)).split())


def tokens(text: str, names: Names) -> list[Token]:
    """Every token in order. After the word "task" a number is the name of a task, after "tasks" each of a list."""
    return list(_tokens(text, names))


@lru_cache(maxsize=20_000)
def _tokens(text: str, names: Names) -> tuple[Token, ...]:
    result: list[Token] = []
    lists = [match.span() for match in _TASK_LIST.finditer(text)]
    lists += [match.span("ids") for match in _LIST_BEHIND.finditer(text) if _are_tasks(match, names)]
    for match in _pattern(names).finditer(text):
        token = _token(match, names, result[-1] if result else None)
        listed = any(start <= token.start < end for start, end in lists)
        if listed and token.kind is ClaimKind.NUMBER and token.text.isdecimal():
            token = _numbered(token.text, token.start, token.end, names)
        result.append(token)
    ids = {token.text for token in result if token.kind is ClaimKind.ID and token.text.isdecimal()}
    return tuple(_named_again(token, text, ids, names) for token in result) if ids else tuple(result)


def _are_tasks(match: re.Match[str], names: Names) -> bool:
    """Whether a row of numbers names tasks: the ids are numbers, all are there, in their order, and tasks are meant."""
    ids = re.findall(r"\d+", match["ids"])
    in_order = all(int(one) < int(two) for one, two in pairwise(ids))
    return (
        len(ids) >= FEWEST_LISTED
        and in_order
        and all(name in names.tasks for name in ids)
        and "task" in match.string[: match.start()].lower()
    )


def _numbered(text: str, start: int, end: int, names: Names) -> Token:
    """A task by its number: known where that is its whole name."""
    return Token(ClaimKind.ID, text, start, end, known=text in names.tasks)


def _named_again(token: Token, text: str, ids: set[str], names: Names) -> Token:
    """A task that the sentence named before by its number: "tasks 93 and 95 are one, and it passes only 95"."""
    is_again = token.kind is ClaimKind.NUMBER and token.text in ids and _NAMED_AGAIN.search(text, 0, token.start)
    if not is_again or _COUNTS.match(text, token.end):
        return token
    return _numbered(token.text, token.start, token.end, names)


@lru_cache(maxsize=64)
def _pattern(names: Names) -> re.Pattern[str]:
    """The tokens of a text, and before them the ids that are more than one of those: `set #4`, `a&b-17`."""
    forms = names.forms or {task for task in names.tasks if any(char.isalpha() for char in task)}
    odd = sorted((form for form in forms if not _is_one(form)), key=lambda form: (-len(form), form))[:MOST_ODD_IDS]
    alternatives = [re.escape(form).replace("9", r"\d+") if form in names.forms else re.escape(form) for form in odd]
    return (
        re.compile(rf"(?P<task>(?<!\w)(?:{'|'.join(alternatives)})(?!\w))|{_TOKEN.pattern}") if alternatives else _TOKEN
    )


def _is_one(name: str) -> bool:
    """Whether a name is one word as texts have them."""
    match = _TOKEN.match(name)
    return match is not None and match["word"] == name and not name.endswith((".", ":", "'s", "’s"))


def _token(match: re.Match[str], names: Names, before: Token | None) -> Token:
    start, end = match.span()
    if match.groupdict().get("task"):
        return Token(ClaimKind.ID, match[0], start, end, known=match[0] in names.tasks)
    if match["code"]:
        return _code(" ".join(match["code"].strip("`").replace("\\|", "|").split()), start, end, names)
    if match["quote"]:
        return _quoted(match["quote"], start, end, names)
    if match["number"] or match["worded"]:
        return _number(match["number"] or match["worded"], start, end, before, names)
    return _word(plain(match["word"] or match["sign"]), start, end, names)


def _named_token(text: str, start: int, end: int, names: Names, *, code: bool) -> Token | None:
    run = names.run_of(text)
    if run is not None and (code or text.lower() not in COMMON):
        return Token(ClaimKind.RUN, run, start, end, known=True, code=code)
    task = names.task_of(text)
    if task is not None:
        return Token(ClaimKind.ID, task, start, end, known=True, code=code)
    if names.looks_like_a_task(text):
        return Token(ClaimKind.ID, text, start, end, code=code)
    return None


def _code(text: str, start: int, end: int, names: Names) -> Token:
    token = _named_token(text, start, end, names, code=True)
    if token:
        return token
    if text in names.words or is_path(text):
        return Token(ClaimKind.ID, text, start, end, known=text in names.words or text in names.files, code=True)
    return Token(ClaimKind.QUOTE, text, start, end, code=True)


def _quoted(text: str, start: int, end: int, names: Names) -> Token:
    inner = plain(text[1:-1])
    token = None if inner.isdecimal() else _named_token(inner, start, end, names, code=False)
    if token:
        return token
    return Token(ClaimKind.QUOTE if len(inner) > LONG_QUOTE else ClaimKind.WORD, inner, start, end)


def _number(text: str, start: int, end: int, before: Token | None, names: Names) -> Token:
    bare = text.isdecimal()
    if bare and before is not None and before.text.lower().rstrip("#") in {"task", "tasks"} and start - before.end <= 2:
        return _numbered(text, start, end, names)
    return Token(ClaimKind.NUMBER, plain(text), start, end, number=printed(plain(text)))


def _word(text: str, start: int, end: int, names: Names) -> Token:
    bare = text.removesuffix("'s").removesuffix("’s").rstrip(".:")
    stop = start + len(bare)
    token = _named_token(bare, start, stop, names, code=False)
    if token is None and bare[:1].isupper():  # a name at the beginning of a sentence
        token = _named_token(bare[0].lower() + bare[1:], start, stop, names, code=False)
    return token or Token(ClaimKind.WORD, text, start, end)


def is_file(text: str, names: Names) -> bool:
    """Names of files and folders, which may be written from elsewhere; an id may look like one."""
    return is_path(text) and not names.is_task(text)


def is_path(text: str) -> bool:
    return " " not in text and (
        "/" in text or PurePath(text).suffix in {".jsonl", ".json", ".md", ".toml", ".gz", ".zst"}
    )
