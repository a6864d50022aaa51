"""The tutorial, the how-tos and the README run: every command and every line of output in them is what happens.

In a Markdown page, a `console` block holds `$ command` lines, each followed by what it prints; a `python` block is run
in the page's own namespace, and a `text` block after it holds what it prints. A line `…` stands for any lines.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import blade.formats
import blade.health
import blade.readers
import blade.sections
from blade import api
from blade.cli import main
from blade.engine.classify import classify
from blade.options import Options
from blade.registry import plugins
from blade.simulate import Scenario, cause, write_run

ROOT = Path(__file__).parents[1]
FIRST_PAGES = (
    "README.md",
    "docs/how-to/read-a-run-with-missing-rows.md",
    "docs/how-to/declare-what-a-pass-is.md",
    "docs/how-to/use-the-agent-skill.md",
)
MORE_PAGES = (
    "docs/tutorial.md",
    "docs/how-to/ask-the-data.md",
    "docs/how-to/note-what-you-read.md",
    "docs/how-to/check-a-report.md",
    "docs/python-api.md",
    "docs/how-to/read-large-and-live-runs.md",
    "docs/how-to/gate-a-pull-request.md",
    "docs/how-to/keep-options-in-a-file.md",
    "docs/how-to/make-a-benchmark-package.md",
    "docs/how-to/draft-a-benchmarks-skill.md",
    "docs/how-to/extract-anchor-facts.md",
    "docs/how-to/share-a-package.md",
)
PAGES = (*FIRST_PAGES, *(pytest.param(page, marks=pytest.mark.slow) for page in MORE_PAGES))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SKIP = "…"


@dataclass
class Session:
    """What blocks share: the exit code of the last command and the names that Python blocks made."""

    code: int = 0
    names: dict[str, Any] = field(default_factory=dict)

    def run(self, command: str) -> str:
        """What a command prints, standard output and error together. `blade` runs in this process: it is faster."""
        words = shlex.split(command)
        if command == "echo $?":
            return f"{self.code}\n"
        if words[:2] == ["make", "demo"]:
            words = ["blade", "demo"]
        if words[0] == "blade":
            return _printed(lambda: self._blade(words))
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        self.code = done.returncode
        return done.stdout + done.stderr

    def _blade(self, words: list[str]) -> None:
        self.code = 0
        given, sys.argv = sys.argv, words
        try:
            main()
        except SystemExit as stop:
            self.code = int(stop.code or 0)
        finally:
            sys.argv = given

    def execute(self, code: str) -> str:
        return _printed(lambda: exec(compile(code, "block", "exec"), self.names))  # noqa: S102 - a page of ours


def _printed(action: Callable[[], None]) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        action()
    stream.seek(0)
    return stream.read()


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(match[1], match[2]) for match in FENCE.finditer(page.read_text(encoding="utf-8"))]


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each `$ command` of a console block with the lines that are said to follow; a trailing backslash goes on."""
    for part in re.split(r"^\$ ", text.replace("\\\n", ""), flags=re.MULTILINE)[1:]:
        command, *said = part.rstrip("\n").split("\n")
        yield command.strip(), said


def missing(said: list[str], printed: str) -> str:
    """The first line that the page states and the command did not print, or nothing."""
    lines = [line.rstrip() for line in printed.rstrip("\n").split("\n")]
    place, free = 0, False
    for line in (text.rstrip() for text in said):
        if line == SKIP:
            free = True
            continue
        found = lines.index(line, place) if line in lines[place:] else -1
        if found < 0 or (not free and found != place):
            return line or "(an empty line)"
        place, free = found + 1, False
    return "" if free or place == len(lines) or printed == "" else f"(no more lines; it went on with: {lines[place]})"


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a cache of its own."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LC_ALL", "C")
    return place


def write_results() -> None:
    """The folder that the README speaks of: what `gym eval run` leaves behind, simulated."""
    write_run(Scenario(seed=3, tasks=20, repeats=4, model="sim-medium-1"), "results", "front_desk_rollouts")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_what_it_says(page: str, workplace: Path) -> None:
    session = Session()
    if page == "README.md":
        write_results()
    printed = None
    for language, text in blocks(ROOT / page):
        if language == "console":
            for command, said in commands(text):
                printed = session.run(command)
                wrong = missing(said, printed) if said else ""
                assert not wrong, f"{page}: `{command}` does not print: {wrong}\n--- it prints:\n{printed}"
        elif language == "python":
            printed = session.execute(text)
        elif language == "text" and printed is not None:
            wrong = missing(text.rstrip("\n").split("\n"), printed)
            assert not wrong, f"{page}: the block before does not print: {wrong}\n--- it prints:\n{printed}"


def test_a_page_that_states_another_line_is_caught() -> None:
    printed = "one\ntwo\nthree\n"
    assert missing(["one", SKIP], printed) == ""
    assert missing([SKIP, "two", "three"], printed) == ""
    assert missing(["one", "two", "three"], printed) == ""
    assert missing(["one", "three"], printed) == "three"
    assert missing(["one"], printed).endswith("two)")
    assert missing([SKIP, "four"], printed) == "four"


@pytest.fixture
def fresh_registry() -> Iterator[None]:
    plugins.cache_clear()
    yield
    plugins.cache_clear()


def only_block(page: str) -> str:
    """The module that a how-to is about."""
    (code,) = (text for language, text in blocks(ROOT / page) if language == "python")
    return code


@pytest.mark.usefixtures("fresh_registry")
def test_the_section_of_the_how_to_works(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = only_block("docs/how-to/add-a-section.md")
    (workplace / "models_used.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(blade.sections, "__path__", [*blade.sections.__path__, str(workplace)])
    write_results()
    report = api.report(api.analyze("results", options=Options(cache=False)))
    made = next(section for section in report.sections if section.name == "models_used")
    assert made.title == "Models Used"
    assert "All 80 rows name `sim-medium-1`." in api.render(report)
    assert any(claim.section == "models_used" for claim in report.claims())


@pytest.mark.usefixtures("fresh_registry")
def test_the_reader_of_the_how_to_works(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = only_block("docs/how-to/add-a-reader.md")
    (workplace / "price_list.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(blade.readers, "__path__", [*blade.readers.__path__, str(workplace)])
    given = workplace / "prices.json"
    given.write_text('{"usd_per_input_token": 1e-6, "usd_per_output_token": 4e-6}\n', encoding="utf-8")
    assert classify(given).kind == "price_list"


@pytest.mark.usefixtures("fresh_registry")
def test_the_format_of_the_how_to_works(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = only_block("docs/how-to/add-a-format.md")
    (workplace / "quiz.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(blade.formats, "__path__", [*blade.formats.__path__, str(workplace)])
    monkeypatch.setenv("BLADE_CACHE_DIR", str(workplace / "cache"))
    rows = [{"quiz_id": f"q{one}", "question": "2 + 2?", "given": "4", "points": one % 2} for one in range(4)]
    (workplace / "night.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (run,) = api.analyze("night.jsonl", options=Options(cache=False)).runs
    assert (run.name, run.tasks, run.metrics["score"]) == ("night", 4, 0.5)


@pytest.mark.usefixtures("fresh_registry")
def test_the_health_check_of_the_how_to_works(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = only_block("docs/how-to/add-a-health-check.md")
    (workplace / "uneven_attempts.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(blade.health, "__path__", [*blade.health.__path__, str(workplace)])
    write_results()
    lost = Scenario(seed=3, tasks=20, repeats=4, causes=(cause("missing_rows", share=0.06),))
    write_run(lost, "lost", "front_desk_rollouts")
    whole, short = (api.analyze(f"run={path}", options=Options(cache=False)).health for path in ("results", "lost"))
    assert not any(item["check"] == "uneven_attempts" for item in whole)
    (found,) = (item for item in short if item["check"] == "uneven_attempts")
    assert found["statement"].endswith("of 20 tasks of run have fewer than 4 counted attempts.")
    assert found["tasks_total"] > 0
