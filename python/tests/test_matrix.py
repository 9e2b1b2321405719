"""matmul, matrix_error and convert against evaluations of other kinds."""

import json
from fractions import Fraction

import numpy as np
import pytest

import assay

# name: exponent bits, mantissa bits, bias; by the OCP specifications and arXiv 2206.02915.
SMALL = {
    "e4m3": (4, 3, 7),
    "e5m2": (5, 2, 15),
    "e4m3fnuz": (4, 3, 8),
    "e5m2fnuz": (5, 2, 16),
    "e2m3": (2, 3, 1),
    "e3m2": (3, 2, 3),
    "e2m1": (2, 1, 1),
}
ROUNDINGS = ("nearest-even", "toward-zero", "up", "down")


def numbers_of(name):
    """The positive finite numbers and zero, by their encodings, which are in order."""
    exponent_bits, mantissa_bits, bias = SMALL[name]
    count = 1 << exponent_bits + mantissa_bits
    if name == "e4m3":
        count -= 1
    if name == "e5m2":
        count -= 4
    values = []
    for code in range(count):
        field, mantissa = divmod(code, 1 << mantissa_bits)
        significand = mantissa + (1 << mantissa_bits if field else 0)
        values.append(significand * 2.0 ** (max(field, 1) - bias - mantissa_bits))
    return np.array(values)


def expected(name, x, rounding, overflow):
    """By looking for the neighbours among all numbers; x: finite float64, exact in every step."""
    values = numbers_of(name)
    ulp = values[-1] - values[-2]
    line = np.append(values, values[-1] + ulp)  # the next one if there were more exponents
    magnitude, negative = np.abs(x), np.signbit(x)
    clipped = np.minimum(magnitude, line[-1])
    low = np.searchsorted(line, clipped, side="right") - 1
    high = np.minimum(low + (line[low] < clipped), len(line) - 1)
    middle = (line[low] + line[high]) / 2
    if rounding == "nearest-even":
        up = (clipped > middle) | ((clipped == middle) & (low % 2 == 1))
    else:
        up = {"toward-zero": np.zeros_like(negative), "up": ~negative, "down": negative}[rounding]
    code = np.where(up, high, low)
    over = code >= len(values)
    over |= magnitude > line[-1]
    away = {"nearest-even": np.ones_like(negative), "toward-zero": np.zeros_like(negative),
            "up": ~negative, "down": negative}[rounding]
    if overflow != "ieee":
        away = np.full_like(negative, overflow == "non-finite")
    exponent_bits, mantissa_bits, _ = SMALL[name]
    sign = np.where(negative, 1 << exponent_bits + mantissa_bits, 0)
    special = {"e4m3": 0x7F, "e5m2": 0x7C}.get(name)
    code = np.where(over, len(values) - 1, code)
    if name.endswith("fnuz"):
        result = np.where(code == 0, 0, code | sign)
        return np.where(over & away, 0x80, result)
    if special is None:
        return code | sign
    return np.where(over & away, special, code) | sign


def finite_of(dtype):
    with np.errstate(all="ignore"):
        if dtype == "f16":
            x = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float64)
        else:
            bits = np.arange(1 << 16, dtype=np.uint32) << 16
            x = bits.view(np.float32).astype(np.float64)
    return x[np.isfinite(x)]


@pytest.mark.parametrize("overflow", ("ieee", "saturate", "non-finite"))
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("name", SMALL)
def test_all_halves_and_bfloat16s_convert(name, rounding, overflow):
    for source in ("f16", "bf16"):
        x = finite_of(source)
        got = assay.convert(x, name, rounding=rounding, overflow=overflow)
        want = expected(name, x, rounding, overflow)
        wrong = np.flatnonzero(got != want)
        assert wrong.size == 0, (source, x[wrong[0]], got[wrong[0]], want[wrong[0]])


@pytest.mark.parametrize("name", SMALL)
def test_all_numbers_come_back(name):
    values = numbers_of(name)
    codes = assay.convert(values, name)
    assert np.array_equal(codes, np.arange(len(values)))
    for wide in ("f16", "bf16", "f32", "f64"):
        bits = assay.convert(codes, wide, format=name)
        form = np.dtype(np.float64)
        back = assay.convert(bits if wide != "f32" else bits.view(np.uint32), "f64", format=wide)
        assert np.array_equal(back.view(form), values), wide


def test_ml_dtypes_has_the_same_conversions():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    names = {"float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2", "float8_e4m3fnuz": "e4m3fnuz",
             "float8_e5m2fnuz": "e5m2fnuz", "float6_e2m3fn": "e2m3", "float6_e3m2fn": "e3m2",
             "float4_e2m1fn": "e2m1", "bfloat16": "bf16"}
    for name, to in names.items():
        dtype = np.dtype(getattr(ml_dtypes, name))
        x = np.concatenate([finite_of("f16"), finite_of("bf16")]).astype(np.float32)
        theirs = x.astype(dtype).view(np.dtype(f"u{dtype.itemsize}"))
        ours = assay.convert(x, to)
        mask = (1 << {"e2m3": 6, "e3m2": 6, "e2m1": 4}.get(to, 8 * dtype.itemsize)) - 1
        wrong = np.flatnonzero((theirs & mask) != ours)
        assert wrong.size == 0, (name, x[wrong[0]], theirs[wrong[0]], ours[wrong[0]])


def test_differences_from_ml_dtypes_have_names():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    if not hasattr(ml_dtypes, "float8_e8m0fnu"):
        pytest.skip("an ml_dtypes without E8M0")
    x = (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)
    with np.errstate(invalid="ignore"):
        theirs = x.astype(ml_dtypes.float8_e8m0fnu).view(np.uint8)
    differ = theirs != assay.convert(x, "e8m0")
    # Zero becomes NaN there and the smallest number here; and they round what is nearest to the
    # smallest number to the next one.
    smallest = np.float32(2.0**-127)
    named = (x == 0) | ((x > smallest) & (x < 1.5 * smallest))
    assert np.array_equal(differ, named)
    # FP6 and FP4 have no NaN: -0 there, the largest number here.
    for name, to, zero, largest in (
        ("float6_e2m3fn", "e2m3", 0x20, 0x1F),
        ("float6_e3m2fn", "e3m2", 0x20, 0x1F),
        ("float4_e2m1fn", "e2m1", 0x8, 0x7),
    ):
        nan = np.array([np.nan], np.float32)
        assert nan.astype(getattr(ml_dtypes, name)).view(np.uint8)[0] == zero
        assert assay.convert(nan, to)[0] == largest


def exact(a, b, c):
    """Of one element, as a fraction."""
    return sum((Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a, b)), Fraction(float(c)))


def matrices(seed, m=5, n=4, k=37, dtype=np.float16):
    random = np.random.default_rng(seed)
    scale = 2.0 ** random.integers(-6, 6, (m, k))
    a = (random.standard_normal((m, k)) * scale).astype(dtype)
    b = random.standard_normal((k, n)).astype(dtype)
    return a, b, random.standard_normal((m, n)).astype(np.float32)


@pytest.mark.parametrize("seed", range(5))
def test_exact_is_the_sum_rounded_once(seed):
    a, b, c = matrices(seed)
    for accumulator in (np.float32, np.float16):
        d = assay.matmul(a, b, c.astype(accumulator))
        assert d.dtype == accumulator
        errors = assay.matrix_error(a, b, c.astype(accumulator), d)
        digits = 23 if accumulator == np.float32 else 10
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                value = exact(a[i], b[:, j], c.astype(accumulator)[i, j])
                exponent = 0
                while abs(value) >= Fraction(2) ** (exponent + 1):
                    exponent += 1
                while abs(value) < Fraction(2) ** exponent:
                    exponent -= 1
                ulp = Fraction(2) ** (exponent - digits)
                error = abs(Fraction(float(d[i, j])) - value) / ulp
                assert error <= Fraction(1, 2)
                assert errors[i, j] == pytest.approx(float(error), rel=1e-12)


def test_sequential_is_a_chain():
    a, b, c = matrices(9)
    d = assay.matmul(a, b, c, model="ieee-sequential")
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = c[i, j]
            for x, y in zip(a[i], b[:, j]):  # the product is exact in float64; so is the sum here
                total = np.float32(np.float64(x) * np.float64(y) + np.float64(total))
            assert d[i, j] == total


MODEL = {"name": "bf16-f32", "input": "bf16", "accumulator": "f32", "m": 16, "n": 8, "k": 16,
         "arithmetic": "fused", "block": 16, "grouping": "consecutive", "addend": "fused",
         "product_exponent": "sum", "alignment_bits": 24, "truncation": "toward-zero",
         "minimum_exponent": -133, "result_bits": 23, "result_rounding": "toward-zero",
         "subnormal_inputs": True, "subnormal_results": True, "zero_sign": "positive",
         "nan": "0x7fffffff"}


def test_a_model_file_is_applied_instruction_by_instruction(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"schema": "assay-matrix-model/1", "instructions": [MODEL]}))
    a = np.zeros((1, 32), np.uint16)
    one, tiny, minus = 0x3F80, (127 - 24) << 7, 0xBF80
    a[0, 0], a[0, 1], a[0, 16] = one, tiny, minus
    b = np.full((32, 1), one, np.uint16)
    c = np.zeros((1, 1), np.float32)
    # 1 + 2^-24 has 25 bits: the first instruction's result loses the last.
    assert assay.matmul(a, b, c, model=path, format="bf16")[0, 0] == 0
    a[0, 2], a[0, 16] = minus, 0
    assert assay.matmul(a, b, c, model=str(path), format="bf16")[0, 0] == 2.0**-24


def test_wrong_calls_say_what_is_right(tmp_path):
    a, b, c = matrices(1)
    with pytest.raises(ValueError, match="there is no model 'nvidia'; it is one of exact"):
        assay.matmul(a, b, c, model="nvidia")
    with pytest.raises(ValueError, match="as many columns as b has rows"):
        assay.matmul(a, b[:3], c)
    with pytest.raises(TypeError, match="must be float32, float16"):
        assay.matmul(a, b, c.astype(np.float64))
    with pytest.raises(TypeError, match="the format e4m3 takes uint8"):
        assay.matmul(a, b, c, format="e4m3")
    with pytest.raises(ValueError, match="13 low bits must be 0"):
        assay.matmul(a.astype(np.float32) / 3, b.astype(np.float32), c)
    with pytest.raises(ValueError, match="it is one of nearest-even"):
        assay.convert(a, "e4m3", rounding="odd")
    path = tmp_path / "bad.json"
    bad = {"schema": "assay-matrix-model/1", "instructions": [{**MODEL, "block": 5}]}
    path.write_text(json.dumps(bad))
    with pytest.raises(ValueError, match="bad.json: instructions.0.: 'block' must be"):
        assay.matmul(a, b, c, model=path)
