"""`blade show --twin`, and what `blade show` says was noticed."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.detectors.attempts import call, say, tool
from tests.diagnosis.attempts_on_disk import run, told
from tests.gym_rows import read

from blade import api
from blade.cli import side_by_side
from blade.renderers import terminal

FIND = call("find_order", {"name": "Ann"}, {"id": 1})
PAY, PAY_MORE = (call("pay_order", {"order": 1, "amount": amount}, "paid") for amount in (5, 6))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return run(
        tmp_path,
        told(0, 0, 1.0, FIND, PAY, say("Done, five it is.")),
        told(0, 1, 0.0, FIND, PAY_MORE, say("Done.\x1b[31m red")),
        told(1, 0, 1.0, PAY),
    )


def test_both_attempts_stand_beside_each_other_with_the_parting_marked(path: Path) -> None:
    done = blade("show", path, "0", "--twin")
    assert done.returncode == 0, done.stderr
    assert "passes in 1 of 2 attempts" in done.stdout
    assert "they part: both call pay_order, the failing attempt with other values of amount" in done.stdout
    assert "… 1 call alike" in done.stdout
    assert "find_order" not in done.stdout
    (marked,) = (line for line in done.stdout.splitlines() if "▶" in line)
    assert marked.count("▶ [2] call: pay_order") == 2
    assert "\x1b" not in done.stdout


def test_a_narrow_screen_gets_one_above_the_other(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "WIDTH", 60)
    stream = StringIO()
    side_by_side.show_twin(api.find_twin(read(path), "0"), stream)
    lines = stream.getvalue().splitlines()
    assert lines.index("passing: attempt 0") < lines.index("failing: attempt 1")
    assert max(map(len, lines)) <= 80


def test_full_folds_nothing(tmp_path: Path) -> None:
    long = "word " * 200
    twin = api.find_twin(read(run(tmp_path, told(0, 0, 1.0, say(long)), told(0, 1, 0.0, say("no")))), "0")
    short, full = StringIO(), StringIO()
    side_by_side.show_twin(twin, short)
    side_by_side.show_twin(twin, full, full=True)
    assert "more characters" in short.getvalue()
    assert full.getvalue().count("word") == 200


def test_a_task_without_both_outcomes_says_so(path: Path) -> None:
    done = blade("show", path, "1", "--twin")
    assert done.returncode == 2
    assert "Every attempt of task '1'" in done.stderr
    assert "Traceback" not in done.stderr


def test_show_lists_what_was_noticed_with_quotes(tmp_path: Path) -> None:
    row = told(0, 0, 0.0, call("magic", {"a": 1}, "Error: unknown"), say("Done."))
    row["responses_create_params"]["tools"] = [tool("pay_order", order="integer")]
    plain = told(1, 0, 1.0, say("Fine."))
    path = run(tmp_path, row, plain)
    done = blade("show", path, "0")
    noticed = done.stdout.split("noticed: ")[1]
    assert "unknown_tool: " in noticed
    assert "[0] “" in noticed
    assert "noticed: nothing" in blade("show", path, "1").stdout
