"""What every scene is made of: tasks, honest attempts, failures that only look void, and the row that is written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blade.simulate.rng import dice, roll
from blade.simulate.transcript_writer import tokens

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from benchmarks.attempt_scenes.vocabulary import Vocabulary

    from blade.simulate.simulated_row import Json

__all__ = ["SceneAttempt", "StageSet", "message", "text_of"]

TASKS = 36
ATTEMPTS = 4
BEGUN = 1_900_000_000
STOPS_AT_ONCE = 0.05
STOPS_AFTER_WORK = 0.05
SHARED_WORDS = 0.15
FEWEST_VOID_TASKS = 8


def message(text: str, role: str = "assistant") -> Json:
    """A message of the transcript, as Gym writes it."""
    if role != "assistant":
        return {"type": "message", "role": role, "content": text}
    parts = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": role, "status": "completed", "content": parts}


def text_of(item: Json) -> str:
    """The text of a message."""
    content = item["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@dataclass(slots=True)
class SceneAttempt:
    """One row before it is written. `planted` is what the scene did to it."""

    task: int
    attempt: int
    subject: str
    number: int
    rng: random.Random
    passed: bool
    items: list[Json] = field(default_factory=list)
    planted: bool = False
    calls: int = 0
    """How many calls it makes, where they are written as text."""
    verifier_seconds: float = 0.0
    agent_seconds: float = 0.0
    verifier_log: str | None = None
    results: Json | None = None
    output_tokens: int | None = None
    response: Json = field(default_factory=dict)
    fields: Json = field(default_factory=dict)
    given: list[Json] | None = None
    """The request's messages where they are not the task's text."""


class StageSet:
    """The tasks of one scene in one vocabulary. All draws come from dice named after the scene, the words, the seed."""

    def __init__(self, scene: str, words: Vocabulary, seed: int) -> None:
        self.scene, self.words, self.seed = scene, words, seed
        self.rng = self.dice("scene")
        self.share = self.rng.uniform(0.08, 0.35)
        self.skill = self.rng.uniform(0.4, 0.7)
        self.counts_tokens = roll(self.rng, 0.6)
        """Whether this run's rows say how many tokens were written."""
        self.logs_verifier = True
        self.names_checks = True

    def dice(self, *names: object) -> random.Random:
        return dice("attempt scene", self.scene, self.words.name, self.seed, *names)

    def fill(self, text: str, attempt: SceneAttempt, **extra: str) -> str:
        """The text with its places filled in for this row."""
        clock = f"{attempt.rng.randrange(24):02d}:{attempt.rng.randrange(60):02d}:{attempt.rng.randrange(60):02d}"
        places = {
            "subject": attempt.subject,
            "number": str(attempt.number),
            "id": f"{attempt.rng.getrandbits(40):010x}",
        }
        for name, value in (places | {"clock": clock} | extra).items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def blank(self) -> Iterator[SceneAttempt]:
        """Every attempt of the run, without a transcript yet."""
        for task in range(TASKS):
            task_rng = self.dice("task", task)
            subject, number = self.words.subjects[task % len(self.words.subjects)], task_rng.randrange(11, 980)
            odds = min(0.95, max(0.05, task_rng.gauss(self.skill, 0.25)))
            for attempt in range(ATTEMPTS):
                rng = self.dice("row", task, attempt)
                yield SceneAttempt(task, attempt, subject, number, rng, passed=roll(rng, odds))

    def chosen(self, attempts: Sequence[SceneAttempt]) -> set[int]:
        """The places of the rows a scene plants in: one attempt index, the end of the run, or anywhere."""
        count = max(FEWEST_VOID_TASKS, round(self.share * len(attempts)))
        order = list(range(len(attempts)))
        pattern = self.rng.choice(("index", "window", "anywhere"))
        self.rng.shuffle(order)
        if pattern == "window":
            order.sort(reverse=True)
        elif pattern == "index":
            index = self.rng.randrange(ATTEMPTS)
            order.sort(key=lambda place: attempts[place].attempt != index)
        return set(order[:count])

    def work(self, attempt: SceneAttempt) -> None:
        """An honest attempt: it passes, fails, stops at once or stops after some work, in the model's own words."""
        if not attempt.passed and roll(attempt.rng, STOPS_AT_ONCE / 0.4):
            attempt.items.append(message(attempt.rng.choice(self.words.gives_up)))
        else:
            for turn in range(attempt.rng.randrange(2, 6)):
                self.step(attempt, turn)
            attempt.items.append(message(self.last_words(attempt)))
        self.judge(attempt)

    def step(self, attempt: SceneAttempt, turn: int) -> None:
        """One turn: a sentence, a call and the tool's answer."""
        say = self.fill(attempt.rng.choice(self.words.progress), attempt)
        name, arguments, answer = self.call(attempt, write=turn > 0 and roll(attempt.rng, 0.5))
        if roll(attempt.rng, 0.7):
            attempt.items.append(message(say))
        self.add_call(attempt, name, arguments, answer)

    def add_call(self, attempt: SceneAttempt, name: str, arguments: Json, answer: str) -> None:
        """A structured call and the tool's answer to it."""
        call_id = f"call_{attempt.rng.getrandbits(48):012x}"
        body = {"name": name, "arguments": json.dumps(arguments), "call_id": call_id, "status": "completed"}
        attempt.items.append({"type": "function_call", **body})
        attempt.items.append({"type": "function_call_output", "call_id": call_id, "output": answer})

    def call(self, attempt: SceneAttempt, *, write: bool) -> tuple[str, Json, str]:
        """Name, arguments and answer of a call."""
        words = self.words
        arguments: Json = {words.argument: f"{attempt.subject}-{attempt.number}", "part": attempt.rng.randrange(1, 90)}
        if write:
            return words.write_tool, arguments, self.fill(words.write_answer, attempt)
        return words.read_tool, arguments, self.fill(attempt.rng.choice(words.read_answers), attempt)

    def last_words(self, attempt: SceneAttempt) -> str:
        if not attempt.passed and roll(attempt.rng, STOPS_AFTER_WORK / 0.4):
            return attempt.rng.choice(self.words.gives_up)
        if roll(attempt.rng, SHARED_WORDS):
            return attempt.rng.choice(self.words.finished_shared)
        return self.fill(attempt.rng.choice(self.words.finished), attempt)

    def judge(self, attempt: SceneAttempt) -> None:
        """The verifier's results and its log, begun by what it fetches and installs."""
        words = self.words
        broken = (
            set()
            if attempt.passed
            else set(attempt.rng.sample(words.checks, attempt.rng.randrange(1, len(words.checks) + 1)))
        )
        attempt.results = {check: words.verdicts[check in broken] for check in words.checks}
        lines = [*words.verifier_setup, words.verifier_begins]
        lines += [
            self.fill(words.verifier_line, attempt, check=check, verdict=result)
            for check, result in attempt.results.items()
        ]
        attempt.verifier_log = "\n".join(lines)
        attempt.verifier_seconds = round(attempt.rng.uniform(4, 70), 2)

    def unjudged(self, attempt: SceneAttempt) -> None:
        """Nothing to judge: the checks run on an untouched sandbox and fail."""
        attempt.passed = False
        self.judge(attempt)
        attempt.results = dict.fromkeys(self.words.checks, self.words.verdicts[1])

    def row(self, attempt: SceneAttempt) -> Json:
        """The line of the rollouts file."""
        words, names = self.words, self.words.fields
        verifier: Json = {}
        if self.names_checks:
            verifier[names["results"]] = attempt.results
        if self.logs_verifier:
            verifier[names["log"]] = attempt.verifier_log
        verifier[names["seconds"]] = attempt.verifier_seconds
        input_items = attempt.given or [message(self.fill(words.request, attempt), "user")]
        return {
            "_ng_task_index": attempt.task,
            "_ng_rollout_index": attempt.attempt,
            "agent_ref": {"name": f"{words.name}_agent"},
            "responses_create_params": {"input": input_items, "temperature": 1.0},
            "response": self._response(attempt),
            "reward": float(attempt.passed),
            names["verifier"]: verifier,
            names["agent_seconds"]: attempt.agent_seconds or round(attempt.rng.uniform(20, 400), 2),
            **attempt.fields,
        }

    def _response(self, attempt: SceneAttempt) -> Json:
        output_tokens = sum(
            tokens(text_of(item) if item["type"] == "message" else item["arguments"])
            for item in attempt.items
            if item.get("role", "assistant") == "assistant" and item["type"] != "function_call_output"
        )
        output_tokens = (
            (output_tokens if attempt.output_tokens is None else attempt.output_tokens) if self.counts_tokens else 0
        )
        read = 400 + 3 * output_tokens if self.counts_tokens and (output_tokens or attempt.output_tokens is None) else 0
        usage = {"input_tokens": read, "output_tokens": output_tokens, "total_tokens": read + output_tokens}
        place = attempt.task * ATTEMPTS + attempt.attempt
        body = {
            "id": f"resp_{attempt.rng.getrandbits(48):012x}",
            "created_at": BEGUN + 7 * place,
            "output": attempt.items,
        }
        return {"model": f"{self.words.name}-model", "usage": usage, "status": "completed", **body, **attempt.response}
