"""Words of a prompt that one run alone has, found again in what its model says, with how such rollouts end."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import words
from tests.test_every_section import look_up

from blade.document import Quote
from blade.questions import prompt_echoes

TASKS = 16
OFFICE = "You answer for a parcel office.\nBe short and polite to every caller."
LINE = "Offer a paper voucher whenever a parcel is late."
SECOND = "Close each answer with the number of the counter."
ECHO = "I can offer a paper voucher to you for this."


def _row(task: int, system: str, text: str, *, passed: bool, attempt: int = 0) -> Json:
    turns = [("system", system), ("user", f"Where is parcel {task}?")]
    asked = {"input": [{"role": role, "type": "message", "content": content} for role, content in turns]}
    fields = {"expected_answer": ABSENT, "extracted_answer": ABSENT, "responses_create_params": asked}
    return row(task, attempt, float(passed), response=response(message(text)), **fields)


def _run(folder: Path, name: str, system: str, says: Collection[int], fails: Collection[int], echo: str = ECHO) -> Path:
    """A run that says the words at some tasks, and fails at some."""
    rows = [
        _row(task, system, echo if task in says else f"Parcel {task} is on its way.", passed=task not in fails)
        for task in range(TASKS)
    ]
    return write(folder / f"{name}.jsonl", rows)


def _told(*paths: Path) -> Json:
    return dict(analysed(*paths).investigation.get("prompt_echoes") or {})


def test_words_of_a_line_that_come_back_in_failures_are_told_with_the_outcome_elsewhere(tmp_path: Path) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(9))
    answer = _told(long, _run(tmp_path, "short", OFFICE, says=(), fails=(12,)))
    (entry,) = answer["lines"]
    assert (entry["run"], entry["line"], entry["words"]) == ("long", LINE, "a paper voucher")
    assert [entry[key] for key in ("rollouts", "passes", "without", "without_passes")] == [10, 1, 6, 6]
    assert entry["others"] == [{"run": "short", "rollouts": 10, "passes": 10, "echoes": 0}]
    first = (
        f"The model of long says words of a line of its prompt that short does not have, “{LINE}”, in 10 rollouts "
        "(“a paper voucher”): 1 of them passes. At the same tasks (0, 1, 2, 3, 4, 5, 6, 7, 8 and 9) short passes 10 of "
        "10 (p = 0.0039, by tasks)."
    )
    blocks = prompt_echoes.tell(answer)
    assert words(blocks) == f"{first} Of the other 6 judged rollouts of long, 6 pass."
    assert [head.text for head in prompt_echoes.brief(answer)] == [first]
    assert isinstance(blocks[1], Quote)
    assert (blocks[1].text, blocks[1].source) == (ECHO, "long, task 0, attempt 0, item 0")


def test_a_line_whose_words_end_in_failures_is_to_be_read_again(tmp_path: Path) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(10))
    answer = _told(long, _run(tmp_path, "short", OFFICE, says=(), fails=()))
    (step,) = prompt_echoes.advise(answer)
    assert (step.kind, step.rollouts) == ("prompt", 10)
    assert step.change == (
        f"Read the line “{LINE}” of the prompt of long against its other lines and the keys of these tasks, and say "
        "what it does not forbid"
    )
    assert step.because.text == "10 of the 10 rollouts that say its words fail."
    assert "in 10 rollouts (“a paper voucher”): none of them passes." in words(prompt_echoes.tell(answer))


def test_a_line_whose_words_end_in_passes_is_told_without_advice(tmp_path: Path) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=(15,))
    answer = _told(long, _run(tmp_path, "short", OFFICE, says=(), fails=range(10)))
    told = words(prompt_echoes.tell(answer))
    assert "in 10 rollouts (“a paper voucher”): 10 of them pass. At the same tasks (0, 1, 2, 3" in told
    assert "short passes 0 of 10 (p = 0.002, by tasks). Of the other 6 judged rollouts of long, 5 pass." in told
    assert list(prompt_echoes.advise(answer)) == []


def test_numbers_stand_where_their_proofs_say(tmp_path: Path) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(10))
    answer = _told(long, _run(tmp_path, "short", OFFICE, says=(), fails=()))
    sentences = [*prompt_echoes._sentences(0, answer["lines"][0])]
    facts = [fact for sentence in sentences for fact in sentence.facts]
    assert len(facts) == 4
    for fact in facts:
        assert look_up({"investigation": {"prompt_echoes": answer}}, fact.proof["args"]["path"]) == fact.value, fact


def test_a_line_that_both_prompts_have_gives_no_echo(tmp_path: Path) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(10))
    both = _run(tmp_path, "both", f"{OFFICE}\n{LINE}\n{SECOND}", says=(), fails=())
    assert _told(long, both) == {}


def test_runs_with_one_prompt_and_single_runs_are_not_asked(tmp_path: Path) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(10))
    assert _told(long) == {}
    assert _told(long, _run(tmp_path, "again", f"{OFFICE}\n{LINE}", says=(), fails=())) == {}


@pytest.mark.parametrize(
    ("echo", "found"),
    [
        ("We have a paper voucher.", True),
        ("We have A PAPER, voucher.", True),
        ("We have a voucher of paper.", False),
        ("Shall I offer a discount?", False),
        ("Be short and polite to every caller.", False),
    ],
)
def test_three_words_of_the_line_itself_must_come_back(tmp_path: Path, echo: str, *, found: bool) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(10), echo=echo)
    assert bool(_told(long, _run(tmp_path, "short", OFFICE, says=(), fails=()))) is found


@pytest.mark.parametrize(("elsewhere", "found"), [((0, 14), True), ((0, 1, 14), False)])
def test_words_that_the_other_run_often_says_too_are_no_echo(
    tmp_path: Path, elsewhere: tuple[int, ...], *, found: bool
) -> None:
    """Ten rollouts say them here: a quarter of that is seldom."""
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(10))
    answer = _told(long, _run(tmp_path, "short", OFFICE, says=elsewhere, fails=()))
    assert bool(answer) is found
    if found:
        assert "short passes 10 of 10 (and says them in 1) (p = 0.002, by tasks)." in words(prompt_echoes.tell(answer))


@pytest.mark.parametrize(
    ("says", "fails", "others_fail"),
    [
        pytest.param(range(10), range(5), (), id="too few failures to be sure"),
        pytest.param(range(10), range(10), range(10), id="the others fail there, too"),
        pytest.param(range(10), (), (), id="all pass"),
    ],
)
def test_what_chance_or_the_tasks_explain_is_not_told(
    tmp_path: Path, says: range, fails: Collection[int], others_fail: Collection[int]
) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=says, fails=fails)
    assert _told(long, _run(tmp_path, "short", OFFICE, says=(), fails=others_fail)) == {}


@pytest.mark.parametrize(("tasks", "found"), [(2, False), (3, True)])
def test_several_tasks_must_show_it(tmp_path: Path, tasks: int, *, found: bool) -> None:
    def rows(system: str, *, says: bool) -> list[Json]:
        return [
            _row(task, system, ECHO if says else f"Parcel {task} is on its way.", passed=not says, attempt=attempt)
            for task in range(tasks)
            for attempt in range(6)
        ] + [_row(task, system, f"Parcel {task} is on its way.", passed=True) for task in range(20, 24)]

    long = write(tmp_path / "long.jsonl", rows(f"{OFFICE}\n{LINE}", says=True))
    assert bool(_told(long, write(tmp_path / "short.jsonl", rows(OFFICE, says=False)))) is found


@pytest.mark.parametrize(("rollouts", "found"), [(4, False), (5, True)])
def test_several_rollouts_must_show_it(tmp_path: Path, rollouts: int, *, found: bool) -> None:
    """The other run tries each task six times and always passes: one failure each is beyond chance."""
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(rollouts), fails=range(rollouts))
    passes = [
        _row(task, OFFICE, f"Parcel {task} is on its way.", passed=True, attempt=attempt)
        for task in range(TASKS)
        for attempt in range(6)
    ]
    assert bool(_told(long, write(tmp_path / "short.jsonl", passes))) is found


def test_words_that_the_other_prompt_has_elsewhere_are_no_echo(tmp_path: Path) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(10), echo="We have a paper voucher.")
    other = f"{OFFICE}\nNobody at this office gives a paper voucher away."
    assert _told(long, _run(tmp_path, "short", other, says=(), fails=())) == {}


def test_of_a_prompt_without_line_breaks_each_sentence_is_a_line(tmp_path: Path) -> None:
    whole = " ".join(f"{OFFICE} Name the street of the house in full, and the floor.".split() * 2)
    long = _run(tmp_path, "long", f"{whole} {LINE} {SECOND}", says=range(10), fails=range(10))
    (entry,) = _told(long, _run(tmp_path, "short", f"{whole} {SECOND}", says=(), fails=()))["lines"]
    assert entry["line"] == LINE


def test_a_short_line_is_not_asked_about(tmp_path: Path) -> None:
    long = _run(
        tmp_path, "long", f"{OFFICE}\nOffer a voucher.", says=range(10), fails=range(10), echo="I offer a voucher"
    )
    assert _told(long, _run(tmp_path, "short", OFFICE, says=(), fails=())) == {}


def test_two_lines_are_told_each_with_its_words(tmp_path: Path) -> None:
    echoes = f"{ECHO} That was the number of the counter."
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}\n{SECOND}", says=range(12), fails=range(12), echo=echoes)
    answer = _told(long, _run(tmp_path, "short", OFFICE, says=(), fails=()))
    assert sorted(entry["line"] for entry in answer["lines"]) == [SECOND, LINE]
    assert {entry["line"]: entry["words"] in LINE for entry in answer["lines"]} == {LINE: True, SECOND: False}


def test_a_line_that_two_of_three_runs_have_is_not_told_as_that_of_one(tmp_path: Path) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(10))
    third = _run(tmp_path, "third", f"{OFFICE}\n{LINE}\n{SECOND}", says=(), fails=(15,))
    answer = _told(long, third, _run(tmp_path, "short", OFFICE, says=(), fails=()))
    assert [entry["run"] for entry in answer["lines"]] == ["long"]
    assert "only its prompt has" not in words(prompt_echoes.tell(answer))


def test_the_failures_of_the_advice_stand_where_their_proof_says(tmp_path: Path) -> None:
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(9))
    answer = _told(long, _run(tmp_path, "short", OFFICE, says=(), fails=()))
    (step,) = prompt_echoes.advise(answer)
    assert step.because.text == "9 of the 10 rollouts that say its words fail."
    for fact in step.because.facts:
        assert look_up({"investigation": {"prompt_echoes": answer}}, fact.proof["args"]["path"]) == fact.value


def test_a_run_that_fails_everywhere_has_no_echo(tmp_path: Path) -> None:
    """Its words end as everything else does there."""
    long = _run(tmp_path, "long", f"{OFFICE}\n{LINE}", says=range(10), fails=range(TASKS))
    assert _told(long, _run(tmp_path, "short", OFFICE, says=(), fails=())) == {}
