"""blade view: prints an address, answers there, and says what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest


def begin(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "blade", "view", *arguments, "--port", "0"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


@pytest.mark.slow
def test_it_prints_an_address_and_answers_there(front_desk: Path, tmp_path: Path) -> None:
    for _ in range(2):  # the second time from what was kept
        with begin(str(front_desk), "--cache-dir", str(tmp_path)) as server:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            with urlopen(address) as answer:  # noqa: S310 - our own server printed it
                assert b"How rollouts fail" in answer.read()
            server.terminate()
    assert len(list((tmp_path / "view").iterdir())) == 1


@pytest.mark.slow
@pytest.mark.slow
def test_with_a_token_nobody_else_is_answered(front_desk: Path) -> None:
    with begin(str(front_desk), "--no-cache", "--token") as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        assert len(address.partition("?token=")[2]) >= 32
        with pytest.raises(HTTPError) as refused:
            urlopen(address.partition("?")[0])  # noqa: S310 - as above
        assert refused.value.code == 401
        refused.value.close()
        server.terminate()


def test_without_its_packages_it_says_how_to_install_them(front_desk: Path) -> None:
    code = (
        "import sys; sys.modules['starlette'] = None; sys.modules['uvicorn'] = None; "
        f"sys.argv = ['blade', 'view', {str(front_desk)!r}]; from blade.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'blade-engine[view]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_port_that_is_taken_is_said(front_desk: Path) -> None:
    command = [sys.executable, "-m", "blade", "view", str(front_desk), "--host", "192.0.2.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "cannot listen there" in done.stderr
