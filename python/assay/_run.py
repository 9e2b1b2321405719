"""run: kernels on NumPy arrays."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import shutil
import tempfile
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _arrays, _assay
from ._errors import UnknownNameError, UsageError
from ._result import Result

_ENDINGS = {".cl", ".clcpp", ".spv", ".spvasm", ".spvtxt", ".txt", ".ll"}
_MAGIC = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")

Source = Union[str, bytes, "os.PathLike[str]", Sequence[Any]]


@dataclasses.dataclass(frozen=True)
class Local:
    """An argument in local memory: so many bytes for each work-group."""

    bytes: int

    def __post_init__(self) -> None:
        if isinstance(self.bytes, bool) or not isinstance(self.bytes, (int, np.integer)) or self.bytes < 0:
            raise ValueError(f"Local({self.bytes!r}): give a number of bytes")


@dataclasses.dataclass(frozen=True)
class Arg:
    """An argument in the words of `assay run -a`: images, samplers, pipes, buffers with generated content.

    ``Arg("sampler(clamp_to_edge,linear,normalized)")``, ``Arg("image2d(64x64,RGBA,UNORM_INT8)=gradient")``,
    ``Arg("float[16]=random(1,0,1)")``.  The content afterwards is in ``result.buffers``, by the argument's position.
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"Arg takes a str, not {type(self.text).__name__}")


class _Sources:
    """Sources as files, some of them in a folder that goes with the object."""

    def __init__(self, source: Source) -> None:
        self.folder = ""
        parts = list(source) if isinstance(source, (list, tuple)) else [source]
        if not parts:
            raise ValueError("source: the list is empty; name a file, or give OpenCL C or SPIR-V")
        try:
            self.paths = [self._path(part, place, len(parts)) for place, part in enumerate(parts)]
        except BaseException:
            self.close()
            raise

    def _path(self, part: Any, place: int, count: int) -> str:
        number = "" if count == 1 else str(place)
        if isinstance(part, (bytes, bytearray, memoryview)):
            content = bytes(part)
            if content[:4] not in _MAGIC:
                raise UsageError("source: these bytes are no SPIR-V, which begins with 03 02 23 07; give OpenCL C as a str")
            return self._write(f"module{number}.spv", content)
        if isinstance(part, os.PathLike):
            return self._existing(os.fspath(part))
        if not isinstance(part, str):
            raise TypeError(f"source must be OpenCL C (str), a path, or SPIR-V (bytes), not {type(part).__name__}")
        if "\n" not in part and (pathlib.PurePath(part).suffix in _ENDINGS or os.path.exists(part)):
            return self._existing(part)
        if "{" not in part and "Op" not in part:
            raise UsageError(f"source: {part!r} is neither OpenCL C nor a file that is there")
        is_text = part.lstrip().startswith((";", "Op")) and "OpEntryPoint" in part
        return self._write(f"kernel{number}.{'spvasm' if is_text else 'cl'}", part.encode())

    def _existing(self, path: str) -> str:
        if not os.path.exists(path):
            raise UsageError(f"source: '{path}': there is no such file")
        return path

    def _write(self, name: str, content: bytes) -> str:
        if not self.folder:
            self.folder = os.path.realpath(tempfile.mkdtemp(prefix="assay-"))
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def close(self) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "_Sources":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _sizes(option: str, value: Any) -> list[int]:
    """One to three sizes; None: none."""
    if value is None:
        return []
    sizes = [value] if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else value
    if not isinstance(sizes, (list, tuple, np.ndarray)) or not all(
            isinstance(size, (int, np.integer)) and not isinstance(size, bool) for size in sizes):
        raise TypeError(f"{option}: {value!r}; give a whole number, or a tuple of up to three")
    least = 0 if option == "offset" else 1
    if not 1 <= len(sizes) <= 3 or any(size < least for size in sizes):
        raise ValueError(f"{option}: {value!r}; give one to three numbers from {least} on")
    return [int(size) for size in sizes]


# What _assay takes as texts and Python better says otherwise.
def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    known = _assay.run_option_names()
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known or name in ("modules", "job"):
            near = _assay.near_names(name, [k for k in known if k not in ("modules", "job")])
            hint = f": did you mean {near}?" if near else "; help(assay.run) has all"
            raise TypeError(f"there is no option '{name}'{hint}")
        if value is None:
            continue
        if name == "spec_constants" and isinstance(value, Mapping):
            value = [f"{key}={_spec_constant(one)}" for key, one in value.items()]
        elif name in ("ignore", "allow", "keeps_subnormals", "allow_read") and isinstance(value, (str, os.PathLike)):
            value = [os.fspath(value)]
        elif name in ("sub_group_size", "device_queue", "max_memory"):
            value = str(value)
        elif name == "detect" and not isinstance(value, str):
            value = ",".join(value)
        elif name == "explore" and isinstance(value, int):
            value = f"bounded:{value}"
        options[name] = value
    if "rounding" in options:
        _arrays.one_of("rounding", options["rounding"], _arrays.ROUNDINGS)
    for name, names in (("imprecision", ("random", "lowest", "highest")), ("profile", ("full", "embedded"))):
        if name in options:
            _arrays.one_of(name, options[name], names)
    if options.get("explore") and (options.get("many_seeds", 1) != 1 or options.get("seed", 0) != 0):
        raise ValueError("explore contradicts seed and many_seeds: it tries the schedules by itself")
    if not 0 <= options.get("timeout", 0):
        raise ValueError(f"timeout: {options['timeout']}; give seconds, or 0 for no limit")
    if "sub_group_size" in options and not (options["sub_group_size"].isdigit()
                                            and 1 <= int(options["sub_group_size"]) <= 128):
        raise ValueError(f"sub_group_size: {options['sub_group_size']}; give a number from 1 to 128")
    if "device_queue" in options and not options["device_queue"].isdigit():
        raise ValueError(f"device_queue: {options['device_queue']}; give a number of commands")
    return options


def _spec_constant(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, np.generic):
        name = _arrays.element_of(value.dtype)
        return f"{name}:{value.item()!r}"
    if isinstance(value, float):
        raise TypeError(f"spec_constants: {value!r} has no type; give np.float32(...) or np.float64(...)")
    return str(value)


class _Arguments:
    """The arguments of a launch as the module takes them."""

    def __init__(self, kernel: str, parameters: list[tuple[str, str, str, int]], args: Sequence[Any]) -> None:
        if isinstance(args, (str, bytes, np.ndarray)) or not isinstance(args, Sequence):
            raise TypeError(f"args must be a list of arguments, not {type(args).__name__}")
        if len(args) != len(parameters):
            names = ", ".join(f"{name or place} ({type_})" for place, (_, name, type_, _) in enumerate(parameters))
            raise TypeError(f"{kernel} takes {len(parameters)} arguments: {names}; {len(args)} were given")
        self.buffers: list[tuple[str, str, np.ndarray, bool, bool]] = []
        self.arguments: list[tuple[Any, ...]] = []
        self.arrays: list[Optional[tuple[int, np.ndarray]]] = []
        for place, (value, parameter) in enumerate(zip(args, parameters)):
            self._add(f"argument {place}" + (f", '{parameter[1]}'" if parameter[1] else ""), place, value, parameter)

    def _add(self, who: str, place: int, value: Any, parameter: tuple[str, str, str, int]) -> None:
        kind, name, type_, size = parameter
        array = None
        if isinstance(value, Arg):
            self.arguments.append(("text", value.text))
        elif kind == "local":
            if not isinstance(value, Local):
                raise TypeError(f"{who} is in local memory; give assay.Local(bytes), not {_named(value)}")
            self.arguments.append(("local", int(value.bytes)))
        elif isinstance(value, Local):
            raise TypeError(f"{who} is of type {type_} and not in local memory; give {_wanted(kind, type_)}")
        elif kind in ("global", "constant"):
            array = self._add_buffer(who, place, value, type_)
        elif kind in ("value", "byval"):
            self.arguments.append(("bytes", _scalar(who, value, type_, size)))
        else:
            raise TypeError(f"{who} is of the kind {kind}; give assay.Arg(TEXT) as `assay run -a` takes it, such as "
                            f"{_wanted(kind, type_)}")
        self.arrays.append(array)

    def _add_buffer(self, who: str, place: int, value: Any, type_: str) -> Optional[tuple[int, np.ndarray]]:
        if value is None:
            self.arguments.append(("null",))
            return None
        if isinstance(value, (int, float, str, bytes, list, tuple, np.generic)):
            raise TypeError(f"{who} is of type {type_}; give a NumPy array, assay.Arg(...) or None for a null pointer, "
                            f"not {_named(value)}")
        array = _arrays.as_array(value)
        element = _check_element(who, array, type_)
        if not array.flags.c_contiguous:
            raise ValueError(f"{who} is not contiguous, and a kernel sees memory; give np.ascontiguousarray(...) of it")
        for other, (_, _, known, _, writable) in enumerate(self.buffers):
            if known is array or (_same_memory(known, array) and writable == array.flags.writeable):
                self.arguments.append(("buffer", other, 0))
                return other, array
            if np.may_share_memory(known, array):
                raise ValueError(f"{who} shares memory with an argument before it and is not the same array; give the "
                                 "same array twice, or copies")
        plain = array.view(np.uint16) if _arrays.is_bfloat16(array.dtype) else array
        self.buffers.append((str(place), element, plain, True, bool(array.flags.writeable)))
        self.arguments.append(("buffer", len(self.buffers) - 1, 0))
        return len(self.buffers) - 1, array


def _same_memory(a: np.ndarray, b: np.ndarray) -> bool:
    return a.size > 0 and a.ctypes.data == b.ctypes.data and a.nbytes == b.nbytes


def _named(value: Any) -> str:
    return f"the {type(value).__name__} {value!r}" if isinstance(value, (int, float, str)) else type(value).__name__


def _wanted(kind: str, type_: str) -> str:
    if kind in ("global", "constant"):
        return "a NumPy array"
    return {"image": "Arg('image2d(64x64,RGBA,UNORM_INT8)=0')", "local": "assay.Local(bytes)",
            "sampler": "Arg('sampler(clamp_to_edge,nearest,normalized)')", "queue": "Arg('queue')",
            "pipe": "Arg('pipe(int4,64)')"}.get(kind, f"a number of type {type_}")


def _check_element(who: str, array: np.ndarray, type_: str) -> str:
    """The type of the buffer's elements; SPIR-V does not know signed integers from unsigned ones."""
    dtype = array.dtype
    if dtype.kind in "OMmUS":
        raise TypeError(f"{who} has the type {dtype}; a kernel takes numbers, or structures as arrays of bytes (uint8)")
    if not dtype.isnative:
        raise TypeError(f"{who} has another byte order ({dtype.str}); .astype(a.dtype.newbyteorder('=')) turns it round")
    element = "bool" if dtype.kind == "b" else _arrays.element_of(dtype) or "uchar"
    if dtype.kind == "c":
        element = {8: "float", 16: "double"}.get(dtype.itemsize, "uchar")
    wanted = type_.rstrip("*")
    scalar = wanted.rstrip("0123456789") if wanted not in ("bfloat16",) else wanted
    if type_.count("*") != 1 or scalar not in _arrays.DTYPES:
        return element
    have, need = _arrays.DTYPES.get(element, np.dtype(np.uint8)), _arrays.DTYPES[scalar]
    is_number = need.kind == "f" or scalar == "bfloat16"
    same_kind = (have.kind == "f" or element == "bfloat16") == is_number or (scalar == "bfloat16" and have == need)
    if have.itemsize != need.itemsize or not same_kind:
        raise TypeError(f"{who} is of type {type_}, so its array must be of {need.name}, not {dtype.name}: "
                        f".astype(np.{need.name}) converts the numbers, .view(np.{need.name}) takes the bytes as they are")
    return _vector_of(who, array, wanted, element)


def _vector_of(who: str, array: np.ndarray, wanted: str, element: str) -> str:
    digits = wanted[len(wanted.rstrip("0123456789")):]
    if not digits or wanted == "bfloat16" or element == "bool":
        return element
    count = 4 if digits == "3" else int(digits)
    if array.nbytes % (count * _arrays.DTYPES[element].itemsize):
        raise ValueError(f"{who} has elements of {count} numbers each ({wanted}); {array.size} numbers are no multiple")
    return element + digits


def _scalar(who: str, value: Any, type_: str, size: int) -> bytes:
    """The bytes of an argument that is passed by value."""
    if isinstance(value, (bytes, bytearray)):
        if len(value) != size:
            raise ValueError(f"{who} of type {type_} has {size} bytes; {len(value)} were given")
        return bytes(value)
    if _arrays.is_weak(value) or isinstance(value, bool):
        if type_ not in _arrays.DTYPES and type_ != "bool":
            raise TypeError(f"{who} is of type {type_}, of {size} bytes; give an array or a np.void of that size, or bytes")
        element = "uchar" if type_ == "bool" else type_
        return _python_number(who, value, element)
    array = _arrays.as_array(value)
    if array.dtype.kind in "OMmUS":
        raise TypeError(f"{who} is of type {type_}; give a number of it, not {type(value).__name__}")
    if not array.dtype.isnative:
        raise TypeError(f"{who} has another byte order ({array.dtype.str})")
    need = _arrays.DTYPES.get(type_.rstrip("0123456789") if type_ != "bfloat16" else type_)
    wrong = need is not None and (array.dtype.itemsize != need.itemsize or
                                  (array.dtype.kind == "f") != (need.kind == "f")) and array.dtype.kind != "V"
    if wrong and not (need == np.uint8 and array.dtype.kind == "b"):
        raise TypeError(f"{who} is of type {type_}; give np.{need.name}(...), not {array.dtype.name}")
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


class Program:
    """A module that is loaded once and run many times: ``Program(source).run(kernel, args, global_size)``.

    The options are those of `run`; `kernels` has the names of its kernels.
    """

    def __init__(self, source: Source, **options: Any) -> None:
        given = _options(options)
        self._envelope = bool(given.get("envelope", False))
        self._sources = _Sources(source)
        try:
            self._program = _assay.Program({**given, "modules": self._sources.paths})
        except BaseException as error:
            self._sources.close()
            if isinstance(error, UsageError) and self._folder:
                raise type(error)(str(error).replace(self._folder, "")) from None
            raise

    @property
    def _folder(self) -> str:
        return self._sources.folder + os.sep if self._sources.folder else ""

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_sources"):
            self.close()

    def close(self) -> None:
        """Removes what is kept of the source; findings have no source lines any more."""
        self._sources.close()

    @property
    def kernels(self) -> list[str]:
        return self._program.kernel_names()

    def parameters(self, kernel: str) -> list[tuple[str, str]]:
        """(name, type) of each parameter of a kernel."""
        return [(name, type_) for _, name, type_, _ in self._program.parameters(self._kernel(kernel))]

    def _kernel(self, name: Optional[str]) -> str:
        kernels = self.kernels
        if name is None:
            if len(kernels) == 1:
                return kernels[0]
            raise UsageError(f"name one of the module's kernels: {', '.join(kernels) or 'it has none'}")
        if not isinstance(name, str):
            raise TypeError(f"the kernel's name must be a str, not {type(name).__name__}")
        if name not in kernels:
            near = _assay.near_names(name, kernels)
            hint = f"did you mean {near}?" if near else f"it has {', '.join(kernels) or 'none'}"
            raise UnknownNameError(f"the module has no kernel '{name}': {hint}")
        return name

    def run(self, kernel: Optional[str], args: Sequence[Any], global_size: Any, local_size: Any = None,
            offset: Any = None) -> Result:
        """Runs a kernel; as `assay.run`."""
        name = self._kernel(kernel)
        given = _Arguments(name, self._program.parameters(name), args)
        sizes = [_sizes(option, value) for option, value in
                 (("global_size", global_size), ("local_size", local_size), ("offset", offset))]
        if not sizes[0]:
            raise TypeError("global_size: give the number of work-items, or a tuple of up to three")
        report = self._program.run(name, *sizes, given.buffers, given.arguments)
        result = Result(report, self._folder)
        for array in given.arrays:
            if array is not None and array[1].flags.writeable:
                plain = array[1].view(np.uint16) if _arrays.is_bfloat16(array[1].dtype) else array[1]
                result._copy_back(array[0], plain)
            can = array is not None and self._envelope and array[1].dtype.itemsize <= 8
            result.envelopes.append(result._envelope(*array) if can and array is not None else None)
        return result


def run(source: Source, kernel: Optional[str], args: Sequence[Any], global_size: Any, local_size: Any = None, *,
        offset: Any = None, detect: Any = "all", **options: Any) -> Result:
    """Runs a kernel exactly, and finds what it does wrong.

    source: OpenCL C as a str, a path (.cl, .spv, .spvasm), SPIR-V as bytes; a list is linked.
    kernel: its name; None where the module has only one.
    args: one for each parameter.  For a pointer to global or constant memory a contiguous array (or what offers
        the array interface or DLPack): the kernel sees its bytes, and it is written in place; one that is read-only
        is a read-only buffer (a kernel that stores into it is told); the same array may be given twice; None is a null
        pointer.  For a value a number; of a vector or structure an array, np.void or bytes of its size.  For local
        memory `Local(bytes)`.  For images, samplers, pipes and queues `Arg(text)`.
    global_size, local_size, offset: a number of work-items, or a tuple of up to three.  Without a
        local size one is chosen.
    detect: "all", "none", names ("races,groups"), or all but some ("-alignment").

    Further options, each as the one of `assay run` in docs/cli.md: build_options, compiler, spec_constants (a dict),
    allow_read, forward_progress, sub_group_size, device_queue, seed, rounding, flush_to_zero, timeout (seconds),
    max_instructions, max_findings, max_memory, threads, ignore, allow, envelope, imprecision, profile,
    keeps_subnormals, cl_version, many_seeds, explore (how many choices differ), max_runs, counts.

    Returns a `Result`; findings are no exceptions (`result.check()` makes them one).  Raises
    UsageError for a source that does not compile, TypeError and ValueError for arguments, UnsupportedError
    for what is not executed, LimitError for limits.  Source: OpenCL C 3.0, SPIR-V 1.6.
    """
    with Program(source, detect=detect, **options) as program:
        return program.run(kernel, args, global_size, local_size, offset)
