"""Anchor facts out of a report's text alone: the weaker way, where no rollouts are at hand.

Sentences stay whole with their numbers, table rows become sentences, a sentence that names nothing borrows the task or
the heading it stands under. The choice goes by concrete words, causes and contrasts, and leaves out what was said.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from blade.anchors.anchor import Anchor
from blade.checking.markdown_blocks import MarkdownBlock, markdown_blocks
from blade.frozen import frozen
from blade.wording import printable

SHORTEST, LONGEST = 8, 70
NOVELTY = 0.55
_WORD = re.compile(r"[a-z][a-z_]{2,}|\d+(?:[.,]\d+)*")
_EMPHASIS = re.compile(r"\*\*|__|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|<[^<>]{1,40}>|\[(?=[^\]]*\]\()|\]\([^)]*\)")
_LABEL = re.compile(
    r"^(?:key finding|diagnosis|note|stderr(?: evidence)?|summary|finding|root cause|task)\s*:\s*", re.IGNORECASE
)
_CUT = re.compile(r"\b(?:vs|e\.g|i\.e|cf|approx|no)\.$", re.IGNORECASE)
_CODE = re.compile(r"`([^`\s]{3,60})`")
_ID = re.compile(r"\b[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*[_-]?\d{2,}\b")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?\s*(?:%|pp\b|x\b|s\b)?")
_CAUSE = re.compile(
    r"\b(?:because|caus\w+|due to|root cause|driven by|trace[sd]? (?:back )?to|lead[s]? to|results? (?:in|from)|since"
    r"|whether|instead of|rather than|but fails?|does not|doesn't|never|cannot|introduc\w+|reject\w*|revers\w+"
    r"|missing)\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:highest|lowest|weakest|strongest|most|fewest|all \d|only|exclusively|none|no |every|uniquely|concentrat\w+"
    r"|against|versus|vs\.?|compared|while|whereas|more prevalent|more than|less than|longer|larger|times|although"
    r"|despite|however|passing|failing|flaky)\b",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:likely|possibly|probably|might|may|could|should|suggests?|recommend\w*|consider)\b", re.IGNORECASE
)
_HEADLINE = re.compile(r"pass@\d|\boverall\b|total rollouts|\bmean reward\b|\boracle\b", re.IGNORECASE)
_ADVICE = re.compile(r"recommend|reproducib|inventory|limitation|appendix.*(?:file|artifact)", re.IGNORECASE)
_DEFINES = re.compile(r"^\W*(?:specification|requires\b|an? .{3,40} is (?:one|an?|the)\b)", re.IGNORECASE)
_DEEP = re.compile(
    r"example|deep dive|failure|error|timeout|mode|pattern|contrast|flaky|never|domain|cause", re.IGNORECASE
)


@frozen
class ReportUnit:
    """One thing that a report says: a sentence, two that belong together, or a row of a table."""

    text: str
    section: str
    line: int
    row: bool = False


def from_report(text: str, limit: int = 12) -> tuple[Anchor, ...]:
    """The report's most telling statements, none like another. They are a draft: nothing but the text speaks for it."""
    return tuple(draft for _, draft in drafts(text, limit))


def drafts(text: str, limit: int) -> list[tuple[ReportUnit, Anchor]]:
    """The same with the place of each."""
    report_units = units(text)
    words = [_words(unit.text) for unit in report_units]
    weight = _weights(words)
    scores = [_score(unit, unit_words, weight) for unit, unit_words in zip(report_units, words, strict=True)]
    top = max(scores, default=1.0) or 1.0
    return [
        (
            report_units[place],
            Anchor(
                id=f"B{number}",
                fact=report_units[place].text,
                difficulty=_difficulty(report_units[place]),
                mean_score=round(1.0 + 4.0 * max(0.0, scores[place]) / top, 2),
                entities=entities(report_units[place].text),
                cluster=f"m{number}",
            ),
        )
        for number, place in enumerate(_diverse(scores, words, weight, limit), 1)
    ]


def units(text: str) -> list[ReportUnit]:
    """Every statement of a report, headings and code left out."""
    result: list[ReportUnit] = []
    subject = ""
    previous: MarkdownBlock | None = None
    for piece in _joined_blocks(markdown_blocks(text)):
        if piece.kind == "heading":
            subject, previous = "", None
        elif piece.kind == "row":
            result += _row(piece)
        elif piece.kind in {"sentence", "quote"}:
            task_id = _ID.search(piece.text)
            if task_id and len(piece.text) < 200 and re.match(r"\W*task\b", piece.text, re.IGNORECASE):
                subject = task_id[0]
            for sentence in _split(piece):
                result += _sentence_units(piece, sentence, subject)
            if previous is not None and previous.block == piece.block and _belongs(piece.text):
                result += _sentence_units(piece, f"{_plain(previous.text)} {_plain(piece.text)}", subject)
            previous = piece
    return list({unit.text: unit for unit in result}.values())


def _joined_blocks(blocks: Sequence[MarkdownBlock]) -> Iterator[MarkdownBlock]:
    """The pieces, with sentences that were cut after "vs." or "e.g." put together again."""
    waiting: MarkdownBlock | None = None
    for piece in blocks:
        if waiting is not None and waiting.block == piece.block and waiting.kind == piece.kind:
            waiting = replace(waiting, text=f"{waiting.text} {piece.text}")
        else:
            if waiting is not None:
                yield waiting
            waiting = piece
        if not _CUT.search(waiting.text):
            yield waiting
            waiting = None
    if waiting is not None:
        yield waiting


def claims(unit: ReportUnit) -> bool:
    """Whether a statement says why, and of what: worth a person's look."""
    names_something = bool(entities(unit.text) or _NUMBER.search(unit.text))
    return not unit.row and names_something and _CAUSE.search(unit.text) is not None


def _split(piece: MarkdownBlock) -> list[str]:
    """A long quote or list of numbered points in one paragraph, point by point."""
    text = _plain(piece.text)
    parts = re.split(r"(?:^|[;:,]\s+|\s)\(\d\)\s+", text)
    return [part.strip(" ;") for part in parts if part.strip()] if len(parts) > 2 else [text]


def _sentence_units(piece: MarkdownBlock, sentence: str, subject: str) -> Iterator[ReportUnit]:
    text = _LABEL.sub("", sentence).strip()
    size = len(text.split())
    letters = sum(char.isalpha() or char.isspace() for char in text)
    if not SHORTEST <= size <= LONGEST or text.endswith((":", "?")) or letters < 0.6 * len(text) or text[0] in "{[":
        return
    if subject and subject not in text:
        text = f"{subject}: {text}"
    yield ReportUnit(text if text[-1] in ".!" else f"{text}.", f"{piece.section} {piece.below}", piece.line)


def _belongs(text: str) -> bool:
    """Whether a sentence goes on with what the one before it said."""
    return bool(
        re.match(
            r"\W*(?:this|these|that|it|they|such|because|both|additionally|however|the model)\b", text, re.IGNORECASE
        )
    )


def _row(piece: MarkdownBlock) -> Iterator[ReportUnit]:
    """A row of a table as a sentence: its first cell, then what each column says of it."""
    cells = [_plain(cell) for cell in piece.cells]
    titles = [_plain(title) for title in piece.columns]
    if len(cells) < 2 or not cells[0] or cells[0].lower().startswith("total"):
        return
    cell_texts = [
        f"{title} {cell}" if title else cell for title, cell in zip(titles[1:], cells[1:], strict=False) if cell
    ]
    name = f"{titles[0]} {cells[0]}" if titles and titles[0] else cells[0]
    place = re.sub(r"^[\dA-Za-z]{0,2}[\d.]*[a-z]?\.?\s+", "", piece.below or piece.section)
    if cell_texts and any(char.isdigit() for char in " ".join(cells[1:])):
        yield ReportUnit(
            f"{place}: {name}: {', '.join(cell_texts)}.", f"{piece.section} {piece.below}", piece.line, row=True
        )


def _plain(text: str) -> str:
    return printable(_EMPHASIS.sub("", text)).replace("\\|", "|").strip()


def entities(text: str) -> tuple[str, ...]:
    """Ids and code words that a window must name, at most three."""
    names = [*_ID.findall(text), *_CODE.findall(text)]
    return tuple(dict.fromkeys(names))[:3]


def _words(text: str) -> set[str]:
    return {word[:7] if word[0].isalpha() else word for word in _WORD.findall(text.lower())}


def _weights(words: Sequence[set[str]]) -> dict[str, float]:
    word_counts = Counter(word for unit_words in words for word in unit_words)
    return {word: math.log(1 + len(words) / unit_count) for word, unit_count in word_counts.items()}


def _score(unit: ReportUnit, words: set[str], weight: dict[str, float]) -> float:
    """Concrete, causal and contrastive statements first; guesses, advice and headline numbers last."""
    text = unit.text
    causes, contrasts = len(_CAUSE.findall(text)), len(_CONTRAST.findall(text))
    score = 1.2 * min(causes, 3) + 0.9 * min(contrasts, 4)
    score += 0.7 * min(len(_NUMBER.findall(text)), 3) + 0.8 * min(len(entities(text)), 2)
    score += 0.35 * sum(sorted((weight[word] for word in words), reverse=True)[:12]) / 4
    score += 1.0 if _DEEP.search(unit.section) else 0.0
    score -= 1.0 * len(_GUESS.findall(text)) if causes + contrasts < 2 else 0.0
    score -= 2.5 if _HEADLINE.search(text) and not causes else 0.0
    score -= 2.5 if _DEFINES.search(text.partition(": ")[2] or text) or _DEFINES.search(text) else 0.0
    score -= 3.0 if _ADVICE.search(unit.section) else 0.0
    return score - (2.0 if unit.row else 0.0)


def _diverse(scores: Sequence[float], words: Sequence[set[str]], weight: dict[str, float], limit: int) -> list[int]:
    """Maximal marginal relevance: the best statement that is least like those chosen before."""
    top = max(scores, default=1.0) or 1.0
    selection: list[int] = []
    likest = [0.0] * len(scores)
    while len(selection) < min(limit, len(scores)):
        place = max(
            (place for place in range(len(scores)) if place not in selection),
            key=lambda place: ((1 - NOVELTY) * scores[place] / top - NOVELTY * likest[place], -place),
        )
        selection.append(place)
        for candidate in range(len(scores)):
            likest[candidate] = max(likest[candidate], _likeness(words[place], words[candidate], weight))
    return selection


def _likeness(first: set[str], second: set[str], weight: dict[str, float]) -> float:
    shared = sum(weight[word] for word in first & second)
    smaller = min(sum(weight[word] for word in first), sum(weight[word] for word in second))
    return shared / smaller if smaller else 0.0


def _difficulty(unit: ReportUnit) -> str:
    if unit.row:
        return "medium"
    if _CAUSE.search(unit.text) or _ID.search(unit.text):
        return "high"
    return "medium" if _CONTRAST.search(unit.text) or _NUMBER.search(unit.text) else "low"
