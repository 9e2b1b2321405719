#!/usr/bin/env python3
"""`assay hunt` on PoCL as it is, of which nothing is told but its own bugs, and on drivers with one fault each, which are told and made small.

usage: faulty_test.py --assay PROGRAM [--cc COMPILER] [--icd FILE] [--budget TIME] [--programs N] [--only NAME,...] [--every N] [--forms] [--right N] [--seed S]

The faults are those of faults.py, put in by text_layer.c between the loader and the driver.  `--right N`: N hunts on the driver as
it is, with other seeds.  Then one driver is hunted twice, once killed and resumed, and both have to find the same; with
`--right 0` only the faults are looked at.  Without the
driver the test is skipped (exit code 77).
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import faults

HERE = pathlib.Path(__file__).resolve().parent
# All but built-in functions of floating point, of which PoCL has faults of its own (docs/gallery).
KINDS = ["--kinds", "integers,floats,control,memory,layout,local,groups,subgroups,atomics,images"]


def environment(folder, rows):
    variables = dict(os.environ, OCL_ICD_VENDORS=f"{folder}/vendors/")
    for name in ("OPENCL_LAYERS", "OCL_ICD_FILENAMES"):
        variables.pop(name, None)
    if rows is not None:
        path = folder / "fault.txt"
        path.write_text("".join(f"{old}\n{new}\n" for old, new in rows), encoding="utf-8")
        variables.update(OPENCL_LAYERS=f"{folder}/libtext.so", FAULT_FILE=str(path))
    return variables


def hunt(options, folder, rows, *words, is_spirv=False):
    """The exit code, the report, and the seconds that it took.  SPIR-V is given to assay's own driver: PoCL 3.1 takes none."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    start = time.monotonic()
    command = [options.assay, "hunt", "--opencl", "Portable", "--json", report, *words]
    if is_spirv:
        command = [options.assay, "exec", "--", options.assay, "hunt", "--opencl", "assay", "--spirv", "--json", report, *words]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment(folder, rows), check=False)
    seconds = time.monotonic() - start
    if not report.exists():
        print(done.stdout + done.stderr)
        return done.returncode, {"findings": [], "programs": 0}, seconds
    return done.returncode, json.loads(report.read_text(encoding="utf-8")), seconds


def length(options, programs):
    """A number of programs, which does not depend on the machine, or a time."""
    return ["--programs", str(programs), "--budget", "10m"] if programs else ["--budget", options.budget]


def has_subgroups(options, folder):
    return hunt(options, folder, None, "--programs", "1", "--budget", "60s", "--kinds", "subgroups")[0] != 3


def look_at(options, folder, name):
    """Whether the fault is told."""
    cause, rows = faults.FAULTS[name]
    # Most faults are told by the first programs. The driver's own may be told before them.
    for words in (["--stop-after-findings", "1"], []):
        code, report, seconds = hunt(options, folder, rows, *length(options, options.programs), *KINDS, "--seed", str(options.seed), *words)
        findings = report["findings"]
        is_told = code == 1 and any(re.search(cause, finding["cause"]) for finding in findings)
        if is_told or code != 1:
            break
    lines = min((finding["lines"] for finding in findings if re.search(cause, finding["cause"])), default=0)
    print(f"{'told' if is_told else 'NOT TOLD'} {name}: {[finding['cause'] for finding in findings]}, {lines} lines, "
          f"{report['programs']} programs, {seconds:.0f} s", flush=True)
    return is_told, lines


def look_at_form(options, folder, name):
    """Whether a fault is told that a form of SPIR-V shows, and whether that form is named."""
    form, kind, rows = faults.FORMS[name]
    words = ["--programs", "48", "--budget", "10m", "--kinds", kind, "--seed", str(options.seed)]
    right = hunt(options, folder, None, *words, is_spirv=True)
    code, report, seconds = hunt(options, folder, rows, *words, "--stop-after-findings", "1", is_spirv=True)
    forms = [finding["module"]["forms"] for finding in report["findings"]]
    is_told = right[0] == 0 and code == 1 and [form] in forms
    print(f"{'told' if is_told else 'NOT TOLD'} {name}: {forms}, {report['programs']} programs, {seconds:.0f} s; "
          f"without the fault: exit code {right[0]}, {right[1]['programs']} programs", flush=True)
    return is_told


def resumes(options, folder):
    """A hunt that is killed and resumed finds what one finds that is not."""
    rows = faults.FAULTS["hadd_is_rhadd"][1]
    words = ["--programs", "36", "--budget", "300s", "--jobs", "1", "--kinds", "integers", "--seed", str(options.seed)]
    whole = hunt(options, folder, rows, *words, "--output", folder / "whole")[1]
    command = [options.assay, "hunt", "--opencl", "Portable", *words, "--output", folder / "killed"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(folder, rows))
    journal = folder / "killed" / "hunt.journal"
    while child.poll() is None and not (journal.exists() and "batch" in journal.read_text(encoding="utf-8")):
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.wait()
    again = hunt(options, folder, rows, *words, "--output", folder / "killed", "--resume")[1]
    of_both = [[(finding["cause"], finding["text"], finding["programs"]) for finding in report["findings"]] for report in (whole, again)]
    is_same = of_both[0] == of_both[1] and of_both[0]
    print(f"{'the same' if is_same else 'NOT THE SAME'} after kill and --resume: {of_both}")
    return bool(is_same)


def shows_itself(options, folder):
    """The host program of a finding: wrong on the faulty driver, right on the driver."""
    found = sorted((folder / "whole").glob("*/hunted.c"))
    if not found:
        print("NO host program")
        return False
    subprocess.run([options.cc, "-w", found[0], "-o", folder / "hunted", "-l:libOpenCL.so.1"], check=True)
    codes = [subprocess.run([folder / "hunted", "Portable"], env=environment(folder, rows), capture_output=True, check=False).returncode
             for rows in (faults.FAULTS["hadd_is_rhadd"][1], None)]
    print(f"the host program: {codes} on the faulty driver and on the right one")
    corpus = [hunt(options, folder, rows, "--corpus", folder / "whole", "--programs", "1", "--kinds", "control")[0]
              for rows in (faults.FAULTS["hadd_is_rhadd"][1], None)]
    print(f"the corpus: {corpus}")
    return codes == [1, 0] and corpus == [1, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--icd", type=pathlib.Path, default=pathlib.Path("/etc/OpenCL/vendors/pocl.icd"))
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--programs", type=int, default=0, help="of each hunt, in place of a time")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--forms", action="store_true", help="those of SPIR-V, too")
    parser.add_argument("--right", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not options.icd.exists():
        print(f"skipped: there is no {options.icd}")
        return 77
    names = options.only.split(",") if options.only else list(faults.FAULTS)[::options.every]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([options.cc, "-O1", "-shared", "-fPIC", HERE / "text_layer.c", "-o", folder / "libtext.so"], check=True)
        (folder / "vendors").mkdir()
        shutil.copy(options.icd, folder / "vendors")
        is_good = True
        for seed in range(options.right):
            code, report, seconds = hunt(options, folder, None, *length(options, options.programs), *KINDS, "--seed", str(1000 + seed))
            print(f"as it is: exit code {code}, {report['programs']} programs, {seconds:.0f} s, {report['findings']}", flush=True)
            is_good = is_good and code in (0, 1) and all(faults.is_known(finding["cause"], report["driver_version"]) for finding in report["findings"])
        if options.right:
            is_good = resumes(options, folder) and shows_itself(options, folder) and is_good
        if options.forms:
            is_good = all([look_at_form(options, folder, name) for name in faults.FORMS]) and is_good
        if faults.SUBGROUPS.keys() & set(names) and not has_subgroups(options, folder):
            print(f"the driver has no sub-groups: without {', '.join(faults.SUBGROUPS)}")
            names = [name for name in names if name not in faults.SUBGROUPS]
        told = [look_at(options, folder, name) for name in names]
    count = sum(is_told for is_told, _ in told)
    lines = [number for is_told, number in told if is_told]
    print(f"{count} of {len(told)} faulty drivers told, of {statistics.median(lines) if lines else 0} lines (median)")
    return 0 if is_good and count * 20 >= len(told) * 19 else 1


if __name__ == "__main__":
    sys.exit(main())
