"""The answer of a rollout beside its key: what was given, what was expected, and whether the two are one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from xxhash import xxh3_64_intdigest

from blade.extract.answer_candidates import LONGEST as LONGEST_LINE
from blade.extract.answer_candidates import AnswerCandidate
from blade.extract.answer_kind import kind_of
from blade.extract.attempt import Attempt
from blade.extract.declined import closing_words
from blade.extract.equivalent import LAYOUT, VALUE, code_form, equivalent, same_table
from blade.extract.options import letter_of
from blade.extract.prefilter import may_hold
from blade.extract.raw_fields import raw_text
from blade.extract.same_answer import normal
from blade.extract.text import clip
from blade.late_regex import late_regex

SHORT = 160
LONGEST_OPTION = 60
MOST_ACCEPTED = 4
REMARK = "remark"
"""How an answer says what is expected where a remark stands behind it."""
NO_ANSWER = "the verifier found no answer in the final message"
FIELD, MESSAGE, EMPTY, WHOLE = "field", "message", "empty", "whole"
"""Where an answer was read: the verifier's field, the final message, the field is there and holds nothing, or it holds
the whole final message, which states one answer."""
LONG_MESSAGE = 120
TIMES = 3
_EXACT = late_regex(
    r"\b(?:verbatim|case[- ]sensitive|upper[- ]?case|lower[- ]?case|capital(?:i[sz]e|i[sz]ation| letters?)|"
    r"exactly as|with(?:out)? (?:the )?units?)\b",
    re.IGNORECASE,
)
_DIGITS = late_regex(
    r"\b(?:(?:one|two|three|four|five|six|\d+) decimals?|decimal places?|significant (?:figures|digits)|rounded|"
    r"round (?:to|your))\b",
    re.IGNORECASE,
)
"""How many digits a number shall have: an answer with other digits is another one."""
_NUMBER = late_regex(r"\d+(?:[.,]\d+)*")
_FORM = late_regex(
    r"\b(?:expression|equation|simplif\w+|simplest|lowest terms|as an? (?:\w+ )?(?:fraction|decimal|percent\w*)|"
    r"operators?|operations?|using (?:only |all )?(?:of )?(?:the |these )?(?:numbers|digits))\b",
    re.IGNORECASE,
)
"""A task about the form of a number: another form of the same value is no answer."""
_SET = late_regex(
    r"\b(?:in any order|order (?:does not|doesn't|is not|isn't) (?:matter|important)|regardless of order|"
    r"(?:the|a) set of|find all|all (?:\w+ ){0,2}(?:values|solutions|roots|pairs))\b",
    re.IGNORECASE,
)
_ORDERED = late_regex(
    r"\b(?:sort\w*|ascending|descending|in (?:the )?(?!any\b)(?:\w+ )?order\b(?! to\b)|ordered|sequence|rank\w*)\b",
    re.IGNORECASE,
)
SEVERAL, MOST_BOXES = 2, 4
_OR = late_regex(
    r"[,;]?\s+\(?or,?\s+(?:alternatively,?\s+|else\s+|maybe\s+|possibly\s+)?(?!equal|more|less|about|so\b)|"
    r"[,;]?\s+\(?alternatively,?\s+|\s+/\s+|(?:[,;]\s+\(?|\s+\()(?:possibly|perhaps|maybe)\s+|"
    r"\s+\((?=[^()]{1,60}\b(?:another|other|alternative) (?:reading|source|count|interpretation|definition|method)s?\b)"
)
_AROUND = late_regex(
    r"^(?:either|maybe|perhaps|possibly)\s+|[\s,;()]*\b(?:depending on|(?:on|in|by|under|with|for) (?:an)?(?:the )?"
    r"(?:other|alternative)\b|if\b|assuming\b|according to\b).*$|[\s,;()]+$",
    re.IGNORECASE | re.DOTALL,
)
"""Words around one of several answers: what it depends on."""
_LISTED, _JOINED = late_regex(r"[,;\[{]"), late_regex(r"\b(?:and|or)\b")
"""A key of several parts: then several answers are what is asked for, unless one of them is the whole key."""
_REMARK = late_regex(
    r"(?<=\S)\s*[(\[](?![^)\]]*\b(?:or|possibly|perhaps|maybe)\b)[^()\[\]]*[A-Za-z][^()\[\]]*[)\]]\s*$"
)
"""What stands in brackets behind a number and says no other one in its place: "98 hours (June 2023)"."""
_BARE = late_regex(
    r"\b(?:only|just) (?:(?:with|the|an?) ){0,2}(?:(?:final|single|numeric(?:al)?|bare|plain) ){0,2}"
    r"(?:number|integer|value|figure|digits?)\b|\b(?:number|integer|value|digits?) (?:only|alone)\b|"
    r"\b(?:answer|reply|respond|output|write|return|give)\b[^.\n]{1,80}\bnothing else\b|"
    r"\bno (?:other|additional|extra|further) (?:text|words)\b|\bwithout (?:any )?(?:other|additional|extra|further|"
    r"explanat\w+|comments?|remarks?|text|words)\b",
    re.IGNORECASE,
)
"""A prompt that wants the number by itself: then a remark behind it is a fault of the answer."""
_ASKED = {
    "exact": (_EXACT, ("verbatim", "case", "capital", "exactly as", "unit")),
    "digits": (_DIGITS, ("decimal", "significant", "round")),
    "form": (_FORM, ("express", "equation", "simpl", "lowest", "as a", "operat", "using ")),
    "bare": (_BARE, ("number", "integer", "value", "figure", "digit", "nothing", "no ", "without")),
    "set": (_SET, ("order", " set of", "find all", "all ")),
    "ordered": (_ORDERED, ("sort", "scending", "order", "sequence", "rank")),
}
"""Each pattern with words of which a text must hold one, in small letters, for it to match at all."""
_LABELLED = late_regex(
    r"^\s*[A-Za-z][A-Za-z ']{1,60}(?::|=|\b(?:is|are|was|were)\b)\s*(?P<value>[-$€£]{0,2}\s?\d[\d.,]*?)\.?\s*$"
)
"""A number behind words that say what it is: "Total: $1,200.50"."""
_LOOKED_AT = 20_000


def answer_record(attempt: Attempt) -> dict[str, Any]:
    """Small values for all rollouts together: see `blade.questions.answers_and_keys`."""
    key, field = attempt.key, attempt.answer
    if attempt.reference is not None or (key is None and field is None and attempt.calls):
        return {}
    answer, source = given_answer(attempt)
    if key is None and not answer:
        return {"answer": {"source": source}} if source else {}
    record: dict[str, Any] = {"source": source}
    if answer:
        record |= _answer_facts(attempt, answer)
    if key is not None:
        record |= _several(attempt, answer)
        record["key"] = [clip(text, SHORT) for text in key.accepted[:MOST_ACCEPTED]]
        record["key_kind"] = kind_of(key.accepted, attempt.options)
        if option := _option(attempt, key.accepted[0]):
            record["key_option"] = option
        record["meets"] = key_met(attempt, answer) if answer else ""
        if answer and not record["meets"] and attempt.answer is not None:
            raw = raw_text(attempt.row, attempt.answer[0])
            if raw and key_met(attempt, raw):
                record["raw"] = clip(raw, SHORT)
    if key is not None and not answer and all(reading.wrapper == "line" for reading in attempt.stated):
        record |= _declined(attempt)
    if key is not None and (answer or source == EMPTY):
        record |= _marks(attempt)
    if answer and attempt.lost and attempt.judge:
        record["judge"] = attempt.judge
    if source == EMPTY and attempt.stated:
        record["stated"] = clip(attempt.stated[-1].text, SHORT)
        record["stated_meets"] = key_met(attempt, attempt.stated[-1].text)
    return {"answer": record}


def _several(attempt: Attempt, answer: str) -> dict[str, Any]:
    """`several`: the answers that are handed in where the key is one, and whether each of them is the key's."""
    texts = {normal(reading.text): reading.text for reading in attempt.stated[-MOST_BOXES:] if reading.wrapper == "box"}
    written = (raw_text(attempt.row, attempt.answer[0]) if attempt.answer else "") or answer
    if len(texts) < SEVERAL and len(written) <= SHORT and _OR.search(written):
        parts = (_AROUND.sub("", _AROUND.sub("", part.strip())) for part in _OR.split(written))
        texts = {normal(part): part for part in parts if part}
    if len(texts) < SEVERAL or attempt.key is None or any(map(_LISTED.search, attempt.key.accepted)):
        return {}
    keys = {_letters(key) for key in attempt.key.accepted}
    met = {text: bool(key_met(attempt, text)) or _letters(text) in keys for text in texts.values()}
    if any(map(_JOINED.search, attempt.key.accepted)) and (not any(met.values()) or _letters(written) in keys):
        return {}
    return {"several": [[clip(text, LONGEST_OPTION), meets] for text, meets in met.items()]}


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _declined(attempt: Attempt) -> dict[str, str]:
    words = closing_words(attempt.final_text)
    return {"declined": clip(words, SHORT)} if words else {}


def _marks(attempt: Attempt) -> dict[str, str]:
    """In what the final message puts its answer, and in what the prompt asks for it."""
    marks = {"mark": attempt.stated[-1].wrapper} if attempt.stated else {}
    return marks | ({"wanted": attempt.wanted.kind} if attempt.wanted else {})


def _answer_facts(attempt: Attempt, answer: str) -> dict[str, Any]:
    kind = kind_of((answer,), attempt.options)
    record: dict[str, Any] = {"text": clip(answer, SHORT), "length": len(answer), "kind": kind}
    letter = letter_of(answer, attempt.options) if attempt.options else None
    if letter is not None:
        record |= {"letter": letter, "option": clip(attempt.options[letter], LONGEST_OPTION)}
    if len(answer) > SHORT:
        record["digest"] = xxh3_64_intdigest((code_form(answer) or " ".join(answer.split())).encode())
    asked = attempt.once(_form_asked)
    if asked.exact or asked.digits:
        record["exact"] = 1
    return record


def _option(attempt: Attempt, answer: str) -> str:
    """The words of the option that an answer names; empty where it names none."""
    letter = letter_of(answer, attempt.options) if attempt.options else None
    return clip(attempt.options[letter], LONGEST_OPTION) if letter is not None else ""


def given_answer(attempt: Attempt) -> tuple[str, str]:
    """The answer that was judged and where it stands: what the verifier read out, else the message's only statement."""
    if attempt.answer is not None:
        value = attempt.answer[1]
        if value in (None, "", []):
            return "", EMPTY
        if isinstance(value, bool):
            return "", ""
        text = value if isinstance(value, str) else normal(value)
        statements = [reading for reading in attempt.stated if reading.wrapper not in {"line", "mark"}]
        if is_whole_message(attempt, text, statements) and not statements[-1].doubtful:
            return statements[-1].text, WHOLE
        return text, FIELD
    if attempt.answers_are_results:
        return "", ""
    if attempt.key is None or [reading.wrapper for reading in attempt.stated] == ["line"]:
        return (attempt.final_text, MESSAGE) if _one_line(attempt.final_text) else ("", "")
    statements = attempt.stated
    return (statements[0].text, MESSAGE) if len(statements) == 1 and not statements[0].doubtful else ("", "")


def is_whole_message(attempt: Attempt, extracted: str, statements: Sequence[AnswerCandidate]) -> bool:
    """Whether what the verifier took is the final message to its end, while that states one answer and no other."""
    if not statements or len({normal(reading.text) for reading in statements}) > 1:
        return False
    answer, end = statements[-1].text, extracted.strip()[-LONG_MESSAGE:]
    long = len(extracted) > max(LONG_MESSAGE, TIMES * len(answer))
    return long and answer in extracted and attempt.final_text.strip().endswith(end)


def _one_line(text: str) -> bool:
    return bool(text) and "\n" not in text and len(text) <= LONGEST_LINE


def key_met(attempt: Attempt, answer: Any) -> str:
    """How an answer says what is expected; empty where it may say something else, or where the writing is the task."""
    if attempt.key is None:
        return ""
    form_asked = attempt.once(_form_asked)
    without_remark = "" if form_asked.bare else _without_remark(str(answer))
    for accepted in attempt.key.accepted:
        if equivalence := _equality(attempt, form_asked, answer, accepted):
            return equivalence
        is_number = without_remark and _NUMBER.fullmatch(accepted.strip())
        if is_number and _equality(attempt, form_asked, without_remark, accepted):
            return REMARK
    return ""


def _without_remark(answer: str) -> str:
    """An answer that begins with a number without the remark that stands in brackets behind it; empty without one."""
    text = answer.strip()
    if text[-1:] not in {")", "]"} or not _NUMBER.match(text):
        return ""
    plain = _REMARK.sub("", text)
    return "" if plain == text else plain


def _equality(attempt: Attempt, form_asked: _Asked, answer: Any, accepted: str) -> str:
    """How an answer says one of the texts that are accepted."""
    if str(answer).strip() == accepted.strip():
        return "text"
    if same_table(str(answer), accepted):  # the writing that a prompt asks for is that of a text
        return LAYOUT
    if form_asked.exact or (form_asked.digits and _digits(answer) != _digits(accepted)):
        return ""
    equivalence = equivalent(
        answer, accepted, unordered=form_asked.unordered or accepted.strip().startswith(("{", "\\{"))
    )
    if equivalence == VALUE and (
        form_asked.form or any(_squeezed(answer) in _squeezed(text) for text in _prompts(attempt))
    ):
        return ""
    if equivalence:
        return equivalence
    if attempt.options and isinstance(answer, str):
        letter = letter_of(answer, attempt.options)
        right = letter_of(accepted, attempt.options)
        if letter is not None and right is not None and _are_one_option(attempt.options, letter, right):
            return "option"
    labelled = _LABELLED.match(str(answer)) if _NUMBER.fullmatch(accepted.strip()) else None
    return equivalent(labelled["value"], accepted) if labelled else ""


def _are_one_option(options: Mapping[str, str], letter: str, right: str) -> bool:
    """Whether two letters stand for the same words: a question may list one option twice."""
    return letter == right or normal(options[letter]) == normal(options[right])


def equal_answer(attempt: Attempt) -> tuple[str, str, str] | None:
    """The field with the answer that the verifier read out, the answer, and how it says what the key says, if it does.

    None where no such answer or no key is known.
    """
    if attempt.key is None or attempt.answer is None:
        return None
    field, value = attempt.answer
    if not isinstance(value, (str, int, float)) or isinstance(value, bool) or not str(value).strip():
        return None
    return field, str(value), key_met(attempt, value)


def _prompts(attempt: Attempt) -> list[str]:
    return [step.text[-_LOOKED_AT:] for step in attempt.prompt]


class _Asked(NamedTuple):
    """What a prompt says of the writing of the answer."""

    exact: bool
    digits: bool
    form: bool
    unordered: bool
    bare: bool


def _form_asked(attempt: Attempt) -> _Asked:
    patterns = frozenset[str]().union(*map(_patterns_in, _prompts(attempt)))
    return _Asked(
        "exact" in patterns,
        "digits" in patterns,
        "form" in patterns,
        "set" in patterns and "ordered" not in patterns,
        "bare" in patterns,
    )


@lru_cache(maxsize=256)
def _patterns_in(prompt: str) -> frozenset[str]:
    """Which of the patterns stand in a message; the attempts at a task have the same prompt."""
    patterns = _ASKED.items()
    return frozenset(name for name, (pattern, hints) in patterns if may_hold(prompt, hints) and pattern.search(prompt))


def _digits(answer: Any) -> list[str]:
    """The digits of the numbers in an answer, in whatever order these stand."""
    return sorted(re.sub(r"\D", "", number) for number in _NUMBER.findall(str(answer)))


def _squeezed(text: Any) -> str:
    return re.sub(r"\s+", "", str(text))
