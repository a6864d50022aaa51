"""Texts that somebody made to keep a rule busy: twice the text may take twice the work, never four times.

The same text stands in every field of a row that is read: prompt, thinking, arguments, output, answer, key, the
verifier's word. Work is time of the processor in this process, of a text and of one twice as long, stage by stage:
reading with all extraction and all detectors, the questions, every renderer, masks, the sanitizer, and what commands
show of a row.
"""

from __future__ import annotations

import base64
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import blade as typed
from tests.gym_rows import message, request, response, row, write

import blade
from blade.counting.run import Run
from blade.pages import markup
from blade.sanitize.work import scan
from blade.signatures import template
from blade.wording import printable, short_name

PLAIN = (
    *(
        "[",
        "()",
        "a",
        "1",
        ".",
        "=",
        "*",
        "-",
        "|a",
        "<a>",
        '{"',
        '{"a":',
        "http://",
        "a@a.",
        "/a",
        "a.a",
        "1,",
        "x=1 ",
    ),
    *("\\boxed{", "<think>", "The answer is ", "error: ", "%20", "a:b:", "- a\n"),
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
MOST = 3.0
"""Work on the longer text, in parts of that on the shorter one: 2 is linear, 4 grows with the square."""
NOISE = 0.5
"""Seconds of the processor that a busy machine may add."""
SMALL, LARGE = 20_000, 2_500_000
OPTIONS = blade.Options(cache=False, workers=1)


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


def stages(texts: list[str], folder: Path) -> Iterator[tuple[str, float]]:
    """Each stage with the seconds of the processor that it took of the texts."""
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
    }
    for name, do in work.items():
        before = time.process_time()
        do()
        yield name, time.process_time() - before


def superlinear(names: list[str], length: int, folder: Path) -> dict[str, tuple[float, float]]:
    """The stages that took more than twice the work, with their seconds of the text and of the doubled one."""
    (folder / "short").mkdir()
    (folder / "long").mkdir()
    short = dict(stages([text_of(name, length) for name in names], folder / "short"))
    long = dict(stages([text_of(name, 2 * length) for name in names], folder / "long"))
    return {stage: (short[stage], long[stage]) for stage in long if long[stage] > MOST * short[stage] + NOISE}


@pytest.fixture(autouse=True)
def _warm(tmp_path: Path) -> None:
    """What is imported and compiled once counts for no text."""
    (tmp_path / "warm").mkdir()
    assert dict(stages(["hello"], tmp_path / "warm"))


def test_twice_the_text_is_twice_the_work(tmp_path: Path) -> None:
    assert superlinear(list(PIECES), SMALL, tmp_path) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", PIECES)
def test_twice_a_line_of_megabytes_is_twice_the_work(name: str, tmp_path: Path) -> None:
    """Five million characters of each, by themselves."""
    assert superlinear([name], LARGE, tmp_path) == {}


def test_work_that_grows_with_the_square_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mask that looks at every pair of places."""

    def slow_mask(text: str) -> int:
        return sum(text.count("\0", 0, place) for place in range(len(text)))

    monkeypatch.setattr(sys.modules[__name__], "template", slow_mask)
    monkeypatch.setattr(sys.modules[__name__], "NOISE", 0.1)
    assert "masks" in superlinear(["a"], 50_000, tmp_path)
