"""Every page answers, with an empty state where there is nothing, and says what is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import orjson
import pytest
from tests.gym_rows import ABSENT, row, write
from tests.made_demo import Demo
from tests.viewer.asking import Client

from blade.errors import NotFound, UsageError
from blade.index.build_index import gather
from blade.index.tables import Index
from blade.options import Options
from blade.renderers.html.links import VIEWER, Links
from blade.viewer import server
from blade.viewer.guard import rules_for
from blade.viewer.params import first_page


def crawl(client: Client, limit: int) -> Iterator[tuple[str, int]]:
    links_seen, waiting = {"/"}, ["/"]
    while waiting and limit:
        limit -= 1
        page = waiting.pop(0)
        answer = client.get(page)
        yield page, answer.status_code
        if "html" in answer.headers["content-type"]:
            for link in re.findall(r'(?:href|data-src)="(/[^"#]*)', answer.text):
                address = unescape(link)
                kind = address.partition("?")[0]
                if address not in links_seen and sum(earlier.startswith(kind) for earlier in links_seen) < 25:
                    links_seen.add(address)
                    waiting.append(address)


@pytest.mark.slow
def test_every_link_leads_somewhere(client: Client) -> None:
    status_of = dict(crawl(client, 160))
    assert {page: status for page, status in status_of.items() if status != 200} == {}
    kinds = {page.partition("?")[0] for page in status_of}
    assert kinds >= {"/", "/tasks", "/task", "/transcript", "/twin", "/raw", "/search", "/static/style.css"}


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("/task?task=desk-2-0001x", "Nearest: desk-2-000"),
        ("/task", "No task is named"),
        ("/transcript?of=nobody&task=desk-2-00016&attempt=0", "There are: baseline 0"),
        ("/transcript?of=baseline&task=desk-2-00016&attempt=abc", "has no attempt"),
        ("/item?of=baseline&task=desk-2-00016&attempt=0&entry=item-999", "no entry"),
        ("/raw?of=baseline&task=desk-2-00016&attempt=0&item=999", "no item 999"),
        ("/anything", "no such page"),
    ],
)
def test_what_is_not_there_is_said(client: Client, page: str, words: str) -> None:
    answer = client.get(page)
    assert answer.status_code == 404
    assert words in unescape(answer.text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "page=-1",
        "page=99999999999999999999",
        "page=x",
        "sort=x",
        "part=9.9",
        "part=x",
        "run=nobody",
        "mode=x&label=y&tool=z&finding=q&outcome=w&slice=s",
        "q=%00%ff%ed%a0%80",
    ],
)
def test_no_address_breaks_the_list(client: Client, query: str) -> None:
    assert client.get(f"/tasks?{query}").status_code == 200


def test_raw_json_is_the_row_as_it_stands(client: Client, index: Index) -> None:
    attempt = next(index.read(index.attempts.head(1)))
    raw_row = orjson.loads(client.get(f"/raw?of={attempt.run}&task={attempt.task}&attempt={attempt.attempt}").content)
    line = Path(attempt.source.file).read_bytes().splitlines()[attempt.source.line - 1]
    assert raw_row == orjson.loads(line)
    first = orjson.loads(
        client.get(f"/raw?of={attempt.run}&task={attempt.task}&attempt={attempt.attempt}&item=0").content
    )
    assert first == raw_row["response"]["output"][0]


def test_a_run_with_nothing_in_it_has_an_empty_state_for_everything(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", [row(0, 0, 1.0, response=ABSENT, responses_create_params=ABSENT)])
    index = gather([f"bare={path}"], Options(cache=False))
    client = Client(server.application(index, rules_for("127.0.0.1", None)))
    assert client.get("/").text.count('class="empty"') >= 3
    name = index.tasks["task"][0]
    for page in (
        f"/task?task={name}",
        f"/transcript?of=bare&task={name}&attempt=0",
        "/search",
        "/search?q=zz",
        "/text?q=zz",
        "/tasks?q=zz",
    ):
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert 'class="empty"' in answer.text, page


def test_a_file_that_changed_is_said_to_have_changed(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", [row(0, 0, 1.0), row(1, 0, 0.0)])
    index = gather([f"gone={path}"], Options(cache=False))
    path.write_text("short\n", encoding="utf-8")
    client = Client(server.application(index, rules_for("127.0.0.1", None)))
    answer = client.get(f"/transcript?of=gone&task={index.tasks['task'][1]}&attempt=0")
    assert answer.status_code == 410
    assert "changed since it was read" in answer.text
    path.unlink()
    assert client.get(f"/transcript?of=gone&task={index.tasks['task'][1]}&attempt=0").status_code == 404
    assert "Could not be read" in client.get("/text?q=said").text


def test_the_viewer_begins_at_the_place_that_is_asked_for(index: Index) -> None:
    assert first_page(index, None, None, None) == "/"
    task = index.tasks["task"][3]
    assert first_page(index, task, None, None) == f"/task?task={task}"
    assert first_page(index, task, "candidate", 2) == f"/transcript?of=candidate&task={task}&attempt=2"
    assert first_page(index, task, None, 1) == f"/transcript?of=baseline&task={task}&attempt=1"
    with pytest.raises(NotFound, match="No task is named 'nowhere'"):
        first_page(index, "nowhere", None, None)
    with pytest.raises(UsageError, match="name an attempt of a task"):
        first_page(index, None, "candidate", None)


def test_a_report_leads_to_the_same_place_in_the_viewer(demo: Demo, client: Client) -> None:
    links = Links(demo.analysis)
    task = demo.analysis.tasks[3].task
    for address in (links.viewer(task), links.viewer(task, "candidate", 2), links.viewer(task, "candidate", 2, 0)):
        page = client.get(address.removeprefix(VIEWER).partition("#")[0])
        assert page.status_code == 200
        assert f"Task <bdi>{task}</bdi>" in page.text
    assert links.viewer(task, "candidate", 2, 0).endswith("&at=0#item-0")
    assert 'id="item-0"' in page.text


def test_a_search_with_a_speaker_says_that_findings_are_of_everyone(client: Client) -> None:
    remark = "whoever wrote the words; the choice above is of the transcripts"
    assert remark in client.get("/search?q=shifts_search&scope=tool").text
    assert remark not in client.get("/search?q=shifts_search").text
