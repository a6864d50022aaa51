"""What is kept of a final message: its length, its first and last line, its marks, tags of reasoning."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import Json, message, request, response, row
from tests.questions.made_cases import called

from blade.extract.attempt import Attempt
from blade.extract.final_message import final_message

THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "A poem about rain."}]}


def kept(text: str, prompt: str = "Write about rain.") -> Json:
    made = row(1, response=response(message(text)), responses_create_params=request(prompt))
    final: Json = final_message(Attempt(made))["final"]
    return final


def test_words_first_and_last_line_and_marks_are_kept() -> None:
    assert kept("Sure! Here it is:\n\n***\n{rain}\n  \nLet me   know. ") == {
        "words": 9,
        "lines": ["Sure! Here it is:", "Let me know."],
        "marks": ["***", "{", "a blank line"],
    }


def test_a_message_of_one_line_has_one_and_a_long_one_is_clipped() -> None:
    (line,) = kept("rain " * 60)["lines"]
    assert (len(line), line[-1]) == (80, "…")


def test_bold_is_a_mark_of_its_own_beside_a_rule() -> None:
    assert kept("**Rain**\n***")["marks"] == ["***", "**"]


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("First a draft.</think>Rain.", ["</think>", "closed"]),
        ("<thinking>A draft.</thinking>\nRain.", ["</thinking>", "whole"]),
        ("<think>A draft that never ends", ["<think>", "opened"]),
        ("<|channel|>analysis A draft.", ["<|channel|>", "opened"]),
        ("A draft.<|end_of_thought|>Rain.", ["<|end_of_thought|>", "closed"]),
        ("[THINK]A draft.[/THINK]Rain.", ["[/THINK]", "whole"]),
        ("◁think▷A draft.◁/think▷Rain.", ["◁/think▷", "whole"]),
    ],
)
def test_tags_of_reasoning_are_known_by_their_family(text: str, tag: list[str]) -> None:
    assert kept(text)["tag"] == tag


@pytest.mark.parametrize("text", ["I think so.", "a <b>bold</b> thought", "<thinker>", "x < think > y", "[1]"])
def test_words_and_other_tags_are_no_reasoning(text: str) -> None:
    assert "tag" not in kept(text)


def test_a_tag_that_the_prompt_shows_is_asked_for() -> None:
    assert "tag" not in kept("<reasoning>So.</reasoning> Rain.", "Answer with <reasoning>…</reasoning> first.")


def test_the_lines_are_those_behind_the_reasoning() -> None:
    final = kept("A draft of five words.</think>\nRain falls.")
    assert (final["lines"], final["words"]) == (["Rain falls."], 7)


def test_only_unspaced_scripts_are_counted_in_several_ways() -> None:
    assert kept("雨が降る。屋根の上に、静かに。")["script"] == ["Chinese or Japanese", [1, 3], 12]
    assert "script" not in kept("Идёт дождь над крышей.")


@pytest.mark.parametrize("output", [[THOUGHT], [message("")], [THOUGHT, message(" \n ")]])
def test_a_rollout_that_says_nothing_has_no_word(output: list[Json]) -> None:
    assert final_message(Attempt(row(1, response=response(*output)))) == {"final": {"words": 0}}


@pytest.mark.parametrize(
    "fields",
    [
        {"response": response()},
        {"response": response(*called("book", {"seat": 1}, "booked"), message("Booked."))},
        {"response": response(message("")), "generation": "Rain falls."},
        {"response": None},
        {"response": {"output": {"text": 3}}},
        {"response": {"output": [None, 3, {"type": "message", "role": "assistant", "content": 7}]}, "patch": "+ 1"},
    ],
)
def test_nothing_is_kept_where_tools_work_or_nothing_is_recorded(fields: dict[str, Any]) -> None:
    assert final_message(Attempt(row(1) | fields)) == {}


def test_what_cannot_be_written_as_text_does_no_harm() -> None:
    assert kept("Rain \ud800 falls\x00")["lines"] == ["Rain ? falls\x00"]
