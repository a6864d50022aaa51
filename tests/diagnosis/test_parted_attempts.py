"""Where two attempts part: changes decide, look-ups only where nothing is changed, words only where no call differs."""

from __future__ import annotations

from tests.detectors.attempts import call, say
from tests.diagnosis.attempts_on_disk import track

from blade.diagnosis.divergence import part, prefix

LOOK = call("find_order", {"name": "Ann"}, {"id": 1})
OTHER_LOOK = call("find_order", {"name": "Bob"}, {"id": 2})
PAY = call("pay_order", {"order": 1, "amount": 5}, "paid")
PAY_MORE = call("pay_order", {"order": 1, "amount": 6}, "paid")
CANCEL = call("cancel_order", {"order": 1}, "gone")
DONE, SORRY = say("Done."), say("That cannot be done.")


def test_a_change_with_other_arguments_is_named_and_quoted_on_both_sides() -> None:
    made = part(track(LOOK, PAY, DONE), track(OTHER_LOOK, PAY_MORE, DONE, passed=False))
    assert (made.kind, made.decisive) == ("arguments", True)
    assert made.statement == "both call pay_order, the failing attempt with other values of amount"
    assert made.cite_good is not None
    assert made.cite_bad is not None
    assert ('"amount": 5' in made.cite_good.quote, '"amount": 6' in made.cite_bad.quote) == (True, True)


def test_a_change_that_is_never_made_is_set_against_what_was_said_instead() -> None:
    made = part(track(LOOK, PAY, DONE), track(LOOK, SORRY, say("Bye."), passed=False))
    assert made.kind == "missing"
    assert made.bad is not None
    assert made.bad.text == "That cannot be done."


def test_a_change_too_many() -> None:
    made = part(track(LOOK, PAY, DONE), track(LOOK, PAY, CANCEL, DONE, passed=False))
    assert made.kind == "extra"
    assert made.bad is not None
    assert made.bad.name == "cancel_order"


def test_a_further_call_of_a_tool_that_both_use_is_not_told_as_another_tool() -> None:
    run = call("execute", {"command": "cat notes.txt"}, "text")
    write = call("execute", {"command": "rm notes.txt"}, "")
    made = part(track(run, DONE), track(write, DONE, passed=False))
    assert made.statement == "the failing attempt also makes this call of execute, which the passing one does not make"


def test_another_tool_where_no_change_agrees() -> None:
    assert part(track(PAY), track(CANCEL, passed=False)).kind == "tool"


def test_the_order_of_changes_counts_only_where_they_are_the_same() -> None:
    made = part(track(PAY, CANCEL), track(CANCEL, PAY, passed=False))
    assert made.kind == "order"


def test_a_refused_change_changed_nothing() -> None:
    refused = call("cancel_order", {"order": 1}, "Error: not allowed")
    made = part(track(LOOK, PAY, DONE), track(LOOK, refused, PAY, DONE, passed=False))
    assert (made.kind, made.decisive) == ("call", False)


def test_the_same_change_told_in_more_detail_is_no_difference() -> None:
    short = call("pay_order", {"order": 1, "items": [{"sku": "a"}]}, "paid")
    long = call("pay_order", {"order": 1, "items": [{"sku": "A", "label": "an apple"}]}, "paid")
    made = part(track(short, CANCEL, DONE), track(long, DONE, passed=False))
    assert (made.kind, made.good.name if made.good else "") == ("missing", "cancel_order")


def test_where_changes_agree_the_first_call_that_differs_is_shown() -> None:
    made = part(track(LOOK, PAY, DONE), track(OTHER_LOOK, PAY, DONE, passed=False))
    assert (made.kind, made.decisive) == ("call", False)
    stops = part(track(LOOK, OTHER_LOOK, DONE), track(LOOK, DONE, passed=False))
    assert stops.kind == "stops"
    assert part(track(LOOK, DONE), track(LOOK, OTHER_LOOK, DONE, passed=False)).kind == "goes_on"


def test_where_all_calls_agree_the_words_are_shown() -> None:
    made = part(track(say("It is 4.")), track(say("It is 5."), passed=False))
    assert made.kind == "words"
    assert [cite.quote for cite in (made.cite_good, made.cite_bad) if cite] == ["It is 4.", "It is 5."]


def test_empty_attempts_part_without_a_quote() -> None:
    made = part(track(), track(passed=False))
    assert (made.cite_good, made.cite_bad) == (None, None)


def test_a_long_call_is_quoted_where_it_differs() -> None:
    long = {"note": "x" * 400, "amount": 5}
    made = part(
        track(call("pay_order", long, "paid")), track(call("pay_order", {**long, "amount": 6}, "paid"), passed=False)
    )
    assert made.cite_bad is not None
    assert made.cite_bad.quote.startswith('"amount": 6')


def test_ids_made_at_run_time_make_calls_differ() -> None:
    one, other = track(call("close", {"id": "a1"}, "ok")), track(call("close", {"id": "b2"}, "ok"))
    assert prefix(one.calls, other.calls) == 0


def test_a_call_recorded_twice_is_one() -> None:
    whole = call("pay_order", {"order": 1}, call_id="one")
    echo = call("pay_order", {}, "paid", call_id="two")
    assert [event.name for event in track(whole, echo, DONE).calls] == ["pay_order"]
    assert track(whole, echo, DONE).calls[0].changes
