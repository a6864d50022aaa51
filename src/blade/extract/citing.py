"""Exact places inside one row, for everything that must prove what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blade.extract.calls import Call
from blade.extract.claim_records import TroubleClaim, claim_fields
from blade.extract.json_spans import value_span
from blade.extract.text import clean
from blade.extract.transcript import arguments_text
from blade.extract.trouble import speaks_of
from blade.findings import LONGEST_QUOTE, Cite
from blade.late_regex import late_regex
from blade.model import Step, StepKind

LONG_TEXT = 20_000
WORDS_AROUND = 160
LONGEST_PROBLEM = 160
_FLAG = late_regex(r"\"?(?:exit_?code|return_?code|success|ok|is_?error|isError|status)\"?\s*[:=]\s*\"?[\w-]{1,12}")


class Citing:
    """A row of which places can be cited."""

    row: dict[str, Any]

    def cite(self, step: Step, start: int = 0, end: int | None = None) -> Cite:
        """A place in the text of a step; for a call, in its arguments as written."""
        of_call = step.kind is StepKind.CALL
        text = arguments_text(step.arguments) if of_call else step.text
        return _cite(step.item, "arguments" if of_call else "text", text, start, end, step.start)

    def cite_words(self, step: Step, words: str) -> Cite:
        """The first place of these words in a step; its beginning where they do not stand there literally."""
        text = arguments_text(step.arguments) if step.kind is StepKind.CALL else step.text
        at = text.find(words) if words else -1
        return self.cite(step, at, at + len(words)) if at >= 0 else self.cite(step)

    def cite_problem(self, call: Call) -> list[Cite]:
        """What a failed call's answer complains of: its message, or the flag that tells of the failure."""
        step, message = call.answer, (call.problem or "")[:LONGEST_PROBLEM]
        if step is None:
            return []
        if message and message in step.text:
            return [self.cite_words(step, message)]
        flag = _FLAG.search(step.text[:LONG_TEXT])
        return [self.cite(step, *flag.span()) if flag else self.cite(step, 0, LONGEST_PROBLEM)]

    def cite_value(self, call: Call, path: Sequence[str | int]) -> Cite:
        """One value inside a call's arguments; the longest part of its path that stands there."""
        text = arguments_text(call.step.arguments)
        for end in range(len(path), -1, -1):
            span = value_span(text, path[:end])
            if span is not None:
                return self.cite(call.step, *span)
        return self.cite(call.step)

    def cite_field(self, name: str, text: str | None = None, start: int = 0, end: int | None = None) -> Cite:
        """A place in a field of the row; `text` where the field is long or no string."""
        return _cite(None, f"row.{name}", field_text(self.row, name) if text is None else text, start, end)

    def cite_claim(self, claim: TroubleClaim) -> list[Cite]:
        """The fields that make a claim; of a long text, the words around the telling ones."""
        cites = []
        for name in claim_fields(self.row, claim):
            text = field_text(self.row, name)
            trouble = speaks_of(text) if len(text) > WORDS_AROUND else None
            start = max(0, trouble.start - WORDS_AROUND // 2) if trouble else 0
            cites.append(_cite(None, f"row.{name}", text, start, min(len(text), start + WORDS_AROUND)))
        return [cite for cite in cites if cite.quote]


def field_text(row: dict[str, Any], name: str) -> str:
    """The value of a field under its dotted name, as text."""
    value: Any = row
    for part in name.replace("\\.", "\0").split("."):
        key = part.replace("\0", ".")
        if isinstance(value, list) and key.isdecimal() and len(key) < 18 and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict):
            value = value.get(key, value.get(clean(key)))
        else:
            return ""
    return arguments_text(value)


def _cite(item: int | None, field: str, text: str, start: int, end: int | None, shift: int = 0) -> Cite:
    """The words between two places of a text, which begins `shift` characters into the item or the field."""
    stop = min(len(text) if end is None else end, start + LONGEST_QUOTE)
    return Cite(item, field, shift + start, shift + stop, text[start:stop])
