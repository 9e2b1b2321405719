"""The result of a run: findings as objects, output, buffers, envelopes."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any, Optional

import numpy as np

from . import _arrays
from ._errors import FindingsError
from ._options import _in_python
from ._repr import one_line

_PLACE = re.compile(r"^(?P<file>.*?):(?P<line>\d+)(?::(?P<column>\d+))?$", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Finding:
    """A rule that the kernel broke at one place; `assay explain RULE` says more of the rule."""

    rule: str  # "memory-out-of-bounds"
    finding_class: str  # "undefined-behavior", "undefined-value", "implementation-defined", ...
    message: str  # a sentence with the object and the place in it
    file: str  # "" where the module does not say it
    line: int  # from 1; 0 where it is not known
    column: int
    source_text: str  # the line
    instruction: str  # of SPIR-V
    work_item: tuple[int, int, int]  # the global id of the first one that did it
    group: tuple[int, int, int]
    object: str
    history: tuple[str, ...]  # other places that take part: "the other access: ..."
    count: int  # how often it happened there
    launch: int  # of a job
    clause: str  # of the specification
    help: str
    allowed: bool  # by the option `allow`: no fault
    after_undefined_behavior: bool

    @property
    def is_fault(self) -> bool:
        """Is it an error of the kernel, and not only worth knowing?"""
        return not self.allowed and self.finding_class in ("undefined-behavior", "undefined-value")

    def __repr__(self) -> str:
        return f"<assay.Finding: {' '.join(str(self).split())}>"

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.rule}: {self.message}"


@dataclasses.dataclass(frozen=True)
class Envelope:
    """What conforming devices may leave in an array: `low` to `high`, element by element.

    `kind`: 0: all devices have this value; 1: a number from low to high (NaN and NaN: any NaN); 2:
    an integer from low to high; 3: anything.
    """

    low: np.ndarray
    high: np.ndarray
    kind: np.ndarray

    __repr__ = one_line

    @property
    def open(self) -> np.ndarray:
        """Where devices may differ."""
        return self.kind != 0

    def contains(self, answers: Any) -> np.ndarray:
        """Which elements of a device's array lie inside."""
        answers = np.asarray(answers, self.low.dtype)
        if answers.shape != self.low.shape:
            raise ValueError(
                f"the answers must have the shape {self.low.shape}, not {answers.shape}"
            )
        size = answers.dtype.itemsize
        low, high, bits = (array.view(f"u{size}") for array in (self.low, self.high, answers))
        inside = np.where(self.kind == 1, self._in_numbers(answers), bits == low)
        # Integers are counted modulo 2^width, up from low.
        inside = np.where(self.kind == 2, bits - low <= high - low, inside)
        nans = (self.kind == 0) & _is_nan(self.low) & _is_nan(answers)
        return np.asarray(inside | nans | (self.kind == 3))

    def _in_numbers(self, answers: np.ndarray) -> np.ndarray:
        low, high = self.low, self.high
        if low.dtype.kind in "iu" and low.dtype.itemsize > 1:  # numbers in an array of integers
            low, high, answers = (a.view(f"f{a.dtype.itemsize}") for a in (low, high, answers))
        with np.errstate(invalid="ignore"):
            inside = (answers >= low) & (answers <= high)
        return np.asarray(inside | (_is_nan(answers) & _is_nan(low) & _is_nan(high)))


def _is_nan(array: np.ndarray) -> np.ndarray:
    return np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, np.bool_)


def _finding(row: dict[str, Any], folder: str) -> Finding:
    found = _PLACE.match(row["source"])
    file = found["file"] if found else row["source"]
    return Finding(
        rule=row["rule"],
        finding_class=row["class"],
        message=row["message"].replace(folder, ""),
        file=file.replace(folder, ""),
        line=int(found["line"]) if found else 0,
        column=int(found["column"] or 0) if found else 0,
        source_text=row["source_text"],
        instruction=row["instruction"],
        work_item=tuple(row["global_id"]),
        group=tuple(row["group_id"]),
        object=row["object"],
        history=tuple(entry.replace(folder, "") for entry in row["history"]),
        count=row["count"],
        launch=row["launch"],
        clause=row["clause"],
        help=row["help"],
        allowed=row["allowed"],
        after_undefined_behavior=row["after_undefined_behavior"],
    )


class Result:
    """What a run came to.  Truth value: no faults, and it ran to its end.

    findings: a list of `Finding`, in the order of work-groups; `hidden` those of the option
        `ignore`.
    output: what printf printed.
    end: "completed", or which limit ended it ("time-limit", "deadlock", ...); `message` says more.
    buffers: by name, the content of the buffers afterwards (of a job; of `run` also the arrays).
    envelopes: of a run with envelope=True, an `Envelope` for each argument that is an array (None
        for others); undecided: a branch or place hung on values that devices may differ in.
    """

    def __init__(self, report: Any, folder: str = "") -> None:
        self._report = report
        self._folder = folder
        self._summary: dict[str, Any] = json.loads(report.summary)
        self.findings = [_finding(row, folder) for row in self._summary["findings"]]
        self.hidden = [_finding(row, folder) for row in self._summary["hidden"]]
        self.output: str = report.output.decode("utf-8", "replace")
        self.end: str = self._summary["end"]
        self.message: str = _in_python(self._summary["message"], folder)
        self.instructions: int = self._summary["instructions"]
        self.counts: dict[str, int] = self._summary["counts"] or {}
        self.seconds: float = self._summary["seconds"]
        self.undecided: bool = self._summary["undecided"]
        self.local_size: tuple[int, ...] = (
            tuple(self._summary["launches"][0]["local_size"]) if self._summary["launches"] else ()
        )
        self.expectations: list[dict[str, Any]] = self._summary["expectations"]
        self.runs: Optional[dict[str, Any]] = self._summary.get("runs")
        self.envelopes: list[Optional[Envelope]] = []
        self._buffers: Optional[dict[str, np.ndarray]] = None

    @property
    def completed(self) -> bool:
        return self.end == "completed"

    @property
    def faults(self) -> list[Finding]:
        """The findings that are errors of the kernel."""
        return [finding for finding in self.findings if finding.is_fault]

    @property
    def exit_code(self) -> int:
        """That of `assay run` (docs/cli.md)."""
        return int(self._summary["exit_code"])

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def __repr__(self) -> str:
        count = len(self.findings)
        return f"<assay.Result: {self.end}, {count} finding{'' if count == 1 else 's'}>"

    @property
    def buffers(self) -> dict[str, np.ndarray]:
        if self._buffers is None:
            self._buffers = {
                row["name"]: self._buffer(place, row)
                for place, row in enumerate(self._summary["buffers"])
            }
        return self._buffers

    def _buffer(self, place: int, row: dict[str, Any]) -> np.ndarray:
        dtype = np.dtype(np.bool_) if row["type"] == "bool" else _arrays.DTYPES[row["type"]]
        array = np.frombuffer(bytearray(self._report.buffer_bytes(place)), dtype)
        places = row["stride"] // dtype.itemsize
        if row["kind"] == "image" or array.size != row["count"] * places:
            return array
        return array.reshape(row["count"], places)[:, : row["components"]] if places > 1 else array

    def _place_of(self, name: str) -> int:
        return [row["name"] for row in self._summary["buffers"]].index(name)

    def _copy_back(self, place: int, array: np.ndarray) -> None:
        self._report.copy_buffer(place, array)

    def _envelope(self, place: int, array: np.ndarray) -> Envelope:
        plain = array.view(np.uint16) if _arrays.is_bfloat16(array.dtype) else array
        low, high = np.empty_like(plain), np.empty_like(plain)
        kind = np.zeros(array.shape, np.uint8)
        self._report.copy_envelope(place, array.dtype.itemsize, low, high, kind.reshape(-1))
        return Envelope(low.view(array.dtype), high.view(array.dtype), kind)

    def text(self, color: bool = False) -> str:
        """The findings as `assay run` prints them: with source lines, histories and help."""
        return (
            self._report.text(color).replace(self._folder, "")
            if self._folder
            else self._report.text(color)
        )

    def json(self) -> dict[str, Any]:
        """The report of `assay run --json`."""
        return json.loads(self._report.json())

    def sarif(self) -> str:
        """The findings as SARIF 2.1.0."""
        return self._report.sarif()

    def junit(self) -> str:
        """The run as JUnit XML."""
        return self._report.junit()

    def check(self) -> "Result":
        """Itself; FindingsError if the kernel broke a rule or did not come to its end."""
        if not self:
            raise FindingsError(self.explanation(), self)
        return self

    def explanation(self) -> str:
        """What `check` says: the findings, unmet expectations, and how the run ended."""
        lines = [self.text().rstrip()] if self.findings else []
        lines += [
            f"{row['what']}: {row['message']}" for row in self.expectations if row["met"] is False
        ]
        if not self.completed:
            lines.append(f"the run did not come to its end ({self.end}): {self.message}")
        return "\n".join(lines)
