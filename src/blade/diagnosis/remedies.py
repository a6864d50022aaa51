"""What helps against which way of failing: read from remedies.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from blade.diagnosis.definitions import INSUFFICIENT
from blade.findings import Mode


@dataclass(frozen=True, slots=True)
class Remedy:
    """One intervention before it is counted: what to change, which cause it presumes, how to try it cheaply."""

    name: str
    kind: str
    never: str
    """The kind where no attempt at the tasks hit ever passes."""
    label: str
    change: str
    test: str

    @property
    def only_reading(self) -> bool:
        """Whether it asks a person to read before anything is changed: no score moves by it."""
        return self.label == INSUFFICIENT


KNOWLEDGE = Remedy(
    "knowledge",
    "sft",
    "sft",
    "KG",
    "Teach what these tasks need, with examples or documents",
    "Put the missing fact into the prompt of 20 of these tasks: if they pass, it is a knowledge gap.",
)
RELIABILITY = Remedy(
    "reliability",
    "rl",
    "rl",
    "UK",
    "Train on the tasks that sometimes pass, or take a majority vote of the attempts",
    "Take the majority vote of the stored attempts; this calls no model.",
)
"""For tasks that pass now and then; where no attempt passes there is nothing to reward and no vote to win."""
UNSETTLED = Remedy(
    "unsettled",
    "sft",
    "sft",
    "UK",
    "Teach what these tasks need: no attempt passes, and the answers differ from attempt to attempt",
    "Put the missing fact into the prompt of 20 of these tasks: if they pass, it is a knowledge gap.",
)
BENCHMARK = Remedy(
    "benchmark",
    "verifier",
    "verifier",
    "TI",
    "Have two people check the key and the verifier of these tasks, and quarantine what is wrong",
    "Compare the key with the task's text and with what most runs do.",
)
USER = Remedy(
    "misleading_user",
    "environment",
    "environment",
    "TI",
    "Compare what the simulated user says in these tasks with its instruction, make it follow the instruction, and "
    "run them again",
    "Compare two rollouts of each task with the user's instruction; this calls no model.",
)
"""For tasks in which the simulated user, and no key, leads half of the runs or more to the same wrong change."""
START = Remedy(
    "start",
    "environment",
    "environment",
    "IR",
    "Fix what keeps the agent from starting on these tasks (its installation or their image), make a failed start an "
    "error, and only then run them again",
    "Start the agent once in the image of one such task, and see whether it answers.",
)
"""For tasks in which no attempt ever started: that is no accident of one attempt."""
THROTTLED = Remedy(
    "throttled",
    "environment",
    "environment",
    "IR",
    "Raise the provider's rate limit or run fewer rollouts at once, and run these again: their screens end with a "
    "rate-limit message",
    "Run only these rollouts again, one at a time.",
)
"""For rollouts whose time ran out while the provider held them back."""
UNFINISHED = Remedy(
    "unfinished_verifier",
    "verifier",
    "verifier",
    "TI",
    "Run these again with a verifier that can finish (its dependencies in the image, a longer time limit), as the "
    "rows keep nothing that could be graded",
    "Run the verifier alone in the image of one such task, without an agent, and see whether it returns a verdict.",
)
"""For rollouts without a verdict whose work was the state of a machine that is gone."""
UNREAD = Remedy(
    "unread",
    "data",
    "data",
    INSUFFICIENT,
    "Read some of these failures before anything is changed: only the verifier's message is known, which says how they "
    "fail and not why",
    "Read them; this calls no model.",
)
"""For failures that nothing but the verifier's message tells apart."""
REGRADING = Remedy(
    "regrading",
    "verifier",
    "verifier",
    "TI",
    "Decide which of the two verifiers or keys is right, and score both runs with it",
    "Read five of these rows with both scores; this calls no model.",
)
OF_TASKS = frozenset(remedy.change for remedy in (BENCHMARK, USER, START, THROTTLED, UNFINISHED, REGRADING))
"""Changes for the tasks that they were counted in: another task that fails in the same mode does not need them."""


@cache
def _by_rule() -> dict[str, Remedy]:
    text = files("blade.diagnosis").joinpath("remedies.toml").read_text(encoding="utf-8")
    remedies: dict[str, Remedy] = {}
    for name, entry in tomllib.loads(text).items():
        kind = entry["kind"]
        remedy = Remedy(name, kind, entry.get("never", kind), entry["label"], entry["change"], entry["test"])
        remedies |= dict.fromkeys(entry["rules"], remedy)
    return remedies


READING = _by_rule()["missing_action"]
"""For failures of which only the shape is known."""
LIMIT, LOOPS = _by_rule()["turn_limit"], _by_rule()["loops_to_the_end"]
LOOP_RULES = frozenset(rule for rule, remedy in _by_rule().items() if remedy is LOOPS)
"""Rules by which a rollout goes in circles."""


def remedy(mode: Mode) -> Remedy | None:
    """What helps against a mode: by its rule, its status, else its family; None where its content alone was wrong."""
    remedies = _by_rule()
    return remedies.get(mode.detector or "") or remedies.get(mode.id) or remedies.get(mode.family)
