"""The scripted agent of the front desk: it looks up, then acts, and makes the mistake it was dealt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from blade.simulate.benchmark import pick_mistake
from blade.simulate.benchmarks.front_desk.requests import Request, RequestCall
from blade.simulate.benchmarks.front_desk.tools import LOOK_UPS, is_error, use
from blade.simulate.benchmarks.front_desk.world import fresh
from blade.simulate.prose import musing

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from blade.simulate.simulated_row import Behaviour, SimulatedTask
    from blade.simulate.transcript_writer import TranscriptWriter

__all__ = ["attempt"]

STEP_LIMIT = 14
TRIES = 3


def attempt(task: SimulatedTask, behaviour: Behaviour, rng: random.Random, writer: TranscriptWriter) -> None:
    mistake = pick_mistake(task, behaviour, rng)
    ScriptedAgent(task, behaviour, rng, writer).work(mistake)


class ScriptedAgent:
    """One attempt at one request, on a copy of the records of its own."""

    def __init__(self, task: SimulatedTask, behaviour: Behaviour, rng: random.Random, writer: TranscriptWriter) -> None:
        start, request = task.detail
        self.request: Request = request
        self.tables = fresh(start)
        self.behaviour = behaviour
        self.rng = rng
        self.writer = writer
        self.listings: dict[tuple[object, ...], str] = {}

    def work(self, mistake: str) -> None:
        self.writer.think(f"{self._first_thought()} {musing(self.rng, 1 + int(self.rng.lognormvariate(0.3, 0.7)))}")
        if mistake == "loop":
            self._loop()
            return
        ids_by_name = self._resolve(skip=mistake == "unresolved_name")
        if not self._look_up(ids_by_name, in_head=mistake == "head_filter"):
            self.writer.say("The records could not be read, so I have changed nothing. I am sorry.")
            return
        actions = self._plan(mistake, ids_by_name)
        if not self.behaviour.keeps_format and actions:
            self._write_call_as_text(actions)
            return
        refused = sum(is_error(self._act(call)) for call in actions)
        self._close(len(actions), refused)

    def _first_thought(self) -> str:
        return self.rng.choice(
            (
                "The request needs records looked up first, then changed.",
                "I should find the records before I touch anything.",
                "First the look-up, then one change for each record.",
            )
        )

    def _use(self, call: RequestCall) -> str:
        """Call the tool; try again when it answers with an error that no argument of ours explains."""
        broken = call.name == self.behaviour.broken_tool
        for _ in range(TRIES if broken else 1):
            self.writer.call(call.name, dict(call.arguments))
            output = self.behaviour.tool_error if broken else self._run(call)
            self.writer.answer(output)
        return output

    def _run(self, call: RequestCall) -> str:
        """The records answer; what was read once is remembered until something is changed."""
        if call.name not in LOOK_UPS:
            self.listings.clear()
            return use(self.tables, call.name, call.arguments)
        query = (call.name, *sorted(call.arguments.items()))
        if query not in self.listings:
            self.listings[query] = use(self.tables, call.name, call.arguments)
        return self.listings[query]

    def _resolve(self, *, skip: bool) -> Mapping[str, str]:
        """Name to address through the directory; with `skip` the first address is guessed instead."""
        ids_by_name: dict[str, str] = {}
        for name, email in self.request.people.items():
            guess = f"{name.lower().replace(' ', '.')}@alder-yard.example"
            if skip and not ids_by_name:
                thought, ids_by_name[email] = self._guess(name, guess)
                self.writer.think(thought)
                continue
            output = self._use(RequestCall("directory_find", {"name": name}))
            ids_by_name[email] = guess if is_error(output) else email
        return ids_by_name

    def _guess(self, name: str, address: str) -> tuple[str, str]:
        """What is thought instead of a look-up, and the address that is made up, in one of three manners."""
        first, _, last = name.partition(" ")
        return (
            (f"The address of {name} is surely first name, dot, last name; I need not look it up.", address),
            (
                f"Everybody here signs with an underscore, so {name} can be written to directly.",
                f"{first}_{last}@alder-yard.example".lower(),
            ),
            (f"{name} will do as it stands.", name),
        )[self.behaviour.wording % 3]

    def _look_up(self, ids_by_name: Mapping[str, str], *, in_head: bool) -> bool:
        """Run the look-ups; false when one of them could not be read."""
        for call in self.request.look_ups:
            arguments = {field: ids_by_name.get(value, value) for field, value in call.arguments.items()}
            if "date_from" in arguments and not in_head and self.rng.random() < 0.06:
                self._use(RequestCall(call.name, {**arguments, "date_from": "last week"}))
            if "date_from" in arguments and in_head:
                first, last = arguments.pop("date_from"), arguments.pop("date_to")
                output = self._use(RequestCall(call.name, arguments))
                self._pick(first, last)
            else:
                output = self._use(RequestCall(call.name, arguments))
            if is_error(output):
                return False
        return True

    def _pick(self, first: str, last: str) -> None:
        """Says, in one of three manners, that the days are picked by eye."""
        manner = self.behaviour.wording % 3
        if manner == 0:
            self.writer.think(f"I can pick the days myself: those after {first} and before {last}.")
        elif manner == 1:
            self.writer.think(
                f"The list is short enough to read. Only the ones that fall within {first} and {last} count."
            )
        else:
            self.writer.say(
                f"I have the whole list and will go through it: between {first} and {last} is what matters."
            )

    def _plan(self, mistake: str, ids_by_name: Mapping[str, str]) -> list[RequestCall]:
        right = [RequestCall(call.name, dict(call.arguments)) for call in self.request.actions]
        if set(ids_by_name.values()) - set(ids_by_name):
            return self._unresolved(right, ids_by_name)
        if mistake == "head_filter":
            return right[:-1] if self.rng.random() < 0.5 else right[1:]
        if mistake == "stops_early":
            return right[: self.rng.randrange(len(right))]
        if mistake == "wrong_record":
            spot = self.rng.randrange(len(right))
            right[spot] = self._elsewhere(right[spot])
        if mistake == "extra_action":
            right.append(self._elsewhere(right[-1]))
        return right

    def _unresolved(self, right: list[RequestCall], ids_by_name: Mapping[str, str]) -> list[RequestCall]:
        """The guessed address found nothing: change no record, or records of somebody else."""
        if self.rng.random() < 0.5:
            return []
        self._use(RequestCall(self.request.look_ups[-1].name, {}))
        self.writer.think("These look like the ones that are meant.")
        wrong = [self._elsewhere(call) for call in right]
        return [RequestCall(call.name, {k: ids_by_name.get(v, v) for k, v in call.arguments.items()}) for call in wrong]

    def _elsewhere(self, call: RequestCall) -> RequestCall:
        """The same action on a record that nobody asked about, where it changes something."""
        key = next(iter(call.arguments))
        table = self.tables[f"{key.removesuffix('_id')}s"]
        right_ids = {action.arguments[key] for action in self.request.actions}
        change = {"status": "cancelled"} if call.name == "booking_cancel" else dict(list(call.arguments.items())[1:])
        free = [
            record_id
            for record_id, record in table.items()
            if record_id not in right_ids and any(record[field] != value for field, value in change.items())
        ]
        return RequestCall(call.name, {**call.arguments, key: self.rng.choice(free)})

    def _act(self, call: RequestCall) -> str:
        if self.rng.random() < 0.3:
            self.writer.think(musing(self.rng, 1))
        return self._use(call)

    def _loop(self) -> None:
        """Ask the same thing again and again until the harness ends the attempt on a tool's answer."""
        self._resolve(skip=False)
        call = self.request.look_ups[0]
        for _ in range(STEP_LIMIT):
            self.writer.think(musing(self.rng, 1))
            self._use(call)

    def _write_call_as_text(self, actions: list[RequestCall]) -> None:
        """A model that lost the call format: the calls stand in its message and nothing runs."""
        lines = [json.dumps({"name": call.name, "arguments": dict(call.arguments)}) for call in actions]
        self.writer.say("\n".join(lines))

    def _close(self, changes: int, refused: int) -> None:
        if refused and self.rng.random() < 0.6:
            self.writer.say(f"{refused} of {changes} changes were not accepted, so this is not finished.")
        elif changes:
            self.writer.say(f"Done: {changes} {'change' if changes == 1 else 'changes'} made. {musing(self.rng, 1)}")
        else:
            self.writer.say("Nothing in the records had to be changed, so all is as you want it.")
