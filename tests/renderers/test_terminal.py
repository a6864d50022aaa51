"""The terminal: one screen of summary, one trajectory, plain where nobody looks."""

from __future__ import annotations

import html
import re
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gym_rows import message, read, request, response, row, write
from tests.made_demo import Demo

import blade
from blade.api import find_rollout
from blade.evidence import open_row
from blade.renderers import terminal

GREEN = "\x1b[1;32m"


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
    assert "b scores the same as a (0.0 pp apart)" in stream.getvalue()
    assert ": identical." in stream.getvalue()


def test_the_first_screen_is_the_same_as_that_of_the_report(demo: Demo) -> None:
    """Every claim of report.md stands on the screen and on the page, word for word."""
    stream = StringIO()
    terminal.summary(demo.analysis, [demo.folder / "report.md", demo.folder / "report.html"], stream)
    told = " ".join(stream.getvalue().split())
    page = " ".join(html.unescape(re.sub(r"<[^>]+>", "", (demo.folder / "report.html").read_text())).split())
    written = (demo.folder / "report.md").read_text(encoding="utf-8").split("## Executive Summary")[1].split("\n##")[0]
    claims = [re.sub(r" \(see .*", "", line[2:]) for line in written.splitlines() if line.startswith("- ")]
    assert 3 <= len(claims) <= 10
    claims = [re.sub(r"\[([^]]+)\]\(#glossary\)", r"\1", claim) for claim in claims]
    for claim in (re.sub(r"\\(.)", r"\1", claim.replace("`", "")) for claim in claims):
        assert " ".join(claim.split()) in told
        assert " ".join(claim.split()) in page
    assert f"page: {demo.folder / 'report.html'}" in stream.getvalue()


def test_the_report_reads_as_plain_text(front_desk: Path, uncached: blade.Options) -> None:
    text = blade.render(blade.report(blade.analyze(front_desk.parent, options=uncached)), "terminal")
    assert "EXECUTIVE SUMMARY" in text
    assert "\x1b" not in text


def test_a_trajectory_shows_every_step_in_order(front_desk: Path, uncached: blade.Options) -> None:
    runs = blade.read(front_desk, options=uncached)
    task = runs[0].facts["label"][0]
    located = find_rollout(runs, task)
    stream = StringIO()
    terminal.trajectory(located, open_row(located.rollout.source), stream, terminal.TrajectoryLimits(full=True))
    text = stream.getvalue()
    assert (
        text.index("prompt: user")
        < text.index("call: ")
        < text.index("output: ")
        < text.index("fields beside the transcript")
    )
    assert f"attempt {located.rollout.attempt}" in text


def test_long_parts_are_folded_in_the_middle_and_say_how_much_is_hidden() -> None:
    beginning, hidden, end = terminal.fold("".join(f"line {number}\n" for number in range(100)))
    assert beginning.splitlines()[0] == "line 0"
    assert end.splitlines()[-1] == "line 99"
    assert len(beginning.splitlines()) + len(end.splitlines()) == terminal.FOLD_LINES
    assert hidden.endswith("more characters")
    assert terminal.fold("short") == ("short", "", "")


@given(st.text(alphabet="ab \n", max_size=4000))
def test_a_folded_text_begins_and_ends_as_the_text_and_counts_the_rest(text: str) -> None:
    beginning, hidden, end = terminal.fold(text, 40)
    assert text.startswith(beginning)
    assert text.endswith(end) or text.rstrip("\n").endswith(end)
    left = len(text) - len(beginning) - len(end)
    assert hidden == ("" if beginning == text else f"{left:,} more character{'s' if left > 1 else ''}")
    assert left >= 0


def test_what_was_noticed_stands_before_the_transcript_and_its_end_is_never_folded(tmp_path: Path) -> None:
    long = "\n".join(f"step {number} of the proof" for number in range(200))
    said = message(f"{long}\nso the answer is 42")
    call = {"type": "function_call", "name": "no_such_tool", "arguments": "{}", "call_id": "1"}
    answer = {"type": "function_call_output", "call_id": "1", "output": "Error: unknown tool"}
    params = request("Why?", tools=[{"type": "function", "name": "lookup", "parameters": {}}])
    one = row(0, reward=0.0, responses_create_params=params, response=response(call, answer, said))
    runs = read(write(tmp_path / "run.jsonl", [one]))
    located = find_rollout(runs, "0")
    stream = StringIO()
    terminal.trajectory(located, open_row(located.rollout.source), stream)
    text = stream.getvalue()
    assert text.index("noticed: ") < text.index("unknown_tool: ") < text.index("prompt: user")
    assert "  so the answer is 42\n" in text
    assert "step 100 " not in text
    assert "more characters (--full shows all)" in text


def test_of_a_single_run_the_screen_has_the_claims_and_no_table_of_its_own(
    front_desk: Path, uncached: blade.Options
) -> None:
    stream = StringIO()
    terminal.summary(blade.analyze(front_desk.parent, options=uncached), [], stream)
    assert stream.getvalue().startswith("• Score: ")
    assert stream.getvalue().count("retries gain") == 1


def test_the_commands_to_type_next_stand_on_one_line_each(front_desk: Path, uncached: blade.Options) -> None:
    stream = StringIO()
    command = f"blade show {'a-long-folder/' * 20}run 7 --attempt 0"
    terminal.summary(blade.analyze(front_desk.parent, options=uncached), [Path("r/report.md")], stream, [command])
    assert f"\nnext: {command}\nreport: r/report.md\n" in stream.getvalue()


def test_what_a_format_wrote_is_named(front_desk: Path, uncached: blade.Options) -> None:
    stream = StringIO()
    files = [Path("r") / name for name in ("report.md", "report.html", "analysis.json", "junit.xml", "tasks.csv")]
    terminal.summary(blade.analyze(front_desk.parent, options=uncached), files, stream)
    assert stream.getvalue().endswith("report: r/report.md\njunit: r/junit.xml\ntasks: r/tasks.csv\n")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_its_own_width_and_colours(
    front_desk: Path, uncached: blade.Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysis = blade.analyze(front_desk.parent, options=uncached)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    terminal.summary(analysis, [Path("out/report.md")], stream)
    coloured = stream.getvalue()
    assert f"{GREEN}Next (data):" in coloured
    assert max(map(len, re.sub("\x1b\\[[0-9;]*m", "", coloured).splitlines())) <= 70
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    terminal.summary(analysis, [Path("out/report.md")], stream)
    assert not re.search("\x1b\\[[0-9;]*3[0-9]", stream.getvalue())
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR")
    plain = StringIO()
    terminal.summary(analysis, [Path("out/report.md")], plain)
    assert "\x1b" not in plain.getvalue()


def test_a_transcript_wraps_below_its_beginning_on_a_terminal_and_not_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    text = "word " * 60 + "x" * 200 + " the end"
    stream, pipe = Terminal(), StringIO()
    terminal.log(stream, "verifier: log", text)
    terminal.log(pipe, "verifier: log", text)
    lines = re.sub("\x1b\\[[0-9;]*m", "", stream.getvalue()).splitlines()[2:]
    assert max(map(len, lines)) <= 80
    assert all(line.startswith("  ") for line in lines)
    assert lines[-1].endswith("the end")
    assert "".join(lines).replace(" ", "") == text.replace(" ", ""), "nothing is lost"
    assert f"  {text}" in pipe.getvalue().splitlines()
