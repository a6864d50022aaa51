"""What kind of thing an answer is: a number, a choice among options, a list, none at all, or text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from blade.extract.equivalent import value_of
from blade.extract.options import letter_of
from blade.extract.same_answer import bare, normal, peel
from blade.late_regex import late_regex

NUMBER, CHOICE, LIST, NONE, TEXT = "number", "choice", "list", "none", "text"
_NONE = late_regex(
    r"none|n/a|null|nil|nothing|no answer|unanswerable|unknown|not answerable|not given|"
    r"cannot be (?:determined|answered)|not enough info(?:rmation)?|\[\]|\{\}|∅|\\emptyset|no solutions?"
)
_LETTER = late_regex(r"\(?[A-Z]\)?")
_YES_NO = frozenset({"yes", "no", "true", "false"})


def is_record(text: str) -> bool:
    """Whether an answer or a key is a record of fields, such as changes: it need not be all that is judged."""
    return text.startswith("{") and '":' in text


def kind_of(accepted: Sequence[str], options: Mapping[str, str]) -> str:
    """The kind of an answer, or of a key by the first answer that it accepts."""
    text = accepted[0].strip()
    plain = normal(text)
    if options and letter_of(text, options) is not None:
        return CHOICE
    if _NONE.fullmatch(plain):
        return NONE
    if value_of(text) is not None or value_of(bare(plain) or "") is not None:
        return NUMBER
    if _LETTER.fullmatch(peel(text)) or plain in _YES_NO:
        return CHOICE
    marks = plain[:1] + plain[-1:]
    return LIST if marks in {"[]", "{}"} or plain[:2] == "\\{" else TEXT
