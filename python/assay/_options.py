"""The options and sizes of runs, as the module takes them."""

from __future__ import annotations

import os
import re
from typing import Any, Mapping

import numpy as np

from . import _arrays, _assay


def _sizes(option: str, value: Any) -> list[int]:
    """One to three sizes; None: none."""
    if value is None:
        return []
    sizes = (
        [value] if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else value
    )
    if not isinstance(sizes, (list, tuple, np.ndarray)) or not all(
        isinstance(size, (int, np.integer)) and not isinstance(size, bool) for size in sizes
    ):
        raise TypeError(f"{option}: {value!r}; give a whole number, or a tuple of up to three")
    least = 0 if option == "offset" else 1
    if not 1 <= len(sizes) <= 3 or not all(least <= size < 1 << 64 for size in sizes):
        raise ValueError(
            f"{option}: {value!r}; give one to three numbers from {least} on, of 64 bits"
        )
    return [int(size) for size in sizes]


_WHOLE = {
    "seed": 0,
    "max_instructions": 0,
    "max_findings": 1,
    "threads": 0,
    "many_seeds": 1,
    "max_runs": 1,
    "explore": 0,
}


_WORDS = {
    "rounding": _arrays.ROUNDINGS,
    "imprecision": ("random", "lowest", "highest"),
    "profile": ("full", "embedded"),
    "cl_version": ("3.0", "3.1"),
    "forward_progress": ("none", "sub-group", "work-item", "work-group"),
}


_LISTS = ("ignore", "allow", "keeps_subnormals", "allow_read")


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as _assay takes them; wrong ones are told here, by Python's names."""
    known = [name for name in _assay.run_option_names() if name not in ("modules", "job")]
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            near = _assay.near_names(name, known)
            hint = f": did you mean {near}?" if near else "; help(assay.run) has all"
            raise TypeError(f"there is no option '{name}'{hint}")
        if value is not None:
            options[name] = _option(name, value)
    if "explore" in options and (options.get("many_seeds", 1) != 1 or options.get("seed", 0) != 0):
        raise ValueError(
            "explore contradicts seed and many_seeds: it tries the schedules by itself"
        )
    return options


def _option(name: str, value: Any) -> Any:
    if name in _WHOLE:
        number = _arrays.whole(
            name,
            value,
            _WHOLE[name],
            4096 if name == "threads" else (1 << 32) - 1 if name == "explore" else (1 << 64) - 1,
        )
        return f"bounded:{number}" if name == "explore" else number
    if name in _WORDS:
        return _WORDS[name][_arrays.one_of(name, value, _WORDS[name])]
    if name == "sub_group_size":
        return str(_arrays.whole(name, value, 1, 128))
    if name == "device_queue":
        return str(_arrays.whole(name, value, 0, (1 << 32) - 1))
    if name == "max_memory":
        return str(value)
    if name == "timeout":
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
            raise ValueError(f"timeout: {value!r}; give seconds, or 0 for no limit")
        return float(value)
    if name == "matrix":
        return _words(name, value)[0]
    if name == "spec_constants":
        if not isinstance(value, Mapping):
            raise TypeError(
                f"spec_constants: give a dict of numbers and values, not {type(value).__name__}"
            )
        return [f"{key}={_spec_constant(one)}" for key, one in value.items()]
    if name in _LISTS or name == "detect":
        return _words(name, value)
    return value


def _words(name: str, value: Any) -> Any:
    """A list of texts, or one of them."""
    words = [value] if isinstance(value, (str, os.PathLike)) else value
    if not isinstance(words, (list, tuple)) or not all(
        isinstance(word, (str, os.PathLike)) for word in words
    ):
        raise TypeError(f"{name}: {value!r}; give a str, or a list of them")
    if name == "keeps_subnormals":
        for word in words:
            _arrays.one_of(name, word, ("half", "float"))
    if name == "detect":
        return ",".join(words) or "none"
    return [os.fspath(word) for word in words]


def _in_python(message: str, folder: str) -> str:
    """A message without our own folder, and with Python's names of options."""
    known = _assay.run_option_names()
    named = re.sub(
        r"--([a-z]+(?:-[a-z]+)*)",
        lambda found: name if (name := found[1].replace("-", "_")) in known else found[0],
        message,
    )
    return named.replace(folder, "") if folder else named


def _spec_constant(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, np.generic):
        name = _arrays.element_of(value.dtype)
        return f"{name}:{value.item()!r}"
    if isinstance(value, float):
        raise TypeError(
            f"spec_constants: {value!r} has no type; give np.float32(...) or np.float64(...)"
        )
    return str(value)
