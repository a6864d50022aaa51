"""What patches carry along beside the work."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.extract.artefacts import opened
from blade.questions import carried_along


def _part(path: str, *lines: str, new: bool = False) -> str:
    """A file of a patch: `lines` are added behind one that was there, or are all of it."""
    body = "".join(f"+{line}\n" for line in lines)
    head = f"diff --git a/{path} b/{path}\n"
    if new:
        return f"{head}new file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{body}"
    return f"{head}--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,{len(lines) + 1} @@\n kettle = 1\n{body}"


def _row(task: int, passed: bool, *parts: str) -> Json:
    patch = _part(f"kitchen/pot_{task}.py", f"lid = {task}") + "".join(parts)
    return row(task, reward=float(passed), expected_answer=None, extracted_answer=None, model_patch=patch)


def test_added_files_and_changes_are_known_by_file() -> None:
    one = opened(_part("a.py", "x = 2") + _part("notes/try.sh", "ls", new=True))
    assert one.added == {"notes/try.sh"}
    assert set(one.changes) == {"a.py", "notes/try.sh"}
    picture = (
        "diff --git a/p.png b/p.png\nnew file mode 100644\nindex 000..1\nBinary files /dev/null and b/p.png differ\n"
    )
    assert opened(picture).added == {"p.png"}


def test_equal_changes_files_left_behind_and_copies_are_told(tmp_path: Path) -> None:
    rows = [_row(task, True) for task in range(20)]
    rows += [_row(task, task < 22, _part("try_it.py", f"print({task})", new=True)) for task in range(20, 32)]
    rows += [_row(task, True, _part("Kitchenfile", "gas = on")) for task in range(32, 37)]
    rows += [_row(37, False, _part("kitchen/copy.py", *(f"part_{number} = {number}" for number in range(4000))))]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["carried_along"]
    text = words(carried_along.tell(answer))
    assert (
        "5 patches (one 5; 5 of them pass) make a file change that patches of other tasks make word for word "
        "(Kitchenfile in 5; tasks 32, 33, 34, 35 and 36): that points to the environment" in text
    ), text
    assert (
        "12 patches add files that were not there (such as try_it.py): 2 of them pass, of the "
        "others 25 of 26; it goes with the outcome (p = " in text
    )
    assert "characters, but 1 has far more: 37 " in text
    *_, head = carried_along.brief(answer)
    assert head.text.startswith("12 patches add files that were not there (such as try_it.py): 2 of them pass, of the")
    (step,) = carried_along.advise(answer)  # of the five with a change in common none fails
    assert step.change.startswith("Leave files that the task does not need (scripts, backups, build output) out of")
    assert step.because.text == "10 of 12 patches that add files fail, of the others 1 of 26."


def test_clean_patches_say_nothing(tmp_path: Path) -> None:
    rows = [_row(task, bool(task % 2)) for task in range(20)]
    assert "carried_along" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_a_patch_of_nothing_but_what_others_carry_is_named(tmp_path: Path) -> None:
    carried = _part("setup.py", "gas = 1") + _part("Kitchenfile", "gas = on")
    rows = [_row(task, True, carried) for task in range(12)]
    rows.append(row(12, reward=0.0, expected_answer=None, extracted_answer=None, model_patch=carried))
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["carried_along"]
    text = words(carried_along.tell(answer))
    assert (
        "Without that 1 of them changes no code and no test at all (0 passes; 12): nothing was handed in there, though "
        "the patch is not empty." in text
    ), text
    (head,) = carried_along.brief(answer)
    assert head.text == (
        "13 of 13 patches make a file change word for word as patches of other tasks do (Kitchenfile and setup.py): it "
        "comes from the environment, not from the model."
    )
    (step,) = carried_along.advise(answer)
    assert step.change.startswith("Collect patches against a clean checkout of the task's own image")
    assert step.because.text == (
        "1 patch that fails changes Kitchenfile and setup.py word for word as patches of other tasks do; whether that "
        "costs a pass is unknown."
    )


def test_one_fix_for_tasks_that_ask_for_the_same_is_no_stowaway(tmp_path: Path) -> None:
    fix = _part("kitchen/kettle.py", "if not water: return None")
    same = [row(task, reward=float(task % 2), model_patch=fix) for task in range(6)]
    rows = [_row(task, True) for task in range(6, 20)]
    made = [*same, *rows]
    for entry in made:
        entry |= {"expected_answer": None, "extracted_answer": None}
    assert "carried_along" not in analysed(write(tmp_path / "one.jsonl", made)).investigation
