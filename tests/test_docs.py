"""The documentation is true: links lead somewhere, tables hold what the program writes, and nothing local leaks in."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields, replace
from fnmatch import fnmatch
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import click
import pytest

import blade
from blade import api
from blade.cli import COMMANDS, cli
from blade.counting.run import Run
from blade.model import Status
from blade.options import Options
from blade.output import all_facts
from blade.registry import plugins, summary
from blade.renderers import json as json_renderer
from blade.simulate import Scenario, cause, write_run

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "blade"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \|(?: ([\w()]+) \|)?", re.MULTILINE)
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:home|root|Users|work)/[\w.-]+")
HOST = re.compile(r"(?:https?|ftp)://([\w.-]+)")
KNOWN_HOSTS = {
    "www.apache.org",
    "json-schema.org",
    "git-lfs",
    "b",
    "127.0.0.1",
    "www.w3.org",
    "a.example",
    "foreign.example",
}
"""The licence, the schema's dialect, the mark of a large-file pointer, this machine, the namespace of pictures, and
hostile links in tests."""

RESERVED = (".example", ".invalid", ".test", ".example.com", ".example.net", ".example.org")
"""Names that belong to nobody: kept free for examples."""


def text_of(page: str | Path) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def prose(page: Path) -> str:
    return BLOCK.sub("", text_of(page))


@cache
def anchors(page: Path) -> set[str]:
    """The anchors that headings get: lower case, punctuation gone, blanks to dashes."""
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(prose(page)))
    return {word.strip().replace(" ", "-") for word in words}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_resolve(page: Path) -> None:
    for link in LINK.findall(prose(page)):
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in anchors(target), f"{link}: no such heading"


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(text_of(index))}
    assert sorted(str(page) for page in PAGES if page != index and page not in linked) == []


def tree_names() -> set[str]:
    """What ARCHITECTURE.md draws directly below src/blade."""
    return set(re.findall(r"^[├└]── ([\w.]+)/? ", text_of("ARCHITECTURE.md"), re.MULTILINE))


def layers() -> list[str]:
    contracts = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    found: list[str] = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return found


def test_the_architecture_draws_every_module_that_is_there_and_no_other() -> None:
    """The layers are exhaustive (lint-imports fails on a module they leave out), so they are the list of modules."""
    drawn = {name.removesuffix(".py") for name in tree_names()}
    placed = {name for layer in layers() for name in layer.split(" | ")} | {"__init__"}
    assert drawn == placed
    assert sorted(name for name in tree_names() if not (SOURCE / name).exists()) == []


def test_the_architecture_has_the_layers_of_the_linter() -> None:
    assert "\n".join(layers()) + "\n" in [match[1] for match in BLOCK.finditer(text_of("ARCHITECTURE.md"))]


def test_the_readme_is_short_and_names_every_command() -> None:
    readme = text_of("README.md")
    assert len(readme.splitlines()) <= 150
    assert sorted(name for name in COMMANDS if f"`blade {name}`" not in readme) == []


def mentioned(program: str) -> Iterator[tuple[str, str]]:
    """(page, word) for every `program word` in code: in spans, and at the beginning of a line of a block."""
    pattern = re.compile(rf"(?:`|^\$ |^){program} ([a-z][a-z-]*)\b(?!=)", re.MULTILINE)
    for page in PAGES:
        code = [*re.findall(r"`[^`\n]+`", prose(page)), *BLOCK.findall(text_of(page))]
        yield from ((str(page.relative_to(ROOT)), word) for piece in code for word in pattern.findall(piece))


def test_every_command_in_the_docs_exists() -> None:
    found = list(mentioned("blade"))
    assert len(found) > 10
    assert [pair for pair in found if pair[1] not in COMMANDS] == []


def test_every_command_has_a_how_to_with_an_example() -> None:
    pages = [*(ROOT / "docs/how-to").glob("*.md"), ROOT / "docs/tutorial.md", ROOT / "README.md"]
    fence = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    blocks = [block for page in pages for block in fence.findall(page.read_text(encoding="utf-8"))]
    shown = {name for block in blocks for name in re.findall(r"\bblade ([a-z-]+)", block)}
    assert set(COMMANDS) - shown == set()


def test_every_make_target_in_the_docs_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    found = list(mentioned("make"))
    assert ("README.md", "demo") in found
    assert [pair for pair in found if pair[1] not in targets] == []


def test_the_page_on_the_command_line_is_fresh() -> None:
    spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert text_of("docs/reference/cli.md") == generate.page(), "run: python docs/generate.py"
    assert text_of("docs/reference/detectors.md") == generate.detectors_page(), "run: python docs/generate.py"
    assert text_of("docs/reference/questions.md") == generate.questions_page(), "run: python docs/generate.py"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("run")
    return api.read(write_run(Scenario(tasks=4, repeats=2), folder), options=Options(cache=False))


def test_the_page_on_facts_has_every_column_with_its_type(runs: list[Run]) -> None:
    told = ROW.findall(text_of("docs/reference/facts.md"))
    assert told == [(name, str(kind)) for name, kind in all_facts(runs).schema.items()]


@pytest.fixture(scope="module")
def document(runs: list[Run]) -> dict[str, Any]:
    analysis = api.analyze_runs(runs)
    return json_renderer.document(analysis, api.report(analysis))


@pytest.mark.parametrize("part", ["Top level", "runs", "metrics", "denominator", "tasks"])
def test_the_page_on_analysis_json_has_every_key(part: str, document: dict[str, Any]) -> None:
    run = document["runs"][0]
    real = {
        "Top level": document,
        "runs": run,
        "metrics": run["metrics"],
        "denominator": run["denominator"],
        "tasks": document["tasks"][0],
    }[part]
    assert_the_page_has_the_keys(part, real)


def assert_the_page_has_the_keys(part: str, real: dict[str, Any]) -> None:
    page = text_of("docs/reference/analysis-json.md")
    section = re.split(r"^## ", page.split(f"\n## {part}\n")[1], flags=re.MULTILINE)[0]
    told = [name for name, _ in ROW.findall(section)]
    assert len(told) == len(set(told))
    assert set(told) == set(real)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two runs with a difference, an outage and tasks that sometimes pass: every part of the file has an entry."""
    folder = tmp_path_factory.mktemp("pair")
    base = Scenario(seed=2, tasks=20, repeats=4)
    other = replace(base, model="sim-other", causes=(cause("outage", start=0.3, length=0.2),))
    paths = write_run(base, folder / "base"), write_run(other, folder / "other")
    return json_renderer.document(api.analyze(*paths, options=Options(cache=False)))


@pytest.mark.parametrize(
    "part",
    "change parts flips health ranking contrasts modes funnel findings labels interventions counterfactuals".split(),
)
def test_the_page_on_analysis_json_has_every_key_of_a_comparison(part: str, compared: dict[str, Any]) -> None:
    change = compared["change"]
    real = {
        "change": change,
        "parts": change["parts"][0],
        "flips": change["flips"][0],
        "health": compared["health"][0],
        "ranking": compared["ranking"],
        "contrasts": compared["contrasts"][0],
        "modes": compared["modes"][0],
        "funnel": compared["funnel"][0],
        "findings": compared["findings"][0],
        "labels": compared["labels"][0],
        "interventions": compared["interventions"][0],
        "counterfactuals": compared["counterfactuals"][0],
    }[part]
    assert_the_page_has_the_keys(part, real)


def test_the_page_on_analysis_json_names_the_inner_keys_of_a_comparison(compared: dict[str, Any]) -> None:
    page = text_of("docs/reference/analysis-json.md")
    change, found = compared["change"], compared["contrasts"][0]
    inner = [
        change["shared_outputs"],
        change["flips_expected"],
        change["passport"][0],
        change["parts"][0]["evidence"][0],
    ]
    inner += [found["features"][0], found["divergences"][0], found["divergences"][0]["branches"][0]]
    assert sorted({key for item in inner for key in item if f"`{key}`" not in page}) == []


def test_the_page_on_health_has_every_check_with_its_line() -> None:
    """The list and the lines of `blade list health`, without the title that each begins with."""
    told = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", text_of("docs/reference/health.md"), re.MULTILINE)
    listed = [(name, summary(module).partition(": ")[2].rstrip(".")) for name, module in plugins("health").items()]
    assert told == listed


def test_the_page_on_statuses_has_every_status_in_order() -> None:
    assert [name for name, _ in ROW.findall(text_of("docs/reference/statuses.md"))] == [item.value for item in Status]


def test_the_page_on_python_names_every_option_and_every_public_name() -> None:
    page = text_of("docs/python-api.md")
    assert [item.name for item in fields(Options) if f"`{item.name}`" not in page] == []
    public = {name: f"blade.{name}" if name in blade.__all__ else f"blade.api.{name}" for name in api.__all__}
    assert [call for name, call in public.items() if name != "find_rollout" and f"`{call}(" not in page] == []


def text_files() -> Iterator[Path]:
    """Every file that is kept: what .gitignore does not name."""
    ignored = [line.rstrip("/") for line in text_of(".gitignore").split() if not line.startswith("#")]
    waiting = [ROOT]
    while waiting:
        for path in sorted(waiting.pop().iterdir()):
            if path.name == ".git" or any(fnmatch(path.name, pattern) for pattern in ignored):
                continue
            if path.is_dir() and not path.is_symlink():
                waiting.append(path)
            elif path.is_file():
                yield path


def test_no_file_names_a_place_on_somebodys_machine_or_a_package_registry() -> None:
    found = []
    for path in text_files():
        content = path.read_bytes()
        if b"\0" in content:
            continue
        text = content.decode("utf-8", errors="replace")
        hosts = [host for host in HOST.findall(text) if host not in KNOWN_HOSTS and not host.lower().endswith(RESERVED)]
        bad = [*MACHINE_PATH.findall(text), *hosts]
        found += [f"{path.relative_to(ROOT)}: {word}" for word in bad]
    assert found == []


def test_no_two_options_of_a_command_write_into_one_value() -> None:
    """Older versions of click give the second the default of the first; newer ones take either for both."""
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        values = [option.name for option in command.params if not getattr(option, "is_flag", False)]
        assert len(values) == len(set(values)), name


def test_every_fault_of_the_page_on_reliability_is_held_by_the_test_it_names() -> None:
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    tests = re.findall(r"`(test_\w+)` in \[\w+\]\(\.\./([\w/.]+)\) \|$", page, re.MULTILINE)
    assert len(tests) == len([line for line in page.splitlines() if line.startswith("| ")]) - page.count("| Held by |")
    for name, file in tests:
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), name
