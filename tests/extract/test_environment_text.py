"""What a screen or a log wrote is told from what the model says."""

from __future__ import annotations

from typing import Any

import pytest

from blade.evidence import stands
from blade.extract import environment_text
from blade.extract.attempt import Attempt
from blade.extract.environment_text import environment_parts
from blade.extract.transcript import output_steps
from blade.model import StepKind

SERVER_LOG = "\n".join(
    f'12:0{minute}:30 - worker:INFO: relay.py:88 - Server: 10.0.0.7:4100 - "POST /step HTTP/1.1" 200 OK'
    for minute in range(6)
)
SCREEN = """root@box:/srv# ls -la
drwxr-xr-x 2 root root 4096 May  2 10:00 data
-rw-r--r-- 1 root root  120 May  2 10:00 notes.txt
root@box:/srv# run-agent --task 'Sort the notes.
> Then say what is in them.'
bash: run-agent: command not found
root@box:/srv#"""
INSTALLATION = (
    "\n".join(f"Setting up package{number}:amd64 (1.{number}-2) ..." for number in range(20)) + "\nroot@box:/srv#"
)
TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/main.py", line 12, in <module>
    start()
  File "/srv/app/main.py", line 7, in start
    raise ValueError(name)
ValueError: the name is not known"""
DOWNLOAD = """Receiving objects:  12% (40/332), 1.2 MiB | 3.1 MiB/s
Receiving objects:  57% (190/332), 4.2 MiB | 3.0 MiB/s
Receiving objects: 100% (332/332), 8.9 MiB | 3.2 MiB/s, done."""
PLAIN_LEVELS = "INFO:root:loading\nWARNING:root:slow disk\nINFO:root:ready"


@pytest.mark.parametrize("text", [SERVER_LOG, SCREEN, INSTALLATION, TRACEBACK, DOWNLOAD, PLAIN_LEVELS])
def test_a_message_that_is_a_screen_or_a_log_is_environment_text_as_a_whole(text: str) -> None:
    assert environment_parts(text) == ((0, len(text)),)


@pytest.mark.parametrize(
    "text",
    [
        "The meeting is at 10:00:00 and the call at 11:30:00.",
        "2024-05-01 10:00:00 Team meeting\n2024-05-01 11:00:00 Lunch\n2024-05-01 12:00:00 Review",
        "| run | passes |\n|---|---|\n|a|45%|50%|\n|b|40%|55%|\n|c|41%|51%|",
        "1\n00:00:01,000 --> 00:00:04,000\nHello.\n\n2\n00:00:05,000 --> 00:00:07,000\nGoodbye.",
        "WARNING: the file is gone.\nERROR: I could not read it.\nWARNING: nothing was written.",
        "It raises:\nValueError: if the name is empty\nTypeError: if it is no text\nKeyError: if it is not known",
        "ERROR: I cannot do this.",
        "INFO: the work is done.",
        "Write to ann@example.org: she knows. Then to bob@example.org: he does not.",
        "Here is what I ran:\n```\nroot@box:/srv# ls\nroot@box:/srv# pwd\nroot@box:/srv#\n```\nAll is well.",
        "<think>root@box:/srv# ls\nroot@box:/srv# pwd\nroot@box:/srv# ls\n</think>The answer is 4.",
        "I will try again and again and again. " * 40,
        "$ x = 3 $\n$ y = 4 $\n$ z = 5 $",
    ],
)
def test_what_a_model_writes_is_its_own(text: str) -> None:
    assert environment_parts(text) == ()


def test_sentences_before_between_and_after_logs_stay_the_models() -> None:
    first = "I start the server and look at what it says."
    second = "It answers every request, so I stop it now."
    last = "Answer: 42"
    text = f"{first}\n\n{SERVER_LOG}\n\n{second}\n\n{TRACEBACK}\n\n{last}"
    parts = environment_parts(text)
    assert [text[start:end] for start, end in parts] == [SERVER_LOG, TRACEBACK]


def test_a_sentence_right_behind_a_log_is_not_part_of_it() -> None:
    text = f"{TRACEBACK}\nTHOUGHT: Good! Now I know what is wrong with it and can repair the name."
    assert environment_parts(text) == ((0, len(TRACEBACK)),)


def test_a_line_that_the_screen_broke_belongs_to_the_line_before_it() -> None:
    """The second half of a broken line may read like a sentence of its own."""
    line = "12:00:30 - worker:WARNING: event.py:96 - [run 5f1c] a wait of more than ten minutes may".ljust(100, ".")
    text = "\n".join(f"{line}\nNot be taken by the runtime, so it would be well to set a lower one." for _ in range(4))
    assert environment_parts(text) == ((0, len(text)),)


def _row(*items: dict[str, Any]) -> dict[str, Any]:
    return {"reward": 0.0, "response": {"output": list(items)}}


def _message(text: str, role: str = "assistant") -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "output_text", "text": text}]}


def test_a_message_with_a_log_is_several_steps_and_its_places_are_those_of_the_item() -> None:
    said = "The server ran well and I stopped it."
    text = f"I look at the log of the server now.\n\n{SERVER_LOG}\n\n{said}"
    row = _row(_message(text))
    steps = output_steps(row["response"])
    assert [step.kind for step in steps] == [StepKind.MESSAGE, StepKind.ENVIRONMENT, StepKind.MESSAGE]
    assert "".join(step.text for step in steps) == text
    attempt = Attempt(row)
    assert attempt.final_text == said
    cite = attempt.cite_final(4, 10)
    assert text[cite.start : cite.end] == cite.quote == "server"
    assert stands(row, cite)
    log = attempt.cite(steps[1], 0, 5)
    assert text[log.start : log.end] == log.quote
    assert stands(row, log)


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        ("user", StepKind.USER),
        ("human", StepKind.USER),
        ("customer", StepKind.USER),
        ("environment", StepKind.ENVIRONMENT),
        ("observation", StepKind.ENVIRONMENT),
        ("function", StepKind.OUTPUT),
        ("assistant", StepKind.MESSAGE),
        ("model", StepKind.MESSAGE),
    ],
)
def test_roles_inside_the_output_are_believed(role: str, kind: StepKind) -> None:
    assert [step.kind for step in output_steps({"output": [_message("I am sorry.", role)]})] == [kind]


def test_an_attempt_that_left_only_a_screen_has_no_words_of_the_model() -> None:
    attempt = Attempt(_row(_message(SCREEN)))
    assert (attempt.spoken, attempt.messages, attempt.final) == ([], [], None)
    assert not attempt.ends_by_itself
    assert attempt.last_words is not None
    assert attempt.last_words.text == SCREEN


def test_a_screen_that_is_full_of_one_text_is_no_message_of_the_model() -> None:
    """A page of the provider, broken at the width of the screen, and one line of a log: nobody said any of it."""
    page = "\n".join("q7Zr" * 20 for _ in range(15)) + "\n<svg>\n</svg>\n</html>"
    line = "12:07:30 - worker:INFO: control.py:57 - from RUNNING to WAITING"
    full = f"{page}\n{line}"
    assert environment_parts(full) == ((0, len(full)),)
    assert environment_parts(page) == (), "no line of a program shows that it is a screen"
    spoken = "\n".join(
        "I think that we should look at the log of the server, as it may say why it stops." for _ in range(15)
    )
    assert environment_parts(f"{spoken}\n{line}") == ()


def _wrapped(text: str, width: int = 100) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def test_a_sentence_on_a_screen_that_is_cut_at_its_top_or_between_two_logs_is_of_the_screen() -> None:
    """The first line lost its beginning, so that it is as wide as no other; a program prints a sentence in between."""
    log = "\n".join(
        _wrapped(
            f"09:14:{second:02} - courier:INFO: van.py:31 - [van {second:032x}] Gate: parcel {second} is on the belt"
        )
        for second in range(30)
    )
    top = "[screen at the end]\nwill be used as the depot of it. Mind that it can sc\nratch the doors of this hall!\n"
    between = "\nNow we wait for the next parcel on the belt\n"
    for screen in (f"{top}{log}", f"{log}{between}{log}"):
        assert environment_parts(screen) == ((0, len(screen)),)
    opened = f"I start the van, and it logs what it does to the screen.\n{log}{between}{log}"
    closed = f"{log}{between}{log}\nThe van is on its way, and I am done with the task."
    assert environment_parts(opened)[0][0] > 0, "who shows a screen opens with a sentence"
    assert environment_parts(closed)[-1][1] < len(closed)


def test_a_story_that_is_broken_at_the_edge_of_a_screen_with_logs_is_of_the_screen() -> None:
    log = "\n".join(f'10.0.0.{host} - "POST /turn HTTP/1.1" 200 OK' for host in range(4))
    story = _wrapped(
        "You are in the hall of the king, and there is a door to the north. You can see a lamp here. " * 40
    )
    screen = f"{log}\n{story}\n{log}"
    assert environment_parts(screen) == ((0, len(screen)),)


def test_a_text_that_comes_again_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"I start the server.\n{SERVER_LOG}\nIt runs now, and I can go on with the task."
    first = environment_parts(text)
    assert len(first) == 1
    monkeypatch.setattr(environment_text, "_parts", lambda _: pytest.fail("it was known"))
    assert environment_parts("".join(list(text))) == first


def test_no_more_texts_are_known_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment_text, "_known", {})
    monkeypatch.setattr(environment_text, "MOST_KNOWN", 2)
    texts = [f"{SCREEN}\nline {number}" for number in range(5)]
    assert [environment_parts(text) for text in texts] == [environment_text._parts(text) for text in texts]
    assert len(environment_text._known) == 1
