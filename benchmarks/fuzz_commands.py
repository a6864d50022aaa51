"""The commands that a fuzzed case goes through: those of a package, and those that ask questions of runs.

Each is typed as a person would, in this process. A command may refuse (exit code 2) or find fault (1); anything that it
raises is what the fuzzer looks for, and so is a control character of a file that reaches the screen.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.fuzz_tally import Fault, Kind
from tests.command_line import blade

COMMANDS_PER_CASE = 3
Words = tuple[str | Path, ...]
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def package_commands(package: Path, output: Path) -> list[Words]:
    """Every command that reads a package, with its golden report of `model_a`."""
    reports = package / "golden_reports"
    golden, facts = reports / "model_a_golden_report.md", reports / "model_a_anchor_facts.json"
    shallow, runs = reports / "model_a_shallow.md", package / "rollouts"
    judged: Words = ("--golden", golden, "--anchor-facts", facts)
    return [
        ("validate", "--benchmark-dir", package),
        ("validate", "--benchmark-dir", package, "--phase", "golden"),
        ("validate", "--benchmark-dir", package, "--phase", "skill"),
        ("ready", package),
        ("review", package, "model_a"),
        ("review", package, "model_a", "--accept-fact", "all", "--accept", "all", "--by", "me"),
        ("skill", "draft", package, "-o", output / "SKILL.md"),
        ("calibrate", "--golden-report", golden, "--anchor-facts", facts, "--shallow-report", shallow),
        ("calibrate", "--golden-only", "--golden-report", golden, "--anchor-facts", facts, "--shallow-report", shallow),
        ("score", "--report", shallow, *judged),
        ("score", "--report", golden, *judged, "--golden-only"),
        ("check", golden, "--runs", runs),
        ("make-shallow", "--input", golden, "--output", output / "shallow.md"),
        (
            *("extract-anchor-facts", "--golden", golden, "--output", output / "facts.json"),
            *("--benchmark", "front_desk", "--model-name", "model_a"),
        ),
        ("init", "again", "--runs", runs, "--dir", output / "again"),
        ("sanitize", package),
        ("analyze", package, "-o", output / "report", "--no-cache"),
    ]


def run_commands(paths: Sequence[Path], output: Path) -> list[Words]:
    """Every command that asks something of runs."""
    first, nowhere = paths[0], ("--no-keep",)
    forms = ("github", "csv", "junit")
    written: list[Words] = [
        ("analyze", *paths, "-o", output / "report", "--format", form, "--allow-unrelated") for form in forms
    ]
    return [
        *written,
        ("report", *paths, "--allow-unrelated", "--list"),
        ("report", *paths, "--allow-unrelated", "--section", "executive_summary", "--full"),
        ("compare", *paths[:2], "--allow-unrelated"),
        ("tasks", *paths, "--allow-unrelated", *nowhere),
        ("tasks", *paths, "--allow-unrelated", "--csv", *nowhere),
        ("grep", "o", *paths, "--allow-unrelated", *nowhere),
        ("count", "failed", *paths, "--by", "run", "--allow-unrelated", *nowhere),
        ("count", "--columns", *paths, "--allow-unrelated", *nowhere),
        ("contrast", "passed", "failed", *paths, "--words", "--allow-unrelated", *nowhere),
        ("show", first, "0"),
        ("show", first, "0", "--twin"),
        ("reading-list", *paths, "--allow-unrelated"),
        ("rerun-list", *paths, "-o", output / "again.jsonl", "--allow-unrelated"),
        ("note", first, "--list"),
        ("sanitize", first),
        ("skill", "draft", *paths),
    ]


def sidecar_commands(paths: Sequence[Path], output: Path) -> list[Words]:
    """Every command that reads what stands beside runs; what they write goes to the output, whatever settings say."""
    folder, aside = paths[0].parent, ("--no-keep", "--no-cache")
    report, config = folder / "report.md", ("--config", folder / "config.yaml", "--no-cache")
    checked: Words = ("check", report, *(word for path in paths for word in ("--runs", path)), "--no-cache")
    return [
        ("analyze", *paths, "-o", output / "report", "-q", *config),
        ("analyze", folder, "-o", output / "report", "-q", "--no-cache"),
        *[checked] * 4,
        (*checked, "--json"),
        (*checked, "--verbose", "--queries", folder / "queries.jsonl"),
        ("note", paths[0], "--list"),
        ("note", paths[0], "t2", "--author", "me", "--label", "BI", "--quote", "nothing", "-o", folder, "--no-cache"),
        ("note", paths[0], "--from", folder / "entries.jsonl", "-o", output / "notes.jsonl", "--no-cache"),
        ("tasks", *paths, *aside),
        ("grep", "nothing", *paths, *aside),
        ("count", "failed and label = 'BI'", *paths, *aside),
        ("contrast", "passed", "failed", *paths, *aside),
        ("compare", *paths, "--no-cache"),
        ("reading-list", *paths, "--no-cache"),
        ("report", *paths, "--list", "--no-cache"),
        ("sanitize", folder),
        ("sanitize", folder, "-o", output / "shared"),
        ("skill", "draft", *paths, "-o", output / "SKILL.md", "--no-cache"),
        ("init", "again", "--runs", folder, "--dir", output / "again"),
    ]


def commands_fault(commands: Sequence[Words], draw: random.Random, folder: Path | None = None) -> Fault | None:
    """What was wrong about some of the commands, typed in the folder; an exception is the caller's to name."""
    for words in draw.sample(commands, COMMANDS_PER_CASE):
        done = blade(*words, folder=folder or ".")
        if done.returncode not in {0, 1, 2}:
            return Fault(Kind.SCREEN, f"exit code {done.returncode} of {words[0]}")
        if "Traceback (most" in done.stderr:
            return Fault(Kind.TRACEBACK, f"a traceback of {words[0]}")
        if control := CONTROL.search(done.stdout + done.stderr):
            return Fault(Kind.SCREEN, f"{control[0]!r} on the screen of {words[0]}")
    return None
