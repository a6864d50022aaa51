"""A part of an object that is worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")


class kept(cached_property[T]):  # noqa: N801 - it stands where a decorator stands
    """`cached_property` without its lock, which costs more than most parts do. No attempt is read by two threads."""

    func: Callable[[Any], T]
    attrname: str | None

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.attrname] = self.func(instance)
        return value
