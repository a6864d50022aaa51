"""A relaxed reading of a final message: the answers it states, whatever box, tag, prefix or mark they stand in.

Explicit statements come first (a box, a tag, JSON, "Answer:", "the answer is"), then the one field for a verdict in a
message that is a JSON object; only a message without any is read by its last line. Two different answers are two
answers: whoever re-scores with this reading takes one only if it is alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from blade.extract.prefilter import has_odd_letters, holds_any, lowered
from blade.extract.same_answer import peel
from blade.frozen import frozen
from blade.late_regex import late_regex

LAST = 4000
LONGEST = 300
_BOX = late_regex(r"\\(?:boxed|fbox)\s*\{")
_TAG = late_regex(
    r"<(answer|final_answer|final|solution|choice|result|option|judgement|judgment|verdict|best_solution)>"
    r"(.{0,300}?)</\1>",
    re.DOTALL | re.IGNORECASE,
)
_JSON = late_regex(
    r"\"(?:final_?)?answer\"\s*:\s*(\"(?:[^\"\\]|\\.){0,300}\"|-?[\d.]+|\[[^\[\]]{0,300}\])", re.IGNORECASE
)
_OBJECT = late_regex(r"\s*(?:```\w*\s*)?\{")
_FIELD = late_regex(
    r"\"(?:predicted_?|final_?)?(label|verdict|prediction|choice|decision|class(?:ification)?|category)\"\s*:\s*"
    r"(\"(?:[^\"\\]|\\.){1,80}\"|-?[\d.]+|true|false)",
    re.IGNORECASE,
)
"""Names of fields that hold an answer out of few; a message that is no object only talks about such things."""
_LABEL = late_regex(
    r"^[^\w\n]{0,6}(?:(?:so|thus|hence|therefore),? )?(?:the |my )?(?:final |correct |best )?(?:answer|solution)"
    r"(?:[ _](?:found|is))?[*_`]{0,3}[ \t]*(?::|=|→|->|\n)[*_`]{0,3}[ \t]*\n?\s*(?=([^\n]{1,300}))",
    re.IGNORECASE | re.MULTILINE,
)
_PREFIX = late_regex(r"[^\w:]*(?:final |correct |best )?(?:answer|solution)\w*[^\w:]*:", re.IGNORECASE)
_PHRASE = late_regex(
    r"\b(?:answer|(?:correct|right|best) (?:option|choice))(?: (?:to|for|of) [^.\n]{1,80}?)?"
    r"[*_`]{0,2} (?:is|would be|must be|should be|has to be)(?: therefore| thus| simply| clearly)?[: ]+"
    r"(?:the )?(?:option |choice |letter )?(?!not\b|in the\b|as follows)(?=([^\n]{1,300}))",
    re.IGNORECASE,
)
_END = r"[)\]*_\"'`]{0,4}(?=[.,;:!]|\s*$|\s*\n|\s+(?:because|since|as|is)\b)"
_CHOICE = late_regex(
    r"\b(?:choose|choosing|select|selecting|pick|picking|go with|going with|opt for)\s+(?:option |answer |choice )?"
    r"[(\[*\"'`]{0,4}([A-Z])" + _END,
    re.MULTILINE,
)
_LEAD = 40
"""More than what may stand before the answer in the line of a label."""
_BEST = ("correct ", "right ", "best ")
_WHAT = ("answer", "option", "choice")
_TAGS = ("</answer", "</final", "</solution", "</choice", "</result", "</option", "</judg", "</verdict", "</best_")
_CHOOSING = ("choos", "select", "pick", "go with", "going with", "opt for")
_IS_RIGHT = late_regex(
    r"(?:^|[.\n:,] ?|\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer|[Tt]hus|[Tt]herefore|[Ss]o|[Bb]ut|[Hh]ence),? )"
    r"[(\[*\"'`]{0,4}([A-Z])[)\]*\"'`]{0,4} is (?:therefore )?(?:the )?"
    r"(?:correct|best|right) (?:answer|option|choice)\b",
    re.MULTILINE,
)
_SENTENCE = late_regex(
    r"[.!?](?:\s|$)|\s(?:because|since|but|although|which|—)\s|,\s(?:as|because|since|so|but|which)\s"
)
_HEDGE = late_regex(
    r"\b(?:maybe|perhaps|possibly|might be|may be|could be|not sure|unsure|guess|guessing|not certain)\b", re.IGNORECASE
)
_SEVERAL = late_regex(r"\b(?:either|or)\b", re.IGNORECASE)
_NEW_SENTENCE = late_regex(r"[.!?\n]\s?")
_FIRST = late_regex(r"1([.)]) (?=\S)")
_SHORTENED = frozenset(
    "St Mt Ft Mr Mrs Ms Dr Jr Sr No vs approx ca Prof Rev Capt Col Gen Maj Lt Sgt Cmdr Adm Msgr Fr Hon Gov Sen".split()
)
_INITIAL = late_regex(r"[^\W\d_]{2,} (?:[^\W\d_]\. )*[^\W\d_]$")
"""A name of which the next one is cut to its first letter: "Florian J" of "Florian J. Oak"."""
_NAMED = late_regex(
    r"(?:\b[Ii]t['’]s|\b[Ii]t is|\b(?:must|has to) be) (?:the )?(?:answer |option |choice |letter ){0,2}"
    r"[(\[*\"'`]{0,4}([A-Z])[)\]*\"'`.!]{0,5}$"
)
_MARK = late_regex(r"\*\*([^*\n]{1,80})\*\*")
_IS_NUMBER = late_regex(r"[^\d\n?]{1,80} (?:is|are|equals|=) ([-−+]?[$€£]?(?:\d[\d,]*)?\.?\d+%?)\.?$")
"""A line that is one sentence, ends with a number and has no other: "The result is 42." """
_SENTENCES = {"label", "phrase", "mark", "line"}


@frozen
class AnswerCandidate:
    """One answer that a message states, with its place in the message and what it stands in."""

    text: str
    start: int
    end: int
    wrapper: str
    """box, tag, json, label ("Answer:"), phrase ("the answer is"), mark (bold), line (the last one)."""

    hedged: bool = False
    """Whether the sentence takes half of it back: perhaps, might be, a guess."""

    @property
    def several(self) -> bool:
        """Whether the words may be two answers: "B or C"."""
        return self.wrapper in _SENTENCES and _SEVERAL.search(self.text) is not None

    @property
    def doubtful(self) -> bool:
        return self.hedged or self.several


def readings(final_text: str) -> list[AnswerCandidate]:
    """Every statement of an answer in the end of a message, in order; its last line where there is none."""
    shift = max(0, len(final_text) - LAST)
    text = final_text[shift:]
    candidates = sorted(explicit(text), key=lambda reading: reading.start)
    if not candidates and (fields := list(_verdict_field(final_text))):
        return fields
    candidates = candidates or list(_last_line(text))
    return [replace(one, start=one.start + shift, end=one.end + shift) for one in candidates] if shift else candidates


def explicit(text: str, low: str = "") -> Iterator[AnswerCandidate]:
    """The statements that say of themselves that they are the answer. `low` is the text in lower case, if known."""
    boxes = list(_boxes(text)) if "box" in text else []
    yield from boxes
    taken = [(box.start, box.end) for box in boxes]
    low = low if len(low) == len(text) else lowered(text)
    odd = has_odd_letters(text)
    for match in _TAG.finditer(text) if "</" in text and (odd or holds_any(low, _TAGS)) else ():
        yield _reading(text, match.start(2), match.end(2), "tag")
        taken.append((match.start(), match.end()))
    for match in _JSON.finditer(text) if odd or 'answer"' in low else ():
        yield _value(text, match, 1)
        taken.append((match.start(), match.end()))
    for wrapper, matches in _sentences(text, low, odd=odd):
        for match in matches:
            start = match.start(1)
            if _opens_list(text, start):
                continue
            end = start + _clause(text[start : match.end(1)])
            if any(start < close and opening < end for opening, close in taken):
                continue  # the box or tag inside the sentence is the answer
            if peel(text[start:end]):
                loose = wrapper == "label" and not _PREFIX.match(match.group(0))
                yield _reading(text, start, end, "phrase" if loose else wrapper)
                taken.append((start, end))


def _sentences(text: str, low: str, *, odd: bool) -> Iterator[tuple[str, Iterator[re.Match[str]]]]:
    """The sentences that may state an answer, by what they stand for; patterns are tried only where they can begin."""
    best = places_of(low, _BEST)
    if odd:
        yield "label", _LABEL.finditer(text)
        yield "phrase", _PHRASE.finditer(text)
    else:
        answers = places_of(low, ("answer",))
        lines = ((low.rfind("\n", 0, at) + 1, at) for at in sorted((*answers, *places_of(low, ("solution",)))))
        yield "label", matches_at(_LABEL, text, (begin for begin, at in lines if at - begin <= _LEAD))
        yield "phrase", matches_at(_PHRASE, text, sorted((*answers, *best)))
    yield "phrase", matches_at(_CHOICE, text, sorted(places_of(text, _CHOOSING)))
    if any(low.startswith(_WHAT, low.index(" ", at) + 1) for at in best) and " is " in low:
        yield "phrase", _IS_RIGHT.finditer(text)


def places_of(low: str, words: Iterable[str]) -> list[int]:
    """Where these words stand."""
    places = []
    for word in words:
        at = low.find(word)
        while at >= 0:
            places.append(at)
            at = low.find(word, at + 1)
    return places


def matches_at(pattern: re.Pattern[str], text: str, begins: Iterable[int]) -> Iterator[re.Match[str]]:
    """What `finditer` gives, where every match begins at one of these places."""
    end = 0
    for begin in begins:
        match = pattern.match(text, begin) if begin >= end else None
        if match:
            end = match.end()
            yield match


def _boxes(text: str) -> Iterator[AnswerCandidate]:
    for match in _BOX.finditer(text):
        depth, at = 1, match.end()
        while at < len(text) and depth and at - match.end() <= LONGEST:
            depth += (text[at] == "{") - (text[at] == "}")
            at += 1
        if not depth:
            yield _reading(text, match.end(), at - 1, "box")


def _opens_list(text: str, start: int) -> bool:
    """Whether the words after "Solution:" begin a list of steps: its "1." is no answer."""
    first = _FIRST.match(text, start)
    return first is not None and text.find(f"\n2{first.group(1)} ", first.end()) >= 0


def _clause(text: str) -> int:
    """Where the answer ends in the words after "the answer is"."""
    for match in _SENTENCE.finditer(text):
        word = text[: match.start()].rsplit(" ", 1)[-1].strip(" *_(\"'`$")
        dotted = "." in word and not word.replace(".", "").isdigit()
        if match.start() and not (
            text[match.start()] == "." and (dotted or word in _SHORTENED or _is_initial(text, match.start()))
        ):
            return match.start()
    return len(text)


def _is_initial(text: str, dot: int) -> bool:
    """Whether a letter before a dot is a name cut short: names with capitals stand on both sides of it."""
    before = _INITIAL.search(text, 0, dot)
    following = text[dot + 1 :].lstrip(" *_")[:1]
    return before is not None and before.group(0)[:1].isupper() and text[dot - 1].isupper() and following.isupper()


def _verdict_field(final_text: str) -> Iterator[AnswerCandidate]:
    """The field for a verdict where a message is a JSON object, also a broken one; none where two of them differ."""
    if _OBJECT.match(final_text) is None:
        return
    fields = list(_FIELD.finditer(final_text))
    if len({(field.group(1).lower(), field.group(2)) for field in fields}) == 1:
        yield _value(final_text, fields[0], 2)


def _value(text: str, match: re.Match[str], group: int) -> AnswerCandidate:
    """A value of JSON; the marks around a text are no part of it."""
    marks = match.group(group).startswith('"')
    return _reading(text, match.start(group) + marks, match.end(group) - marks, "json")


def _last_line(text: str) -> Iterator[AnswerCandidate]:
    stripped = text.rstrip("` \t\n")
    start = stripped.rfind("\n") + 1
    line = stripped[start:]
    if not line.strip() or len(line) > LONGEST:
        return
    named = _NAMED.search(line)
    if named:
        yield _reading(text, start + named.start(1), start + named.end(1), "line")
        return
    if number := _IS_NUMBER.match(line):
        yield _reading(text, start + number.start(1), start + number.end(1), "line")
        return
    marked = list(_MARK.finditer(line))
    if len(marked) == 1 and marked[0].group(0) != line.strip():
        yield _reading(text, start + marked[0].start(1), start + marked[0].end(1), "mark")
    else:
        yield _reading(text, start, start + len(line), "line")


def _reading(text: str, start: int, end: int, wrapper: str) -> AnswerCandidate:
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    inner = inner.strip()
    hedged = False
    if wrapper in _SENTENCES:
        before = _NEW_SENTENCE.split(text[max(0, start - 80) : start])[-1]
        hedged = _HEDGE.search(before + inner) is not None
    return AnswerCandidate(inner, start, start + len(inner), wrapper, hedged)
