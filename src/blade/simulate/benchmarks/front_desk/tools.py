"""The tools of the front desk: look-ups that read the records and actions that change them."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

from blade.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from blade.simulate.benchmarks.front_desk.world import Record, Tables
    from blade.simulate.simulated_row import Json

__all__ = ["ACTIONS", "LOOK_UPS", "SCHEMAS", "is_error", "use"]

LISTED = 25


@frozen
class LookUp:
    """Searches one table by equal fields, and by a span of days where the records carry a date."""

    table: str
    about: str
    equal: tuple[str, ...]
    day: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        return (*self.equal, "date_from", "date_to") if self.day else self.equal

    def run(self, tables: Tables, arguments: Mapping[str, str]) -> str:
        filters = [(field, arguments[field].lower()) for field in self.equal if arguments.get(field)]
        records = [record for record in tables[self.table].values() if _holds(record, filters)]
        if self.day:
            first, last = arguments.get("date_from", ""), arguments.get("date_to", "9999")
            records = [record for record in records if first <= str(record[self.day]) <= last]
        return json.dumps({"records": records[:LISTED], "total": len(records)})


def _holds(record: Record, filters: list[tuple[str, str]]) -> bool:
    """Whether every wanted field is equal; a part is enough for a name."""
    for field, text in filters:
        value = str(record[field]).lower()
        if text != value and not (field == "name" and text in value):
            return False
    return True


@frozen
class Action:
    """Changes one record, or adds one; every argument is needed."""

    about: str
    arguments: tuple[str, ...]
    run: Callable[[Tables, Mapping[str, str]], str]


def _change(table: str, key: str) -> Callable[[Tables, Mapping[str, str]], str]:
    """An action that writes every other argument into the record that `key` names."""

    def run(tables: Tables, arguments: Mapping[str, str]) -> str:
        record_id = arguments[key]
        tables[table][record_id] = {**tables[table][record_id], **{k: v for k, v in arguments.items() if k != key}}
        return json.dumps({"done": record_id})

    return run


def _cancel(tables: Tables, arguments: Mapping[str, str]) -> str:
    return _change("bookings", "booking_id")(tables, {**arguments, "status": "cancelled"})


def _create(tables: Tables, arguments: Mapping[str, str]) -> str:
    booking_id = f"B{9000 + len(tables['bookings'])}"
    tables["bookings"][booking_id] = {"booking_id": booking_id, **arguments, "status": "confirmed"}
    return json.dumps({"done": booking_id})


LOOK_UPS = {
    "directory_find": LookUp("staff", "Find the address and team of staff by name or part of it.", ("name", "team")),
    "members_search": LookUp("members", "List members by name, plan or owner's address.", ("name", "plan", "owner")),
    "rooms_search": LookUp("rooms", "List rooms with their floor and seats.", ("room_id",)),
    "bookings_search": LookUp(
        "bookings", "List bookings; both days of a span are included.", ("member_id", "room_id", "status"), "date"
    ),
    "invoices_search": LookUp(
        "invoices", "List invoices by day of issue; both days are included.", ("member_id", "status"), "issued"
    ),
    "shifts_search": LookUp("shifts", "List desk shifts; both days are included.", ("staff_email", "desk"), "date"),
}
ACTIONS = {
    "booking_create": Action("Book a room.", ("member_id", "room_id", "date", "slot"), _create),
    "booking_move": Action("Move a booking.", ("booking_id", "date", "slot"), _change("bookings", "booking_id")),
    "booking_cancel": Action("Cancel a booking.", ("booking_id",), _cancel),
    "invoice_set_status": Action(
        "Set an invoice's status.", ("invoice_id", "status"), _change("invoices", "invoice_id")
    ),
    "member_set_owner": Action("Hand a member over.", ("member_id", "owner"), _change("members", "member_id")),
    "member_set_plan": Action("Change a member's plan.", ("member_id", "plan"), _change("members", "member_id")),
    "shift_assign": Action("Give a shift to someone.", ("shift_id", "staff_email"), _change("shifts", "shift_id")),
}
TOOLS: dict[str, LookUp | Action] = {**LOOK_UPS, **ACTIONS}
NOTES = {
    "date": "A day as YYYY-MM-DD",
    "date_from": "First day of the span as YYYY-MM-DD",
    "date_to": "Last day of the span as YYYY-MM-DD",
    "owner": "Address of the member of staff in charge",
    "staff_email": "Address of the member of staff",
    "slot": "morning, midday, afternoon or evening",
}
TABLES = {"booking_id": "bookings", "invoice_id": "invoices", "member_id": "members", "shift_id": "shifts"}
PEOPLE = ("owner", "staff_email")


def _schema(name: str, tool: LookUp | Action) -> Json:
    fields = {field: {"type": "string", "description": NOTES.get(field, f"The {field}")} for field in tool.arguments}
    needed = list(tool.arguments) if isinstance(tool, Action) else []
    parameters = {"type": "object", "properties": fields, "required": needed, "additionalProperties": False}
    return {"name": name, "parameters": parameters, "strict": False, "type": "function", "description": tool.about}


SCHEMAS: tuple[Json, ...] = tuple(_schema(name, tool) for name, tool in TOOLS.items())


def use(tables: Tables, name: str, arguments: Mapping[str, str]) -> str:
    """Run one tool call on the tables; whatever is wrong with it comes back as text, as tools do."""
    tool = TOOLS.get(name)
    if tool is None:
        return f"Error: there is no tool named '{name}'."
    problem = _problem(tables, tool, arguments)
    return f"Error: {problem}" if problem else tool.run(tables, arguments)


def is_error(output: str) -> bool:
    """Whatever is neither a listing nor a receipt is an error, however it is worded."""
    return not output.startswith(('{"records": ', '{"done": '))


def _problem(tables: Tables, tool: LookUp | Action, arguments: Mapping[str, str]) -> str:
    for field in arguments:
        if field not in tool.arguments:
            return f"unknown argument '{field}'."
    for field in tool.arguments:
        if isinstance(tool, Action) and field not in arguments:
            return f"argument '{field}' is needed."
        if field.startswith("date") and field in arguments and not _is_day(arguments[field]):
            return f"argument '{field}' wants YYYY-MM-DD, got '{arguments[field]}'."
        if isinstance(tool, Action) and field in TABLES and arguments[field] not in tables[TABLES[field]]:
            return f"no record '{arguments[field]}'."
        if isinstance(tool, Action) and field in PEOPLE and arguments[field] not in tables["staff"]:
            return f"nobody on the staff has the address '{arguments[field]}'."
    return ""


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
