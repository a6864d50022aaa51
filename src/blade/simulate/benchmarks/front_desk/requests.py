"""What people ask the front desk for: each kind of request names its look-ups and its reference actions."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from blade.frozen import frozen
from blade.simulate.benchmarks.front_desk.tools import SCHEMAS
from blade.simulate.benchmarks.front_desk.world import SLOTS, TODAY, Record, Tables, build
from blade.simulate.rng import dice
from blade.simulate.simulated_row import SimulatedTask

__all__ = ["Request", "RequestCall", "make_task"]

HOUSE_RULES = (
    f"You work at the front desk of Alder Yard, a shared house for small groups. Today is {TODAY.isoformat()}. "
    "Use the tools to look records up and to change them. Change only what you are asked to change, "
    "and say in one sentence when you are done."
)

TASKS_PER_HOUSE = 60
"""After so many tasks the records change, so that long runs stay varied."""


@frozen
class RequestCall:
    name: str
    arguments: Mapping[str, str]


@frozen
class Request:
    """A request, with the way a good clerk does it."""

    text: str
    people: Mapping[str, str]
    """Names of staff in the text, with the address the directory knows."""
    look_ups: tuple[RequestCall, ...]
    actions: tuple[RequestCall, ...]


Maker = Callable[[random.Random, Tables], Request | None]


def _span(rng: random.Random, records: list[Record], day: str) -> list[Record] | None:
    """A run of two to four records whose first and last lie on the edges of the span that will be asked for."""
    ordered = sorted(records, key=lambda record: str(record[day]))
    if len(ordered) < 2:
        return None
    length = rng.randint(2, min(4, len(ordered)))
    start = rng.randint(0, len(ordered) - length)
    first, last = ordered[start][day], ordered[start + length - 1][day]
    return [record for record in ordered if str(first) <= str(record[day]) <= str(last)]


def _member(rng: random.Random, tables: Tables) -> tuple[str, str]:
    member_id = rng.choice(list(tables["members"]))
    return member_id, str(tables["members"][member_id]["name"])


def _people(rng: random.Random, tables: Tables, emails: list[str]) -> dict[str, str]:
    return {str(tables["staff"][email]["name"]): email for email in rng.sample(emails, 2)}


def cancel_bookings(rng: random.Random, tables: Tables) -> Request | None:
    member_id, name = _member(rng, tables)
    bookings = [r for r in tables["bookings"].values() if r["member_id"] == member_id and r["status"] == "confirmed"]
    span = _span(rng, bookings, "date")
    if span is None:
        return None
    first, last = str(span[0]["date"]), str(span[-1]["date"])
    text = rng.choice(
        (
            f"Cancel every confirmed booking of {name} from {first} to {last}, both days included.",
            f"{name} will be away from {first} up to and including {last}. Cancel their confirmed bookings then.",
        )
    )
    search = {"member_id": member_id, "status": "confirmed", "date_from": first, "date_to": last}
    look_ups = (RequestCall("members_search", {"name": name}), RequestCall("bookings_search", search))
    return Request(
        text, {}, look_ups, tuple(RequestCall("booking_cancel", {"booking_id": str(r["booking_id"])}) for r in span)
    )


def move_booking(rng: random.Random, tables: Tables) -> Request | None:
    member_id, name = _member(rng, tables)
    old = rng.choice([r for r in tables["bookings"].values() if r["member_id"] == member_id])
    slot = rng.choice([slot for slot in SLOTS if slot != old["slot"]])
    day = TODAY.replace(month=5, day=rng.randint(1, 28)).isoformat()
    text = f"Move the booking of {name} on {old['date']} to {day}, {slot}."
    search = {"member_id": member_id, "date_from": str(old["date"]), "date_to": str(old["date"])}
    look_ups = (RequestCall("members_search", {"name": name}), RequestCall("bookings_search", search))
    action = RequestCall("booking_move", {"booking_id": str(old["booking_id"]), "date": day, "slot": slot})
    return Request(text, {}, look_ups, (action,))


def waive_invoices(rng: random.Random, tables: Tables) -> Request | None:
    member_id, name = _member(rng, tables)
    invoices = [r for r in tables["invoices"].values() if r["member_id"] == member_id and r["status"] == "open"]
    span = _span(rng, invoices, "issued")
    if span is None:
        return None
    first, last = str(span[0]["issued"]), str(span[-1]["issued"])
    status = rng.choice(("waived", "reminded"))
    text = f"Mark the open invoices of {name} issued from {first} to {last}, both days included, as {status}."
    search = {"member_id": member_id, "status": "open", "date_from": first, "date_to": last}
    look_ups = (RequestCall("members_search", {"name": name}), RequestCall("invoices_search", search))
    actions = (RequestCall("invoice_set_status", {"invoice_id": str(r["invoice_id"]), "status": status}) for r in span)
    return Request(text, {}, look_ups, tuple(actions))


def change_plan(rng: random.Random, tables: Tables) -> Request | None:
    member_id, name = _member(rng, tables)
    plan = rng.choice([plan for plan in ("guest", "part", "full") if plan != tables["members"][member_id]["plan"]])
    text = f"Put {name} on the {plan} plan from now on."
    action = RequestCall("member_set_plan", {"member_id": member_id, "plan": plan})
    return Request(text, {}, (RequestCall("members_search", {"name": name}),), (action,))


def hand_over(rng: random.Random, tables: Tables) -> Request | None:
    people = _people(rng, tables, list(tables["staff"]))
    (giver, old), (taker, new) = people.items()
    members = [str(record["member_id"]) for record in tables["members"].values() if record["owner"] == old]
    if not 1 <= len(members) <= 5:
        return None
    text = rng.choice(
        (
            f"{giver} is leaving. Make {taker} the owner of every member that {giver} looks after.",
            f"Hand all members of {giver} over to {taker}.",
        )
    )
    actions = tuple(RequestCall("member_set_owner", {"member_id": member_id, "owner": new}) for member_id in members)
    return Request(text, people, (RequestCall("members_search", {"owner": old}),), actions)


def swap_shifts(rng: random.Random, tables: Tables) -> Request | None:
    people = _people(rng, tables, list(tables["staff"])[:8])
    (giver, old), (taker, new) = people.items()
    span = _span(rng, [r for r in tables["shifts"].values() if r["staff_email"] == old], "date")
    if span is None:
        return None
    first, last = str(span[0]["date"]), str(span[-1]["date"])
    text = f"{taker} takes the shifts of {giver} from {first} to {last}, both days included. Enter it."
    search = {"staff_email": old, "date_from": first, "date_to": last}
    actions = tuple(RequestCall("shift_assign", {"shift_id": str(r["shift_id"]), "staff_email": new}) for r in span)
    return Request(text, people, (RequestCall("shifts_search", search),), actions)


KINDS: tuple[tuple[str, Maker], ...] = (
    ("booking", cancel_bookings),
    ("billing", waive_invoices),
    ("directory", hand_over),
    ("scheduling", swap_shifts),
    ("booking", move_booking),
    ("billing", change_plan),
)


def make_task(seed: int, number: int) -> SimulatedTask:
    rng = dice("front_desk", seed, number)
    house = number // TASKS_PER_HOUSE
    tables = build(seed, house)
    category, maker = KINDS[number % len(KINDS)]
    request = maker(rng, tables)
    while request is None:
        request = maker(rng, tables)
    actions = [{"name": call.name, "arguments": dict(call.arguments)} for call in request.actions]
    task_id = f"desk-{seed}-{number:05d}"
    return SimulatedTask(
        number=number,
        task_id=task_id,
        category=category,
        difficulty=len(actions),
        hardness=min(1.2, max(0.0, rng.gauss(0.34 + 0.09 * len(actions), 0.26))),
        messages=(
            {"role": "system", "content": HOUSE_RULES},
            {"role": "user", "content": f"Ticket T-{number:05d}: {request.text}"},
        ),
        given={
            "task_id": task_id,
            "category": category,
            "difficulty": len(actions),
            "reference_actions": actions,
        },
        mistakes=_mistakes(request),
        tools=SCHEMAS,
        detail=(tables, request),
    )


def _mistakes(request: Request) -> tuple[str, ...]:
    """The ways in which this request can go wrong, likelier ones more than once."""
    mistakes = ["wrong_record", "stops_early", "stops_early", "extra_action", "loop"]
    if request.people:
        mistakes += ["unresolved_name"] * 3
    if "date_from" in request.look_ups[-1].arguments and len(request.actions) > 1:
        mistakes += ["head_filter"] * 3
    return tuple(mistakes)
