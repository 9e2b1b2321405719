"""Job: what a run is made of, as the file that `assay run --job` and `assay debug --job` take."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
from typing import Any, Mapping, Optional, Sequence

import numpy as np

from . import _assay
from ._arguments import _Arguments
from ._errors import UsageError
from ._options import _options, _sizes
from ._result import Result
from ._run import Program
from ._sources import Source


class Job:
    """Kernels, arguments and index spaces in a file (docs/cli.md, "Jobs").

    ``Job.load("saxpy.json").run()`` runs a file's; ``Job(source, kernel, args, global_size)``
    describes one, which ``save("folder/saxpy.json")`` writes, with its module and the content of
    its arrays beside it.
    """

    def __init__(
        self,
        source: Source,
        kernel: Optional[str],
        args: Sequence[Any],
        global_size: Any,
        local_size: Any = None,
        *,
        offset: Any = None,
        build_options: str = "",
        compiler: Optional[str] = None,
    ) -> None:
        self._source, self._kernel, self._args = source, kernel, list(args)
        self._sizes = {"global": global_size, "local": local_size, "offset": offset}
        self._build = {
            "build_options": build_options,
            **({"compiler": compiler} if compiler else {}),
        }
        self.path: Optional[pathlib.Path] = None

    @classmethod
    def load(cls, path: "str | os.PathLike[str]") -> "Job":
        """A job file's; its errors come when it is run."""
        job = cls.__new__(cls)
        job.path = pathlib.Path(path)
        if not job.path.is_file():
            raise UsageError(f"'{path}': there is no such file")
        return job

    @property
    def description(self) -> dict[str, Any]:
        """The JSON of a file."""
        if self.path is None:
            raise UsageError("the job has no file yet; save it first")
        return _read(self.path)

    def run(self, **options: Any) -> Result:
        """Runs all launches; the options are those of `assay.run`.  `result.buffers` has what they
        left.
        """
        if self.path is not None:
            loaded = _assay.Program({"detect": "all", **_options(options), "job": str(self.path)})
            return Result(loaded.run("", [], [], [], [], []))
        with Program(self._source, **self._build, **options) as program:
            return program.run(
                self._kernel,
                self._args,
                self._sizes["global"],
                self._sizes["local"],
                self._sizes["offset"],
            )

    def save(self, path: "str | os.PathLike[str]") -> pathlib.Path:
        """Writes the job as a file, and beside it the files that it names."""
        target = pathlib.Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        content = (
            _copied(self.description, self.path.parent, target.parent)
            if self.path
            else self._described(target)
        )
        target.write_text(json.dumps(content, indent=1) + "\n")
        return target

    def _described(self, target: pathlib.Path) -> dict[str, Any]:
        with Program(self._source, **self._build) as program:
            kernel = program._kernel(self._kernel)
            given = _Arguments(kernel, program._program.parameters(kernel), self._args)
            modules = []
            for place, module in enumerate(program._sources.paths):
                number = "" if len(program._sources.paths) == 1 else f".{place}"
                name = f"{target.stem}{number}{pathlib.PurePath(module).suffix}"
                _copy(pathlib.Path(module), target.parent / name)
                modules.append(name)
        job: dict[str, Any] = {"modules": modules, "kernel": kernel}
        job.update({key: value for key, value in self._build.items() if value})
        job.update(
            {key: _sizes(key, value) for key, value in self._sizes.items() if value is not None}
        )
        job["buffers"], job["args"] = {}, []
        for place, (_, element, array, _, writable) in enumerate(given.buffers):
            file = f"{target.stem}.{place}.bin"
            np.ascontiguousarray(array).tofile(target.parent / file)
            access = {} if writable else {"access": "read_only"}
            job["buffers"][f"buffer{place}"] = {"type": element, "init": {"file": file}, **access}
        launch = [_argument(argument) for argument in given.arguments]
        job["launches"] = [{"args": launch}]
        del job["args"]
        return job


def _argument(argument: tuple[Any, ...]) -> dict[str, Any]:
    kind = argument[0]
    if kind == "buffer":
        return {"buffer": f"buffer{argument[1]}"}
    if kind == "bytes":
        return {"bytes": argument[1].hex()}
    if kind == "local":
        return {"local": argument[1]}
    if kind == "null":
        return {"null": True}
    raise UsageError(
        f"the argument {argument[1]!r} cannot be saved: write it into the job file (docs/cli.md,"
        " Jobs)"
    )


def _read(path: pathlib.Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text())
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    if not isinstance(content, dict):
        raise UsageError(f"{path}: a job is a JSON object")
    return content


def _copied(value: Any, source: pathlib.Path, target: pathlib.Path, key: str = "") -> Any:
    """The description, after the files that it names were copied."""
    if isinstance(value, Mapping):
        return {name: _copied(one, source, target, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_copied(one, source, target, key) for one in value]
    if key in ("module", "modules", "file", "png") and isinstance(value, str):
        (target / value).parent.mkdir(parents=True, exist_ok=True)
        _copy(source / value, target / value)
    return value


def _copy(source: pathlib.Path, target: pathlib.Path) -> None:
    if source.resolve() != target.resolve():
        shutil.copyfile(source, target)
