#!/usr/bin/env python3
"""applications.py without an application and without assay: programs in their place, and what the run says of its errors.

usage: python3 testsuites/applications/applications_test.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FINDING = {"rule": "race-same-value", "kernel": "k"}
ASSAY = """#!/bin/sh
# assay exec --json REPORT -- PROGRAM...
report=$3; shift 4
"$@"
%s
"""


def program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def write_assay(folder, findings=(), before="", after=None):
    report = json.dumps({"findings": list(findings), "calls": [], "processes": [{"launches": 2}]})
    text = ASSAY % (f"cat > $report <<'END'\n{report}\nEND" if after is None else after)
    program(folder / "assay", text.replace('"$@"\n', f'{before}"$@"\n'))


def write_clinfo(folder, text="echo CL_PLATFORM_NAME it"):
    program(folder / "bin/clinfo", f"#!/bin/sh\n{text}\n")


def run(folder, *options, **more):
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    command = [sys.executable, "-B", HERE / "applications.py", "--assay", folder / "assay", "--only", "^clinfo$", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60, **more)


def expect(ran, code, *texts):
    said = ran.stdout + ran.stderr
    assert ran.returncode == code, (code, ran)
    assert "Traceback" not in said, said
    for text in texts:
        assert text in said, (text, said)


def results(folder):
    write_assay(folder)
    write_clinfo(folder)
    expect(run(folder, "--json", folder / "j", "--table", folder / "t"), 0, "1 of 1 passed", "| clinfo | passed |")
    assert json.loads((folder / "j").read_text())[0]["assay"]["launches"] == 2
    assert "| clinfo | passed |" in (folder / "t").read_text()
    write_assay(folder, [FINDING])
    expect(run(folder), 1, "race-same-value in k has no cause")
    write_assay(folder)
    write_clinfo(folder, "echo CL_PLATFORM_NAME; exit 3")
    expect(run(folder), 1, "failed (exit code 3")


def limit_of_time(folder):
    """The application is stopped, and what was found until then is told."""
    write_assay(folder, [FINDING])
    write_clinfo(folder, "echo begun; sleep 50")
    expect(run(folder, "--scale", "0.01"), 1, "timeout (stopped at the limit of time)", "race-same-value")


def broken_runs(folder):
    write_clinfo(folder)
    expect(run(folder), 2, f"{folder}/assay is no program", "--assay")
    write_assay(folder)
    expect(run(folder, "--json", folder / "none/j"), 2, "none/j: No such file or directory")
    expect(run(folder, "--table", folder), 2, f"{folder}: Is a directory")
    expect(run(folder, "--only", "("), 2, "no regular expression")
    expect(run(folder, "--peer", folder / "none"), 2, "--peer", "does not exist")
    expect(run(folder, "--programs", folder / "none"), 2, "--programs", "is no folder")
    write_assay(folder, after="echo 'assay: error: report.json: No space left on device' >&2; exit 3")
    expect(run(folder), 2, "assay exec wrote no report", "No space left on device")
    write_assay(folder, before="exit 3; ")
    expect(run(folder), 2, "assay exec wrote no report", "it printed nothing")
    if os.path.exists("/dev/full"):
        write_assay(folder)
        expect(run(folder, "--json", "/dev/full"), 2, "/dev/full: No space left on device")


def main():
    for part in (results, limit_of_time, broken_runs):
        with tempfile.TemporaryDirectory() as name:
            part(pathlib.Path(name).resolve())
    print("ok")


if __name__ == "__main__":
    main()
