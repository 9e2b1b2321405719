"""Workloads that the interpreter was not tuned for when they were written: jobs beside PoCL.

`JOBS[name]` is (size, small size, the function that makes the job of a size).
"""


def random(kind, count, seed, low=None, high=None):
    bounds = {} if low is None else {"min": low, "max": high}
    return {"type": kind, "count": count, "init": {"random": {"seed": seed} | bounds}}


def fresh(kind, count):
    return {"type": kind, "count": count, "init": {"fill": 0}}


def number(kind, value):
    return {"scalar": {"type": kind, "value": value}}


def job(name, sizes, groups, buffers, arguments, source=None):
    """Arguments are names of buffers, or what a job file has."""
    arguments = [{"buffer": a} if isinstance(a, str) else a for a in arguments]
    return {"module": f"{source or name}.cl", "kernel": name, "global": sizes, "local": groups,
            "buffers": buffers, "launches": [{"args": arguments}]}


def ray_tracer(n):
    spheres = [-1.2, 0.8, 1.0, 0.8, 0.5, 0.6, 0.2, 0.6, 1.6, 1.2, 2.0, 1.2, 0.1, 0.3, -0.9, 0.3]
    return job("ray_tracer", [n, n], [16, 16],
               {"spheres": {"type": "float4", "count": 4, "init": {"data": spheres}},
                "out": fresh("float4", n * n)},
               [number("int", n), number("int", n), "spheres", "out"])


def black_scholes(n):
    return job("black_scholes", [n], [64],
               {"price": random("double", n, 1, 5, 30), "strike": random("double", n, 2, 1, 100),
                "years": random("double", n, 3, 0.25, 10), "call": fresh("double", n),
                "out": fresh("double", n)}, ["price", "strike", "years", "call", "out"])


def fft(n):
    return job("fft", [n // 4], [64], {"in": random("float2", n, 4, -1, 1), "out": fresh("float2", n)},
               ["in", "out", {"local": 2048}, {"local": 2048}])


def spmv(n):
    return job("spmv", [n], [64],
               {"starts": random("uint", n, 5), "values": random("float", 4 * n, 6, -1, 1),
                "x": random("float", n, 7, -1, 1), "out": fresh("float", n)},
               [number("int", n), "starts", "values", "x", "out"])


def integers(name, kind="uint"):
    return lambda n: job(name, [n], [64], {"in": random(kind, n, 8), "out": fresh(kind, n)}, ["in", "out"])


def stencil(n):
    return job("stencil", [n, n], [16, 16],
               {"now": random("float", n * n, 9, -1, 1), "before": random("float", n * n, 10, -1, 1),
                "out": fresh("float", n * n)},
               [number("int", n), number("int", n), "now", "before", "out"])


def dgemm(n):
    return job("dgemm", [n, n], [16, 16],
               {"a": random("double", n * n, 11, -1, 1), "b": random("double", n * n, 12, -1, 1),
                "out": fresh("double", n * n)}, [number("int", n), "a", "b", "out"])


def half_filter(n):
    return job("half_filter", [n], [64],
               {"in": random("half", n, 13, -1, 1), "taps": random("float", 16, 14, -1, 1),
                "out": fresh("half", n)}, ["in", "out", "taps"])


def collatz(n):
    return job("collatz", [n], [64], {"out": fresh("uint", n)}, ["out"])


def tokens(n):
    return job("tokens", [n], [64], {"text": random("uchar", 64 * n, 15), "out": fresh("uint", n)},
               ["text", "out"])


def bytecode(n):
    return job("bytecode", [n], [64],
               {"code": random("uchar", 1024, 16), "in": random("uint", n, 17), "out": fresh("uint", n)},
               ["code", "in", "out"])


def gather(n):
    return job("gather", [n], [64],
               {"table": random("float", 4096, 18, -1, 1), "at": random("float", n, 19, 0, 1),
                "out": fresh("float", n)}, ["table", "at", "out"])


def divide(n):
    return job("divide", [n], [64], {"days": random("uint", n, 20), "out": fresh("uint", n)},
               [number("uint", 1009), "days", "out"])


def five_functions(kind):
    name = f"{kind}_functions"
    return lambda n: job(name, [n], [64],
                         {"in": random(kind, n, 21, 0.5, 20), "out": fresh(kind, n)},
                         ["in", "out"], "double_functions")


def packed(n):
    return job("packed", [n], [64],
               {"a": random("uchar", 8 * n, 22), "b": random("short", 8 * n, 23),
                "out": fresh("uchar", 8 * n), "more": fresh("short", 8 * n)}, ["a", "b", "out", "more"])


def mixed_precision(n):
    return job("mixed_precision", [n], [64],
               {"a": random("half", 16 * n, 24, -1, 1), "b": random("float", 16, 25, -1, 1),
                "out": fresh("double", n)}, ["a", "b", "out", number("int", 16)])


def local_histogram(n):
    return job("local_histogram", [n // 16], [256], {"in": random("uchar", n, 26), "out": fresh("uint", 256)},
               ["in", "out", number("int", 16)])


def local_sort(n):
    return job("local_sort", [n // 2], [128], {"in": random("uint", n, 27), "out": fresh("uint", n)},
               ["in", "out", {"local": 1024}])


def edit_distance(n):
    return job("edit_distance", [n], [64], {"text": random("uchar", 64 * n, 28), "out": fresh("uint", n)},
               ["text", "out"])


def stack_machine(n):
    return job("stack_machine", [n], [64],
               {"code": random("uchar", 256, 29), "in": random("uint", n, 30), "out": fresh("uint", n)},
               ["code", "in", "out"])


def async_copy(n):
    return job("async_copy", [n // 4], [64], {"in": random("float", n, 31, -1, 1), "out": fresh("float", n)},
               ["in", "out", {"local": 1024}, {"local": 1024}])


def wide_vectors(n):
    return job("wide_vectors", [n], [64],
               {"a": random("float16", n, 32, -1, 1), "b": random("float16", n, 33, -2, 2),
                "out": fresh("float16", n)}, ["a", "b", "out"])


def matrix_vector(n):
    return job("matrix_vector", [n], [64],
               {"a": random("float", n * n, 34, -1, 1), "x": random("float", n, 35, -1, 1),
                "out": fresh("float", n)}, [number("int", n), "a", "x", "out"])


def tile_blur(n):
    return job("tile_blur", [n, n], [4, 4],
               {"in": random("uchar", n * n, 30), "out": fresh("uchar", n * n)}, ["in", "out", number("int", n)])


def small_scan(n):
    return job("small_scan", [n], [16], {"in": random("uint", n, 31), "out": fresh("uint", n)},
               ["in", "out", {"local": 64}])


def particles(n):
    # Of 12 floats each, of which the last two are padding; the number of bounces is any at first.
    return job("particles", [n], [64], {"out": random("float", 12 * n, 36, 0.1, 0.9)},
               ["out", number("float", 0.01), number("int", 8)])


def double_vectors(n):
    return job("double_vectors", [n], [64],
               {"in": random("double4", 3 * n, 37, -1, 1), "out": fresh("double4", n)}, ["in", "out"])


JOBS = {
    "ray_tracer": (512, 128, ray_tracer),
    "black_scholes": (1 << 17, 1 << 12, black_scholes),
    "fft": (1 << 19, 1 << 15, fft),
    "spmv": (1 << 16, 1 << 12, spmv),
    "sparse_switch": (1 << 19, 1 << 14, integers("sparse_switch")),
    "stencil": (1024, 128, stencil),
    "hash": (1 << 16, 1 << 12, integers("hash")),
    "dgemm": (256, 64, dgemm),
    "half_filter": (1 << 19, 1 << 14, half_filter),
    "collatz": (1 << 17, 1 << 12, collatz),
    "private_sort": (1 << 16, 1 << 12, integers("private_sort")),
    "tokens": (1 << 16, 1 << 12, tokens),
    "bytecode": (1 << 15, 1 << 12, bytecode),
    "gather": (1 << 18, 1 << 14, gather),
    "divide": (1 << 20, 1 << 14, divide),
    "double_functions": (1 << 16, 1 << 12, five_functions("double")),
    "float_functions": (1 << 16, 1 << 12, five_functions("float")),
    "packed": (1 << 17, 1 << 12, packed),
    "mixed_precision": (1 << 16, 1 << 12, mixed_precision),
    "local_histogram": (1 << 20, 1 << 15, local_histogram),
    "local_sort": (1 << 18, 1 << 14, local_sort),
    "edit_distance": (1 << 15, 1 << 12, edit_distance),
    "stack_machine": (1 << 15, 1 << 12, stack_machine),
    "async_copy": (1 << 21, 1 << 15, async_copy),
    "wide_vectors": (1 << 16, 1 << 12, wide_vectors),
    "matrix_vector": (2048, 256, matrix_vector),
    "tile_blur": (1024, 128, tile_blur),
    "small_scan": (1 << 20, 1 << 14, small_scan),
    "particles": (1 << 16, 1 << 12, particles),
    "double_vectors": (1 << 16, 1 << 12, double_vectors),
}
