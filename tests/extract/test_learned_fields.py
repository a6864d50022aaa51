"""Fields whose names say nothing: what passes and failures show of them is learned, and nothing that they do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.gym_rows import ABSENT, Json, analysed, given, message, read, response, row, write
from tests.questions.made_cases import words

from blade.engine.learning import with_learned_fields
from blade.extract.attempt import Attempt
from blade.extract.checks import CheckFields, checks_of, flags_of
from blade.extract.declared import NOTHING, Declared
from blade.extract.given_answer import given_answer
from blade.extract.learned_fields import NO_FIELDS, LearnedFields, is_untold, learn
from blade.extract.reference import ActionFields, reference_actions
from blade.questions import answers_and_keys

NAMES_OF_COLOURS = (
    "amber",
    "beige",
    "coral",
    "denim",
    "ebony",
    "flax",
    "grape",
    "hazel",
    "ivory",
    "jade",
    "khaki",
    "lime",
)


def answered(task: int, attempt: int, *, right: bool, **fields: Any) -> Json:
    colour = NAMES_OF_COLOURS[task]
    said = colour if right else NAMES_OF_COLOURS[(task + 1 + attempt) % len(NAMES_OF_COLOURS)]
    plain = {"expected_answer": ABSENT, "extracted_answer": ABSENT, "region": f"zone {task % 3}"}
    output = response(message(f"I looked at it twice. The colour is {said}."))
    return row(task, attempt, 1.0 if right else 0.0, response=output, **plain, **fields)


def runs_of(make: Any) -> list[Json]:
    """Twelve tasks with two attempts each, of which every second one passes."""
    return [make(task, attempt, right=(task + attempt) % 2 == 0) for task in range(12) for attempt in range(2)]


def with_sheet(task: int, attempt: int, *, right: bool) -> Json:
    said = NAMES_OF_COLOURS[task] if right else NAMES_OF_COLOURS[(task + 1 + attempt) % 12]
    return answered(task, attempt, right=right, on_sheet=NAMES_OF_COLOURS[task], heard=said)


def test_a_key_equals_the_answer_in_passes() -> None:
    assert learn(runs_of(with_sheet)) == LearnedFields("on_sheet", "heard")


def test_a_key_alone_is_stated_by_passes() -> None:
    rows = runs_of(lambda task, attempt, right: answered(task, attempt, right=right, on_sheet=NAMES_OF_COLOURS[task]))
    assert learn(rows) == LearnedFields("on_sheet")


def test_what_the_prompt_names_is_no_key() -> None:
    def asked(task: int, attempt: int, *, right: bool) -> Json:
        made = answered(task, attempt, right=right, on_sheet=NAMES_OF_COLOURS[task])
        made["responses_create_params"]["input"][0]["content"] = f"What of {NAMES_OF_COLOURS[task]}?"
        return made

    assert learn(runs_of(asked)) == NO_FIELDS


def test_a_field_that_failures_equal_as_often_is_no_key() -> None:
    rows = runs_of(lambda task, attempt, right: answered(task, attempt, right=right, one=f"v{task}", two=f"v{task}"))
    assert learn(rows) == NO_FIELDS


def test_a_field_with_a_telling_name_needs_no_learning() -> None:
    rows = [row(task, attempt, float(attempt)) for task in range(12) for attempt in range(2)]
    assert not is_untold(rows)
    assert learn(rows) == NO_FIELDS


def test_too_few_rows_show_nothing() -> None:
    assert learn(runs_of(with_sheet)[:10]) == NO_FIELDS


def call(name: str, **arguments: str) -> Json:
    import json  # noqa: PLC0415 - beside its only use

    return {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": name, "id": name}


def with_moves(task: int, attempt: int, *, right: bool) -> Json:
    wanted = [{"move": "paint", "how": {"wall": f"w{task}"}}]
    steps = [call("look", wall=f"w{task}"), *([call("paint", wall=f"w{task}")] if right else [])]
    done = [{"move": step["name"], "how": {"wall": f"w{task}"}} for step in steps]
    plain = {"expected_answer": ABSENT, "extracted_answer": ABSENT}
    output = response(*steps, message("Done."))
    return row(task, attempt, 1.0 if right else 0.0, response=output, wanted=wanted, done=done, **plain)


def test_expected_actions_name_tools_and_are_not_what_was_done() -> None:
    assert learn(runs_of(with_moves)) == LearnedFields(actions=ActionFields("wanted", "move", "how"))
    learned = ActionFields("wanted", "move", "how")
    assert reference_actions(with_moves(3, 0, right=True)) is None
    assert reference_actions(with_moves(3, 0, right=True), None, learned) == ("wanted", [("paint", {"wall": "w3"})])


def test_a_tool_that_passes_call_unasked_changes_nothing() -> None:
    def moved(task: int, attempt: int, *, right: bool) -> Json:
        tool = ("paint", "look")[task % 2]
        made = with_moves(task, attempt, right=True)
        made["wanted"] = [{"move": tool, "how": {"wall": f"w{task}"}}]
        steps = [call("look", wall="w"), *([call("paint", wall=f"w{task}")] if right and tool == "paint" else [])]
        made |= {"response": response(*steps, message("Done.")), "reward": float(right), "done": ABSENT}
        return {key: value for key, value in made.items() if value is not ABSENT}

    rows = [moved(task, attempt, right=attempt < 2) for task in range(24) for attempt in range(4)]
    assert learn(rows).changing == {"paint"}


def with_probes(task: int, attempt: int, *, right: bool) -> Json:
    probes = [{"probe": name, "light": "green"} for name in ("door", "roof", "cellar")]
    if not right:
        probes[task % 3]["light"] = "red" if attempt else "dark"
    return answered(task, attempt, right=right, inspection={"probes": probes})


def test_checks_have_one_state_in_passes() -> None:
    learned = CheckFields("inspection.probes", "probe", "light", "green")
    assert learn(runs_of(with_probes)) == LearnedFields(checks=learned)
    (checks,) = checks_of(with_probes(1, 0, right=False), learned)
    assert [(check.name, check.passed) for check in checks.checks] == [
        ("door", True),
        ("roof", False),
        ("cellar", True),
    ]
    assert checks.checks[1].field == "inspection.probes.1.light"


def test_states_that_passes_mix_are_no_verdicts() -> None:
    def mixed(task: int, attempt: int, *, right: bool) -> Json:
        probes = [{"probe": name, "light": ("green", "red")[(task + place) % 2]} for place, name in enumerate("abc")]
        return answered(task, attempt, right=right, probes=probes)

    assert learn(runs_of(mixed)) == NO_FIELDS


def test_one_check_alone_is_the_verdict() -> None:
    def alone(task: int, attempt: int, *, right: bool) -> Json:
        light = "green" if right else "red" if attempt else "dark"
        return answered(task, attempt, right=right, probes=[{"probe": f"door {task % 3}", "light": light}])

    assert learn(runs_of(alone)) == NO_FIELDS


def test_what_is_learned_is_part_of_the_key_of_the_cache() -> None:
    assert Declared(learned=LearnedFields("on_sheet")).key != NOTHING.key
    assert with_learned_fields([NOTHING], []) == [NOTHING]


@pytest.fixture(scope="module")
def unnamed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("unnamed") / "rollouts.jsonl", runs_of(with_sheet))


def test_the_report_says_what_was_learned_and_uses_it(unnamed: Path) -> None:
    analysis = analysed(unnamed)
    (run,) = analysis.runs
    assert run.provenance.learned == {"key": "on_sheet", "answer": "heard"}
    facts = read(unnamed)[0].facts
    assert facts["gold"].to_list()[:3] == ["amber", "amber", "beige"]
    assert facts["answer"].to_list()[:3] == ["amber", "coral", "coral"]
    assert [mode.name for mode in analysis.modes] == ["wrong answer"]


def test_one_run_alone_and_two_together_learn_the_same(unnamed: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other.jsonl", runs_of(with_sheet))
    learned = [run.provenance.learned for run in analysed(unnamed, other).runs]
    assert learned == [{"key": "on_sheet", "answer": "heard"}] * 2


def test_inputs_that_tell_the_key_leave_nothing_to_learn(tmp_path: Path) -> None:
    write(tmp_path / "run_rollouts.jsonl", runs_of(with_sheet))
    write(
        tmp_path / "run_materialized_inputs.jsonl", [given(task, attempt) for task in range(12) for attempt in range(2)]
    )
    (run,) = analysed(tmp_path).runs
    assert run.provenance.learned == {}


def with_table(task: int, attempt: int, *, right: bool) -> Json:
    cells = [["north", task], ["south", 3 * task + 1]]
    wrong = [["north", task + 1 + attempt], ["south", 3 * task]]
    return answered(task, attempt, right=right, desk_result=cells, candidate=cells if right else wrong)


def test_tables_are_keys_and_answers_too() -> None:
    """No message states them: the verifier works them out."""
    assert learn(runs_of(with_table)) == LearnedFields("desk_result", "candidate", is_result=True)


def with_changes(task: int, attempt: int, *, right: bool) -> Json:
    """What shall be changed and what was, under names that hold the ids of records."""
    day = task + 1 if right else task + 2 + attempt
    record = f"events[EV-{task}].day"
    grading = {"wanted_changes": {record: task + 1}, "found_changes": {record: day}, "weights": {"a": 1, "b": 2}}
    return answered(task, attempt, right=right, grading=grading)


def test_records_of_changes_are_keys_and_answers_too() -> None:
    assert learn(runs_of(with_changes)) == LearnedFields(
        "grading.wanted_changes", "grading.found_changes", is_result=True
    )


def test_changes_that_are_as_wanted_and_fail_are_judged_by_something_else_too(tmp_path: Path) -> None:
    """Nothing is called a fault of the verifier: what the model said may count as well."""
    rows = runs_of(with_changes)
    rows += [with_changes(task, 2, right=True) | {"reward": 0.0} for task in range(3)]
    analysis = analysed(f"one={write(tmp_path / 'one.jsonl', rows)}")
    answer = analysis.investigation["answers_and_keys"]
    assert words(answers_and_keys.tell(answer)).startswith(
        "3 failures in 3 tasks (0, 1 and 2) leave the records that the key wants and still fail: something else "
        "is judged, too, such as what is said or another check. Read what the verdict misses there. No score is "
        "changed for this. Without them: one 12 of 24 (50.0%)."
    )
    assert not any(mode.detector == "equal_but_zero" for mode in analysis.modes)


def test_what_only_most_tasks_have_is_learned_from_those(tmp_path: Path) -> None:
    rows = [row for row in runs_of(with_table) if row["_ng_task_index"] < 9]
    rows += [answered(task, attempt, right=attempt > 0, essay="long") for task in range(9, 12) for attempt in range(2)]
    assert learn(rows) == LearnedFields("desk_result", "candidate", is_result=True)


def test_exit_codes_and_one_value_of_nearly_all_tasks_are_no_key() -> None:
    def coded(task: int, attempt: int, *, right: bool) -> Json:
        codes = {"apply_rc": int(task == 3), "suite_rc": int(task == 3) if right else 7}
        ends = {"opening": int(task == 4), "ending": int(not right or task == 4)}
        return answered(task, attempt, right=right, **codes, **ends)

    assert not learn(runs_of(coded))


def test_a_table_of_one_cell_is_its_value(tmp_path: Path) -> None:
    def cell(task: int, attempt: int, *, right: bool) -> Json:
        value = 40 + task if right else 50 + 3 * task + attempt
        return answered(task, attempt, right=right, desk_result=[[40 + task]], candidate=[[value]])

    (run,) = read(write(tmp_path / "rollouts.jsonl", runs_of(cell)))
    assert set(run.facts.filter(run.facts["label"] == "3")["answer"]) == {"43", "59"}


def test_a_result_that_is_null_was_not_worked_out_and_not_left_unread(tmp_path: Path) -> None:
    rows = runs_of(with_table)
    rows[1]["candidate"] = None
    (run,) = read(write(tmp_path / "rollouts.jsonl", rows))
    assert run.facts["answer_state"].to_list().count("none") == 1
    assert "null" not in run.facts["answer_state"].to_list()


def test_a_stated_answer_that_is_null_was_left_unread(tmp_path: Path) -> None:
    rows = runs_of(with_sheet)
    rows[1]["heard"] = None
    (run,) = read(write(tmp_path / "rollouts.jsonl", rows))
    assert run.facts["answer_state"].to_list().count("null") == 1


def with_flags(task: int, attempt: int, *, right: bool) -> Json:
    flags = {"new": {"opens": right or attempt == 0, "sums": right}, "old": {"closes": True, "counts": None}}
    return answered(task, attempt, right=right, trial={"probes": flags})


def test_records_of_flags_are_checks(tmp_path: Path) -> None:
    learned = CheckFields("trial.probes", "", "", 1.0)
    assert learn(runs_of(with_flags)) == LearnedFields(checks=learned)
    (run,) = read(write(tmp_path / "rollouts.jsonl", runs_of(with_flags)))
    told = orjson.loads(run.facts.filter(run.facts["label"] == "3")["checks"].to_list()[0])
    assert told == {"new.opens": 1, "new.sums": 0, "old.closes": 1}


def test_a_record_with_anything_else_than_flags_is_none() -> None:
    assert flags_of({"a": True, "b": None, "c": {"d": False}}) == {"a": True, "c.d": False}
    assert flags_of({"a": True, "b": "yes"}) is None
    assert flags_of({"a": True, "b": {"c": {"d": True}}}) is None


def with_points(task: int, attempt: int, *, right: bool) -> Json:
    checks: list[Json] = [
        {"rule": rule, "path": f"{rule}/{task}", "points": 1, "remark": ""} for rule in ("opens", "sums", "form")
    ]
    if not right:
        checks[1 + attempt] |= {"points": 0.25 * attempt, "remark": f"B{task} differs"}
    return answered(task, attempt, right=right, inspection=checks)


def test_checks_with_points_pass_with_the_points_that_passes_have() -> None:
    learned = learn(runs_of(with_points)).checks
    assert learned == CheckFields("inspection", "rule", "points", 1)
    row_with_failure = with_points(3, 0, right=False)
    (checks,) = checks_of(row_with_failure, learned)
    assert [(check.name, check.passed) for check in checks.checks] == [("opens", True), ("sums", False), ("form", True)]


def test_of_several_checks_with_one_name_all_must_pass(tmp_path: Path) -> None:
    rows = runs_of(with_points)
    for one in rows:
        one["inspection"].append({"rule": "sums", "path": "again", "points": 1, "remark": ""})
    (run,) = read(write(tmp_path / "rollouts.jsonl", rows))
    failing = run.facts.filter((run.facts["reward"] == 0) & (run.facts["attempt"] == 0))
    assert {text for text in failing["checks"] if '"sums":0' in text} == set(failing["checks"])


def test_how_many_cases_there_are_is_no_key_of_how_many_pass() -> None:
    def counted(task: int, attempt: int, *, right: bool) -> Json:
        every = 10 + task
        return answered(task, attempt, right=right, cases_all=every, cases_ok=every if right else every - 1 - attempt)

    assert learn(runs_of(counted)).key == ""


def test_where_nearly_all_tools_of_the_key_are_called_only_when_expected_every_call_counts() -> None:
    def called_for(task: int, attempt: int, *, right: bool) -> Json:
        tool = f"find_{task % 9}" if task < 36 else "find_never"
        made = with_moves(task, attempt, right=True)
        made["wanted"] = [{"move": tool, "how": {"wall": f"w{task}"}}]
        steps = [call(tool, wall=f"w{task}")] if right else []
        made |= {"response": response(*steps, message("Done.")), "reward": float(right), "done": ABSENT}
        return {key: value for key, value in made.items() if value is not ABSENT}

    rows = [called_for(task, attempt, right=attempt < 2 and task < 36) for task in range(38) for attempt in range(4)]
    learned = learn(rows)
    assert learned.changing == {*(f"find_{place}" for place in range(9)), "find_never"}, "it judges look-ups, too"
    idle = Attempt(rows[2], Declared(learned=learned))
    assert idle.changes is not None
    assert list(idle.changes.expected.values()) == [("find_0", {"wall": "w0"})]
    assert Attempt(rows[2]).changes is None


def test_where_the_verifier_works_answers_out_no_message_is_one() -> None:
    learned = learn(runs_of(with_table))
    done = {"candidate": None, "response": response(message("Handed in. Tell me if not."))}
    nothing = Attempt({**with_table(1, 0, right=False), **done}, Declared(learned=learned))
    assert given_answer(nothing) == ("", "")
    empty = Attempt({**with_table(1, 0, right=False), **done, "candidate": []}, Declared(learned=learned))
    assert empty.answer is None, "a table without rows was read, and is no missing answer"


def test_where_no_index_names_the_tasks_rows_with_one_prompt_are_one_task() -> None:
    """How many parts are right differs by attempt and equals how many there are in passes: no key of the task."""

    def counted(task: int, attempt: int, *, right: bool) -> Json:
        made = answered(task, attempt, right=right, parts=2 + task % 3, parts_right=2 + task % 3 if right else 1)
        return {name: value for name, value in made.items() if not name.startswith("_ng_")}

    assert learn(runs_of(counted)) == NO_FIELDS


def test_what_was_handed_in_is_no_key_whatever_its_name() -> None:
    def handed_in(task: int, attempt: int, *, right: bool) -> Json:
        said = NAMES_OF_COLOURS[task] if right else NAMES_OF_COLOURS[(task + 1 + attempt) % 12]
        return answered(task, attempt, right=right, verifier_metadata={"answer": said})

    learned = learn(runs_of(handed_in))
    assert learned.no_keys == {"verifier_metadata.answer"}
    assert learned.key == ""
    assert "no key" in learned.by_role()
    made = handed_in(0, 1, right=False)
    assert Attempt(made).key is not None
    assert Attempt(made, declared=Declared(learned=learned)).key is None


def test_a_key_whose_letter_stands_for_another_option_in_each_attempt_stays_one() -> None:
    def lettered(task: int, attempt: int, *, right: bool) -> Json:
        letter = "ABCD"[(task + attempt) % 4]
        said = letter if right else "ABCD"[(task + attempt + 1) % 4]
        made = answered(task, attempt, right=right)
        return made | {"expected_answer": letter, "response": response(message(f"Answer: {said}"))}

    assert learn(runs_of(lettered)).no_keys == frozenset()
