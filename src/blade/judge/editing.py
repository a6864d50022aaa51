"""What attacks are made of: a report, what is known of its package, and ways to change the one with the other."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from blade.frozen import frozen
from blade.judge.base import Base, Material
from blade.judge.reading import LONG_CELL, ReportReading

NUMBER = re.compile(
    r"(?<![\w.`/-])\d{1,3}(?:,\d{3})+(?![\w.,-]*\w)|(?<![\w.,`/-])\d+(?:\.\d+)?(?=\s?%|x\b|s\b|\b)(?![\w-]*[A-Za-z]{2}|\.\d|-\d)"
)
_FENCE = re.compile(r"^(```+|~~~+)")
_ITEM = re.compile(r"^(\s*(?:[-*+]|\d{1,3}[.)])\s+)(.*)$")
_AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|does|do|did|must|should|may)\b(?! not)")
_VERB = re.compile(
    r"\b(scores?|scored|pass(?:es|ed)?|fails?|failed|shows?|indicates?|suggests?|means|produces?|accounts?|leads?|requires?|"
    r"uses?|generates?|makes?|calls?|ends?|answers?|refuses?|leaves?|repeats?|includes?|gives?|changes?|agrees?|"
    r"occurs?|concentrates?|dominates?|achieves?|drops?|hits?|sometimes|always)\b"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9`\"“(*_])")


@dataclass(frozen=True)
class AttackCase:
    """Everything an attack may use. `dice` gives the same throws every time."""

    golden: str
    shallow: str
    base: Base
    seed: int = 0

    def dice(self, salt: str = "") -> random.Random:
        return random.Random(f"{self.seed} {salt}")  # noqa: S311 - seeded: attacks are the same every time

    @property
    def material(self) -> Material | None:
        return self.base.material

    @property
    def reading(self) -> ReportReading:
        return self.base.golden

    @cached_property
    def ids(self) -> list[str]:
        """The tasks that the golden report names, longest name first."""
        tasks = [task for task in self.base.names.tasks if task in self.golden and not task.isdecimal()]
        return sorted(tasks, key=lambda task: (-len(task), task))

    @property
    def facts(self) -> list[str]:
        return [anchor.fact for anchor in self.base.anchors.facts]


@frozen
class ReportLine:
    """A line and what it is: prose, item, table, heading, quote, fence or blank."""

    text: str
    kind: str


def lines(text: str) -> Iterator[ReportLine]:
    fence = ""
    for raw in text.splitlines():
        mark = _FENCE.match(raw.strip())
        if mark or fence:
            if mark:
                fence = "" if fence and raw.strip().startswith(fence) else fence or mark[1]
            yield ReportLine(raw, "fence")
        elif not raw.strip():
            yield ReportLine(raw, "blank")
        elif raw.lstrip().startswith("|"):
            yield ReportLine(raw, "table")
        elif raw.startswith("#"):
            yield ReportLine(raw, "heading")
        elif raw.lstrip().startswith(">"):
            yield ReportLine(raw, "quote")
        else:
            yield ReportLine(raw, "item" if _ITEM.match(raw) else "prose")


def sentences(line: str) -> tuple[str, list[str]]:
    """The mark of an item and the sentences behind it."""
    match = _ITEM.match(line)
    mark, body = (match[1], match[2]) if match else ("", line)
    return mark, [part for part in _SENTENCE.split(body) if part]


def each_sentence(text: str, change: Callable[[str], str]) -> str:
    """The text with every sentence of its prose changed."""
    edited = []
    for line in lines(text):
        if line.kind in {"prose", "item"}:
            mark, parts = sentences(line.text)
            edited.append(mark + " ".join(change(part) for part in parts))
        else:
            edited.append(line.text)
    return "\n".join(edited) + "\n"


def negated(sentence: str) -> str:
    """The sentence with its first verb denied, where it has one that can be."""
    if _AUXILIARY.search(sentence):
        return _AUXILIARY.sub(r"\1 not", sentence, count=1)
    return _VERB.sub(r"does not \1", sentence, count=1)


def altered_numbers(text: str, share: float, dice: random.Random) -> str:
    """Another number in place of a share of all numbers; headings, code and quotes stay."""

    def another(match: re.Match[str]) -> str:
        return another_number(match[0], dice) if dice.random() < share else match[0]

    def change(part: str) -> str:
        return NUMBER.sub(another, part)

    edited = []
    for line in lines(text):
        if line.kind in {"prose", "item", "table"}:
            mark, body = _mark(line)
            cells = re.split(r"(?<!\\)(\|)", body) if line.kind == "table" else [body]
            edited.append(
                mark + "".join(cell if _passage(cell, line) else outside_code(cell, change) for cell in cells)
            )
        else:
            edited.append(line.text)
    return "\n".join(edited) + "\n"


def _passage(cell: str, line: ReportLine) -> bool:
    """A cell that holds a passage of the data: its numbers are no figures of the report."""
    return line.kind == "table" and len(cell.strip()) > LONG_CELL


def _mark(line: ReportLine) -> tuple[str, str]:
    match = _ITEM.match(line.text) if line.kind == "item" else None
    return (match[1], match[2]) if match else ("", line.text)


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Changed everywhere but between back-ticks."""
    parts = re.split(r"(`[^`\n]*`)", text)
    return "".join(part if part.startswith("`") else change(part) for part in parts)


def another_number(text: str, dice: random.Random) -> str:
    """A number of the same form, plainly different."""
    decimals = len(text.partition(".")[2])
    value = float(text.replace(",", ""))
    step = max(abs(value) * dice.uniform(0.15, 0.6), 1.0 if not decimals else 0.7)
    changed = value + step if value < 2 or dice.random() < 0.6 else value - step
    printed = f"{max(changed, 0.0):,.{decimals}f}" if "," in text else f"{max(changed, 0.0):.{decimals}f}"
    return printed if printed != text else f"{value + 1:.{decimals}f}"


def renamed(text: str, names: dict[str, str]) -> str:
    """Each name replaced by another, all at once."""
    if not names:
        return text
    pattern = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
    return re.sub(rf"(?<![\w])(?:{pattern})(?![\w])", lambda match: names[match[0]], text)


def permuted(names: Sequence[str], dice: random.Random) -> dict[str, str]:
    """Each name is given to another: no name keeps its place where there are two or more."""
    order = list(names)
    dice.shuffle(order)
    return {name: order[(place + 1) % len(order)] for place, name in enumerate(order)} if len(order) > 1 else {}


def section(text: str, wanted_title: Callable[[str], bool]) -> str:
    """The sections (of the second level) whose title is wanted, with the report's title."""
    lines_kept: list[str] = []
    keep = True
    for line in lines(text):
        if line.kind == "heading":
            level = len(line.text) - len(line.text.lstrip("#"))
            if level <= 2:
                keep = level == 1 or wanted_title(line.text.lstrip("# "))
        if keep:
            lines_kept.append(line.text)
    return "\n".join(lines_kept) + "\n"
