"""The words of one invented evaluation: its tasks, tools, harness, verifier, provider and simulated user."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Vocabulary"]

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`{subject}`, `{number}`, `{id}`, `{clock}` and `{check}` are filled in for each row.

    No two vocabularies share a content word, so a rule that knows the words of one is of no use on another.
    """

    name: str
    subjects: Lines
    """What tasks are about: a task is one of these and a number."""
    request: str
    fields: dict[str, str]
    """What the rows call the verifier's parts: `verifier`, `log`, `results`, `seconds`, and `agent_seconds`."""
    read_tool: str
    write_tool: str
    argument: str
    read_answers: Lines
    write_answer: str
    call_style: str
    """How this model writes a call that is no structured call; `{name}` and `{arguments}` are filled in."""
    answer_style: str
    """How the harness hands the answer of such a call back, as a user's message."""
    progress: Lines
    """What the model says while it works."""
    finished: Lines
    """The model's last words, different in each task."""
    finished_shared: Lines
    """Last words of the model that tasks share word for word, passed and failed ones alike."""
    gives_up: Lines
    """Last words of a model that stops of its own accord, shared word for word by tasks: valid failures."""
    setup: Lines
    """What the harness writes before the agent's first word, in every row that shows it."""
    agent_dies: Lines
    """The last line of a start that brought no agent up: one of these in a run."""
    harness_lines: Lines
    """What the harness logs while the agent works."""
    notices: Lines
    """What a provider puts in the model's place: quota, service refused, filter, key."""
    verifier_setup: Lines
    """A verifier that fetches and installs what it needs; a starved one stops at one of these."""
    verifier_begins: str
    verifier_line: str
    checks: Lines
    verdicts: tuple[str, str]
    """The verifier's words for a check that holds and for one that does not."""
    user_opens: Lines
    user_answers: Lines
    user_accepts: Lines
    """What a simulated user says when it ends the talk; the end mark follows."""
    user_end: str
    model_asks: Lines
    """What the model asks before it writes: the write is still to come."""
