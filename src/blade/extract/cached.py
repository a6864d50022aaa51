"""A part of an object that is worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from functools import cached_property as kept
else:

    class kept(cached_property):  # noqa: N801 - it stands where a decorator stands
        """`cached_property` without its lock, which costs more than most parts do: no two threads read one attempt."""

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


class Remembering:
    """Something that remembers what was worked out of it."""

    def once(self, work: Callable[[Self], T]) -> T:
        """What a function works out of this, asked for again and again."""
        memo = self._known
        if work in memo:
            return memo[work]  # type: ignore[no-any-return]
        value = memo[work] = work(self)
        return value

    @kept
    def _known(self) -> dict[Any, Any]:
        return {}


__all__ = ["Remembering", "kept"]
