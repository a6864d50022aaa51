"""How often each detector fires on real rollouts: on passes, on failures, and where it does not apply.

    python benchmarks/detectors.py ../shared/corpus/{nemo-gym,gym-live,real}   # writes detector-counts.json

`docs/generate.py` puts the counts on the page of the detectors. A rule that never fired is marked unproven there.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import orjson

import blade
from blade.detectors import names
from blade.diagnosis.cases import RunCases, all_cases
from blade.errors import BladeError
from blade.findings import State

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "detector-counts.json"
Counts = dict[str, Counter[str]]


def count(runs: list[RunCases], found: Counts) -> None:
    """Add what the detectors say of every counted rollout. Copies and rows without a score are not counted."""
    for run in runs:
        for case in run.cases:
            side = "fail" if case.failing else "pass"
            for name, state in case.states().items():
                fired = state is State.FIRED and case.believes(name)
                word = "fired" if fired else "not applicable" if state is State.NOT_APPLICABLE else "quiet"
                found[name][f"{side} {word}"] += 1


def cases_in(folder: Path) -> list[RunCases]:
    """The cases of every rollout file below a folder; files that hold no run are passed over."""
    made: list[RunCases] = []
    for path in sorted(folder.rglob("*.jsonl")):
        try:
            for run in blade.read(path, options=blade.Options(cache=False)):
                made += all_cases([run], [])
        except BladeError:
            continue
    return made


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    found: Counts = {name: Counter() for name in names()}
    for folder in parser.parse_args(arguments).folders:
        count(cases_in(folder), found)
    PAGE.write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
    for name, counts in found.items():
        passes = sum(many for key, many in counts.items() if key.startswith("pass"))
        print(f"{name:32} pass {counts['pass fired']:5}/{passes}  fail {counts['fail fired']:5}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
