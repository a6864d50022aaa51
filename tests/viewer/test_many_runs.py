"""Many runs in the viewer: a list that can be read, two of them picked out, and words looked for by who wrote them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.gym_rows import message, response, row, write
from tests.viewer.asking import Client

from blade.index.build_index import gather
from blade.options import Options
from blade.viewer import server
from blade.viewer.guard import rules_for

PROMPT = {"input": [{"role": "system", "content": "Speak of marmots."}, {"role": "user", "content": "Find the yak."}]}


@pytest.fixture(scope="module")
def many_client(tmp_path_factory: pytest.TempPathFactory) -> Client:
    folder: Path = tmp_path_factory.mktemp("many")
    paths = []
    for run in range(5):
        rows = [
            row(
                task,
                attempt,
                float((task + attempt + run) % 3 == 0),
                responses_create_params=PROMPT,
                response=response(message(f"A gnu of run {run}.")),
            )
            for task in range(3)
            for attempt in range(2)
        ]
        paths.append(f"model-{run}={write(folder / f'r{run}.jsonl', rows)}")
    return Client(server.application(gather(paths, Options(cache=False)), rules_for("127.0.0.1", None)))


def heads(page: str) -> list[str]:
    table = page.partition('<table class="tasks')[2].partition("</thead>")[0]
    return re.findall(r"<bdi>(model-\d)</bdi>", table)


def test_many_runs_have_one_small_cell_each_that_leads_to_a_failure(many_client: Client) -> None:
    page = many_client.get("/tasks?sort=name").text
    assert heads(page) == [f"model-{run}" for run in range(5)]
    first = page.partition("<tbody>")[2].partition("</tr>")[0]
    cells = re.findall(r'class="rate outcome-(\w+)" href="[^"]*attempt=(\d)[^>]*>([^<]+)<', first)
    assert cells[0] == ("partial", "1", "1/2"), "attempt 0 passes and attempt 1 fails"
    assert len(cells) == 5
    assert 'class="strip"' not in first


def test_a_pair_of_runs_is_picked(many_client: Client) -> None:
    page = many_client.get("/tasks?base=model-1&candidate=model-3").text
    assert heads(page) == ["model-1", "model-3"]
    assert 'class="strip"' in page, "two runs have room for every attempt"
    assert heads(many_client.get("/tasks?candidate=model-2").text) == ["model-0", "model-2"]
    assert len(heads(many_client.get("/tasks?candidate=nobody").text)) == 5


@pytest.mark.parametrize(
    ("words", "scope", "hits"),
    [
        ("gnu", "", 30),
        ("gnu", "model", 30),
        ("gnu", "user", 0),
        ("yak", "user", 30),
        ("yak", "model", 0),
        ("marmots", "", 1),
        ("marmots", "user", 0),
    ],
)
def test_words_are_looked_for_by_who_wrote_them(many_client: Client, words: str, scope: str, hits: int) -> None:
    page = many_client.get(f"/text?q={words}&scope={scope}").text
    assert page.count("data-row") == hits, "a system prompt that all rollouts share is found once"


def test_the_overview_of_many_runs_begins_with_all_of_them(many_client: Client, client: Client) -> None:
    page = many_client.get("/").text
    assert page.index('id="runs"') < page.index('id="verdict"')
    page = client.get("/").text
    assert page.index('id="verdict"') < page.index('id="runs"')


def test_a_search_shows_no_empty_boxes(many_client: Client) -> None:
    page = many_client.get("/search?q=gnu").text
    assert 'id="s-tools"' not in page
    assert "No task, no tool, no finding has these words." in page
    assert 'id="s-text"' in page
