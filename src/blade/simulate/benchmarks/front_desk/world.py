"""The house behind the front desk: staff, members, rooms, bookings, invoices and shifts, made from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from blade.simulate.rng import dice

if TYPE_CHECKING:
    import random

__all__ = ["TODAY", "Record", "Tables", "build", "fresh"]

Record = Mapping[str, str | int]
Tables = dict[str, dict[str, Record]]

TODAY = date(2031, 3, 10)
FIRST = (
    "Ilva",
    "Oren",
    "Tamsin",
    "Brecht",
    "Maud",
    "Corin",
    "Sefa",
    "Dagny",
    "Pell",
    "Rua",
    "Wim",
    "Yara",
    "Jorun",
    "Emlyn",
)
LAST = (
    "Harrow",
    "Quill",
    "Marsh",
    "Tarn",
    "Loftus",
    "Brock",
    "Sedge",
    "Vane",
    "Holt",
    "Crane",
    "Pike",
    "Rook",
    "Thorn",
    "Wick",
)
TEAMS = ("reception", "billing", "rooms", "events")
TRAITS = ("Copper", "Paper", "Quiet", "Amber", "Seven", "Winter", "Hollow", "Bright", "Little", "Crooked")
THINGS = ("Kettle", "Boat", "Lantern", "Anvil", "Orchard", "Needle", "Bellows", "Compass", "Harvest", "Thimble")
GROUPS = ("Choir", "Studio", "Press", "Club", "Works")
PLANS = ("guest", "part", "full")
SLOTS = ("morning", "midday", "afternoon", "evening")
DAYS = 42
MEMBERS = 30


@lru_cache(maxsize=16)
def build(seed: int, house: int = 0) -> Tables:
    """The state that every task of one house begins from. Shared: work on a `fresh` copy."""
    rng = dice("front_desk world", seed, house)
    staff = _staff(rng)
    emails = list(staff)
    members = _members(rng, emails)
    rooms: dict[str, Record] = {
        f"R{n}": {"room_id": f"R{n}", "floor": n // 4, "seats": 4 + 3 * n} for n in range(1, 11)
    }
    bookings: dict[str, Record] = {}
    invoices: dict[str, Record] = {}
    for member_id in members:
        _add_bookings(rng, bookings, member_id, list(rooms))
        _add_invoices(rng, invoices, member_id)
    return {
        "staff": staff,
        "members": members,
        "rooms": rooms,
        "bookings": bookings,
        "invoices": invoices,
        "shifts": _shifts(rng, emails),
    }


def fresh(tables: Tables) -> Tables:
    """A copy to change: records are replaced, never edited, so the copy is shallow and cheap."""
    return {name: dict(table) for name, table in tables.items()}


def _day(offset: int) -> str:
    return (TODAY + timedelta(days=offset)).isoformat()


def _staff(rng: random.Random) -> dict[str, Record]:
    """Addresses cannot be guessed from names: that is what the directory is for."""
    table: dict[str, Record] = {}
    lasts = rng.sample(LAST, len(FIRST))
    for first, last in zip(FIRST, lasts, strict=True):
        email = f"{first[0].lower()}{last[:3].lower()}{rng.randint(10, 99)}@alder-yard.example"
        table[email] = {"name": f"{first} {last}", "email": email, "team": rng.choice(TEAMS)}
    return table


def _members(rng: random.Random, emails: list[str]) -> dict[str, Record]:
    names = sorted({f"{trait} {noun}" for trait in TRAITS for noun in THINGS})
    table: dict[str, Record] = {}
    for number, name in zip(rng.sample(range(100, 999), MEMBERS), rng.sample(names, MEMBERS), strict=True):
        member_id = f"M{number}"
        full = f"{name} {rng.choice(GROUPS)}"
        owner = rng.choice(emails[:9])
        table[member_id] = {"member_id": member_id, "name": full, "plan": rng.choice(PLANS), "owner": owner}
    return table


def _add_bookings(rng: random.Random, table: dict[str, Record], member_id: str, rooms: list[str]) -> None:
    for offset in sorted(rng.sample(range(1, DAYS), rng.randint(3, 7))):
        booking_id = f"B{1000 + 7 * len(table) + rng.randint(0, 6)}"
        table[booking_id] = {
            "booking_id": booking_id,
            "member_id": member_id,
            "room_id": rng.choice(rooms),
            "date": _day(offset),
            "slot": rng.choice(SLOTS),
            "status": rng.choice(("confirmed", "confirmed", "held")),
        }


def _add_invoices(rng: random.Random, table: dict[str, Record], member_id: str) -> None:
    for offset in sorted(rng.sample(range(-60, 0), rng.randint(3, 6))):
        invoice_id = f"V{3000 + 9 * len(table) + rng.randint(0, 8)}"
        table[invoice_id] = {
            "invoice_id": invoice_id,
            "member_id": member_id,
            "amount": 5 * rng.randint(4, 90),
            "issued": _day(offset),
            "status": rng.choice(("open", "open", "paid")),
        }


def _shifts(rng: random.Random, emails: list[str]) -> dict[str, Record]:
    table: dict[str, Record] = {}
    for offset in range(1, DAYS):
        for desk in ("front", "back"):
            shift_id = f"S{500 + 2 * offset + (desk == 'back')}"
            person = rng.choice(emails[:8])
            table[shift_id] = {"shift_id": shift_id, "date": _day(offset), "desk": desk, "staff_email": person}
    return table
