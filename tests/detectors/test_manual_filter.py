"""Filtering by hand."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, think, tool

from blade.detectors import missing_action
from blade.detectors.manual_filter import detect, explains
from blade.findings import State

LIST = tool("list_invoices", customer="string", status="string", date_from="string", page="integer")
PAY = tool("pay_invoice", invoice_id="string")
ROWS = [{"invoice_id": f"inv-{n}", "status": "open" if n % 2 else "paid", "date": f"2031-01-0{n}"} for n in range(1, 6)]
READ = call("list_invoices", {"customer": "Ann"}, {"result": ROWS})
PICK = think("Of these, only the ones that are open count: inv-1 and inv-3.")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (
            attempt(READ, PICK, call("pay_invoice", {"invoice_id": "inv-1"}, "paid"), tools=[LIST, PAY]),
            "list_invoices.status",
        ),
        (
            attempt(READ, say("The invoices that are still open: inv-1, inv-3, inv-5."), tools=[LIST]),
            "list_invoices.status",
        ),
        (
            attempt(
                call(
                    "list_bills", {"desk": "a"}, [{"bill_id": f"b-{n}", "issued": f"2031-01-0{n}"} for n in range(1, 6)]
                ),
                say("I will go through them: from 2031-01-02 to 2031-01-04."),
                call("pay_bill", {"bill_id": "b-3"}, "paid"),
                tools=[tool("list_bills", desk="string", shop="string", date_from="string"), tool("pay_bill")],
            ),
            "list_bills.date_from",
        ),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (
            attempt(
                call("list_invoices", {"status": "open", "date_from": "2031"}, ROWS),
                PICK,
                call("pay_invoice", {"invoice_id": "inv-1"}, "paid"),
                tools=[LIST, PAY],
            ),
            CLEAN,
        ),
        (attempt(READ, PICK, say(", ".join(row["invoice_id"] for row in ROWS)), tools=[LIST]), CLEAN),
        (attempt(READ, call("pay_invoice", {"invoice_id": "inv-1"}, "paid"), tools=[LIST, PAY]), CLEAN),
        (attempt(call("list_invoices", {}, ROWS[:2]), PICK, say("inv-1 it is."), tools=[LIST]), CLEAN),
        (attempt(READ, PICK, say("inv-1"), tools=[tool("list_invoices", customer="string")]), CLEAN),
        (attempt(READ, PICK, say("inv-1")), NOT_APPLICABLE),
        (attempt(say("inv-1"), tools=[LIST]), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state


def test_the_record_that_an_expected_action_misses_is_named_where_it_was_listed() -> None:
    expected = [{"name": "pay_invoice", "arguments": {"invoice_id": one}} for one in ("inv-1", "inv-3")]
    pay = call("pay_invoice", {"invoice_id": "inv-1"}, "paid")
    by_eye = attempt(READ, PICK, pay, tools=[LIST, PAY], ground_truth=expected)
    seen = detect(by_eye)
    assert seen.detail.endswith("then picks among 5 records in its own words and leaves out 'inv-3'")
    assert explains(seen) > missing_action.EXPLAINS
    assert missing_action.detect(by_eye).state is FIRED


def test_what_was_never_listed_was_not_left_out_by_picking() -> None:
    expected = [{"name": "pay_invoice", "arguments": {"invoice_id": one}} for one in ("inv-1", "inv-9")]
    pay = call("pay_invoice", {"invoice_id": "inv-1"}, "paid")
    seen = detect(attempt(READ, PICK, pay, tools=[LIST, PAY], ground_truth=expected))
    assert seen.state is FIRED
    assert "leaves out" not in seen.detail
    assert explains(seen) < missing_action.EXPLAINS
