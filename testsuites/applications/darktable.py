"""darktable.py cltest|export: darktable's own test of OpenCL, and one export with OpenCL beside one without.

darktable sets a device of type CPU aside until its configuration names it as enabled, so that is done first.
"""
import pathlib
import re
import subprocess
import sys

import cv2
import numpy as np

COMMON = ["--library", ":memory:", "--configdir", "config", "--cachedir", "cache"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout, done.stderr, sep="")
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}")
    return done.stdout + done.stderr


def enable_device():
    run("darktable-cltest", *COMMON, "--conf", "opencl=TRUE")
    settings = next(pathlib.Path("config").glob("darktablerc"))
    # fields: avoid_atomics micro_nap pinned_memory roundup_wd roundup_ht event_handles async disabled ...
    line = re.compile(r"^(cldevice_v\d+_[a-z0-9]+=(?:\S+ ){7})1 ", re.MULTILINE)
    settings.write_text(line.sub(r"\g<1>0 ", settings.read_text()))


def photograph(path):
    y, x = np.mgrid[0:240, 0:320].astype(np.float64)
    planes = [0.3 + 0.5 * ((x // 20 + y // 20) % 2), 0.5 + 0.4 * np.cos(x / 41 + y / 17), 0.5 + 0.4 * np.sin(x / 23) * np.cos(y / 31)]
    noise = np.random.RandomState(7).normal(0, 0.02, (240, 320, 3))
    cv2.imwrite(path, (np.clip(np.stack(planes, 2) + noise, 0, 1) * 255).astype(np.uint8))


def main():
    enable_device()
    if sys.argv[1] == "cltest":
        said = run("darktable-cltest", *COMMON, "--conf", "opencl=TRUE", "-d", "opencl")
        if "FINALLY: opencl is AVAILABLE" not in said:
            sys.exit("darktable does not use the device")
        if found := re.search(r"failed to (build|compile).*", said):
            sys.exit(found.group())
        return
    photograph("photo.png")
    run("darktable-cli", "photo.png", "cpu.png", "--core", *COMMON, "--disable-opencl")
    said = run("darktable-cli", "photo.png", "opencl.png", "--core", *COMMON, "--conf", "opencl=TRUE", "--conf",
               "opencl_scheduling_profile=very fast GPU", "--conf", "opencl_mandatory_timeout=20000", "-d", "opencl", "-d", "perf")
    modules = said.count("on GPU")
    cpu, opencl = (cv2.imread(name).astype(float) for name in ("cpu.png", "opencl.png"))
    difference = abs(cpu - opencl).mean()
    print(f"{modules} modules ran on the device; the mean difference is {difference:.3f} of 255")
    if modules == 0 or difference > 1.5 or cpu.std() < 2:
        sys.exit("the exports do not agree, or no module ran on the device")


main()
