"""hard_cases: operands at which correct rounding is hardest."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from . import _arrays, _assay
from ._errors import UsageError
from ._numerics import _check_name, _find, _is_conversion, _table
from ._repr import one_line


@dataclasses.dataclass(frozen=True)
class HardCases:
    """Operands at which correct rounding is hardest, those that are not flat first, then by
    distance.

    operands: an array for each operand.
    distance: how far the exact result is from a midpoint or a number of the format, in gaps between
        numbers (float64; below 2^-1022 it is 0, log2_distance is not).
    kind: "midpoint" or "number": what it is near to.
    source: "exhaustive", "lefevre", "published" or "sampled": how the case was found.
    flat: the function follows a number or midpoint there, as sin x does x for a small x.
    """

    function: str
    format: str
    operands: tuple[np.ndarray, ...]
    log2_distance: np.ndarray
    kind: np.ndarray
    source: np.ndarray
    flat: np.ndarray

    __repr__ = one_line

    @property
    def x(self) -> np.ndarray:
        """The first operand."""
        return self.operands[0]

    @property
    def distance(self) -> np.ndarray:
        return np.exp2(self.log2_distance)

    def __len__(self) -> int:
        return len(self.log2_distance)


def hard_cases(name: str, format: Any = "double") -> HardCases:
    """Operands at which an implementation needs most digits to round correctly.

    A function that computes what another one does has that one's cases (native_sin: sin).  Empty
    where
    none are kept: functions that are exact, and formats that nobody has searched. bfloat16 operands
    are bits in uint16.  Source: testsuites/golden/hard (`assay golden search`, Lefevre and Muller).
    """
    _check_name(name)
    if _is_conversion(name):
        raise UsageError(f"{name}: conversions have no hard cases; name a function")
    format_name = _arrays.format_name(format)
    _find(name, format_name)  # says where there is no such format
    function, bits, distances, kinds, sources, flat = _assay.hard_cases(name, format_name)
    dtype = _arrays.DTYPES[format_name]
    letters = _table()[function].operands
    operands = []
    for letter, column in zip(letters, bits):
        of = np.dtype(np.int32) if letter == "I" else dtype
        operands.append(column.astype(f"u{of.itemsize}").view(of))
    return HardCases(
        function,
        format_name,
        tuple(operands),
        distances,
        np.array(kinds, dtype=object),
        np.array(sources, dtype=object),
        flat,
    )
