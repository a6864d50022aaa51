"""Hostile text in every field of two runs, in their names, notes and settings, through every command.

What a screen would obey, what turns letters round, what a table would calculate and what a page would run must not come
through, whichever command is asked.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import click
import pytest
from markdown_it import MarkdownIt
from tests.command_line import Done, blade
from tests.gym_rows import message, request, response, row, write

from blade.cli import cli
from blade.queries.compact import NOTICE

OSC_52, OSC_8, COLOUR = (
    "\x1b]52;c;aGk=\x07",
    "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[31mred\x9b2J",
)
BIDI = "right\u202eleft\u2066in\u2069 \u200e"
MARKUP = "<img src=x onerror=alert(1)><script>alert(1)</script>[a](javascript:b)![p](http://evil.example/p.png)"
FORMULA = '=HYPERLINK("http://evil.example","x")'
HOSTILE = f"{FORMULA} {OSC_52}{OSC_8}{COLOUR} {BIDI} {MARKUP} | `tick` @octo-team #12\n# head\n- item\x00\x7f\ud800"
SHORT = f"{FORMULA[:14]}{OSC_52}{COLOUR}{BIDI}<script>x</script>|`@octo-team"
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Everything but a tab and a new line."""


def name_of(task: int) -> str:
    return f"={task}{SHORT}"


def hostile_row(task: int, attempt: int, reward: float | None) -> dict[str, Any]:
    call = {"type": "function_call", "name": SHORT, "arguments": json.dumps({HOSTILE: HOSTILE}), "call_id": "c"}
    output = {"type": "function_call_output", "call_id": "c", "output": f"Error: {HOSTILE}"}
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": HOSTILE}]}
    made = row(
        task,
        attempt,
        reward,
        task_id=name_of(task),
        agent_ref={"name": SHORT},
        category=SHORT,
        metadata={SHORT: HOSTILE, "difficulty": "ab"[task % 2] + SHORT},
        error=HOSTILE if reward is None else None,
        verifier={"message": HOSTILE, SHORT: HOSTILE},
        expected_answer=HOSTILE,
        extracted_answer=SHORT,
        responses_create_params=request(
            f"Question {task}: {HOSTILE}", tools=[{"type": "function", "name": SHORT, "parameters": {}}]
        ),
        response=response(thought, call, output, message(HOSTILE), model=SHORT),
        **{SHORT: HOSTILE},
    )
    del made["_ng_task_index"]  # so that the task is called by its hostile id
    return made


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("hostile")
    paths = []
    for name, step in (("=a\x1b[31m\u202e<b>", 2), ("second", 3)):
        rows = [
            hostile_row(task, attempt, float((task + attempt) % step == 0)) for task in range(6) for attempt in (0, 1)
        ]
        paths.append(write(folder / name / f"{name}.jsonl", [*rows, hostile_row(6, 0, None)]))
        (folder / name / "NOTES.md").write_text(HOSTILE.replace("\ud800", ""))
        (folder / name / "config.yaml").write_text(json.dumps({SHORT: HOSTILE.replace("\ud800", "")}))
    words = ("--label", "BI", "--mechanism", SHORT, "--author", SHORT, "--remark", HOSTILE.replace("\ud800", ""))
    done = blade("note", paths[1], name_of(1), "--attempt", "1", *words, "--quote", "octo-team")
    assert done.returncode == 0, done.stderr
    return paths[0], paths[1]


Ask = Callable[[Path, Path, Path], tuple[str | Path, ...]]
FORMS = ("--format", "github", "--format", "csv", "--format", "junit")
SECTIONS = tuple(
    word
    for name in ("executive_summary", "artifact_inventory", "aggregate_results", "denominator", "workflow_funnel")
    for word in ("--section", name)
)
ASKING: dict[str, Ask] = {
    "analyze": lambda one, two, out: ("analyze", one, two, "-o", out, "--full", *FORMS),
    "analyze one": lambda one, _, out: ("analyze", one, "-o", out),
    "analyze a wrong name": lambda one, two, out: ("analyze", one, two, "-o", out, "--baseline", "none"),
    "compare": lambda one, two, _: ("compare", one, two),
    "compare github": lambda one, two, _: ("compare", one, two, "--format", "github"),
    "compare csv": lambda one, two, _: ("compare", one, two, "--format", "csv"),
    "compare junit": lambda one, two, _: ("compare", one, two, "--format", "junit"),
    "compare json": lambda one, two, _: ("compare", one, two, "--format", "json"),
    "report": lambda one, two, _: ("report", one, two, "--full"),
    "report list": lambda one, two, _: ("report", one, two, "--list"),
    "report pairs": lambda one, two, _: ("report", one, two, "--pairs"),
    "report sections": lambda one, two, _: ("report", one, two, "--full", *SECTIONS),
    "report json": lambda one, two, _: ("report", one, two, "--json"),
    "tasks": lambda one, two, _: ("tasks", one, two, "--no-keep"),
    "tasks csv": lambda one, two, _: ("tasks", one, two, "--csv", "--no-keep"),
    "tasks json": lambda one, two, _: ("tasks", one, two, "--json", "--no-keep"),
    "grep": lambda one, two, _: ("grep", "link|head", one, two, "--tasks", "--no-keep"),
    "grep json": lambda one, two, _: ("grep", "link", one, two, "--json", "--no-keep"),
    "count": lambda one, two, _: ("count", "failed", one, two, "--by", "run,task", "--tasks", "--no-keep"),
    "count columns": lambda one, two, _: ("count", "--columns", one, two, "--no-keep"),
    "contrast": lambda one, two, _: ("contrast", "passed", "failed", one, two, "--words", "--all", "--no-keep"),
    "show": lambda one, *_: ("show", one, name_of(0)),
    "show twin": lambda one, *_: ("show", one, name_of(0), "--twin"),
    "show writes": lambda one, *_: ("show", one, name_of(0), "--writes"),
    "show nothing": lambda one, *_: ("show", one, "nosuch"),
    "reading-list": lambda one, two, _: ("reading-list", one, two, "--tokens", "20000"),
    "reading-list json": lambda one, two, _: ("reading-list", one, two, "--json"),
    "rerun-list": lambda one, two, _: ("rerun-list", one, two),
    "note": lambda _, two, __: ("note", two, "--list"),
    "skill draft": lambda one, two, _: ("skill", "draft", one, two),
    "sanitize": lambda one, *_: ("sanitize", one),
    "map": lambda one, *_: ("map", one),
    "convert": lambda one, _, out: ("convert", one, "-o", out),
    "init": lambda one, two, out: ("init", "made", "--runs", one, two, "--dir", out),
    "validate": lambda one, two, out: ("validate", "--benchmark-dir", package_of(one, two, out)),
    "validate json": lambda one, two, out: ("validate", "--json", "--benchmark-dir", package_of(one, two, out)),
    "ready": lambda one, two, out: ("ready", package_of(one, two, out)),
    "review": lambda one, two, out: ("review", package_of(one, two, out), "second"),
    "check": lambda one, two, out: ("check", report_of(one, two, out), "--runs", one, "--runs", two),
    "score": lambda one, two, out: ("score", "--report", report_of(one, two, out), *judged(one, two, out)),
    "make-shallow": lambda one, two, out: (
        *("make-shallow", "--input", report_of(one, two, out), "--output", out / "shallow.md"),
    ),
    "extract-anchor-facts": lambda one, two, out: (
        *("extract-anchor-facts", "--golden", report_of(one, two, out), "--output", out / "facts.json"),
        *("--benchmark", "b", "--model-name", "second", "--runs", one, "--runs", two),
    ),
}
ELSEWHERE = {
    "view": "tests/browser/test_hostile_pages.py",
    "mcp": "below, and tests/cli/test_mcp.py",
    "calibrate": "grades as `score` does; tests/judge",
    "cache": "prints sizes",
    "demo": "makes its own runs",
    "list": "prints names of BLADE's own",
}


def package_of(one: Path, two: Path, out: Path) -> Path:
    assert blade("init", "made", "--runs", one, two, "--dir", out / "package").returncode == 0
    assert blade("analyze", out / "package", "--golden", "second", "-q").returncode == 0
    return out / "package"


def report_of(one: Path, two: Path, out: Path) -> Path:
    assert blade("analyze", one, two, "-o", out / "report", "-q").returncode == 0
    return out / "report" / "report.md"


def judged(one: Path, two: Path, out: Path) -> tuple[str | Path, ...]:
    facts = out / "facts.json"
    words = ("--benchmark", "b", "--model-name", "second", "--runs", one, "--runs", two)
    golden = out / "report" / "report.md"
    assert blade("extract-anchor-facts", "--golden", golden, "--output", facts, *words).returncode in {0, 1}
    return ("--golden", golden, "--anchor-facts", facts, "--runs", one, "--runs", two)


def ask(runs: tuple[Path, Path], name: str, folder: Path) -> Done:
    return blade(*ASKING[name](*runs, folder / "out"), folder=folder)


def test_every_command_is_asked_or_held_elsewhere() -> None:
    asked = {
        words(Path("one"), Path("two"), Path("out"))[0] for name, words in ASKING.items() if name not in NEED_FILES
    }
    names = {name.partition(" ")[0] for name in NEED_FILES}
    assert asked | names | ELSEWHERE.keys() == set(cli.list_commands(click.Context(cli)))


NEED_FILES = {"validate", "validate json", "ready", "review", "check", "score", "make-shallow", "extract-anchor-facts"}


@pytest.mark.parametrize("name", ASKING)
def test_nothing_reaches_the_screen_that_it_would_obey(runs: tuple[Path, Path], name: str, tmp_path: Path) -> None:
    done = ask(runs, name, tmp_path)
    assert done.returncode in ({2} if name in REFUSED else {0, 1}), done.stderr
    for text in (done.stdout, done.stderr):
        assert not OBEYED.search(text), repr(OBEYED.search(text))
    if name.endswith("json"):
        json.loads(done.stdout)
    if name.endswith("csv"):
        assert_no_formula(done.stdout)


REFUSED = {"analyze a wrong name", "show nothing", "convert"}


def test_no_file_of_a_report_holds_what_somebody_would_obey(runs: tuple[Path, Path], tmp_path: Path) -> None:
    assert ask(runs, "analyze", tmp_path).returncode == 0
    files = {path.name: path.read_text("utf-8") for path in (tmp_path / "out").iterdir() if path.suffix in TEXTS}
    assert {"report.md", "report.html", "analysis.json", "comment.md", "tasks.csv", "junit.xml"} <= files.keys()
    for name, text in files.items():
        assert not OBEYED.search(text), name
    assert_no_formula(files["tasks.csv"])
    assert ET.fromstring(files["junit.xml"]).tag == "testsuites"  # noqa: S314 - written a moment ago
    for name in ("report.md", "comment.md"):
        assert_no_markup(files[name])
    for picture in (tmp_path / "out" / "assets").iterdir():
        text = picture.read_text("utf-8")
        assert not OBEYED.search(text), picture.name
        assert {"script", "img"}.isdisjoint(element.tag.rpartition("}")[2] for element in ET.fromstring(text).iter())  # noqa: S314 - as above
    assert "<img src=x" not in files["report.html"]
    assert "<script>alert" not in files["report.html"]
    assert all("/" not in path.name and ".." not in path.name for path in (tmp_path / "out" / "metrics").iterdir())


TEXTS = {".md", ".html", ".json", ".csv", ".xml"}


def assert_no_markup(text: str) -> None:
    """Nothing that a reader of Markdown would run, load, follow or show as a title is out of a run."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inner = [child for token in tokens for child in (token, *(token.children or ()))]
    markup = " ".join(token.content for token in inner if token.type in {"html_inline", "html_block"})
    assert re.sub(r"</?(?:details|summary|br)>", "", markup).count("<") == 0, markup
    pictures = [str(token.attrs.get("src")) for token in inner if token.type == "image"]
    assert all(re.fullmatch(r"assets/[\w-]+\.svg", picture) for picture in pictures), pictures
    addresses = [str(token.attrs.get("href")) for token in inner if token.type == "link_open"]
    assert not [address for address in addresses if "evil" in address or "javascript" in address]
    titles = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
    assert "head" not in titles


def assert_no_formula(text: str) -> None:
    lines = list(csv.reader(StringIO(text)))
    assert len(lines) > 1
    for cell in (cell for line in lines for cell in line):
        assert cell[:1] not in {"=", "+", "@", "\t", "\r"}, cell
        assert cell[:1] != "-" or re.fullmatch(r"-[\d.]+", cell), cell


def test_an_agent_is_given_hostile_text_between_marks_alone(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """Every tool of the server that answers with words of a run."""
    pytest.importorskip("mcp")
    from tests.cli.test_mcp import asked, in_a_thread, mcp  # noqa: PLC0415 - only where the extra is there

    from blade.cli.mcp_command import build_server  # noqa: PLC0415 - as above
    from blade.cli.mcp_tools import ConfinedCommands  # noqa: PLC0415 - as above

    one, two = map(str, runs)
    questions: dict[str, dict[str, Any]] = {
        "analyze": {"paths": [one, two]},
        "tasks": {"paths": [one, two]},
        "grep": {"paths": [one, two], "pattern": "link|head"},
        "count": {"paths": [one, two], "condition": "failed", "by": "run"},
        "contrast": {"paths": [one, two], "condition_a": "failed", "condition_b": "passed"},
        "compare": {"base": one, "candidate": two},
        "show": {"path": one, "task": name_of(0)},
        "reading_list": {"paths": [one, two]},
        "check": {"paths": [one, two], "report": f"# A report\n\nThe score is 1 of 2.\n\n> {MARKUP}\n"},
    }

    async def session() -> dict[str, str]:
        commands = ConfinedCommands((runs[0].parents[1].resolve(),), None)
        async with mcp.Client(build_server(commands)) as client:
            return {tool: await asked(client, tool, **words) for tool, words in questions.items()}

    for tool, answer in in_a_thread(session).items():
        assert not OBEYED.search(answer), (tool, OBEYED.search(answer))
        if tool == "check":  # it speaks of the report, which is the agent's own
            continue
        framed = re.fullmatch(r"([^\n]+)\n<<<([0-9a-f]{8})\n.*\n([0-9a-f]{8})>>>", answer, re.DOTALL)
        assert framed is not None, tool
        assert (framed[1], framed[2]) == (NOTICE, framed[3]), tool
        assert answer.count(framed[2]) == 2, tool
