"""Tasks that nobody passes: the same check, the same message, a test that breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.counting.audit.test_attempts import VOCABULARIES, acted, never_started
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.model import Analysis
from blade.questions import unsolved_tasks


def checked(task: int, attempt: int, checks: dict[str, str], log: str, **fields: Any) -> Json:
    passed = set(checks.values()) == {"passed"}
    verifier = {"test_results": checks, "log": log}
    return row(task, attempt, float(passed), verifier=verifier, extracted_answer=None, expected_answer=None, **fields)


def log_of(task: int, *lines: str) -> str:
    return "\n".join(["session starts", f"checking shelf {'abcdefgh'[task]}", *lines, "session ends"])


def rows(agent: str) -> list[Json]:
    """Task 0 passes; 1 fails one hidden check alone; 2 breaks in the test; 3 fails in many ways; one run solves 4."""
    found = []
    for attempt in range(2):
        fields = {"agent_ref": {"name": agent}}
        found += [
            checked(0, attempt, {"test_a": "passed", "test_b": "passed"}, log_of(0), **fields),
            checked(
                1,
                attempt,
                {"test_jars": "passed", "test_label": "failed"},
                log_of(1, f"E   AssertionError: label in attempt {attempt} is not written in green"),
                **fields,
            ),
            checked(2, attempt, {"suite": "failed"}, log_of(2, "E   KeyError: 'colour'"), **fields),
            checked(3, attempt, {f"test_{agent}_{attempt}": "failed", "test_x": "passed"}, log_of(3), **fields),
            checked(4, attempt, {"test_late": "passed" if agent == "one" else "failed"}, log_of(4), **fields),
        ]
    return found


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = tmp_path_factory.mktemp("unsolved")
    return analysed(*(f"{name}={write(folder / f'{name}.jsonl', rows(name))}" for name in ("one", "two")))


def test_tasks_are_counted_by_who_passes_them(analysis: Analysis) -> None:
    answer = analysis.investigation["unsolved_tasks"]
    assert (answer["tasks"], answer["all"], answer["none"]) == (5, 1, 3)
    assert answer["only"] == {"one": ["4"], "two": []}
    told = words(unsolved_tasks.tell(answer))
    assert (
        "Of 5 tasks, 3 are passed by no run (1, 2 and 3), 2 by at least one and 1 by both runs in the attempts that "
        "were judged." in told
    )
    assert "Passed by one run alone: one 1 (4)." in told


def test_a_task_that_a_run_was_not_judged_on_counts_for_the_runs_that_were(tmp_path: Path) -> None:
    found = {name: rows(name) for name in ("one", "two")}
    found["two"] = [line for line in found["two"] if line["_ng_task_index"] != 4]
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', lines)}" for name, lines in found.items()]
    answer = analysed(*paths).investigation["unsolved_tasks"]
    assert (answer["all"], answer["every"]) == (1, 2)
    assert "2 are passed by each run that was judged on them." in words(unsolved_tasks.tell(answer))


def test_runs_of_different_tasks_have_none_that_no_run_passes(tmp_path: Path) -> None:
    other = [one | {"responses_create_params": {"input": f"Another {one['_ng_task_index']}."}} for one in rows("two")]
    paths = write(tmp_path / "one.jsonl", rows("one")), write(tmp_path / "two.jsonl", other)
    answers = analysed(*paths)
    assert answers.changes[0].verdict == "not_comparable"
    assert "unsolved_tasks" not in answers.investigation


def test_a_check_that_alone_stops_every_run_is_told_with_the_words_of_the_verifier(analysis: Analysis) -> None:
    told = words(unsolved_tasks.tell(analysis.investigation["unsolved_tasks"]))
    assert "1: “test_label” fails in all 4 judged rollouts of 2 runs, and nothing else fails in 4 of them." in told
    assert "The verifier says “AssertionError: label in attempt … is not written in green” in 4 of 4" in told


def test_a_test_that_breaks_is_looked_at_before_any_run_is_blamed(analysis: Analysis) -> None:
    told = words(unsolved_tasks.tell(analysis.investigation["unsolved_tasks"]))
    assert (
        "2: “suite” fails in all 4 judged rollouts of 2 runs. The verifier says “KeyError: 'colour'” in 4 of 4" in told
    )
    assert "The test breaks with an error instead of an assertion: look at the test before blaming a run." in told


def test_a_task_that_fails_in_many_ways_is_not_suspected(analysis: Analysis) -> None:
    assert [one["task"] for one in analysis.investigation["unsolved_tasks"]["alike"]] == ["2", "1"]


def test_failures_of_a_task_at_fault_are_the_tasks(analysis: Analysis) -> None:
    labels = {(label.run, label.task): label for label in analysis.labels}
    for run in ("one", "two"):
        assert labels[run, "2"].labels == ("TI",)
        assert labels[run, "3"].labels != ("TI",)


def test_a_check_that_no_run_passes_is_the_tasks_only_where_it_says_the_same_of_all_work(tmp_path: Path) -> None:
    def cellar(agent: str) -> list[Json]:
        """Barrel 1 is refused in the same words always, barrel 2 with what was measured of it."""
        checks = {"test_lid": "passed", "test_hoop": "failed"}
        found = []
        for attempt in range(3):
            level = 10 + 7 * attempt + len(agent)
            fields = {"agent_ref": {"name": agent}}
            said = ("E   AssertionError: the hoop is not blue", f"E   AssertionError: only {level}.5% full, below 90%")
            found += [checked(task, attempt, checks, log_of(task, said[task - 1]), **fields) for task in (1, 2)]
            found.append(checked(0, attempt, {"test_lid": "passed"}, log_of(0), **fields))
        return found

    folder = {name: write(tmp_path / f"{name}.jsonl", cellar(name)) for name in ("one", "three")}
    found = analysed(*(f"{name}={path}" for name, path in folder.items()))
    suspects = {entry["task"]: entry["suspect"] for entry in found.investigation["unsolved_tasks"]["alike"]}
    assert suspects == {"1": "one_check", "2": "one_check"}, "a wrong test or a hard task, both times"
    for label in found.labels:
        assert (label.labels == ("TI",)) == (label.task == "1")
        if label.task == "1":
            assert "the same check alone fails in all judged rollouts of all runs" in label.why


def hidden(agent: str) -> list[Json]:
    """Task 0 passes; 1 wants a file that nobody names; 2 one that its text names; 3 stops at one check of three."""
    found = []
    for attempt in range(3):
        fields = {"agent_ref": {"name": agent}}
        missing = "E   AssertionError: File /shelf/{}.txt does not exist".format
        steps = {"test_open": "passed", "test_sort": "failed" if attempt else "passed", "test_port": "failed"}
        asks = {"metadata": {"instruction": "Write the list of all jars into list.txt, please."}}
        found += [
            checked(0, attempt, {"test_a": "passed"}, log_of(0), **fields),
            checked(1, attempt, {"test_file": "failed"}, log_of(1, missing("jars")), **fields),
            checked(2, attempt, {"test_file": "failed"}, log_of(2, missing("list")), **fields, **asks),
            checked(3, attempt, steps, log_of(3, "E   AssertionError: nothing listens"), **fields),
        ]
    return found


def test_a_file_that_the_task_never_names_and_a_check_that_stops_all_while_others_pass(tmp_path: Path) -> None:
    runs = [f"{name}={write(tmp_path / f'{name}.jsonl', hidden(name))}" for name in ("one", "two")]
    analysis = analysed(*runs)
    answer = analysis.investigation["unsolved_tasks"]
    assert {one["task"]: one["suspect"] for one in answer["alike"]} == {"1": "unnamed_file", "3": "same_check", "2": ""}
    told = words(unsolved_tasks.tell(answer))
    assert "The text of the task never names /shelf/jars.txt." in told
    assert "3: “test_port” fails in all 6 judged rollouts of 2 runs, while 6 of them pass other checks." in told
    labels = {label.task: label for label in analysis.labels}
    assert labels["1"].labels == labels["3"].labels == ("TI",)
    assert labels["1"].rule == "task_fault"
    assert labels["1"].why.startswith("the verifier demands a file that the task never names")
    assert labels["2"].labels != ("TI",)


def test_every_quote_stands_in_the_row(analysis: Analysis) -> None:
    for one in analysis.investigation["unsolved_tasks"]["alike"]:
        for line in one["lines"]:
            proof = line["evidence"]
            with open(proof["file"], "rb") as stream:  # noqa: PTH123
                stream.seek(proof["offset"])
                assert proof["quote"].encode() in stream.read(proof["length"])


def test_what_a_check_prints_beside_its_error_is_not_taken_for_the_error(tmp_path: Path) -> None:
    """The message of the check goes on with a file of settings that names its own log of errors."""

    def printed(agent: str) -> list[Json]:
        message = (
            "E   AssertionError: the jar has no lid",
            "E     error_log /var/log/jars/error.log;",
            "E     lids 0;",
        )
        checks = {"test_jar": "passed", "test_lid": "failed"}
        fields = {"agent_ref": {"name": agent}}
        failed = [checked(1, attempt, checks, log_of(1, *message), **fields) for attempt in range(3)]
        return [checked(0, 0, {"test_a": "passed"}, log_of(0), **fields), *failed]

    runs = [f"{name}={write(tmp_path / f'{name}.jsonl', printed(name))}" for name in ("one", "two")]
    (one,) = analysed(*runs).investigation["unsolved_tasks"]["alike"]
    assert [line["line"] for line in one["lines"]] == ["AssertionError: the jar has no lid"]
    assert not one["unnamed"], "nobody demands the log of errors"


def test_a_line_of_the_tests_code_is_no_word_of_the_verifier(tmp_path: Path) -> None:
    log = log_of(
        1,
        "=== FAILURES ===",
        "___ test_lid ___",
        "    def test_lid():",
        "        assert jar.exists(), (",
        '>       assert lid == "red", "the lid has another colour"',
        "E       AssertionError: the lid has another colour",
    )

    def failed(agent: str) -> list[Json]:
        fields = {"agent_ref": {"name": agent}}
        lost = [checked(1, attempt, {"test_lid": "failed"}, log, **fields) for attempt in range(3)]
        return [checked(0, 0, {"test_a": "passed"}, log_of(0), **fields), *lost]

    runs = [f"{name}={write(tmp_path / f'{name}.jsonl', failed(name))}" for name in ("one", "two")]
    (one,) = analysed(*runs).investigation["unsolved_tasks"]["alike"]
    assert [line["line"] for line in one["lines"]] == [
        "AssertionError: the lid has another colour",
        'assert lid == "red", "the lid has another colour"',
    ]


@pytest.mark.parametrize("shown_by", ["", "log", "check"])
def test_an_error_at_collection_is_the_tests_unless_a_check_was_seen_to_run(tmp_path: Path, shown_by: str) -> None:
    broken = log_of(1, "collected 0 items / 1 error", "E   IndexError: no such shelf")
    ran = log_of(1, "collected 0 items / 1 error", "E   IndexError: no such shelf", "E   AssertionError: no lid")

    def failed(agent: str) -> list[Json]:
        fields = {"agent_ref": {"name": agent}}
        logs = [broken, broken, ran if shown_by == "log" else broken]
        name = "suite - AssertionError: no lid" if shown_by == "check" else "suite"
        lost = [checked(1, attempt, {name: "failed"}, log, **fields) for attempt, log in enumerate(logs)]
        return [checked(0, 0, {"test_a": "passed"}, log_of(0), **fields), *lost]

    runs = [f"{name}={write(tmp_path / f'{name}.jsonl', failed(name))}" for name in ("one", "two")]
    told = words(unsolved_tasks.tell(analysed(*runs).investigation["unsolved_tasks"]))
    said = "An error at collection ends the test in 6 of 6 logs read: look at the test before blaming a run."
    assert (said in told) is (not shown_by)
    assert "before any check runs" not in told


@pytest.mark.parametrize(
    ("message", "unnamed"),
    [("File /srv/list.txt does not exist", ["/srv/list.txt"]), ("File /srv/list.txt is not in the right state", [])],
)
def test_only_a_file_that_is_missed_ought_to_be_named_by_the_task(
    message: str, unnamed: list[str], tmp_path: Path
) -> None:
    log = log_of(1, f"E   AssertionError: {message}")
    found = {
        name: [checked(1, attempt, {"test_list": "failed", "test_b": "passed"}, log) for attempt in range(2)]
        + [checked(0, 0, {"test_a": "passed"}, log_of(0))]
        for name in ("one", "two")
    }
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', lines)}" for name, lines in found.items()]
    (task,) = analysed(*paths).investigation["unsolved_tasks"]["alike"]
    assert task["unnamed"] == unnamed


def test_what_the_failing_check_says_is_quoted_before_chatter_that_all_logs_share(tmp_path: Path) -> None:
    def log(number: int) -> str:
        said = "should read the ledger" if number else "should use the index"
        return log_of(1, "shelf.sh: [: integer expression expected", f"FAILED t::test_list - AssertionError: It {said}")

    checks = {"test_list": "failed", "test_b": "passed"}
    found = {
        name: [checked(1, attempt, checks, log(attempt)) for attempt in range(3)]
        + [checked(0, 0, {"test_a": "passed"}, log_of(0))]
        for name in ("one", "two")
    }
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', lines)}" for name, lines in found.items()]
    (task,) = analysed(*paths).investigation["unsolved_tasks"]["alike"]
    assert [(line["line"], line["rows"], line["of"]) for line in task["lines"]] == [
        ("FAILED t::test_list - AssertionError: It should read the ledger", 4, 6)
    ]


def test_a_test_that_breaks_is_told_by_the_name_of_its_check_where_no_log_is_kept(tmp_path: Path) -> None:
    broken = {"shelf.py - TypeError: bad operand type for unary +: 'str'": "failed"}
    found = {
        name: [checked(1, attempt, broken, "") for attempt in range(2)] + [checked(0, 0, {"test_a": "passed"}, "")]
        for name in ("one", "two")
    }
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', lines)}" for name, lines in found.items()]
    (task,) = analysed(*paths).investigation["unsolved_tasks"]["alike"]
    assert task["suspect"] == "test_breaks"


def once(agent: str) -> list[Json]:
    """One attempt at each task: 0 passes, 1 leaves the same file behind in both runs, 2 misses a mark by some way."""
    fields = {"agent_ref": {"name": agent}}
    left = "E   AssertionError: expected only main.rs, found main.rs and a.out"
    mark = f"E   AssertionError: the roof is {12 + len(agent)} feet high, and 40 are wanted"
    return [
        checked(0, 0, {"test_a": "passed", "test_b": "passed"}, log_of(0), **fields),
        checked(1, 0, {"test_files": "failed", "test_b": "passed"}, log_of(1, left), **fields),
        checked(2, 0, {"test_roof": "failed"}, log_of(2, mark), **fields),
    ]


def test_two_runs_with_one_attempt_each_show_what_they_share_and_suspect_nothing(tmp_path: Path) -> None:
    runs = [f"{name}={write(tmp_path / f'{name}.jsonl', once(name))}" for name in ("one", "three")]
    analysis = analysed(*runs)
    answer = analysis.investigation["unsolved_tasks"]
    assert [(entry["task"], entry["suspect"]) for entry in answer["alike"]] == [("1", ""), ("2", "")]
    told = words(unsolved_tasks.tell(answer))
    assert "1 | 2 | test_files | AssertionError: expected only main.rs, found main.rs and a.out (in 2 of 2)" in told
    assert "2 | 2 | test_roof | AssertionError: the roof is … feet high, and 40 are wanted (in 2 of 2)" in told
    assert "every judged attempt passes" not in told  # one attempt at a task tells nothing of its others
    assert {label.labels for label in analysis.labels if label.task == "1"} != {("TI",)}


def test_of_an_assertion_in_two_halves_the_one_that_fails_is_quoted(tmp_path: Path) -> None:
    cut = "E   AssertionError: assert ('1597 bees' == '1597 bees'\nE     \nE         1597 bees and '' == '1597 bees'\nE"

    def halves(agent: str) -> list[Json]:
        fields = {"agent_ref": {"name": agent}}
        return [
            checked(0, 0, {"test_a": "passed", "test_b": "passed"}, log_of(0), **fields),
            *(checked(1, at, {"test_hives": "failed", "test_b": "passed"}, log_of(1, cut), **fields) for at in (0, 1)),
        ]

    runs = [f"{name}={write(tmp_path / f'{name}.jsonl', halves(name))}" for name in ("one", "three")]
    (entry,) = analysed(*runs).investigation["unsolved_tasks"]["alike"]
    assert [line["line"] for line in entry["lines"]] == ["'' == '1597 bees'"]
    quote = entry["lines"][0]["evidence"]
    assert log_of(1, cut)[quote["start"] : quote["end"]] == quote["quote"] == "'' == '1597 bees'"


def test_tasks_that_everybody_always_passes_are_counted(analysis: Analysis) -> None:
    told = words(unsolved_tasks.tell(analysis.investigation["unsolved_tasks"]))
    assert "In 1 task that was judged in both runs every judged attempt passes: it tells no run from another." in told


def test_a_test_that_breaks_without_any_agent_is_nobodys_doing(tmp_path: Path) -> None:
    broken = {"shelf.py - TypeError: bad operand type for unary +: 'str'": "failed"}
    found = {
        name: [checked(1, attempt, broken, "") for attempt in range(2)] + [checked(0, 0, {"test_a": "passed"}, "")]
        for name in ("one", "two")
    }
    lines = VOCABULARIES["shell"]
    found["three"] = [acted(task, attempt, float(task % 2)) for task in range(10, 16) for attempt in range(2)]
    found["three"] += [never_started(task, attempt, lines) for task in range(1, 5) for attempt in range(2)]
    for one in found["three"][-8:-6]:
        one["verifier"] = {"results": broken}
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', lines)}" for name, lines in found.items()]
    answer = analysed(*paths).investigation["unsolved_tasks"]
    (task,) = [entry for entry in answer["alike"] if entry["task"] == "1"]
    assert (task["judged"], task["without_agent"]) == (4, 2)
    assert "It fails the same way in 2 rows more in which no agent ran" in words(unsolved_tasks.tell(answer))


def test_a_proven_defect_is_kept_apart_from_a_check_that_stops_every_run(tmp_path: Path) -> None:
    """Task 2 breaks in the test itself; task 1 fails one check alone, which a hard task does, too."""
    found = {name: [*rows(name), *(line | {"_ng_rollout_index": 5} for line in rows(name)[:5])] for name in ("a", "b")}
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', lines)}" for name, lines in found.items()]
    answer = analysed(*paths).investigation["unsolved_tasks"]
    suspects = {entry["task"]: entry["suspect"] for entry in answer["alike"] if entry["suspect"]}
    assert suspects == {"2": "test_breaks", "1": "one_check"}
    broken, alike = unsolved_tasks.advise(answer)
    assert broken.change.startswith("Repair the test of 2, or state in the task")
    assert broken.because.text == "The test itself breaks, or demands what the task never names, in 6 rollouts."
    assert alike.change.startswith("Compare the test of 1 with the task's text; repair it where it asks for more")
    assert alike.because.text.endswith("the same check stops 6 rollouts: the test may be wrong, or the task hard.")
    (sentence,) = unsolved_tasks.brief(answer)
    assert "in 1 of them the test itself breaks or demands what the task never names (2)" in sentence.text


def test_what_the_task_tells_its_user_is_no_word_of_the_verifier(tmp_path: Path) -> None:
    told = "You want the blue jar.\nIf the keeper says that it cannot be found, ask for the green one."

    def made(agent: str) -> list[Json]:
        fields = {"agent_ref": {"name": agent}, "metadata": {"user_instruction": told}}
        return [checked(0, attempt, {"jar": "failed"}, "over", **fields) for attempt in range(2)]

    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', made(name))}" for name in ("one", "two")]
    (entry,) = analysed(*paths).investigation["unsolved_tasks"]["alike"]
    assert (entry["checks"], entry["lines"]) == (["jar"], [])


def test_the_tests_that_came_with_a_task_are_not_what_its_verifier_says(tmp_path: Path) -> None:
    def of(task: int, agent: str, *, passed: bool) -> Json:
        what = ("jars", "lids", "labels", "boxes", "shelves", "crates", "corks", "bags")[task]
        tests = [{"about": what, "code": f"stock = count_{what}()\nassert stock.{what} > 0, 'expected {what} there'"}]
        said = "" if passed else f"check by {agent}\nKeyError: 'key of {agent}'"
        fields: Json = {"verifier": {"explanation": said}, "metadata": {"tests": tests}, "agent_ref": {"name": agent}}
        return row(task, reward=float(passed), extracted_answer=None, expected_answer=None, **fields)

    paths = [
        f"{agent}={write(tmp_path / f'{agent}.jsonl', [of(task, agent, passed=task > 2) for task in range(8)])}"
        for agent in ("one", "two", "three")
    ]
    answer = analysed(*paths).investigation["unsolved_tasks"]
    assert answer["none"] == 3
    assert "assert stock" not in words(unsolved_tasks.tell(answer))


@pytest.mark.parametrize("gathered", [True, False])
def test_many_tasks_that_nobody_passes_are_told_by_name_and_by_the_part_they_lie_in(
    tmp_path: Path, gathered: bool
) -> None:
    """14 of 40: all of them in one of two topics, or half in each."""
    failed = set(range(14)) if gathered else {*range(7), *range(20, 27)}

    def lines(agent: str) -> list[Json]:
        fields = [{"metadata": {"topic": "law" if task < 20 else "maths"}} for task in range(40)]
        passes = [float(task not in failed) for task in range(40)]
        return [row(task, 0, passes[task], agent_ref={"name": agent}, **fields[task]) for task in range(40)]

    answer = analysed(*(f"{name}={write(tmp_path / f'{name}.jsonl', lines(name))}" for name in ("one", "two")))
    told = words(unsolved_tasks.tell(answer.investigation["unsolved_tasks"]))
    if gathered:
        assert "14 are passed by no run (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more), 26 by at least one" in told
        assert "Those that no run passes, by metadata.topic: law 14 of 20 and maths 0 of 20." in told
    else:
        assert "Those that no run passes, by" not in told


def test_where_no_check_is_named_tasks_that_all_finish_are_told_from_those_that_break_off(tmp_path: Path) -> None:
    full = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}

    def made(name: str) -> list[Json]:
        lines = []
        for task in range(6):
            for attempt in range(5):
                cut = full if task == 1 or (task == 2 and attempt == 0) else {}
                answer = response(message(f"Said {name} {task} {attempt}."), **cut)
                passed = float(task > 2)
                lines.append(row(task, attempt, passed, response=answer, expected_answer=None, extracted_answer=None))
        return lines

    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', made(name))}" for name in ("one", "two")]
    answer = analysed(*paths).investigation["unsolved_tasks"]
    assert answer["ends"] == {"finished": ["0"], "broken": ["1"]}
    assert (
        "In 1 of those that no run passes (0) at least 90% of the rollouts end by themselves, short of any limit and "
        "without an error: check the verifier and the data of these first. In 1 (1) half or more break off."
        in words(unsolved_tasks.tell(answer))
    )


def test_a_task_whose_attempts_nearly_all_ran_out_of_time_is_no_suspect(tmp_path: Path) -> None:
    """Task 1 fails one check alone, as before; unfinished work says nothing of the test."""
    found = {name: rows(name) for name in ("one", "two")}
    for line in (line for lines in found.values() for line in lines):
        if line["_ng_task_index"] == 1:
            line["verifier"]["failure_mode"] = "agent_timeout"
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', lines)}" for name, lines in found.items()]
    answer = analysed(*paths).investigation["unsolved_tasks"]
    suspects = {entry["task"]: entry["suspect"] for entry in answer["alike"]}
    assert suspects["1"] == ""
    assert suspects["2"] == "test_breaks"
    assert "Compare the test of" not in " ".join(item.change for item in unsolved_tasks.advise(answer))


def test_a_test_that_compares_values_may_be_right_though_every_run_gets_the_same() -> None:
    def alike(*lines: str) -> dict[str, Any]:
        shown = [{"line": line, "word_for_word": True} for line in lines]
        return {"alike": [{"task": "jars", "suspect": "one_check", "lines": shown}]}

    assert list(unsolved_tasks.faults(alike("AssertionError: jars.txt was not found"))) == ["jars"]
    assert unsolved_tasks.faults(alike('assert count("plums") == 7')) == {}
    assert unsolved_tasks.faults(alike('assert count("plums") == 7', "AssertionError: plums")) == {}
