"""What command lines do."""

from __future__ import annotations

import pytest

from blade.extract.commands import Deed, file_name, is_code, patched, shell_deeds


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "cd /w && python -m pytest tests",
        "PYTHONPATH=. timeout 60 python3 -m unittest",
        "npm test",
        "yarn run test",
        "go test ./...",
        "make -C build check",
        "python manage.py test shop",
        "./gradlew test",
        "python tests/test_a.py",
    ],
)
def test_tests(command: str) -> None:
    assert [deed.kind for deed in shell_deeds(command)] == ["test"]


@pytest.mark.parametrize(
    "command",
    [
        "python go.py",
        "python3 -c 'print(1)'",
        "python3 << 'EOF'\nopen('a.py')\nEOF",
        "gcc -o a a.c",
        "cargo build",
        "./run.sh",
        "bash run.sh",
        "make",
        "node app.js",
    ],
)
def test_runs(command: str) -> None:
    assert [deed.kind for deed in shell_deeds(command)] == ["run"]


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "grep -rn pytest .",
        "pip install pytest",
        "python -m pip install x",
        "python3 --version",
        "cat a.py | head",
        "x 2>/dev/null",
        "echo done 2>&1",
        "git diff",
    ],
)
def test_neither(command: str) -> None:
    assert list(shell_deeds(command)) == []


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("sed -i 's/a/b/' src/a.py", "src/a.py"),
        ("cat > b.py << 'EOF'\npython x.py\nEOF", "b.py"),
        ("echo 1 >> log.txt", "log.txt"),
        ("echo 1 | tee -a out.csv", "out.csv"),
    ],
)
def test_edits(command: str, path: str) -> None:
    assert [(deed.kind, deed.path) for deed in shell_deeds(command)] == [("edit", path)]


def test_the_order_of_deeds_is_kept() -> None:
    kinds = [deed.kind for deed in shell_deeds("cat > b.py <<E\nx\nE\npython b.py && sed -i s/x/y/ b.py")]
    assert kinds == ["edit", "run", "edit"]


def test_lines_folded_into_one_are_still_a_run() -> None:
    assert [deed.kind for deed in shell_deeds("echo 'x' > b.py python3 b.py")] == ["edit", "run"]


def test_a_patch_names_its_files() -> None:
    text = "*** Begin Patch\n*** Update File: a.py\n*** Add File: b.py\n"
    assert [(deed.path, deed.creates) for deed in patched(text)] == [("a.py", False), ("b.py", True)]
    assert [deed.path for deed in patched("--- a/x/y.c\n+++ b/x/y.c\n")] == ["x/y.c"]


def test_files() -> None:
    assert is_code("src/a.PY")
    assert is_code("Makefile")
    assert not is_code("notes.md")
    assert file_name("a/b/c.txt/") == "c.txt"
    assert not Deed("run", "a.py").on_code


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        (
            "python3 - <<'PY'\nfrom pathlib import Path\np = Path('app/jar.py')\np.write_text(p.read_text())\nPY",
            ["app/jar.py"],
        ),
        ("python3 -c \"open('lid.js', 'w').write('x')\"", ["lid.js"]),
        ("node -e \"require('fs').writeFileSync('lid.js', 'x')\"", ["lid.js"]),
    ],
)
def test_a_program_in_a_command_that_writes_files_edits_them(command: str, paths: list[str]) -> None:
    assert [(deed.kind, deed.path) for deed in shell_deeds(command)] == [("edit", path) for path in paths]


def test_a_program_that_only_reads_is_a_run() -> None:
    assert [deed.kind for deed in shell_deeds("python3 - <<'PY'\nprint(open('jar.py').read())\nPY")] == ["run"]
    assert [deed.kind for deed in shell_deeds("python go.py && echo \"open('a.py', 'w')\"")] == ["run"]
