#!/usr/bin/env python3
"""assay validate --program spirv: programs as SPIR-V on assay's own OpenCL driver, and on drivers made of it that are wrong.

usage: python3 testsuites/devices/spirv_program_test.py ASSAY [CC]

spirv_layer.c makes drivers that are wrong for SPIR-V only, that compile no OpenCL C, and that take no SPIR-V.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SIN, COS = 57, 14  # of OpenCL.std
# Core instructions, extended ones, second results, decorated conversions, halves in memory.
FUNCTIONS = "add,recip_div,mul_add,dot,sin,fract,max,frexp,convert_uchar_sat_rte,convert_short_sat,vstore_half_rtp,vload_half"


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        library = next(iter(pathlib.Path(ASSAY).resolve().parent.parent.rglob("libassay-opencl.so")), None)
        if library is None:
            raise unittest.SkipTest("the driver is not built")
        (cls.folder / "vendors").mkdir()
        (cls.folder / "vendors" / "assay.icd").write_text(f"{library}\n", encoding="utf-8")
        subprocess.run([CC, "-O1", "-shared", "-fPIC", HERE / "spirv_layer.c", "-o", cls.folder / "libspirv_layer.so"], check=True)

    def validate(self, *options, functions=FUNCTIONS, layer=None):
        """(exit code, report, output)"""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        variables = {**os.environ, "OCL_ICD_VENDORS": f"{self.folder}/vendors/"}
        for name in ("OPENCL_LAYERS", "OCL_ICD_FILENAMES", "FAULT", "NO_COMPILER", "NO_IL", "IL"):
            variables.pop(name, None)
        if layer is not None:
            variables.update(layer, OPENCL_LAYERS=f"{self.folder}/libspirv_layer.so")
        done = subprocess.run([ASSAY, "validate", "--opencl", "--functions", functions, "--width", "1,3", "--samples", "64",
                               "--json", report, *options], capture_output=True, text=True, env=variables, check=False)
        read = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None
        return done.returncode, read, done.stdout + done.stderr

    def verdicts(self, report):
        return {(result["function"], result["format"]): result["verdict"] for result in report["results"]}

    def test_a_right_driver_passes_and_the_reports_say_how_programs_were_given(self):
        page, junit = self.folder / "page.html", self.folder / "junit.xml"
        code, report, text = self.validate("--program", "spirv", "--html", page, "--junit", junit)
        self.assertEqual(code, 0, text)
        self.assertEqual(report["device"]["program"], "SPIR-V 1.6")
        self.assertIn("programs as SPIR-V 1.6", text)
        self.assertIn('<property name="program" value="SPIR-V 1.6"/>', junit.read_text(encoding="utf-8"))
        self.assertIn("SPIR-V 1.6", page.read_text(encoding="utf-8"))
        self.assertEqual(report["run"]["spec"], "environment")
        self.assertEqual(report["run"]["device_option"], "--opencl --program spirv")
        verdicts = self.verdicts(report)
        self.assertEqual(verdicts.pop(("dot", "float")), "unsupported")  # OpDot takes vectors
        for name in ("dot", "convert_uchar_sat_rte", "convert_short_sat"):
            self.assertIn("pass", {verdict for (function, _), verdict in verdicts.items() if function == name})
        self.assertNotIn("fail", verdicts.values())

    def test_a_fault_for_spirv_only_is_told_there_only(self):
        fault = {"FAULT": f"{SIN}:{COS}"}
        code, report, text = self.validate("--program", "spirv", functions="sin,fabs", layer=fault)
        self.assertEqual(code, 1, text)
        verdicts = self.verdicts(report)
        self.assertEqual({verdicts["sin", "float"], verdicts["fabs", "float"]}, {"fail", "pass"})
        self.assertEqual(verdicts["sin", "float"], "fail")
        worst = next(result for result in report["results"] if result["function"] == "sin" and result["format"] == "float")
        self.assertIn("--program spirv", json.dumps(worst))
        code, report, text = self.validate(functions="sin,fabs", layer=fault)
        self.assertEqual(code, 0, text)
        self.assertNotIn("program", report["device"])

    def test_a_driver_without_a_compiler_is_given_spirv(self):
        layer = {"NO_COMPILER": "1", "IL": "SPIR-V_1.0 SPIR-V_1.2"}
        code, report, text = self.validate(functions="sin,exp", layer=layer)
        self.assertEqual(code, 0, text)
        self.assertEqual((report["device"]["program"], report["run"]["spec"]), ("SPIR-V 1.2", "environment"))
        code, _, text = self.validate("--program", "source", functions="sin", layer=layer)
        self.assertEqual(code, 3, text)
        self.assertIn("compiles no OpenCL C (CL_DEVICE_COMPILER_AVAILABLE is false); it takes SPIR-V", text)
        code, _, text = self.validate(functions="sin", layer={"NO_COMPILER": "1", "NO_IL": "1"})
        self.assertEqual(code, 3, text)
        self.assertIn("takes no SPIR-V", text)
        code, _, text = self.validate("--program", "spirv", functions="sin", layer={"NO_IL": "1"})
        self.assertEqual(code, 3, text)
        self.assertIn('CL_DEVICE_IL_VERSION is ""', text)

    def test_what_has_no_such_programs_is_refused_by_name(self):
        for options, words in ((("--library", "libm.so.6", "--program", "spirv"), "device of --opencl"),
                               (("--opencl", "--program", "spirv", "--functions", "@integer"), "--program spirv does not go with @integer"),
                               (("--opencl", "--program", "spirv", "--functions", "@images"), "--program spirv does not go with rows of images"),
                               (("--opencl", "--program", "source", "--functions", "@matrix"), "--program source does not go with matrix"),
                               (("--opencl", "--program", "il"), "source")):
            done = subprocess.run([ASSAY, "validate", *options], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)

    def test_baselines_at_shards_and_checkpoints(self):
        old = self.folder / "old.json"
        code, _, text = self.validate("--spec", "environment", functions="sin,fabs")
        self.assertEqual(code, 0, text)
        shutil.copy(self.folder / "report.json", old)
        code, _, text = self.validate("--program", "spirv", "--baseline", old, functions="sin,fabs", layer={"FAULT": f"{SIN}:{COS}"})
        self.assertEqual(code, 1, text)
        self.assertIn("programs: OpenCL C in the baseline, SPIR-V 1.6 now", text)
        code, report, text = self.validate("--program", "spirv", "--at", "0.5", "--formats", "float", functions="sin")
        self.assertEqual((code, len(report["results"]), report["results"][0]["verdict"]), (0, 1, "pass"), text)
        self.assertIn("sin(0.5 ", text)
        code, report, text = self.validate("--program", "spirv", "--shards", "2", functions="sin,fabs")
        self.assertEqual((code, report["device"]["program"]), (0, "SPIR-V 1.6"), text)


if __name__ == "__main__":
    ASSAY = sys.argv.pop(1)
    CC = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "cc"
    unittest.main()
