"""Stand-ins: the same value has the same token everywhere, and no token says what it stands for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from blade.errors import ConfigError

TOKEN = re.compile(r"<(KEY_[A-Z0-9_]{1,30}|EMAIL|USER|HOST|NAME)_([0-9]{1,9})>")
_TAKEN = re.compile(TOKEN.pattern.encode())
SCHEMA = "blade.sanitize.mapping/1"


class Tokens:
    """Gives out tokens in the order of first sight, above every number that is already taken."""

    def __init__(self, tokens: Mapping[str, str] | None = None) -> None:
        self.made = dict(tokens or {})
        self._last: dict[str, int] = {}
        self._clear: dict[str, dict[str, str]] = {}
        for token in self.made.values():
            self.taken(token.encode())

    def taken(self, data: bytes) -> None:
        """Tokens that stand in a text already are not given out again for something else."""
        for match in _TAKEN.finditer(data):
            label = match[1].decode()
            self._last[label] = max(self._last.get(label, 0), int(match[2]))

    def alias(self, label: str, value: str, full_value: str) -> None:
        """From now on a value has the token of another one, which it is the beginning of."""
        token = self.of(label, full_value)
        self.made[_print(label, value)] = token
        self._clear.setdefault(label, {})[value] = token

    def of(self, label: str, value: str, *, clipped: bool = False) -> str:
        """The token of a value. A clipped value is the beginning of one that was seen whole, where there is one."""
        token_of = self._clear.setdefault(label, {})
        if value in token_of:
            return token_of[value]
        if clipped and (full_value := next((candidate for candidate in token_of if candidate.startswith(value)), None)):
            return token_of[full_value]
        name = _print(label, value)
        if name not in self.made:
            self._last[label] = self._last.get(label, 0) + 1
            self.made[name] = f"<{label}_{self._last[label]}>"
        token_of[value] = self.made[name]
        return token_of[value]


def _print(label: str, value: str) -> str:
    """The fingerprint of a value."""
    return blake2b(f"{label}\0{value}".encode("utf-8", errors="surrogatepass"), digest_size=16).hexdigest()


def load_mapping(path: Path) -> dict[str, str]:
    """Tokens of an earlier run: fingerprints of values, never the values. A file that is not there yet is empty."""
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        tokens = data["tokens"]
        good = data["schema"] == SCHEMA and all(TOKEN.fullmatch(token) for token in tokens.values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        good = False
    if not good:
        raise ConfigError(f"{path}: not a mapping of tokens.", "Give the file an earlier `blade sanitize` wrote.")
    return {str(name): str(token) for name, token in tokens.items()}


def save_mapping(path: Path, tokens: Tokens) -> None:
    """Keep the tokens for the next run. The file belongs beside the package, not into it."""
    data = {"schema": SCHEMA, "tokens": dict(sorted(tokens.made.items()))}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
