"""A bounded, repeatable sample of the mutants that cosmic-ray's operators can make of a folder.

Every place in the source (an operator, a number, a condition) is drawn at most once, with one of the changes possible
there. What is drawn depends on the words of the line and of the function it stands in, not on line numbers: an edit
elsewhere leaves the sample as it is.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutation.folders import SEED, Folder
from benchmarks.mutation.mutant import Mutant

SAME_MEANING = re.compile(r"_(Eq_Is|NotEq_IsNot|Is_Eq|IsNot_NotEq|BitAnd_Mul)$")
"""Identity and equality are one for what the source compares (None, enums, small numbers, constant words), and so are
`&` and `*` of truth values."""
NO_BEHAVIOUR = {"frozen", "slots", "strict", "repr"}
"""Keywords that only speak up where the code itself is wrong: settings of dataclasses, zip(strict=…)."""


@dataclass(frozen=True, slots=True)
class Place:
    """One possible change: where it stands, and which occurrence of which operator makes it."""

    file: str
    line: int
    column: int
    operator: str
    occurrence: int


def sampled(root: Path, folder: Folder) -> list[Mutant]:
    """The mutants of a folder, in the order in which they were drawn."""
    drawn: dict[str, list[Place]] = defaultdict(list)
    for path in sorted((root / folder.path).rglob("*.py")):
        for spot, places in _spots(path, path.relative_to(root).as_posix()).items():
            drawn[spot] += places
    chosen = sorted(drawn, key=_digest)[: folder.sample]
    return [
        _mutant(root, folder, spot, min(drawn[spot], key=lambda one: _digest(spot + one.operator))) for spot in chosen
    ]


def _digest(text: str) -> str:
    return hashlib.sha256(f"{SEED} {text}".encode()).hexdigest()


def _spots(path: Path, file: str) -> dict[str, list[Place]]:
    """The places of one file where something can change, each by a name of its own."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    silent = _silent(ast.parse(text))
    found: dict[tuple[int, int], list[Place]] = defaultdict(list)
    for place in _places(text, file):
        if not any(start <= (place.line, place.column) < end for start, end in silent):
            found[place.line, place.column].append(place)
    named: dict[str, list[Place]] = {}
    seen: Counter[str] = Counter()
    for (line, column), places in sorted(found.items()):
        words = f"{file} {lines[line - 1].strip()} {column - len(lines[line - 1]) + len(lines[line - 1].lstrip())}"
        seen[words] += 1
        named[f"{words} {seen[words]}"] = places
    return named


def _places(text: str, file: str) -> Iterator[Place]:
    from cosmic_ray.ast import ast_nodes, get_ast  # noqa: PLC0415 - of the group `mutants`, which tests do without
    from cosmic_ray.plugins import get_operator, operator_names  # noqa: PLC0415

    nodes = list(ast_nodes(get_ast(text)))
    for name in sorted(operator_names()):
        kind = get_operator(name)
        if kind.arguments() or SAME_MEANING.search(name):
            continue
        operator = kind()
        positions = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, (line, column) in enumerate(positions):
            yield Place(file, line, column, name, occurrence)


def _silent(tree: ast.Module) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Stretches that say nothing when the program runs: annotations, and keywords without behaviour."""
    nodes: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.AnnAssign, ast.arg)):
            nodes.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            nodes.append(node.returns)
        elif isinstance(node, ast.Call):
            nodes += [keyword.value for keyword in node.keywords if keyword.arg in NO_BEHAVIOUR]
    return [
        ((node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0))
        for node in nodes
        if isinstance(node, ast.expr)
    ]


def _mutant(root: Path, folder: Folder, spot: str, place: Place) -> Mutant:
    from cosmic_ray.mutating import mutate_code  # noqa: PLC0415 - as above
    from cosmic_ray.plugins import get_operator  # noqa: PLC0415

    text = (root / place.file).read_text(encoding="utf-8")
    changed = mutate_code(text, get_operator(place.operator)(), place.occurrence)
    if changed is None or changed == text:
        raise AssertionError(f"{place} changes nothing")
    key = _digest(spot + place.operator)[:8]
    before, after = text.splitlines(), changed.splitlines()
    line = next((n for n, (old, new) in enumerate(zip(before, after, strict=False), 1) if old != new), place.line)
    becomes = after[line - 1].strip() if line <= len(after) else ""
    return Mutant(folder.name, key, place.file, line, before[line - 1].strip(), becomes, changed, folder.arguments)
