"""Who may ask, and what a browser may do with the answer."""

from __future__ import annotations

import pytest
from tests.viewer.asking import Client

from blade.index.tables import Index
from blade.viewer import server
from blade.viewer.guard import HEADERS, is_loopback, rules_for

PAGES = ["/", "/tasks", "/search?q=x", "/nowhere", "/static/style.css", "/raw?of=x&task=y&attempt=0"]


@pytest.mark.parametrize("page", PAGES)
def test_every_answer_carries_the_policy(client: Client, page: str) -> None:
    answer = client.get(page)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "server" not in answer.headers


@pytest.mark.parametrize(
    "host",
    ["foreign.example", "foreign.example:80", "127.0.0.1.foreign.example", "", "localhost.foreign.example", "10.0.0.1"],
)
def test_foreign_host_names_are_refused(client: Client, host: str) -> None:
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "task" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8765", "localhost:1", "LOCALHOST", "[::1]:8765"])
def test_names_of_this_machine_are_answered(client: Client, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_changed(client: Client, method: str) -> None:
    assert client.request(method, "/").status_code == 405


def test_other_sites_may_link_here_but_not_load_from_here(client: Client) -> None:
    cross = {"sec-fetch-site": "cross-site"}
    assert client.get("/", headers={**cross, "sec-fetch-mode": "navigate"}).status_code == 200
    assert client.get("/", headers={**cross, "sec-fetch-mode": "no-cors"}).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/static/../index.py",
        "/static/..%2findex.py",
        "/static/%2e%2e/%2e%2e/etc/passwd",
        "/static/....//etc/passwd",
        "/static/%00",
        "/../../etc/passwd",
        "/static//etc/passwd",
        "/raw?of=/etc/passwd&task=../../etc/passwd&attempt=0",
        "/item?of=x&task=/etc/passwd&attempt=0&entry=../x",
    ],
)
def test_no_path_leads_out(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "root:" not in answer.text


def test_off_this_machine_a_token_is_asked_for_once(index: Index) -> None:
    app = server.application(index, rules_for("0.0.0.0", "secret-token"))  # noqa: S104 - no socket is bound
    client = Client(app, "192.0.2.7:8765")
    assert client.get("/").status_code == 401
    assert client.get("/static/style.css").status_code == 401
    assert client.get("/?token=wrong").status_code == 401
    assert client.get("/", headers={"cookie": "blade_token=wrong"}).status_code == 401
    first = client.get("/tasks?bucket=never&token=secret-token")
    assert first.status_code == 303
    assert first.headers["location"] == "/tasks?bucket=never"
    assert "HttpOnly" in first.headers["set-cookie"]
    assert "secret-token" not in first.headers["location"]
    assert client.get("/tasks?bucket=never").status_code == 200
    assert client.get("/", headers={"host": "foreign.example"}).status_code == 421
    away = client.get("//foreign.example/?token=secret-token", headers={"cookie": ""})
    assert not away.headers.get("location", "/").startswith("//")


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("192.0.2.7", False), ("host.example", False)],
)
def test_only_the_loopback_needs_no_token(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_another_name_can_be_allowed() -> None:
    assert rules_for("127.0.0.1", None, ["Tunnel.example"]).knows("tunnel.example:443")
