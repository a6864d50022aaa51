"""A passing and a failing attempt beside each other; one above the other where the screen is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import IO

from rich.table import Table
from rich.text import Text

from blade.diagnosis.transcript_summary import Event, Track
from blade.diagnosis.twins import Twin
from blade.model import StepKind
from blade.renderers.terminal import COLOURS, TerminalConsole, fold
from blade.wording import count, printable, printable_line

WIDE = 110
SHORT = 320
MARK = "▶ "
Row = tuple[Event | None, Event | None]


def show_twin(twin: Twin, stream: IO[str], *, full: bool = False) -> None:
    """Where both attempts go alike is folded; the step that decides is marked."""
    console = TerminalConsole(stream)
    good, bad = twin.good, twin.bad
    console.print(Text(f"{printable(twin.run)} · task {printable(twin.task)}", style="bold"))
    rate = f"passes in {twin.passes} of {count(twin.attempts, 'attempt')}"
    if twin.elsewhere is not None:
        passes, attempts = twin.elsewhere
        rate += f" of {twin.run} and in {passes} of {count(attempts, 'attempt')} of {bad.case.run}"
    console.print(Text(printable(rate)))
    if good.asked is not None:
        console.print(Text(f"asked: “{printable(good.asked.quote)}”"), soft_wrap=True)
    console.print(Text(f"they part: {printable(twin.parting.statement)}", style="bold"), soft_wrap=True)
    if twin.lucky:
        console.print(Text(f"the pass looks like luck: {twin.lucky}", style="yellow"), soft_wrap=True)
    if twin.alike:
        console.print(Text(f"… {count(twin.alike, 'call')} alike", style="bright_black"))
    marked = {id(event) for event in (twin.parting.good, twin.parting.bad) if event is not None}
    left, right = _events_after(good, twin.alike), _events_after(bad, twin.alike)
    titles = tuple(
        f"{outcome}: {printable(track.case.run) + ', ' if twin.elsewhere else ''}attempt {track.case.attempt}"
        for outcome, track in (("passing", good), ("failing", bad))
    )
    if console.width < WIDE:
        for title, events in zip(titles, (left, right), strict=True):
            console.print()
            console.print(Text(title, style="bold"))
            for event in events:
                console.print(_cell(event, marked, full=full), soft_wrap=True)
        return
    table = Table(box=None, pad_edge=False, expand=True)
    for title in titles:
        table.add_column(Text(title, style="bold"), ratio=1, overflow="fold")
    for good_event, bad_event in _aligned(left, right):
        table.add_row(*(_cell(event, marked, full=full) for event in (good_event, bad_event)))
    console.print(table)


def _events_after(track: Track, alike: int) -> list[Event]:
    """Everything after the calls that are alike and their outputs."""
    if not alike:
        return list(track.events)
    last = track.calls[alike - 1]
    at = next(place for place, event in enumerate(track.events) if event is last) + 1
    while at < len(track.events) and track.events[at].kind is StepKind.OUTPUT:
        at += 1
    return list(track.events[at:])


def _aligned(left: Sequence[Event], right: Sequence[Event]) -> list[Row]:
    """Rows of two columns: the same call stands in the same row, everything else fills up in order."""
    left_keys, right_keys = ([event.key or event.kind.value.encode() for event in side] for side in (left, right))
    rows: list[Row] = []
    for _, start, end, begin, stop in SequenceMatcher(None, left_keys, right_keys, autojunk=False).get_opcodes():
        rows += zip_longest(left[start:end], right[begin:stop])
    return rows


def _cell(event: Event | None, marked: set[int], *, full: bool) -> Text:
    if event is None:
        return Text("")
    mark = MARK if id(event) in marked else ""
    title = event.name if event.kind is StepKind.CALL else ""
    head = f"{mark}[{event.item}] {event.kind.value}{': ' + printable(title) if title else ''}"
    beginning, hidden, end = (event.text, "", "") if full else fold(event.text, SHORT)
    lines = [*_lines(beginning), *([f"… {hidden}", *_lines(end)] if hidden else [])]
    colour = "red" if mark else COLOURS.get(event.kind.value, "white")
    cell = Text(head, style=f"bold {colour}")
    cell.append("\n" + "\n".join(f"  {line}" for line in lines) if lines else "", style="default")
    return cell


def _lines(text: str) -> list[str]:
    return [printable_line(line) for line in text.splitlines() if line.strip()]
