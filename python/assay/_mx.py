"""to_mx, from_mx and matmul_mx: blocks of OCP Microscaling Formats 1.0."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _arrays, _assay
from ._matrix import _DTYPES, _accumulator, _unsigned

_ELEMENTS = ("e5m2", "e4m3", "e3m2", "e2m3", "e2m1")
_BLOCK: int = _assay.mx_block


def to_mx(x: Any, element: str, *, rounding: str = "nearest-even") -> tuple[np.ndarray, np.ndarray]:
    """The scales and the elements of the blocks of 32 numbers along the last axis of x, as uint8.

    x: float16, float32, float64 or bfloat16; its last axis is a multiple of 32 long.
    element: "e5m2", "e4m3", "e3m2", "e2m3" or "e2m1".
    Returns the scales, bits of E8M0, with a 32nd of x's last axis, and the elements' bits with x's
    shape.  The scale is the largest power of two in the block over that of the element's format;
    numbers saturate (OCP MX 1.0, 6.3).  A block with infinity or NaN, which the standard leaves
    open, gets a scale of NaN.
    """
    array = _arrays.as_array(x)
    _arrays.one_of("element", element, list(_ELEMENTS))
    mode = _arrays.one_of("rounding", rounding, ["nearest-even", "toward-zero"])
    source = _DTYPES.get(array.dtype.name) if array.dtype.isnative else None
    if source not in ("f16", "bf16", "f32", "f64"):
        raise TypeError(
            f"x has the type {_arrays.describe(array.dtype)}; give float16, bfloat16, float32 or"
            " float64"
        )
    if array.ndim == 0 or array.shape[-1] % _BLOCK:
        raise ValueError(f"the last axis of x must be a multiple of {_BLOCK}; x is {array.shape}")
    scales, elements = _assay.to_mx(
        _unsigned(array).astype(np.uint64).ravel(), source, element, mode
    )
    shape = (*array.shape[:-1], array.shape[-1] // _BLOCK)
    return scales.astype(np.uint8).reshape(shape), elements.astype(np.uint8).reshape(array.shape)


def from_mx(scales: Any, elements: Any, element: str) -> np.ndarray:
    """The numbers of blocks as float64: each element times its scale, exact (OCP MX 1.0, 6.1)."""
    _arrays.one_of("element", element, list(_ELEMENTS))
    bits, of = _bytes(elements, "elements"), _bytes(scales, "scales")
    if bits.ndim == 0 or of.shape != (*bits.shape[:-1], bits.shape[-1] // _BLOCK):
        raise ValueError(f"one scale for {_BLOCK} elements; the shapes are {of.shape}, {bits.shape}")
    values = _assay.from_mx(
        of.astype(np.uint64).ravel(), bits.astype(np.uint64).ravel(), element
    )
    return values.reshape(bits.shape)


def _bytes(value: Any, who: str) -> np.ndarray:
    array = _arrays.as_array(value)
    if array.dtype != np.uint8:
        raise TypeError(f"{who} has the type {_arrays.describe(array.dtype)}; give uint8, as to_mx")
    return array


def matmul_mx(
    a: tuple[Any, Any],
    b: tuple[Any, Any],
    c: Any = None,
    *,
    format: str,
    format_b: Optional[str] = None,
    threads: int = 0,
) -> np.ndarray:
    """c + a @ b of matrices of MX blocks: the exact sum, rounded once to nearest even.

    a: the pair that to_mx(rows, format) gives: scales m x k / 32, elements m x k.
    b: likewise of columns: to_mx(matrix.T, format), so scales n x k / 32 and elements n x k.
    c: m x n of float32 or float16; None: zeros of float32.  The result has the type of c.
    format: the element format of a; format_b: that of b, if it is another.
    """
    other = format if format_b is None else format_b
    for name, form in (("format", format), ("format_b", other)):
        _arrays.one_of(name, form, list(_ELEMENTS))
    parts = [_bytes(part, who) for pair, who in ((a, "a"), (b, "b")) for part in pair]
    scale_a, bits_a, scale_b, bits_b = parts
    if any(part.ndim != 2 for part in parts) or bits_a.shape[1] != bits_b.shape[1]:
        raise ValueError(
            "a and b are pairs of scales and elements with rows of one length;"
            f" they are {[part.shape for part in parts]}"
        )
    shape = (bits_a.shape[0], bits_b.shape[0])
    if c is None:
        c = np.zeros(shape, np.float32)
    accumulator, bits_c = _accumulator(c, shape, "c")
    if accumulator not in ("f32", "f16"):
        raise TypeError("c: float32 or float16")
    bits = _assay.multiply_mx(
        format,
        other,
        accumulator,
        bits_a.astype(np.uint32),
        np.ascontiguousarray(bits_b.T).astype(np.uint32),
        scale_a.astype(np.uint32),
        np.ascontiguousarray(scale_b.T).astype(np.uint32),
        bits_c,
        _arrays.whole("threads", threads, 0, 1 << 16),
    )
    dtype = _arrays.as_array(c).dtype
    return bits.astype(np.dtype(f"u{dtype.itemsize}")).view(dtype)
