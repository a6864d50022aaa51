"""Failures that are right, keys that look wrong, and equal answers with two verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import analysed, request, row, write
from tests.questions.made_cases import case as made_case
from tests.questions.made_cases import run_of, words

from blade.diagnosis.cases import Case
from blade.questions import ONE_MATCHER, OTHER_KEYS, answers_and_keys


def case(
    task: int, answer: str, *, passed: bool, key: str = "", meets: str = "", run: str = "run-a", **seen: Any
) -> Case:
    known: dict[str, Any] = {"source": "field", "text": answer, "length": len(answer), "kind": "number", **seen}
    if key:
        known |= {"key": [key], "key_kind": seen.get("key_kind", "number"), "meets": meets}
    made = made_case(task, passed=passed, observed={"answer": known})
    made.run = run
    return made


def right(task: int, run: str = "run-a") -> Case:
    return case(task, "7", passed=True, key="7", meets="text", run=run)


def test_a_failure_that_equals_the_key_is_scored_again_and_the_ranking_told(tmp_path: Path) -> None:
    one = [row(task, reward=float(task > 3), extracted_answer=f"2*{task} = {2 * task}") for task in range(2, 6)]
    other = [row(task, reward=float(task != 5)) for task in range(2, 6)]
    paths = [write(tmp_path / name / "rollouts.jsonl", rows) for name, rows in (("a", one), ("b", other))]
    answer = analysed(*(path.parent for path in paths)).investigation["answers_and_keys"]
    assert (answer["to_key"]["rollouts"], answer["to_key"]["tasks"]) == (2, ["2", "3"])
    assert [(line["passes"], line["after"]) for line in answer["runs"]["lines"]] == [(2, 4), (3, 3)]
    told = words(answers_and_keys.tell(answer))
    assert (
        "2 failures in 2 tasks (2 and 3) give an answer that equals the key but are scored as wrong: a fault of "
        "the verifier, not of the model. 2 (attempt 0 of a): '2*2 = 4' against the key '4'; 3 (attempt 0 of a): "
        "'2*3 = 6' against the key '6'. Without them: a 2 of 2 (100.0%)."
    ) in told
    assert "a | 4 | 2 (50.0%) | 4 (100.0%) | +50.0" in told
    assert "The order of the runs changes: b > a becomes a > b." in told
    (head,) = answers_and_keys.brief(answer)
    assert head.text == (
        "2 failures equal the key or an answer that passes: counted as passes, a 50.0% → 100.0%, and the order of the "
        "runs changes."
    )


def _remarked(path: Path, remark: str, **fields: Any) -> dict[str, Any]:
    """Eight tasks whose answer has a unit and passes, and four whose answer has a remark and fails."""
    rows = [
        row(task, reward=float(task < 10), extracted_answer=f"{2 * task} jars{'' if task < 10 else remark}", **fields)
        for task in range(2, 14)
    ]
    return dict(analysed(write(path / "jars.jsonl", rows)).investigation.get("answers_and_keys", {}))


def test_a_remark_in_brackets_behind_the_right_number_is_no_other_answer(tmp_path: Path) -> None:
    answer = _remarked(tmp_path, " (of 30 on the shelf)")
    told = words(answers_and_keys.tell(answer))
    assert (
        "4 failures in 4 tasks (10, 11, 12 and 13) give an answer that equals the key but are scored as wrong: a fault "
        "of the verifier, not of the model. Another number beside the answer stands in 4 of them, where the key has "
        "none, and in none of 8 that give the key and pass. 10 (attempt 0 of jars): '20 jars (of 30 on the shelf)' "
        "against the key '20'"
    ) in told, told
    (head,) = answers_and_keys.brief(answer)
    assert head.text.endswith(
        "jars 66.7% → 100.0%. Another number beside the answer stands in 4 of them, where the key has none, and "
        "in none of 8 that give the key and pass."
    ), head.text


@pytest.mark.parametrize(
    ("remark", "prompt"),
    [
        (" (possibly 31 jars)", "How many jars?"),
        (" (17)", "How many jars?"),
        (" (of 30 on the shelf)", "How many jars? Answer with the number only."),
        (" (of 30 on the shelf)", "How many jars? Reply with the count and nothing else."),
    ],
    ids=["another answer", "a bare number", "the number only", "nothing else"],
)
def test_another_answer_in_brackets_or_a_prompt_for_the_bare_number_is_the_answers_fault(
    remark: str, prompt: str, tmp_path: Path
) -> None:
    assert "to_key" not in _remarked(tmp_path, remark, responses_create_params=request(prompt))


def test_equal_answers_with_two_verdicts_are_told_without_a_key() -> None:
    rows = [case(1, "[f(a='x')]", passed=True), case(1, '[f(a = "x")]', passed=False), case(2, "9", passed=False)]
    answer = answers_and_keys.ask([run_of("run-a", rows)])
    assert answer is not None
    assert answer["to_pass"]["rollouts"] == 1
    assert "1 failure in 1 task (1) gives an answer that passes in another attempt" in words(
        answers_and_keys.tell(answer)
    )


def test_one_failure_among_many_rows_does_not_come_before_the_scores() -> None:
    rows = [case(1, "loaf", passed=True), case(1, "loaf", passed=False)]
    others = [case(task, f"cake {task}", passed=True) for task in range(2, 150)]
    for made, before in (([*rows, *others], False), (rows, True), ([*rows, rows[1], rows[1], *others], True)):
        answer = answers_and_keys.ask([run_of("run-a", made)])
        assert answer is not None
        (advice,) = answers_and_keys.advise(answer)
        assert advice.before_scores is before


def test_a_unit_or_another_call_is_not_the_answer_of_a_pass() -> None:
    rows = [case(1, "12 cm", passed=True), case(1, "12", passed=False), case(2, "[f(a=True)]", passed=True)]
    assert answers_and_keys.ask([run_of("run-a", [*rows, case(2, "[f(a=true)]", passed=False)])]) is None


def test_a_key_that_nobody_gives_while_most_agree_is_suspect() -> None:
    def rows(run: str, answers: tuple[str, str]) -> list[Case]:
        return [right(9, run), *(case(3, text, passed=False, key="None", run=run) for text in answers)]

    answer = answers_and_keys.ask([run_of("run-a", rows("run-a", ("35", "35.0"))), run_of("b", rows("b", ("35", "8")))])
    assert answer is not None
    (found,) = answer["suspect_keys"]["shown"]
    assert (found["key"], found["answer"], found["rollouts"], found["of"]) == ("None", "35", 3, 4)
    told = words(answers_and_keys.tell(answer))
    assert "Task 3: the key says 'None'; 3 of 4 judged rollouts in 2 runs answer '35'." in told
    assert "Without it: run-a 1 of 1 and b 1 of 1." in told


def test_no_key_is_suspect_if_somebody_gives_it_or_few_agree() -> None:
    two = [case(3, "35", passed=False, key="8", run="run-a"), case(3, "35", passed=False, key="8", run="b")]
    assert answers_and_keys.ask([run_of("run-a", [right(9), *two])]) is None
    given = [*two, *two, case(3, "8", passed=True, key="8", meets="text")]
    assert answers_and_keys.ask([run_of("run-a", [right(9), *given])]) is None


def test_no_key_is_suspect_where_its_whole_class_is_missed() -> None:
    """Six tasks have the key 'None', and four of them are mostly answered with a number: a trap, not a wrong key."""

    def rows(missed: int) -> list[Case]:
        elsewhere = [right(task, run) for task in range(20, 40) for run in ("run-a", "b")]
        agreed = [case(3, "35", passed=False, key="None", run=run) for run in ("run-a", "b") for _ in range(2)]
        others = [
            case(task, f"{task}{number}", passed=False, key="None", run="b")
            if task - 10 < missed
            else case(task, "None", passed=True, key="None", meets="text")
            for task in range(10, 15)
            for number in range(3)
        ]
        return [*elsewhere, *agreed, *others]

    assert "suspect_keys" not in (answers_and_keys.ask([run_of("run-a", rows(3))]) or {})
    assert "suspect_keys" in (answers_and_keys.ask([run_of("run-a", rows(1))]) or {})


def test_the_answer_that_a_run_gives_to_everything_speaks_against_no_key() -> None:
    """Four attempts answer 'bad' where the key is 'good': a sign only of a run that answers otherwise elsewhere."""

    def rows(usual: str) -> list[Case]:
        elsewhere = [case(task, usual, passed=True, key=usual, meets="text", key_kind="text") for task in range(10, 14)]
        return [*elsewhere, *(case(3, "bad", passed=False, key="good", key_kind="text") for _ in range(4))]

    assert answers_and_keys.ask([run_of("run-a", rows("bad"))]) is None
    assert "suspect_keys" in (answers_and_keys.ask([run_of("run-a", rows("other"))]) or {})


def test_guesses_among_options_make_no_key_suspect() -> None:
    def runs(*, good: int) -> list[Any]:
        names = ("run-a", "b", "c")
        rest = {name: [right(task, name) for task in range(10, 10 + good)] for name in names}
        bad = {name: [case(task, "x", passed=False, run=name) for task in range(50, 60)] for name in names}
        known = {name: case(3, "B", passed=False, key="A", run=name, key_kind="choice", letter="B") for name in names}
        return [run_of(name, [*rest[name], *bad[name], known[name]]) for name in names]

    assert answers_and_keys.ask(runs(good=8)) is None
    assert "suspect_keys" in (answers_and_keys.ask(runs(good=60)) or {})


def test_passes_that_differ_from_the_key_where_passes_usually_give_it() -> None:
    usual = [right(task) for task in range(20, 32)]
    wrong = case(8, "2750", passed=True, key="2500")
    near = case(9, "3.1416", passed=True, key="3.14")
    within = case(10, "Her total was $2,500 in all.", passed=True, key="2500")
    answer = answers_and_keys.ask([run_of("run-a", [*usual, wrong, near, within])])
    assert answer is not None
    assert (answer["passes"]["rollouts"], answer["passes"]["passes"]) == (1, 15)
    assert (
        "1 pass in 1 task (8) gives an answer that differs from the key, of 15 that show both. 8 (attempt 0 of run-a): "
        "'2750' against the key '2500'. Without them: run-a 14 of 14 (100.0%)."
    ) in words(answers_and_keys.tell(answer))
    lenient = [case(task, f"other {task}", passed=True, key="7") for task in range(8)]
    assert answers_and_keys.ask([run_of("run-a", lenient)]) is None, "the verifier compares something else"


def test_that_there_is_no_answer_may_be_said_in_many_ways() -> None:
    usual = [right(task) for task in range(30)]
    said = [
        case(40 + place, text, passed=True, key="None", key_kind="none") for place, text in enumerate(("x - 21", "?"))
    ]
    assert answers_and_keys.ask([run_of("run-a", [*usual, *said])]) is None
    number = case(50, "84", passed=True, key="None", key_kind="none")
    answer = answers_and_keys.ask([run_of("run-a", [*usual, *said, number])])
    assert answer is not None
    assert (answer["passes"]["rollouts"], answer["passes"]["tasks"]) == (1, ["50"])


def test_a_key_that_varies_within_a_task() -> None:
    answer = answers_and_keys.ask([run_of("run-a", [right(1), case(1, "8", passed=True, key="8", meets="text")])])
    assert answer is not None
    assert "The key of 1 task differs between rows (1: '7' / '8'): their 2 rollouts were not judged" in words(
        answers_and_keys.tell(answer)
    )


def test_nothing_is_said_where_all_is_well() -> None:
    rows = [right(1), case(2, "8", passed=False, key="7"), case(3, "8", passed=False, key="9")]
    assert answers_and_keys.ask([run_of("run-a", rows)]) is None
    assert answers_and_keys.ask([run_of("run-a", [made_case(1, passed=True)])]) is None


def test_an_equal_answer_that_a_judge_denies_is_to_be_read_and_changes_no_score(tmp_path: Path) -> None:
    rows = [
        row(
            task, reward=float(task > 3), extracted_answer=str(2 * task), judge_output="Its proof has a gap. Verdict: B"
        )
        for task in range(2, 6)
    ]
    analysis = analysed(write(tmp_path / "rollouts.jsonl", rows))
    answer = analysis.investigation["answers_and_keys"]
    assert "to_key" not in answer
    assert answer["runs"] is None
    assert (answer["denied"]["rollouts"], answer["denied"]["tasks"]) == (2, ["2", "3"])
    told = words(answers_and_keys.tell(answer))
    assert (
        "2 failures in 2 tasks (2 and 3) give an answer that equals the key, and a judge denies them. It may have had "
        "other grounds than the answer: read its words before calling it wrong. No score is changed for this."
    ) in told
    assert "fault" not in told
    (head,) = answers_and_keys.brief(answer)
    assert head.text == (
        "A judge denies 2 answers that equal the key (first task 2): read its words before using these verdicts."
    )
    (mode,) = analysis.modes
    assert (mode.detector, mode.recoverable["exact"]) == ("denied_by_judge", False)


def test_passes_against_the_key_are_told_and_every_contradiction_asks_for_one_matcher() -> None:
    wrong = [case(task, "9", passed=True, key="7") for task in range(2)]
    denied = case(2, "7.0", passed=False, key="7", meets="number")
    answer = answers_and_keys.ask([run_of("run-a", [*wrong, denied, *(right(task) for task in range(3, 30))])])
    assert answer is not None
    first, *_ = answers_and_keys.brief(answer)
    assert first.text == (
        "2 passes of 2 tasks give an answer that differs from the key, of 29 that show both (e.g. task 0: '9', key "
        "'7')."
    )
    steps = list(answers_and_keys.advise(answer))
    assert {(step.change, step.before_scores) for step in steps} == {(ONE_MATCHER, True)}
    assert [step.because.text for step in steps] == [
        "1 failure gives an answer that equals the key (2).",
        "2 passes give an answer that differs from the key (0 and 1).",
    ]


def test_a_pass_of_hundreds_that_differs_puts_no_score_in_doubt() -> None:
    rows = [case(0, "9", passed=True, key="7"), *(right(task) for task in range(1, 130))]
    answer = answers_and_keys.ask([run_of("run-a", rows)])
    assert answer is not None
    assert answer["passes"]["rollouts"] == 1
    assert (list(answers_and_keys.brief(answer)), list(answers_and_keys.advise(answer))) == ([], [])


def test_a_key_that_nobody_gives_is_to_be_checked() -> None:
    rows = [case(1, "9", passed=False, key="7") for _ in range(5)] + [right(task) for task in range(2, 9)]
    answer = answers_and_keys.ask([run_of("run-a", rows)])
    assert answer is not None
    (step,) = answers_and_keys.advise(answer)
    assert (step.change, step.rollouts) == (OTHER_KEYS, 5)
    assert step.because.text == "In 1 task most rollouts agree, and none gives the key (1)."


SHELVES = ("the cellar", "the attic", "the shed", "the kitchen")


def lettered(task: int, attempt: int, *, chosen: str, right: str = "the attic", key: str = "") -> dict[str, Any]:
    """A question whose options stand in another order in each attempt."""
    options = [SHELVES[(place + attempt) % 4] for place in range(4)]
    text = f"Where are the jars of task {task}?\n" + "\n".join(
        f"({letter}) {option}" for letter, option in zip("ABCD", options, strict=True)
    )
    letter, key_letter = "ABCD"[options.index(chosen)], key or "ABCD"[options.index(right)]
    return row(
        task,
        attempt,
        float(letter == key_letter),
        responses_create_params={"input": [{"role": "user", "content": text}]},
        expected_answer=key_letter,
        extracted_answer=letter,
        response={"output": [{"type": "message", "role": "assistant", "content": f"Answer: {letter}"}]},
    )


def test_options_in_another_order_are_compared_by_their_words(tmp_path: Path) -> None:
    rows = [
        lettered(task, attempt, chosen="the attic" if attempt else SHELVES[(task % 2) * 2])
        for task in range(8)
        for attempt in range(4)
    ]
    answer = analysed(write(tmp_path / "jars.jsonl", rows)).investigation.get("answers_and_keys")
    assert answer is None, answer


def test_a_key_of_another_order_is_told_with_the_attempt_it_stands_in(tmp_path: Path) -> None:
    rows = [
        lettered(task, attempt, chosen="the attic", key="B" if attempt == 3 else "")
        for task in range(8)
        for attempt in range(4)
    ]
    answer = analysed(write(tmp_path / "jars.jsonl", rows)).investigation["answers_and_keys"]
    told = words(answers_and_keys.tell(answer))
    assert "8 failures in 8 tasks (0, 1, 2, 3, 4, 5, 6 and 7) give an answer that passes in another attempt" in told
    assert "0 (attempt 3 of jars): 'the attic' against the passing 'the attic'" in told
    assert "The key of 8 tasks differs between rows (0: 'the attic' / 'the cellar'; " in told
    assert (
        "the rarer key stands in attempt 3 of jars alone, 8 rollouts that were not judged like the others (0 of them "
        "pass)."
    ) in told, told


def test_another_whole_number_nearly_as_large_is_no_measure() -> None:
    rows = [right(task) for task in range(40)]
    rows += [case(task, f"{4000 + task}", passed=True, key=f"{4001 + task}") for task in range(40, 43)]
    rows += [case(task, "0.501", passed=True, key="0.5") for task in range(43, 46)]
    answer = answers_and_keys.ask([run_of("run-a", rows)])
    assert answer is not None
    assert "passes" not in answer
    told = words(answers_and_keys.tell(answer))
    assert (
        "3 passes in 3 tasks (40, 41 and 42) give another whole number than the key, nearly as large: a tolerance that "
        "suits measured values lets wrong counts pass. 40 (attempt 0 of run-a): '4040' against the key '4041'" in told
    ), told
    (head,) = answers_and_keys.brief(answer)
    assert head.text.startswith("3 passes of 3 tasks give another whole number than the key, nearly as large (e.g.")


@pytest.mark.parametrize(
    ("given", "key", "kind", "differs"),
    [
        ("365 kPa", "3.60 atm", "number", False),
        (r"2.54\ \text{seconds}", "2.54 s", "number", False),
        ("4 s", "2.54 s", "number", True),
        (r"y-4=10(x-2)", "y=10x-16", "text", False),
        ("81/16 times", "5.06", "number", False),
        ("18 jars", "8", "number", True),
        ("the plum jar", "quince", "text", True),
    ],
)
def test_what_may_say_the_same_is_no_pass_that_differs(given: str, key: str, kind: str, *, differs: bool) -> None:
    rows = [right(task) for task in range(20)]
    rows += [case(task, given, passed=True, key=key, key_kind=kind) for task in (20, 21)]
    answer = answers_and_keys.ask([run_of("run-a", rows)])
    assert (answer is not None and "passes" in answer) is differs


def test_what_refused_right_answers_share_and_accepted_ones_lack_is_named() -> None:
    rows = [case(task, f"[{task}, 9)", passed=True, key=f"[{task},9)", meets="value") for task in range(8)]
    right_marks = {task: (rf"\left[{task}, 9\right)", f"[{task},9)") for task in range(4)}
    written = [case(task, text, passed=False, key=key, meets="value") for task, (text, key) in right_marks.items()]
    answer = answers_and_keys.ask([run_of("run-a", rows + written)])
    assert (
        r"“\right” stands in 4 of them, where the key has none, and in none of 8 that give the key and pass."
        in words(answers_and_keys.tell(answer or {}))
    )
    mixed = [case(task, text, passed=True, key=key, meets="value") for task, (text, key) in right_marks.items()]
    answer = answers_and_keys.ask([run_of("run-a", rows + mixed + written)])
    assert "where the key has none" not in words(answers_and_keys.tell(answer or {}))


def test_an_option_that_stands_there_twice_is_right_under_either_letter(tmp_path: Path) -> None:
    def asked(task: int, given: str, *, passed: bool) -> dict[str, Any]:
        prompt = f"How many jars stand on shelf {task}?\nA: {task}\nB: {task + 1}\nC: {task + 2}\nD: {task + 1}"
        options = {"A": f"{task}", "B": f"{task + 1}", "C": f"{task + 2}", "D": f"{task + 1}"}
        return row(
            task,
            reward=float(passed),
            expected_answer="D",
            extracted_answer=given,
            options=options,
            responses_create_params=request(prompt),
        )

    rows = [asked(task, "D", passed=True) for task in range(20, 30)]
    rows += [asked(task, "B", passed=False) for task in range(30, 33)] + [asked(33, "A", passed=False)]
    answer = analysed(write(tmp_path / "jars.jsonl", rows)).investigation["answers_and_keys"]
    assert (answer["to_key"]["rollouts"], answer["to_key"]["tasks"]) == (3, ["30", "31", "32"])
    assert "30 (attempt 0 of jars): 'B: 31' against the key 'D: 31'" in words(answers_and_keys.tell(answer))
