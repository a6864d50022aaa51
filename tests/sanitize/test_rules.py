"""Every rule finds its shape, names it, and leaves alone what only looks like it."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from tests.sanitize.shapes import INNOCENT, shapes

from blade.errors import ConfigError, UsageError
from blade.extract.error_claims import is_redacted
from blade.sanitize import Policy
from blade.sanitize.find import Finder
from blade.sanitize.rules import KINDS, built_in
from blade.sanitize.tokens import TOKEN

ALL = Finder(Policy())


def rules_in(text: str, finder: Finder = ALL) -> list[str]:
    return [hit.rule.name for hit in finder.in_line(text.encode())[1]]


@pytest.mark.parametrize("seed", range(5))
def test_every_shape_is_found_by_its_own_rule_and_whole(seed: int) -> None:
    for planted in shapes(seed):
        _, hits = ALL.in_line(planted.text.encode())
        names = [hit.rule.name for hit in hits]
        assert planted.rule in names, planted
        left = planted.text
        for hit in reversed(hits):
            left = left[: hit.start] + left[hit.end :]
        assert planted.secret not in left, planted


def test_every_rule_has_a_shape_in_the_tests() -> None:
    assert {planted.rule for planted in shapes(0)} == {rule.name for rule in built_in()}


def test_every_rule_is_of_a_known_kind_and_its_tokens_are_seen_as_redacted() -> None:
    for rule in built_in():
        assert rule.kind in KINDS
        assert rule.keywords
        for label in rule.tokens:
            assert TOKEN.fullmatch(f"<{label}_1>")
            assert is_redacted(f"text <{label}_12> text".encode())


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    assert rules_in(text) == []


def test_no_pattern_folds_case_over_everything() -> None:
    assert not any(rule.pattern.flags & re.IGNORECASE for rule in built_in())


def test_a_known_kind_can_be_kept_and_an_unknown_one_is_said() -> None:
    mail = "write to ada@mill-works.com"
    assert rules_in(mail) == ["email"]
    assert rules_in(mail, Finder(Policy(keep=("emails",)))) == []
    assert rules_in(mail, Finder(Policy(allow=(r".*@mill-works\.com",)))) == []
    with pytest.raises(ConfigError, match="nothing named 'mails_'"):
        Finder(Policy(keep=("mails_",)))
    with pytest.raises(ConfigError, match="not a pattern"):
        Finder(Policy(allow=("(",)))


def test_a_real_provider_is_not_taken_for_an_example() -> None:
    for mail in ("ada.l@mail.com", "ada.l@email.com", "user@mill-works.com", "test1@company.com"):
        assert rules_in(f"from {mail}") == ["email"], mail


def test_a_declared_name_is_found_in_any_case_and_joined_in_any_way() -> None:
    finder = Finder(Policy(private_names=("SecretBench",)))
    for text in ("SecretBench", "secretbench_task_1", "SECRET-BENCH", "secret bench", "x/secret_bench/y"):
        assert rules_in(text, finder) == ["private_name"], text
    assert rules_in("secretbenches and topsecretbench", finder) == []
    assert rules_in("a <NAME_1> b", Finder(Policy(private_names=("<NAME_1>",)))) == []


def test_what_a_score_needs_cannot_be_private() -> None:
    with pytest.raises(UsageError, match="cannot be private"):
        Finder(Policy(private_fields=("reward",)))


def test_an_escape_before_a_value_is_not_part_of_it() -> None:
    _, hits = ALL.in_line(rb"log: \nada@mill-works.com\n")
    assert [hit.value for hit in hits] == ["ada@mill-works.com"]


def test_an_encoded_address_is_found() -> None:
    text = "https://x.example/?to=" + quote("ada@mill-works.com", safe="")
    assert [hit.value for hit in ALL.in_line(text.encode())[1]] == ["ada@mill-works.com"]


def test_long_lines_take_linear_time() -> None:
    for piece in (
        b"a",
        b"sk-",
        b"a.",
        b"-",
        b"@",
        b"eyJ",
        b'"',
        b"\\",
        b"10.",
        b"/home/",
        b"://",
        b"key=",
        b"{",
        b"%41",
    ):
        ALL.in_line(piece * (400_000 // len(piece)))


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("key [REDACTED]", True),
        ("<redacted_email>", True),
        ("[redacted: by policy]", True),
        ("**Redacted**", True),
        ("set key [REDACTED: PUT THE NAME OF YOUR JAR HERE]", False),
        ("[redacted", False),
    ],
)
def test_a_mark_of_redaction_is_short_and_closed(text: str, marked: bool) -> None:
    assert is_redacted(text.encode()) is marked
