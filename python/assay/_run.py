"""run: kernels on NumPy arrays."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence

import numpy as np

from . import _arrays, _assay
from ._arguments import _Arguments
from ._errors import Error, UnknownNameError, UsageError
from ._options import _in_python, _options, _sizes
from ._result import Result
from ._sources import Source, _Sources


class Program:
    """A module that is loaded once and run many times: ``Program(source).run(kernel, args,
    global_size)``.

    The options are those of `run`; `kernels` has the names of its kernels.
    """

    def __init__(self, source: Source, **options: Any) -> None:
        given = _options(options)
        self._envelope = bool(given.get("envelope", False))
        self._sources = _Sources(source)
        try:
            self._program = _assay.Program({**given, "modules": self._sources.paths})
        except BaseException as error:
            folder = self._folder
            self._sources.close()
            if isinstance(error, Error):
                raise type(error)(_in_python(str(error), folder)) from None
            raise

    @property
    def _folder(self) -> str:
        return self._sources.folder + os.sep if self._sources.folder else ""

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Removes what is kept of the source; findings have no source lines any more."""
        self._sources.close()

    @property
    def kernels(self) -> list[str]:
        return self._program.kernel_names()

    def parameters(self, kernel: str) -> list[tuple[str, str]]:
        """(name, type) of each parameter of a kernel."""
        return [
            (name, type_) for _, name, type_, _ in self._program.parameters(self._kernel(kernel))
        ]

    def _kernel(self, name: Optional[str]) -> str:
        kernels = self.kernels
        if name is None:
            if len(kernels) == 1:
                return kernels[0]
            raise UsageError(
                f"name one of the module's kernels: {', '.join(kernels) or 'it has none'}"
            )
        if not isinstance(name, str):
            raise TypeError(f"the kernel's name must be a str, not {type(name).__name__}")
        if name not in kernels:
            near = _assay.near_names(name, kernels)
            hint = f"did you mean {near}?" if near else f"it has {', '.join(kernels) or 'none'}"
            raise UnknownNameError(f"the module has no kernel '{name}': {hint}")
        return name

    def run(
        self,
        kernel: Optional[str],
        args: Sequence[Any],
        global_size: Any,
        local_size: Any = None,
        offset: Any = None,
    ) -> Result:
        """Runs a kernel; as `assay.run`."""
        name = self._kernel(kernel)
        given = _Arguments(name, self._program.parameters(name), args)
        sizes = [
            _sizes(option, value)
            for option, value in (
                ("global_size", global_size),
                ("local_size", local_size),
                ("offset", offset),
            )
        ]
        if not sizes[0]:
            raise TypeError("global_size: give the number of work-items, or a tuple of up to three")
        try:
            report = self._program.run(
                name, sizes[0], sizes[1], sizes[2], given.buffers, given.arguments
            )
        except KeyboardInterrupt as interrupt:
            report = interrupt.__dict__.pop("report", None)
            if report is not None:
                setattr(interrupt, "result", self._result(report, given))
            raise
        return self._result(report, given)

    def _result(self, report: Any, given: _Arguments) -> Result:
        result = Result(report, self._folder)
        for array in given.arrays:
            if array is not None and array[1].flags.writeable:
                plain = (
                    array[1].view(np.uint16) if _arrays.is_bfloat16(array[1].dtype) else array[1]
                )
                result._copy_back(array[0], plain)
            can = array is not None and self._envelope and array[1].dtype.itemsize <= 8
            result.envelopes.append(result._envelope(*array) if can and array is not None else None)
        for place, pixels in given.images:
            if pixels.flags.writeable:
                result._copy_back(result._place_of(place), pixels)
        return result


def run(
    source: Source,
    kernel: Optional[str],
    args: Sequence[Any],
    global_size: Any,
    local_size: Any = None,
    *,
    offset: Any = None,
    detect: Any = "all",
    **options: Any,
) -> Result:
    """Runs a kernel exactly, and finds what it does wrong.

    source: OpenCL C as a str, a path (.cl, .spv, .spvasm), SPIR-V as bytes; a list is linked.
    kernel: its name; None where the module has only one.
    args: one for each parameter.  For a pointer to global or constant memory a contiguous array (or
        what offers the array interface or DLPack): the kernel sees its bytes, and it is written in
        place; one that is read-only is a read-only buffer (a kernel that stores into it is told);
        the same array may be given twice; None is a null pointer.  For a value a number; of a
        vector or structure an array, np.void or bytes of its size.  For local memory
        `Local(bytes)`.  For images `Image(pixels)`, for samplers, pipes and queues `Arg(text)`.
    global_size, local_size, offset: a number of work-items, or a tuple of up to three.  Without a
        local size one is chosen.
    detect: "all", "none", names ("races,groups"), or all but some ("-alignment").

    Further options, each as the one of `assay run` in docs/cli.md: build_options, compiler,
    spec_constants (a dict), allow_read, forward_progress, sub_group_size, matrix (how products of
    matrices add: a model of docs/matrix.md or its file), device_queue, seed, rounding, flush_to_zero, timeout (seconds), max_instructions, max_findings, max_memory, threads,
    ignore, allow, envelope, imprecision, profile, keeps_subnormals, cl_version, many_seeds, explore
    (how many choices differ), max_runs, counts.

    Returns a `Result`; findings are no exceptions (`result.check()` makes them one).  Raises
    UsageError for a source that does not compile, TypeError and ValueError for arguments,
    UnsupportedError for what is not executed, LimitError for limits.  Source: OpenCL C 3.0, SPIR-V
    1.6.
    """
    with Program(source, detect=detect, **options) as program:
        return program.run(kernel, args, global_size, local_size, offset)
