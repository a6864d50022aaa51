"""The fuzzer itself: each kind of fault is counted as that, over processes, and ends in the exit code."""

from __future__ import annotations

import inspect
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks import fuzz_formats
from benchmarks.fuzz_formats import GYM, NAMES, PACKAGE, SIDECARS, fuzz_in_processes, read_samples, run_case, sample_of
from benchmarks.fuzz_tally import Fault, Kind, Tally, table_of
from benchmarks.hostile_questions import questions, viewer_fault
from benchmarks.hostile_tools import arguments, tools_fault

from blade.cli.mcp_command import tools_of
from blade.cli.mcp_tools import ConfinedCommands
from blade.errors import InputError
from blade.registry import plugins


def raises(error: BaseException) -> Callable[..., Any]:
    def tried(*_: Any) -> None:
        raise error

    return tried


def for_ever(*_: Any) -> None:
    while True:
        pass


def large(*_: Any) -> None:
    assert len(bytearray(1 << 26)) == 1 << 26


def tallied(tried: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Tally:
    monkeypatch.setattr(fuzz_formats, "NAMES", ["attempts"])
    monkeypatch.setattr(fuzz_formats, "SECONDS", 1)
    monkeypatch.setenv("BLADE_CACHE_DIR", str(folder / "cache"))
    sample = read_samples(folder)["attempts"]
    monkeypatch.setattr(fuzz_formats, "_tried", tried)
    tally = Tally()
    run_case(sample, 1, {}, folder, tally)
    return tally


def test_every_format_is_fuzzed_and_rollouts_packages_and_sidecars_too() -> None:
    assert set(NAMES) == {*plugins("formats"), GYM, PACKAGE, SIDECARS}


@pytest.mark.parametrize(
    ("tried", "kind"),
    [
        (raises(ZeroDivisionError("nothing")), Kind.TRACEBACK),
        (for_ever, Kind.HANG),
        (lambda *_: Fault(Kind.ROWS, "1 record lost without a word"), Kind.ROWS),
        (lambda *_: None, None),
        (raises(InputError("no run.", "Give one.")), None),
    ],
)
def test_what_becomes_of_a_case_is_counted_by_its_kind(
    tried: Callable[..., Any], kind: Kind | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = tallied(tried, tmp_path, monkeypatch)
    assert {known: tally.of(known) for known in Kind if tally.of(known)} == ({kind: 1} if kind else {})
    assert (tally.cases, tally.most_held > 10_000) == (1, True)
    assert tally.seconds > 0 if kind is Kind.HANG else tally.seconds >= 0  # a case may end within one tick of the clock


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux measures a case by itself")
def test_memory_is_measured_for_each_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the process held before the case, or for a while, counts for nothing."""
    held, limit = bytearray(1 << 26), 1 << 15
    monkeypatch.setattr(fuzz_formats, "MOST_HELD", limit)
    for name, tried, faults in (("large", large, 1), ("usual", lambda *_: None, 0)):
        (tmp_path / name).mkdir()
        with monkeypatch.context() as patch:
            tally = tallied(tried, tmp_path / name, patch)
        assert (tally.of(Kind.MEMORY), tally.most_held > limit) == (faults, True)
    assert len(held) == 1 << 26


def test_tallies_of_processes_add_up_in_a_table() -> None:
    fault = Fault(Kind.TRACEBACK, "ValueError in run.py:3")
    one, two = (Tally(cases=3, read=2, refused=1, seconds=60.0, most_held=held) for held in (2048, 4096))
    one.add(fault, 7, [])
    total = Tally.from_json(two.as_json())
    total.take(Tally.from_json(one.as_json()))
    lines = table_of({"gym": total, "tau": Tally()}, 90.0).splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["gym", "6", "4", "2", "1", "0", "0", "0", "0", "120", "4"],
        ["tau", *["0"] * 10],
        ["all", "6", "4", "2", "1", "0", "0", "0", "0", "120", "4"],
    ]
    assert "1 × ValueError in run.py:3" in lines[5]
    assert "case 7" in lines[6]
    assert lines[-1] == "6 cases, 1 faults, 2.0 minutes of the processor in 1.5 minutes"


def test_a_process_that_dies_is_a_fault_and_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dead = tmp_path / "python"
    dead.write_text("#!/bin/sh\nexit 139\n")
    dead.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(dead))
    assert fuzz_in_processes(["tau"], 0, 0.0, 2)["tau"].of(Kind.TRACEBACK) == 2
    monkeypatch.setattr(sys, "argv", ["fuzz", "--minutes", "0", "--only", "tau"])
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)
    assert fuzz_formats.main() == 1
    assert "the process ended with exit code 139" in capsys.readouterr().out
    monkeypatch.setattr(fuzz_formats, "fuzz_in_processes", lambda *_: {"tau": Tally()})
    assert fuzz_formats.main() == 0
    assert "no faults" in capsys.readouterr().out


def test_questions_are_damaged_by_their_number_and_the_viewer_may_not_fail(tmp_path: Path) -> None:
    runs = [tmp_path / "base.jsonl", tmp_path / "second.jsonl"]
    first, again, other = (questions(runs, tmp_path / "out", random.Random(seed)) for seed in (1, 1, 2))
    assert (first == again, first == other) == (True, False)
    assert {words[0] for words in first} >= {"grep", "count", "contrast", "tasks", "reading-list", "show", "note"}
    assert viewer_fault(lambda _: 404, random.Random(1)) is None
    assert viewer_fault(lambda address: 500 if "/raw" in address else 200, random.Random(1)) == Fault(
        Kind.TRACEBACK, "status 500 of /raw"
    )


def test_sidecars_are_damaged_beside_runs_that_stay_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))
    sample = sample_of(SIDECARS, tmp_path)
    assert set(sample.tree) - set(sample.damageable) == {"base.jsonl", "second.jsonl"}
    assert {"annotations.jsonl", "benchmark.toml", "blade.toml", "report.md", "queries.jsonl"} <= set(sample.damageable)


def test_tools_get_arguments_of_their_types_by_the_number_of_the_case(tmp_path: Path) -> None:
    tools = tools_of(ConfinedCommands((tmp_path,)))
    first, again, other = ([arguments(tool, tmp_path, random.Random(seed)) for tool in tools] for seed in (1, 1, 2))
    assert (first == again, first == other) == (True, False)
    for tool, values in zip(tools, first, strict=True):
        assert set(values) <= set(inspect.signature(tool).parameters)


def test_what_a_screen_obeys_in_the_answer_of_a_tool_is_a_fault(tmp_path: Path) -> None:
    def obeyed() -> str:
        return "\x1b]52;c"

    fault = tools_fault((obeyed,), tmp_path, random.Random(1))
    assert fault == Fault(Kind.SCREEN, "'\\x1b' in the answer of obeyed")
    assert tools_fault((lambda: "plain",), tmp_path, random.Random(1)) is None
