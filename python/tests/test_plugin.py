"""The fixture assay_kernel in a test session of its own."""

pytest_plugins = ["pytester"]

TESTS = '''
import numpy as np

SOURCE = """
kernel void fill(global int* a) {
  a[get_global_id(0)] = 1;
}
"""


def test_right(assay_kernel):
    a = np.zeros(8, np.int32)
    assert assay_kernel(SOURCE, "fill", [a], 8).completed
    assert (a == 1).all()


def test_wrong(assay_kernel):
    assay_kernel(SOURCE, "fill", [np.zeros(8, np.int32)], 9)


def test_by_name(assay_kernel):
    known = "memory-out-of-bounds@kernel.cl=known"
    assay_kernel(SOURCE, None, [np.zeros(8, np.int32)], 9, detect="none", ignore=known)
'''


def test_findings_are_failures_with_source_lines(pytester, monkeypatch):
    # The plugin is named, and an installed one must not be found beside it.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-p", "assay.pytest_plugin")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["*memory-out-of-bounds*", "*kernel.cl:3*", "*a[[]get_global_id(0)[]] = 1;*"]
    )


def test_options(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile("""
        import numpy as np

        SOURCE = "kernel void f(global int* a) { a[0] += 1; }"


        def test_race(assay_kernel):
            result = assay_kernel(SOURCE, None, [np.zeros(1, np.int32)], 8)
            assert result.runs["done"] == 2
    """)
    arguments = ["-p", "assay.pytest_plugin", "--assay-seeds", "2"]
    pytester.runpytest_subprocess(*arguments).assert_outcomes(failed=1)
    pytester.runpytest_subprocess(*arguments, "--assay-detect", "none").assert_outcomes(passed=1)
