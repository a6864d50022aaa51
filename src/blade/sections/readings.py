"""What Was Read: what people or agents noted of rollouts that they read, how many they read, and how far they agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blade.document import Block, Bullets, Fact, Heading, Paragraph, Sentence, Table, say
from blade.model import Analysis
from blade.wording import amount, count, fact, listed, name, percent

TITLE = "What Was Read"
ORDER = 58
SHARE = 0.10
MOST_MECHANISMS = 12
NOT_SAMPLED = "no sample"


def build(analysis: Analysis) -> list[Block]:
    blocks: list[Block] = []
    for place, reading in enumerate(analysis.readings):
        if len(analysis.readings) > 1:
            blocks.append(Heading(reading["run"]))
        blocks.append(Paragraph(tuple(_read(place, reading))))
        if reading["labels"]:
            blocks.append(_labels(place, reading, analysis))
        if reading["mechanisms"]:
            blocks.append(_mechanisms(place, reading))
        blocks.append(Bullets(tuple(Paragraph((sentence,)) for sentence in _trust(place, reading))))
    return blocks


def _read(place: int, reading: Mapping[str, Any]) -> Iterator[Sentence]:
    """How much of the run was read, and by whom."""
    if not reading["read"]:
        yield say("No failure in the current rows of {run} was read.", run=name(reading["run"]))
    else:
        yield say(
            "{read} of {failures} of {run} that ran and were judged {were} read ({share}), {fully} of them in "
            "full, by {authors}. Their labels are the readers'; all other labels and causes come from rules.",
            read=amount(reading["read"], "readings", place, "read"),
            failures=fact(count(reading["failures"], "failure"), reading["failures"], "readings", place, "failures"),
            run=name(reading["run"]),
            were="was" if reading["read"] == 1 else "were",
            share=percent(reading["read"] / reading["failures"]),
            fully=amount(reading["fully"], "readings", place, "fully"),
            authors=listed(reading["authors"]),
        )
    if reading["passes_read"]:
        passes = fact(
            count(reading["passes_read"], "pass", "passes"), reading["passes_read"], "readings", place, "passes_read"
        )
        yield say("{passes} {were} read, too.", passes=passes, were="was" if reading["passes_read"] == 1 else "were")


def _labels(place: int, reading: Mapping[str, Any], analysis: Analysis) -> Table:
    rows = []
    for number, line in enumerate(reading["labels"]):
        meaning = analysis.meanings.get(line["label"], {}).get("name", "")
        title = f"{line['label']} ({meaning})" if meaning else line["label"]
        path = ("readings", place, "labels", number)
        rows.append(
            (title, amount(line["read"], *path, "read"), amount(line["tasks"], *path, "tasks"), _all(line, path))
        )
    return Table(("Label", ">Read", ">Tasks", ">In all failures"), tuple(rows))


def _mechanisms(place: int, reading: Mapping[str, Any]) -> Table:
    rows = []
    for number, line in enumerate(reading["mechanisms"][:MOST_MECHANISMS]):
        path = ("readings", place, "mechanisms", number)
        rows.append(
            (
                line["mechanism"],
                line["blame"] or "not said",
                amount(line["read"], *path, "read"),
                amount(line["tasks"], *path, "tasks"),
                amount(line["passes"], *path, "passes"),
                _all(line, path),
                name(line["task"]),
                f"“{line['quote']}”" if line["quote"] else "",
            )
        )
    columns = ("Mechanism", "Whose", ">Failures read", ">Tasks", ">Passes read", ">In all failures", "Such as", "Quote")
    return Table(columns, tuple(rows))


def _all(line: Mapping[str, Any], path: tuple[str | int, ...]) -> Fact | str:
    if line["interval"] is None:
        return NOT_SAMPLED
    low, high = line["interval"]
    estimate = f"{line['estimate']:,.0f}"
    return fact(estimate if low == high else f"{estimate} ({low:,} to {high:,})", line["estimate"], *path, "estimate")


def _trust(place: int, reading: Mapping[str, Any]) -> Iterator[Sentence]:
    """Whether those read stand for all, doubts about verdicts, and how far readers and engine agree."""
    sample = fact(count(reading["sample"], "rollout"), reading["sample"], "readings", place, "sample")
    if reading["read"] == reading["failures"]:
        yield say("Every failure was read: the counts are those of the run.")
    elif any(line["interval"] for line in reading["labels"]):
        yield say(
            "In all failures: estimated from the {sample} read in random order, with a 95% interval.",
            sample=sample,
        )
    else:
        yield say(
            "The rollouts read were chosen, not sampled: the counts do not extend to other failures. blade "
            "reading-list --random draws a sample."
        )
    doubts = reading["verdict_wrong"]
    for side, singular, several in (("failures", "failure", "failures"), ("passes", "pass", "passes")):
        if doubts[side]:
            wrong_verdicts = fact(
                count(doubts[side], singular, several), doubts[side], "readings", place, "verdict_wrong", side
            )
            yield say("The verdict is wrong in {many}, as the readers say.", many=wrong_verdicts)
    for number, pair in enumerate(reading["agreement"]):
        yield _agreement(
            f"{listed(pair['authors'])} give", "the same label", pair, ("readings", place, "agreement", number)
        )
    if reading["engine"]["rollouts"]:
        path = ("readings", place, "engine")
        yield _agreement("Rules and readers give", "the same label", reading["engine"], path)
    if reading["stale"]:
        stale = fact(count(reading["stale"], "annotation"), reading["stale"], "readings", place, "stale")
        yield say(
            "{stale} of rows that are missing from the run, or have changed since, {were} ignored.",
            stale=stale,
            were="was" if reading["stale"] == 1 else "were",
        )


def _agreement(who: str, what: str, pair: Mapping[str, Any], path: tuple[str | int, ...]) -> Sentence:
    kappa = pair["kappa"]
    kappa_words = "." if kappa is None else " (Cohen's kappa {kappa})."
    facts = {} if kappa is None else {"kappa": fact(f"{kappa:.2f}", kappa, *path, "kappa")}
    return say(
        f"{{who}} {what} to {{same}} of {{rollouts}}{kappa_words}",
        who=who,
        same=amount(pair["same"], *path, "same"),
        rollouts=fact(count(pair["rollouts"], "rollout"), pair["rollouts"], *path, "rollouts"),
        **facts,
    )
