"""Opens a place in a rollout file, with one seek in a plain file; proves that a quote stands where it is said to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from blade.errors import InputError, NotFound
from blade.extract.citing import field_text
from blade.extract.text import clean
from blade.extract.transcript import arguments_text, prompt_steps, row_steps
from blade.files.lines import UNREADABLE, open_bytes, parse
from blade.files.remote_paths import place
from blade.findings import Cite, Evidence
from blade.model import Source, StepKind


def quote_at(source: Source, line: str, item: int | None, field: str, start: int) -> dict[str, Any]:
    """The place of a line in a field of a row, as an analysis holds the proof of what was said there."""
    return {
        "kind": "quote",
        "file": source.file,
        "line": source.line,
        "offset": source.offset,
        "length": source.length,
        "item": item,
        "field": field,
        "start": start,
        "end": start + len(line),
        "quote": line,
    }


def open_bytes_at(source: Source) -> bytes:
    """The bytes of one line."""
    path = place(source.file)
    if not path.exists():
        raise NotFound(f"{path}: the file is no longer there.", "Analyze the run where it stands now.")
    try:
        with open_bytes(path) as stream:
            stream.seek(source.offset)
            return stream.read(source.length)
    except UNREADABLE as error:
        raise InputError(f"{path}:{source.line}: cannot be read ({error}).", "Check the file.") from None


def open_row(source: Source) -> dict[str, Any]:
    """The row at a place, parsed; a file that changed since it was read is said to have changed."""
    value = parse(open_bytes_at(source)).value
    if not isinstance(value, dict):
        hint = "The file has changed since it was read: analyze it again."
        raise InputError(f"{source.file}:{source.line}: no row stands here any more.", hint)
    return value


def open_rows(sources: Iterable[Source]) -> Iterator[tuple[Source, dict[str, Any]]]:
    """Several rows, file by file and in the order they stand, so that a compressed file is unpacked once.

    A row that cannot be opened any more is left out: whoever asked for it finds it missing.
    """
    ordered = sorted(set(sources), key=lambda source: (source.file, source.offset))
    for file, group in groupby(ordered, key=lambda source: source.file):
        try:
            with open_bytes(file) as stream:
                for source in group:
                    stream.seek(source.offset)
                    value = parse(stream.read(source.length)).value
                    if isinstance(value, dict):
                        yield source, value
        except UNREADABLE:
            continue


def stands(row: dict[str, Any], cite: Cite | Evidence) -> bool:
    """Whether the quote is the exact text at its place in the row."""
    return any(clean(text[cite.start : cite.end]) == clean(cite.quote) for text in texts_at(row, cite))


def row_texts(row: dict[str, Any]) -> Iterator[str]:
    """Every text in a row: what was asked, thought, called, answered, and what the verifier wrote."""
    waiting: list[Any] = [row]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))


def texts_at(row: dict[str, Any], cite: Cite | Evidence) -> list[str]:
    """The texts that stand at a cite's place: one, or several where an item has several."""
    if cite.item is None:
        return [field_text(row, cite.field.removeprefix("row."))]
    steps = prompt_steps(row.get("responses_create_params")) if cite.item < 0 else row_steps(row)
    steps_at = [step for step in steps if step.item == cite.item]
    if cite.field == "arguments":
        return [arguments_text(step.arguments) for step in steps_at if step.kind is StepKind.CALL]
    texts: list[str] = []
    for step in steps_at:
        if step.kind is not StepKind.CALL and step.start:
            texts[-1] += step.text  # a further part of the same message
        elif step.kind is not StepKind.CALL:
            texts.append(step.text)
    return texts
