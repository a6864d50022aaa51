"""The program ends at once, and leaves nothing undone."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(("arguments", "code"), [(["list"], 0), (["nonsense"], 2)])
def test_what_was_to_be_done_at_the_end_is_done_and_the_code_is_kept(arguments: list[str], code: int) -> None:
    script = (
        "import atexit, sys; atexit.register(print, 'tidied', end=''); "
        f"sys.argv = ['blade', *{arguments!r}]; from blade.cli import program; program()"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ended.returncode == code
    assert ended.stdout.endswith("tidied")


def test_a_thread_that_still_works_is_waited_for() -> None:
    script = (
        "import sys, threading, time; threading.Thread(target=lambda: (time.sleep(0.3), print('done'))).start(); "
        "sys.argv = ['blade', 'list']; from blade.cli import program; program()"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("done\n")
