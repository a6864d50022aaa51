"""A quote in the message it stands in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xxhash import xxh3_64_hexdigest

from blade.evidence import stands, texts_at
from blade.extract.citing import field_text
from blade.extract.transcript import arguments_text, prompt_steps, row_steps
from blade.findings import Cite
from blade.frozen import frozen
from blade.model import StepKind
from blade.quoted_evidence.owners import Owner
from blade.trajectory import parts

AROUND = 500
"""Characters of the message before and after the quote."""


@frozen
class Exhibit:
    """One quoted place: file, line, item, the exact words, and what stands around them."""

    id: str
    run: str
    task: str
    attempt: int | None
    file: str
    line: int
    item: int | None
    field: str
    kind: str
    title: str
    quote: str
    before: str
    after: str
    more_before: int
    more_after: int
    proved: bool | None
    """Whether the words were found at their place again; None where the evidence is a row and no stretch of text."""


def exhibit_id(entry: Mapping[str, Any]) -> str:
    """The same place has the same name in every report on the same files."""
    names = ("file", "line", "item", "field", "start", "end")
    place = "\0".join(str(entry.get(name)) for name in names)
    if entry.get("item") is None and not entry.get("field"):
        place += str(entry.get("quote"))
    return "e" + xxh3_64_hexdigest(place.encode("utf-8", "replace"))[:11]


def exhibit_of(name: str, entry: Mapping[str, Any], row: dict[str, Any] | None, owner: Owner | None) -> Exhibit:
    """The quote as it stands in its row; without the row, the quote alone."""
    run, task, attempt = owner or (str(entry.get("run", "")), str(entry.get("task", "")), entry.get("attempt"))
    quote, item, field = str(entry.get("quote") or ""), entry.get("item"), str(entry.get("field") or "")
    start, end = int(entry.get("start") or 0), int(entry.get("end") or 0)
    before = after = title = ""
    left_out = (0, 0)
    kind, proved = "row", None
    if row is not None and item is None and not field:
        item, field, start, end, quote = _located(row, quote)
    if row is not None and (field or item is not None):
        cite = Cite(item, field, start, end, quote)
        proved = stands(row, cite)
        text = next((text for text in texts_at(row, cite) if text[start:end] == quote), "")
        before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
        left_out = (max(0, start - AROUND), max(0, len(text) - end - AROUND)) if text else (0, 0)
        kind, title = _kind_and_title(row, item)
    return Exhibit(
        name, run, task, attempt, str(entry["file"]), int(entry["line"]), item, field, kind, title, quote,
        before, after, *left_out, proved,
    )  # fmt: skip


def _located(row: dict[str, Any], quote: str) -> tuple[int | None, str, int, int, str]:
    """Where the words of a row's evidence stand: in the field they name, else in the first item that holds them."""
    field, start, end, words = _named_field(row, quote)
    if field or not quote:
        return None, field, start, end, words
    for step in (*row_steps(row), *prompt_steps(row.get("responses_create_params"))):
        call = step.kind is StepKind.CALL
        at = (arguments_text(step.arguments) if call else step.text).find(quote)
        if at >= 0:
            at += step.start
            return step.item, "arguments" if call else "text", at, at + len(quote), quote
    return None, "", 0, 0, quote


def _named_field(row: dict[str, Any], quote: str) -> tuple[str, int, int, str]:
    """A row's evidence says "field: words": where those words stand; an empty name where they cannot be found."""
    name, _, words = quote.partition(": ")
    start = field_text(row, name).find(words) if words else -1
    return (f"row.{name}", start, start + len(words), words) if start >= 0 else ("", 0, 0, quote)


def _kind_and_title(row: dict[str, Any], item: int | None) -> tuple[str, str]:
    """The kind and the title of the thing quoted."""
    if item is None:
        return "row", "field of the row"
    part = next((part for part in parts(row) if part.item == item), None)
    return (part.kind, part.title) if part else ("other", "item")
