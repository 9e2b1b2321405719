#!/usr/bin/env python3
"""Full disks, closed descriptors, inputs that are no files, other devices under the same name, and many runs at once."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

import common

WRONG = """assay-recorded/1
device format float
task fabs float default 1
bf800000 -> bf800000
end 1
"""
KERNEL = "kernel void twice(global int* x) { x[get_global_id(0)] *= 2; }\n"


def inputs(suite):
    """FIFOs without a writer, folders and devices in every place where a file is read."""
    folder = suite.folder / "inputs"
    folder.mkdir()
    fifo = folder / "fifo"
    os.mkfifo(fifo)
    kernel = folder / "k.cl"
    kernel.write_text(KERNEL)
    for path, kind in ((fifo, "FIFO"), (folder, "folder"), ("/dev/zero", "device")):
        for words in (["run", path], ["run", "--job", path], ["report", path], ["golden", "verify", path],
                      ["validate", "--recorded", path], ["golden", "make", "sin", "--inputs", path, "--out", folder],
                      ["validate", "--library", "libm.so.6", "--worst-from", path],
                      ["validate", "--library", "libm.so.6", "--resume", "--checkpoint", path],
                      ["certify", "exp", "--formats", "half", "--resume", "--checkpoint", path],
                      ["run", "--replay", path], ["run", kernel, "-g", 1, "-a", f"int[4]=@{path}"]):
            try:
                done = suite.run(*words, timeout=120)
            except subprocess.TimeoutExpired:
                suite.check(False, f"{words} waits")
                continue
            suite.check(done.returncode in (2, 3), f"{words}: {kind}: exit code {done.returncode}: {done.stderr[-300:]}")
    done = suite.run("run", "/dev/stdin", "-g", 1)
    suite.check(done.returncode == 2, f"nothing on /dev/stdin: {done.stderr[-300:]}")
    shutil.rmtree(folder)


def full_disks(suite):
    """What cannot be written is exit code 4, and a verdict is told all the same."""
    wrong = suite.folder / "wrong.txt"
    wrong.write_text(WRONG)
    report = suite.folder / "report.json"
    validate = ["validate", "--recorded", wrong, "--functions", "fabs", "--formats", "float"]
    suite.ends(suite.run(*validate), 1, "a wrong device", "no seal")
    with open("/dev/full", "wb") as full:
        done = suite.run(*validate, "--json", report, stdout=full)
        suite.ends(done, 4, "a wrong device and a full disk for the table", "No space left", "exit code would have been 1")
        suite.check(json.loads(report.read_bytes())["results"][0]["verdict"] == "fail", "the report is there")
        suite.ends(suite.run(*validate, "--json", "-", stdout=full), 4, "a full disk for the report", "No space left")
        suite.ends(suite.run(*validate, stdout=full), 4, "a full disk and nothing else that keeps it", "No space left")
        for words in (["list"], ["eval", "sin", "1"], ["explain", "--list"], ["--help"], ["--version"],
                      ["report", report], ["report", report, "--csv", "-"], ["devices"],
                      ["golden", "make", "fabs", "--formats", "half", "--level", "smoke", "--out", suite.folder / "g"],
                      ["certify", "exp", "--formats", "half"]):
            suite.ends(suite.run(*words, stdout=full), 4, f"{words[0]} to a full disk", "No space left")
    for option in ("--json", "--junit", "--html"):
        done = suite.run(*validate, option, "/dev/full")
        suite.ends(done, 4, f"{option} /dev/full", "/dev/full", "No space left", "does not conform")
    record = ["validate", "--library", "libm.so.6", "--functions", "fabs", "--formats", "float"]
    suite.ends(suite.run(*record, "--record", "/dev/full"), 4, "--record /dev/full", "/dev/full")
    suite.ends(suite.run(*record, "--json", suite.folder / "no" / "r.json"), 2, "a folder that is not there", "folder")

    # `ulimit -f`: as a full disk, in the middle of a file.
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    kept = suite.folder / "kept.json"
    kept.write_text("old")
    done = suite.run("validate", "--library", "libm.so.6", "--formats", "float", "--functions", "@unary", "--json", kept,
                     preexec_fn=small)
    suite.ends(done, 4, "a limit on files", "File too large")
    suite.check(kept.read_text() == "old", "the old report is as it was")
    left = [path.name for path in suite.folder.iterdir() if ".tmp" in path.name]
    suite.check(not left, f"{left} is left behind")

    closed = suite.run(*validate, "--json", report, preexec_fn=lambda: os.close(1))
    suite.ends(closed, 4, "stdout is closed", "Bad file descriptor")
    suite.check(json.loads(report.read_bytes())["results"][0]["verdict"] == "fail", "the report is no table")


def identity(suite):
    """A library of the same name with other content: what was measured of the old one is not the new one's."""
    original = next(path for path in map(pathlib.Path, ("/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6",
                                                        "/usr/lib/libm.so.6")) if path.exists())
    library = suite.folder / "libm-copy.so"
    shutil.copy(original, library)
    checkpoint, report = suite.folder / "i.checkpoint", suite.folder / "i.json"
    words = ["validate", "--library", library, "--formats", "float", "--functions", "sqrt", "--checkpoint", checkpoint,
             "--checkpoint-every", 0, "--json", report]
    kept = suite.folder / "kept.checkpoint"
    # The checkpoint goes at the end of a run; a report that cannot be written leaves it.
    suite.ends(suite.run(*words[:-1], "/dev/full"), 4, "no room for the report")
    shutil.copy(checkpoint, kept)
    suite.ends(suite.run(*words, "--resume"), 0, "resumed with the same library")
    parts = json.loads(report.read_bytes())["device"]["identity"]
    suite.check(parts[0]["what"] == "library" and "sha256" in parts[0]["value"], f"identity in the report: {parts}")

    content = bytearray(library.read_bytes())
    place = content.find(b"GNU C Library")
    content[place if place > 0 else len(content) - 1] ^= 1  # nothing that is executed
    library.unlink()
    library.write_bytes(content)
    shutil.copy(kept, checkpoint)
    suite.ends(suite.run(*words, "--resume"), 2, "resumed with another library", "device.identity.library", "sha256")

    # A program that calls itself what it was called before.
    device = suite.folder / "device.py"
    command = common.echo_device(device)
    words = ["validate", "--pipe", command, "--functions", "sqrt", "--checkpoint", checkpoint, "--checkpoint-every", 0]
    suite.run(*words, "--json", "/dev/full")
    common.echo_device(device, work="lambda count: 0")
    suite.ends(suite.run(*words, "--json", report, "--resume"), 2, "resumed with another program",
               "device.identity.program")

    # Any bit of a checkpoint that a run has written.
    good = kept.read_bytes()
    suite.check(good.startswith(b"assay-checkpoint/2\n"), "a checkpoint's first line")
    shutil.copy(original, library)
    step = max(1, len(good) // 60)
    for place in range(0, len(good), step):
        changed = bytearray(good)
        changed[place] ^= 1 << place % 8
        checkpoint.write_bytes(changed)
        done = suite.run("validate", "--library", library, "--formats", "float", "--functions", "sqrt", "--checkpoint",
                         checkpoint, "--resume")
        line = good[:place].count(b"\n") + 1
        suite.ends(done, 2, f"a flipped bit in byte {place}", "is damaged", f"line {line}:")


def at_once(suite):
    """Eight runs with one cache and one report: none fails, and the report is one of theirs, whole."""
    kernel = suite.folder / "k.cl"
    kernel.write_text(KERNEL)
    report, sarif = suite.folder / "one.json", suite.folder / "one.sarif"
    saved, page = suite.folder / "one.bin", suite.folder / "one.html"
    run = ["run", kernel, "-g", 64, "-a", "int[64]=range(0,1)", "--json", report, "--sarif", sarif, "--save", f"0={saved}"]
    validate = ["validate", "--library", "libm.so.6", "--formats", "float", "--functions", "sin,cos,exp", "--json",
                suite.folder / "v.json", "--junit", suite.folder / "v.xml", "--html", page, "--no-origin", "--checkpoint-every", 0]
    for words, outputs in ((run, [report, sarif, saved]), (validate, [suite.folder / "v.json", suite.folder / "v.xml", page])):
        alone = suite.run(*words)
        suite.check(alone.returncode == 0, f"alone: {alone.stderr[-300:]}")
        expected = {path: path.read_bytes() for path in outputs}
        for _ in range(3):
            shutil.rmtree(suite.folder / "cache", ignore_errors=True)
            several = [subprocess.Popen([suite.assay, *map(str, words)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=suite.environment)
                       for _ in range(8)]
            for process in several:
                said = process.communicate(timeout=600)[1]
                suite.check(process.returncode == 0, f"{words[0]}, eight at once: {process.returncode}: {said[-300:]}")
            for path in outputs:
                content = path.read_bytes()
                if path == report:
                    whole = json.loads(content)["buffers"] == json.loads(expected[path])["buffers"]
                elif path == sarif:
                    whole = json.loads(content)["version"] == "2.1.0"
                else:
                    whole = content == expected[path]
                suite.check(whole, f"{path.name} of eight runs at once is not whole")
    left = [path.name for path in suite.folder.iterdir() if ".tmp" in path.name or ".checkpoint" in path.name]
    left = [name for name in left if name not in ("kept.checkpoint", "i.checkpoint")]
    suite.check(not left, f"{left} is left behind")


def main():
    suite = common.Suite(__doc__)
    for part in (inputs, full_disks, identity, at_once):
        part(suite)
        print(f"{part.__name__}: {suite.checked} checks so far, {suite.failed} failed", flush=True)
    suite.finish()


if __name__ == "__main__":
    sys.exit(main())
