"""Every error BLADE raises on purpose, drawn as a tree.

BladeError
├── UsageError        the command or the options do not fit together
├── InputError        a path, file or folder that cannot be analysed
│   ├── NotFound      there is nothing at this path
│   ├── NoRuns        the place was read and holds no rollouts
│   ├── NameClash     two runs carry one name
│   ├── UnrelatedRuns  runs of different benchmarks were given at once
│   └── WorkerLost    a process died twice over the same range of a file
└── ConfigError       a config, notes or benchmark.toml file that cannot be used
"""

from __future__ import annotations

__all__ = [
    "BladeError",
    "ConfigError",
    "InputError",
    "NameClash",
    "NoRuns",
    "NotFound",
    "UnrelatedRuns",
    "UsageError",
    "WorkerLost",
    "as_written",
]


LONGEST_MESSAGE = 2_000


def _shorter(text: str) -> str:
    """A text with its middle cut where it quotes thousands of letters that somebody typed."""
    half = LONGEST_MESSAGE // 2
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:half]} […] {text[-half:]}"


def as_written(value: object) -> str:
    """A value that a message quotes."""
    try:
        return repr(value)
    except (ValueError, RecursionError):
        return "a number of thousands of digits"


class BladeError(Exception):
    """What happened and where (`message`), and the way out (`hint`); `slug` names its entry in docs/messages.md."""

    slug = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        self.message, self.hint = _shorter(message), _shorter(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(BladeError):
    slug = "usage"


class InputError(BladeError):
    slug = "input"


class NotFound(InputError):
    slug = "not-found"


class NoRuns(InputError):
    slug = "no-runs"


class NameClash(InputError):
    slug = "name-clash"


class UnrelatedRuns(InputError):
    slug = "unrelated-runs"


class WorkerLost(InputError):
    slug = "worker-lost"


class ConfigError(BladeError):
    slug = "config"
