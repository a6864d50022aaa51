"""What helps against which way of failing: read from remedies.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from blade.diagnosis.definitions import INSUFFICIENT
from blade.findings import Mode
from blade.frozen import frozen


@frozen
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
    "prompt",
    "prompt",
    "KG",
    "Give the model the facts that these tasks need, in the prompt or as documents, before it is trained on them",
    "Put the missing fact into the prompt of 20 of these tasks: if they pass, it is a knowledge gap.",
)
RELIABILITY = Remedy(
    "reliability",
    "harness",
    "harness",
    "UK",
    "Take a majority vote of the attempts at the tasks that sometimes pass",
    "Take the majority vote of the stored attempts; this calls no model.",
)
"""For tasks that pass now and then, where a vote of the stored attempts wins points."""
UNSTEADY = Remedy(
    "unsteady",
    "data",
    "data",
    INSUFFICIENT,
    "Compare a passing with a failing attempt at some of these tasks before anything is changed: they sometimes "
    "pass, and no cause is known that they share",
    "Compare them (blade show); this calls no model. Where they part at the same step, try a sentence about it in the "
    "prompt of 20 of these tasks.",
)
"""For tasks that pass now and then where no vote helps: that training on them would is a guess."""
UNSETTLED = Remedy(
    "unsettled",
    "data",
    "data",
    INSUFFICIENT,
    "Read some of these failures before anything is changed: no attempt passes, and no cause is known that they share",
    "Read them; this calls no model. Then put what seems to be missing into the prompt of 20 of these tasks: if they "
    "pass, it is a knowledge gap.",
)
AGREEING = Remedy(
    "agreeing",
    "data",
    "data",
    INSUFFICIENT,
    "Read some of these tasks with their keys before anything is changed: the attempts agree on one wrong answer, and "
    "a wrong key, a trap and missing knowledge look alike",
    "Read them; this calls no model. Then put what seems to be missing into the prompt of 20 of these tasks: if they "
    "pass, it is a knowledge gap.",
)
SAME_ANSWER = "same_wrong_answer"
OUTCOMES = frozenset(
    {SAME_ANSWER, "wrong_answer", "scattered_wrong_answers", "another_run_passes", "sometimes_right", ""}
)
"""Rules of labels that rest on verdicts and answers alone: they name no fact that could be taught."""
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
UNDECODED = Remedy(
    "undecoded",
    "harness",
    "harness",
    "BI",
    "Have the harness return a JSON error to the model instead of ending the rollout with it: what could not be "
    "decoded was most likely a call",
    "Run only these rollouts again, with the decoder's message as the answer to the call.",
)
"""For rollouts that a decoder ended, where nothing that a model writes is decoded but its calls."""
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
ENDLESS = Remedy(
    "endless",
    "harness",
    "harness",
    INSUFFICIENT,
    "Find out why these come to no end before the limit is raised: of the rollouts still at work halfway to it hardly "
    "any passed later",
    "Read five of them from the middle on; this calls no model.",
)
"""For rollouts at a limit where those that needed more than half of it hardly ever pass."""
LIMIT, LOOPS = _by_rule()["turn_limit"], _by_rule()["loops_to_the_end"]
LOOP_RULES = frozenset(rule for rule, remedy in _by_rule().items() if remedy is LOOPS)
"""Rules by which a rollout goes in circles."""
ONLY_READING = frozenset(helps.change for helps in (UNSTEADY, UNSETTLED, AGREEING, UNREAD, ENDLESS, READING))
"""Changes that ask a person to read first: whatever can be done goes before them."""


def remedy(mode: Mode) -> Remedy | None:
    """What helps against a mode: by its rule, its status, else its family; None where its content alone was wrong."""
    remedies = _by_rule()
    return remedies.get(mode.detector or "") or remedies.get(mode.id) or remedies.get(mode.family)
