"""A call that all passing attempts at a task make and no failing one is shown, and said to prove nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, words

from blade.extract.call_heads import call_heads
from blade.extract.calls import calls_of
from blade.extract.transcript import output_steps
from blade.questions import deciding_calls


def shell(task: int, attempt: int, commands: list[str], *, passed: bool) -> Json:
    items = [item for command in commands for item in called("bash", {"command": command}, "ok")]
    return row(task, attempt, float(passed), response=response(*items, message("Done.")), extracted_answer=None)


def rows() -> list[Json]:
    """In task 0 attempts 0 and 2 read the manual and pass; all else is alike. Other tasks always pass."""
    found = [
        shell(
            0, attempt, ["ls -la /app", "man cipher" if attempt in {0, 2} else "cat /app/cipher.c", "make"], passed=good
        )
        for attempt, good in enumerate((True, False, True, False))
    ]
    found += [shell(task, attempt, ["ls", "make"], passed=True) for task in range(1, 8) for attempt in range(4)]
    return found


def test_the_call_that_decides_is_told_with_both_sides(tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "rollouts.jsonl", rows()))
    (one,) = analysis.investigation["deciding_calls"]["tasks"]
    assert (one["task"], one["passing"], one["failing"]) == ("0", [0, 2], [1, 3])
    assert (one["in_passes"], one["in_failures"]) == (["man cipher"], ["cat cipher.c"])
    told = words(deciding_calls.tell(analysis.investigation["deciding_calls"]))
    assert (
        "passing attempts 0 and 2 call “man cipher”, failing attempts 1 and 3 do not; failing attempts 1 and 3" in told
    )
    assert "So few attempts prove nothing" in told
    assert (
        "If outcomes were random among the attempts at each task, about 0.33 of 1 task that sometimes passes would "
        "show such a call, too." in told
    ), "of the six ways to choose two of four attempts, two set such a call apart"


def test_one_pass_is_not_enough(tmp_path: Path) -> None:
    changed = [
        line | {"reward": 0.0} if line["_ng_rollout_index"] == 2 and not line["_ng_task_index"] else line
        for line in rows()
    ]
    assert "deciding_calls" not in analysed(write(tmp_path / "rollouts.jsonl", changed)).investigation


@pytest.mark.parametrize(
    ("name", "arguments", "heads"),
    [
        ("bash", {"command": "cd /x && sudo apt-get install -y curl"}, ["apt-get install"]),
        (
            "bash",
            {"command": "cat > a.py <<'EOF'\nimport os\nos.remove('x')\nEOF\npython3 a.py"},
            ["cat > a.py", "python3 a.py"],
        ),
        ("bash", {"command": "cat <<'EOF' >src/b.py\nimport os\nEOF"}, ["cat > b.py"]),
        ("bash", {"command": "cat data/one.txt data/two.txt > all.txt 2>&1"}, ["cat one.txt", "cat two.txt"]),
        ("bash", {"command": "make all 2>/dev/null"}, ["make all"]),
        ("bash", {"command": "wc -l < in.txt"}, ["wc in.txt"]),
        ("bash", {"command": "git diff 2>&1"}, ["git diff"]),
        ("bash", {"command": "return round(value)\nfrom x import y\nmake all"}, ["make all"]),
        ("bash", {"command": "ls 2>/dev/null; ls 2>&1"}, ["ls"]),
        ("bash", {"command": "pip list >> had.txt 2> errors.txt"}, ["pip list"]),
        ("bash", {"command": "dmesg > /dev/null 2>&1; dmesg >seen.txt"}, ["dmesg", "dmesg > seen.txt"]),
        ("bash", {"command": "grep -rn needle src/deep/"}, ["grep needle"]),
        ("get_order", {"order": "7"}, ["get_order"]),
    ],
)
def test_a_call_is_named_by_its_program_or_its_tool(name: str, arguments: Json, heads: list[str]) -> None:
    assert call_heads(calls_of(output_steps({"output": called(name, arguments, "ok")}))) == heads


def test_no_call_decides_where_equal_patches_get_two_verdicts(tmp_path: Path) -> None:
    patch = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-one = 1\n+one = 2\n"
    other = patch.replace("one = 2", "one = 3")
    alike = [line | {"patch": patch} if not line["_ng_task_index"] else line | {"patch": ""} for line in rows()]
    assert "deciding_calls" not in analysed(write(tmp_path / "alike.jsonl", alike)).investigation
    apart = [
        line | {"patch": patch if line["reward"] else other} if not line["_ng_task_index"] else line | {"patch": ""}
        for line in rows()
    ]
    assert "deciding_calls" in analysed(write(tmp_path / "apart.jsonl", apart)).investigation
