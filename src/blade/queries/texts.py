"""The texts of a row by who wrote them, and the search for words in the rows of runs, file by file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from blade.errors import InputError
from blade.extract.field_roles import field_name
from blade.extract.names import words
from blade.extract.transcript import arguments_text, arguments_value, prompt_steps, row_steps
from blade.extract.wrapped_lines import joined_lines
from blade.files.lines import UNREADABLE, open_bytes, parse
from blade.model import StepKind
from blade.patterns import LinearPattern

CALL = "call"
ACTORS = ("task", "model", CALL, "tool", "user", "environment", "verifier", "harness")
"""The request; the model's words, thoughts and calls; the values of its calls alone, as the tool gets them; answers of
tools; a user after the request; screens and logs in the place of messages; what the verifier wrote into the row; all
else that stands beside the transcript."""
WRITERS = frozenset(ACTORS) - {CALL}
_KINDS = {
    StepKind.PROMPT: "task",
    StepKind.THOUGHT: "model",
    StepKind.MESSAGE: "model",
    StepKind.CALL: "model",
    StepKind.OUTPUT: "tool",
    StepKind.USER: "user",
    StepKind.ENVIRONMENT: "environment",
    StepKind.OTHER: "harness",
}
_OF_THE_VERIFIER = frozenset(
    "verifier verify verification verdict judge judgement grader grading graded reward score scoring test tests "
    "testing pytest parser check checks eval evaluation compiler assertion".split()
)
_OF_THE_TASK = frozenset("instruction instructions scenario goal objective question problem prompt".split())
_TRANSCRIPT = {"responses_create_params", "response"}
_DEEPEST = 6
_WORD = re.compile(r"[a-z0-9]{2,}")
AROUND = 120
MOST_AROUND = 1_000
"""Letters on either side of a match that an answer shows, and that it keeps for whoever asks for more."""
LONG = 80
"""A text of so many letters is more than a value."""


class ActorText(NamedTuple):
    """One text of a row: who wrote it, the item of the transcript or the field of the row, and its words."""

    actor: str
    item: int | None
    field: str
    text: str


class TextMatch(NamedTuple):
    """The first words that were found in a row, with what stands around them."""

    actor: str
    place: str
    before: str
    words: str
    after: str
    times: int
    """How often the pattern stands in the row."""

    @property
    def quote(self) -> str:
        """The match with the rest of its line."""
        return f"{_end(self._line_before, AROUND)}{_middle(self.words)}{_start(self._line_after, AROUND)}".strip()

    def excerpt(self, around: int) -> str:
        """The match with so many letters on either side, over the ends of lines; only its own middle may be cut."""
        return f"{_end(self.before, around)}{_middle(self.words)}{_start(self.after, around)}".strip()

    @property
    def _line_before(self) -> str:
        return self.before[self.before.rfind("\n") + 1 :]

    @property
    def _line_after(self) -> str:
        return self.after.partition("\n")[0]


@dataclass(frozen=True)
class TextPattern:
    """What is sought, and in whose words; no actor stands for all of them."""

    words: LinearPattern
    actors: frozenset[str] = frozenset()

    def first(self, texts: Sequence[ActorText]) -> TextMatch | None:
        """The first match in the texts of the actors, and how many there are; lines that a pane broke are joined."""
        theirs = [text for text in texts if text.actor in (self.actors or WRITERS)]
        joined = [text._replace(text=joined_lines(text.text)) for text in theirs]
        counts = self.words.counts([text.text for text in theirs])
        over_breaks = counts if joined == theirs else self.words.counts([text.text for text in joined])
        pairs = zip(zip(theirs, counts, strict=True), zip(joined, over_breaks, strict=True), strict=True)
        first = next((text for pair in pairs for text, times in pair if times), None)
        if first is None:
            return None
        return _match(first, *self.words.first(first.text), sum(map(max, counts, over_breaks)))

    @property
    def token(self) -> re.Pattern[bytes]:
        """The longest word, which the line in the file must hold in small letters; a pane may have broken it."""
        source = self.words.source
        is_words = re.escape(source).replace("\\ ", " ").replace("\\-", "-") == source
        word = max(_WORD.findall(source.lower()), key=len, default="") if is_words else ""
        return re.compile(rb"(?:\\n)?".join(letter.encode() for letter in word))


def texts_of(row: Mapping[str, Any], *, with_values: bool = False) -> list[ActorText]:
    """Everything that somebody wrote in a row, in order; with the values of calls once more where they are sought."""
    hits = [
        ActorText("task", step.item, "text", step.text) for step in prompt_steps(row.get("responses_create_params"))
    ]
    for step in row_steps(dict(row)):
        called = step.kind is StepKind.CALL
        text = f"{step.name} {arguments_text(step.arguments)}" if called else step.text
        hits.append(ActorText(_KINDS[step.kind], step.item, "arguments" if called else "text", text))
        if called and with_values:
            hits.append(ActorText(CALL, step.item, "arguments", "\n".join(_values(arguments_value(step.arguments), 0))))
    for key, value in row.items():
        if key not in _TRANSCRIPT and not key.startswith("ng_"):
            hits += _fields(field_name(key), value, 0)
    return [text for text in hits if text.text]


def _values(value: Any, depth: int) -> Iterator[str]:
    """The texts and numbers in a call's arguments, without the marks of JSON."""
    if isinstance(value, dict | list) and depth < _DEEPEST:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _values(inner, depth + 1)
    elif value is not None:
        yield arguments_text(value)


def texts_beside(row: Mapping[str, Any], actor: str) -> list[ActorText]:
    """Long texts of one actor that stand beside the transcript and not in it: an instruction, the log of a test."""
    transcript = "\n".join(text.text for text in texts_of(row) if text.item is not None)
    beside = [text for text in texts_of(row) if text.item is None and text.actor == actor and len(text.text) >= LONG]
    return [text for text in beside if text.text.strip() not in transcript]


def _fields(name: str, value: Any, depth: int) -> Iterator[ActorText]:
    if isinstance(value, str):
        yield ActorText(writer(name), None, f"row.{name}", value)
    elif depth < _DEEPEST and isinstance(value, dict):
        for key, inner in value.items():
            if " " in key:  # a name that is a sentence, such as the one of a failed check
                yield ActorText(writer(name), None, f"row.{name}", key)
            yield from _fields(f"{name}.{field_name(key)}", inner, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _fields(f"{name}.{place}", inner, depth + 1)


def writer(name: str) -> str:
    """Who writes a field of the row, as far as its name tells."""
    have = {word for part in name.split(".") for word in words(part)}
    if have & _OF_THE_VERIFIER:
        return "verifier"
    return "task" if have & _OF_THE_TASK else "harness"


def _match(text: ActorText, start: int, end: int, times: int) -> TextMatch:
    place = f"item {text.item}" if text.item is not None else text.field
    before, after = text.text[max(start - MOST_AROUND, 0) : start], text.text[end : end + MOST_AROUND]
    return TextMatch(text.actor, place, before, text.text[start:end], after, times)


def _end(text: str, letters: int) -> str:
    """The end of a text, from a whole word on; "…" says that there is more."""
    if len(text) <= letters:
        return text
    cut = text[len(text) - letters :]
    return f"…{cut[cut.find(' ') + 1 :] if ' ' in cut[: letters // 2] else cut}"


def _start(text: str, letters: int) -> str:
    if len(text) <= letters:
        return text
    cut = text[:letters]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[letters // 2 :] else cut}…"


def _middle(words: str) -> str:
    """The words of a match; of very long ones both ends."""
    return words if len(words) <= 4 * AROUND else f"{words[: 2 * AROUND]} […] {words[-2 * AROUND :]}"


def search(rows: pl.DataFrame, patterns: Sequence[TextPattern]) -> Iterator[tuple[int, list[TextMatch | None]]]:
    """Of every row that holds something: its place in the table, and for each pattern its first match.

    Files are read in order, line by line; a row that cannot be opened any more is an error, never a row without words.
    """
    tokens = [pattern.token for pattern in patterns]
    ordered = rows.select("path", "line", "offset", "length").with_row_index("place").sort("path", "offset")
    for part in ordered.partition_by("path", maintain_order=True):
        path = part["path"][0]
        try:
            with open_bytes(path) as stream:
                for place, line, offset, length in part.select("place", "line", "offset", "length").iter_rows():
                    stream.seek(offset)
                    data = stream.read(length)
                    low = data.lower()
                    may_match = [token.search(low) is not None for token in tokens]
                    if not any(may_match):
                        continue
                    row = parse(data).value
                    if not isinstance(row, dict):
                        hint = "The file has changed since it was read: ask again."
                        raise InputError(f"{path}:{line}: no row stands here any more.", hint)
                    texts = texts_of(row, with_values=any(CALL in pattern.actors for pattern in patterns))
                    pairs = zip(patterns, may_match, strict=True)
                    hits = [pattern.first(texts) if maybe else None for pattern, maybe in pairs]
                    if any(match is not None for match in hits):
                        yield int(place), hits
        except UNREADABLE as error:
            raise InputError(f"{path}: cannot be read ({error}).", "Check the file.") from None
