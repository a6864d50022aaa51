"""Tests that were there, and that a patch makes expect something else: assertions taken out or written otherwise.

A hidden test that asks for what the old assertion asked for fails then, and so does a model that bent a test to its
own reading of the task. Assertions that only move count for nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection

from blade.late_regex import late_regex

MOST_NAMED = 6
_ASSERTS = late_regex(
    r"\bassert\w*\b|\braises\(|\bexpect\(|\b(?:EXPECT|ASSERT)_[A-Z]+|\.should\b|\brequire\.[A-Z]\w*\("
)
_TEST = late_regex(r"\b(?:def|func|function|fn|void)\s+(\w*[Tt]est\w*)|\b(?:it|test)\(\s*['\"`]([^'\"`]{1,80})")


def rewritten_tests(patch: str, tests: Collection[str]) -> tuple[int, list[str]]:
    """How many assertions of these test files go or change, and the tests that hold them, as far as the patch says."""
    gone: defaultdict[str, Counter[str]] = defaultdict(Counter)
    come: Counter[str] = Counter()
    inside, name = False, ""
    for line in patch.split("\n"):
        if line.startswith("diff --git ") or (line.startswith("--- ") and not inside):
            inside, name = False, ""
        elif line.startswith("+++ "):
            path = line[4:].split("\t", 1)[0].strip().strip('"')
            inside, name = (path[2:] if path[:2] == "b/" else path) in tests, ""
        elif inside and line.startswith("@@"):
            name = _test_name(line.rsplit("@@", 1)[-1])
        elif inside and line[:1] in {" ", "+", "-"}:
            name = _test_name(line[1:]) or name
            if line[0] != " " and _ASSERTS.search(line):
                bare = "".join(line[1:].split())
                if line[0] == "-":
                    gone[name][bare] += 1
                else:
                    come[bare] += 1
    for lines in gone.values():
        for bare in lines:
            moved = min(lines[bare], come[bare])
            lines[bare] -= moved
            come[bare] -= moved
    left = {name: sum(lines.values()) for name, lines in gone.items() if sum(lines.values())}
    return sum(left.values()), [name for name in left if name][:MOST_NAMED]


def _test_name(line: str) -> str:
    named = _TEST.search(line)
    return (named[1] or named[2]) if named else ""
