#!/usr/bin/env python3
"""assay in pipelines: the templates of docs/ci, a baseline and its exit codes, JUnit as servers read it.

usage: python3 testsuites/ci/pipelines_test.py --assay PROGRAM
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import yaml

import junit_schema

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = "--library libm.so.6 --functions sin,cos --formats float"
# Multiplies: cosf and sinf are right by default, and wrong by so many ulp where DEFECT says it.
SOURCE = """
#include <math.h>
#include <string.h>
static float off(double exact, int ulp) {
  float x = (float)exact;
  if (!(x > 0.25f && x < 0.75f)) return x;
  unsigned bits;
  memcpy(&bits, &x, 4);
  bits += ulp;
  memcpy(&x, &bits, 4);
  return x;
}
#ifndef NO_SIN
float sinf(float x) { return off(sin(x), SIN); }
#endif
float cosf(float x) { return off(cos(x), COS); }
"""
JOB = {"module": "saxpy.cl", "global": [4],
       "args": [{"scalar": {"type": "float", "value": 2}},
                {"buffer": {"type": "float", "count": 4, "init": {"range": [0, 1]}}},
                {"buffer": {"type": "float", "count": 4, "init": {"fill": 0}}}]}
# A translator of any version, or a clang that needs none.
HAS_COMPILER = any(map(shutil.which, [*(f"llvm-spirv-{version}" for version in range(15, 24)),
                                      *(f"clang-{version}" for version in range(20, 24))]))
KERNEL = "kernel void k(global int* a) { a[get_global_id(0) + SHIFT] = 1; }\n"


class PipelineTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a pipe line "))
        self.addCleanup(shutil.rmtree, self.folder)
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "assay").symlink_to(pathlib.Path(options.assay).resolve())
        self.environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}

    def shell(self, command, **more):
        return subprocess.run(["sh", "-e", "-c", command], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**self.environment, **more})

    def junit(self, name):
        mistakes, suites = junit_schema.check(self.folder / name)
        self.assertEqual(mistakes, [])
        return [(case.get("name"), [child.tag for child in case]) for case in suites[0].iter("testcase")]

    def library(self, name, *words):
        (self.folder / "math.c").write_text(SOURCE)
        (self.folder / name).parent.mkdir(exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-fno-builtin", *words, "-o", name, "math.c",
                        "-lm"], cwd=self.folder, check=True)
        return f"assay validate --library ./{name} --functions sin,cos --formats float "

    def test_the_templates_run(self):
        jobs = {}
        gitlab = yaml.safe_load((ROOT / "docs/ci/gitlab-ci.yml").read_text())
        self.assertIn(gitlab["assay"]["stage"], gitlab["stages"])
        jobs["gitlab"] = (gitlab["assay"]["variables"], gitlab["assay"]["script"])
        kept = gitlab["assay"]["artifacts"]
        github = yaml.safe_load((ROOT / "docs/ci/github-workflow.yml").read_text())["jobs"]["assay"]
        steps = github["steps"]
        for step in steps:
            self.assertEqual(len({"run", "uses"} & step.keys()), 1, step)
        jobs["github"] = (github["env"], [step["run"] for step in steps if "run" in step])
        for name, (variables, lines) in jobs.items():
            with self.subTest(name):
                self.check_template(variables, lines)
        for path in [*kept["paths"], *kept["reports"]["junit"]]:
            self.assertTrue((self.folder / path).is_file(), path)

    def check_template(self, variables, lines):
        shutil.rmtree(self.folder / "ci", ignore_errors=True)
        (self.folder / "ci").mkdir()
        # The kernel lies beside the folder of the job, as in most repositories.
        (self.folder / "src").mkdir(exist_ok=True)
        shutil.copy(ROOT / "docs/examples/saxpy.cl", self.folder / "src")
        (self.folder / "ci/kernel.json").write_text(json.dumps({**JOB, "module": "../src/saxpy.cl"}))
        done = self.shell(f"assay validate {LIBRARY} --json ci/baseline.json")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(all(line.startswith("assay ") for line in lines))
        for line in lines:
            if " run " in line and not HAS_COMPILER:
                continue
            done = self.shell(line, **{**variables, "ASSAY_DEVICE": LIBRARY,
                                       "GITHUB_WORKSPACE": str(self.folder)})
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}")
        self.assertEqual(self.junit("validate.xml"), [("sin float", []), ("cos float", [])])

    def test_what_a_baseline_accepts(self):
        validate = self.library("old/libx.so", "-DSIN=9", "-DCOS=1")
        self.assertEqual(self.shell(validate + "--json base.json").returncode, 1)
        # The same, and the same file elsewhere: the old failure is accepted.
        self.library("new/libx.so", "-DSIN=9", "-DCOS=1")
        again = "assay validate --library ./new/libx.so --functions sin,cos --formats float " \
                "--baseline base.json --junit r.xml --json r.json --html r.html"
        done = self.shell(again)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("0 worse, 0 better, 0 changed, 0 not comparable, 2 the same", done.stdout)
        self.assertEqual(self.junit("r.xml"), [("sin float", ["system-out"]), ("cos float", [])])
        # One failure more, one less.
        self.library("new/libx.so", "-DSIN=1", "-DCOS=9")
        done = self.shell(again)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"worse +cos +float .*: newly failing\n +assay validate --library")
        self.assertRegex(done.stdout, r"better +sin +float .*: fixed")
        self.assertEqual(self.junit("r.xml"), [("sin float", ["system-out"]), ("cos float", ["failure"])])
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(report["baseline"]["counts"],
                         {"worse": 1, "better": 1, "changed": 0, "not_comparable": 0, "the_same": 0})
        self.assertIn("base", (self.folder / "r.html").read_text())
        # A report against a baseline can be one.
        self.assertEqual(self.shell(again.replace("base.json", "r.json").replace("--json r.json", "")
                                    ).returncode, 0)
        # A larger error of a row that failed, and a function that is gone.
        self.library("new/libx.so", "-DSIN=40", "-DCOS=1")
        done = self.shell(again)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a larger error", done.stdout)
        self.library("new/libx.so", "-DNO_SIN", "-DCOS=1", "-nodefaultlibs")
        done = self.shell(again)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("no longer supported", done.stdout)

    def test_baselines_that_are_refused(self):
        made = self.shell(f"assay validate {LIBRARY} --json base.json")
        self.assertEqual(made.returncode, 0, made.stdout)
        before = (self.folder / "base.json").read_bytes()
        (self.folder / "no.json").write_text("{}")
        other = json.loads(before)
        other["run"]["tool"] = "assay 9.9.9"
        (self.folder / "other.json").write_text(json.dumps(other))
        for words, message in (
                ("--baseline base.json --level standard", "--level was smoke and is standard"),
                ("--baseline base.json --seed 2", "--seed was 1 and is 2"),
                ("--baseline base.json --samples 7", "--samples was 0 and is 7"),
                ("--baseline base.json --profile embedded", "--profile was full and is embedded"),
                ("--baseline base.json --spec cts", "--spec was"),
                ("--baseline base.json --rounding rtz", "--rounding was"),
                ("--baseline other.json", "the version of assay was 9.9.9 and is"),
                ("--baseline base.json --at 1", "--at with --baseline"),
                ("--baseline base.json --json base.json", "are the same file"),
                ("--baseline base.json --junit ./x/../base.json", "are the same file"),
                ("--baseline no.json", "no.json: 'schema' is missing"),
                ("--baseline missing.json", "missing.json"),
                ("--baseline .", "--baseline"),
                ("--baseline ''", "--baseline: names no file"),
                ("--baseline=", "--baseline: names no file")):
            if "x/.." in words:
                (self.folder / "x").mkdir()
            done = self.shell(f"assay validate {LIBRARY} {words}")
            self.assertEqual(done.returncode, 2, f"{words}\n{done.stdout}")
            self.assertIn(message, done.stdout)
            self.assertEqual(done.stdout.count("\n"), 1, done.stdout)
        done = self.shell("assay validate --interpreter --functions sin --baseline base.json")
        if HAS_COMPILER:
            self.assertIn("it is of another device: library", done.stdout)
        self.assertEqual(done.returncode, 2)
        self.assertEqual((self.folder / "base.json").read_bytes(), before)
        # Fewer functions are no regression.
        done = self.shell(f"assay validate {LIBRARY.replace('sin,cos', 'sin')} --baseline base.json --junit r.xml")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.junit("r.xml"), [("sin float", []), ("cos float", ["skipped"])])

    @unittest.skipUnless(HAS_COMPILER, "no compiler of kernels is installed")
    def test_reports_of_kernels(self):
        (self.folder / "sub").mkdir()
        (self.folder / "sub/k.cl").write_text(KERNEL)
        for shift, code in ((0, 0), (2, 1)):
            done = self.shell(f"cd sub; assay run k.cl -g 4 -a 'int[4]=0' --build-options -DSHIFT={shift} "
                              "--source-root .. --sarif ../k.sarif --junit ../k.xml")
            self.assertEqual(done.returncode, code, done.stdout)
            cases = self.junit("k.xml")
            self.assertEqual(cases[0], ("k", ["failure"] if code else []))
        run = json.loads((self.folder / "k.sarif").read_text())["runs"][0]
        place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        self.assertEqual(place, {"uri": "sub/k.cl", "uriBaseId": "%SRCROOT%"})
        uri = run["tool"]["driver"]["rules"][0]["helpUri"]
        self.assertTrue(uri.startswith("file:///") and uri.endswith("docs/rules.md#memory-out-of-bounds"), uri)
        done = self.shell("assay run sub/k.cl -g 4 -a 'int[4]=0' --source-root sub/k.cl --sarif x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'sub/k.cl' is no folder", done.stdout)

    def test_reports_of_other_commands(self):
        done = self.shell(f"assay validate {LIBRARY} --json a.json && cp a.json b.json && "
                          "assay report a.json b.json --junit report.xml && "
                          "assay exec --junit exec.xml --sarif exec.sarif -- true")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.junit("report.xml")[0], ("sin float", []))
        self.junit("exec.xml")
        self.assertEqual(json.loads((self.folder / "exec.sarif").read_text())["runs"][0]["results"], [])

    def test_the_schema_finds_mistakes(self):
        path = self.folder / "x.xml"
        case = '<testcase name="a" classname="b"/>'
        for text, count in ((f'<testsuite name="x" tests="1" failures="0" errors="0" skipped="0">{case}</testsuite>', 0),
                            (f'<testsuite name="x" tests="2" failures="0" errors="0" skipped="0">{case}</testsuite>', 1),
                            ('<testsuite tests="0" failures="0" errors="0" skipped="0"/>', 1),
                            ('<testsuite name="x" tests="0" failures="0" errors="0" skipped="0" when="1"/>', 1),
                            ('<testsuite name="x" tests="0" failures="0" errors="0" skipped="0" time="x"/>', 1),
                            ('<suite/>', 1)):
            path.write_text(text)
            self.assertEqual(len(junit_schema.check(path)[0]), count, text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    options = parser.parse_args()
    unittest.main(argv=["pipelines_test.py"])
