"""Golden vectors: inputs of a function with everything that is known about the answer
(docs/golden.md).
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Optional

import numpy as np

from . import _arrays, _assay
from ._errors import UsageError
from ._numerics import _check_name, _find, _threads
from ._repr import one_line

_LEVELS = ("smoke", "standard", "exhaustive")
_KINDS = ("number", "infinity", "nan", "integer", "unspecified")
_ACCEPTED = ("no limit", "any", "nan", "range", "integers", "low seven bits")


@dataclasses.dataclass(frozen=True)
class Accepted:
    """The answers that a profile accepts, one for each vector: by `kind` all, any NaN, or low to
    high.
    """

    kind: (
        np.ndarray
    )  # "range", "nan", "any", "integers" (low or high), "low seven bits", "no limit"
    low: np.ndarray
    high: np.ndarray

    __repr__ = one_line


@dataclasses.dataclass(frozen=True)
class GoldenResult:
    """One result of each vector."""

    expected: np.ndarray  # correctly rounded
    exact: list[str]  # in decimal
    hardness: np.ndarray  # distance from where rounding changes, in gaps; NaN where there is none
    kind: np.ndarray  # "number", "infinity", "nan", "integer", "unspecified"
    full: Accepted
    embedded: Accepted
    relaxed: Accepted

    __repr__ = one_line


class Golden:
    """The vectors of one function in one rounding mode; `golden` makes them."""

    def __init__(self, file: Any) -> None:
        self._file = file
        columns = file.columns
        self.function: str = columns["function"]
        self.format: str = columns["format"]
        self.rounding: str = columns["rounding"]
        self.operands = tuple(
            _typed(bits, name) for bits, name in zip(columns["args"], columns["argument_types"])
        )
        self.reason: list[str] = columns["reason"]
        self.results = tuple(
            _result(row, name) for row, name in zip(columns["results"], columns["result_types"])
        )

    @property
    def expected(self) -> np.ndarray:
        """The correctly rounded first result."""
        return self.results[0].expected

    def __len__(self) -> int:
        return len(self.reason)

    def save(self, path: "str | os.PathLike[str]", encoding: str = "json") -> None:
        """Writes a file: "json", "binary", "csv", "testfloat" or "header" (for C)."""
        self._file.save(os.fspath(path), encoding)


def _typed(bits: np.ndarray, name: str) -> np.ndarray:
    dtype = _arrays.DTYPES[name]
    return bits.astype(f"u{dtype.itemsize}").view(dtype)


def _names(column: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    return np.array(names, dtype=object)[column.astype(np.intp)]


def _result(row: dict[str, Any], name: str) -> GoldenResult:
    accepted = [
        Accepted(_names(kind, _ACCEPTED), _typed(low, name), _typed(high, name))
        for kind, low, high in (row[profile] for profile in ("full", "embedded", "relaxed"))
    ]
    return GoldenResult(
        _typed(row["expected"], name),
        list(row["exact"]),
        row["hardness"],
        _names(row["kind"], _KINDS),
        *accepted,
    )


def golden(
    name: str,
    format: Any = "float",
    *,
    rounding: str = "rte",
    level: str = "standard",
    samples: int = 0,
    seed: int = 1,
    digits: int = 40,
    operands: Optional[tuple[Any, ...]] = None,
    threads: int = 0,
) -> Golden:
    """Golden vectors of a function: the inputs of a level, or those that `operands` gives (an array
    each).

    The options are those of `assay golden make`.  `operands` must be of the format and of one
    shape.
    """
    _check_name(name)
    function = _find(name, _arrays.format_name(format))
    given: list[list[int]] = []
    if operands is not None:
        columns = []
        for place, (value, (element, components)) in enumerate(zip(operands, function.operands)):
            if components != 1:
                raise UsageError(
                    f"{name}: operands that are vectors cannot be given here; use `assay golden"
                    " make`"
                )
            array = np.ravel(_arrays.typed(value, element, f"operand {place} of {name}"))
            columns.append(array.view(f"u{array.dtype.itemsize}").tolist())
        if len(operands) != len(function.operands) or len({len(column) for column in columns}) != 1:
            raise ValueError(
                f"operands: give {len(function.operands)} arrays of one size, in a tuple"
            )
        given = [list(row) for row in zip(*columns)]
        if not given:
            raise ValueError("operands: the arrays are empty")
    for option, value, least, most in (
        ("digits", digits, 1, 100000),
        ("samples", samples, 0, 1 << 18),
        ("seed", seed, 0, (1 << 64) - 1),
    ):
        _arrays.whole(option, value, least, most)
    _arrays.one_of("level", level, _LEVELS)
    return Golden(
        _assay.golden_make(
            name,
            function.format,
            _arrays.one_of("rounding", rounding, _arrays.ROUNDINGS),
            level,
            samples,
            seed,
            digits,
            given,
            _threads(threads),
        )
    )


def verify_golden(path: "str | os.PathLike[str]", *, threads: int = 0) -> Golden:
    """Reads a golden file of a function, and derives it again from nothing but its inputs.

    UsageError where it is no golden file, and where its content is not what the inputs give.
    """
    file, difference = _assay.golden_verify(os.fspath(path), _threads(threads))
    if difference:
        raise UsageError(f"{os.fspath(path)}: {difference}")
    return Golden(file)
