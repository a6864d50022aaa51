"""What a rollout has none of: many rules need one and the same thing, and it is asked for once."""

from __future__ import annotations

from collections.abc import Callable

from blade.extract.attempt import Attempt

NEEDS: dict[str, Callable[[Attempt], bool]] = {
    "calls": lambda attempt: bool(attempt.calls),
    "answers": lambda attempt: bool(attempt.answered),
    "tools": lambda attempt: bool(attempt.tools),
    "tools or calls": lambda attempt: bool(attempt.tools or attempt.calls),
    "reference": lambda attempt: attempt.reference is not None,
    "key": lambda attempt: attempt.key is not None,
    "stage": lambda attempt: attempt.stage is not False,
    "answer": lambda attempt: attempt.answer is not None,
    "claims": lambda attempt: bool(attempt.claims),
}


def lacking(attempt: Attempt) -> tuple[tuple[str, str], ...]:
    """What is not there, each with the letter of the rules that need it: n for not applicable, c for clean."""
    return tuple([(name, _letter(attempt, name)) for name, has in NEEDS.items() if not _has(attempt, has)])


def _has(attempt: Attempt, has: Callable[[Attempt], bool]) -> bool:
    try:
        return has(attempt)
    except Exception:  # noqa: BLE001 - then every rule that needs it is asked, crashes, and is named
        return True


def _letter(attempt: Attempt, name: str) -> str:
    """A row that says anything at all, and claims no trouble, is clean."""
    return "c" if name == "claims" and (attempt.fields or attempt.steps) else "n"
