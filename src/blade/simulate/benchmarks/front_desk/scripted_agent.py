"""The scripted agent of the front desk: it looks up, then acts, and makes the mistake it was dealt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from blade.simulate.benchmark import pick_mistake
from blade.simulate.benchmarks.front_desk.requests import Call, Request
from blade.simulate.benchmarks.front_desk.tools import LOOK_UPS, is_error, use
from blade.simulate.benchmarks.front_desk.world import fresh
from blade.simulate.prose import musing

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from blade.simulate.scenario import Behaviour, Task
    from blade.simulate.transcript_writer import Pen

__all__ = ["attempt"]

STEP_LIMIT = 14
TRIES = 3


def attempt(task: Task, behaviour: Behaviour, rng: random.Random, pen: Pen) -> None:
    mistake = pick_mistake(task, behaviour, rng)
    Clerk(task, behaviour, rng, pen).work(mistake)


class Clerk:
    """One attempt at one request, on a copy of the records of its own."""

    def __init__(self, task: Task, behaviour: Behaviour, rng: random.Random, pen: Pen) -> None:
        start, request = task.detail
        self.request: Request = request
        self.tables = fresh(start)
        self.behaviour = behaviour
        self.rng = rng
        self.pen = pen
        self.listings: dict[tuple[object, ...], str] = {}

    def work(self, mistake: str) -> None:
        self.pen.think(f"{self._first_thought()} {musing(self.rng, 1 + int(self.rng.lognormvariate(0.3, 0.7)))}")
        if mistake == "loop":
            self._loop()
            return
        known = self._resolve(skip=mistake == "unresolved_name")
        if not self._look_up(known, in_head=mistake == "head_filter"):
            self.pen.say("The records could not be read, so I have changed nothing. I am sorry.")
            return
        actions = self._plan(mistake, known)
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

    def _use(self, call: Call) -> str:
        """Call the tool; try again when it answers with an error that no argument of ours explains."""
        broken = call.name == self.behaviour.broken_tool
        for _ in range(TRIES if broken else 1):
            self.pen.call(call.name, dict(call.arguments))
            output = self.behaviour.tool_error if broken else self._run(call)
            self.pen.answer(output)
        return output

    def _run(self, call: Call) -> str:
        """The records answer; what was read once is remembered until something is changed."""
        if call.name not in LOOK_UPS:
            self.listings.clear()
            return use(self.tables, call.name, call.arguments)
        asked = (call.name, *sorted(call.arguments.items()))
        if asked not in self.listings:
            self.listings[asked] = use(self.tables, call.name, call.arguments)
        return self.listings[asked]

    def _resolve(self, *, skip: bool) -> Mapping[str, str]:
        """Name to address through the directory; with `skip` the first address is guessed instead."""
        known: dict[str, str] = {}
        for name, email in self.request.people.items():
            guess = f"{name.lower().replace(' ', '.')}@alder-yard.example"
            if skip and not known:
                thought, known[email] = self._guess(name, guess)
                self.pen.think(thought)
                continue
            output = self._use(Call("directory_find", {"name": name}))
            known[email] = guess if is_error(output) else email
        return known

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

    def _look_up(self, known: Mapping[str, str], *, in_head: bool) -> bool:
        """Run the look-ups; false when one of them could not be read."""
        for call in self.request.look_ups:
            given = {field: known.get(value, value) for field, value in call.arguments.items()}
            if "date_from" in given and not in_head and self.rng.random() < 0.06:
                self._use(Call(call.name, {**given, "date_from": "last week"}))
            if "date_from" in given and in_head:
                first, last = given.pop("date_from"), given.pop("date_to")
                output = self._use(Call(call.name, given))
                self._pick(first, last)
            else:
                output = self._use(Call(call.name, given))
            if is_error(output):
                return False
        return True

    def _pick(self, first: str, last: str) -> None:
        """Says, in one of three manners, that the days are picked by eye."""
        manner = self.behaviour.wording % 3
        if manner == 0:
            self.pen.think(f"I can pick the days myself: those after {first} and before {last}.")
        elif manner == 1:
            self.pen.think(
                f"The list is short enough to read. Only the ones that fall within {first} and {last} count."
            )
        else:
            self.pen.say(f"I have the whole list and will go through it: between {first} and {last} is what matters.")

    def _plan(self, mistake: str, known: Mapping[str, str]) -> list[Call]:
        right = [Call(call.name, dict(call.arguments)) for call in self.request.actions]
        if set(known.values()) - set(known):
            return self._unresolved(right, known)
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

    def _unresolved(self, right: list[Call], known: Mapping[str, str]) -> list[Call]:
        """The guessed address found nothing: change no record, or records of somebody else."""
        if self.rng.random() < 0.5:
            return []
        self._use(Call(self.request.look_ups[-1].name, {}))
        self.pen.think("These look like the ones that are meant.")
        wrong = [self._elsewhere(call) for call in right]
        return [Call(call.name, {k: known.get(v, v) for k, v in call.arguments.items()}) for call in wrong]

    def _elsewhere(self, call: Call) -> Call:
        """The same action on a record that nobody asked about, where it changes something."""
        key = next(iter(call.arguments))
        table = self.tables[f"{key.removesuffix('_id')}s"]
        wanted = {action.arguments[key] for action in self.request.actions}
        change = {"status": "cancelled"} if call.name == "booking_cancel" else dict(list(call.arguments.items())[1:])
        free = [
            record_id
            for record_id, record in table.items()
            if record_id not in wanted and any(record[field] != value for field, value in change.items())
        ]
        return Call(call.name, {**call.arguments, key: self.rng.choice(free)})

    def _act(self, call: Call) -> str:
        if self.rng.random() < 0.3:
            self.pen.think(musing(self.rng, 1))
        return self._use(call)

    def _loop(self) -> None:
        """Ask the same thing again and again until the harness ends the attempt on a tool's answer."""
        self._resolve(skip=False)
        call = self.request.look_ups[0]
        for _ in range(STEP_LIMIT):
            self.pen.think(musing(self.rng, 1))
            self._use(call)

    def _write_call_as_text(self, actions: list[Call]) -> None:
        """A model that lost the call format: the calls stand in its message and nothing runs."""
        lines = [json.dumps({"name": call.name, "arguments": dict(call.arguments)}) for call in actions]
        self.pen.say("\n".join(lines))

    def _close(self, made: int, refused: int) -> None:
        if refused and self.rng.random() < 0.6:
            self.pen.say(f"{refused} of {made} changes were not accepted, so this is not finished.")
        elif made:
            self.pen.say(f"Done: {made} {'change' if made == 1 else 'changes'} made. {musing(self.rng, 1)}")
        else:
            self.pen.say("Nothing in the records had to be changed, so all is as you want it.")
