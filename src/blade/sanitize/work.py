"""One look over a package, and one more to write it anew: what its context told once is then known anywhere."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from blade.errors import InputError, UsageError
from blade.files.lines import UNREADABLE
from blade.files.remote_paths import real_path
from blade.sanitize.files import FileEntry, closed, gather, is_media, units, written_like
from blade.sanitize.find import Finder
from blade.sanitize.findings import LINES_SHOWN, Closed, Findings, RuleFinding
from blade.sanitize.hits import PrivateText
from blade.sanitize.rules import Policy, PrivacyRule
from blade.sanitize.tokens import Tokens

SHORTEST_KNOWN = 12
"""A secret of this length or more is taken out wherever it stands, with or without what told it."""


class SanitizeWork:
    """The state of one package under sanitization: who stands for what."""

    def __init__(self, policy: Policy, tokens: Tokens | None = None) -> None:
        self.finder = Finder(policy)
        self.tokens = tokens or Tokens()
        self._values: dict[tuple[str, str], PrivacyRule] = {}
        self._clipped: set[tuple[str, str]] = set()

    def scan(self, entries: Sequence[FileEntry]) -> Findings:
        """The first look: counts, and the values in the order of first sight. Nothing is written."""
        counts: dict[tuple[str, str], list[int]] = defaultdict(list)
        totals: dict[tuple[str, str], int] = defaultdict(int)
        rules: dict[str, PrivacyRule] = {}
        unread = []
        for entry in entries:
            if reason := closed(entry):
                allowed = any(
                    pattern.fullmatch(entry.place) for rule in self.finder.rules[:1] for pattern in rule.allow
                )
                unread.append(Closed(entry.place, reason, open=not allowed and not is_media(entry.path)))
            for line, hit in self._found(entry, readable=not reason):
                rules[hit.rule.name] = hit.rule
                place = (hit.rule.name, entry.place)
                totals[place] += 1
                if len(counts[place]) < LINES_SHOWN and line not in counts[place]:
                    counts[place].append(line)
        order = [rule.name for rule in (*self.finder.rules, *rules.values())]
        items = [
            RuleFinding(name, rules[name].kind, rules[name].what, file, totals[name, file], tuple(lines))
            for (name, file), lines in sorted(counts.items(), key=lambda pair: (order.index(pair[0][0]), pair[0][1]))
        ]
        distinct: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for value, rule in self._values.items():
            distinct[rule.name].add(value)
        return Findings(
            tuple(items), tuple(unread), len(entries), {name: len(values) for name, values in distinct.items()}
        )

    def _found(self, entry: FileEntry, *, readable: bool) -> Iterator[tuple[int, PrivateText]]:
        for hit in self.finder.hits(entry.place, self.finder.rules):
            self._remember(hit)
            yield 0, hit
        if not readable:
            return
        for unit in units(entry):
            text, hits = self.finder.in_line(unit.data)
            self.tokens.taken(unit.data)
            line, position = unit.line, 0
            for hit in hits:
                line, position = line + text.count("\n", position, hit.start), hit.start
                self._remember(hit)
                yield line, hit

    def _remember(self, hit: PrivateText) -> None:
        self._values.setdefault((hit.label, hit.value), hit.rule)
        (self._clipped.add if hit.clipped else self._clipped.discard)((hit.label, hit.value))

    def settle(self) -> None:
        """Between the looks: every value gets its token, whole ones first, and long secrets are known from now on."""
        self._join_beginnings()
        for (label, value), rule in self._values.items():
            if label != "FIELD" and (label, value) not in self._clipped:
                self.tokens.of(label, value)
            if (
                (label, value) not in self._clipped
                and label.startswith("KEY_")
                and len(value) >= SHORTEST_KNOWN
                and "\n" not in value
            ):
                self.finder.known[value] = (rule, label)

    def _join_beginnings(self) -> None:
        """A key that is the beginning of another is that one, cut off by whoever quoted it: both get one token."""
        keys = sorted(pair for pair in self._values if pair[0].startswith("KEY_") and len(pair[1]) >= SHORTEST_KNOWN)
        previous: tuple[str, str] | None = None
        for label, value in reversed(keys):
            if previous and previous[0] == label and previous[1].startswith(value):
                self.tokens.alias(label, value, previous[1])
            else:
                previous = (label, value)

    def cleaned(self, data: bytes) -> bytes:
        """One piece with tokens in it; the very same bytes where nothing is to be taken out."""
        text, hits = self.finder.in_line(data)
        if not hits:
            return data
        return self._replaced(text, hits).encode("utf-8", errors="surrogateescape")

    def _replaced(self, text: str, hits: Iterable[PrivateText]) -> str:
        pieces, position = [], 0
        for hit in hits:
            put = hit.put or self.tokens.of(hit.label, hit.value, clipped=hit.clipped)
            pieces += [text[position : hit.start], put]
            position = hit.end
        return "".join([*pieces, text[position:]])

    def new_place(self, entry: FileEntry) -> str:
        """The place of a file in the cleaned package; a token in a name stands without its brackets."""
        hits = self.finder.hits(entry.place, self.finder.rules)
        return self._replaced(entry.place, hits).replace("<", "").replace(">", "") if hits else entry.place

    def write(self, entry: FileEntry, target: Path) -> None:
        """The cleaned file at its new place; a file that has nothing to hide is copied as it is."""
        target.parent.mkdir(parents=True, exist_ok=True)
        if closed(entry):
            if target != entry.path:
                shutil.copyfile(entry.path, target, follow_symlinks=False)
            return
        draft = target.with_name(f".{target.name}.part")
        changed = False
        try:
            with written_like(entry.path, draft) as stream:
                for unit in units(entry):
                    data = self.cleaned(unit.data)
                    changed = changed or data is not unit.data
                    stream.write(data)
            if changed:
                shutil.copymode(entry.path, draft)
                draft.replace(real_path(target) if target == entry.path else target)
            elif target != entry.path:
                shutil.copyfile(entry.path, target)
                shutil.copymode(entry.path, target)
        except UNREADABLE as error:
            raise InputError(f"{target}: cannot be written ({error}).", "Check the folder's permissions.") from None
        finally:
            draft.unlink(missing_ok=True)


def scan(paths: Iterable[str | Path], policy: Policy | None = None) -> Findings:
    """What in these files should not be shared. Reads only."""
    return SanitizeWork(policy or Policy()).scan(gather(paths))


def is_clean(paths: Iterable[str | Path], policy: Policy | None = None) -> bool:
    """Whether a package may be shared: nothing found, nothing left unread."""
    return scan(paths, policy).is_clean


def sanitize(
    paths: Sequence[str | Path], output: Path | None, policy: Policy | None = None, tokens: Tokens | None = None
) -> tuple[Findings, list[Path]]:
    """Write the files cleaned into a folder, or in place (None). Returns what was found and what was written."""
    entries = gather(paths)
    if output is not None:
        _check_output(paths, output)
    work = SanitizeWork(policy or Policy(), tokens)
    findings = work.scan(entries)
    work.settle()
    several = len(paths) > 1
    files_written = []
    for entry in entries:
        base = entry.root if output is None else output / entry.root.name if several else output
        target = base / work.new_place(entry)
        work.write(entry, target)
        if output is None and target != entry.path:
            if not target.exists():
                shutil.copyfile(entry.path, target)
            entry.path.unlink()
        files_written.append(target)
    return findings, files_written


def _check_output(paths: Sequence[str | Path], output: Path) -> None:
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{output}: is there already and not empty.", "Give a new folder with -o.")
    for path in paths:
        source, target = real_path(path), real_path(output)
        if source == target or source in target.parents:
            raise UsageError(f"{output}: is inside what is to be sanitized.", "Give a folder elsewhere with -o.")
