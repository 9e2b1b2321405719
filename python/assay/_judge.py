"""judge and limits: what the specification allows."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

import numpy as np

from . import _arrays, _assay
from ._numerics import _Call, _check_name, _find, _split, _threads

_PROFILES = ("full", "embedded")


_MATHS = ("default", "relaxed", "native")


_SPECS = ("environment", "opencl-c", "cts")


@dataclasses.dataclass(frozen=True)
class Limit:
    """What the specification allows, as reports print it and in ulp (None: it is no ulp)."""

    function: str
    format: str
    text: str
    clause: str
    kind: str
    ulp: Optional[float]


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Whether answers conform, element by element, in arrays of the operands' common shape."""

    conforms: Any  # bool
    ulp: Any  # float64: the error; NaN where no ulp applies, inf where a NaN or infinity is wrong
    rule: Any  # uint8: why, a place in `rules`
    rules: tuple[str, ...]
    limit: Limit

    def __repr__(self) -> str:
        count = np.size(self.conforms)
        return f"<assay.Verdict: {self.failures} of {count} answers fail, limit {self.limit.text}>"

    @property
    def all(self) -> bool:
        """Do all answers conform?"""
        return bool(np.all(self.conforms))

    @property
    def failures(self) -> int:
        """How many do not."""
        return int(np.size(self.conforms) - np.count_nonzero(self.conforms))

    def why(self, *index: int) -> str:
        """The rule of one answer, in words: ``verdict.why(3)``, ``verdict.why(0, 2)``."""
        return self.rules[int(np.asarray(self.rule)[index])]


def _judge_of(
    function: Any,
    profile: str,
    math: str,
    spec: str,
    rounding: str,
    denormals: bool,
    build_options: str,
) -> Any:
    if not isinstance(build_options, str):
        raise TypeError(f"build_options must be a str, not {type(build_options).__name__}")
    _arrays.one_of("spec", spec, _SPECS)
    return function.judge(
        _arrays.one_of("profile", profile, _PROFILES),
        _arrays.one_of("math", math, _MATHS),
        spec,
        _arrays.one_of("rounding", rounding, _arrays.ROUNDINGS),
        bool(denormals),
        build_options,
    )


def _limit_of(function: Any, judge: Any) -> Limit:
    return Limit(function.name, function.format, *judge.limit)


def judge(
    name: str,
    *operands_and_answers: Any,
    profile: str = "full",
    math: str = "default",
    spec: str = "environment",
    rounding: str = "rte",
    denormals: bool = True,
    build_options: str = "",
    format: Any = None,
    threads: int = 0,
) -> Verdict:
    """Do anybody's answers conform to OpenCL?  ``judge("sin", x, y).all``

    The arguments are those of `ulp_error`.
    profile: ``"full"`` or ``"embedded"``.
    math: ``"default"``, ``"relaxed"`` (-cl-fast-relaxed-math), ``"native"``.
    spec: ``"environment"`` (SPIR-V), ``"opencl-c"``, ``"cts"`` (what the conformance suite
        accepts).
    rounding: the device's mode, for operators and conversions.
    denormals: False: the device may flush subnormal numbers (OpenCL C 7.5.3).
    build_options: options of the program that change what is allowed, such as ``"-cl-mad-enable"``.

    Source: OpenCL C 7.4 and 7.5; the SPIR-V environment specification, "Numerical Compliance".
    """
    operands, answers = _split(name, operands_and_answers)
    call = _Call(name, operands, format)
    given = call.answers(answers)
    made = _judge_of(call.function, profile, math, spec, rounding, denormals, build_options)
    conforms = np.empty(call.shape, np.bool_)
    rules = np.empty(call.shape, np.uint8)
    ulps = np.empty(call.shape, np.float64)
    if call.count:
        made.answers(
            call.function,
            call.operands,
            given,
            conforms.view(np.uint8),
            rules,
            ulps,
            call.count,
            _threads(threads),
        )
    return Verdict(
        conforms[()],
        ulps[()],
        rules[()],
        tuple(_assay.rule_texts()),
        _limit_of(call.function, made),
    )


def limits(
    name: str,
    format: Any = "float",
    *,
    profile: str = "full",
    math: str = "default",
    spec: str = "environment",
    build_options: str = "",
) -> Limit:
    """The error that the specification allows: ``limits("sin", "float").ulp`` is 4.0.

    format: ``"half"``, ``"bfloat16"``, ``"float"``, ``"double"`` or a dtype; ``"float3"`` for
        vectors; of a conversion
    the type that is converted.  The other arguments are those of `judge`.
    """
    _check_name(name)
    function = _find(name, _arrays.format_name(format))
    return _limit_of(function, _judge_of(function, profile, math, spec, "rte", True, build_options))
