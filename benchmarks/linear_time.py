"""Texts that somebody made to keep a rule busy: twice the text may take twice the work, never four times.

    python -m benchmarks.linear_time [--length 2500000] [--rounds 2] [PIECE ...]

The same text stands in every field of a row that is read: prompt, thinking, arguments, output, answer, key, the
verifier's word. Work is measured of a text and of one twice as long, stage by stage: reading with all extraction and
all detectors, the questions, every renderer, masks, the sanitizer, what commands show of a row, notes, conditions of a
map and patterns that somebody typed. A stage is superlinear if it is in every round; the command then ends with 1.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from tests.command_line import blade as typed
from tests.gym_rows import message, request, response, row, write

import blade
from blade.counting.run import Run
from blade.engine.settings import LONGEST_NOTES
from blade.errors import ConfigError
from blade.pages import markup
from blade.patterns import LinearPattern
from blade.sanitize.work import scan
from blade.short_report.worth import substance_of
from blade.signatures import template
from blade.translate.field_paths import condition
from blade.wording import printable, short_name

__all__ = ["PIECES", "Meter", "main", "seconds", "stages", "superlinear"]

PLAIN = (
    *("[", "()", "a", "1", ".", "=", "*", "-", "|a", "<a>", '{"', '{"a":', "http://", "a@a.", "/a", "a.a", "1,"),
    *(
        "x=1 ",
        "\\boxed{",
        "<think>",
        "The answer is ",
        "error: ",
        "%20",
        "a:b:",
        "- a\n",
        "if many ",
        "in ",
        "a == ",
        "~",
    ),
)
NAMED = {
    "quotes in quotes": "\"'",
    "escaped quotes": '\\"',
    "backslashes": "\\",
    "ticks": "`",
    "spaces": " ",
    "new lines": "\n",
    "lines": "a b\n",
    "commands": "$ cd a\n",
    "frames": '  File "x", line 1\n',
    "comparisons": "assert 1 == 2\n",
    "combining marks": "e\u0301\u0302",
    "colours": "\x1b[31mx\x1b[0m",
    "carriage returns": "\r\n",
    "escapes": "\\u0041",
    "base64": "",
}
PIECES = {piece: piece for piece in PLAIN} | NAMED
"""What is repeated; base64 repeats nothing."""
LOOKING_FAR = (".*x|a", "a(.*x)?", "(?s).*x|a", r"\w+!|a", "a{1,2}?|a.*x")
"""Patterns whose every match looks to the end of the text in vain."""
MOST = 3.0
"""Work on the longer text, in parts of that on the shorter one: 2 is linear, 4 grows with the square."""
OPTIONS = blade.Options(cache=False, workers=1)

Meter = Callable[[Callable[[], object]], float]
"""What a piece of work costs, by whatever it is measured."""


def seconds(work: Callable[[], object]) -> float:
    """Of the processor, in this process. Half a second is added: what a busy machine may add to little work."""
    before = time.process_time()
    work()
    return time.process_time() - before + 0.5


def text_of(name: str, length: int) -> str:
    if name == "base64":
        return base64.b64encode(random.Random(1).randbytes(length)).decode()[:length]
    return (PIECES[name] * (length // len(PIECES[name]) + 1))[:length]


def rows_of(text: str, task: int = 0) -> list[dict[str, Any]]:
    """An attempt that failed and one that passed."""
    thinking = {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}
    call = {"type": "function_call", "name": "run", "arguments": json.dumps({"command": text}), "call_id": "1"}
    output = {"type": "function_call_output", "call_id": "1", "output": text}
    fields = {"responses_create_params": request(text), "error_message": text, "verifier": {"message": text}}
    answered = response(thinking, call, output, message(text))
    return [
        row(task, attempt, float(attempt), response=answered, expected_answer=key, **fields)
        for attempt, key in enumerate(("4", text))
    ]


def stages(texts: list[str], folder: Path, meter: Meter) -> Iterator[tuple[str, float]]:
    """Each stage with what it cost for these texts."""
    path = write(
        folder / "run.jsonl", list(chain.from_iterable(rows_of(text, task) for task, text in enumerate(texts)))
    )
    runs: list[Run] = []
    analyses: list[blade.Analysis] = []
    forms = ("github", "csv", "junit")
    work: dict[str, Callable[[], object]] = {
        "reading": lambda: runs.extend(blade.read(path, options=OPTIONS)),
        "questions": lambda: analyses.append(blade.analyze_runs(runs, OPTIONS)),
        "renderers": lambda: blade.write(folder / "out", runs, analyses[0], full=True, forms=forms),
        "sanitizer": lambda: scan([path]),
        "show": lambda: typed("show", path, "0", "--twin", folder=folder),
        "reading list": lambda: typed("reading-list", path, folder=folder),
        "grep": lambda: typed("grep", "zz+y", path, "--no-keep", folder=folder),
        "masks": lambda: [(template(text), printable(text), short_name(text)) for text in texts],
        "pages": lambda: [(markup.text(text), markup.markdown(text)) for text in texts],
        "notes": lambda: [substance_of(text[:LONGEST_NOTES]) for text in texts],
        "conditions": lambda: [_condition(text) for text in texts],
        "patterns": lambda: [LinearPattern(source).counts(texts) for source in LOOKING_FAR],
    }
    for name, do in work.items():
        yield name, meter(do)


def _condition(text: str) -> object:
    with suppress(ConfigError):  # it may be no condition
        return condition(text)
    return None


def superlinear(names: list[str], length: int, folder: Path, meter: Meter = seconds) -> dict[str, tuple[float, float]]:
    """The stages that took more than twice the work, with what the text and the doubled one cost."""
    for part in ("warm", "short", "long"):
        (folder / part).mkdir(parents=True)
    dict(stages(["hello"], folder / "warm", meter))  # what is imported and compiled once counts for no text
    short = dict(stages([text_of(name, length) for name in names], folder / "short", meter))
    long = dict(stages([text_of(name, 2 * length) for name in names], folder / "long", meter))
    return {stage: (short[stage], long[stage]) for stage in long if long[stage] > MOST * short[stage]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pieces", nargs="*", metavar="PIECE", help="all, if none is given")
    parser.add_argument("--length", type=int, default=2_500_000, help="of the shorter text, in characters")
    parser.add_argument("--rounds", type=int, default=2, help="a stage counts if it is superlinear in all of them")
    asked = parser.parse_args()
    superlinear_pieces = 0
    for name in asked.pieces or PIECES:
        slow: dict[str, tuple[float, float]] = {}
        for place in range(asked.rounds):
            with tempfile.TemporaryDirectory() as folder:
                stages_of_round = superlinear([name], asked.length, Path(folder))
            slow = {stage: stages_of_round[stage] for stage in stages_of_round if stage in slow or not place}
            if not slow:
                break
        superlinear_pieces += bool(slow)
        words = "; ".join(f"{stage} {short:.1f} s, {long:.1f} s" for stage, (short, long) in slow.items())
        print(f"{name!r}: {words or 'twice the text is twice the work'}", flush=True)
    sys.exit(bool(superlinear_pieces))


if __name__ == "__main__":
    main()
