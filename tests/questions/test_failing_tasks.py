"""Every failing task in a line: what its record shows, who fails it and who passes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, row, write
from tests.questions.made_cases import called, case, run_of, said, task_row, user

from blade import api
from blade.diagnosis.cases import Case
from blade.document import Table
from blade.model import Analysis
from blade.questions import failing_tasks
from blade.renderers import markdown


def _row(task: int, *made: tuple[str, Json], passed: bool = False, attempt: int = 0) -> Json:
    key = {"expected_actions": [{"name": "lend_book", "arguments": {"book": f"b{task}", "card": "blue"}}]}
    calls = [called(name, arguments, '{"ok": true}') for name, arguments in made]
    lines = task_row(task, *calls, said("Done."), passed=passed, verifier=key)
    return lines | {"_ng_rollout_index": attempt}


def _right(task: int) -> Json:
    return _row(task, ("lend_book", {"book": f"b{task}", "card": "blue"}), passed=True)


def _bare(task: int, reward: float, **fields: Any) -> Json:
    """A row that says neither what was expected nor what was read."""
    return row(task, reward=reward, expected_answer=ABSENT, extracted_answer=ABSENT, **fields)


def _tables(answer: Mapping[str, Any]) -> list[Table]:
    return [block for block in failing_tasks.tell(answer) if isinstance(block, Table)]


def _lines(answer: Mapping[str, Any], table: int = 0) -> list[str]:
    rows = _tables(answer)[table].rows
    return [" | ".join(cell if isinstance(cell, str) else cell.text for cell in cells) for cells in rows]


@pytest.fixture
def two_runs(tmp_path: Path) -> Analysis:
    one = [_right(task) for task in range(5)]
    one += [_row(5, ("lend_book", {"book": "b5", "card": "red"})), _row(6, ("sell_book", {"book": "b6"})), _row(7)]
    one += [_row(8, ("lend_book", {"book": "b8", "card": "blue"}), ("sell_book", {"book": "b8"}))]
    two = [_right(task) for task in (*range(5), 6, 8)]
    two += [_row(5, ("lend_book", {"book": "b5", "card": "red"})), _row(7, ("sell_book", {"book": "b7"}))]
    return analysed(write(tmp_path / "one.jsonl", one), write(tmp_path / "two.jsonl", two))


def test_a_line_has_the_values_and_who_passes(two_runs: Analysis) -> None:
    never = """one: never makes the expected call of 'lend_book' (action 1 of 1): {"book":"b7","card":"blue"}"""
    assert _lines(two_runs.investigation["failing_tasks"]) == [
        """6 | one | calls 'sell_book' {"book": "b6"}, expected 'lend_book' | two""",
        """8 | one | calls 'sell_book' {"book": "b8"}, which the key lacks | two""",
        """5 | one and two | calls 'lend_book' with card 'red', expected 'blue' | none""",
        f"""7 | one and two | two: calls 'sell_book' {{"book": "b7"}}, expected 'lend_book'; {never} | none""",
    ]


def test_the_short_report_holds_all_lines_of_few_tasks(two_runs: Analysis) -> None:
    whole = api.report(two_runs)
    text = markdown.render(api.shorten(whole, two_runs))
    assert "## Failing Tasks" in text
    assert "| 5 | one and two | calls 'lend\\_book' with card 'red', expected 'blue' | none |" in text.replace(
        "lend_book", "lend\\_book"
    )
    assert "no cause: the task, its key, a simulated user or the model may be at fault" in text
    investigation = next(section for section in whole.sections if section.name == "investigation")
    assert failing_tasks.TITLE not in str(investigation.blocks)


def test_a_repeated_expected_change_is_not_told_as_another_one(tmp_path: Path) -> None:
    """What is left out is told, where all that was changed is in the key."""
    wanted = [{"name": "lend_book", "arguments": {"book": name}} for name in ("b1", "b2")]
    calls = [called("lend_book", {"book": "b1"}, '{"ok": true}') for _ in range(2)]
    rows = [task_row(1, *calls, said("Done."), passed=False, verifier={"expected_actions": wanted})]
    rows += [_right(task) for task in range(2, 6)]
    (line,) = _lines(analysed(write(tmp_path / "one.jsonl", rows)).investigation["failing_tasks"])
    assert line.startswith("1 | 1 of 1 attempt | ")
    assert "b2" in line
    assert "lacks" not in line


def test_the_end_by_the_user_is_told_in_the_users_words(tmp_path: Path) -> None:
    key = {"expected_actions": [{"name": "lend_book", "arguments": {"book": "b1", "card": "blue"}}]}
    asked = said("I can lend you b1 on your blue card. Shall I go ahead?")
    agreed = user("Yes, please go ahead. ###STOP###")
    rows = [task_row(1, user("I want to borrow b1."), asked, agreed, passed=False, verifier=key)]
    rows += [_right(task) for task in range(2, 6)]
    (line,) = _lines(analysed(write(tmp_path / "one.jsonl", rows)).investigation["failing_tasks"])
    assert "the user agrees and ends the conversation; lend_book was expected and never made" in line
    assert "“Yes, please go ahead. ###STOP###”" in line


def test_a_call_that_failed_on_the_way_comes_behind_the_checks_that_fail(tmp_path: Path) -> None:
    log = "E   AssertionError: nothing was saved\nFAILED test_saves\n1 failed, 1 passed"
    bad = called("open_box", {"box": 1}, "Error: no such box")
    rows = [
        task_row(4, bad, said("Done."), passed=False, test_output=log, checks={"test_saves": False, "test_opens": True})
    ]
    rows += [task_row(task, called("open_box", {"box": 1}, "open"), said("Done."), passed=True) for task in range(3)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["failing_tasks"]
    (line,) = _lines(answer)
    assert line.endswith("“AssertionError: nothing was saved”; 'open_box' failed in its only call")


def test_without_a_key_the_checks_and_the_log_are_told(tmp_path: Path) -> None:
    def tried(task: int, log: str = "", **results: str) -> Json:
        verifier = {"test_results": results, "test_output": log}
        reward = float(set(results.values()) == {"passed"})
        return _bare(task, reward, verifier=verifier)

    good = {"test_opens": "passed", "test_saves": "passed"}
    log = "collected 2 items\nE   AssertionError: nothing was saved\n1 failed"
    rows = [tried(task, **good) for task in range(4)]
    rows += [tried(4, log, test_opens="passed", test_saves="failed")]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["failing_tasks"]
    assert _lines(answer) == [
        "4 | 1 of 1 attempt | fails test_saves (1 of 2 checks): “AssertionError: nothing was saved”"
    ]


def test_a_record_that_shows_nothing_is_not_known_and_alone_no_table(tmp_path: Path) -> None:
    rows = [_bare(0, 0.0), *(_bare(task, 1.0) for task in range(1, 4))]
    assert "failing_tasks" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation
    rows.append(_row(5, ("sell_book", {"book": "b5"})))
    answer = analysed(write(tmp_path / "two.jsonl", rows)).investigation["failing_tasks"]
    assert _lines(answer)[1] == "0 | 1 of 1 attempt | not known"


def test_attempts_that_show_several_things_are_counted(tmp_path: Path) -> None:
    rows = [_row(1, ("sell_book", {"book": "b1"}), attempt=attempt) for attempt in (0, 1)]
    rows += [_row(1, attempt=2), _right(1) | {"_ng_rollout_index": 3}, *map(_right, range(2, 6))]
    (line,) = _lines(analysed(write(tmp_path / "one.jsonl", rows)).investigation["failing_tasks"])
    assert line.startswith("1 | 3 of 4 attempts | 2 of 3 failures: calls 'sell_book' ")
    assert "; 1 of 3 failures: never makes the expected call of 'lend_book'" in line


def test_the_commonest_answer_of_a_task_stands_in_its_line_with_its_count(tmp_path: Path) -> None:
    answers = ("810", "810", "810", "600", "12")
    rows = [row(1, number, 0.0, expected_answer="1830", extracted_answer=text) for number, text in enumerate(answers)]
    rows += [row(2, number, 1.0, expected_answer="7", extracted_answer="7") for number in range(5)]
    (line,) = _lines(analysed(write(tmp_path / "run.jsonl", rows)).investigation["failing_tasks"])
    assert line == "1 | 5 of 5 attempts | such as 3 of 5: answers '810'; '1830' was expected"


def test_calls_that_differ_in_spaces_alone_are_told_as_one(tmp_path: Path) -> None:
    rows = [_row(1, ("sell_book", {"book": "b1", "card": "red"}), attempt=attempt) for attempt in range(3)]
    call = rows[0]["response"]["output"][0]
    call["arguments"] = call["arguments"].replace(":", " : ").replace(",", " , ")
    rows += [_right(task) for task in range(2, 6)]
    (line,) = _lines(analysed(write(tmp_path / "one.jsonl", rows)).investigation["failing_tasks"])
    assert "such as" not in line, line


def test_tasks_that_read_the_same_are_one_row(tmp_path: Path) -> None:
    def refused(task: int) -> Json:
        return row(task, reward=0.0, expected_answer=None, verifier={"error_message": "Wrong answer"})

    good = [row(task, expected_answer=None, verifier={"error_message": ""}) for task in range(4)]
    answer = analysed(write(tmp_path / "one.jsonl", good + [refused(task) for task in range(4, 12)]))
    assert _lines(answer.investigation["failing_tasks"]) == [
        "4, 5, 6, 7, 8, 9 and 2 more | 1 of 1 attempt | the verifier says “Wrong answer”"
    ]


def test_of_many_tasks_some_of_each_kind_stand_first(tmp_path: Path) -> None:
    one = [_right(task) for task in range(4)]
    one += [_row(task, ("lend_book", {"book": f"b{task}", "card": f"red {task}"})) for task in range(10, 60)]
    one += [_row(60, ("sell_book", {"book": "b60"}))]
    analysis = analysed(write(tmp_path / "one.jsonl", one))
    answer = analysis.investigation["failing_tasks"]
    first = _lines(answer)
    assert len(first) == failing_tasks.MOST_ALIKE + 1
    assert any(line.startswith("60 | ") for line in first)
    assert _tables(answer)[0].caption.startswith("5 of 51 failing tasks: some of each kind of evidence;")
    assert len(_lines(answer, 1)) == 46
    assert [table.pinned for table in _tables(answer)] == [True, False]


def test_a_sample_of_many_runs_is_left_to_the_full_report() -> None:
    runs = ["a", "b", "c"]
    entry: Json = {"tasks": ["1"], "outcome": "never", "kind": "x", "failures": 3, "judged": 3}
    entry |= {"runs": {run: [1, 1] for run in runs}, "ways": [{"words": "ends", "alike": True, "runs": {"a": 3}}]}
    sample = {"runs": runs, "failing": 2, "first": 1, "rows": [entry]}
    assert [table.pinned for table in _tables(sample)] == [False]
    assert [table.pinned for table in _tables(sample | {"failing": 1})] == [True]
    assert _lines(sample) == ["1 | all 3 runs | ends | none"]


def test_a_last_call_that_goes_with_failing_is_what_the_record_shows_where_it_shows_nothing_else() -> None:
    def ending(task: int, call: str, *, passed: bool) -> Case:
        return case(task, passed=passed, observed={"calls": [1, 3], "closing": ["run", call, ""]})

    cases = [ending(task, '{"action": "skip"}', passed=False) for task in range(12)]
    cases += [ending(task, f"look {task}", passed=task >= 20) for task in range(12, 40)]
    answer = failing_tasks.ask([run_of("one", cases)])
    assert answer is not None
    assert _lines(answer) == [
        (
            '0, 1, 2, 3, 4, 5 and 6 more | 1 of 1 attempt | ends with run {"action": "skip"}, as do 12 of 20 '
            "failures and 0 of 20 passes of its run"
        ),
        "12, 13, 14, 15, 16, 17 and 2 more | 1 of 1 attempt | not known",
    ]
    usual = [ending(task, "done", passed=task % 2 == 0) for task in range(40)]
    assert failing_tasks.ask([run_of("one", usual)]) is None
