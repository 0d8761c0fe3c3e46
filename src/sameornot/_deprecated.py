"""Names of version 0.1 that keep working for one more version, with a DeprecationWarning."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """Say what a name is called now."""
    warnings.warn(f"{old} is deprecated: use {new}", DeprecationWarning, stacklevel=stacklevel)


def renamed_method(old: str, new: str) -> Any:
    """A method under its old name."""

    def method(self: Any, *args: Any, **options: Any) -> Any:
        warn_renamed(old, new)
        return getattr(self, new)(*args, **options)

    method.__doc__ = f"Deprecated name of `{new}`."
    return method


def renamed_property(old: str, new: str) -> Any:
    """A property under its old name."""

    def get(self: Any) -> Any:
        warn_renamed(old, new)
        return getattr(self, new)

    get.__doc__ = f"Deprecated name of `{new}`."
    return property(get)


def module_getattr(
    module: str, renamed: Mapping[str, tuple[str, Callable[[], Any]]]
) -> Callable[[str], object]:
    """A module's `__getattr__`: `renamed` maps each old name to its new one and what finds that."""

    def find(name: str) -> object:
        if name not in renamed:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new, get = renamed[name]
        warn_renamed(f"{module}.{name}", new)
        return get()

    return find
