"""Words of Docker and Kubernetes for a container that was never there."""

from __future__ import annotations

import pytest

from blade.extract.trouble import says, speaks_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Error response from daemon: toomanyrequests", "Error response from daemon"),
        ("error response from daemon: no such network", "error response from daemon"),
        ("Back-off: ImagePullBackOff", "ImagePullBackOff"),
        ("reason ErrImagePull", "ErrImagePull"),
        ("reason ImagePullError", "ImagePullError"),
        ("reason ImagePull", "ImagePull"),
        ("rpc error: context deadline exceeded", "context deadline exceeded"),
        ("Context Deadline Exceeded (client)", "Context Deadline Exceeded"),
    ],
)
def test_they_are_the_machines(text: str, words: str) -> None:
    trouble = speaks_of(text)
    assert trouble is not None
    assert (trouble.topic, text[trouble.start : trouble.end]) == ("machine", words)
    assert says(text) == "infrastructure"


@pytest.mark.parametrize(
    "text",
    [
        "the deadline exceeded the budget",
        "the deadline of the context was set",
        "response from the daemon",
        "error response: ask the daemon",
        "ImagePullPolicy: Always",
        "MyImagePull: done",
        "wrong answer: context deadline exceeded",
    ],
)
def test_these_words_alone_tell_of_none(text: str) -> None:
    assert speaks_of(text) is None
