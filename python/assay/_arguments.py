"""The arguments of kernels: arrays as buffers, numbers, local memory, texts."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional, Sequence

import numpy as np

from . import _arrays
from ._image import Image


@dataclasses.dataclass(frozen=True)
class Local:
    """An argument in local memory: so many bytes for each work-group."""

    bytes: int

    def __post_init__(self) -> None:
        if (
            isinstance(self.bytes, bool)
            or not isinstance(self.bytes, (int, np.integer))
            or self.bytes < 0
        ):
            raise ValueError(f"Local({self.bytes!r}): give a number of bytes")


@dataclasses.dataclass(frozen=True)
class Arg:
    """An argument in the words of `assay run -a`: images, samplers, pipes, buffers with generated
    content.

    ``Arg("sampler(clamp_to_edge,linear,normalized)")``,
    ``Arg("image2d(64x64,RGBA,UNORM_INT8)=gradient")``, ``Arg("float[16]=random(1,0,1)")``.  The
    content afterwards is in ``result.buffers``, by the argument's position.
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"Arg takes a str, not {type(self.text).__name__}")


class _Arguments:
    """The arguments of a launch as the module takes them."""

    def __init__(
        self, kernel: str, parameters: list[tuple[str, str, str, int]], args: Sequence[Any]
    ) -> None:
        if isinstance(args, (str, bytes, np.ndarray)) or not isinstance(args, Sequence):
            raise TypeError(f"args must be a list of arguments, not {type(args).__name__}")
        if len(args) != len(parameters):
            names = ", ".join(
                f"{name or place} ({type_})" for place, (_, name, type_, _) in enumerate(parameters)
            )
            raise TypeError(
                f"{kernel} takes {len(parameters)} arguments: {names}; {len(args)} were given"
            )
        self.buffers: list[tuple[str, str, np.ndarray, bool, bool]] = []
        self.arguments: list[tuple[Any, ...]] = []
        self.arrays: list[Optional[tuple[int, np.ndarray]]] = []
        self.images: list[tuple[str, np.ndarray]] = []  # with the names of their buffers
        for place, (value, parameter) in enumerate(zip(args, parameters)):
            self._add(
                f"argument {place}" + (f", '{parameter[1]}'" if parameter[1] else ""),
                place,
                value,
                parameter,
            )

    def _add(self, who: str, place: int, value: Any, parameter: tuple[str, str, str, int]) -> None:
        kind, name, type_, size = parameter
        array = None
        if isinstance(value, Arg):
            self.arguments.append(("text", value.text))
        elif isinstance(value, Image):
            self.arguments.append(("text", value.text()))
            self.images.append((str(place), value.pixels))
        elif kind == "local":
            if not isinstance(value, Local):
                raise TypeError(
                    f"{who} is in local memory; give assay.Local(bytes), not {_named(value)}"
                )
            self.arguments.append(("local", int(value.bytes)))
        elif isinstance(value, Local):
            raise TypeError(
                f"{who} is of type {type_} and not in local memory; give {_wanted(kind, type_)}"
            )
        elif kind in ("global", "constant"):
            array = self._add_buffer(who, place, value, type_)
        elif kind in ("value", "byval"):
            self.arguments.append(("bytes", _scalar(who, value, type_, size)))
        else:
            raise TypeError(
                f"{who} is of the kind {kind}; give {_wanted(kind, type_)}, or assay.Arg(TEXT) as"
                " `assay run -a` takes it"
            )
        self.arrays.append(array)

    def _add_buffer(
        self, who: str, place: int, value: Any, type_: str
    ) -> Optional[tuple[int, np.ndarray]]:
        if value is None:
            self.arguments.append(("null",))
            return None
        if isinstance(value, (int, float, str, bytes, list, tuple, np.generic)):
            raise TypeError(
                f"{who} is of type {type_}; give a NumPy array, assay.Arg(...) or None for a null"
                f" pointer, not {_named(value)}"
            )
        array = _arrays.as_array(value)
        element = _check_element(who, array, type_)
        if not array.flags.c_contiguous:
            raise ValueError(
                f"{who} is not contiguous, and a kernel sees memory; give np.ascontiguousarray(...)"
                " of it"
            )
        for other, (_, _, known, _, writable) in enumerate(self.buffers):
            if known is array or (_same_memory(known, array) and writable == array.flags.writeable):
                self.arguments.append(("buffer", other, 0))
                return other, array
            if np.may_share_memory(known, array):
                raise ValueError(
                    f"{who} shares memory with an argument before it and is not the same array;"
                    " give the same array twice, or copies"
                )
        plain = array.view(np.uint16) if _arrays.is_bfloat16(array.dtype) else array
        self.buffers.append((str(place), element, plain, True, bool(array.flags.writeable)))
        self.arguments.append(("buffer", len(self.buffers) - 1, 0))
        return len(self.buffers) - 1, array


def _same_memory(a: np.ndarray, b: np.ndarray) -> bool:
    return a.size > 0 and a.ctypes.data == b.ctypes.data and a.nbytes == b.nbytes


def _named(value: Any) -> str:
    return (
        f"the {type(value).__name__} {value!r}"
        if isinstance(value, (int, float, str))
        else type(value).__name__
    )


def _wanted(kind: str, type_: str) -> str:
    if kind in ("global", "constant"):
        return "a NumPy array"
    return {
        "image": "assay.Image(pixels)",
        "local": "assay.Local(bytes)",
        "sampler": "assay.Arg('sampler(clamp_to_edge,nearest,normalized)')",
        "queue": "assay.Arg('queue')",
        "pipe": "assay.Arg('pipe(int4,64)')",
    }.get(kind, f"a number of type {type_}")


def _check_element(who: str, array: np.ndarray, type_: str) -> str:
    """The type of the buffer's elements; SPIR-V knows no signs of integers."""
    dtype = array.dtype
    if dtype.kind in "OMmUS":
        raise TypeError(
            f"{who} has the type {dtype}; a kernel takes numbers, or structures as arrays of bytes"
            " (uint8)"
        )
    if not dtype.isnative:
        raise TypeError(
            f"{who} has another byte order ({dtype.str}); .astype(a.dtype.newbyteorder('=')) turns"
            " it round"
        )
    element = "bool" if dtype.kind == "b" else _arrays.element_of(dtype) or "uchar"
    if dtype.kind == "c":
        element = {8: "float", 16: "double"}.get(dtype.itemsize, "uchar")
    wanted = type_.rstrip("*")
    if wanted == "uchar":  # or unknown: Clang's own SPIR-V target writes all pointers so
        return element
    scalar = wanted.rstrip("0123456789") if wanted not in ("bfloat16",) else wanted
    if type_.count("*") != 1 or scalar not in _arrays.DTYPES:
        return element
    have, need = _arrays.DTYPES.get(element, np.dtype(np.uint8)), _arrays.DTYPES[scalar]
    is_number = need.kind == "f" or scalar == "bfloat16"
    same_kind = (have.kind == "f" or element == "bfloat16") == is_number or (
        scalar == "bfloat16" and have == need
    )
    if have.itemsize != need.itemsize or not same_kind:
        raise TypeError(
            f"{who} is of type {type_}, so its array must be of {need.name}, not {dtype.name}:"
            f" .astype(np.{need.name}) converts the numbers, .view(np.{need.name}) takes the bytes"
            " as they are"
        )
    return _vector_of(who, array, wanted, element)


def _vector_of(who: str, array: np.ndarray, wanted: str, element: str) -> str:
    digits = wanted[len(wanted.rstrip("0123456789")) :]
    if not digits or wanted == "bfloat16" or element == "bool":
        return element
    count = 4 if digits == "3" else int(digits)
    if array.nbytes % (count * _arrays.DTYPES[element].itemsize):
        raise ValueError(
            f"{who} has elements of {count} numbers each ({wanted}); {array.size} numbers are no"
            " multiple"
        )
    return element + digits


def _is_number_of(have: np.dtype[Any], need: np.dtype[Any]) -> bool:
    """SPIR-V does not know signed integers from unsigned ones; a bool is a byte."""
    if have.kind == "V" or (have.kind == "b" and need in (np.uint8, np.int8)):
        return True
    return have.itemsize == need.itemsize and (have.kind == "f") == (need.kind == "f")


def _scalar(who: str, value: Any, type_: str, size: int) -> bytes:
    """The bytes of an argument that is passed by value."""
    if isinstance(value, (bytes, bytearray)):
        if len(value) != size:
            raise ValueError(f"{who} of type {type_} has {size} bytes; {len(value)} were given")
        return bytes(value)
    if _arrays.is_weak(value) or isinstance(value, bool):
        if type_ not in _arrays.DTYPES and type_ != "bool":
            raise TypeError(
                f"{who} is of type {type_}, of {size} bytes; give an array or a np.void of that"
                " size, or bytes"
            )
        element = "uchar" if type_ == "bool" else type_
        return _python_number(who, value, element)
    array = _arrays.as_array(value)
    if array.dtype.kind in "OMmUS":
        raise TypeError(
            f"{who} is of type {type_}; give a number of it, not {type(value).__name__}"
        )
    if not array.dtype.isnative:
        raise TypeError(f"{who} has another byte order ({array.dtype.str})")
    need = _arrays.DTYPES.get(type_ if type_ == "bfloat16" else type_.rstrip("0123456789"))
    if need is not None and not _is_number_of(array.dtype, need):
        raise TypeError(
            f"{who} is of type {type_}; give np.{need.name}(...), not {array.dtype.name}"
        )
    content = np.ascontiguousarray(array).tobytes()
    if type_.endswith("3") and need is not None and len(content) == 3 * need.itemsize:
        content += bytes(need.itemsize)
    if len(content) != size:
        raise ValueError(f"{who} of type {type_} has {size} bytes; {len(content)} were given")
    return content


def _python_number(who: str, value: Any, element: str) -> bytes:
    dtype = _arrays.DTYPES[element]
    if element not in _arrays.FLOATING and isinstance(value, int):
        bits = 8 * dtype.itemsize  # SPIR-V does not say whether it is signed
        if not -(1 << (bits - 1)) <= value < (1 << bits):
            raise ValueError(f"{who}: {value} does not fit into {bits} bits")
        return int(value).to_bytes(dtype.itemsize, "little", signed=value < 0)
    return _arrays.typed(value, element, who).tobytes()
