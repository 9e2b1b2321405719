#!/usr/bin/env python3
"""What the kernels here have to compute, in Python, from the jobs' inputs.

    testsuites/real_kernels/expect.py                # compare what the jobs expect with this
    testsuites/real_kernels/expect.py --write        # and write it into the jobs
    testsuites/real_kernels/expect.py spin_lock ...  # some kernels only

Each function computes what its kernel is for (sorted keys, the SHA-256 of a message), not what it does
step by step.  Only where rounding depends on the order of operations does the reference keep that order;
it is then checked against the plain definition with a tolerance.
"""
import argparse
import hashlib
import json
import pathlib
import re
import struct
import sys

from contents import contents, element, FORMATS
from images import image_bytes, image_contents
from references import REFERENCES
import references_images  # noqa: F401: adds its own to REFERENCES
import references_subgroups  # noqa: F401

HERE = pathlib.Path(__file__).resolve().parent
SHOWN = 24  # buffers of at most so many components stand in the job, of longer ones the digest


# ---- jobs ------------------------------------------------------------------------------------------


def scalars_of(job):
    launches = job.get("launches", [job])
    return [a["scalar"]["value"] for launch in launches for a in launch["args"] if "scalar" in a]


def expectation(buffer, values):
    name, _ = element(buffer["type"])
    packed = struct.pack(f"<{len(values)}{FORMATS[name]}", *values)
    if len(values) <= SHOWN:
        return {"data": values}
    return {"sha256": hashlib.sha256(packed).hexdigest()}


def image_expectation(image, values):
    return {"sha256": hashlib.sha256(image_bytes(image, values)).hexdigest()}


def with_expectation(text, buffers, images):
    """The job with another last entry, the rest as a person formatted it."""
    lines = ['  "expect": {', '    "findings": [],', '    "buffers": {']
    lines.append(",\n".join(f"      {json.dumps(n)}: {json.dumps(e)}" for n, e in buffers.items()))
    if images:
        lines += ["    },", '    "images": {']
        lines.append(",\n".join(f"      {json.dumps(n)}: {json.dumps(e)}" for n, e in images.items()))
    lines += ["    }", "  }", "}", ""]
    return text[: re.search(r'^  "expect":', text, re.M).start()] + "\n".join(lines)


def examine(name, write):
    path = HERE / name / f"{name}.json"
    text = path.read_text()
    job = json.loads(text)
    inputs = {key: contents(buffer) for key, buffer in job["buffers"].items()}
    images = job.get("images", {})
    inputs |= {key: image_contents(image, path.parent) for key, image in images.items()}
    found = REFERENCES[name](inputs, scalars_of(job))
    new = with_expectation(
        text,
        {key: expectation(job["buffers"][key], values) for key, values in found.items() if key not in images},
        {key: image_expectation(images[key], values) for key, values in found.items() if key in images})
    if new == text:
        return True
    if write:
        path.write_text(new)
        return True
    print(f"{path}: expects something else")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", help="names; default: all")
    parser.add_argument("--write", action="store_true", help="write the expectations into the jobs")
    arguments = parser.parse_args()
    names = arguments.kernels or sorted(path.parent.name for path in HERE.glob("*/mutants.json"))
    good = [examine(name, arguments.write) for name in names]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
