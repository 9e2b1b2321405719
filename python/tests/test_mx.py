"""MX blocks, small integers and the option matrix of run, against evaluations in fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

import assay

LARGEST = {"e5m2": 15, "e4m3": 8, "e3m2": 4, "e2m3": 2, "e2m1": 2}  # exponents; OCP MX 1.0


def numbers(shape, seed=3):
    random = np.random.default_rng(seed)
    return (random.standard_normal(shape) * 2.0 ** random.integers(-9, 9, shape)).astype(np.float32)


@pytest.mark.parametrize("element", LARGEST)
def test_the_scale_is_that_of_the_largest_number(element):
    x = numbers((5, 96))
    x[1, 32:64] = 0
    scales, elements = assay.to_mx(x, element)
    assert scales.shape == (5, 3) and elements.shape == (5, 96)
    for block in np.ndindex(5, 3):
        part = x[block[0], 32 * block[1] : 32 * block[1] + 32]
        largest = float(np.max(np.abs(part)))
        if largest == 0:
            assert scales[block] == 0
            continue
        exponent = math.frexp(largest)[1] - 1 - LARGEST[element]
        assert scales[block] == exponent + 127
        scaled = part.astype(np.float64) * 2.0**-exponent
        own = assay.convert(scaled, element, overflow="saturate")
        assert np.array_equal(elements[block[0], 32 * block[1] : 32 * block[1] + 32], own)
    back = assay.from_mx(scales, elements, element)
    assert back.shape == x.shape
    assert np.all(np.abs(back) <= 2 * np.max(np.abs(x)))


def test_a_block_with_nan_is_nan():
    x = numbers((2, 32))
    x[1, 5] = np.inf
    scales, elements = assay.to_mx(x, "e4m3")
    assert scales[1, 0] == 255
    assert np.all(np.isnan(assay.from_mx(scales, elements, "e4m3")[1]))


@pytest.mark.parametrize("formats", [("e4m3", "e4m3"), ("e2m1", "e2m1"), ("e5m2", "e3m2")])
def test_products_of_blocks_are_exact(formats):
    form, other = formats
    a, b = assay.to_mx(numbers((3, 64), 1), form), assay.to_mx(numbers((4, 64), 2), other)
    c = numbers((3, 4), 5)
    d = assay.matmul_mx(a, b, c, format=form, format_b=other)
    rows, columns = assay.from_mx(*a, form), assay.from_mx(*b, other)
    for i, j in np.ndindex(3, 4):
        exact = sum(
            (Fraction(float(x)) * Fraction(float(y)) for x, y in zip(rows[i], columns[j])),
            Fraction(float(c[i, j])),
        )
        # The nearest float is nearer than its neighbours.
        error = abs(Fraction(float(d[i, j])) - exact)
        for side in (-np.inf, np.inf):
            neighbour = np.nextafter(d[i, j], np.float32(side))
            assert error <= abs(Fraction(float(neighbour)) - exact)


def test_integers_of_four_bits():
    random = np.random.default_rng(8)
    a, b = random.integers(0, 16, (3, 9)), random.integers(0, 16, (9, 2))
    signed = [np.where(x > 7, x - 16, x) for x in (a, b)]
    for form, (x, y) in (("s4", signed), ("u4", (a, b))):
        d = assay.matmul(a.astype(np.uint8), b.astype(np.uint8), format=form)
        assert np.array_equal(d, x @ y)
    bytes_a = random.integers(0, 256, (3, 9)).astype(np.uint8)
    d = assay.matmul(bytes_a, bytes_a.T.copy(), np.zeros((3, 3), np.uint32), format="u8")
    assert np.array_equal(d, bytes_a.astype(np.uint32) @ bytes_a.T.astype(np.uint32))
    with pytest.raises(ValueError, match="more bits than the 4 of s4"):
        assay.matmul(np.full((1, 1), 16, np.uint8), np.zeros((1, 1), np.uint8), format="s4")


def test_small_floats_multiply_as_their_values():
    random = np.random.default_rng(4)
    for form in ("e4m3fnuz", "e5m2fnuz", "e3m2", "e2m3", "e2m1"):
        x = random.standard_normal((4, 16)).astype(np.float32)
        a, b = assay.convert(x, form, overflow="saturate"), None
        b = np.ascontiguousarray(a.T)
        values = assay.convert(a, "f64", format=form).view(np.float64)
        assert np.array_equal(assay.matmul(a, b, format=form), (values @ values.T).astype(np.float32))


PRODUCT = """
__attribute__((intel_reqd_sub_group_size(16)))
kernel void product(global const short* a, global const int* b, global float* d) {
  int8 column = 0;
  for (int i = 0; i < 8; ++i) column[i] = b[i * 16 + get_sub_group_local_id()];
  d[get_sub_group_local_id()] = intel_sub_group_f16_f16_matrix_mad_k16(
      a[get_sub_group_local_id()], column, 0.0f);
}
"""


def test_run_takes_the_arithmetic_of_matrices():
    a = np.zeros(16, np.float16)
    b = np.zeros((8, 16, 2), np.float16)  # two rows in an int
    # The products are 1, 2^-24 and 2^-25.
    a[0], a[1], a[2] = 1, 2.0**-12, 2.0**-12
    b[0, :, 0], b[0, :, 1], b[1, :, 0] = 1, 2.0**-12, 2.0**-13
    operands = [a.view(np.int16), b.view(np.int32).ravel()]
    results = {}
    for model in ("exact", "nvidia-hopper-mma"):
        d = np.zeros(16, np.float32)
        try:
            result = assay.run(
                PRODUCT, "product", [*operands, d], 16, 16, matrix=model
            )
        except assay.UsageError as error:
            pytest.skip(f"no compiler with these built-ins: {str(error)[:60]}")
        assert not result.findings
        results[model] = d[0]
    assert results == {"exact": 1 + 2.0**-23, "nvidia-hopper-mma": 1}
    with pytest.raises(assay.UsageError, match="there is no matrix arithmetic 'nvidia'"):
        assay.run(PRODUCT, "product", [*operands, d], 16, 16, matrix="nvidia")


def test_wrong_calls_say_what_is_right():
    with pytest.raises(ValueError, match="multiple of 32"):
        assay.to_mx(np.zeros(33, np.float32), "e4m3")
    with pytest.raises(TypeError, match="give float16, bfloat16, float32"):
        assay.to_mx(np.zeros(32, np.int32), "e4m3")
    with pytest.raises(ValueError, match="one scale for 32 elements"):
        assay.from_mx(np.zeros(2, np.uint8), np.zeros(32, np.uint8), "e4m3")
    with pytest.raises(ValueError, match="element"):
        assay.to_mx(np.zeros(32, np.float32), "e4m3fnuz")
