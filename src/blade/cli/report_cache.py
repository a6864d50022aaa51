"""The last reports on disk: the same command on the same files writes the same report, and need not work it out anew.

An entry is named after the command, its settings, the names and sizes of its files and the program; it holds the
fingerprints of the files, what was written and what was printed. It is used only where every file still has the
content that it had, and it is kept only where no file changed while it was analyzed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

import orjson
from xxhash import xxh3_128_hexdigest

from blade.engine.discover import discover
from blade.engine.input_files import input_files, program, settings_of
from blade.files.placing import put_in_place
from blade.files.remote_paths import cache_folder, digest_of, is_remote, place, state_of
from blade.frozen import frozen
from blade.options import Options

FOLDER = "reports"
MOST_ENTRIES = 4
RACY_NS = 2_000_000_000
"""A file that was written a moment ago could change without its times changing."""
_READ_ERRORS = (OSError, ValueError, KeyError, TypeError)


@frozen
class CachedReport:
    """The place of one report, and the files that it rests on as they stood before they were read."""

    entry: Path
    states: dict[str, dict[str, Any] | None]
    fingerprint: str

    def restore(self, output: Path) -> str | None:
        """Write the report once more and return what was printed; nothing where it must be worked out."""
        try:
            known = orjson.loads((self.entry / "entry.json").read_bytes())
            if known["digests"] != self._digests() or not all(map(_is_inside, (*known["names"], *known["outdated"]))):
                return None
            output.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=output, prefix=".unfinished-") as unfinished:
                aside = Path(unfinished) / "report"
                for name in known["names"]:
                    (aside / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(self.entry / "report" / name, aside / name)
                put_in_place(aside, output, known["names"], known["outdated"])
            os.utime(self.entry)
            return str(known["printed"])
        except _READ_ERRORS:
            return None

    def save(self, output: Path, names: Sequence[str], outdated: Sequence[str], printed: str) -> None:
        """Keep a report that was just written. A cache that cannot be written is no error."""
        if any(_state(file) != state for file, state in self.states.items()) or self._is_racy():
            return
        with contextlib.suppress(OSError):
            self.entry.parent.mkdir(parents=True, exist_ok=True)
            draft = Path(tempfile.mkdtemp(dir=self.entry.parent, prefix=".new-"))
            try:
                present = [name for name in names if (output / name).exists()]
                for name in present:
                    (draft / "report" / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(output / name, draft / "report" / name)
                entry = {"digests": self._digests(), "names": present, "outdated": outdated, "printed": printed}
                (draft / "entry.json").write_bytes(orjson.dumps(entry))
                shutil.rmtree(self.entry, ignore_errors=True)
                draft.rename(self.entry)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
            _forget_old(self.entry.parent)

    def _digests(self) -> dict[str, str]:
        return {
            file: digest_of(place(file), name=self.fingerprint)
            for file, state in self.states.items()
            if state is not None
        }

    def _is_racy(self) -> bool:
        changed = max((max(state["mtime"], state["ctime"]) for state in self.states.values() if state), default=0)
        return time.time_ns() - changed < RACY_NS


def cached_report(paths: Sequence[str], options: Options, request: Sequence[object]) -> CachedReport | None:
    """The place of this report; none for files of a remote store, which cost more to look at than to forget."""
    plans = discover(paths, options.field_map)
    originals = {name for plan in plans if plan.translated is not None for name in plan.translated.fingerprints}
    files = [*input_files(plans, options), *sorted(originals), *([str(options.field_map)] if options.field_map else [])]
    if any(is_remote(place(file)) for file in files):
        return None
    states = {file: _state(file) for file in files}
    sizes = [[os.path.abspath(file), state and state["size"]] for file, state in states.items()]  # noqa: PTH100
    flaws = [[plan.name, [flaw.statement for flaw in plan.flaws]] for plan in plans]
    key = [list(paths), list(request), settings_of(options), options.fingerprint, sizes, flaws]
    digest = xxh3_128_hexdigest(repr([*key, program()]).encode("utf-8", "surrogatepass"))
    return CachedReport((options.cache_dir or cache_folder()) / FOLDER / digest, states, options.fingerprint)


def _is_inside(name: str) -> bool:
    """Whether a name of a file leads nowhere else: somebody else may have written into the cache."""
    path = PurePath(name)
    return not path.is_absolute() and ".." not in path.parts


def _state(file: str) -> dict[str, Any] | None:
    try:
        return state_of(place(file))
    except OSError:
        return None


def _forget_old(folder: Path) -> None:
    entries = sorted(folder.iterdir(), key=lambda entry: entry.stat().st_mtime, reverse=True)
    for entry in entries[MOST_ENTRIES:]:
        shutil.rmtree(entry, ignore_errors=True)
