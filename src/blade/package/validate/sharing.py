"""Nothing in the package that must not be shared: what the sanitizer finds is counted by rule, never printed."""

from __future__ import annotations

from collections.abc import Iterator

from blade.engine.settings import find_benchmark, load_benchmark
from blade.errors import BladeError
from blade.package.layout import Layout
from blade.package.stages import part
from blade.package.validate.result import Item, Result, failed, passed, skipped, some


def check_sharing(layout: Layout) -> Iterator[Result]:
    """The rules, and the private names and fields that the package's own benchmark.toml declares."""
    check = "sanitization clean"
    scan, policy = part("blade.sanitize", "scan"), part("blade.sanitize", "Policy")
    if scan is None or policy is None:
        yield skipped(Item.SHARING, check, "this build has no sanitizer")
        return
    try:
        settings, _ = load_benchmark(find_benchmark([layout.folder]))
        findings = scan([layout.folder], policy().plus(dict(settings.values)))
    except BladeError as error:
        yield failed(Item.SHARING, check, error.message, error.hint)
        return
    if findings.is_clean:
        yield passed(Item.SHARING, check, f"{findings.files} files")
        return
    descriptions = [f"{rule} ({sum(item.count for item in items)})" for rule, items in findings.by_rule().items()]
    descriptions += [f"{file.file} {file.why}" for file in findings.closed if file.open]
    yield failed(
        Item.SHARING, check, some(descriptions), f"`blade sanitize {layout.folder}` names the places and replaces them"
    )
