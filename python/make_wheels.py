#!/usr/bin/env python3
"""Makes wheels of the package that a build installs, one for each module.

usage: make_wheels.py --build FOLDER --glibc VERSION --into FOLDER MODULE...

A MODULE is _assay.cpython-39-x86_64-linux-gnu.so and the like: its name says which Python's it is.  All else is the
same in every wheel.  A wheel is made only if nothing in it needs a newer glibc than VERSION, which is in its name.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NAME = re.compile(r"_assay\.cpython-(\d+)-(\w+)-linux-gnu\.so")
NEEDED = re.compile(r" UND (\w+)@+GLIBC_(\d+(?:\.\d+)+)")


def numbers(version):
    return tuple(map(int, version.split(".")))


def newer_symbols(readelf, file, glibc):
    """What the file takes from a newer glibc: ["pidfd_open@GLIBC_2.36"]."""
    symbols = subprocess.run([readelf, "--dyn-syms", "--wide", file], check=True, capture_output=True, text=True).stdout
    return [f"{name}@GLIBC_{version}" for name, version in NEEDED.findall(symbols) if numbers(version) > numbers(glibc)]


def install_package(options, folder):
    """What every wheel has, without a module: the package and its dist-info."""
    subprocess.run([options.cmake, "--install", options.build, "--component", "python", "--prefix", folder], check=True,
                   stdout=subprocess.DEVNULL)
    [mark] = folder.rglob("py.typed")
    for module in mark.parent.glob("_assay*.so"):
        module.unlink()
    return mark.parents[1]


def make_wheel(options, package, module):
    """The package's folder holds this module alone meanwhile."""
    python, machine = NAME.fullmatch(module.name).groups()
    tag = f"cp{python}-cp{python}-manylinux_{options.glibc.replace('.', '_')}_{machine}"
    copy = package / "assay" / module.name
    subprocess.run([options.strip, "-o", copy, module], check=True)
    newer = {file.name: newer_symbols(options.readelf, file, options.glibc) for file in sorted(package.rglob("*.so*"))}
    if any(newer.values()):
        lines = [f"{name} needs {', '.join(symbols)}" for name, symbols in newer.items() if symbols]
        sys.exit("\n".join([f"make_wheels.py: a wheel for glibc {options.glibc} would need a newer one:", *lines]))
    [info] = package.glob("assay-*.dist-info")
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: false\nTag: {tag}\n")
    packed = subprocess.run([sys.executable, "-m", "wheel", "pack", package, "--dest-dir", options.into],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if packed.returncode != 0:
        sys.exit(f"make_wheels.py: wheel pack failed (Debian's python3-wheel has it):\n{packed.stdout}")
    copy.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder that the package is of")
    parser.add_argument("--glibc", required=True, help="the oldest glibc that the wheels are for, such as 2.31")
    parser.add_argument("--into", type=pathlib.Path, required=True, help="a folder, which is emptied")
    for program in ("cmake", "readelf", "strip"):
        parser.add_argument(f"--{program}", default=program)
    parser.add_argument("modules", metavar="MODULE", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    for module in options.modules:
        if not NAME.fullmatch(module.name):
            parser.error(f"{module.name} is no module of CPython for glibc")
    if not re.fullmatch(r"\d+\.\d+", options.glibc):
        parser.error(f"--glibc is a version such as 2.31, not '{options.glibc}'")
    shutil.rmtree(options.into, ignore_errors=True)
    options.into.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        package = install_package(options, pathlib.Path(folder))
        for module in options.modules:
            make_wheel(options, package, module)


if __name__ == "__main__":
    main()
