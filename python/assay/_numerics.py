"""eval, ulp_error and functions."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np

from . import _arrays, _assay
from ._errors import UnknownNameError, UsageError


@dataclasses.dataclass(frozen=True)
class Function:
    """A built-in of the numerical compliance chapter.

    `operands` and `results` have a letter each: F a number of the format, I an int (int32), U an
    unsigned integer as wide as the format, V a vector of 1 to 4 numbers (the last axis).
    `expression` is OpenCL C over x, y and z where it is not `name(x, y, z)`.
    """

    name: str
    function_class: str
    operands: str
    results: str
    formats: tuple[str, ...]
    expression: str


@functools.lru_cache(maxsize=None)
def _table() -> dict[str, Function]:
    return {row[0]: Function(*row[:4], tuple(row[4]), row[5]) for row in _assay.functions()}


def functions() -> list[Function]:
    """All built-in functions and operators, in the order of the specification's tables.

    Source: OpenCL C 7.4, "Relative Error as ULPs", and 6.15.2 to 6.15.5.
    """
    return list(_table().values())


def _is_conversion(name: str) -> bool:
    return name.startswith(("convert_", "vload_half", "vstore_half"))


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(
            f"the function's name must be a str, such as 'sin', not {type(name).__name__}"
        )
    if name in _table() or _is_conversion(name):
        return
    near = _assay.near_names(name, list(_table()))
    hint = f": did you mean {near}?" if near else "; assay.functions() has all"
    raise UnknownNameError(f"there is no function '{name}'{hint}")


@functools.lru_cache(maxsize=512)
def _find(name: str, format_name: str) -> Any:
    return _assay.find_function(name, format_name)


def _strong(letter_values: list[tuple[str, Any]], letters: str) -> list[np.ndarray]:
    return [
        _arrays.as_array(value)
        for letter, value in letter_values
        if letter in letters and not _arrays.is_weak(value)
    ]


def _format_of(name: str, operands: tuple[Any, ...], given: Any) -> str:
    """The format by the option, else by the operands' types."""
    if _is_conversion(name):
        if given is not None:
            return _arrays.format_name(given)
        array = _arrays.as_array(operands[0])
        return _arrays.element_of(array.dtype) or _no_format(name, array)
    info = _table()[name]
    pairs = list(zip(info.operands, operands))
    numbers = _strong(pairs, "FV")
    scalar = _arrays.format_name(given) if given is not None else None
    if scalar is None and numbers:
        scalar = _arrays.element_of(numbers[0].dtype)
        if scalar not in _arrays.FLOATING:
            scalar = _no_format(name, numbers[0])
    if scalar is None:
        unsigned = _strong(pairs, "U")
        by_width = {"ushort": "half", "uint": "float", "ulong": "double"}
        scalar = by_width.get(_arrays.element_of(unsigned[0].dtype) or "") if unsigned else None
    if scalar is None:  # numbers of Python's are doubles
        scalar = "double" if "double" in info.formats else "float"
    if "V" in info.operands and scalar in _arrays.FLOATING:
        return scalar + _components_of(name, pairs)
    return scalar


def _no_format(name: str, array: np.ndarray) -> str:
    what = "an operand" if _is_conversion(name) else "an operand that is a number of the format"
    remedy = (
        "; .astype(np.float32) or .astype(np.float64) makes it one"
        if array.dtype.kind in "iub"
        else ""
    )
    if array.dtype.kind == "f" and array.dtype.isnative:
        remedy = "; the formats are float16, bfloat16, float32 and float64"
    elif not array.dtype.isnative:
        remedy = "; .astype(x.dtype.newbyteorder('=')) turns it round"
    raise TypeError(f"{name}: {what} has the type {_arrays.describe(array.dtype)}{remedy}")


def _components_of(name: str, pairs: list[tuple[str, Any]]) -> str:
    vectors = [_arrays.as_array(value) for letter, value in pairs if letter == "V"]
    sizes = {vector.shape[-1] if vector.ndim else 0 for vector in vectors}
    least = 3 if name == "cross" else 1
    if len(sizes) != 1 or not least <= max(sizes) <= 4:
        raise ValueError(
            f"{name} takes vectors of {least} to 4 components in the last axis of its operands;"
            f" their shapes are {', '.join(str(vector.shape) for vector in vectors)}"
        )
    size = sizes.pop()
    return str(size) if size > 1 else ""


def _check_count(name: str, count: int, what: str = "operand") -> None:
    wanted = 1 if _is_conversion(name) else len(_table()[name].operands)
    if count != wanted:
        plural = "" if wanted == 1 else "s"
        raise TypeError(f"{name} takes {wanted} {what}{plural}; {count} were given")


class _Call:
    """A function with its operands, broadcast."""

    def __init__(self, name: str, operands: tuple[Any, ...], format: Any) -> None:
        _check_name(name)
        _check_count(name, len(operands))
        try:
            self.function = _find(name, _format_of(name, operands, format))
        except UsageError as error:
            raise UnknownNameError(str(error)) if _is_conversion(name) else error from None
        arrays, shapes = [], []
        for place, (value, (element, components)) in enumerate(
            zip(operands, self.function.operands)
        ):
            who = f"operand {place} of {name}"
            array = _arrays.typed(value, element, who)
            arrays.append(array)
            shapes.append(_arrays.item_shape(array, components, who))
        try:
            self.shape = np.broadcast_shapes(*shapes)
        except ValueError:
            raise ValueError(
                f"{name}: operands of the shapes {', '.join(map(str, shapes))} cannot be broadcast "
                "together"
            ) from None
        self.operands = [
            _arrays.for_module(array, self.shape, components)
            for array, (_, components) in zip(arrays, self.function.operands)
        ]
        self.count = int(np.prod(self.shape, dtype=np.int64))
        # Results are in the type in which a bfloat16 came.
        self.bfloat16 = next(
            (array.dtype for array in arrays if _arrays.is_bfloat16(array.dtype)),
            np.dtype(np.uint16),
        )

    def result_shape(self, components: int) -> tuple[int, ...]:
        return self.shape + ((components,) if components > 1 else ())

    def dtype(self, element: str) -> np.dtype:
        return self.bfloat16 if element == "bfloat16" else _arrays.DTYPES[element]

    def outputs(self, out: Any) -> list[np.ndarray]:
        results = self.function.results
        if out is None:
            return [np.empty(self.result_shape(n), self.dtype(element)) for element, n in results]
        given = out if isinstance(out, tuple) else (out,)
        if len(given) != len(results):
            raise TypeError(
                f"out: {self.function.name} has {len(results)} results; give a tuple of as many"
                " arrays"
            )
        arrays = [
            _arrays.check_output(array, self.dtype(element), self.result_shape(n), "out")
            for array, (element, n) in zip(given, results)
        ]
        if len(arrays) == 2 and np.may_share_memory(arrays[0], arrays[1]):
            raise ValueError("out: the arrays for the results share memory; give one for each")
        for place, operand in enumerate(self.operands):
            if any(np.may_share_memory(operand, array) for array in arrays):
                self.operands[place] = operand.copy()
        return arrays

    def answers(self, given: Any, option: str = "y") -> list[np.ndarray]:
        results = self.function.results
        values = given if isinstance(given, tuple) and len(results) > 1 else (given,)
        if len(values) != len(results):
            raise TypeError(
                f"{self.function.name} has {len(results)} results; give a tuple of as many arrays"
                " of answers"
            )
        arrays = []
        for value, (element, components) in zip(values, results):
            array = _arrays.typed(
                value, element, f"the answers to {self.function.name}", exactly=True
            )
            shape = self.result_shape(components)
            if array.shape != shape:
                raise ValueError(
                    f"the answers to {self.function.name} must have the shape {shape}, as the"
                    f" operands have together, not {array.shape}"
                )
            arrays.append(_arrays.for_module(array, self.shape, components))
        return arrays


def _plain(arrays: list[np.ndarray], out: Any = None) -> Any:
    """One array for one result, a scalar for scalars."""
    values = (
        arrays if out is not None else [array[()] if array.ndim == 0 else array for array in arrays]
    )
    return values[0] if len(values) == 1 else tuple(values)


def _bits(arrays: list[np.ndarray]) -> list[np.ndarray]:
    return [
        array.view(np.uint16) if _arrays.is_bfloat16(array.dtype) else array for array in arrays
    ]


def eval(
    name: str,
    *operands: Any,
    rounding: str = "rte",
    format: Any = None,
    out: Any = None,
    threads: int = 0,
) -> Any:
    """The correctly rounded results of a function.

    name: a built-in (``"sin"``, ``"pow"``, ``"add"``; `functions()` has all) or a conversion
        (``"convert_int_sat_rte"``).
    operands: arrays that broadcast together, or scalars.  All numbers have one type: float16,
        bfloat16, float32 or float64.  A number of Python's takes the type of the others; alone it
        is a float64.  Geometric functions take vectors of 1 to 4 numbers in the last axis.
    rounding: ``"rte"`` (to nearest, ties to even), ``"rtz"`` (toward zero), ``"rtp"`` (up),
        ``"rtn"`` (down).
    format: ``"bfloat16"`` for operands that are its bits in uint16; else the operands say it.
    out: an array (of several results a tuple of them) for the results; it is also returned.
    threads: 0: one a core.

    Returns an array of the operands' common shape, or a scalar for scalars; a tuple where the
    function has two results (sincos, fract, frexp, modf, lgamma_r, remquo).  A NaN is the canonical
    quiet NaN; a result that the specification leaves open is NaN, or 0 as an integer.

    Contiguous (C order) arrays are not copied, and the global interpreter lock is released.

    Raises UnknownNameError, TypeError for a wrong type or number of operands, ValueError for shapes
    and options.  Source: IEEE 754-2019 4.3 and 5.4, OpenCL C 6.15.2, 7.5 (edge cases).

    >>> assay.eval("sin", np.float32(1))
    0.84147096
    """
    mode = _arrays.one_of("rounding", rounding, _arrays.ROUNDINGS)
    call = _Call(name, operands, format)
    results = call.outputs(out)
    if call.count:
        call.function.evaluate(call.operands, _bits(results), call.count, mode, _threads(threads))
    return _plain(results, out)


def _threads(threads: Any) -> int:
    return _arrays.whole("threads", threads, 0, 4096)


def _split(name: str, arrays: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
    _check_name(name)
    wanted = (1 if _is_conversion(name) else len(_table()[name].operands)) + 1
    if len(arrays) != wanted:
        operands = "its operand" if wanted == 2 else f"its {wanted - 1} operands"
        raise TypeError(
            f"{name}: give {operands} and then the answers, {wanted} arrays; {len(arrays)} were"
            " given"
        )
    return arrays[:-1], arrays[-1]


def ulp_error(
    name: str,
    *operands_and_answers: Any,
    format: Any = None,
    signed: bool = False,
    exact: bool = False,
    threads: int = 0,
) -> Any:
    """The errors of anybody's answers, in ulp: ``ulp_error("sin", x, y)``, ``ulp_error("pow", x, y,
    z)``.

    The last argument has the answers, of the function's type and the operands' common shape; of a
    function with two results it is a tuple.  The operands are as for `eval`.

    Returns float64: |answer - exact value| in units in the last place of the exact value (OpenCL
    C 7.4, after Muller, RR-5504: the gap between the two numbers around it; for a power of two the
    one below), rounded up, so that no error beyond a limit looks as if it met it.  With `signed`
    the sign is that of answer - exact value.

    0 where a NaN or an infinity is right; inf where one is wrong or missing (an overflow is
    measured, as if the number after the largest one were there); NaN for an integer result and
    where the specification leaves the value open.  The sign of a zero does not count: `judge` looks
    at it.

    The exact value is known to 2^-22 ulp for float16, bfloat16 and float32, to 2^-40 for float64;
    `exact` asks for 2^-40 everywhere, which takes MPFR at every operand and some 40 times as
    long.

    >>> x = np.linspace(-4, 4, 10**6, dtype=np.float32)
    >>> assay.ulp_error("sin", x, np.sin(x)).max()
    """
    operands, answers = _split(name, operands_and_answers)
    call = _Call(name, operands, format)
    given = call.answers(answers)
    errors = [np.empty(array.shape, np.float64) for array in given]
    if call.count:
        call.function.ulp_errors(
            call.operands, given, errors, call.count, bool(signed), bool(exact), _threads(threads)
        )
    return _plain(errors)
