"""The plugin of pytest: the fixture `assay_kernel`, whose findings fail the test."""

from __future__ import annotations

from typing import Any, Callable

import pytest

from . import _run
from ._result import Result


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("assay", "kernels on assay's interpreter")
    group.addoption(
        "--assay-detect",
        default="all",
        help="detectors of assay_kernel: all, none, races,groups, ...",
    )
    group.addoption(
        "--assay-seeds",
        type=int,
        default=1,
        help="schedules that assay_kernel tries of each kernel",
    )


@pytest.fixture
def assay_kernel(request: Any) -> Callable[..., Result]:
    """Runs a kernel as `assay.run` does, and fails the test for what it does wrong.

    def test_saxpy(assay_kernel):
        y = np.ones(64, np.float32)
        assay_kernel(SOURCE, "saxpy", [np.float32(2), x, y], 64)
        assert (y == 3).all()
    """
    defaults = {"detect": request.config.getoption("--assay-detect")}
    seeds = request.config.getoption("--assay-seeds")
    if seeds > 1:
        defaults["many_seeds"] = seeds

    def call(
        source: Any,
        kernel: Any,
        args: Any,
        global_size: Any,
        local_size: Any = None,
        **options: Any,
    ) -> Result:
        __tracebackhide__ = True
        result = _run.run(source, kernel, args, global_size, local_size, **{**defaults, **options})
        if not result:
            pytest.fail(result.explanation(), pytrace=False)
        return result

    return call
