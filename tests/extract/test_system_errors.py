"""What an operating system says of a call that it could not do, in the words that all systems share."""

from __future__ import annotations

import pytest

from blade.extract.failure import failure


@pytest.mark.parametrize(
    "answer",
    [
        "write /orchard/notes.md: no space left on device",
        "open /orchard/keys: permission denied",
        "mkdir /orchard/north: file exists",
        "cp: error writing 'north': Disk quota exceeded",
        "touch: cannot touch 'north': Read-only file system",
        "dial tcp 10.0.0.7:80: connection refused",
    ],
)
def test_a_call_that_the_system_could_not_do_failed(answer: str) -> None:
    assert failure(answer) == answer


@pytest.mark.parametrize(
    "answer",
    [
        "Filesystem Size Used Avail Use% Mounted on\noverlay 40G 40G 0 100% /",
        "The manual says: a device with no space left is full.",
        "north.txt: 3 lines",
    ],
)
def test_what_only_speaks_of_such_things_is_no_failure(answer: str) -> None:
    assert failure(answer) is None
