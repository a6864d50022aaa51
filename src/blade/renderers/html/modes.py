"""Failure modes as cards: how many, which tasks, the words that show it, its tasks' labels, and what to change."""

from __future__ import annotations

from collections import Counter

from blade.findings import Intervention, Mode
from blade.frozen import frozen
from blade.model import Analysis
from blade.quoted_evidence import Exhibit
from blade.renderers.html.links import Links
from blade.summary.change_words import attributed_to, worth
from blade.wording import percent

SHOWN = 30
PAIR = 2
TASKS_SHOWN = 12
QUOTES_SHOWN = 3


@frozen
class Count:
    run: str
    rollouts: int
    any: int
    tasks: int
    share: str
    width: float


@frozen
class Card:
    id: str
    name: str
    kind: str
    trend: str
    counts: tuple[Count, ...]
    worth: str
    tasks: tuple[tuple[str, str], ...]
    more_tasks: int
    labels: tuple[tuple[str, str, int], ...]
    """Code, meaning, tasks."""
    quotes: tuple[tuple[str, Exhibit], ...]
    """What was noticed, and where."""
    fixes: tuple[Intervention, ...]


def cards(analysis: Analysis, links: Links) -> list[Card]:
    labels: dict[str, Counter[str]] = {}
    for label in analysis.labels:
        labels.setdefault(label.task, Counter()).update(label.labels)
    largest = max((counts["any_rollouts"] for mode in analysis.modes for counts in mode.runs.values()), default=1)
    return [_card(mode, analysis, links, labels, largest) for mode in analysis.modes[:SHOWN]]


def _card(mode: Mode, analysis: Analysis, links: Links, labels: dict[str, Counter[str]], largest: int) -> Card:
    counts = tuple(
        Count(
            run.name,
            line["rollouts"],
            line["any_rollouts"],
            line["tasks"],
            percent(line["share_of_failures"], 0),
            round(100 * line["any_rollouts"] / max(largest, 1), 1),
        )
        for run in analysis.runs
        if (line := mode.runs[run.name])
    )
    last = next((run for run in reversed(analysis.runs) if mode.runs[run.name]["rollouts"]), None)
    tasks = mode.runs[last.name]["examples"] if last else []
    total = mode.runs[last.name]["tasks"] if last else 0
    label_counts: Counter[str] = Counter()
    for task in tasks:
        label_counts.update(labels.get(task, {}).keys())
    label_names = {code: words["name"] for code, words in analysis.meanings.items()}
    return Card(
        mode.id,
        mode.name,
        attributed_to(mode),
        mode.trend or "",
        counts,
        _worth(mode, analysis),
        tuple((task, links.task(task)) for task in tasks[:TASKS_SHOWN]),
        max(0, total - TASKS_SHOWN),
        tuple(
            (code, label_names.get(code, code), number)
            for code, number in sorted(label_counts.items(), key=lambda x: (-x[1], x[0]))
        ),
        tuple(_quotes(mode, links)),
        tuple(item for item in analysis.interventions if _about(item, mode)),
    )


def _about(item: Intervention, mode: Mode) -> bool:
    return item.mode == mode.id or any(name == mode.name for name, _ in item.ways)


def _quotes(mode: Mode, links: Links) -> list[tuple[str, Exhibit]]:
    """Places that show the mode, each with other words; what was noticed there comes with it."""
    quotes: dict[str, tuple[str, Exhibit]] = {}
    for name in mode.findings:
        finding = links.finding(name)
        proofs = finding.evidence if finding else ()
        exhibit = next((candidate for proof in proofs if (candidate := links.exhibits.of(proof))), None)
        if finding and exhibit and exhibit.quote.strip():
            quotes.setdefault(exhibit.quote, (f"In {finding.run}, task {finding.statement}", exhibit))
    return list(quotes.values())[:QUOTES_SHOWN]


def _worth(mode: Mode, analysis: Analysis) -> str:
    """Its points and its ceiling, where the last run has it."""
    change, last = next(reversed(analysis.changes), None), analysis.runs[-1]
    base = change.base if change is not None and change.verdict != "not_comparable" else ""
    words = worth(mode, base, last.scale) if mode.recoverable["run"] == last.name else ""
    return f"{last.name}: {words}" if words and len(analysis.runs) > PAIR else words
