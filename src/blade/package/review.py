"""Records who accepted which section of a golden report and which anchor fact, and when.

An acceptance holds for the text that was accepted: a section or fact that is changed afterwards is open again.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from blade.errors import InputError, UsageError
from blade.frozen import frozen
from blade.package.golden import DRAFT
from blade.package.layout import Golden, Layout, same_name
from blade.package.texts import parts, read_object, read_text
from blade.renderers import json

ALL = "all"


@frozen
class ReviewItem:
    """One section or fact: its name, the hash of its text, and the acceptance that holds for it."""

    kind: str  # section, fact
    name: str
    text: str
    digest: str
    accepted: Mapping[str, Any] | None


@frozen
class Review:
    """The state of one golden report."""

    model: str
    items: tuple[ReviewItem, ...]
    draft: bool
    facts_missing: bool

    @property
    def open(self) -> tuple[ReviewItem, ...]:
        return tuple(item for item in self.items if item.accepted is None)

    @property
    def done(self) -> bool:
        return not self.open and not self.facts_missing


def look(golden: Golden) -> Review:
    """What is accepted and what is open; a report that cannot be read has nothing to accept."""
    text = read_text(golden.report)
    if text.problem:
        raise InputError(f"{golden.report}: the report {text.problem}.", "Write it anew or mend it.")
    record = _record(golden)
    sections = [_item("section", title, body, record.get("sections")) for title, body in _sections(text.value).items()]
    facts = [_item("fact", name, fact, record.get("facts")) for name, fact in _facts(golden).items()]
    missing = not facts and not golden.comparison
    return Review(golden.model, (*sections, *facts), is_draft(golden), missing)


def accept(
    layout: Layout, golden: Golden, sections: tuple[str, ...], facts: tuple[str, ...], by: str, date: str
) -> Review:
    """Record the acceptance of the named sections and facts; once nothing is open, the mark of a draft goes."""
    before = look(golden)
    selection = [*_selected(before, "section", sections), *_selected(before, "fact", facts)]
    if selection:
        names = {(item.kind, item.name) for item in selection}
        stamp = {"by": by, "date": date}
        accepted: dict[str, dict[str, Any]] = {"section": {}, "fact": {}}
        for item in before.items:
            acceptance = stamp if (item.kind, item.name) in names else item.accepted
            if acceptance is not None:
                accepted[item.kind][item.name] = {
                    "by": acceptance.get("by"),
                    "date": acceptance.get("date"),
                    "sha256": item.digest,
                }
        path = golden.review or layout.review_path(golden.model)
        _write(
            path,
            json.dump(json.plain({"model": golden.model, "sections": accepted["section"], "facts": accepted["fact"]})),
        )
    after = look(layout.golden_of(golden.model))
    if selection and after.done:
        _lift_the_mark(golden)
        after = look(layout.golden_of(golden.model))
    return after


def is_draft(golden: Golden) -> bool:
    """Whether report or sidecar still carry the mark."""
    text = read_text(golden.report)
    sidecar_value = read_object(golden.sidecar).value if golden.sidecar else None
    return DRAFT in (text.value or "") or (isinstance(sidecar_value, dict) and sidecar_value.get("draft") is True)


def fact_list(document: Any) -> list[dict[str, Any]]:
    """The anchor facts of a document: under `anchor_facts`, or a bare list."""
    facts = document.get("anchor_facts") if isinstance(document, dict) else document
    return [fact for fact in facts if isinstance(fact, dict)] if isinstance(facts, list) else []


def _selected(review: Review, kind: str, names: tuple[str, ...]) -> list[ReviewItem]:
    """The items that are named; `all` means those that are open, so that nobody's acceptance is written over."""
    items = [item for item in review.items if item.kind == kind]
    selection: list[ReviewItem] = []
    for name in names:
        open_ones = [item for item in items if item.accepted is None]
        matches = open_ones if name == ALL else [item for item in items if same_name(item.name, name)]
        if not matches and name != ALL:
            item_names = ", ".join(item.name for item in items) or "none"
            raise UsageError(f"No {kind} is named '{name}'.", f"There are: {item_names}.")
        selection.extend(matches)
    return selection


def _sections(text: str) -> dict[str, str]:
    """Title → text of every `##` section, deeper headings included."""
    lines_by_title: dict[str, list[str]] = {}
    title = ""
    for part in parts(text):
        if 0 < part.level <= 2:
            title = part.title if part.level == 2 else ""
        if title:
            deeper = [f"{'#' * part.level} {part.title}"] if part.level > 2 else []
            lines_by_title.setdefault(title, []).extend([*deeper, *part.lines])
    return {title: "\n".join(lines).strip() for title, lines in lines_by_title.items()}


def _facts(golden: Golden) -> dict[str, str]:
    document = read_object(golden.anchors).value if golden.anchors else None
    return {
        str(fact.get("id", place)): str(fact.get("fact", "")) for place, fact in enumerate(fact_list(document), start=1)
    }


def _item(kind: str, name: str, text: str, record: Any) -> ReviewItem:
    digest = sha256(text.encode("utf-8", "replace")).hexdigest()
    acceptance = record.get(name) if isinstance(record, dict) else None
    holds = isinstance(acceptance, dict) and acceptance.get("sha256") == digest
    return ReviewItem(kind, name, text, digest, acceptance if holds else None)


def _record(golden: Golden) -> Mapping[str, Any]:
    if golden.review is None:
        return {}
    record_file = read_object(golden.review)
    if not isinstance(record_file.value, dict):
        raise InputError(
            f"{golden.review}: the record {record_file.problem or 'is no object'}.", "Mend it or remove it."
        )
    return record_file.value


def _lift_the_mark(golden: Golden) -> None:
    text = read_text(golden.report).value
    if DRAFT in text:
        _write(golden.report, text.replace(f"{DRAFT}\n\n", "", 1).replace(DRAFT, "", 1).encode())
    for path, key, value in ((golden.sidecar, "draft", None), (golden.anchors, "review_required", False)):
        document = read_object(path).value if path else None
        if path is None or not isinstance(document, dict) or key not in document:
            continue
        document = {name: inner for name, inner in document.items() if name != key} | (
            {} if value is None else {key: value}
        )
        _write(path, json.dump(json.plain(document)))


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}).", "Check its permissions.") from None
