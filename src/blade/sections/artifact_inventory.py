"""Artifact Inventory: every file that was read or seen, and everything in it that could not be taken as it stood."""

from __future__ import annotations

from collections.abc import Sequence

from blade.document import Block, Fact, Heading, Paragraph, Table, say
from blade.model import Analysis, File, Flaw
from blade.wording import count, name, size

TITLE = "Artifact Inventory"
ORDER = 20
SHARE = 0.00
SHOWN = 50


def build(analysis: Analysis) -> list[Block]:
    rows: list[tuple[str | Fact, ...]] = []
    for run in analysis.runs:
        rows.extend(_file(run.name, file) for file in run.files)
    rows.extend(_file("", file) for file in analysis.inventory)
    blocks: list[Block] = [
        Table(("Run", "File", "What it is", ">Rows", ">Size", "Fingerprint"), tuple(rows[:SHOWN])),
    ]
    if len(rows) > SHOWN:
        remainder = count(len(rows) - SHOWN, "more file is", "more files are")
        blocks.append(Paragraph((say(f"{remainder} in analysis.json."),)))
    blocks.extend(_flaws(analysis.flaws))
    return blocks


def _file(run: str, file: File) -> tuple[str | Fact, ...]:
    rows = f"{file.rows:,}" if file.rows is not None else ""
    kind = file.kind.removeprefix("gym_").replace("_", " ")
    return (
        run,
        name(str(file.path)),
        f"{kind} ({file.note})" if file.note else kind,
        rows,
        size(file.bytes),
        (file.fingerprint or "")[:12],
    )


def _flaws(flaws: Sequence[Flaw]) -> list[Block]:
    if not flaws:
        return [Paragraph((say("Every row could be read."),))]
    rows = tuple(
        (
            name(flaw.file) if flaw.file else "",
            "" if flaw.line is None else f"{flaw.line:,}",
            f"{flaw.rows:,}" if flaw.rows else "",
            flaw.statement,
        )
        for flaw in flaws[:SHOWN]
    )
    table = Table(("Where", ">First line", ">Rows", "What"), rows)
    blocks: list[Block] = [Heading("Problems in the input"), table]
    if len(flaws) > SHOWN:
        remainder = count(len(flaws) - SHOWN, "more flaw is", "more flaws are")
        blocks.append(Paragraph((say("{more} in analysis.json.", more=remainder),)))
    return blocks
