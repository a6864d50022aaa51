"""The viewer shows the report of its runs, and each leads to the other on whatever port it listens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.made_demo import Demo
from tests.viewer.asking import Client

from blade.errors import UsageError
from blade.index.tables import Index
from blade.renderers.html.links import task_anchor
from blade.viewer import server
from blade.viewer.guard import rules_for
from blade.viewer.report_page import report_file


@pytest.fixture(scope="module")
def with_report(index: Index, demo: Demo) -> Client:
    return Client(server.application(index, rules_for("127.0.0.1", None), report_file(demo.folder)))


def test_the_report_leads_to_transcripts_on_the_same_server(with_report: Client, demo: Demo) -> None:
    assert "http://127.0.0.1:8765/" in (demo.folder / "report.html").read_text(encoding="utf-8")
    page = with_report.get("/report")
    assert page.status_code == 200
    assert ":8765" not in page.text  # a hash may hold the digits
    address = re.search(r'href="(/transcript[?][^"#]+)', page.text)
    assert address is not None
    assert with_report.get(address[1].replace("&amp;", "&")).status_code == 200


def test_every_page_leads_to_the_report_and_a_task_to_its_line(with_report: Client, index: Index) -> None:
    task = index.tasks["task"][0]
    assert '<a href="/report">Report</a>' in with_report.get("/").text
    assert f'<a href="/report#{task_anchor(task)}">in the report</a>' in with_report.get(f"/task?task={task}").text
    assert f'id="{task_anchor(task)}"' in with_report.get("/report").text


def test_the_page_may_run_its_own_script_alone_and_loads_nothing(with_report: Client) -> None:
    policy = with_report.get("/report").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert re.search(r"script-src 'sha256-[^']+';", policy)
    assert "self" not in policy


def test_without_a_report_there_is_no_way_to_one(client: Client) -> None:
    assert client.get("/report").status_code == 404
    assert 'href="/report"' not in client.get("/").text


def test_a_folder_without_a_report_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no report"):
        report_file(tmp_path)
