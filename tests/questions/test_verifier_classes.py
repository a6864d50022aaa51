"""The verifier's own classes and messages are counted over all rows, whatever mode a rollout is told under."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import verifier_classes


def rows(model: str, verdicts: dict[int, Json], tasks: int = 12) -> list[Json]:
    made = []
    for task in range(tasks):
        fields: dict[str, Any] = verdicts.get(task, {"verifier": {"error_type": None}})
        fields |= {"metadata": {"topic": "maths" if task < 6 else "law"}}
        one = row(task, reward=float(task not in verdicts), **fields)
        one["response"]["model"] = model
        made.append(one)
    return made


def typed(kind: str, said: str) -> Json:
    return {"verifier": {"error_type": kind, "error": [said, {"index 0": {"sub_error": [f"{said} twice"]}}]}}


def asked(tmp_path: Path, **runs: list[Json]) -> Json:
    paths = [write(tmp_path / name / f"{name}.jsonl", made) for name, made in runs.items()]
    return dict(analysed(*paths).investigation["verifier_classes"])


def test_classes_with_their_runs_their_words_and_their_slice(tmp_path: Path) -> None:
    one = {task: typed("type:simple", f"Expected a list for 'p{task}', got text.") for task in range(4)}
    two = {task: typed("unreadable", f"Line {task} cannot be read.") for task in (0, 1, 2, 8)}
    answer = asked(tmp_path, one=rows("m", one), two=rows("n", two))
    told = {entry["class"]: (entry["runs"], entry["inside"], entry["where"]) for entry in answer["classes"]}
    assert told["type:simple"] == ([4, 0], [4, 0], "metadata.topic = maths")
    assert told["unreadable"] == ([0, 4], [], "")
    text = words(verifier_classes.tell(answer))
    assert "type:simple (“Expected a list for <text>, got text.”) | 4 (4) | 0 (0) | 0 | metadata.topic = maths" in text
    assert "unreadable (“Line # cannot be read.”) | 0 | 4 | 0 | " in text


def test_labels_in_lists_and_counters_count_on_every_row_that_bears_them(tmp_path: Path) -> None:
    verdicts: dict[int, Json] = {
        task: {"failure_labels": ["late", "rude"] if task % 2 else ["late"], "num_tool_failures": task % 3}
        for task in range(6)
    }
    made = rows("m", verdicts)
    for number in (6, 7):
        made[number] |= {"failure_labels": [], "num_tool_failures": 0}
    answer = asked(tmp_path, one=made)
    told = {entry["class"]: (entry["failures"], entry["passes"]) for entry in answer["classes"]}
    assert told == {"late": (6, 0), "rude": (3, 0), "num_tool_failures above 0": (4, 0)}


def test_a_message_in_the_same_tasks_of_all_runs_points_at_the_check(tmp_path: Path) -> None:
    def verdicts(extra: int) -> dict[int, Json]:
        both: dict[int, Json] = {
            task: {"verifier": {"error": f"Error in '{task}': number is not callable."}} for task in range(3)
        }
        return both | {extra: {"verifier": {"error": "A step is missing."}}}

    answer = asked(tmp_path, one=rows("m", verdicts(7)), two=rows("n", verdicts(8)))
    assert [(entry["of_tasks"], entry["in_all_runs"]) for entry in answer["messages"]] == [(3, 3)]
    assert (
        "The same tasks of every run fail with “Error in <text>: number is not callable.” (3 tasks, first 0, 1 and 2)"
        in (words(verifier_classes.tell(answer)))
    )


def test_a_class_that_passes_bear_as_well_is_none(tmp_path: Path) -> None:
    made = [row(task, reward=float(task % 2), verifier={"failure_reason": "late"}) for task in range(12)]
    path = write(tmp_path / "one.jsonl", made)
    assert "verifier_classes" not in analysed(path).investigation


def test_messages_deep_in_the_verdict_are_read(tmp_path: Path) -> None:
    verdicts: dict[int, Json] = {
        task: {"verifier": {"details": {"error_message": f"Line {task} differs from the one that was expected."}}}
        for task in range(4)
    }
    answer = asked(tmp_path, one=rows("m", verdicts))
    assert [(entry["message"], entry["failures"]) for entry in answer["messages"]] == [
        ("Line # differs from the one that was expected.", 4)
    ]


def test_that_a_check_failed_is_a_verdict_and_no_class(tmp_path: Path) -> None:
    checks = {task: {"verifier": {"results": {"test_raises_no_error": "failed"}}} for task in range(4)}
    paths = [write(tmp_path / "run.jsonl", rows("m", checks))]
    assert "verifier_classes" not in analysed(*paths).investigation


def test_a_run_that_keeps_no_words_of_the_verifier_says_so_and_not_none(tmp_path: Path) -> None:
    one: dict[int, Json] = {task: {"verifier": {"error": f"The jar {task} is not on its shelf."}} for task in range(8)}
    two: dict[int, Json] = {task: {"verifier": {"results": {"jar": "failed"}}} for task in range(8)}
    answer = asked(tmp_path, one=rows("m", one), two=rows("n", two))
    assert answer["silent"] == ["two"]
    told = words(verifier_classes.tell(answer))
    assert "The jar # is not on its shelf. | 8 | not recorded | 0" in told
    assert "Lies mostly in" not in told or any(entry["where"] for entry in answer["messages"])


def test_messages_that_say_one_thing_in_several_wordings_are_one_line(tmp_path: Path) -> None:
    """Each provider has its own words for a prompt that is too long, and each parser for what it cannot read."""
    too_long = "Error 400: prompt is too long: {} tokens > 200000 maximum"
    long_prompts = {task: {"verifier": {"error_message": too_long.format(200_100 + task)}} for task in range(5)}
    other_words = {
        task: {"verifier": {"error_message": f"This model's maximum context length is 131072 tokens, not {task}."}}
        for task in range(4)
    }
    unread = ("Expecting value: line 1 column 1 (char 0)", "Extra data: line 1 column 9 (char 8)")
    other_words |= {task: {"verifier": {"error_message": unread[task % 2]}} for task in range(6, 10)}
    answer = asked(tmp_path, one=rows("m", long_prompts), two=rows("n", other_words))
    lines = {entry["message"]: (entry["runs"], entry.get("wordings")) for entry in answer["messages"]}
    assert lines == {
        "context window exceeded": ([5, 4], 2),
        "output that cannot be parsed": ([0, 4], 2),
    }
    text = words(verifier_classes.tell(answer))
    assert "context window exceeded (2 wordings, most often “" in text


def test_the_tenth_sentence_of_a_verdict_counts_as_the_first_does(tmp_path: Path) -> None:
    kinds = ("jar", "lid", "shelf", "cellar", "door", "key", "lamp", "stair", "floor")
    before = [f"The {kind} was not where it was expected." for kind in kinds]
    last = "No label was found on it."
    long = {task: {"verifier": {"error": [*before, last]}} for task in range(3)}
    short = {task: {"verifier": {"error": [last]}} for task in range(3, 6)}
    answer = asked(tmp_path, one=rows("m", long | short))
    assert {entry["message"]: entry["failures"] for entry in answer["messages"]}[last] == 6


def test_the_lines_of_short_logs_are_messages_and_those_of_one_run_a_claim(tmp_path: Path) -> None:
    def logged(line: str) -> Json:
        return {"verifier_log": f"2026-05-19T20:25:01Z INFO grader 1.2 begins\n2026-05-19T20:25:02Z {line}\n"}

    good = {task: logged("INFO reward 1.0 of 1.0") for task in range(12)}
    silent = {task: logged(f"WARN no jar {task} was handed in") for task in range(9)}
    one, two = rows("m", {**good, **silent}), rows("n", {**good, 0: silent[0]})
    for made in (*one, *two):
        made["reward"] = float("WARN" not in made["verifier_log"])
    answer = asked(tmp_path, one=one, two=two)
    (entry,) = answer["messages"]
    assert (entry["message"], entry["runs"], entry["passes"]) == ("WARN no jar # was handed in", [9, 1], 0)
    (claim,) = verifier_classes.brief(answer)
    assert claim.text == (
        "The verifier says “WARN no jar # was handed in” in 9 failures of one, in 1 of the other runs and in no pass "
        "(9 tasks, first 0, 1 and 2)."
    )
