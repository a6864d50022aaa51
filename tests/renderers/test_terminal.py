"""The terminal: one screen of summary, one trajectory, plain where nobody looks."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import blade
from blade.api import find_rollout
from blade.evidence import open_row
from blade.renderers import terminal


def test_the_summary_fits_one_screen_and_says_where_the_report_is(front_desk: Path, uncached: blade.Options) -> None:
    stream = StringIO()
    analysis = blade.analyze(front_desk.parent, options=uncached)
    terminal.summary(analysis, [Path("out/report.md")], stream)
    lines = stream.getvalue().splitlines()
    assert len(lines) < 24
    assert lines[-1] == "report: out/report.md"
    assert all(len(line) <= terminal.WIDTH for line in lines)
    assert "\x1b" not in stream.getvalue()


def test_the_summary_says_what_a_change_is(broken: Path, uncached: blade.Options) -> None:
    stream = StringIO()
    terminal.summary(blade.analyze(f"a={broken}", f"b={broken}", options=uncached), [], stream)
    assert "b against a: 0.0 pp on" in stream.getvalue()
    assert "common tasks, identical" in stream.getvalue()


def test_the_report_reads_as_plain_text(front_desk: Path, uncached: blade.Options) -> None:
    text = blade.render(blade.report(blade.analyze(front_desk.parent, options=uncached)), "terminal")
    assert "EXECUTIVE SUMMARY" in text
    assert "\x1b" not in text


def test_a_trajectory_shows_every_step_in_order(front_desk: Path, uncached: blade.Options) -> None:
    runs = blade.read(front_desk, options=uncached)
    task = runs[0].facts["label"][0]
    located = find_rollout(runs, task)
    stream = StringIO()
    terminal.trajectory(located, open_row(located.rollout.source), stream, full=True)
    text = stream.getvalue()
    assert (
        text.index("prompt: user")
        < text.index("call: ")
        < text.index("output: ")
        < text.index("fields beside the transcript")
    )
    assert f"attempt {located.rollout.attempt}" in text


def test_long_parts_are_folded_and_say_how_much_is_hidden() -> None:
    folded, hidden = terminal.fold("line\n" * 100)
    assert len(folded.splitlines()) == terminal.FOLD_LINES
    assert hidden.endswith("more characters")
    assert terminal.fold("short") == ("short", "")
    assert len(terminal.fold("x" * 10_000)[0]) == terminal.FOLD_CHARS
