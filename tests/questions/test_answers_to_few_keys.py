"""Some tasks ask for yes or no, the others for anything: a run that gives one of the two whatever the key is."""

from __future__ import annotations

from typing import Any

from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case, RunCases
from blade.questions import answers_to_few_keys


def given(task: int, text: str, key: str) -> Case:
    right = text.rstrip(".").casefold() == key.casefold()
    kind = "choice" if key in {"Yes", "No"} else "text"
    seen: dict[str, Any] = {"source": "field", "text": text, "length": len(text), "kind": kind, "key": [key]}
    seen |= {"key_kind": kind, "meets": "text" if right else ""}
    return case(task, passed=right, observed={"answer": seen})


def run(name: str, said: dict[str, str], labels: tuple[str, str] = ("Yes", "No")) -> RunCases:
    """Tasks 0 to 4 are keyed with the first label, 5 to 8 with the second, and 20 others ask for a place."""
    cases = []
    for task in range(29):
        key = labels[0] if task < 5 else labels[1] if task < 9 else f"place {task}"
        cases += [given(task, said.get(f"{key} {attempt}", said.get(key, key)), key) for attempt in range(3)]
    return run_of(name, cases)


def test_an_answer_that_does_not_depend_on_the_key() -> None:
    answer = answers_to_few_keys.ask([run("a", {"No": "Yes.", "Yes": "yes", "No 2": "Yes"}), run("b", {})])
    assert answer is not None
    (entry,) = answer["answers"]
    assert [entry[name] for name in ("run", "given", "rollouts", "wrong", "elsewhere", "passes_elsewhere")] == [
        "a",
        27,
        27,
        12,
        12,
        0,
    ]
    assert words(answers_to_few_keys.tell(answer)) == (
        f"a answers 'Yes' in 27 of 27 rollouts of the 9 tasks whose key is Yes or No, and passes 0 of 12 keyed No (5, "
        f"6, 7 and 8) against 15 of 15 keyed Yes (p = {entry['p']:.2g}, by tasks). Its passes there follow from the "
        "key, and show little of what the model knows. b gives it in 15 of 27 and passes 12 of 12 keyed No."
    )
    (advice,) = answers_to_few_keys.advise(answer)
    assert advice.because.text == "It gives 'Yes' in 12 of 12 rollouts that expect another answer."


def test_two_runs_that_lean_alike_are_told_together() -> None:
    leaning = {"No": "Yes"}
    answer = answers_to_few_keys.ask([run("a", leaning), run("b", {**leaning, "No 1": "No"}), run("c", {})])
    assert answer is not None
    assert [entry["run"] for entry in answer["answers"]] == ["a", "b"]
    first, second = answers_to_few_keys.brief(answer)
    assert first.text.startswith("a answers 'Yes' in 27 of 27 rollouts")
    assert second.text == "So b in 23 of 27 (passes 4 of 12 keyed otherwise)."


def test_labels_of_any_kind() -> None:
    answer = answers_to_few_keys.ask(
        [run("a", {"north": "south"}, ("south", "north")), run("b", {}, ("south", "north"))]
    )
    assert answer is not None
    assert answer["answers"][0]["answer"] == "south"


def test_as_many_mistakes_on_either_side_are_no_leaning() -> None:
    said = {"No 0": "Yes", "No 1": "Yes", "Yes 0": "No", "Yes 1": "No"}
    assert answers_to_few_keys.ask([run("a", said), run("b", said)]) is None


def test_where_all_keys_are_of_the_set_other_questions_ask() -> None:
    cases = [given(task, "Yes", "Yes" if task < 6 else "No") for task in range(12)]
    assert answers_to_few_keys.ask([run_of("a", cases)]) is None


def test_one_wrong_task_is_no_leaning() -> None:
    cases = [given(task, "Yes", "Yes" if task < 5 else "No") for task in (0, 1, 2, 3, 4, 5, 5, 5)]
    cases += [given(task, "No", "No") for task in (6, 7, 8)] + [
        given(task, "x", f"place {task}") for task in range(9, 29)
    ]
    assert answers_to_few_keys.ask([run_of("a", cases), run("b", {})]) is None
