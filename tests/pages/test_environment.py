"""Templates escape everything, and a missing name is an error."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from jinja2 import DictLoader, Environment, UndefinedError

import blade.pages
from blade.pages.environment import CompiledTemplates, environment
from blade.pages.markup import Mark

FOLDER = Path(blade.pages.__file__).parents[1]
HOSTILE = "<script>x</script>\"'\u202e"


def macro(call: str, **values: object) -> str:
    return environment().from_string('{% import "macros.html" as m %}{{ m.' + call + " }}").render(values)


def test_templates_escape_and_refuse_unknown_names() -> None:
    made = environment().from_string("{{ words }}")
    assert made.render(words="<b>") == "&lt;b&gt;"
    with pytest.raises(UndefinedError):
        made.render()


def test_no_template_turns_escaping_off_or_handles_events_inline() -> None:
    found = sorted(FOLDER.rglob("*.html"))
    assert found
    for path in found:
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe\b|autoescape\s+false|\son\w+\s*=|javascript:|style\s*=", source), path


@pytest.mark.parametrize(
    "call",
    [
        "run(hostile, [hostile])",
        "chip(hostile)",
        "cell('fail', hostile, '/x')",
        "cell('pass', hostile)",
        "quote(hostile, hostile, '/x')",
        "item(part, [], 'item-1')",
        "item(part, marks, 'item-1')",
        "empty(hostile, hostile)",
    ],
)
@pytest.mark.parametrize("kind", ["message", "call"])
def test_no_macro_lets_foreign_markup_through(call: str, kind: str) -> None:
    part = SimpleNamespace(kind=kind, title=HOSTILE, text=HOSTILE, item=1)
    made = macro(call, hostile=HOSTILE, part=part, marks=[Mark(0, 3, "f1", HOSTILE)])
    assert "<script" not in made
    assert "&lt;script&gt;" in made or "&lt;sc</mark>" in made
    assert "\u202e" not in made or call.startswith("empty")


def test_a_message_is_set_with_its_source_beside_it() -> None:
    part = SimpleNamespace(kind="message", title="assistant", text="**yes**", item=3)
    made = macro("item(part, [], 'item-3')", part=part)
    assert "<strong>yes</strong>" in made
    assert '<pre dir="auto">**yes**</pre>' in made
    assert 'href="#item-3"' in made


def _rendered(folder: Path, source: str) -> str:
    kept = CompiledTemplates()
    kept.directory = str(folder)
    return (
        Environment(loader=DictLoader({"page": source}), autoescape=True, bytecode_cache=kept)
        .get_template("page")
        .render()
    )


def test_compiled_templates_are_kept_and_made_anew_where_the_template_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert [_rendered(tmp_path, source) for source in ("one", "one", "two", "one")] == ["one", "one", "two", "one"]
    (written,) = tmp_path.iterdir()
    written.write_bytes(written.read_bytes()[:40])
    assert _rendered(tmp_path, "one") == "one"


def test_nothing_is_kept_where_nothing_may_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert _rendered(tmp_path, "one") == "one"
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "file").write_text("no folder")
    assert _rendered(tmp_path / "file", "one") == _rendered(tmp_path / "none", "one") == "one"
