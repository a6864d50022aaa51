"""Names are nouns that an evaluation engineer would say, and no two classes share one: both may only get better."""

from __future__ import annotations

import re
import symtable
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "blade"

VAGUE = frozenset(
    """found told made said seen kept held taken given asked known wanted meant shown drawn named written stated tried
    judged counted chosen looked noticed gathered worded settled lost done gone got cut met heard brought built sent
    one this that them these those they it he both each some other others another rest here there what which who whose
    where how why way ways thing things stuff own ours theirs mine yours beside besides books inside around among
    many more most few whole same such much""".split()
)
"""Participles, pronouns and words of place: they say that there is something, not what it is."""

MOST_VAGUE = 0.025
"""Of all names bound in the source. It may only fall; the goal of 0.03 is met."""
CLEAN = tuple(
    """anchors change charts checking cli counting detectors diagnosis drawing engine extract formats health index judge
    package pages queries quoted_evidence readers renderers sanitize sections short_report
    simulate skill stats translate viewer""".split()
)
MOST_VAGUE_WHERE_CLEAN = 0.03


def test_few_names_say_nothing() -> None:
    bound, vague = _counts("")
    assert vague / bound <= MOST_VAGUE, f"{vague} of {bound} bound names are vague, as {_examples('')} are"


def test_a_room_that_was_cleaned_stays_so() -> None:
    for room in CLEAN:
        bound, vague = _counts(room)
        assert vague / bound <= MOST_VAGUE_WHERE_CLEAN, f"{room}: {vague} of {bound} names are vague: {_examples(room)}"


def test_no_two_classes_have_one_name() -> None:
    files = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for name in re.findall(r"^ *class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            files[name].append(path.relative_to(SOURCE).as_posix())
    shared = {name: paths for name, paths in files.items() if len(paths) > 1}
    assert not shared


def _counts(room: str) -> tuple[int, int]:
    names = [name for place, name in _bound_names() if place.startswith(room)]
    return len(names), sum(map(_is_vague, names))


def _examples(room: str) -> str:
    common = Counter(name for place, name in _bound_names() if place.startswith(room) and _is_vague(name))
    return ", ".join(f"{name} ({number})" for name, number in common.most_common(5))


def _is_vague(name: str) -> bool:
    return name.strip("_") in VAGUE


@cache
def _bound_names() -> list[tuple[str, str]]:
    """(room, name) for each name that a scope binds: arguments, variables, functions and classes, but no imports."""
    return [
        (path.relative_to(SOURCE).parts[0], symbol.get_name())
        for path in sorted(SOURCE.rglob("*.py"))
        for scope in _scopes(symtable.symtable(path.read_text(encoding="utf-8"), str(path), "exec"))
        for symbol in scope.get_symbols()
        if (symbol.is_assigned() or symbol.is_parameter()) and not symbol.is_imported()
        if symbol.is_local() or scope.get_type() == "module"
        if not symbol.get_name().startswith(("__", "."))
    ]


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)
