#!/usr/bin/env python3
"""array_math.py and math_device.py: the functions are those of `assay list`, and the protocol is spoken.

usage: python3 testsuites/devices/array_math_test.py ASSAY

The libraries are played: played_numpy.py stands first on Python's path, so the test is the same where NumPy is installed. If it is
installed, NumPy itself is asked, too.
"""

import importlib.util
import io
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import array_math  # noqa: E402
import math_device  # noqa: E402

DEVICE = HERE / "array_math.py"


def the_functions_exist(assay):
    listed = json.loads(subprocess.run([assay, "list", "--json", "-"], check=True, capture_output=True, text=True).stdout)
    known = {(row["function"], row["format"]) for row in listed["functions"]}
    for library in array_math.LIBRARIES:
        table = array_math.functions(library)
        assert {"sin", "pow", "frexp", "ldexp", "mul_add"} <= set(table), library
        unknown = [name for name in table for form in ("half", "float", "double") if (name, form) not in known]
        assert not unknown, unknown


def answers_of(text, prepare):
    answers = io.BytesIO()
    math_device.serve(["name Test"], prepare, io.BytesIO(text), answers)
    return answers.getvalue()


def requests_are_read_exactly():
    def prepare(name, form, math):
        if name == "none":
            raise math_device.Unsupported("no\nsuch")
        if name == "broken":
            raise RuntimeError("is broken")
        assert (form, math) == ("float", "default")

        def compute(columns, count):
            if count == 3:
                raise RuntimeError("three")
            # A line feed among the operands is no end of a line.
            return [columns[1], columns[0]]
        return [4, 2], compute
    text = answers_of(b"task 1 none float default\ntask 2 broken float default -cl-x -cl-y\ntask 3 swap float default\n"
                      b"run 4 1 2\n" + b"\n" * 8 + b"abcd" + b"run 5 4 3\n" + b"\n" * 18 + b"run 6 1 1\n\n234ab", prepare)
    assert text == (b"assay-pipe/2 binary\nname Test\nready\nunsupported 1 no such\nfailed 2 is broken\nok 3\n"
                    b"answer 4 2\nabcd" + b"\n" * 8 + b"end 4\nfailed 5 three\nanswer 6 1\nab\n234end 6\n"), text
    try:
        answers_of(b"task 3 swap float default\nrun 4 1 2\nabc", prepare)
    except SystemExit as error:
        assert "too early" in str(error.code)
    else:
        raise AssertionError("a request that was cut off was answered")


def environment(folder):
    return os.environ | {"PYTHONPATH": str(folder)}


def played(folder):
    shutil.copy(HERE / "played_numpy.py", folder / "numpy.py")
    (folder / "cupy.py").write_text('raise ModuleNotFoundError("No module named \'cupy\'", name="cupy")\n')
    return f"'{sys.executable}' -B '{DEVICE}' numpy"


def validated(assay, command, options, where):
    run = subprocess.run([assay, "validate", "--pipe", command, "--width", "1", "--json", "-", "--no-origin", *options],
                         capture_output=True, text=True, check=False, env=where)
    assert run.stdout, run.stderr
    report = json.loads(run.stdout)
    return report["device"], {(row["function"], row["format"]): row for row in report["results"]}


def the_protocol_is_spoken(assay, folder):
    names = "fabs,frexp,add,mul,fmod,hypot,cbrt,rint,acospi"
    device, rows = validated(assay, played(folder), ["--functions", names], environment(folder))
    assert device["name"] == "NumPy 0.0" and device["platform"], device
    verdicts = {row: result["verdict"] for row, result in rows.items()}
    for form in ("half", "float", "double"):
        for name in ("fabs", "frexp", "add", "mul"):
            assert verdicts[name, form] == "pass", (name, form, rows[name, form])
        for name, reason in {"fmod": "not supported for the input types", "cbrt": "NumPy 0.0: no cbrt for " + form,
                             "acospi": "NumPy 0.0: no acospi"}.items():
            assert verdicts[name, form] == "unsupported" and reason in rows[name, form]["message"], rows[name, form]
        assert verdicts["rint", form] == "not_measured" and "out of memory" in rows["rint", form]["message"], rows["rint", form]
    for form in ("half", "float"):
        assert verdicts["hypot", form] == "unsupported" and "hypot gives float64" in rows["hypot", form]["message"]
    assert verdicts["hypot", "double"] == "pass", rows["hypot", "double"]
    # Products of halves lose subnormal numbers. That conforms, because the device says so.
    assert rows["mul", "half"]["flushed"] > 0 and "flushed" not in rows["mul", "float"], rows["mul", "half"]


def other_math_modes_are_unsupported(assay, folder):
    _, rows = validated(assay, played(folder), ["--functions", "add", "--formats", "float", "--math", "relaxed"], environment(folder))
    row = rows["add", "float"]
    assert row["verdict"] == "unsupported" and "NumPy 0.0: no math mode relaxed" in row["message"], row


def payloads_stay(folder):
    requests = b"task 1 fabs float default\nrun 2 1 2\n" + struct.pack("<2I", 0xff801234, 0x80000001)
    run = subprocess.run([sys.executable, "-B", DEVICE, "numpy"], input=requests, capture_output=True, check=False,
                         env=environment(folder))
    assert run.stdout.endswith(b"answer 2 2\n" + struct.pack("<2I", 0x7f801234, 1) + b"end 2\n"), run


def mistakes_are_told(folder):
    for arguments, status, words in ((["nunpy"], 2, ["nunpy", "torch", "dpnp"]), (["cupy"], 1, ["CuPy is not installed", "cupy-cuda"]),
                                     (["numpy", "--device", "cuda"], 1, ["NumPy has no device cuda"])):
        run = subprocess.run([sys.executable, "-B", DEVICE, *arguments], capture_output=True, text=True, check=False, input="",
                             env=environment(folder))
        assert run.returncode == status and all(word in run.stderr for word in words), run
        assert not run.stdout and "Traceback" not in run.stderr and (status == 2 or run.stderr.count("\n") == 1), run


def numpy_itself(assay):
    if importlib.util.find_spec("numpy") is None:
        print("NumPy is not installed: only the played one was asked")
        return
    _, rows = validated(assay, f"'{sys.executable}' -B '{DEVICE}' numpy", ["--functions", "fabs,sqrt,frexp,copysign"], os.environ)
    for row in (("fabs", "half"), ("sqrt", "float"), ("sqrt", "double"), ("copysign", "double")):
        assert rows[row]["verdict"] == "pass", rows[row]


the_functions_exist(sys.argv[1])
requests_are_read_exactly()
with tempfile.TemporaryDirectory() as temporary:
    place = pathlib.Path(temporary)
    the_protocol_is_spoken(sys.argv[1], place)
    other_math_modes_are_unsupported(sys.argv[1], place)
    payloads_stay(place)
    mistakes_are_told(place)
numpy_itself(sys.argv[1])
print("all is well")
