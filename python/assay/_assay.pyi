"""The module in C++ (python/*.cc).  Its functions trust their arguments: call the package."""

from typing import Any, Optional, Sequence

import numpy as np

version: str
revision: str
truth: str

class Function:
    @property
    def name(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def operands(self) -> list[tuple[str, int]]: ...
    @property
    def results(self) -> list[tuple[str, int]]: ...
    def evaluate(
        self,
        operands: Sequence[np.ndarray],
        results: Sequence[np.ndarray],
        count: int,
        rounding: int,
        threads: int,
    ) -> None: ...
    def ulp_errors(
        self,
        operands: Sequence[np.ndarray],
        answers: Sequence[np.ndarray],
        errors: Sequence[np.ndarray],
        count: int,
        is_signed: bool,
        is_exact: bool,
        threads: int,
    ) -> None: ...
    def judge(
        self,
        profile: int,
        math: int,
        reading: str,
        rounding: int,
        denormals: bool,
        build_options: str,
    ) -> Judge: ...

class Judge:
    @property
    def limit(self) -> tuple[str, str, str, Optional[float]]: ...
    def answers(
        self,
        function: Function,
        operands: Sequence[np.ndarray],
        answers: Sequence[np.ndarray],
        conforms: np.ndarray,
        rules: np.ndarray,
        ulps: np.ndarray,
        count: int,
        threads: int,
    ) -> None: ...

class Report:
    @property
    def summary(self) -> str: ...
    @property
    def output(self) -> bytes: ...
    def json(self) -> str: ...
    def text(self, color: bool) -> str: ...
    def sarif(self) -> str: ...
    def junit(self) -> str: ...
    def buffer_bytes(self, place: int) -> bytes: ...
    def copy_buffer(self, place: int, to: np.ndarray) -> None: ...
    def copy_envelope(
        self, place: int, width: int, low: np.ndarray, high: np.ndarray, kinds: np.ndarray
    ) -> bool: ...

class Program:
    def __init__(self, options: dict[str, Any]) -> None: ...
    def kernel_names(self) -> list[str]: ...
    def parameters(self, kernel: str) -> list[tuple[str, str, str, int]]: ...
    def run(
        self,
        kernel: str,
        global_size: list[int],
        local_size: list[int],
        offset: list[int],
        buffers: list[Any],
        arguments: list[Any],
    ) -> Report: ...

class GoldenFile:
    @property
    def columns(self) -> dict[str, Any]: ...
    def save(self, path: str, encoding: str) -> None: ...

class MatrixModel:
    @property
    def name(self) -> str: ...
    def multiply(
        self, a: np.ndarray, b: np.ndarray, c: np.ndarray, threads: int
    ) -> np.ndarray: ...
    def errors(
        self, a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray, threads: int
    ) -> np.ndarray: ...

small_roundings: list[str]
small_overflows: list[str]

def find_matrix_model(
    name: str, text: str, input: str, accumulator: str
) -> MatrixModel: ...
def matrix_model_names() -> list[str]: ...
def small_formats() -> list[tuple[str, int]]: ...
def convert_small(
    bits: np.ndarray, source: str, to: str, rounding: int, overflow: int, words: np.ndarray
) -> np.ndarray: ...
mx_block: int

def to_mx(
    bits: np.ndarray, source: str, element: str, rounding: int
) -> tuple[np.ndarray, np.ndarray]: ...
def from_mx(scales: np.ndarray, elements: np.ndarray, element: str) -> np.ndarray: ...
def multiply_mx(
    format_a: str,
    format_b: str,
    accumulator: str,
    a: np.ndarray,
    b: np.ndarray,
    scale_a: np.ndarray,
    scale_b: np.ndarray,
    c: np.ndarray,
    threads: int,
) -> np.ndarray: ...
def find_function(name: str, format: str) -> Function: ...
def functions() -> list[tuple[str, str, str, str, list[str], str]]: ...
def hard_cases(
    name: str, format: str
) -> tuple[str, list[np.ndarray], np.ndarray, list[str], list[str], np.ndarray]: ...
def rule_texts() -> list[str]: ...
def near_names(name: str, candidates: list[str]) -> str: ...
def run_option_names() -> list[str]: ...
def golden_make(
    function: str,
    format: str,
    rounding: int,
    level: str,
    samples: int,
    seed: int,
    digits: int,
    given: list[list[int]],
    threads: int,
) -> GoldenFile: ...
def golden_verify(path: str, threads: int) -> tuple[GoldenFile, str]: ...
