"""Wrong calls: each is an exception of the right class whose message says what would be right."""

import numpy as np
import pytest

import assay

F = np.linspace(0.1, 1, 8, dtype=np.float32)
D = F.astype(np.float64)
I = np.arange(8, dtype=np.int32)
KERNEL = """
kernel void scale(global float* a, float by, uint count, local float* scratch) {
  if (get_global_id(0) < count) a[get_global_id(0)] *= by;
}
kernel void copy(global const float4* from, global float4* to) {
  to[get_global_id(0)] = from[get_global_id(0)];
}
"""


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def scale(*args, **options):
    return assay.run(KERNEL, "scale", list(args), options.pop("global_size", 8), **options)


LOCAL = assay.Local(64)
WRONG = {
    # names
    "near name": (lambda: assay.eval("sine", F), KeyError, "did you mean 'sin'"),
    "no name": (lambda: assay.eval("qqqqqqqq", F), KeyError, "assay.functions()"),
    "empty name": (lambda: assay.eval("", F), KeyError, "no function ''"),
    "name no str": (lambda: assay.eval(np.sin, F), TypeError, "such as 'sin'"),
    "conversion": (lambda: assay.eval("convert_flaot", F), KeyError, "convert_"),
    "judge name": (lambda: assay.judge("coss", F, F), KeyError, "'cos'"),
    "limits name": (lambda: assay.limits("expp"), KeyError, "'exp'"),
    "cases name": (lambda: assay.hard_cases("loog"), KeyError, "'log'"),
    "cases of a conversion": (
        lambda: assay.hard_cases("convert_int"),
        ValueError,
        "name a function",
    ),
    # numbers of operands
    "too few": (lambda: assay.eval("pow", F), TypeError, "takes 2 operands; 1 were given"),
    "too many": (lambda: assay.eval("sin", F, F), TypeError, "takes 1 operand;"),
    "none": (lambda: assay.eval("sin"), TypeError, "takes 1 operand"),
    "no answers": (lambda: assay.ulp_error("sin", F), TypeError, "and then the answers"),
    "one result of two": (
        lambda: assay.ulp_error("sincos", F, F),
        TypeError,
        "has 2 results; give a tuple",
    ),
    # types
    "int32": (lambda: assay.eval("sin", I), TypeError, ".astype(np.float32)"),
    "bool": (lambda: assay.eval("sin", F > 0), TypeError, "has the type bool"),
    "complex": (lambda: assay.eval("sin", F + 1j), TypeError, "complex64"),
    "long double": (
        lambda: assay.eval("sin", F.astype(np.longdouble)),
        TypeError,
        "the formats are float16",
    ),
    "text": (lambda: assay.eval("sin", "1.0"), TypeError, "has the type"),
    "objects": (lambda: assay.eval("sin", np.array([None])), TypeError, "has the type object"),
    "None": (lambda: assay.eval("sin", None), TypeError, "has the type object"),
    "byte order": (lambda: assay.eval("sin", F.astype(">f4")), TypeError, "newbyteorder"),
    "mixed": (
        lambda: assay.eval("pow", F, D),
        TypeError,
        "must be of type float (float32), not float64",
    ),
    "wrong int": (
        lambda: assay.eval("pown", F, I.astype(np.int64)),
        TypeError,
        ".astype(np.int32)",
    ),
    "float for an int": (lambda: assay.eval("pown", F, 2.0), TypeError, "is of type int"),
    "int too large": (lambda: assay.eval("pown", F, 2**40), ValueError, "is no int"),
    "number too large": (
        lambda: assay.eval("pow", F, 1e300),
        ValueError,
        "too large for the format float",
    ),
    "answers of another type": (
        lambda: assay.ulp_error("sin", F, D),
        TypeError,
        ".astype(np.float32)",
    ),
    "answer is no float": (
        lambda: assay.ulp_error("sin", np.float32(1), 0.1),
        ValueError,
        "give np.float32",
    ),
    "uint16 without format": (lambda: assay.eval("sin", np.uint16([1])), TypeError, "uint16"),
    "bits of a float": (lambda: assay.eval("sin", F.view(np.uint32)), TypeError, "uint32"),
    # shapes
    "shapes": (lambda: assay.eval("pow", F, F[:3]), ValueError, "(8,), (3,) cannot be broadcast"),
    "answers' shape": (
        lambda: assay.ulp_error("sin", F, F[:7]),
        ValueError,
        "shape (8,), as the operands",
    ),
    "answers for a scalar": (
        lambda: assay.judge("sin", F, np.float32(1)),
        ValueError,
        "shape (8,)",
    ),
    "vectors": (lambda: assay.eval("dot", F, F), ValueError, "1 to 4 components"),
    "cross of two": (lambda: assay.eval("cross", F[:2], F[:2]), ValueError, "3 to 4 components"),
    "vectors of two sizes": (lambda: assay.eval("dot", F[:2], F[:3]), ValueError, "(2,), (3,)"),
    # formats and options
    "format": (lambda: assay.limits("sin", "flaot"), ValueError, "did you mean 'float'"),
    "no such format": (
        lambda: assay.limits("half_sin", "double"),
        ValueError,
        "half_sin does not exist for double",
    ),
    "format no dtype": (lambda: assay.limits("sin", 7), ValueError, "there is no format 7"),
    "format of half_": (lambda: assay.eval("half_sin", D), ValueError, "use float"),
    "rounding": (lambda: assay.eval("sin", F, rounding="up"), ValueError, "rte, rtz, rtp, rtn"),
    "profile": (lambda: assay.judge("sin", F, F, profile="all"), ValueError, "full, embedded"),
    "math": (lambda: assay.judge("sin", F, F, math="fast"), ValueError, "default, relaxed, native"),
    "spec": (lambda: assay.limits("sin", spec="opencl"), ValueError, "environment, opencl-c, cts"),
    "build options": (
        lambda: assay.limits("sin", build_options=["-O2"]),
        TypeError,
        "must be a str",
    ),
    "no limit": (
        lambda: assay.limits("sin", "bfloat16"),
        ValueError,
        "no limit for sin of bfloat16",
    ),
    "threads": (lambda: assay.eval("sin", F, threads=-1), ValueError, "from 0 to 4096"),
    "threads a bool": (lambda: assay.eval("sin", F, threads=True), TypeError, "no whole number"),
    "masked": (
        lambda: assay.eval("sin", np.ma.masked_array(F, F > 0.5)),
        TypeError,
        ".compressed()",
    ),
    "huge int": (lambda: assay.eval("sin", 10**400), ValueError, "too large for the format double"),
    # out
    "out read-only": (
        lambda: assay.eval("sin", F, out=read_only(F)),
        ValueError,
        "read-only; give a copy",
    ),
    "out strided": (
        lambda: assay.eval("sin", F[:4], out=np.empty(8, np.float32)[::2]),
        ValueError,
        "not contiguous",
    ),
    "out type": (
        lambda: assay.eval("sin", F, out=np.empty(8)),
        TypeError,
        "np.empty((8,), np.float32)",
    ),
    "out shape": (
        lambda: assay.eval("sin", F, out=np.empty(9, np.float32)),
        ValueError,
        "the shape (8,), not (9,)",
    ),
    "out list": (
        lambda: assay.eval("sin", F, out=[0] * 8),
        TypeError,
        "must be a NumPy array, not list",
    ),
    "out twice": (
        lambda: assay.eval("sincos", F[:4], out=(D[:4].view(np.float32)[:4],) * 2),
        ValueError,
        "share memory",
    ),
    "out of two": (
        lambda: assay.eval("sincos", F, out=np.empty_like(F)),
        TypeError,
        "has 2 results",
    ),
    # golden
    "samples": (lambda: assay.golden("sin", samples=-1), ValueError, "samples: -1"),
    "encoding": (
        lambda: assay.golden("sin", "half", level="smoke", samples=1).save("x", "xml"),
        ValueError,
        "testfloat",
    ),
    "level": (lambda: assay.golden("sin", level="all"), ValueError, "smoke, standard, exhaustive"),
    "golden operands": (lambda: assay.golden("pow", operands=(F,)), ValueError, "give 2 arrays"),
    "golden type": (lambda: assay.golden("sin", operands=(D,)), TypeError, "float32"),
    "golden sizes": (lambda: assay.golden("pow", operands=(F, F[:2])), ValueError, "of one size"),
    "golden too many": (
        lambda: assay.golden("sin", level="exhaustive"),
        ValueError,
        "--level standard",
    ),
    "no golden file": (lambda: assay.verify_golden(__file__), ValueError, "test_errors.py"),
    "no such file": (lambda: assay.verify_golden("/no/such.json"), ValueError, "/no/such.json"),
    # run: sources
    "does not compile": (
        lambda: assay.run("kernel void f( { }", "f", [], 1),
        ValueError,
        "kernel.cl:1",
    ),
    "no source": (
        lambda: assay.run("hello", "f", [], 1),
        ValueError,
        "neither OpenCL C nor a file",
    ),
    "no file": (lambda: assay.run("missing.cl", "f", [], 1), ValueError, "there is no such file"),
    "no SPIR-V": (lambda: assay.run(b"kernel", "f", [], 1), ValueError, "no SPIR-V"),
    "source no str": (
        lambda: assay.run(3, "f", [], 1),
        TypeError,
        "OpenCL C (str), a path, or SPIR-V",
    ),
    "no sources": (lambda: assay.run([], "f", [], 1), ValueError, "the list is empty"),
    "kernel": (lambda: assay.run(KERNEL, "scael", [], 1), KeyError, "did you mean 'scale'"),
    "kernel is not named": (
        lambda: assay.run(KERNEL, None, [], 1),
        ValueError,
        "copy, scale|scale, copy",
    ),
    "bad SPIR-V": (
        lambda: assay.run(b"\x03\x02\x23\x07" * 9, "f", [], 1),
        assay.Error,
        "module.spv",
    ),
    # run: arguments
    "arguments missing": (lambda: scale(F), TypeError, "takes 4 arguments: a (float*), by (float)"),
    "args no list": (lambda: assay.run(KERNEL, "scale", F, 8), TypeError, "must be a list"),
    "buffer type": (
        lambda: scale(D, 2.0, 8, LOCAL),
        TypeError,
        "'a' is of type float*, so its array must be of float32",
    ),
    "buffer of ints": (lambda: scale(I, 2.0, 8, LOCAL), TypeError, ".view(np.float32)"),
    "buffer strided": (lambda: scale(F[::2], 2.0, 4, LOCAL), ValueError, "np.ascontiguousarray"),
    "buffer a number": (lambda: scale(1.0, 2.0, 8, LOCAL), TypeError, "give a NumPy array"),
    "buffer a list": (lambda: scale([1.0], 2.0, 8, LOCAL), TypeError, "give a NumPy array"),
    "buffer byte order": (lambda: scale(F.astype(">f4"), 2.0, 8, LOCAL), TypeError, "byte order"),
    "objects in a buffer": (
        lambda: scale(np.array([None]), 2.0, 8, LOCAL),
        TypeError,
        "a kernel takes numbers",
    ),
    "scalar type": (lambda: scale(F, np.float64(2), 8, LOCAL), TypeError, "give np.float32"),
    "float for a uint": (lambda: scale(F, 2.0, 8.5, LOCAL), TypeError, "'count' is of type uint"),
    "uint too large": (lambda: scale(F, 2.0, 2**32, LOCAL), ValueError, "32 bits"),
    "scalar a text": (lambda: scale(F, "2", 8, LOCAL), TypeError, "is of type float"),
    "local a number": (lambda: scale(F, 2.0, 8, 64), TypeError, "assay.Local(bytes)"),
    "Local for a buffer": (lambda: scale(LOCAL, 2.0, 8, LOCAL), TypeError, "not in local memory"),
    "Local of a text": (lambda: assay.Local("64"), ValueError, "number of bytes"),
    "Arg of a number": (lambda: assay.Arg(1), TypeError, "takes a str"),
    "Arg that is none": (
        lambda: scale(assay.Arg("flaot[4]=0"), 2.0, 8, LOCAL),
        ValueError,
        "did you mean 'float'",
    ),
    "memory shared": (
        lambda: assay.run(KERNEL, "copy", [D.view(np.float32)[:8], D.view(np.float32)[4:]], 1),
        ValueError,
        "shares memory",
    ),
    "no whole vectors": (
        lambda: assay.run(KERNEL, "copy", [F[:6].copy(), F], 1),
        ValueError,
        "no multiple",
    ),
    "image's type": (lambda: assay.Image(D.reshape(1, 2, 4)), TypeError, "float64; they may have"),
    "image's axes": (
        lambda: assay.Image(F),
        ValueError,
        "(height, width, channels); their shape is (8,)",
    ),
    "image's channels": (lambda: assay.Image(F.reshape(1, 1, 8)), ValueError, "give order="),
    "image's shape": (lambda: assay.Image(F, shape="4d"), ValueError, "1d, 2d, 3d"),
    "image strided": (
        lambda: assay.Image(F.reshape(2, 1, 4)[:, :, ::2]),
        ValueError,
        "not contiguous",
    ),
    "Image for a buffer": (
        lambda: scale(assay.Image(F.reshape(1, 2, 4)), 2.0, 8, LOCAL),
        ValueError,
        "argument 0",
    ),
    "array for an image": (
        lambda: assay.run("kernel void f(read_only image2d_t i) {}", None, [F], 1),
        TypeError,
        "give assay.Image(pixels)",
    ),
    # run: sizes and options
    "no size": (
        lambda: scale(F, 2.0, 8, LOCAL, global_size=None),
        TypeError,
        "number of work-items",
    ),
    "size 0": (lambda: scale(F, 2.0, 8, LOCAL, global_size=0), ValueError, "from 1 on"),
    "size too large": (lambda: scale(F, 2.0, 8, LOCAL, global_size=2**70), ValueError, "64 bits"),
    "size a float": (lambda: scale(F, 2.0, 8, LOCAL, global_size=8.0), TypeError, "whole number"),
    "four sizes": (
        lambda: scale(F, 2.0, 8, LOCAL, global_size=(1, 1, 1, 1)),
        ValueError,
        "one to three",
    ),
    "other dimensions": (lambda: scale(F, 2.0, 8, LOCAL, local_size=(4, 4)), ValueError, "local"),
    "option": (lambda: scale(F, 2.0, 8, LOCAL, sed=1), TypeError, "did you mean 'seed'"),
    "option's type": (
        lambda: scale(F, 2.0, 8, LOCAL, seed="one"),
        TypeError,
        "seed: 'one' is no whole number",
    ),
    "flag's type": (
        lambda: scale(F, 2.0, 8, LOCAL, flush_to_zero="maybe"),
        TypeError,
        "'flush_to_zero'",
    ),
    "detectors a number": (
        lambda: scale(F, 2.0, 8, LOCAL, detect=3),
        TypeError,
        "give a str, or a list",
    ),
    "seeds": (lambda: scale(F, 2.0, 8, LOCAL, many_seeds=0), ValueError, "many_seeds: 0"),
    "run threads": (lambda: scale(F, 2.0, 8, LOCAL, threads=-1), ValueError, "threads: -1"),
    "version": (lambda: scale(F, 2.0, 8, LOCAL, cl_version="9"), ValueError, "3.0, 3.1"),
    "subnormals": (
        lambda: scale(F, 2.0, 8, LOCAL, keeps_subnormals="double"),
        ValueError,
        "half, float",
    ),
    "timeout a text": (lambda: scale(F, 2.0, 8, LOCAL, timeout="1"), ValueError, "give seconds"),
    "include": (
        lambda: assay.run('#include "nothing.h"\nkernel void f() {}', None, [], 1),
        ValueError,
        "; allow_read DIR",
    ),
    "detector": (lambda: scale(F, 2.0, 8, LOCAL, detect="rases"), ValueError, "rases"),
    "run rounding": (lambda: scale(F, 2.0, 8, LOCAL, rounding="up"), ValueError, "rte"),
    "build option": (
        lambda: scale(F, 2.0, 8, LOCAL, build_options="-cl-nonsense"),
        ValueError,
        "nonsense",
    ),
    "compiler": (lambda: scale(F, 2.0, 8, LOCAL, compiler="gcc"), ValueError, "clang-15"),
    "timeout": (lambda: scale(F, 2.0, 8, LOCAL, timeout=-1), ValueError, "seconds"),
    "memory": (lambda: scale(F, 2.0, 8, LOCAL, max_memory="lots"), ValueError, "lots"),
    "too much memory": (
        lambda: scale(np.zeros(2**20, np.float32), 2.0, 8, LOCAL, max_memory="1M"),
        RuntimeError,
        "max_memory",
    ),
    "sub-group size": (
        lambda: scale(F, 2.0, 8, LOCAL, sub_group_size=1000),
        ValueError,
        "1 to 128",
    ),
    "ignore": (lambda: scale(F, 2.0, 8, LOCAL, ignore="nothing"), ValueError, "nothing"),
    "spec constant": (
        lambda: scale(F, 2.0, 8, LOCAL, spec_constants={0: 1.5}),
        TypeError,
        "np.float32",
    ),
    "forward progress": (
        lambda: scale(F, 2.0, 8, LOCAL, forward_progress="fast"),
        ValueError,
        "work-item",
    ),
    "explore and seeds": (
        lambda: scale(F, 2.0, 8, LOCAL, explore=1, many_seeds=3),
        ValueError,
        "contradict",
    ),
    "envelope and mode": (
        lambda: scale(F, 2.0, 8, LOCAL, envelope=True, rounding="rtz"),
        ValueError,
        "envelope",
    ),
    # job
    "no job": (lambda: assay.Job.load("/no/job.json"), ValueError, "no such file"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_call_says_what_would_be_right(what):
    call, kind, message = WRONG[what]
    before = F.copy()
    with pytest.raises(kind) as raised:
        call()
    assert any(part in str(raised.value) for part in message.split("|")), str(raised.value)
    assert (F == before).all(), "nothing is changed by a call that fails"


def test_there_are_enough():
    assert len(WRONG) >= 40
