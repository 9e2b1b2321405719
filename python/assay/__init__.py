"""assay: correctly rounded functions, exact errors, and kernels run exactly, on NumPy arrays.

    import assay, numpy as np
    x = np.linspace(-10, 10, 1_000_000, dtype=np.float32)
    assay.ulp_error("sin", x, np.sin(x)).max()         # the error of NumPy's sin, in ulp
    assay.judge("sin", x, np.sin(x)).all               # does it conform to OpenCL?
    assay.eval("sin", x)                               # correctly rounded
    assay.run(source, "kernel", [x, y], len(x))        # OpenCL C or SPIR-V; findings as objects

docs/python.md has more.
"""

from ._assay import revision as __revision__
from ._assay import version as __version__
from ._errors import (
    Error,
    FindingsError,
    InternalError,
    LimitError,
    UnknownNameError,
    UnsupportedError,
    UsageError,
)
from ._arguments import Arg, Local
from ._golden import Accepted, Golden, GoldenResult, golden, verify_golden
from ._hard_cases import HardCases, hard_cases
from ._image import Image
from ._job import Job
from ._judge import Limit, Verdict, judge, limits
from ._matrix import convert, matmul, matrix_error
from ._mx import from_mx, matmul_mx, to_mx
from ._numerics import Function, eval, functions, ulp_error
from ._result import Envelope, Finding, Result
from ._run import Program, run

__all__ = [
    "Accepted",
    "Arg",
    "Envelope",
    "Error",
    "Finding",
    "FindingsError",
    "Function",
    "Golden",
    "GoldenResult",
    "HardCases",
    "Image",
    "InternalError",
    "Job",
    "Limit",
    "LimitError",
    "Local",
    "Program",
    "Result",
    "UnknownNameError",
    "UnsupportedError",
    "UsageError",
    "Verdict",
    "convert",
    "eval",
    "from_mx",
    "functions",
    "golden",
    "hard_cases",
    "judge",
    "limits",
    "matmul",
    "matmul_mx",
    "matrix_error",
    "run",
    "to_mx",
    "ulp_error",
    "verify_golden",
]
