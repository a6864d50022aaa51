"""Every error and every flaw has its entry in docs/messages.md, and every entry speaks of one that exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import polars as pl

from blade.counting.run import _key_flaws
from blade.errors import BladeError

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "messages.md"
ENTRY = re.compile(r"^### (\S+)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
PARTS = ("Means", "Wanted", "Way out")
KEY_SOURCES = ("domain_id", "text", "line")


def entries() -> dict[str, str]:
    return {match[1]: match[2] for match in ENTRY.finditer(PAGE.read_text(encoding="utf-8"))}


def error_slugs(kind: type[BladeError] = BladeError) -> Iterator[str]:
    yield kind.slug
    for child in kind.__subclasses__():
        if child.__module__.startswith("blade."):
            yield from error_slugs(child)


@cache
def first_arguments() -> tuple[ast.expr, ...]:
    """The slug of every `Flaw(...)` and of every `tally.add(...)` in the source."""
    return tuple(_first_arguments())


def _first_arguments() -> Iterator[ast.expr]:
    for path in sorted((ROOT / "src" / "blade").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "Flaw" not in text and "tally" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and _makes_a_flaw(node.func):
                given = [word.value for word in node.keywords if word.arg == "slug"]
                yield from (node.args[:1] or given)


def _makes_a_flaw(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id == "Flaw"
    return (
        isinstance(called, ast.Attribute)
        and called.attr == "add"
        and isinstance(called.value, ast.Name)
        and called.value.id == "tally"
    )


def flaw_slugs() -> set[str]:
    """Slugs written out in the code, and those that `_key_flaws` puts together."""
    written = {node.value for node in first_arguments() if isinstance(node, ast.Constant)}
    frame = pl.DataFrame({"key_source": list(KEY_SOURCES)})
    return {str(slug) for slug in written} | {flaw.slug for flaw in _key_flaws(frame)}


def test_only_the_known_slug_is_put_together() -> None:
    """Any other would not be seen by this test: write slugs out."""
    made = [ast.unparse(node) for node in first_arguments() if isinstance(node, ast.JoinedStr)]
    assert len(made) == 1
    assert "key-from-" in made[0]


def test_every_error_has_an_entry() -> None:
    assert sorted(set(error_slugs()) - set(entries())) == []


def test_every_flaw_has_an_entry() -> None:
    found = flaw_slugs()
    assert len(found) > 10
    assert sorted(found - set(entries())) == []


def test_every_entry_is_in_the_code() -> None:
    assert sorted(set(entries()) - set(error_slugs()) - flaw_slugs()) == []


def test_no_entry_stands_twice() -> None:
    names = [match[1] for match in ENTRY.finditer(PAGE.read_text(encoding="utf-8"))]
    assert len(names) == len(set(names))


def test_every_entry_says_what_it_means_what_was_wanted_and_the_way_out() -> None:
    for slug, text in entries().items():
        said = [part for part in PARTS if f"- **{part}:**" in text]
        assert said == list(PARTS), slug
