#!/usr/bin/env python3
"""The tarball of `./dev package` works from any folder, with no variable set, and has its documents.

usage: tarball_test.py --build FOLDER --cpack PROGRAM
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import links

KERNEL = "kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }\n"


class TarballTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="à tarball "))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run([options.cpack, "--config", f"{options.build}/CPackConfig.cmake", "-G", "TGZ", "-B",
                        cls.folder / "made"], check=True, stdout=subprocess.DEVNULL)
        [tarball] = (cls.folder / "made").glob("assay-*.tar.gz")
        with tarfile.open(tarball) as archive:
            cls.names = archive.getnames()
            archive.extractall(cls.folder / "here")
        [cls.root] = (cls.folder / "here").iterdir()
        print(f"{tarball.name}: {tarball.stat().st_size} bytes, {len(cls.names)} names")

    def run_assay(self, *words, **variables):
        """With nothing but what is named in the environment."""
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        (work / "k.cl").write_text(KERNEL)
        return subprocess.run([self.root / "bin/assay", *words], cwd=work, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=variables)

    def test_everything_is_below_one_folder(self):
        self.assertEqual({pathlib.PurePath(name).parts[0] for name in self.names}, {self.root.name})
        self.assertTrue(all(".." not in pathlib.PurePath(name).parts for name in self.names))

    def test_an_older_glibc_is_enough(self):
        """2.31 in a package that is made on Debian 12; else this system's. What newer ones have comes into a
        program without notice, by a library's function."""
        cache = (pathlib.Path(options.build) / "CMakeCache.txt").read_text()
        own = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
        newest = (2, 31) if re.search("^ASSAY_GLIBC_ROOT:PATH=.", cache, re.MULTILINE) else own
        for file in [*(self.root / "bin").iterdir(), *(self.root / "lib").glob("libassay-*.so")]:
            symbols = subprocess.run(["readelf", "--version-info", "--wide", file], check=True, capture_output=True,
                                     text=True).stdout
            versions = {tuple(map(int, version)) for version in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols)}
            self.assertLessEqual(max(versions), newest, file)

    def test_nothing_but_glibc_is_needed(self):
        for file in ("bin/assay", "lib/libassay-layer.so"):
            done = subprocess.run(["readelf", "-d", self.root / file], check=True, capture_output=True, text=True)
            needed = [line.split("[")[1].rstrip("]") for line in done.stdout.splitlines() if "NEEDED" in line]
            known = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0", "libdl.so.2"}
            self.assertLessEqual(set(needed), known, file)
            self.assertNotRegex(done.stdout, r"RUNPATH|RPATH")
        # The driver finds its libraries beside it.
        driver = self.root / "lib/libassay-opencl.so"
        done = subprocess.run(["ldd", driver], check=True, capture_output=True, text=True)
        found = dict(line.split(" => ") for line in done.stdout.splitlines() if " => " in line)
        for name, place in found.items():
            if name.strip().startswith(("libmpfr", "libgmp", "libpng", "libz")):
                self.assertTrue(place.startswith(f"{driver.parent}/assay/"), done.stdout)
        self.assertIn("libmpfr.so.6", done.stdout)

    def test_commands_that_need_no_compiler(self):
        for words, said in ((["--version"], "assay "), (["eval", "sin", "1"], "0x3f576aa4"), (["help", "run"], "--sarif"),
                            (["explain", "race-nonatomic"], "race-nonatomic"),
                            (["validate", "--library", "libm.so.6", "--functions", "sqrt", "--formats", "float"], "1 pass")):
            done = self.run_assay(*words)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn(said, done.stdout)
        done = self.run_assay("run", "k.cl", "-g", "4", "-a", "float[4]=0", PATH="/nonexistent")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("apt install clang-15", done.stdout)
        self.assertNotIn("./dev", done.stdout)

    @unittest.skipUnless(any(shutil.which(f"llvm-spirv-{version}") for version in range(15, 24)),
                         "no compiler of kernels is installed")
    def test_kernels_run(self):
        launch = ["k.cl", "-g", "4", "-a", "float[4]=range(0,1)"]
        done = self.run_assay("run", *launch, "--print", "0")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("3: 6 (0x40c00000)", done.stdout)
        done = self.run_assay("debug", *launch, "--batch", "--ex", "break twice", "--ex", "run", "--ex", "where")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("k.cl:1", done.stdout)
        done = self.run_assay("validate", "--interpreter", "--functions", "fabs", "--formats", "float")
        self.assertEqual(done.returncode, 0, done.stdout)
        # The driver is found beside the program; a program that calls no OpenCL has nothing to report.
        done = self.run_assay("exec", "--", "true")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_documents_and_files_for_editors(self):
        documents = self.root / "share/doc/assay"
        for name in ("docs/cli.md", "tools/dap/vscode/package.json", "tools/dap/emacs/assay-dap.el", "LICENSE",
                     "licences/libgmp-dev", "licences/libmpfr-dev", "licences/nettle-dev", "licences/libpng-dev", "licences/LGPL-3",
                     "licences/libllvmlibc-22-dev", "licences/spirv-tools", "licences/libfmt-dev", "licences/Apache-2.0"):
            self.assertTrue((documents / name).is_file(), name)
        for name in ("man/man1/assay-run.1", "bash-completion/completions/assay", "zsh/site-functions/_assay",
                     "fish/vendor_completions.d/assay.fish"):
            self.assertTrue((self.root / "share" / name).is_file(), name)
        count, dead = links.check(documents, documents.rglob("*.md"))
        self.assertEqual(dead, [])
        self.assertGreater(count, 100)
        for folder, _, files in os.walk(self.root):
            for name in files:
                path = pathlib.Path(folder) / name
                self.assertTrue(path.exists(), f"{path} is a link that leads nowhere")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cpack", default="cpack")
    options = parser.parse_args()
    unittest.main(argv=["tarball_test.py"])
