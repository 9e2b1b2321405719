"""eval and ulp_error beside mpmath and exact fractions; judge, limits, hard_cases, functions."""

from fractions import Fraction

import numpy as np
import pytest

import assay
import reference

MODES = ("rte", "rtz", "rtp", "rtn")
DTYPES = (np.float16, np.float32, np.float64)


def same_bits(a, b):
    return np.array_equal(
        np.asarray(a).view(f"u{np.asarray(a).dtype.itemsize}"),
        np.asarray(b).view(f"u{np.asarray(b).dtype.itemsize}"),
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sorted(reference.UNARY))
def test_eval_is_correctly_rounded(name, dtype):
    x = reference.operands(name, dtype, 60, 1)
    truth = [reference.true_value(name, value) for value in x]
    for mode in MODES:
        expected = np.array([reference.rounded(value, dtype, mode) for value in truth], dtype)
        got = assay.eval(name, x, rounding=mode)
        assert got.dtype == dtype
        assert (got == expected).all(), (name, mode, x[got != expected])


@pytest.mark.parametrize("name", ["pow", "atan2", "hypot"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_two_operands(name, dtype):
    generator = np.random.default_rng(2)
    x = np.exp2(generator.uniform(-4, 2, 80)).astype(dtype)
    y = generator.uniform(-3, 3, 80).astype(dtype)
    for mode in MODES:
        expected = [
            reference.rounded(reference.true_value(name, a, b), dtype, mode) for a, b in zip(x, y)
        ]
        assert (assay.eval(name, x, y, rounding=mode) == np.array(expected, dtype)).all()


def test_operators_against_numpy():
    generator = np.random.default_rng(3)
    x, y = (generator.standard_normal(100_000).astype(np.float32) for _ in range(2))
    assert same_bits(assay.eval("add", x, y), x + y)
    assert same_bits(assay.eval("mul", x, y), x * y)
    assert same_bits(assay.eval("div", x, y), x / y)
    assert same_bits(assay.eval("sqrt", np.abs(x)), np.sqrt(np.abs(x)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sin", "exp", "log", "cbrt"])
@pytest.mark.parametrize("exact", [False, True])
def test_ulp_error_against_fractions(name, dtype, exact):
    x = reference.operands(name, dtype, 60, 4)
    y = assay.eval(name, x)
    generator = np.random.default_rng(5)
    bits = y.view(f"u{y.itemsize}") + generator.integers(-3, 4, y.size).astype(f"u{y.itemsize}")
    y = bits.view(dtype)
    errors = assay.ulp_error(name, x, y, exact=exact)
    signed = assay.ulp_error(name, x, y, exact=exact, signed=True)
    slack = Fraction(2) ** (-22 if dtype != np.float64 and not exact else -40)
    for operand, answer, error, with_sign in zip(x, y, errors, signed):
        if not np.isfinite(answer):
            continue
        value = reference.true_value(name, operand)
        truth = reference.ulp_error(answer, value, dtype)
        assert abs(Fraction(error) - truth) <= slack, (name, operand, answer)
        assert abs(with_sign) == error
        difference = reference.exact(answer) - value
        assert np.sign(with_sign) == (difference > 0) - (difference < 0)


def test_ulp_error_of_special_answers():
    x = np.float32([np.nan, 0, 0, 0, 1e30, -1e30, np.inf])
    y = np.float32([np.nan, 1, np.nan, np.inf, np.inf, -np.inf, np.nan])
    exact_exp = assay.ulp_error("exp", x, y)
    assert exact_exp[0] == 0 and exact_exp[1] == 0
    assert exact_exp[2] == np.inf and exact_exp[6] == np.inf
    assert assay.ulp_error("log", np.float32(0), np.float32(-np.inf)) == 0
    assert assay.ulp_error("log", np.float32(0), np.float32(np.inf)) == np.inf
    assert assay.ulp_error("sin", np.float32(0), np.float32(-0.0)) == 0
    # A power of two: its ulp is the gap below it.
    assert assay.ulp_error("fabs", np.float32(1), np.nextafter(np.float32(1), np.float32(2))) == 2
    assert (
        assay.ulp_error(
            "fabs", np.float32(1), np.nextafter(np.float32(1), np.float32(0)), signed=True
        )
        == -1
    )


def test_broadcasting_and_scalars():
    x = np.linspace(0.5, 2, 6, dtype=np.float32).reshape(2, 1, 3)
    y = np.float32([[1], [2], [0.5], [-1]])
    result = assay.eval("pow", x, y)
    assert result.shape == (2, 4, 3)
    for index in np.ndindex(2, 4, 3):
        assert result[index] == assay.eval("pow", x[index[0], 0, index[2]], y[index[1], 0])
    assert same_bits(assay.eval("pow", x, 2.0), assay.eval("mul", x, x))
    assert isinstance(assay.eval("sin", np.float32(1)), np.float32)
    assert isinstance(assay.eval("sin", 1.0), np.float64)
    assert assay.eval("fma", np.float32(2), 3, 4.0) == 10
    assert isinstance(assay.ulp_error("sin", np.float32(1), np.float32(1)), float)
    assert assay.eval("sin", np.empty((0, 3), np.float32)).shape == (0, 3)


def test_strides_orders_and_many_threads():
    x = np.linspace(-9, 9, 60_000, dtype=np.float32)
    whole = assay.eval("sin", x, threads=1)
    assert same_bits(assay.eval("sin", x, threads=7), whole)
    assert same_bits(assay.eval("sin", x[::3]), whole[::3])
    assert same_bits(assay.eval("sin", x[::-1]), whole[::-1])
    table = np.asfortranarray(x.reshape(300, 200))
    assert same_bits(np.ascontiguousarray(assay.eval("sin", table)), whole.reshape(300, 200))


def test_out_is_written_in_place():
    x = np.linspace(-1, 1, 1000, dtype=np.float32)
    expected = assay.eval("exp", x)
    out = np.empty_like(x)
    assert assay.eval("exp", x, out=out) is out and same_bits(out, expected)
    shifted = np.concatenate([x, x[:1]])
    assay.eval("exp", shifted[:-1], out=shifted[1:])
    assert same_bits(shifted[1:], expected)
    assay.eval("exp", x, out=x)
    assert same_bits(x, expected)


def test_two_results():
    x = np.float32([0.5, 3, -1e20, np.inf])
    sine, cosine = assay.eval("sincos", x)
    assert same_bits(sine, assay.eval("sin", x)) and same_bits(cosine, assay.eval("cos", x))
    mantissa, exponent = assay.eval("frexp", x[:3])
    assert exponent.dtype == np.int32 and same_bits(np.ldexp(mantissa, exponent), x[:3])
    errors = assay.ulp_error("sincos", x[:3], (sine[:3], cosine[:3]))
    assert all((error <= 0.5).all() for error in errors)
    assert assay.judge("sincos", x, (sine, cosine)).all
    wrong = assay.judge("sincos", x[:2], (sine[:2], cosine[:2] + np.float32(1)))
    assert wrong.failures == 2 and wrong.why(0) == "error over the limit"


def test_integer_operands_and_vectors():
    assert assay.eval("pown", np.float32([2, 3]), np.int32([10, -1])).tolist() == [
        1024,
        np.float32(1 / 3),
    ]
    assert assay.eval("ilogb", np.float64([8, 0.3])).tolist() == [3, -2]
    a, b = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([1, 0, 2])
    assert assay.eval("dot", a, b).tolist() == [7, 16]
    assert assay.eval("cross", a, b).shape == (2, 3)
    assert assay.eval("cross", a, b)[0].tolist() == [4, 1, -2]
    assert assay.eval("length", np.float64([3, 4])) == 5
    assert assay.judge("dot", a, b, np.float32([7, 16])).all


def test_conversions():
    assert assay.eval("convert_int_sat_rte", np.float32([2.5, 3.5, 1e20, -1e20])).tolist() == [
        2,
        4,
        2**31 - 1,
        -(2**31),
    ]
    assert assay.eval("convert_half_rtz", np.float32([65535.0])).tolist() == [65504]
    assert assay.eval("convert_float", np.int64([2**24 + 1])).dtype == np.float32
    assert assay.judge("convert_uchar", np.float32([3.9]), np.uint8([3])).all


def test_bfloat16_as_bits():
    x = np.float32([1, 0.5, 3.140625]).view(np.uint32)
    bits = (x >> 16).astype(np.uint16)
    y = assay.eval("sin", bits, format="bfloat16")
    assert y.dtype == np.uint16
    wide = (y.astype(np.uint32) << 16).view(np.float32)
    truth = [float(reference.true_value("sin", value)) for value in x.view(np.float32)]
    assert (np.abs(wide - truth) <= np.abs(truth) * 2.0**-8).all()
    assert (assay.ulp_error("sin", bits, y, format="bfloat16") <= 0.5).all()


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1, 0.5, 3], ml_dtypes.bfloat16)
    y = assay.eval("sin", x)
    assert y.dtype == x.dtype and (assay.ulp_error("sin", x, y) <= 0.5).all()


def test_array_interfaces():
    x = np.linspace(0, 1, 100, dtype=np.float32)

    class Interface:
        __array_interface__ = x.__array_interface__

    class Dlpack:
        def __dlpack__(self, stream=None):
            return x.__dlpack__()

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    for offered in (Interface(), Dlpack()):
        assert same_bits(assay.eval("exp", offered), assay.eval("exp", x))
    assert same_bits(assay.eval("exp", x.tolist()), assay.eval("exp", x.astype(np.float64)))


def test_judge():
    x = np.linspace(-4, 4, 5000, dtype=np.float32)
    y = assay.eval("sin", x)
    verdict = assay.judge("sin", x, y)
    assert verdict.all and verdict.failures == 0 and verdict.ulp.max() <= 0.5
    assert verdict.limit.ulp == 4 and verdict.conforms.dtype == np.bool_
    y[7] += np.float32(1)
    y[9] = np.nan
    wrong = assay.judge("sin", x, y)
    assert wrong.failures == 2 and not wrong.conforms[7] and wrong.ulp[9] == np.inf
    assert wrong.why(7) == "error over the limit" and wrong.why(9) == "NaN and number confused"
    # What one profile allows another does not.
    z = (y.view(np.uint32) + 5).view(np.float32)[100:200]
    assert not assay.judge("log", np.abs(x[100:200]) + 2, z).all
    tiny = np.float32([1e-40])
    assert not assay.judge("mul", tiny, np.float32([1]), np.float32([0])).all
    assert assay.judge("mul", tiny, np.float32([1]), np.float32([0]), denormals=False).all
    assert bool(assay.judge("sin", np.float32(1), np.float32(0.84147096)).conforms)


def test_limits_and_functions():
    assert assay.limits("sin", "float").ulp == 4
    assert assay.limits("sin", np.float32) == assay.limits("sin", "float")
    assert assay.limits("sqrt", "double").kind == "correctly rounded"
    assert "7.4" in assay.limits("exp", "half").clause or assay.limits("exp", "half").clause
    assert assay.limits("sin", "float", math="relaxed").text != assay.limits("sin", "float").text
    assert assay.limits("exp", "float", profile="embedded").ulp == 4
    table = {function.name: function for function in assay.functions()}
    assert len(table) > 100 and table["fma"].operands == "FFF" and table["sincos"].results == "FF"
    assert "double" in table["sin"].formats and table["half_sin"].formats == ("float",)


def test_hard_cases():
    cases = assay.hard_cases("sin", "double")
    assert len(cases) > 10 and cases.x.dtype == np.float64
    steep = [i for i in range(len(cases)) if not cases.flat[i]][:5]
    for i in steep:
        value = reference.true_value("sin", cases.x[i])
        gap = reference.gap_at(abs(value), np.float64)
        rest = abs(value) / gap % 1
        nearest = abs(rest - Fraction(1, 2)) if cases.kind[i] == "midpoint" else min(rest, 1 - rest)
        assert abs(np.log2(float(nearest)) - cases.log2_distance[i]) < 0.1
    assert assay.hard_cases("powr", "float").operands[1].dtype == np.float32
    assert len(assay.hard_cases("floor", "float")) == 0


def test_an_interrupt_ends_long_work():
    import signal
    import threading

    x = np.linspace(0.01, 0.99, 6_000_000)  # no fast path: seconds
    threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        assay.eval("smoothstep", 0.0, 1.0, x)
    assert assay.eval("sin", np.float32(0)) == 0
