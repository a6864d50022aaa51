"""A fact that may become an anchor, with what speaks for it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from blade.anchors.chance import GUESSABLE, STABLE, Bools
from blade.anchors.table import RolloutMark, RolloutTable, SliceField, quoted
from blade.frozen import frozen
from blade.wording import percent, printable

DISTRIBUTION, MECHANISM, TASK = "distribution", "mechanism", "task"
MOST_CITED = 3


@frozen
class About:
    """What a fact speaks of: the scope of its predicate, and the names that a report must use."""

    scope: Mapping[str, Any]
    entities: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    topic: tuple[str, ...] = ()
    """Facts that share it are told apart only by their numbers."""
    rarity: float = 0.0
    """−log2 of the share of rollouts it speaks of: what is said of few is specific."""


@frozen
class Candidate:
    """One sentence and its predicate, and what chance says of it."""

    kind: str
    layer: str
    sentence: str
    about: About
    measure: str
    comparator: str
    value: Any
    tolerance: float = 0.0
    polarity: int = 1
    contrary: bool = False
    citations: tuple[Mapping[str, Any], ...] = ()
    causal: int = 0
    """0 where things are, 1 what was noticed or who differs, 2 within one task or with the words that prove it."""
    guessability: float | None = None
    stability: float | None = None

    def tried(self, guessability: float, holds: Bools | float) -> Iterator[Candidate]:
        """This fact with what chance says of it, or nothing where it could be guessed or may be luck."""
        stability = holds if isinstance(holds, float) else float(holds.mean())
        if guessability <= GUESSABLE and stability >= STABLE:
            yield replace(self, guessability=round(guessability, 4), stability=round(stability, 4))


def about(
    scope: Mapping[str, Any],
    *entity_aliases: tuple[str, Mapping[str, tuple[str, ...]]],
    topic: tuple[str, ...] = (),
    share: float = 1.0,
) -> About:
    """Entities and aliases of several things together."""
    entities = tuple(dict.fromkeys(entity for entity, _ in entity_aliases))
    aliases = {entity: spellings for _, alias_map in entity_aliases for entity, spellings in alias_map.items()}
    return About(scope, entities, aliases, topic, -math.log2(min(1.0, max(share, 1e-6))))


def of(count: int, total: int, rate: float | None = None) -> str:
    """26 of 29 (89.7%)."""
    return f"{count:,} of {total:,} ({percent(count / total if rate is None else rate)})"


def shortened(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1].rstrip()}…"


def in_marks(quote: str, size: int) -> str:
    """Exact words between signs that they do not hold themselves; nothing where there are none."""
    marks = '"' if '"' not in quote else "`" if "`" not in quote else ""
    return f"{marks}{shortened(quote, size)}{marks}" if marks and quote else ""


def level_words(field_: SliceField, level: int) -> str:
    """A level as a sentence names it: alone where it speaks for itself, else with its field."""
    name = printable(field_.levels[level])
    short = field_.name.rsplit(".", 1)[-1]
    return f"`{name}`" if _speaks(name) else f"{printable(short)} `{name}`"


def level_entity(field_: SliceField, level: int) -> tuple[str, dict[str, tuple[str, ...]]]:
    """The level's name, and how else it may be written."""
    name = printable(field_.levels[level])
    short = printable(field_.name.rsplit(".", 1)[-1])
    with_field = (f"{short} {name}", f"{short}={name}", f"{short}: {name}", f"{name} {short}")
    if not _speaks(name):
        return f"{short} {name}", {f"{short} {name}": with_field[1:]}
    spaced = re.sub(r"[_\-]+", " ", name)
    spellings = [spaced] if spaced != name else []
    shared = _shared_prefix(field_.levels)
    if shared and len(name) > len(shared) + 3:
        suffix = name[len(shared) :]
        spellings += [suffix, re.sub(r"[_\-]+", " ", suffix)]
    return name, {name: tuple(dict.fromkeys(word for word in spellings if word != name))}


def _shared_prefix(levels: Sequence[str]) -> str:
    """What all levels begin with, up to a separator: `suite_a_` in suite_a_mail, suite_a_calendar."""
    first, last = min(levels), max(levels)
    size = next((n for n, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    shortened = max((first.rfind(char, 0, size) for char in "_-/ ."), default=-1)
    return first[: shortened + 1]


def _speaks(name: str) -> bool:
    return len(name) >= 4 and any(char.isalpha() for char in name) and name.lower() not in {"true", "false", "none"}


def task_words(task: str) -> str:
    return f"task `{printable(task)}`"


def task_entity(task: str) -> tuple[str, dict[str, tuple[str, ...]]]:
    """A task's id; a bare number is only an id after the word task."""
    name = printable(task)
    if not name.isdecimal():
        return name, {}
    return f"task {name}", {f"task {name}": (f"task `{name}`", f"task #{name}", f"tasks {name}", f"`{name}`")}


def mark_entity(mark: RolloutMark) -> tuple[str, dict[str, tuple[str, ...]]]:
    name = quoted(mark.name)[1:-1]
    spellings = [*mark.aliases]
    if ": " in name and not name.startswith("verifier message"):
        spellings.append(name.rsplit(": ", 1)[-1])
    return name, ({name: tuple(spellings)} if spellings else {})


def cited(mark: RolloutMark, table: RolloutTable, tasks: Sequence[int] | None = None) -> tuple[Mapping[str, Any], ...]:
    """Rollouts that show a mark, one a task; of these tasks where they are given."""
    evidence_by_task: dict[int, Mapping[str, Any]] = {}
    for row, proof in mark.proofs.items():
        task = int(table.task[row])
        if (tasks is None or task in tasks) and table.failed[row]:
            evidence_by_task.setdefault(task, proof.evidence)
    return tuple(evidence_by_task[task] for task in sorted(evidence_by_task)[:MOST_CITED])
