"""NumPy, played by the standard library: what array_math.py needs of it, with faults that array_math_test.py looks for."""
import math
import struct

__version__ = "0.0"
float16, float32, float64, int32 = "float16", "float32", "float64", "int32"
CODES = {float16: "e", float32: "f", float64: "d", int32: "i"}


class Array:
    def __init__(self, kind, data):
        self.dtype, self.data = kind, bytes(data)

    def tobytes(self):
        return self.data

    def numbers(self):
        return [x for (x,) in struct.iter_unpack("<" + CODES[self.dtype], self.data)]


def of_numbers(kind, numbers):
    def packed(x):
        try:
            return struct.pack("<" + CODES[kind], x)
        except OverflowError:
            return struct.pack("<" + CODES[kind], math.copysign(math.inf, x))
    return Array(kind, b"".join(map(packed, numbers)))


def seterr(all):  # pylint: disable=redefined-builtin
    assert all == "ignore"


def dtype(kind):
    return kind


def frombuffer(data, kind):
    return Array(kind, data)


def ascontiguousarray(array):
    return array


def each(compute):
    return lambda *arrays: of_numbers(arrays[0].dtype, map(compute, *(array.numbers() for array in arrays)))


add, subtract = each(lambda x, y: x + y), each(lambda x, y: x - y)


def multiply(x, y):
    """Loses subnormal halves."""
    product = each(lambda a, b: a * b)(x, y)
    return each(lambda a: math.copysign(0, a) if -2 ** -14 < a < 2 ** -14 else a)(product) if x.dtype == float16 else product


def divide(x, y):
    def quotient(a, b):
        return a / b if b else math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)
    return each(quotient)(x, y)


def abs(x):  # pylint: disable=redefined-builtin
    """By bits, so that the payload of a NaN stays."""
    size = len(x.data) // len(x.numbers())
    data = bytearray(x.data)
    data[size - 1::size] = bytes(byte & 0x7f for byte in data[size - 1::size])
    return Array(x.dtype, data)


def frexp(x):
    pairs = [math.frexp(a) if math.isfinite(a) else (a, 0) for a in x.numbers()]
    return of_numbers(x.dtype, [m for m, _ in pairs]), of_numbers(int32, [e for _, e in pairs])


def fmod(x, y):
    raise TypeError("ufunc 'fmod' not supported for the input types")


def hypot(x, y):
    return of_numbers(float64, map(math.hypot, x.numbers(), y.numbers()))


def rint(x):
    if len(x.numbers()) > 1:
        raise MemoryError("out of memory\nin two lines")
    return x
