"""Alike messages become one template, different ones do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.signatures import LONGEST, common_words, quoted, template


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("no member 17 in club 4", "no member 9 in club 112"),
        ("cannot open '/data/a.txt'", "cannot open '/data/b c.txt'"),
        ("mail to ann@some.place was refused", "mail to bob.b@other.place was refused"),
        ("run 0f8fad5b-d9cb-469f-a165-70867728950e is gone", "run 7c9e6679-7425-40de-944b-e07fc1f90ae7 is gone"),
        ("due 2024-01-02T10:00:00Z", "due 2025-11-30"),
        ("object at 0x7f3a is closed", "object at 0xdeadbeef is closed"),
        ("Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'x'", "KeyError: 'other'"),
        ("reservation AB12CD is cancelled", "reservation QQ99ZX is cancelled"),
        ("a  b\n c", "a b c"),
        ("line 3 differs: NO != YES", "line 12 differs: maybe != 7"),
        ("assert [1, 2] == [2]", "assert (3) == []"),
        ("line 3 differs: 0 4 != 13 1", "line 12 differs: 8 != 7"),
        ("line 3 differs:  != 13 1", "line 12 differs:  != yes"),
        ("mail to ann@some.place was refused", "mail to <EMAIL_12> was refused"),
        ("GET https://db.example/v1/x failed", "GET https://<HOST_3>/v1/x failed"),
        ("no file /data/ann/runs/a.txt", "no file /data/<USER_1>/runs/a.txt"),
    ],
)
def test_what_varies_is_masked(one: str, two: str) -> None:
    assert template(one) == template(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("no such member", "no such booking"),
        ("KeyError: 'x'", "ValueError: 'x'"),
        ("timed out after 3 s", "refused after 3 s"),
        ("expected a list", "expected a string"),
        ("line 3 differs:  != 7", "line 3 differs: 6 != 7"),
        ("left != right in the total", "left != right in the header"),
    ],
)
def test_what_tells_failures_apart_stays(one: str, two: str) -> None:
    assert template(one) != template(two)


@given(st.text(max_size=2000))
def test_a_template_is_one_short_line_and_its_own_template_stays_short(text: str) -> None:
    made = template(text)
    assert "\n" not in made
    assert len(made) <= LONGEST


def test_lines_of_one_template_are_quoted_without_what_differs() -> None:
    assert common_words(["uv 0.8.6 x86_64", "uv 0.8.6 x86_64"]) == "uv 0.8.6 x86_64"
    assert common_words(["loading uv 0.8.6 x86_64", "loading uv 0.8.11 x86_64"]) == "loading uv … x86_64"
    assert common_words(["got 3 4 kinds", "got 5 6 kinds", "got 3 4 kinds"]) == "got … kinds"
    assert common_words(["no module 'a b'", "no module 'c'"]) == "no module <text>"
    assert common_words(["3% 12s", "4% 13s"]) == "#% #s"


def test_lines_are_quoted_by_what_they_share_and_by_one_of_them_where_they_share_no_word() -> None:
    assert quoted("lid 4 is loose", "lid 4 is loose") == "“lid 4 is loose”"
    assert quoted("lid … is loose", "lid 4 is loose") == "“lid … is loose” (such as “lid 4 is loose”)"
    assert quoted("{<text>: <text>}", "{'error': 'lid'}") == "lines such as “{'error': 'lid'}”"
