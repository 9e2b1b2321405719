"""Images as arguments of kernels."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

import numpy as np

from . import _arrays
from ._repr import one_line

_ORDERS = {1: "R", 2: "RG", 4: "RGBA"}
_TYPES = {
    "uint8": "UNORM_INT8",
    "uint16": "UNORM_INT16",
    "int8": "SIGNED_INT8",
    "int16": "SIGNED_INT16",
    "int32": "SIGNED_INT32",
    "uint32": "UNSIGNED_INT32",
    "float16": "HALF_FLOAT",
    "float32": "FLOAT",
}


@dataclasses.dataclass(frozen=True)
class Image:
    """An image of the pixels of an array, which is written in place.

    pixels: of the shape (height, width, channels) for "2d", (width, channels) for "1d", (depth,
        height, width, channels) for "3d", contiguous; read-only: a read-only image.
    order: the channel order of the OpenCL API; by the number of channels "R", "RG" or "RGBA".
    type: the channel data type; by the dtype "UNORM_INT8" (uint8), "UNORM_INT16" (uint16),
        "SIGNED_INT8" to "SIGNED_INT32", "UNSIGNED_INT32", "HALF_FLOAT", "FLOAT".
    shape: "1d", "2d" or "3d".

    Other images are written as text: `Arg`.  Source: OpenCL API, "Image Format Descriptor".
    """

    pixels: Any
    order: Optional[str] = None
    type: Optional[str] = None
    shape: str = "2d"

    __repr__ = one_line

    def __post_init__(self) -> None:
        dimensions = 1 + _arrays.one_of("shape", self.shape, ("1d", "2d", "3d"))
        array = _arrays.as_array(self.pixels)
        if array.dtype.name not in _TYPES or not array.dtype.isnative:
            raise TypeError(
                f"Image: pixels have the type {_arrays.describe(array.dtype)}; they may have"
                f" {', '.join(_TYPES)}"
            )
        if array.ndim != dimensions + 1 or not array.size:
            axes = ("depth, ", "height, ", "width, ")[3 - dimensions :]
            raise ValueError(
                f"Image: pixels of a {self.shape} image have the axes ({''.join(axes)}channels);"
                f" their shape is {array.shape}"
            )
        if self.order is None and array.shape[-1] not in _ORDERS:
            raise ValueError(
                f"Image: {array.shape[-1]} channels have no order of their own; give order="
            )
        if not array.flags.c_contiguous:
            raise ValueError("Image: pixels are not contiguous; give np.ascontiguousarray(...)")
        object.__setattr__(self, "pixels", array)

    def text(self) -> str:
        """The image in the words of `assay run -a`."""
        size = "x".join(str(n) for n in reversed(self.pixels.shape[:-1]))
        order = self.order or _ORDERS[self.pixels.shape[-1]]
        type_ = self.type or _TYPES[self.pixels.dtype.name]
        access = "" if self.pixels.flags.writeable else "read_only "
        content = np.ascontiguousarray(self.pixels).tobytes().hex()
        return f"{access}image{self.shape}({size},{order},{type_})=hex({content})"
