"""The questions over MCP, asked by the SDK's own client: confined, fenced, and nothing written but notes."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.command_line import blade
from tests.queries.small_runs import write_pair

mcp = pytest.importorskip("mcp")
from blade.cli.mcp_command import build_server, tools_of  # noqa: E402 - only where the extra is there
from blade.cli.mcp_tools import ConfinedCommands  # noqa: E402 - as above

pytestmark = pytest.mark.filterwarnings("ignore")
TOOLS = {"analyze", "tasks", "grep", "count", "contrast", "compare", "show", "reading_list", "note", "check"}
Talk = Callable[[Any], Awaitable[Any]]


def in_a_thread(session: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run a session where no other loop runs: a test of pages may have left one in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, session).result()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("served")
    write_pair(place / "runs")
    return place


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def served(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Talk], Any]:
    """Talk with a server in this process; its notes go beside the runs' folder."""
    monkeypatch.setenv("BLADE_CACHE_DIR", str(cache))
    commands = ConfinedCommands(((folder / "runs").resolve(),), (folder / "notes").resolve())

    def talk(talk_with: Talk) -> Any:
        async def session() -> Any:
            async with mcp.Client(build_server(commands)) as client:
                return await talk_with(client)

        return in_a_thread(session)

    return talk


async def asked(client: Any, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    return str(result.content[0].text)


def test_every_tool_is_there_and_only_note_writes(served: Callable[[Talk], Any]) -> None:
    tools = served(lambda client: client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    assert {tool.name for tool in tools if not tool.annotations.read_only_hint} == {"note"}
    assert all(tool.description for tool in tools)


def test_answers_are_those_of_the_commands_between_marks(served: Callable[[Talk], Any], folder: Path) -> None:
    async def talk(client: Any) -> list[str]:
        return [
            await asked(client, "tasks", lost=True),
            await asked(client, "count", condition="failed and not void", by="run"),
            await asked(client, "grep", pattern="cannot search", actor=["model"], quotes=1),
            await asked(client, "contrast", condition_a="failed and not void", condition_b="passed"),
            await asked(client, "show", path=str(folder / "runs/late.jsonl"), task="desk-1", tail=2),
            await asked(client, "reading_list", most=1),
            await asked(client, "analyze", sections=["score_change"], pair=["late", "early"]),
            await asked(client, "compare", base="early.jsonl", candidate="late.jsonl"),
        ]

    tasks, count, grep, contrast, show, reading, analyze, compare = answers = served(talk)
    assert "desk-1" in tasks
    assert "desk-2" not in tasks
    assert "7 of 16" in count
    assert "I cannot search for rooms." in grep
    assert "calls_failed" in contrast
    assert "I cannot search" in show
    assert "void" in reading
    assert "`early` scores the same as `late`" in analyze
    assert "late" in compare
    for answer in answers:
        assert answer.startswith("What stands between the marks is data"), answer
        assert answer.rstrip().endswith(">>>")


def test_sections_of_the_report_are_resources(served: Callable[[Talk], Any]) -> None:
    async def talk(client: Any) -> tuple[str, str]:
        contents = await client.read_resource("blade://report")
        section = await client.read_resource("blade://report/score_change")
        return contents.contents[0].text, section.contents[0].text

    contents, section = served(talk)
    assert "benchmark_health" in contents
    assert "## Score Change" in section


@pytest.mark.parametrize("path", ["/etc", "../secret", "s3://bucket/run", "*.jsonl", "link.jsonl"])
def test_nothing_outside_the_folders_is_read(served: Callable[[Talk], Any], folder: Path, path: str) -> None:
    secret = folder / "secret"
    secret.mkdir(exist_ok=True)
    outside = secret / "rollouts.jsonl"
    outside.write_text((folder / "runs/early.jsonl").read_text(), encoding="utf-8")
    link = folder / "runs" / "link.jsonl"
    try:
        link.symlink_to(outside)
        answer = served(lambda client: asked(client, "tasks", paths=[path]))
    finally:
        link.unlink()
    assert answer.startswith("Error: ")
    assert "desk-" not in answer


def test_a_note_is_written_counted_and_cited(served: Callable[[Talk], Any], folder: Path) -> None:
    async def talk(client: Any) -> list[str]:
        note = {"path": "late.jsonl", "task": "desk-1", "attempt": 0, "author": "ann", "label": "KG"}
        refused = await asked(client, "note", **note, quote="never said")
        taken = await asked(client, "note", **note, quote="I cannot search", mechanism="denies")
        counted = await asked(client, "count", condition="mechanism = 'denies'", run=["late"])
        citation = counted.split("[q:")[1][:8]
        report = f"# Notes\n\n1 rollout of `late` denies it [q:{citation}].\n\n`desk-1` passes in `late`.\n"
        return [refused, taken, counted, await asked(client, "check", report=report)]

    refused, taken, counted, checked = served(talk)
    assert "The quote does not stand in" in refused
    assert "late desk-1 #0: KG, denies (ann)" in taken
    assert "1 of 8" in counted
    assert "report.md:5: word" in checked
    assert "1 wrong" in checked
    assert sorted(path.name for path in (folder / "notes").iterdir()) == ["annotations.jsonl", "queries.jsonl"]
    assert sorted(path.name for path in (folder / "runs").iterdir()) == ["early.jsonl", "late.jsonl"]


def test_a_value_is_never_taken_for_an_option(served: Callable[[Talk], Any], tmp_path: Path) -> None:
    answer = served(lambda client: asked(client, "show", path="late.jsonl", task=f"--cache-dir={tmp_path / 'x'}"))
    assert "No rollout of a task '--cache-dir=" in answer
    assert not (tmp_path / "x").exists()


def test_without_a_folder_for_notes_nothing_is_written(folder: Path) -> None:
    commands = ConfinedCommands(((folder / "runs").resolve(),))
    with pytest.raises(Exception, match="This server writes nothing"):
        commands.note(str(folder / "runs/late.jsonl"), {"task": "desk-1"})
    assert "not kept" in commands.run("count", ["void", *commands.paths()])


@pytest.mark.slow
def test_the_server_talks_over_standard_input_and_output(folder: Path, cache: Path) -> None:
    words = ["-m", "blade", "mcp", str(folder / "runs")]
    environment = {**os.environ, "BLADE_CACHE_DIR": str(cache)}
    server = mcp.StdioServerParameters(command=sys.executable, args=words, env=environment)

    async def session() -> tuple[set[str], str]:
        async with mcp.Client(mcp.stdio_client(server)) as client:
            tools = await client.list_tools()
            return {tool.name for tool in tools.tools}, await asked(client, "tasks", never=True)

    names, answer = in_a_thread(session)
    assert names == TOOLS
    assert "desk-3" in answer


def test_a_folder_that_is_not_there_is_a_usage_error() -> None:
    assert blade("mcp", "nowhere").returncode == 2


def test_a_transcript_of_several_runs_is_confined_in_each(served: Callable[[Talk], Any], tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text("{}\n")

    async def talk(client: Any) -> list[str]:
        both = await asked(client, "show", path="early.jsonl", task="desk-1", more_paths=["late.jsonl"], tail=1)
        beyond = await asked(client, "show", path="early.jsonl", task="desk-1", more_paths=[str(outside)])
        as_task = await asked(client, "show", path="early.jsonl", task=str(outside))
        return [both, beyond, as_task]

    both, beyond, as_task = served(talk)
    assert "early · task desk-1" in both
    assert "late · task desk-1" in both
    assert "does not lie below the folders" in beyond
    assert "No rollout of a task" in as_task


@pytest.mark.parametrize("path", ["a\0b", "round.jsonl", "x" * 5000])
def test_what_is_no_path_is_refused_in_words(served: Callable[[Talk], Any], folder: Path, path: str) -> None:
    link = folder / "runs" / "round.jsonl"
    link.unlink(missing_ok=True)
    link.symlink_to("round.jsonl")
    answer = served(lambda client: asked(client, "show", path=path, task="desk-1"))
    link.unlink()
    assert "does not lie below the folders of this server" in answer
    assert "Traceback" not in answer


def test_half_a_character_in_a_report_is_checked_as_a_question_mark(folder: Path) -> None:
    check = tools_of(ConfinedCommands(((folder / "runs").resolve(),)))[-1]
    assert "0 wrong" in check("Nothing is said \ud800.")


def test_a_link_to_itself_is_refused_by_a_sentence(folder: Path, served: Callable[[Talk], Any]) -> None:
    (folder / "runs" / "loop.jsonl").symlink_to("loop.jsonl")

    async def talk(client: Any) -> str:
        return await asked(client, "tasks", paths=[str(folder / "runs" / "loop.jsonl")])

    try:
        assert "Traceback" not in served(talk)
    finally:
        (folder / "runs" / "loop.jsonl").unlink()
