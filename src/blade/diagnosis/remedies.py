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
    "Teach what these tasks need, by examples or documents",
    "Put the missing fact in the prompt of 20 of these tasks: if they pass, it is a gap of knowledge.",
)
RELIABILITY = Remedy(
    "reliability",
    "rl",
    "rl",
    "UK",
    "Train on the tasks that pass now and then, or let the attempts vote",
    "Count the vote of the stored attempts: no model is called.",
)
"""For tasks that pass now and then; where no attempt passes there is nothing to reward and no vote to win."""
UNSETTLED = Remedy(
    "unsettled",
    "sft",
    "sft",
    "UK",
    "Teach what these tasks need: no attempt passes, and the answers change from one to the next",
    "Put the missing fact in the prompt of 20 of these tasks: if they pass, it is a gap of knowledge.",
)
BENCHMARK = Remedy(
    "benchmark",
    "verifier",
    "verifier",
    "TI",
    "Have two people read the key and the verifier of these tasks, and quarantine what is wrong",
    "Read the key beside the task's text and beside what most runs do.",
)
USER = Remedy(
    "misleading_user",
    "environment",
    "environment",
    "TI",
    "Read what the simulated user says in these tasks beside its instruction; have it keep to it, and run them again",
    "Read two rollouts of each task beside the user's instruction: no model is called.",
)
"""For tasks in which the simulated user, and no key, leads half of the runs or more to the same wrong change."""
START = Remedy(
    "start",
    "environment",
    "environment",
    "IR",
    "Repair what keeps the agent from starting on these tasks (its installation, or their image), and have a failed "
    "start end the rollout with an error; run again as they are, they fail again",
    "Start the agent once in the image of one such task, and see whether it answers.",
)
"""For tasks in which no attempt ever started: that is no accident of one attempt."""
THROTTLED = Remedy(
    "throttled",
    "environment",
    "environment",
    "IR",
    "Raise the provider's rate limit or run fewer rollouts at once, and run these again: their screens end on it",
    "Run only these rollouts again, one after the other.",
)
"""For rollouts whose time ran out while the provider held them back."""
UNFINISHED = Remedy(
    "unfinished_verifier",
    "verifier",
    "verifier",
    "TI",
    "Run these again with a verifier that is ready to grade (what its tests need in the image, a longer time), as the "
    "rows keep nothing to grade again",
    "Run the verifier alone in the image of one such task, without any agent, and see whether it comes to a verdict.",
)
"""For rollouts without a verdict whose work was the state of a machine that is gone."""
REGRADING = Remedy(
    "regrading",
    "verifier",
    "verifier",
    "TI",
    "Settle which of the two verifiers or keys is right, and score both runs by it",
    "Read five of these rows beside both scores: no model is called.",
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


def remedy(mode: Mode) -> Remedy | None:
    """What helps against a mode: by its rule, its status, else its family; None where its content alone was wrong."""
    remedies = _by_rule()
    return remedies.get(mode.detector or "") or remedies.get(mode.id) or remedies.get(mode.family)
