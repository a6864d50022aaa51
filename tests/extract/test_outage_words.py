"""Words for what was out: a backend that nobody reached, a lease that was not granted, a store that was not mounted."""

from __future__ import annotations

import pytest

from blade.extract.trouble import says, speaks_of


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("booking core unreachable", "transport"),
        ("the backend was not reachable", "transport"),
        ("database cluster unreachable", "transport"),
        ("payment gateway is not reachable from here", "transport"),
        ("the records system is unreachable", "transport"),
        ("the session store is not reachable", "transport"),
        ("upstream did not answer", "transport"),
        ("backend failed to respond within 30 s", "transport"),
        ("the server did not reply", "transport"),
        ("the host did not respond", "transport"),
        ("Server disconnected without sending a response.", "transport"),
        ("aiohttp.ServerDisconnectedError", "transport"),
        ("lease 81 was not granted", "machine"),
        ("slot request not granted within 60 s", "machine"),
        ("the runner pool is exhausted", "machine"),
        ("vm expired before the task began", "machine"),
        ("machine n-7 is gone", "machine"),
        ("the box was gone", "machine"),
        ("cannot attach the volume", "machine"),
        ("can not attach node 4", "machine"),
        ("could not mount the store", "machine"),
        ("failed to mount /data on disk 2", "machine"),
        ("unable to mount the snapshot", "machine"),
        ("the volume was not mounted", "machine"),
        ("snapshot not mounted", "machine"),
        ("share is not mounted", "machine"),
    ],
)
def test_an_outage_is_known_by_its_words(text: str, topic: str) -> None:
    for form in (text, text.upper(), f"step 4: {text}"):
        trouble = speaks_of(form)
        assert trouble is not None, form
        assert (trouble.topic, says(form)) == (topic, "infrastructure")


def test_the_place_of_such_words_is_that_of_the_trouble() -> None:
    text = "I asked twice: upstream did not answer, so I stopped"
    trouble = speaks_of(text)
    assert trouble is not None
    assert text[trouble.start : trouble.end] == "upstream did not answer"


@pytest.mark.parametrize(
    "text",
    [
        "the goal is unreachable from here",
        "the state is unreachable in this automaton",
        "cell (3, 4) is not reachable",
        "unreachable code after the return",
        "unreachable code in the core loop",
        "the store is closed on Sundays",
        "the core of the argument is missing",
        "the answer did not respond to the question",
        "the student did not answer question 4",
        "the client failed to reply",
        "failed to answer in French",
        "the request was not granted",
        "the loan was not granted",
        "the lease ran for 4 years",
        "all candidates are exhausted",
        "the lids are gone",
        "inbox was gone through twice",
        "the offer expired before noon",
        "cannot attach the label to the parcel",
        "could not mount the picture on the wall",
        "the wheel is not mounted",
        "few mountaineers failed to mountaineer with a box",
        "the inboxes and lessons were not granted",
        "the amount is not mounted in gold",
        "the store holds 4 frames, and not one was mounted",
        "expected the box to stay, but found that the box was gone",
    ],
)
def test_words_of_the_task_tell_of_no_outage(text: str) -> None:
    assert says(text) is None


@pytest.mark.parametrize(
    ("near", "far"),
    [
        ("backend" + " x" * 14 + " unreachable", "backend" + " x" * 16 + " unreachable"),
        ("lease" + " x" * 19 + " not granted", "lease" + " x" * 21 + " not granted"),
        ("cannot mount" + " x" * 14 + " disk", "cannot mount" + " x" * 16 + " disk"),
        ("volume" + " x" * 9 + " not mounted", "volume" + " x" * 11 + " not mounted"),
        ("the backend is unreachable", "The backend is fine. The goal is unreachable"),
        ("lease 4 not granted", "The lease is signed. A loan was not granted"),
    ],
)
def test_the_words_stand_near_each_other_and_in_one_sentence(near: str, far: str) -> None:
    assert says(near) == "infrastructure"
    assert says(far) is None
