"""Foreign text becomes safe markup."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.pages.markup import LONGEST_MARKDOWN, Mark, breakable, markdown, marked, text, visible

ALLOWED = re.compile(
    r"</?(p|br|hr|strong|em|del|code|pre|blockquote|ul|ol|li|h[1-6]|table|thead|tbody|tr|th|td|a)"
    r"( (href|title|rel|target|start)=\"[^\"<>]*\")*>"
)


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("a\x00b\x07", "a␀b␇"),
        ("\x7f", "␡"),
        ("abc\u202edef", "abc⟦U+202E⟧def"),
        ("\u2066x\u2069", "⟦U+2066⟧x⟦U+2069⟧"),
        ("zero\u200bwidth\ufeff", "zero⟦U+200B⟧width⟦U+FEFF⟧"),
        ("\U000e0041", "⟦U+E0041⟧"),
        ("\ud800", "⟦U+D800⟧"),
        ("\u2028", "⟦U+2028⟧"),
        ("\u0085", "⟦U+0085⟧"),
        ("\u061c", "⟦U+061C⟧"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
    ],
)
def test_what_would_not_be_seen_is_made_visible(given_text: str, shown: str) -> None:
    assert visible(given_text) == shown


@pytest.mark.parametrize(
    "plain", ["naïve – “quotes” … 1 −2", "日本語", "עברית", "हिन्दी", "👩‍💻", "tab\tand\nline", "می‌خواهم"]
)
def test_ordinary_text_in_any_script_stays_as_it_is(plain: str) -> None:
    assert visible(plain) == plain


@given(st.text(alphabet=st.characters(codec=None)))
def test_no_hidden_character_is_left(words: str) -> None:
    left = {char for char in visible(words) if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}}
    assert left <= set("\n\t\u200c\u200d")


@given(st.text())
def test_text_has_no_tags(words: str) -> None:
    assert "<" not in text(words)
    assert '"' not in text(words)


def test_marks_are_set_at_their_places_and_shared_stretches_belong_to_the_first() -> None:
    made = marked("ab<c>def", [Mark(2, 5, "m1", 'say "x"'), Mark(4, 7, "m2"), Mark(4, 5, "m3")])
    assert made == (
        'ab<mark class="finding" id="m1" title="say &#34;x&#34;">&lt;c&gt;</mark>'
        '<mark class="finding" id="m2" title="">de</mark><span id="m3"></span>f'
    )


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\r")),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=5),
)
def test_marks_never_change_the_words(words: str, places: list[tuple[int, int]]) -> None:
    made = marked(words, [Mark(min(place), max(place)) for place in places])
    assert re.sub(r"</?mark[^>]*>", "", made) == text(words)


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://a.example/x.png)",
        "![x](data:image/svg+xml,<svg onload=alert(1)>)",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt&#58;alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](vbscript:x)",
        '<https://a.example/"onmouseover=alert(1)>',
        '[x](https://a.example "onmouseover=alert(1)")',
        "<svg onload=alert(1)>",
        "<style>*{display:none}</style>",
        '<p style="position:fixed">x</p>',
        "`<b>`",
        "```html\n<iframe src=x></iframe>\n```",
        "| a | b |\n|:-:|---|\n| <b>x</b> | y |",
    ],
)
def test_markdown_leaves_only_harmless_tags(hostile: str) -> None:
    made = str(markdown(hostile))
    assert ALLOWED.sub("", made).find("<") == -1, made
    links = re.findall(r'href="([^"]*)"', made)
    assert all(link.startswith(("https://", "http://", "mailto:")) for link in links)


@given(st.text(alphabet="<>&\"'`*_[]()!#|-\n abjavscript:/=\u202e\x00"))
def test_no_markdown_makes_other_tags(words: str) -> None:
    assert "<" not in ALLOWED.sub("", str(markdown(words)))


def test_markdown_is_set() -> None:
    made = markdown("# Title\n\n- **bold** and `code`\n\n[there](https://a.example/x)")
    assert "<h1>Title</h1>" in made
    assert "<strong>bold</strong> and <code>code</code>" in made
    assert 'rel="noopener noreferrer nofollow"' in made


def test_long_markdown_stays_text() -> None:
    made = markdown("[" * 5_000_000)
    assert made.startswith("<pre>")
    markdown("[" * LONGEST_MARKDOWN)
    markdown("*a " * (LONGEST_MARKDOWN // 3))
    markdown("> " * (LONGEST_MARKDOWN // 2))


def test_a_name_may_go_on_behind_its_underscores_and_stays_text() -> None:
    assert breakable("a_b<c>_d") == "a_<wbr>b&lt;c&gt;_<wbr>d"
