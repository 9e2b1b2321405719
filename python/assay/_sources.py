"""Sources of kernels as files."""

from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
import weakref
from typing import Any, Sequence, Union

from ._errors import UsageError

_ENDINGS = {".cl", ".clcpp", ".spv", ".spvasm", ".spvtxt", ".txt", ".ll"}


_MAGIC = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")


Source = Union[str, bytes, "os.PathLike[str]", Sequence[Any]]


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


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
                raise UsageError(
                    "source: these bytes are no SPIR-V, which begins with 03 02 23 07; give OpenCL"
                    " C as a str"
                )
            return self._write(f"module{number}.spv", content)
        if isinstance(part, os.PathLike):
            return self._existing(os.fspath(part))
        if not isinstance(part, str):
            raise TypeError(
                "source must be OpenCL C (str), a path, or SPIR-V (bytes), not"
                f" {type(part).__name__}"
            )
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
            # Also where Python ends, but not where a forked copy of it does.
            self._removal = weakref.finalize(self, _remove, self.folder, os.getpid())
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def close(self) -> None:
        if self.folder:
            self._removal()

    def __enter__(self) -> "_Sources":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
