#!/usr/bin/env python3
"""Jobs, sources, modules, golden folders and reports that try to run code, to write, or to read
elsewhere (docs/security.md).  None may leave a canary behind or tell a secret; each family has a
case beside it in which the user allows the same thing, so that no case passes for another reason."""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from place import CANARY_TEXT, COMPILERS, PLAIN, SECRET, SHOWS_SECRET, Place
from limits import Cache, Limits  # noqa: F401 (they are run, too)

RUN = ("-g", "1", "-a", "int[1]=0", "--print", "0")


class Case(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)

    def refused(self, *arguments, says="", codes=(2,)):
        code, output = self.place.run(*arguments)
        self.assertIn(code, codes, output)
        self.assertFalse(self.place.canary.exists(), output)
        self.assertEqual(list((self.place.root / "canaries").iterdir()), [], output)
        self.assertNotIn(str(SECRET), output)
        self.assertNotIn(CANARY_TEXT, output)
        self.assertEqual(list((self.place.root / "tmp").iterdir()), [])
        if says:
            self.assertIn(says, output)
        return output


class BuildOptions(Case):
    """What a job asks of the compiler."""

    def each(self, options):
        self.place.write("job/k.cl", PLAIN)
        for compiler in COMPILERS:
            for option in options:
                with self.subTest(compiler=compiler, option=option):
                    job = self.place.job(build_options=option, compiler=compiler)
                    self.refused("run", "--job", job, says="build options: ")

    def test_run_code(self):
        plugin = self.place.plugin()
        config = self.place.write("outside/evil.cfg", f"-fplugin={plugin}\n")
        self.each([
            f"-fplugin={plugin}", f"-fpass-plugin={plugin}", f"-Xclang -load -Xclang {plugin}",
            f"-mllvm -load={plugin}", f"@{config}", f"--config {config}",
            f"--config={config}", f"-B{self.place.root}/outside", "-no-integrated-cpp",
            f"-specs={config}", f"-ccc-install-dir {self.place.root}", "-Wp,-DX", "-Wa,-x", "-Wl,-x",
        ])

    def test_write(self):
        canary = self.place.canary
        self.each([
            f"-o {canary}", f"-o{canary}", f"--output={canary}", f"-MD -MF {canary}", f"-MF{canary}",
            f"-MMD -MF{canary}", f"-Wp,-MD,{canary}", f"-MJ {canary}", f"-ftime-trace={canary}",
            f"--serialize-diagnostics {canary}", f"-Xclang -dependency-dot -Xclang {canary}",
            "-save-temps", "--save-temps=cwd", "-gsplit-dwarf", "-gen-reproducer",
            f"-gen-cdb-fragment-path {canary}", f"-fcrash-diagnostics-dir={canary}",
            f"-fprofile-generate={canary}", f"-working-directory={canary}", "-E", "-S", "-###",
        ])

    def test_read(self):
        outside = self.place.root / "outside"
        self.place.write("job/k.cl", SHOWS_SECRET)
        self.place.link("job/linked", outside)
        self.each([
            f"-I{outside}", f"-I {outside}", "-I../outside", "-I linked", f"-include {outside}/secret.h",
            f"-include{outside}/secret.h", f"-imacros {outside}/secret.h", f"-isystem {outside}",
            f"-iquote {outside}", f"-idirafter{outside}", f"--sysroot={outside}",
            f"--embed-dir={outside}", f"-fmodule-map-file={outside}/secret.h", f"-cxx-isystem {outside}",
        ])

    def test_words_behind_others(self):
        config = self.place.write("outside/evil.cfg", f"-fplugin={self.place.plugin()}\n")
        self.place.write("job/k.cl", PLAIN)
        for option in (f"-D @{config}", f"-U @{config}", f"-D -o -D {self.place.canary}"):
            self.refused("run", "--job", self.place.job(build_options=option))

    def test_the_users_own_are_the_users(self):
        self.place.write("job/k.cl", PLAIN)
        plugin = self.place.plugin()
        code, output = self.place.run("run", "k.cl", *RUN, "--build-options", f"-fplugin={plugin}")
        # It may not write to the canaries, but it is loaded, and tells so by its missing parts.
        self.assertNotIn("build options", output)
        code, output = self.place.run("run", "k.cl", *RUN, "--build-options=-mllvm -unroll-threshold=9")
        self.assertEqual(code, 0, output)
        for option in (f"-o {self.place.canary}", f"-MF {self.place.canary}", f"@{plugin}"):
            self.refused("run", "k.cl", *RUN, f"--build-options={option}", says="build options: ")

    def test_those_of_opencl_are_taken(self):
        self.place.write("job/sub/secret.h", "#define SECRET 5\n")
        self.place.write("job/k.cl", '#include "secret.h"\n' + SHOWS_SECRET)
        job = self.place.job(build_options="-Isub -D A=1 -DB -w -Wall -Werror -O2 -g -cl-std=CL2.0 "
                             "-cl-mad-enable -cl-fast-relaxed-math -cl-denorms-are-zero")
        code, output = self.place.run("run", "--job", job)
        self.assertEqual((code, output.splitlines()[0]), (0, "5"), output)


class Sources(Case):
    """What a source includes."""

    def source(self, text, compilers=COMPILERS, codes=(2,)):
        self.place.write("job/k.cl", text)
        for compiler in compilers:
            with self.subTest(compiler=compiler, text=text):
                self.refused("run", "k.cl", "--compiler", compiler, *RUN, codes=codes)
                self.refused("run", "--job", self.place.job(compiler=compiler), codes=codes)

    def test_include(self):
        secret = self.place.root / "outside/secret.h"
        self.place.link("job/link.h", secret)
        self.place.link("job/linked", self.place.root / "outside")
        for name in ('"../outside/secret.h"', f'"{secret}"', f"<{secret}>", '"link.h"',
                     '"linked/secret.h"', '"sub/../../outside/secret.h"'):
            self.source(f"#include {name}\n" + SHOWS_SECRET)
        self.source(f'#define NAME "{secret}"\n#include NAME\n' + SHOWS_SECRET)
        self.source(f'#in\\\nclude "{secret}"\n' + SHOWS_SECRET)
        self.source(f'%:include "{secret}"\n' + SHOWS_SECRET)
        self.source(f'#import "{secret}"\n' + SHOWS_SECRET)
        self.place.write("job/deep.h", f'#include "{secret}"\n')
        self.source('#include "deep.h"\n' + SHOWS_SECRET)

    def test_embed(self):
        secret = self.place.root / "outside/secret.bin"
        shown = ("constant uchar b[] = {\n#embed \"%s\"\n};\nkernel void k(global int *p) {\n"
                 "for (int i = 0; i < sizeof b; ++i) printf(\"%%c\", b[i]); }\n")
        self.source(shown % secret, compilers=("clang-22",))
        self.source(shown % "../outside/secret.bin", compilers=("clang-22",))
        self.place.write("job/own.bin", "mine")
        self.place.write("job/k.cl", shown % "own.bin")
        code, output = self.place.run("run", "k.cl", "--compiler", "clang-22", *RUN)
        self.assertEqual(code, 0, output)
        self.assertIn("mine", output)

    def test_assembler(self):
        secret = self.place.root / "outside/secret.bin"
        self.source(f'__asm__(".incbin \\"{secret}\\"");\n' + PLAIN, codes=(0, 2, 3, 4))

    def test_the_system_is_not_there(self):
        for name in ("/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/version"):
            self.source(f'#include "{name}"\n' + PLAIN)

    def test_allowed(self):
        outside = self.place.root / "outside"
        self.place.write("job/k.cl", '#include "../outside/secret.h"\n' + SHOWS_SECRET)
        for where in (("k.cl", *RUN), ("--job", self.place.job())):
            code, output = self.place.run("run", *where, "--allow-read", outside)
            self.assertEqual(code, 0, output)
            self.assertIn(str(SECRET), output)
        self.place.write("job/k.cl", '#include <secret.h>\n' + SHOWS_SECRET)
        code, output = self.place.run("run", "k.cl", *RUN, f"--build-options=-I{outside}")
        self.assertIn(str(SECRET), output)
        self.refused("run", "k.cl", *RUN, "--allow-read", self.place.root / "nowhere")


class Jobs(Case):
    """Files that a job names."""

    def test_modules(self):
        self.place.write("outside/k.cl", PLAIN.replace("k(", "k_" + CANARY_TEXT.replace("-", "_") + "("))
        self.place.link("job/link.cl", self.place.root / "outside/k.cl")
        for module in ("../outside/k.cl", str(self.place.root / "outside/k.cl"), "link.cl"):
            with self.subTest(module):
                self.refused("run", "--job", self.place.job(module=module), says="--allow-read")
        job = self.place.job(module="../outside/k.cl")
        code, output = self.place.run("run", "--job", job, "--allow-read", self.place.root / "outside")
        self.assertEqual(code, 0, output)

    def test_data(self):
        self.place.write("job/k.cl", "kernel void k(global char *p) {\n"
                         'for (int i = 0; i < 16; ++i) printf("%c", p[i]); }\n')
        self.place.link("job/link.bin", self.place.root / "outside/secret.bin")

        def job(path):
            return self.place.job(args=[{"buffer": {"type": "char", "count": 16,
                                                    "init": {"file": path}}}])
        for path in ("../outside/secret.bin", str(self.place.root / "outside/secret.bin"), "link.bin",
                     "/etc/passwd"):
            with self.subTest(path):
                self.refused("run", "--job", job(path), says="--allow-read")
        code, output = self.place.run("run", "--job", job("../outside/secret.bin"), "--allow-read",
                                      self.place.root)
        self.assertEqual((code, output[:16]), (0, CANARY_TEXT[:16]), output)

    def test_expectations(self):
        self.place.write("job/k.cl", PLAIN)
        job = self.place.job(expect={"buffers": {"0": {"file": "../outside/secret.bin"}}})
        self.refused("run", "--job", job, says="--allow-read")


class Modules(Case):
    """A module names the files of its source."""

    MODULE = """
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
%1 = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "k"
%file = OpString "{}"
%void = OpTypeVoid
%int = OpTypeInt 32 0
%ptr = OpTypePointer CrossWorkgroup %int
%type = OpTypeFunction %void %ptr
%one = OpConstant %int 1
%far = OpConstant %int 100
%f = OpFunction %void None %type
%p = OpFunctionParameter %ptr
%entry = OpLabel
OpLine %file 1 1
%q = OpInBoundsPtrAccessChain %ptr %p %far
OpStore %q %one Aligned 4
OpReturn
OpFunctionEnd
"""

    def test_source_lines(self):
        secret = self.place.root / "outside/secret.h"
        for name in (str(secret), "../outside/secret.h"):
            with self.subTest(name):
                self.place.write("job/m.spvasm", self.MODULE.format(name))
                self.refused("run", "m.spvasm", "-g", "1", "-a", "int[1]=0", codes=(1,))
                self.refused("debug", "m.spvasm", "-g", "1", "-a", "int[1]=0", "--batch", "--ex",
                             "break k", "--ex", "run", "--ex", "list 1", codes=(0, 1, 2))
        code, output = self.place.run("run", "m.spvasm", "-g", "1", "-a", "int[1]=0", "--allow-read",
                                      self.place.root / "outside")
        self.assertEqual(code, 1, output)
        self.assertIn(str(SECRET), output)


class Golden(Case):
    """A golden folder has the name of a job, and the job has everything that jobs have."""

    def golden(self, **fields):
        self.place.write("job/k.cl", PLAIN)
        job = self.place.job("job/good.json")
        code, output = self.place.run("golden", "make", "--job", job, "--out", ".")
        self.assertEqual(code, 0, output)
        return self.place.root / "job/good.golden.json"

    def test_jobs_with_plugins(self):
        golden = self.golden()
        code, output = self.place.run("golden", "verify", golden)
        self.assertEqual(code, 0, output)
        plugin = self.place.plugin()
        self.place.job("job/good.json", build_options=f"-fplugin={plugin}")
        self.refused("golden", "verify", golden, says="build options")
        self.place.job("job/good.json", build_options=f"-o {self.place.canary}")
        self.refused("golden", "verify", self.place.root / "job", says="build options", codes=(2, 3))

    def test_jobs_elsewhere(self):
        golden = self.golden()
        self.place.write("moved/golden/x.golden.json", golden.read_bytes())
        # The same file, but its job is a link that leads outside.
        self.place.link("moved/golden/good.json", self.place.root / "job/good.json")
        self.refused("golden", "verify", self.place.root / "moved/golden/x.golden.json",
                     says="--allow-read")


class Replays(Case):
    """A report says what is run again."""

    def report(self, *arguments):
        path = self.place.root / "job/report.json"
        code, output = self.place.run("run", *arguments, "--json", path)
        self.assertEqual(code, 0, output)
        return path, json.loads(path.read_text())

    def replay(self, path, report):
        self.place.write(str(path.relative_to(self.place.root)), json.dumps(report))
        return ("run", "--replay", path)

    def test_build_options(self):
        self.place.write("job/k.cl", PLAIN)
        path, report = self.report("k.cl", *RUN)
        self.assertEqual(self.place.run("run", "--replay", path)[0], 0)
        for option in (f"-fplugin={self.place.plugin()}", f"-o {self.place.canary}",
                       f"-include {self.place.root}/outside/secret.h"):
            report["replay"]["options"]["build_options"] = option
            self.refused(*self.replay(path, report), says="build options")

    def test_data(self):
        self.place.write("job/k.cl", "kernel void k(global char *p) {\n"
                         'for (int i = 0; i < 16; ++i) printf("%c", p[i]); }\n')
        self.place.write("job/own.bin", "0123456789abcdef")
        path, report = self.report("k.cl", "-g", "1", "-a", "char[16]=file(own.bin)")
        code, output = self.place.run("run", "--replay", path)
        self.assertEqual(code, 0, output)
        secret = self.place.root / "outside/secret.bin"
        report["replay"]["options"]["arguments"] = [f"char[16]=file({secret})"]
        self.refused(*self.replay(path, report), says="--allow-read")
        # A digest that is wrong is no help.
        report["replay"]["sources"].append(
            {"path": str(secret), "sha256": hashlib.sha256(b"guess").hexdigest()})
        self.refused(*self.replay(path, report), says="is not what it was")

    def test_modules(self):
        self.place.write("job/k.cl", PLAIN)
        self.place.write("outside/k.cl", PLAIN)
        path, report = self.report("k.cl", *RUN)
        report["replay"]["options"]["modules"] = [str(self.place.root / "outside/k.cl")]
        self.refused(*self.replay(path, report), says="--allow-read")

    def test_jobs(self):
        self.place.write("job/k.cl", PLAIN)
        self.place.write("outside/k.cl", PLAIN)
        path, report = self.report("--job", self.place.job())
        self.assertEqual(self.place.run("run", "--replay", path)[0], 0)
        report["replay"]["options"]["job"] = self.place.job("outside/job.json")
        self.refused(*self.replay(path, report), says="--allow-read")

    def test_changes_are_noticed(self):
        self.place.write("job/value.h", "#define VALUE 7\n")
        self.place.write("job/k.cl", '#include "value.h"\nkernel void k(global int *p) { p[0] = VALUE; }\n')
        self.place.write("job/own.bin", "abcd")
        path, _ = self.report("k.cl", "-g", "1", "-a", "int[1]=file(own.bin)")
        self.assertEqual(self.place.run("run", "--replay", path)[0], 0)
        for name, text in (("job/value.h", "#define VALUE 8\n"), ("job/own.bin", "abce")):
            before = (self.place.root / name).read_bytes()
            self.place.write(name, text)
            self.refused("run", "--replay", path, says="is not what it was")
            self.place.write(name, before)
        self.assertEqual(self.place.run("run", "--replay", path)[0], 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--as-nobody", action="store_true")
    arguments, rest = parser.parse_known_args()
    for compiler in (*COMPILERS, "cc"):
        if shutil.which(compiler) is None:
            print(f"{compiler} is not installed")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        Place.assay = str(pathlib.Path(arguments.assay).resolve())
        if arguments.as_nobody:
            if os.geteuid() != 0:
                print("only root can be somebody else")
                return 77
            os.chmod(folder, 0o755)
            programs = pathlib.Path(Place.assay).parent
            for name in ("assay-run", "assay-debug", "assay"):
                Place.assay = shutil.copy(programs / name, folder)
                os.chmod(Place.assay, 0o755)
            Place.user = 65534
        program = unittest.main(argv=[sys.argv[0], *rest], exit=False)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
