"""System prompts that differ are told by the lines that differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import row, write

import blade
from blade.change.config_diff import ConfigDiff, ConfigField, line_about

BEFORE = "You work at a front desk.\nAsk before you book.\nAnswer in one line."
AFTER = "You work at a front desk.\nBook at once.\nAnswer in one line.\nNever ask for a name."


def rows(system: str) -> list[Any]:
    made = []
    for number in range(6):
        one: dict[str, Any] = row(number, reward=number % 2)
        one["responses_create_params"]["input"] = [
            {"role": "system", "content": system},
            {"role": "user", "content": f"task {number}"},
        ]
        made.append(one)
    return made


@pytest.fixture
def analysis(tmp_path: Path) -> blade.Analysis:
    paths = [write(tmp_path / name / f"{name}.jsonl", rows(text)) for name, text in (("old", BEFORE), ("new", AFTER))]
    return blade.analyze(*paths, options=blade.Options(cache=False))


def test_the_lines_that_differ_are_kept(analysis: blade.Analysis) -> None:
    (stamp,) = [item for item in analysis.changes[0].passport if item["field"] == "system prompt"]
    assert stamp["diff"] == {
        "removed": ["Ask before you book."],
        "added": ["Book at once.", "Never ask for a name."],
        "removed_lines": 1,
        "added_lines": 2,
        "removed_words": ["before"],
        "added_words": ["for", "name", "never", "once"],
    }


def test_the_report_quotes_them(analysis: blade.Analysis) -> None:
    text = blade.render(blade.report(analysis))
    assert (
        "System prompt: 2 lines stand only in the second: “Book at once.” and “Never ask for a name.”; 1 line only in "
        "the first: “Ask before you book.”." in text
    )


def test_equal_prompts_are_not_told(tmp_path: Path) -> None:
    paths = [write(tmp_path / name / f"{name}.jsonl", rows(BEFORE)) for name in ("old", "new")]
    made = blade.analyze(*paths, options=blade.Options(cache=False))
    assert "system prompt" not in {item["field"] for item in made.changes[0].passport}


def test_of_many_lines_those_are_quoted_that_say_something_new(tmp_path: Path) -> None:
    old = "\n".join(f"Rule {number}: always check step {number} of the plan twice." for number in range(9))
    new = "\n".join(f"Rule {number}: check step {number} of the plan always, and twice." for number in range(9))
    paths = [
        write(tmp_path / name / f"{name}.jsonl", rows(text))
        for name, text in (("old", old), ("new", f"{new}\nWhere data is missing, say so."))
    ]
    made = blade.analyze(*paths, options=blade.Options(cache=False))
    (stamp,) = [item for item in made.changes[0].passport if item["field"] == "system prompt"]
    assert (len(stamp["diff"]["added"]), stamp["diff"]["added_lines"]) == (6, 10)
    assert stamp["diff"]["added"][-1] == "Where data is missing, say so."


def dialogues(asked: str) -> list[Any]:
    """Two attempts at each task with one prompt, in which a program answers the model as the user."""
    made = []
    for number in range(6):
        for attempt in range(2):
            one: dict[str, Any] = row(number, attempt, reward=number % 2)
            one["responses_create_params"]["input"] = [{"role": "user", "content": f"{asked}\nCount to {number}."}]
            one["response"]["output"].append({"role": "user", "type": "message", "content": "Go on."})
            made.append(one)
    return made


def test_task_prompts_are_compared_though_somebody_answers(tmp_path: Path) -> None:
    asked = {"old": "Put it in \\boxed{}.", "new": "Put it in \boxed{}.\nSay None where data is missing."}
    paths = [write(tmp_path / name / f"{name}.jsonl", dialogues(text)) for name, text in asked.items()]
    made = blade.analyze(*paths, options=blade.Options(cache=False))
    (stamp,) = [item for item in made.changes[0].passport if item["field"] == "prompt"]
    assert stamp["candidate"] == "6 have another prompt"
    assert stamp["diff"]["removed"] == ["Put it in \\boxed{}."]
    assert stamp["diff"]["added"] == ["Put it in \\x08oxed{}.", "Say None where data is missing."]
    text = blade.render(blade.report(made))
    assert "Prompt: 2 lines stand only in the second: “Put it in \\\\x08oxed{}.” and “Say None where" in text


def test_a_part_of_the_tasks_that_only_one_prompt_names_is_told_with_its_line(tmp_path: Path) -> None:
    """The second prompt alone says what to answer where something is missing, and only such tasks change."""

    def asked(system: str, *, knows: bool) -> list[Any]:
        made = []
        for number in range(60):
            lacks = number % 4 == 0
            one: dict[str, Any] = row(
                number, reward=float(not lacks or knows), metadata={"kind": "lacking" if lacks else "plain"}
            )
            one["responses_create_params"]["input"] = [
                {"role": "system", "content": system},
                {"role": "user", "content": f"task {number}"},
            ]
            made.append(one)
        return made

    texts = {"old": "You count cups.", "new": "You count cups.\nIf data are lacking, say so."}
    paths = [write(tmp_path / f"{name}.jsonl", asked(text, knows=name == "new")) for name, text in texts.items()]
    analysis = blade.analyze(*paths, options=blade.Options(cache=False))
    (part,) = [item for item in analysis.changes[0].slices if item["where"] == ["metadata.kind=lacking"]]
    assert part["prompt"] == {"field": "system prompt", "side": "candidate", "line": "If data are lacking, say so."}
    sentence = (
        "Where metadata.kind is lacking (15 tasks) the score changes by +100.0 pp, elsewhere by 0.0 pp, and only the "
        "prompt of `new` speaks of that: “If data are lacking, say so.”."
    )
    assert sentence in blade.render(blade.report(analysis))


def test_a_prompt_that_names_no_part_of_the_tasks_explains_none(tmp_path: Path) -> None:
    diff = {"removed": [], "added": ["Be brief."], "removed_words": [], "added_words": ["brief"]}
    moved = ConfigDiff((ConfigField("system prompt", "a", "b", "treatment", diff),), separable=True, confounded_with=())
    assert line_about(moved, ["kind=lacking"]) is None
    assert line_about(moved, ["kind=brief"]) == {"field": "system prompt", "side": "candidate", "line": "Be brief."}


@pytest.mark.parametrize("labels", [("old_words", "new_words"), ("a", "b")])
def test_a_label_that_the_file_bears_too_is_no_second_cause(tmp_path: Path, labels: tuple[str, str]) -> None:
    """It calls the whole configuration by a name; another value that differs may be a setting."""
    paths = []
    for label, name, text in zip(labels, ("old", "new"), (BEFORE, AFTER), strict=True):
        file = tmp_path / name / f"gpt__{name}_words.jsonl"
        paths.append(f"{name}={write(file, [entry | {'metadata': {'config': label}} for entry in rows(text)])}")
    made = blade.analyze(*paths, options=blade.Options(cache=False))
    is_label = labels == ("old_words", "new_words")
    assert made.changes[0].confounded_with == (() if is_label else ("system prompt", "metadata.config"))


def test_words_of_the_task_that_change_too_are_a_second_cause(tmp_path: Path) -> None:
    paths = []
    for name, text, task in (("old", BEFORE, "Count."), ("new", AFTER, "Count aloud.")):
        made = rows(text)
        for entry in made:
            entry["responses_create_params"]["input"].append({"role": "user", "content": task})
        paths.append(write(tmp_path / name / f"{name}.jsonl", made))
    change = blade.analyze(*paths, options=blade.Options(cache=False)).changes[0]
    assert change.confounded_with == ("system prompt", "prompt")


def test_of_a_long_line_the_sentence_that_differs_is_told(tmp_path: Path) -> None:
    shared = "You read the log books of a harbour and answer in short. " * 5
    texts = {"old": shared + "Give four digits.", "new": shared + "Give two digits."}
    paths = [write(tmp_path / name / f"{name}.jsonl", rows(text)) for name, text in texts.items()]
    made = blade.analyze(*paths, options=blade.Options(cache=False))
    (stamp,) = [item for item in made.changes[0].passport if item["field"] == "system prompt"]
    assert (stamp["diff"]["removed"], stamp["diff"]["added"]) == (["Give four digits."], ["Give two digits."])


def test_the_tool_that_one_run_alone_offers_is_named_beside_what_else_moved(tmp_path: Path) -> None:
    paths = []
    for name, tools in (("old", ("look", "quote")), ("new", ("look",))):
        made = rows(BEFORE)
        for one in made:
            one["responses_create_params"]["tools"] = [{"type": "function", "name": tool} for tool in tools]
            one["response"]["model"] = f"model-{name}"
        paths.append(write(tmp_path / name / f"{name}.jsonl", made))
    text = blade.render(blade.report(blade.analyze(*paths, options=blade.Options(cache=False))))
    assert "model and tools (quote in old, not in new) changed together" in text
