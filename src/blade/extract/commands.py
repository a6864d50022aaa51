"""What a command line does: it edits files, runs code, or tests it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from blade.extract.prefilter import holds_any
from blade.frozen import frozen
from blade.late_regex import late_regex

LONGEST_COMMAND = 20_000
_CODE_ENDS = frozenset(
    "py pyx js jsx ts tsx mjs c h cc cpp cxx hpp java go rs rb php sh bash sv v vh vhd vhdl scala kt swift cs pl lua r "
    "jl hs ml ex exs erl clj dart sql ipynb cu f90 zig tcl pyi vue svelte hh m mm nim cr d f for pas adb ads asm s "
    "groovy fs fsx vb elm rkt scm lisp cljs cljc coffee ps1 bat awk sol vala hx cob raku".split()
)
HEREDOC = late_regex(r"<<-?\s*['\"]?(\w+)['\"]?([^\n]*)\n.*?(?:\n[ \t]*\1\b|\Z)", re.DOTALL)
PARTS = late_regex(r"&&|\|\||[;\n|]")
_BEFORE = late_regex(
    r"(\s*(\(|sudo|time|env|exec|timeout\s+(-\S+\s+)*\S+|nohup|uv run|poetry run|xvfb-run|\w+=\S*)(?=\s|\()\s*)+"
)
_TESTS = late_regex(
    r"^\s*(\S*/)?(pytest|py\.test|tox|nox|ctest|jest|vitest|mocha|rspec|phpunit|runtests?(\.\w+)?)\b|"
    r"^\s*(\S*/)?python[\d.]*\s+(-\S+\s+)*((-m\s+)?(pytest|unittest|nose2?|doctest|tox)\b|\S*(manage|runtests|setup)\.py\s+test\b|"
    r"\S*runtests\.py\b|(\S*/)?test_\w*\.py\b)|"
    r"^\s*(npm|yarn|pnpm|bun|npx|make|go|cargo|mvn|gradle|\./gradlew|dotnet|swift|mix|bazel|rake|bundle exec)\s+"
    r"(-C\s+\S+\s+|-\S+\s+)*(run\s+)?(test|tests|check|verify|jest|vitest|mocha|rspec)\b"
)
_TEST_HINTS = ("test", "tox", "nox", "mocha", "rspec", "phpunit", "jest", "nose", "check", "verify")
"""Every command that runs tests holds one of these."""
_RUNS = late_regex(
    r"^\s*(\S*/)?(python[\d.]*|node|deno|ruby|perl|php|Rscript|julia|java|javac|gcc|g\+\+|cc|c\+\+|clang(\+\+)?|rustc|tsc|"
    r"ghc|iverilog|vvp|verilator|make|ninja|npx|lua|scala|kotlinc?)(\s+(?!-V\b|--version\b|-v\s*$|-m\s+(pip|venv)\b)|\s*$|<)|"
    r"^\s*(go|cargo|npm|yarn|pnpm|bun|dotnet|mvn|gradle|cmake|swift|stack|cabal|sbt)\s+"
    r"(-\S+\s+)*(run|build|start|vet|compile|package|--build|check)\b|"
    r"^\s*(bash|sh|zsh|source|\.)\s+(-\S+\s+)*[\w./~-]+|^\s*\./[\w./-]+"
)
_WRITES = late_regex(r"(?<![0-9&<>=-])(>{1,2})\s*(?!/dev/|&)([\w./~-]+)|^\s*tee\s+(?:-a\s+)?([\w./~-]+)")
_IN_PLACE = late_regex(r"^\s*(?:sed|perl)\s+(?:-\S+\s+)*?-\w*i\S*\s.*?([\w./~-]+)\s*$", re.DOTALL)
_SCRIPT = late_regex(r"\b(python[\d.]*|node|bash|sh|ruby|perl)\s+[\w./~-]+\.\w+")
_FED = late_regex(r"^\s*(?:\S*/)?(?:python[\d.]*|node|ruby|perl)\b(?:\s+-\S*)*\s*(?:<<|-c\b|-e\b|$)")
"""An interpreter that is given its program in the command itself."""
_SAVES = ("write_text", "write_bytes", "open(", "writeFile")
_PATH = r"\(\s*r?['\"]([^'\"\n]{1,200})['\"]"
_SAVED = late_regex(rf"\bopen{_PATH}\s*,\s*['\"][wax]|\bwriteFile(?:Sync)?{_PATH}")
_PATH_OBJECT = late_regex(rf"\bPath{_PATH}")
_PATCHED = late_regex(r"^\*\*\* (Update|Add) File: (\S+)|^\+\+\+ (?:b/)?(\S+)", re.MULTILINE)


@frozen
class Deed:
    """One thing a call does: `edit`, `run` or `test`. The path is the file that an edit touches."""

    kind: str
    path: str = ""
    creates: bool = False
    old: str = ""
    new: str = ""

    @property
    def on_code(self) -> bool:
        return self.kind == "edit" and is_code(self.path)


def is_code(path: str) -> bool:
    """Whether a file holds code, by the end of its name."""
    return path.rsplit(".", 1)[-1].lower() in _CODE_ENDS if "." in path else path.endswith("Makefile")


def file_name(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]


def patched(text: str) -> Iterator[Deed]:
    """The files that a patch touches."""
    for match in _PATCHED.finditer(text[:LONGEST_COMMAND]):
        yield Deed("edit", match.group(2) or match.group(3), creates=match.group(1) == "Add")


def _saved_files(command: str) -> Iterator[str]:
    """The files that a program in the command writes: such a program is an editor, and runs no work."""
    yield from (match[1] or match[2] for match in _SAVED.finditer(command))
    if "write_text" in command or "write_bytes" in command:
        yield from (match[1] for match in _PATH_OBJECT.finditer(command))


def shell_deeds(command: str) -> Iterator[Deed]:
    """What a command line does, in order; the bodies of here-documents are no commands."""
    if "*** " in command or "+++ " in command:
        yield from patched(command)
    plain = HEREDOC.sub(r"<<\1 \2", command) if "<<" in command else command
    saved = list(_saved_files(command)) if holds_any(command, _SAVES) else []
    ran = writes_file = False
    for part in PARTS.split(plain):
        before = _BEFORE.match(part)
        bare = part[before.end() :] if before else part
        in_place = _IN_PLACE.match(bare) if "sed" in bare or "perl" in bare else None
        if in_place:
            yield Deed("edit", in_place.group(1))
            continue
        if holds_any(bare, _TEST_HINTS) and _TESTS.match(bare):
            ran = True
            yield Deed("test")
        elif saved and _FED.match(bare):
            writes_file = True
            yield from (Deed("edit", path) for path in saved)
        elif _RUNS.match(bare):
            ran = True
            yield Deed("run")
        for match in _WRITES.finditer(bare) if ">" in bare or "tee" in bare else ():
            path = match.group(2) or match.group(3)
            writes_file = True
            yield Deed("edit", path, creates=True)
    if writes_file and not ran and _SCRIPT.search(plain):  # lines that were folded into one
        yield Deed("run")
