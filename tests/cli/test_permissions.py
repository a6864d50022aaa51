"""What may not be read or written is said in two lines, by every command; a cache of somebody else's is only slower."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.command_line import Done, blade
from tests.formats.samples import attempts
from tests.gym_rows import row, write
from tests.plain_user import as_a_plain_user

from blade import api
from blade.errors import BladeError

ROWS = [row(task, attempt, float((task + attempt) % 2)) for task in range(4) for attempt in range(2)]
SOMEBODY = 65534


def shut(place: Path, mode: int) -> Path:
    """A folder or file that belongs to somebody else, where the tests may give things away."""
    if os.geteuid() == 0:
        os.chown(place, SOMEBODY, SOMEBODY)
    place.chmod(mode)
    return place


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write(tmp_path / "run.jsonl", ROWS)


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    """A folder that may be read and not written."""
    (tmp_path / "locked").mkdir()
    return shut(tmp_path / "locked", 0o555)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A folder that may not be looked into."""
    (tmp_path / "closed").mkdir()
    write(tmp_path / "closed" / "run.jsonl", ROWS)
    return shut(tmp_path / "closed", 0 if os.geteuid() else 0o700)


def typed(*words: str | Path) -> Done:
    with as_a_plain_user():
        return blade(*words)


@pytest.mark.parametrize(
    "words",
    [
        "analyze RUN -o LOCKED",
        "analyze RUN -o LOCKED/new",
        "analyze RUN -o OUT --format github --step-summary LOCKED/summary.md",
        "compare RUN again=RUN --format github --step-summary LOCKED/summary.md",
        "tasks RUN -o LOCKED/questions.jsonl",
        "note RUN 0 --label BI --author me --quote What -o LOCKED",
        "rerun-list RUN -o LOCKED/again.jsonl",
        "skill draft RUN -o LOCKED/SKILL.md",
        "init made --runs RUN --dir LOCKED/made",
        "convert FOREIGN -o LOCKED/rows",
        "sanitize RUN -o LOCKED/clean",
        "sanitize RUN -o OUT --mapping LOCKED/tokens.json",
        "make-shallow --input REPORT --output LOCKED/shallow.md",
        "analyze CLOSED -o OUT",
        "analyze RUN -o OUT --config CLOSED/config.yaml",
        "sanitize CLOSED",
        "check CLOSED/report.md --runs RUN",
    ],
)
def test_a_place_that_may_not_be_used_is_two_lines(
    run: Path, locked: Path, closed: Path, tmp_path: Path, words: str
) -> None:
    (tmp_path / "foreign").mkdir()
    (tmp_path / "report.md").write_text("# A report\n")
    places = {"RUN": run, "LOCKED": locked, "CLOSED": closed, "OUT": tmp_path / "out"}
    places |= {"FOREIGN": attempts.write(tmp_path / "foreign")[0], "REPORT": tmp_path / "report.md"}
    for name, place in places.items():
        words = words.replace(name, str(place))
    done = typed(*words.split())
    assert done.returncode == 2, done.stdout
    assert 1 <= len(done.stderr.splitlines()) <= 2, done.stderr
    assert str(locked) in done.stderr or str(closed) in done.stderr
    assert "Permission denied" in done.stderr or "cannot be listed" in done.stderr
    assert list(locked.iterdir()) == []


def test_a_package_that_may_not_be_looked_into_is_not_clean(tmp_path: Path, closed: Path) -> None:
    done = typed("sanitize", closed.parent, "--check")
    assert done.returncode == 1
    assert "closed" in done.stdout
    assert "a folder that cannot be listed" in done.stdout
    checked = typed("validate", "--benchmark-dir", closed)
    assert checked.returncode == 1


def test_the_library_raises_errors_of_its_own(closed: Path) -> None:
    with as_a_plain_user(), pytest.raises(BladeError, match="cannot be listed"):
        api.read(closed)


@pytest.mark.parametrize("owned", ["the folder", "the entries"])
def test_a_cache_that_another_user_owns_is_only_slower(
    run: Path, tmp_path: Path, owned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("BLADE_CACHE_DIR", str(cache))
    cache.mkdir()
    words = ("compare", run, f"again={run}", "--format", "json")
    if owned == "the folder":
        shut(cache, 0o700 if os.geteuid() == 0 else 0)
    else:
        assert blade(*words).returncode == 0
        entries = sorted(cache.rglob("*"), reverse=True)
        assert entries
        for entry in entries:
            shut(entry, 0o555 if entry.is_dir() else 0o600 if os.geteuid() == 0 else 0)
        shut(cache, 0o555)
    done = typed(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["delta"] == 0
    assert typed("tasks", run, "--no-keep").returncode == 0
    (tmp_path / "foreign").mkdir()
    foreign = typed("analyze", attempts.write(tmp_path / "foreign")[0], "-o", tmp_path / "out")
    assert foreign.returncode == 2
    assert "the translated rows cannot be kept in" in foreign.stderr
    assert "Set BLADE_CACHE_DIR to a folder that can be written." in foreign.stderr
