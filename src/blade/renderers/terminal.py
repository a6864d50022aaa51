"""Terminal: the one-screen summary, with colour where the screen has it and plain where it has not."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import IO, Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from blade.counting.find import Found
from blade.diagnosis.cases import believed
from blade.document import Block, Bullets, Heading, Paragraph, Picture, Quote, Report, Section
from blade.document import Table as BlockTable
from blade.findings import State
from blade.model import Analysis, RunAnalysis
from blade.registry import plugins
from blade.short_report import first_screen
from blade.summary.matching_words import matching_notice
from blade.summary.run_summary import unfinished
from blade.trajectory import TranscriptPart, fitting_parts, parts
from blade.wording import LETTERS_PER_TOKEN, abridged, count, listed, printable, printable_line

EXTENSION = "txt"
WIDTH = 110
MOST_REMARKS = 12
FLAWS_TOLD = 3
LEADS = {
    "Broken": "bold red",
    "In doubt": "bold yellow",
    "Score": "bold",
    "Trend": "bold",
    "Difference": "bold",
    "Failures": "bold",
    "Next": "bold green",
}
"""How a claim of the first screen begins, and its colour on a terminal."""
FOR_PIPELINES = ("comment.md", "tasks.csv", "junit.xml")
"""What --format writes beside the report."""
_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)


def render(report: Report) -> str:
    """The report as plain text."""
    stream = StringIO()
    show(report, stream)
    return stream.getvalue()


class TerminalConsole(Console):
    """As wide as the terminal, and in colour there alone; a pipe that is closed is left to the command."""

    def __init__(self, stream: IO[str]) -> None:
        terminal = stream.isatty()
        width = None if terminal else WIDTH
        super().__init__(file=stream, width=width, force_terminal=terminal, highlight=False, emoji=False, markup=False)

    def print(self, *objects: Any, **options: Any) -> None:
        """As rich prints it; off a terminal without the blanks that wrapping leaves at the ends of lines."""
        if self.is_terminal:
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        self.file.write(_BLANKS.sub("", captured.get()))

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def show(report: Report, stream: IO[str]) -> None:
    """The report as text, as wide as the screen."""
    console = TerminalConsole(stream)
    console.print(Text(printable(report.title)))
    if report.notice:
        console.print(Text(_words(report.notice)))
    for section in report.sections:
        console.print()
        console.print(Text(section.title.upper()))
        for block in section.blocks:
            _block(console, block)


def _block(console: Console, block: Block) -> None:
    if isinstance(block, Paragraph):
        console.print(Text(_words(block)))
    elif isinstance(block, Bullets):
        for item in block.items:
            console.print(Text(f"• {_words(item)}"))
    elif isinstance(block, Heading):
        console.print()
        console.print(Text(printable(block.text)))
    elif isinstance(block, Quote):
        console.print(Text(f"“{printable(block.text)}” ({printable(block.source)})"))
    elif not isinstance(block, Picture):
        if block.caption:
            console.print(Text(printable(block.caption)))
        console.print(_table(block))


def _words(paragraph: Paragraph) -> str:
    return " ".join(printable(sentence.text) for sentence in paragraph.sentences)


def _table(block: BlockTable) -> Table:
    table = Table(box=None, pad_edge=False, show_header=True)
    for title in block.columns:
        side: Literal["left", "right"] = "right" if title.startswith(">") else "left"
        table.add_column(Text(printable(title.lstrip(">"))), justify=side, overflow="fold")
    for row in block.rows:
        table.add_row(*(Text(printable(cell if isinstance(cell, str) else cell.text)) for cell in row))
    return table


def summary(analysis: Analysis, files: Sequence[Path], stream: IO[str], commands: Sequence[str] = ()) -> None:
    """The first screen as the report has it, what puts its numbers in doubt, what to type next, where the report is."""
    terminal = stream.isatty()
    console = TerminalConsole(stream)
    notice = matching_notice(analysis)
    if notice:
        console.print(Text(_words(notice), style="bold yellow" if terminal else ""))
    claims = _claims(analysis)
    tables = [block for block in claims if isinstance(block, BlockTable)]
    for table in tables:
        _block(console, table)
    for text in _first_remarks(_remarks(analysis), files[0].name if files else "the report"):
        console.print(Text(text, style="yellow" if terminal else ""))
    for block in claims:
        if isinstance(block, Bullets):
            for claim in block.items:
                console.print(_claim(_words(claim)))
        elif block not in tables:
            _block(console, block)
    for command in commands:
        console.print(Text(f"next: {printable_line(command)}", style="bold" if terminal else ""), soft_wrap=True)
    for line in _places(files):
        console.print(Text(line), soft_wrap=True)


def _places(files: Sequence[Path]) -> Iterator[str]:
    """Where the page, the report and what --format wrote are."""
    yield from (f"page: {path}" for path in files if path.suffix == ".html")
    yield from (f"report: {path}" for path in files[:1])
    yield from (f"{path.stem}: {path}" for path in files if path.name in FOR_PIPELINES)


def _claim(words: str) -> Text:
    """A claim with the question that it answers in its colour."""
    text = Text(f"• {words}")
    lead = next((lead for lead in LEADS if words.startswith(lead) and ":" in words), None)
    if lead is not None:
        text.stylize(LEADS[lead], 2, 3 + words.index(":"))
    return text


def _claims(analysis: Analysis) -> tuple[Block, ...]:
    """The table of runs and the claims of the summary."""
    module = plugins("sections")["executive_summary"]
    section = Section("executive_summary", module.TITLE, tuple(module.build(analysis)))
    return first_screen(
        Report("", (section,)), [run.name for run in analysis.runs], [task.task for task in analysis.tasks]
    )


def _first_remarks(remarks: Sequence[str], report_name: str) -> list[str]:
    """As many remarks as fit one screen; what is left out is counted."""
    if len(remarks) <= MOST_REMARKS:
        return list(remarks)
    left = len(remarks) - MOST_REMARKS + 1
    return [*remarks[: MOST_REMARKS - 1], f"and {left} more remarks: see {report_name}"]


def _remarks(analysis: Analysis) -> list[str]:
    """What to know beside the claims: what puts the numbers in doubt."""
    remarks = list(_flaws(analysis))
    for run in analysis.runs:
        remarks += _doubts(run)
    return remarks


def _flaws(analysis: Analysis) -> Iterator[str]:
    if analysis.flaws:
        rows = count(sum(flaw.rows for flaw in analysis.flaws), "row")
        slugs = abridged(sorted({flaw.slug for flaw in analysis.flaws}), FLAWS_TOLD)
        yield f"{count(len(analysis.flaws), 'flaw')} in the input ({slugs}; {rows} affected): see Artifact Inventory"


def _doubts(run: RunAnalysis) -> Iterator[str]:
    """Why the numbers of a run may not be what they seem."""
    left = unfinished(run)
    if left and run.denominator.expected_source == "manifest":
        yield f"{printable(run.name)} {left}"
    wrong = sum(check["disagreements"] for check in run.checks)
    if wrong:
        yield f"{printable(run.name)}: {count(wrong, 'value')} of its own summary files differ from its rows"


COLOURS = {
    "prompt": "cyan",
    "user": "cyan",
    "thought": "bright_black",
    "message": "green",
    "call": "magenta",
    "output": "blue",
    "environment": "bright_black",
    "row": "yellow",
}
FOLD_LINES, FOLD_CHARS, SHORT_CHARS = 14, 1400, 350
SYSTEM = {"system", "developer"}


@dataclass(frozen=True)
class TrajectoryLimits:
    """How much of a rollout is shown."""

    full: bool = False
    """Nothing is folded or left out."""
    tail: int | None = None
    """So many of the last parts alone."""
    tokens: int | None = None
    """Parts are folded further, and those of the middle left out, until the rest is about as long."""
    with_prompt: bool = True
    """Without it the system prompt is one line."""
    whole_record: bool = False
    """What the verifier left in the row is not folded."""

    def room(self, located: Found) -> int:
        """How many letters the parts may have."""
        return sys.maxsize if self.full or self.tokens is None else self.tokens * LETTERS_PER_TOKEN - _before(located)


def _void_advice(located: Found) -> str:
    """What a void attempt tells, and which attempts of its task were judged."""
    judged = [str(number) for number, *_ in located.attempts if number not in located.void_attempts]
    judged_text = {0: "no attempt was", 1: f"attempt {listed(judged)} was"}
    which = judged_text.get(len(judged), f"attempts {listed(judged)} were")
    return f"it did not run or was not judged: it does not measure the model; {which} judged"


def trajectory(
    located: Found,
    row: dict[str, Any],
    stream: IO[str],
    limits: TrajectoryLimits | None = None,
    asked: Sequence[tuple[str, str]] = (),
    short_name: str = "",
) -> None:
    """One rollout, step by step, within limits.

    `asked` are fields of the row that say more of the task. `short_name` is what the report calls a run whose name is
    long.
    """
    limits = limits or TrajectoryLimits()
    tail = limits.tail
    console = TerminalConsole(stream)
    rollout = located.rollout
    run_name = f"{short_name} ({rollout.run})" if short_name else rollout.run
    is_void = rollout.attempt in located.void_attempts
    verdict = "void" if is_void else {True: "passed", False: "failed", None: "no pass rule"}[rollout.passed]
    score_text = "no usable score" if rollout.score is None else f"score {rollout.score:g}"
    console.print(
        Text(f"{printable(run_name)} · task {printable(rollout.task)} · attempt {rollout.attempt}", style="bold")
    )
    console.print(
        Text(f"{verdict}, {score_text}, status {rollout.status.value}", style="green" if rollout.passed else "red")
    )
    if located.reason:
        console.print(Text(f"why: {printable(located.reason)}"))
    attempt_list = ", ".join(
        f"{number}: {'void' if number in located.void_attempts else _outcome(passed, value)}"
        for number, passed, value in located.attempts
    )
    console.print(Text(f"attempts of this task: {attempt_list}"))
    if is_void:
        console.print(Text(_void_advice(located), style="yellow"))
    elif located.void_attempts:
        console.print(Text("void attempts did not run or were not judged (--attempt N shows one)"))
    console.print(Text(f"{printable(rollout.source.file)}:{rollout.source.line}", style="bright_black"))
    origin = row.get("_translated")
    if isinstance(origin, dict):
        place = ", ".join(str(origin[key]) for key in ("file", "part") if origin.get(key))
        console.print(Text(f"translated from {printable(place)}", style="bright_black"))
    _print_sightings(console, located)
    row_parts = [*(TranscriptPart("prompt", field, text) for field, text in asked), *parts(row)]
    row_parts = row_parts if limits.with_prompt else [_without_prompt(part) for part in row_parts]
    if tail is not None and tail < len(row_parts):
        console.print(Text(f"\n… {count(len(row_parts) - tail, 'part')} before", style="bright_black"))
        row_parts = [*row_parts[: len(asked)], *row_parts[max(len(row_parts) - tail, len(asked)) :]]
    longest = sys.maxsize if limits.full else FOLD_CHARS
    shown = fitting_parts(row_parts, limits.room(located), longest, SHORT_CHARS)
    for part in shown.head:
        _print_part(console, part, sys.maxsize if limits.whole_record and part.kind == "row" else shown.longest)
    if shown.left_out:
        more = f"--tokens {4 * (limits.tokens or 0)} shows more, --tail N the last, --full all"
        console.print(Text(f"\n… {count(shown.left_out, 'part')} left out here: {more}", style="bright_black"))
    for part in shown.tail:
        _print_part(console, part, sys.maxsize if limits.whole_record and part.kind == "row" else shown.longest)


def _before(located: Found) -> int:
    """About how many letters stand before the parts: who, how it ended, and what was noticed."""
    fired = [sighting for sighting in located.sightings.values() if sighting.state is State.FIRED]
    noticed = sum(
        len(sighting.detail) + sum(len(cite.quote) + 20 for cite in sighting.cites) + 40 for sighting in fired
    )
    return 500 + noticed


def _print_part(console: Console, part: TranscriptPart, longest: int) -> None:
    place = "" if part.item is None or part.item < 0 else f"[{part.item}] "
    console.print()
    colour = COLOURS.get(part.kind, "white")
    console.print(Text(f"{place}{part.kind}: {printable(part.title)}", style=f"bold {colour}"))
    beginning, hidden, end = (part.text, "", "") if longest == sys.maxsize else fold(part.text, longest)
    _print_lines(console, beginning)
    if hidden:
        console.print(Text(f"  … {hidden} (--full shows all)", style="bright_black"))
        _print_lines(console, end)


def _print_lines(console: Console, text: str) -> None:
    for line in text.splitlines():
        _print_indented(console, printable_line(line), 2)


def _print_indented(console: Console, line: str, indent: int) -> None:
    """One line, wrapped below its own beginning on a terminal; elsewhere whole, so that words can be searched for."""
    room = console.width - indent
    pieces = Text(line).wrap(console, room, overflow="fold") if console.is_terminal and room > 0 else [Text(line)]
    for piece in pieces or [Text("")]:
        console.print(Text(" " * indent) + piece, soft_wrap=True)


def log(stream: IO[str], title: str, text: str, last_lines: int | None = None) -> None:
    """A text that stands beside the transcript, or its last lines."""
    lines = text.splitlines()
    hidden = 0 if last_lines is None else max(len(lines) - last_lines, 0)
    console = TerminalConsole(stream)
    console.print()
    console.print(Text(printable(title), style="bold yellow"))
    if hidden:
        console.print(Text(f"  … {count(hidden, 'line')} before (--verifier shows all)", style="bright_black"))
    end = "\n".join(lines[hidden:])
    beginning, more, end = (end, "", "") if last_lines is None else fold(end)
    _print_lines(console, beginning)
    if more:
        console.print(Text(f"  … {more} (--verifier shows all)", style="bright_black"))
        _print_lines(console, end)


def _without_prompt(part: TranscriptPart) -> TranscriptPart:
    """A system prompt is the same on every row: one line says that it is there."""
    if part.kind != "prompt" or part.title not in SYSTEM or len(part.text) <= FOLD_CHARS // 2:
        return part
    return replace(part, text=f"{len(part.text):,} characters (--prompt shows them)")


def _print_sightings(console: Console, located: Found) -> None:
    """What the detectors noticed in the rollout, each with the words that prove it."""
    status = located.rollout.status.value
    fired = [
        (detector, sighting)
        for detector, sighting in sorted(located.sightings.items())
        if sighting.state is State.FIRED and believed(detector, status)
    ]
    console.print()
    console.print(Text(f"noticed: {count(len(fired), 'finding') if fired else 'nothing'}", style="bold yellow"))
    for detector, sighting in fired:
        _print_indented(console, f"{detector}: {printable(sighting.detail)}", 2)
        for cite in sighting.cites:
            place = cite.field if cite.item is None else f"[{cite.item}]" if cite.item >= 0 else "[prompt]"
            _print_indented(console, f"{place} “{printable(cite.quote)}”", 4)


def _outcome(passed: bool | None, value: float | None) -> str:
    if passed is None:
        return "–" if value is None else f"{value:g}"
    return "pass" if passed else "fail"


def fold(text: str, characters: int = FOLD_CHARS) -> tuple[str, str, str]:
    """The beginning of a long text, how much of its middle is left out, and its end; a short one is all beginning."""
    if len(text) <= characters and len(text.splitlines()) <= FOLD_LINES:
        return text, "", ""
    beginning = "\n".join(text[: characters // 2].splitlines()[: FOLD_LINES // 2])
    end = "\n".join(text[-(characters // 2) :].splitlines()[-(FOLD_LINES // 2) :])
    return beginning, count(len(text) - len(beginning) - len(end), "more character"), end
