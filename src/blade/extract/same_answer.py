"""When two answers are one: case, white space, LaTeX wrappers, number format and units do not tell them apart."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex

LONGEST = 2000
_SHORT = 300
_SIGNS = str.maketrans(
    dict.fromkeys("‐‑‒–—−", "-")
    | dict.fromkeys("“”„", '"')
    | dict.fromkeys("‘’", "'")
    | dict.fromkeys("×∗⋅·", "*")
    | dict.fromkeys("÷∕⁄", "/")
    | {"≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "⇒": "=>", "¬": "~", "∞": "\\infty", "π": "pi", "√": "sqrt"}
)
_RAISED = late_regex(r"(?<=\S)[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_MIXED = late_regex(r"(?<=\d)(?=[¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])")
_RAISED_GROUP = late_regex(r"\^\{(-?\w+)\}")
_SPACED = late_regex(r"[+-]?\d{1,3}(?: \d{3})+(?:\.\d*)?", re.ASCII)
_ROOT_OF = late_regex(r"(?<![a-z])sqrt\s*(\w+)")
_RELATION = late_regex(r"\\(neg|leq?|geq?|neq?|rightarrow|to|pi)(?![a-zA-Z])")
_RELATIONS = (
    dict.fromkeys(("le", "leq"), "<=")
    | dict.fromkeys(("ge", "geq"), ">=")
    | dict.fromkeys(("ne", "neq"), "!=")
    | {"rightarrow": "->", "to": "->", "neg": "~", "pi": "pi"}
)
_POWER = late_regex(r"(?<=[\w)])\*\*(?=[\w(-])")
_QUOTES = str.maketrans("", "", "\"'")
_EDGES = " \t\n*_`\"'"
_TAIL = " .,;:!\t\n"
_COMMAND = late_regex(
    r"\\(?:boxed|fbox|text|textbf|textit|mathrm|mathbf|mathit|operatorname|displaystyle|ensuremath)\s*\{(.*)\}",
    re.DOTALL,
)
_TAG = late_regex(r"<(\w{1,30})>(.*)</\1>", re.DOTALL)
_FRACTION = late_regex(r"\\[dt]?frac\s*(?:\{([^{}]*)\}\s*\{([^{}]*)\}|(\d)(\d))")
_ROOT = late_regex(r"\\sqrt\s*\{([^{}]*)\}")
_INNER_TEXT = late_regex(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}")
_SPACING = late_regex(r"\\(?:left|right|,|;|!|:| )")
_OPERATORS = late_regex(r"\s*(!=|->|[,+*/=^()\[\]{}<>:-])\s*")
_NUMBER = late_regex(r"[$€£]?([+-]?)[$€£]?(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d*))?", re.ASCII)
_AMOUNTS = (
    r"(?:hundred|thousand|[mb]illion|trillion|[mb]n\b|dozen|half|halves|third|quarter|(?:four|fif|six|seven|eigh|nin|ten)th|"
    r"squared|cubed|factorial|mod|plus|minus|less|more|times|over|under|percent of|of\b)"
)
"""Words after a number that change what it says: no units."""
_WITH_UNIT = late_regex(
    r"([$€£]?[+-]?[\d.,]*\d)(?:\s?[%°]|\s?(?:[cmk]m|[km]?g|m?l|mph|km/h|[kmg]?hz|[km]?ev|k?j|kw|kwh|mol|ms|ns|hr|hrs|min|sec)|"
    r"\s(?!or\b|and\b|to\b|x\b|[xyzinekp]$|pi\b|[*/+^-]|" + _AMOUNTS + r")[a-z°µ·][a-z/^*·. ]{0,20}[23]?)"
)
_NAMED = late_regex(r"[a-z]\w{0,3}=(.+)")

_COMMANDS = (("\\cdot", "*"), ("\\times", "*"), ("\\div", "/"), ("\\%", "%"), ("\\$", "$"))


def normal(answer: Any) -> str:
    """An answer without what does not belong to it."""
    if isinstance(answer, str):
        return _remembered(answer) if len(answer) <= _SHORT else _normal(answer)
    return _normal(arguments_text(answer))


def _normal(answer: str) -> str:
    text = answer[:LONGEST]
    if not text.isascii():
        text = _MIXED.sub(" ", _RAISED.sub(lambda match: f"^{match.group(0)}", text))
        text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    text = _RAISED_GROUP.sub(r"^\1", _POWER.sub("^", text))
    text = peel(" ".join(text.split()))
    text = _plain_latex(text).casefold()
    if text[:1] == "[" and text[-1:] == "]":
        text = text.translate(_QUOTES)
    plain = _number(text)
    return plain if plain is not None else _OPERATORS.sub(r"\1", _ROOT_OF.sub(r"sqrt(\1)", text))


_remembered = lru_cache(maxsize=1024)(_normal)
"""Several rules ask for the same answers, and keys repeat from row to row."""


def peel(text: str) -> str:
    """Text without the marks around it: bold, quotes, dollar signs, boxes, tags, a final full stop."""
    for _ in range(8):
        before = text
        text = text.strip(_EDGES).rstrip(_TAIL)
        for opening, closing in (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")):
            if (
                text.startswith(opening)
                and text.endswith(closing)
                and len(text) >= len(opening + closing)
                and opening not in text[len(opening) : -len(closing)]
            ):
                text = text[len(opening) : -len(closing)]
        wrapped = _COMMAND.fullmatch(text) or _TAG.fullmatch(text)
        if wrapped and _balanced(wrapped.group(wrapped.lastindex or 0)):
            text = wrapped.group(wrapped.lastindex or 0)
        if len(text) > 2 and text[0] == "(" and text[-1] == ")" and text[1:-1].isalnum():
            text = text[1:-1]
        if text == before:
            break
    return text


def same(answer: Any, second_answer: Any) -> bool:
    """Whether two answers say the same; a unit that only one of them names is let pass."""
    first, second = normal(answer), normal(second_answer)
    if first == second:
        return bool(first)
    if not first or not second:
        return False
    return bare(first) == second or first == bare(second)


def bare(text: str) -> str | None:
    """The number of a number with a unit; the right side of `x = 5`."""
    named_value = _NAMED.fullmatch(text)
    if named_value:
        return normal(named_value.group(1))
    match = _WITH_UNIT.fullmatch(text)
    return _number(match.group(1)) if match else None


def _number(text: str) -> str | None:
    text = text.strip()
    match = _NUMBER.fullmatch(text.replace(" ", "") if _SPACED.fullmatch(text) else text)
    if not match or (match[2] is None and not match[3]):
        return None
    integer, part = (match[2] or "0").replace(",", ""), (match[3] or "").rstrip("0")
    if len(integer) > 1 and integer[0] == "0":
        return None
    sign = "-" if match[1] == "-" and (integer != "0" or part) else ""
    return f"{sign}{integer}.{part}" if part else f"{sign}{integer}"


def _plain_latex(text: str) -> str:
    if "\\" not in text:
        return text
    text = _SPACING.sub(" ", text)
    for _ in range(3):
        before = text
        text = _INNER_TEXT.sub(r"\1", text)
        text = _ROOT.sub(r"sqrt(\1)", text)
        text = _FRACTION.sub(lambda match: f"{_group(match[1] or match[3])}/{_group(match[2] or match[4])}", text)
        if text == before:
            break
    for command, plain in _COMMANDS:
        text = text.replace(command, plain)
    text = _RELATION.sub(lambda match: _RELATIONS[match[1]], text)
    return " ".join(text.split())


def _group(text: str | None) -> str:
    inner = (text or "").strip()
    return inner if inner.isalnum() else f"({inner})"


def _balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0
