#!/usr/bin/env python3
"""make_wheels.py makes wheels that installers and Python understand, and none that needs a newer glibc than it says.

usage: wheels_test.py --cmake PROGRAM --build FOLDER --readelf PROGRAM --strip PROGRAM MODULE
"""

import argparse
import base64
import csv
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
GLIBC = os.confstr("CS_GNU_LIBC_VERSION").split()[1]
USE = """
import importlib.metadata, numpy as np, assay
assert assay.eval("sin", np.float32(1)) == np.float32(0.84147096)
found = importlib.metadata.distribution("assay")
assert found.version == assay.__version__ and found.metadata["Requires-Dist"] == "numpy", found.metadata.items()
assert [(point.group, point.value) for point in found.entry_points] == [("pytest11", "assay.pytest_plugin")]
print(assay.__file__)
"""


class WheelsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay à wheels "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.into = self.folder / "made"

    def make(self, glibc, *modules):
        done = subprocess.run(
            [sys.executable, "-B", HERE.parent / "make_wheels.py", "--build", options.build, "--cmake", options.cmake,
             "--readelf", options.readelf, "--strip", options.strip, "--glibc", glibc, "--into", self.into, *modules],
            capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def test_a_wheel_for_each_module(self):
        # Another Python's, by its name.
        other = self.folder / options.module.name.replace("cpython-3", "cpython-93")
        shutil.copy(options.module, other)
        self.assertEqual(self.make(GLIBC, options.module, other), (0, ""))
        wheels = {path.name.split("-")[2]: path for path in self.into.iterdir()}
        python = f"cp3{sys.version_info[1]}"
        self.assertEqual(set(wheels), {python, python.replace("cp3", "cp93")})
        for module, path in ((options.module, wheels[python]), (other, wheels[python.replace("cp3", "cp93")])):
            self.check_files(path, module)
        unpacked = self.folder / "unpacked"
        with zipfile.ZipFile(wheels[python]) as wheel:
            wheel.extractall(unpacked)
        done = subprocess.run([sys.executable, "-B", "-c", USE], cwd=self.folder, capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(unpacked)}, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(str(unpacked)), done.stdout)

    def check_files(self, path, module):
        """RECORD has the sum and the size of each file, and WHEEL the tag of the name."""
        with zipfile.ZipFile(path) as wheel:
            files = {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
        [info] = {pathlib.PurePath(name).parts[0] for name in files} - {"assay"}
        self.assertIn(f"{info}/LICENSE", files)
        self.assertEqual([name for name in files if "_assay." in name and ".so" in name], [f"assay/{module.name}"])
        self.assertTrue(any(name.startswith("assay/lib/libmpfr.so") for name in files), files.keys())
        record = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(files[f"{info}/RECORD"].decode()))}
        self.assertEqual(record.pop(f"{info}/RECORD"), ("", ""))
        self.assertEqual(record.keys() | {f"{info}/RECORD"}, files.keys())
        for name, (digest, size) in record.items():
            found = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
            self.assertEqual((digest, int(size)), (f"sha256={found}", len(files[name])), name)
        tag = path.stem.split("-", 2)[2]
        self.assertRegex(tag, rf"^(cp\d+)-\1-manylinux_{GLIBC.replace('.', '_')}_{os.uname().machine}$")
        self.assertIn(f"Root-Is-Purelib: false\nTag: {tag}\n", files[f"{info}/WHEEL"].decode())

    def test_a_newer_glibc_is_told_by_its_symbols(self):
        status, said = self.make("2.4", options.module)
        self.assertEqual(status, 1)
        self.assertIn("a wheel for glibc 2.4 would need a newer one", said)
        for name in (options.module.name, r"libmpfr\.so\.\d+"):
            self.assertRegex(said, rf"\n{name} needs (\w+@GLIBC_2\.\d+, )*memcpy@GLIBC_2\.\d+")
        self.assertNotIn("GLIBC_2.2.5", said)  # x86-64's oldest
        self.assertEqual(list(self.into.iterdir()), [])

    def test_a_module_of_no_known_python(self):
        status, said = self.make(GLIBC, "_assay.so")
        self.assertEqual(status, 2)
        self.assertIn("_assay.so is no module of CPython", said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--cmake", "--build", "--readelf", "--strip"):
        parser.add_argument(option, required=True)
    parser.add_argument("module", type=pathlib.Path)
    options = parser.parse_args()
    unittest.main(argv=["wheels_test.py"])
