"""Words that failures share: found without a list, with their counts in passes, in every run, and a quote."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, words

from blade.document import Block, Paragraph, Quote
from blade.questions import separating_texts

TASKS = 40
OPENINGS = ("Sure, let me see.", "One moment please, I will look.", "Thanks for asking that.", "Let us begin with it.")
MISSED = "Wrong result, have another go."
DENIAL = "Sorry, but I am unable to search the catalogue for you."


def rollout(task: int, *, passed: bool, denies: bool, user: str = "Is there a red one?") -> Json:
    said = [message(OPENINGS[task // 2 % 4]), message(user, role="user")]
    said.append(message(DENIAL if denies else f"The {task} is there, and it is {task % 3}."))
    return row(task, 0, float(passed), response=response(*said))


def run_of(path: Path, *, weak: bool) -> Path:
    passes = [task % 2 == 0 if weak else task // 2 % 2 == 0 for task in range(TASKS)]
    rows = [rollout(task, passed=ok, denies=weak and (not ok or task == 4)) for task, ok in enumerate(passes)]
    return write(path, rows)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Json, list[Block]]:
    folder = tmp_path_factory.mktemp("texts")
    found = analysed(run_of(folder / "weak.jsonl", weak=True), run_of(folder / "strong.jsonl", weak=False))
    answer = found.investigation["separating_texts"]
    return dict(answer), separating_texts.tell(answer)


def test_the_words_of_failures_are_one_finding_with_its_counts(told: tuple[Json, list[Block]]) -> None:
    (finding,) = told[0]["findings"]
    assert finding["actor"] == "model_phrases"
    assert finding["words"] in DENIAL
    assert [finding[key] for key in ("rollouts", "failures", "of_failures", "passes", "of_passes")] == [
        21,
        20,
        40,
        1,
        40,
    ]
    weak, strong = finding["runs"]
    assert (weak["rollouts"], weak["failures"], strong["rollouts"], strong["of_rollouts"]) == (21, 20, 0, 40)
    assert weak["failed_tasks"][:3] == ["1", "3", "5"]


def test_it_is_told_in_words_with_a_quote(told: tuple[Json, list[Block]]) -> None:
    (finding,) = told[0]["findings"]
    paragraph, quote, _ = told[1]
    assert isinstance(paragraph, Paragraph)
    assert isinstance(quote, Quote)
    words = " ".join(sentence.text for sentence in paragraph.sentences)
    start = f"The model says “{finding['words']}” in 21 of 80 judged rollouts: 20 of 40 failures, 1 of 40 passes"
    assert words.startswith(start)
    assert "weak 21 of 40 (20 of 20 failures, 1 of 20 passes; fails with it in 1, 3, 5" in words
    assert words.endswith("never in strong.")
    assert quote.text == DENIAL
    assert quote.source == "weak, task 1, attempt 0, item 2"


def test_what_a_user_says_is_not_the_models(tmp_path: Path) -> None:
    rows = [
        rollout(task, passed=ok, denies=False, user="Is there a red one?" if ok else DENIAL)
        for task in range(TASKS)
        for ok in [task % 2 == 0]
    ]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation
    assert "separating_texts" not in answer, "a phrase that is the verdict is no finding"
    rows[1] = rollout(1, passed=False, denies=False)
    rows[0] = rollout(0, passed=True, denies=False, user=DENIAL)
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation
    assert [one["actor"] for one in answer["separating_texts"]["findings"]] == ["user_phrases"]


def test_a_number_that_differs_from_row_to_row_is_not_printed_as_if_it_were_one(tmp_path: Path) -> None:
    def printed(task: int, *, passed: bool) -> Json:
        made = rollout(task, passed=passed, denies=False)
        output = f"stack {task}: collapsed" if not passed and task % 3 else f"all of {task} is fine"
        made["response"]["output"].insert(0, {"type": "function_call_output", "call_id": "c", "output": output})
        made["response"]["output"].insert(
            0, {"type": "function_call", "call_id": "c", "name": "build", "arguments": "{}"}
        )
        return made

    rows = [printed(task, passed=task % 2 == 0) for task in range(TASKS)]
    rows += [printed(TASKS + task, passed=True) | {"_ng_rollout_index": 0} for task in range(TASKS)]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["separating_texts"]
    (finding,) = [one for one in answer["findings"] if one["actor"] == "environment_phrases"]
    assert finding["words"] == "stack #: collapsed"
    assert "; # is any number; rollouts of one task" in separating_texts.tell(answer)[-1].sentences[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize(("length", "spoken_of"), [(1, True), (40, False)])
def test_what_passes_print_in_the_middle_of_long_outputs_is_in_them(
    tmp_path: Path, length: int, *, spoken_of: bool
) -> None:
    """Of long outputs the ends alone are kept; here the passes print more before and after the same words."""
    around = "\n".join(["one more thing"] * length)
    words_of_all = "the collapsed stack was left as it is"

    def printed(task: int, *, passed: bool) -> Json:
        made = rollout(task, passed=passed, denies=False)
        output = f"{around}\n{words_of_all}\n{around}" if passed and length > 1 else "" if passed else words_of_all
        answer = {"type": "function_call_output", "call_id": "c", "output": output or "all is fine"}
        call = {"type": "function_call", "call_id": "c", "name": "build", "arguments": "{}"}
        made["response"]["output"][:0] = [call, answer]
        return made

    rows = [printed(task, passed=task % 2 == 0) for task in range(TASKS)]
    rows += [printed(TASKS + task, passed=True) for task in range(TASKS // 4)]
    rows[1] = rollout(1, passed=False, denies=False)
    rows[3] = rollout(3, passed=False, denies=False)
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation.get("separating_texts", {"findings": []})
    told_words = [one["words"] for one in answer["findings"] if one["actor"] == "environment_phrases"]
    assert any(words_of_all.startswith(one) or one in words_of_all for one in told_words) is spoken_of


def test_rollouts_that_say_too_much_are_told_to_be_left_out(told: tuple[Json, list[Block]]) -> None:
    assert "Not counted" not in words(told[1])
    finding = told[0]["findings"][0] | {"rollouts_unread": 2}
    said = words(separating_texts.tell(told[0] | {"findings": [finding]}))
    assert "Not counted: 2 judged rollouts with so much text that only some phrases are kept." in said
    (head,) = separating_texts.brief({**told[0], "findings": [finding]})
    assert head.text.endswith("1 of 40 passes; 2 rollouts with very much text are not counted.")


def test_a_rollout_whose_phrases_are_not_all_kept_is_counted_as_unread(tmp_path: Path) -> None:
    rows = [rollout(task, passed=task % 2 == 0, denies=task % 2 == 1 or task in {4, 8, 12}) for task in range(TASKS)]
    letters = "abcdefghijklmnopqrstuvwxyz"
    lengthy = [message(" ".join(f"{x}{y}{z}" for x in letters for y in letters)) for z in letters[:9]]
    rows += [row(task, 0, 1.0, response=response(*lengthy)) for task in range(TASKS, TASKS + 6)]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["separating_texts"]
    (finding,) = answer["findings"]
    assert (finding["of_rollouts"], finding["rollouts_unread"], answer["judged"]) == (TASKS, 6, TASKS + 6)


def test_a_run_that_copies_another_is_not_counted_twice(tmp_path: Path) -> None:
    """Another question asks the copy, too, and was answered first."""
    best = write(tmp_path / "best.jsonl", [rollout(task, passed=task > 3, denies=False) for task in range(TASKS)])
    weak, again = (run_of(tmp_path / f"{name}.jsonl", weak=True) for name in ("weak", "weak-again"))
    answer = analysed(best, weak, again).investigation["separating_texts"]
    (finding,) = answer["findings"]
    assert (finding["of_rollouts"], finding["rollouts_unread"], answer["judged"]) == (2 * TASKS, 0, 2 * TASKS)


@pytest.mark.parametrize(("answered", "spoken_of"), [("after every miss", False), ("in failures alone", True)])
def test_what_every_miss_is_answered_with_sets_nothing_apart(tmp_path: Path, answered: str, spoken_of: bool) -> None:
    def tried(task: int, misses: int, *, passed: bool) -> Json:
        made = rollout(task, passed=passed, denies=False)
        says = (
            MISSED if answered == "after every miss" or (not passed and task > 5) or task == TASKS else "Nearly there."
        )
        answers = [says] * misses + ["All is well."] * passed
        for place, output in enumerate(answers):
            call = {"type": "function_call", "call_id": f"c{place}", "name": "build", "arguments": f'{{"n": {place}}}'}
            answer = {"type": "function_call_output", "call_id": f"c{place}", "output": output}
            made["response"]["output"][-1:-1] = [call, answer]
        return made

    rows = [tried(task, 4, passed=False) for task in range(TASKS)]
    rows += [tried(TASKS + task, int(task < 8), passed=True) for task in range(TASKS)]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation.get("separating_texts", {"findings": ()})
    assert any(one["words"] in MISSED for one in answer["findings"]) is spoken_of


def counted(task: int, attempt: int, *, sorts: bool, passed: bool) -> Json:
    code = f"jars{task} = load({task})\n" + ("print(jars.sort_by_shelf().count())" if sorts else "print(len(jars))")
    items = [*called("run", {"code": code}, f"{task * 3}"), message(f"Jar {'abcdefghij'[task]} it is.")]
    return row(task, attempt, float(passed), response=response(*items))


def of_calls(path: Path, *, matters: bool) -> str:
    rows = [
        counted(
            task,
            attempt,
            sorts=task < 4 and attempt < 3,
            passed=attempt < 3 if matters and task < 4 else attempt % 2 > 0,
        )
        for task in range(10)
        for attempt in range(6)
    ]
    answer = analysed(write(path, rows)).investigation.get("separating_texts")
    return words(separating_texts.tell(answer)) if answer else ""


def test_what_calls_of_passes_hold_is_told_beside_the_other_rollouts_of_their_tasks(tmp_path: Path) -> None:
    text = of_calls(tmp_path / "jars.jsonl", matters=True)
    assert text.startswith("Calls hold “"), text
    assert (
        "in 12 rollouts of 4 tasks (0, 1, 2 and 3), 12 of which pass; of the 12 others at these tasks 0 pass (exact "
    ) in text, text
    assert "phrases go with passes" not in text


def test_calls_that_failures_make_as_well_are_not_told(tmp_path: Path) -> None:
    assert of_calls(tmp_path / "jars.jsonl", matters=False) == ""
