#!/usr/bin/env python3
"""Every rule about calls of the API, on a host program that breaks it (fail/) and on one that just does not (pass/).

usage: host_test.py --assay PROGRAM --driver LIBRARY --root FOLDER [--cc COMPILER]

The programs are compiled and run under `assay exec`.  One in fail/ must be told its own rule and nothing else, at the
line that is marked with "here" if one is; one in pass/ must be told nothing, nor one in unchecked/, which runs with
`--checks off` and must end with 0.  Without an ICD loader to link with the
test is skipped (exit code 77).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def compile_program(options, source, target):
    subprocess.run([options.cc, "-g", "-O0", "-I", options.root, str(source), "-o", str(target), "-l:libOpenCL.so.1", "-lpthread"],
                   check=True, capture_output=True, text=True)


def has_loader(options, folder):
    """Whether programs can be linked with an ICD loader; says how to get one."""
    (folder / "probe.c").write_text("#include <CL/cl.h>\nint main(void) { return clGetPlatformIDs(0, 0, 0) == 1; }\n")
    try:
        compile_program(options, folder / "probe.c", folder / "probe")
    except subprocess.CalledProcessError:
        print("skipped: no libOpenCL.so.1 to link with (apt-get install ocl-icd-libopencl1)")
        return False
    return True


def findings_of(options, program, folder, arguments=(), checks="on"):
    report = folder / "report.json"
    done = subprocess.run([options.assay, "exec", "--driver", options.driver, "--checks", checks, "--json", str(report),
                           "--", str(program), *arguments], capture_output=True, text=True, timeout=120)
    read = json.loads(report.read_text())
    if read["program_exit_code"] != 0:
        raise RuntimeError(f"{program.name} ended with {read['program_exit_code']}: {done.stdout}{done.stderr}")
    if [process["api_calls"] > 0 for process in read["processes"]] != [True]:
        raise RuntimeError(f"{program.name} made no calls of assay's driver")
    return read


def marked_line(source):
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if "/* here */" in line:
            return number
    return None


def check(options, source, folder):
    """What is wrong, or ""."""
    program = folder / source.stem
    compile_program(options, source, program)
    report = findings_of(options, program, folder, checks="off" if source.parent.name == "unchecked" else "on")
    told = [call["rule"] for call in report["calls"]] + [finding["rule"] for finding in report["findings"]]
    if source.parent.name in ("pass", "unchecked"):
        return f"is told {told}" if told else ""
    if told != [source.stem]:
        return f"is told {told}, not [{source.stem!r}]"
    line = marked_line(source)
    lines = [frame.get("line") for frame in report["calls"][0]["calls"]]
    return f"is told at lines {lines}, not at {line}" if line is not None and line not in lines else ""


def main():
    parser = argparse.ArgumentParser()
    for option in ("--assay", "--driver", "--root"):
        parser.add_argument(option, required=True)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    programs = pathlib.Path(options.root) / "testsuites/host"
    sources = sorted([*programs.glob("fail/*.c"), *programs.glob("pass/*.c"), *programs.glob("unchecked/*.c")])
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if not has_loader(options, folder):
            return 77
        for source in sources:
            wrong = check(options, source, folder)
            failed += wrong != ""
            print(f"{source.parent.name}/{source.name}: {wrong or 'good'}")
    print(f"{len(sources)} programs, {failed} failed")
    return 1 if failed or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
