"""What objects with arrays and long texts show of themselves in one line."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

_LONGEST = 40
_FEW = 3


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if dataclasses.is_dataclass(value):
        return f"{type(value).__name__}(...)"
    if isinstance(value, (tuple, list)) and len(value) <= _FEW:
        return f"({', '.join(_short(one) for one in value)})"
    if isinstance(value, (tuple, list)):
        return f"{len(value)} items"
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def one_line(self: Any) -> str:
    """A `__repr__` for dataclasses: arrays as "float32[8]", long texts cut off."""
    names = [field.name for field in dataclasses.fields(self)]
    parts = ", ".join(f"{name}={_short(getattr(self, name))}" for name in names)
    return f"{type(self).__name__}({parts})"
