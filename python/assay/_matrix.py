"""matmul, matrix_error and convert: matrix instructions and small floating-point formats."""

from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np

from . import _arrays, _assay

# The input formats of matmul with the dtype of their bits, and the dtypes whose elements they are.
_BITS = {
    "f16": np.dtype(np.uint16),
    "bf16": np.dtype(np.uint16),
    "tf32": np.dtype(np.uint32),
    "e4m3": np.dtype(np.uint8),
    "e5m2": np.dtype(np.uint8),
    "e4m3fnuz": np.dtype(np.uint8),
    "e5m2fnuz": np.dtype(np.uint8),
    "e3m2": np.dtype(np.uint8),
    "e2m3": np.dtype(np.uint8),
    "e2m1": np.dtype(np.uint8),
    "u8": np.dtype(np.uint8),
    "s4": np.dtype(np.uint8),
    "u4": np.dtype(np.uint8),
}
# Of a byte, so many low bits; of the others all.
_WIDTHS = {"e3m2": 6, "e2m3": 6, "e2m1": 4, "s4": 4, "u4": 4}
_INTEGERS = ("s8", "u8", "s4", "u4")
_INPUTS = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "tf32",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e4m3fnuz": "e4m3fnuz",
    "float8_e5m2fnuz": "e5m2fnuz",
    "float6_e3m2fn": "e3m2",
    "float6_e2m3fn": "e2m3",
    "float4_e2m1fn": "e2m1",
    "int8": "s8",
    "int4": "s4",
    "uint4": "u4",
}
_ACCUMULATORS = {"float16": "f16", "float32": "f32", "int32": "s32", "uint32": "u32"}
# The formats of convert, by the names of dtypes of NumPy and ml_dtypes.
_DTYPES = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e4m3fnuz": "e4m3fnuz",
    "float8_e5m2fnuz": "e5m2fnuz",
    "float8_e8m0fnu": "e8m0",
    "float6_e2m3fn": "e2m3",
    "float6_e3m2fn": "e3m2",
    "float4_e2m1fn": "e2m1",
}
_FORMATS: dict[str, int] = dict(_assay.small_formats())


def _unsigned(array: np.ndarray) -> np.ndarray:
    """The bits of every element."""
    return np.ascontiguousarray(array).view(np.dtype(f"u{array.dtype.itemsize}"))


def _operand(value: Any, format: Optional[str], who: str) -> tuple[str, np.ndarray]:
    """The format of a or b, and its bits in uint32."""
    array = _arrays.as_array(value)
    if array.ndim != 2:
        raise ValueError(f"{who} must have two dimensions; its shape is {array.shape}")
    own = _INPUTS.get(array.dtype.name) if array.dtype.isnative else None
    if format is not None:
        wanted = _BITS[format]
        if own != format and array.dtype != wanted:
            raise TypeError(
                f"{who} has the type {_arrays.describe(array.dtype)}; the format {format} takes"
                f" {wanted.name} with the bits, or an array of its own type"
            )
        own = format
    if own is None:
        raise TypeError(
            f"{who} has the type {_arrays.describe(array.dtype)}; give float16, float32 (as tf32),"
            f" int8, a type of ml_dtypes, or bits with format= of {', '.join(_BITS)}"
        )
    bits = _unsigned(array).astype(np.uint32)
    width = _WIDTHS.get(own)
    if width is not None:
        if format is not None and array.dtype == np.uint8 and np.any(bits >> width):
            raise ValueError(f"{who} has elements of more bits than the {width} of {own}")
        bits &= (1 << width) - 1
    if own == "tf32" and np.any(bits & 0x1FFF):
        raise ValueError(
            f"{who} has elements that are no numbers of tf32: their 13 low bits must be 0;"
            " assay.convert(x, 'tf32') rounds to them"
        )
    return own, bits


def _accumulator(value: Any, shape: tuple[int, int], who: str) -> tuple[str, np.ndarray]:
    array = _arrays.as_array(value)
    name = _ACCUMULATORS.get(array.dtype.name) if array.dtype.isnative else None
    if name is None:
        raise TypeError(
            f"{who} has the type {_arrays.describe(array.dtype)}; it must be float32, float16, or"
            " int32 or uint32 for integers"
        )
    if array.shape != shape:
        raise ValueError(f"{who} must have the shape {shape}; it has {array.shape}")
    return name, _unsigned(array).astype(np.uint32)


def _operands(
    a: Any, b: Any, format: Optional[str]
) -> tuple[str, np.ndarray, np.ndarray, tuple[int, int]]:
    if format is not None:
        _arrays.one_of("format", format, list(_BITS))
    form, bits_a = _operand(a, format, "a")
    form_b, bits_b = _operand(b, format, "b")
    if form != form_b:
        raise TypeError(f"a and b must be of one format; they are {form} and {form_b}")
    if bits_a.shape[1] != bits_b.shape[0]:
        raise ValueError(
            f"a must have as many columns as b has rows; the shapes are {bits_a.shape} and"
            f" {bits_b.shape}"
        )
    return form, bits_a, bits_b, (bits_a.shape[0], bits_b.shape[1])


def _model(model: Any, form: str, accumulator: str) -> Any:
    """The model by its name or by the path of its file."""
    name, text = os.fspath(model), ""
    if name not in _assay.matrix_model_names() and name.endswith(".json"):
        with open(name, encoding="utf-8") as file:
            text = file.read()
    return _assay.find_matrix_model(name, text, form, accumulator)


def matmul(
    a: Any,
    b: Any,
    c: Any = None,
    *,
    model: Any = "exact",
    format: Optional[str] = None,
    threads: int = 0,
) -> np.ndarray:
    """c + a @ b, bit for bit as a matrix instruction computes it.

    a: m x k, b: k x n (b[k][n]), c: m x n of float32 or float16 (int32 or uint32 for integers);
    None: zeros of float32 (int32).  The result has the type of c.  a and b: float16, float32 whose
    13 low bits are 0 (tf32), int8, or a type of ml_dtypes of up to 16 bits (bfloat16,
    float8_e4m3fn, float8_e5m2fnuz, float4_e2m1fn, int4, ...); with `format` also unsigned integers
    that hold the bits: "f16", "bf16", "tf32", "e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "e3m2",
    "e2m3", "e2m1", "u8", "s4", "u4".

    model: "exact" (the exact sum, rounded once), "ieee-sequential" (a chain of fma in order of k),
    "ieee-tree" (products added in pairs), a device's ("nvidia-hopper-mma", "nvidia-hopper-wgmma"),
    or the path of a model file, as `assay matrix probe` writes it.  A device's instructions follow
    each other in order of k; the last one is filled up with zeros.

    threads: 0 is one per core.
    """
    form, bits_a, bits_b, shape = _operands(a, b, format)
    if c is None:
        c = np.zeros(shape, np.int32 if form in _INTEGERS else np.float32)
    accumulator, bits_c = _accumulator(c, shape, "c")
    found = _model(model, form, accumulator)
    bits = found.multiply(bits_a, bits_b, bits_c, _arrays.whole("threads", threads, 0, 1 << 16))
    dtype = _arrays.as_array(c).dtype
    return bits.astype(np.dtype(f"u{dtype.itemsize}")).view(dtype)


def matrix_error(
    a: Any, b: Any, c: Any, d: Any, *, format: Optional[str] = None, threads: int = 0
) -> np.ndarray:
    """|d - (c + a @ b)| in ulp of d's type at the exact sum, as float64.

    Operands are those of matmul; c may be None.  NaN for NaN and an infinity for the same one are
    errors of 0; NaN or infinity for a number, and the other way, is an error of infinity.
    """
    form, bits_a, bits_b, shape = _operands(a, b, format)
    accumulator, bits_d = _accumulator(d, shape, "d")
    if c is None:
        bits_c = np.zeros(shape, np.uint32)
    else:
        name, bits_c = _accumulator(c, shape, "c")
        if name != accumulator:
            raise TypeError(f"c and d must be of one type; they are {name} and {accumulator}")
    if form in _INTEGERS:
        raise TypeError("matrix_error is for floating-point matrices; the integers' sums are exact")
    found = _assay.find_matrix_model("exact", "", form, accumulator)
    return found.errors(
        bits_a, bits_b, bits_c, bits_d, _arrays.whole("threads", threads, 0, 1 << 16)
    )


def convert(
    x: Any,
    to: str,
    *,
    format: Optional[str] = None,
    rounding: str = "nearest-even",
    overflow: str = "ieee",
    words: Any = None,
) -> np.ndarray:
    """The bits of x in another format, as unsigned integers; of tf32 and f32 as float32.

    x: float16, float32, float64 or a type of ml_dtypes; with `format`, unsigned integers that hold
    the bits of that format.  Formats: f16, bf16, tf32, f32, f64, e4m3, e5m2, e4m3fnuz, e5m2fnuz,
    e8m0, e2m3, e3m2, e2m1.

    rounding: "nearest-even", "toward-zero", "up", "down", or "stochastic" with `words`: away from
    zero if the discarded fraction, as 32 bits, plus the word is at least 2^32.
    overflow: "ieee" (infinity or the largest number, by the rounding), "saturate", "non-finite".
    """
    array = _arrays.as_array(x)
    _arrays.one_of("to", to, list(_FORMATS))
    source = _DTYPES.get(array.dtype.name) if array.dtype.isnative else None
    if format is not None:
        _arrays.one_of("format", format, list(_FORMATS))
        if array.dtype.kind != "u" and source != format:
            raise TypeError(f"x: give the bits of {format} as unsigned integers")
        source = format
    if source is None:
        raise TypeError(
            f"x has the type {_arrays.describe(array.dtype)}; give float16, float32, float64, a"
            " type of ml_dtypes, or bits with format="
        )
    mode = _arrays.one_of("rounding", rounding, _assay.small_roundings)
    rule = _arrays.one_of("overflow", overflow, _assay.small_overflows)
    if (rounding == "stochastic") != (words is not None):
        raise ValueError("words: one for each element belongs to rounding='stochastic'")
    given = np.zeros(0, np.uint32)
    if words is not None:
        given = np.broadcast_to(np.asarray(words, np.uint32), array.shape).ravel()
    bits = _assay.convert_small(
        _unsigned(array).astype(np.uint64).ravel(), source, to, mode, rule, given
    )
    width = max(8, 1 << (_FORMATS[to] - 1).bit_length())
    result = bits.astype(np.dtype(f"u{width // 8}")).reshape(array.shape)
    return result.view(np.float32) if to in ("tf32", "f32") else result
