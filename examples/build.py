"""Builds the example package in examples/front_desk from simulated runs, by the commands that a user would type.

Usage: python examples/build.py [FOLDER]

The runs, the dates and so every byte are the same each time. The package is built in a temporary folder first and only
then put in the place of the old one: a build that stops half way leaves the old one as it was.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from blade.cli import COMMANDS, main
from blade.simulate import Scenario, cause, write_run

PLACE = Path(__file__).parent / "front_desk"
NAME = "front_desk"
DATE = "2031-01-01"
MODEL_A = Scenario(seed=7, tasks=18, repeats=3, model="sim-medium-1", skill=0.6)
MODEL_B = replace(
    MODEL_A,
    model="sim-medium-2",
    skill=0.55,
    causes=(cause("broken_tool", tool="shifts_search", start=0.4),),
)
RUNS = {"model_a": MODEL_A, "model_b": MODEL_B}
MODEL = "model_a"
QUESTION = "Target capability: unknown:"
ANSWER = (
    "Target capability: carrying out a written request on the records of a small office, in several steps and with its "
    "tools: find the records that are meant, look up people before their addresses are used, change what was asked for "
    "and nothing else. It does not measure knowledge, the wording of answers, or talking with a person: no user speaks "
    "after the prompt."
)
"""What the data cannot tell, written by hand: a package with an open question in its skill is not ready."""


def commands(place: str) -> list[str]:
    """What is typed, in order; `place` is the package."""
    golden = f"{place}/golden_reports/{MODEL}_golden_report.md"
    anchors = f"{place}/golden_reports/{MODEL}_anchor_facts.json"
    shallow = f"{place}/golden_reports/{MODEL}_shallow.md"
    about = f"--benchmark {NAME} --model-name {MODEL}"
    reports = f"--golden-report {golden} --anchor-facts {anchors} --shallow-report {shallow}"
    return [
        f"init {NAME} --runs runs/model_a runs/model_b --dir {place}",
        f"skill draft {place}/rollouts --name {NAME} --output {place}/skill/SKILL.md --force --no-cache",
        f"analyze {place} --golden {MODEL} --benchmark {NAME} --no-cache",
        f"extract-anchor-facts --golden {golden} {about} --output {anchors} --generated-at {DATE} --no-cache",
        f"make-shallow --input {golden} --output {shallow}",
        f"review {place} {MODEL} --accept all --accept-fact all --by example --date {DATE}",
        f"calibrate {reports} --output-dir {place}/calibration",
        f"validate --benchmark-dir {place} --phase all --no-cache",
        f"ready {place} --no-cache",
    ]


def build(target: Path) -> list[str]:
    """Build the package and put it at `target`; says which commands this version does not have or that failed."""
    left: list[str] = []
    with TemporaryDirectory() as folder:
        for name, scenario in RUNS.items():
            write_run(scenario, Path(folder) / "runs" / name)
        with chdir(folder):
            for line in commands(NAME):
                if not _run(line):
                    left.append(line)
                elif line.startswith("skill draft"):
                    answer(Path(NAME) / "skill" / "SKILL.md")
        if not left:
            if target.exists():
                shutil.rmtree(target)
            shutil.copytree(Path(folder) / NAME, target)
    return left


def answer(skill: Path) -> None:
    """Answer the question that the draft of the skill leaves open."""
    lines = skill.read_text(encoding="utf-8").splitlines()
    places = [place for place, line in enumerate(lines) if line.startswith(QUESTION)]
    for place in places:
        lines[place] = ANSWER
    skill.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"(answered {len(places)} open question in {skill})", flush=True)


def _run(line: str) -> bool:
    """One command, in this process; whether it was there and ended well."""
    words = line.split()
    print(f"$ blade {line}", flush=True)
    if words[0] not in COMMANDS:
        print("  (this version has no such command)", flush=True)
        return False
    given, sys.argv = sys.argv, ["blade", *words]
    try:
        main()
    except SystemExit as stop:
        return not stop.code
    finally:
        sys.argv = given
    return True


if __name__ == "__main__":
    os.environ.setdefault("SOURCE_DATE_EPOCH", "1924992000")  # 2031-01-01, for formats that ask for a date
    open_ones = build(Path(sys.argv[1]) if len(sys.argv) > 1 else PLACE)
    for one in open_ones:
        print(f"not done: blade {one}", file=sys.stderr)
    sys.exit(1 if open_ones else 0)
