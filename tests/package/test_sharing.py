"""What the sanitizer finds fails a package; the values themselves are never printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from blade.package.layout import Layout
from blade.package.validate import sharing
from blade.package.validate.result import CheckState


@dataclass
class Found:
    count: int


@dataclass
class Unread:
    file: str
    why: str
    open: bool


@dataclass
class Findings:
    rules: dict[str, list[Found]] = field(default_factory=dict)
    closed: tuple[Unread, ...] = ()
    files: int = 3

    @property
    def is_clean(self) -> bool:
        return not self.rules and not any(file.open for file in self.closed)

    def by_rule(self) -> dict[str, list[Found]]:
        return self.rules


@dataclass
class Policy:
    values: dict[str, Any] = field(default_factory=dict)

    def plus(self, values: dict[str, Any]) -> Policy:
        return Policy(values)


def use(monkeypatch: pytest.MonkeyPatch, scan: Callable[..., Findings] | None) -> None:
    parts: dict[str, Callable[..., Any]] = {"scan": scan, "Policy": Policy} if scan else {}
    monkeypatch.setattr(sharing, "part", lambda _, name: parts.get(name))


def test_without_a_sanitizer_nothing_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, None)
    (result,) = sharing.check_sharing(Layout(tmp_path))
    assert result.state is CheckState.SKIP


def test_a_clean_package_passes_and_its_own_settings_are_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "benchmark.toml").write_text('private_names = ["Project Heron"]\n', encoding="utf-8")
    policies: list[Policy] = []

    def scan(paths: list[Path], policy: Policy) -> Findings:
        policies.append(policy)
        assert paths == [tmp_path]
        return Findings()

    use(monkeypatch, scan)
    (result,) = sharing.check_sharing(Layout(tmp_path))
    assert result.state is CheckState.PASS
    assert policies[0].values["private_names"] == ["Project Heron"]


def test_what_is_found_is_counted_by_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, lambda *_: Findings({"email": [Found(2), Found(1)]}, (Unread("a.bin", "is binary", open=True),)))
    (result,) = sharing.check_sharing(Layout(tmp_path))
    assert result.state is CheckState.FAIL
    assert result.detail == "email (3), a.bin is binary"
    assert "blade sanitize" in result.fix


def test_settings_that_cannot_be_read_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "benchmark.toml").write_text("= nonsense", encoding="utf-8")
    use(monkeypatch, lambda *_: Findings())
    (result,) = sharing.check_sharing(Layout(tmp_path))
    assert result.state is CheckState.FAIL
