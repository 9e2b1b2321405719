"""NumPy arrays as operands, results and buffers: types, shapes, and what is said of wrong ones."""

from __future__ import annotations

import re
from typing import Any, Optional, Sequence

import numpy as np

from . import _assay

ROUNDINGS = ("rte", "rtz", "rtp", "rtn")

DTYPES: dict[str, np.dtype[Any]] = {
    "char": np.dtype(np.int8),
    "uchar": np.dtype(np.uint8),
    "short": np.dtype(np.int16),
    "ushort": np.dtype(np.uint16),
    "int": np.dtype(np.int32),
    "uint": np.dtype(np.uint32),
    "long": np.dtype(np.int64),
    "ulong": np.dtype(np.uint64),
    "half": np.dtype(np.float16),
    "bfloat16": np.dtype(np.uint16),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}
_NAMES: dict[np.dtype[Any], str] = {
    dtype: name for name, dtype in DTYPES.items() if name != "bfloat16"
}
FLOATING = ("half", "bfloat16", "float", "double")


def is_bfloat16(dtype: np.dtype) -> bool:
    """Is it the dtype of the package ml_dtypes, which JAX uses?"""
    return dtype.name == "bfloat16" and dtype.itemsize == 2


def element_of(dtype: np.dtype) -> Optional[str]:
    """The OpenCL C name of a dtype of the machine's byte order; None: it has none."""
    if is_bfloat16(dtype):
        return "bfloat16"
    return _NAMES.get(dtype) if dtype.isnative else None


def describe(dtype: np.dtype) -> str:
    """A dtype as messages name it."""
    return dtype.name if dtype.isnative else f"{dtype.name} of another byte order ({dtype.str})"


def as_array(value: Any) -> np.ndarray:
    """The array that shares the memory of what offers the array interface or DLPack."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            "a masked array has elements that are none; give .compressed(), .filled(...) or .data"
            " of it"
        )
    if isinstance(value, np.ndarray):
        return value
    offers = any(
        hasattr(value, name) for name in ("__array_interface__", "__array_struct__", "__array__")
    )
    if not offers and hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    return np.asarray(value)


def is_weak(value: Any) -> bool:
    """Is it a number of Python's, which takes the type that is needed?"""
    return isinstance(value, (int, float)) and not isinstance(value, (bool, np.generic))


def format_name(given: Any) -> str:
    """A format by its OpenCL C name or by a dtype."""
    if isinstance(given, str) and re.fullmatch(
        f"{'|'.join(DTYPES)}|({'|'.join(FLOATING)})[1-4]", given
    ):
        return given
    try:
        name = element_of(np.dtype(given))
    except TypeError:
        name = None
    if name is None:
        near = _assay.near_names(given, list(DTYPES)) if isinstance(given, str) else ""
        hint = f": did you mean {near}?" if near else "; it is half, bfloat16, float or double"
        raise ValueError(f"format: there is no format {given!r}{hint}")
    return name


def whole(option: str, value: Any, least: int, most: int = (1 << 64) - 1) -> int:
    """A whole number in its limits."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{option}: {value!r} is no whole number")
    if not least <= value <= most:
        raise ValueError(f"{option}: {value}; give a number from {least} to {most}")
    return int(value)


def one_of(option: str, value: Any, names: Sequence[str]) -> int:
    """The place of a value among those that an option may have."""
    if isinstance(value, str) and value in names:
        return names.index(value)
    raise ValueError(f"{option}: unknown value {value!r}; it is one of {', '.join(names)}")


def _weak_to(value: Any, element: str, who: str, exactly: bool) -> np.ndarray:
    """A number of Python's as one of the type."""
    dtype = DTYPES[element]
    if element not in FLOATING:
        if isinstance(value, float):
            raise TypeError(f"{who} is of type {element} ({dtype.name}); got the float {value!r}")
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise ValueError(
                f"{who}: {value} is no {element}, which has {limits.min} to {limits.max}"
            )
        return np.array(value, dtype)
    if element == "bfloat16":
        raise TypeError(
            f"{who}: give a bfloat16 as an array of ml_dtypes.bfloat16, or as its bits in uint16"
        )
    try:
        number = np.float64(value)
    except OverflowError:
        raise ValueError(f"{who}: the number is too large for the format {element}") from None
    with np.errstate(over="ignore"):
        array = np.array(number).astype(dtype)
    overflows = np.isinf(array) and not np.isinf(number)
    if overflows or (exactly and float(array) != value and value == value):
        why = "is too large for" if overflows else "is no number of"
        raise ValueError(f"{who}: {value!r} {why} the format {element}; give np.{dtype.name}(...)")
    return array


def typed(value: Any, element: str, who: str, exactly: bool = False) -> np.ndarray:
    """The operand or answer as an array of the type: TypeError says how to make it one."""
    if is_weak(value):
        return _weak_to(value, element, who, exactly)
    array = as_array(value)
    have = element_of(array.dtype)
    if have == element or (element == "bfloat16" and array.dtype == np.uint16):
        return array
    wanted = (
        "bfloat16 (ml_dtypes.bfloat16, or its bits as uint16)"
        if element == "bfloat16"
        else (
            DTYPES[element].name
            if element == DTYPES[element].name
            else f"{element} ({DTYPES[element].name})"
        )
    )
    remedy = "" if element == "bfloat16" else f"; .astype(np.{DTYPES[element].name}) makes it one"
    raise TypeError(f"{who} must be of type {wanted}, not {describe(array.dtype)}{remedy}")


def item_shape(array: np.ndarray, components: int, who: str) -> tuple[int, ...]:
    """The shape without the axis of a vector's components."""
    if components == 1:
        return array.shape
    if array.ndim == 0 or array.shape[-1] != components:
        raise ValueError(
            f"{who} has vectors of {components} components in its last axis; its shape is"
            f" {array.shape}"
        )
    return array.shape[:-1]


def for_module(array: np.ndarray, shape: tuple[int, ...], components: int) -> np.ndarray:
    """An operand as the module takes it: contiguous, of that shape or of one item."""
    full = shape + ((components,) if components > 1 else ())
    if is_bfloat16(array.dtype):
        array = array.view(np.uint16)
    if array.size != components and array.shape != full:  # one item is for all
        array = np.broadcast_to(array, full)
    return array if array.flags.c_contiguous else array.copy(order="C")


def check_output(array: Any, dtype: np.dtype, shape: tuple[int, ...], who: str) -> np.ndarray:
    """An array that is written to, as it is: nothing may be lost in a copy."""
    if not isinstance(array, np.ndarray):
        raise TypeError(
            f"{who} must be a NumPy array, not {type(array).__name__}; make one with"
            f" np.empty({shape}, np.{dtype.name})"
        )
    if array.dtype != dtype:
        raise TypeError(
            f"{who} must be of type {dtype.name}, not {describe(array.dtype)}; make one with "
            f"np.empty({shape}, np.{dtype.name})"
        )
    if array.shape != shape:
        raise ValueError(f"{who} must have the shape {shape}, not {array.shape}")
    check_writable(array, who)
    return array


def check_writable(array: np.ndarray, who: str) -> None:
    """It is written in place."""
    if not array.flags.c_contiguous:
        raise ValueError(
            f"{who} is not contiguous; give np.ascontiguousarray(...) of it and copy back, or a"
            " whole array"
        )
    if not array.flags.writeable:
        raise ValueError(f"{who} is read-only; give a copy (.copy()), or set .flags.writeable")
