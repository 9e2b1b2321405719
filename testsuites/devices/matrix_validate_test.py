#!/usr/bin/env python3
"""assay validate --functions @matrix and @small: right devices pass, and each kind of wrong device is told.

usage: python3 testsuites/devices/matrix_validate_test.py ASSAY

The devices are model_matrix.py, wrong ones made of it, and assay's own interpreter and OpenCL driver.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
COMMON = {"arithmetic": "fused", "grouping": "consecutive", "addend": "fused", "product_exponent": "sum", "truncation": "toward-zero",
          "minimum_exponent": -1000, "result_rounding": "toward-zero", "subnormal_inputs": True, "subnormal_results": True,
          "zero_sign": "positive", "nan": "0x7fffffff"}
MODELS = [{"name": "f16-f32", "input": "f16", "accumulator": "f32", "m": 8, "n": 8, "k": 8, **COMMON, "block": 8, "alignment_bits": 25,
           "result_bits": 23},
          {"name": "e4m3-f32", "input": "e4m3", "accumulator": "f32", "m": 8, "n": 8, "k": 8, **COMMON, "block": 8, "alignment_bits": 13,
           "result_bits": 13},
          {"name": "s8-s32", "input": "s8", "accumulator": "s32", "m": 8, "n": 8, "k": 8, "arithmetic": "integer"}]

# A device like model_matrix.py with a fault: FAULT is code in which `results` is the list of a request's results and `which` counts requests.
WRONG = """
import json, sys
sys.path.insert(0, {here!r})
import matrix_device, model_matrix

requests = 0

class Wrong(model_matrix.Compute):
    def run(self, instruction, count, *data):
        global requests
        requests += 1
        which = requests
        results = matrix_device.unpacked(instruction.accumulator, super().run(instruction, count, *data))
        {fault}
        return matrix_device.packed(instruction.accumulator, results)

models = json.load(open({models!r}))["instructions"]
instructions = [matrix_device.Instruction(x["name"], x["m"], x["n"], x["k"]) for x in models]
matrix_device.serve("wrong", "1", instructions, Wrong(models))
"""


# The interpreter, with other bits in every NaN of type float.
PROXY = """
import struct, subprocess, sys, threading
child = subprocess.Popen([{run!r}, "serve", "--matrix", "--interpreter"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def forward():
    while data := sys.stdin.buffer.read1(65536):
        child.stdin.write(data)
        child.stdin.flush()
    child.stdin.close()

threading.Thread(target=forward).start()
out = sys.stdout.buffer
while line := child.stdout.readline():
    out.write(line)
    if line.startswith(b"answer "):
        count = int(line.split()[2]) // 4
        numbers = struct.unpack(f"<{{count}}I", child.stdout.read(4 * count))
        out.write(struct.pack(f"<{{count}}I", *(x | 0x123 if x & 0x7fffffff > 0x7f800000 else x for x in numbers)))
    out.flush()
"""


class MatrixValidate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.models = self.folder / "models.json"
        self.models.write_text(json.dumps({"schema": "assay-matrix-model/1", "device": "planted", "instructions": MODELS}))

    def validate(self, *options, fault="pass"):
        """Exit code, rows by instruction, and all output."""
        device = self.folder / "device.py"
        device.write_text(WRONG.format(here=str(HERE), models=str(self.models), fault=fault))
        return self.ask("--pipe", f"'{sys.executable}' -B '{device}'", *options)

    def ask(self, *options, env=None, tiles=3):
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        command = [ASSAY, "validate", *options, "--samples", str(tiles), "--json", str(report)]
        if "--functions" not in options:
            command += ["--functions", "@matrix"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=250, env=env)
        rows = {}
        if report.exists():
            rows = {row["instruction"]: row for row in json.loads(report.read_text())["rows"]}
        return done.returncode, rows, done.stdout + done.stderr

    def test_a_right_device_is_accused_of_nothing(self):
        code, rows, text = self.validate()
        self.assertEqual(code, 0, text)
        self.assertEqual(rows["s8-s32"]["verdict"], "pass")
        self.assertEqual(rows["f16-f32"]["verdict"], "not defined by the text")
        self.assertEqual(rows["f16-f32"]["outside"], 0)
        # 13 bits are not what an accumulator of float promises.
        self.assertGreater(rows["e4m3-f32"]["outside"], 10)
        self.assertGreater(rows["e4m3-f32"]["worst_ulp"], 100)

    def test_one_wrong_integer_fails(self):
        fault = "if instruction.name == 's8-s32': results[2 * 64 + 13] ^= 1 << 31"
        code, rows, text = self.validate(fault=fault)
        self.assertEqual(code, 1, text)
        row = rows["s8-s32"]
        self.assertEqual((row["verdict"], row["wrong"]), ("fail", 1))
        self.assertEqual([row["first_wrong"][name] for name in ("tile", "row", "column")], [2, 1, 5])
        self.assertIn("wrong: tile 2, row 1, column 5", text)

    def test_a_model_decides_about_floats(self):
        code, rows, text = self.validate("--matrix", str(self.models))
        self.assertEqual((code, {row["verdict"] for row in rows.values()}), (0, {"pass"}), text)
        fault = "if instruction.name == 'f16-f32': results[70] += 1"
        code, rows, text = self.validate("--matrix", str(self.models), fault=fault)
        self.assertEqual(code, 1, text)
        self.assertEqual((rows["f16-f32"]["verdict"], rows["f16-f32"]["wrong"]), ("fail", 1))
        self.assertEqual(rows["e4m3-f32"]["verdict"], "pass")

    def test_nan_may_have_other_bits_where_no_device_says_which(self):
        device = self.folder / "proxy.py"
        device.write_text(PROXY.format(run=str(pathlib.Path(ASSAY).resolve().parent / "assay-run")))
        options = ("--pipe", f"'{sys.executable}' -B '{device}'", "--functions", "matrix_f16-f32-8*", "--matrix")
        code, rows, text = self.ask(*options, "exact", tiles=40)
        self.assertEqual((code, rows["f16-f32-8x16x16"]["verdict"]), (0, "pass"), text)
        self.assertIn("exact", rows["f16-f32-8x16x16"]["same_as"])
        self.models.write_text(self.models.read_text().replace('"k": 8', '"k": 1').replace('"block": 8', '"block": 1'))
        code, rows, text = self.ask(*options, str(self.models), tiles=40)
        self.assertEqual((code, rows["f16-f32-8x16x16"]["verdict"]), (1, "fail"), text)

    def test_other_answers_to_the_same_question_are_told(self):
        code, rows, text = self.validate(fault="if which % 2 == 0: results[5] ^= 1")
        self.assertEqual(code, 4, text)
        self.assertEqual((rows["f16-f32"]["verdict"], rows["f16-f32"]["unsteady"]), ("not deterministic", 1))

    def test_a_baseline_knows_an_older_driver(self):
        _, rows, _ = self.validate()
        old = self.folder / "old.json"
        (self.folder / "report.json").rename(old)
        code, rows, text = self.validate("--baseline", str(old))
        self.assertEqual((code, rows["f16-f32"]["baseline"]), (0, "same"), text)
        code, rows, text = self.validate("--baseline", str(old), fault="if instruction.name == 'e4m3-f32': results[7] ^= 0x400")
        self.assertEqual(code, 1, text)
        self.assertEqual((rows["f16-f32"]["baseline"], rows["e4m3-f32"]["baseline"]), ("same", "changed"))
        code, _, text = self.validate("--baseline", str(old), "--seed", "2")
        self.assertEqual(code, 2, text)
        self.assertIn("other operands", text)

    def test_a_device_that_dies_is_not_measured(self):
        code, rows, text = self.validate(fault="sys.exit(3)")
        self.assertEqual(code, 4, text)
        self.assertEqual({row["verdict"] for row in rows.values()}, {"not measured"})

    def test_names_and_options_are_checked(self):
        for options, words in ((("--functions", "matrix_f17*"), "no instruction 'matrix_f17*'"),
                               (("--functions", "@matrix,sin"), "runs of their own"),
                               (("--formats", "half"), "does not go with matrix instructions"),
                               (("--matrix", "nvidia"), "there is no model 'nvidia'")):
            code, rows, text = self.validate(*options)
            self.assertEqual((code, rows), (2, {}), text)
            self.assertIn(words, text)
        code, _, text = self.ask("--library", "libm.so.6")
        self.assertEqual(code, 2)
        self.assertIn("take a device of their protocol", text)

    def test_the_interpreter_is_exact(self):
        code, rows, text = self.ask("--interpreter")
        self.assertEqual(code, 0, text)
        self.assertIn("exact", rows["f16-f32-16x16x16"]["same_as"])
        self.assertEqual(rows["u8-u32-8x16x32"]["verdict"], "pass")

    def test_the_driver_of_assay_answers_what_it_declares(self):
        build = pathlib.Path(ASSAY).resolve().parent.parent
        library = next(iter(build.rglob("libassay-opencl.so*")), None)
        self.assertIsNotNone(library, "the driver is not built")
        vendors = self.folder / "vendors"
        vendors.mkdir()
        (vendors / "assay.icd").write_text(str(library) + "\n")
        env = {**os.environ, "OCL_ICD_VENDORS": str(vendors)}
        code, rows, text = self.ask("--opencl", "--functions", "matrix_f16-f32-8*,matrix_s8*", env=env)
        self.assertEqual(code, 0, text)
        self.assertIn("exact", rows["f16-f32-8x16x16"]["same_as"])
        self.assertEqual(rows["s8-s32-16x16x16"]["verdict"], "pass")


CONVERTER = """
import json, struct, sys
out = sys.stdout.buffer
out.write(b"assay-matrix/1\\nname converter\\nconversion convert_bf16_rtz f32 shift\\nready\\n")
out.flush()
while line := sys.stdin.buffer.readline().split():
    verb, number, name, source, via, count = line
    numbers = struct.unpack(f"<{{int(count)}}I", sys.stdin.buffer.read(4 * int(count)))
    def convert(x):
        {fault}
        # The upper half is truncation; a NaN keeps its quiet bit.
        return x >> 16 | (0x40 if x & 0x7fffffff > 0x7f800000 else 0)
    data = struct.pack(f"<{{int(count)}}H", *map(convert, numbers))
    out.write(b"answer %s %d\\n" % (number, len(data)) + data + b"end %s\\n" % number)
    out.flush()
"""


class SmallFormats(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def convert(self, fault="pass"):
        device = self.folder / "converter.py"
        device.write_text(CONVERTER.format(fault=fault))
        report = self.folder / "report.json"
        command = [ASSAY, "validate", "--pipe", f"'{sys.executable}' -B '{device}'", "--functions", "@small", "--json", str(report)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=250)
        return done.returncode, json.loads(report.read_text())["rows"][0], done.stdout + done.stderr

    def test_conversions_are_exact(self):
        code, row, text = self.convert()
        self.assertEqual((code, row["verdict"], row["flushed"]), (0, "pass", 0), text)
        self.assertGreater(row["asked"], 1000)
        code, row, text = self.convert("if x == 0x3f808000: return 0x3f81")
        self.assertEqual((code, row["verdict"], row["wrong"]), (1, "fail", 1), text)
        self.assertEqual(row["first_wrong"], {"operand": "0x3f808000", "device": "0x3f81", "expected": "0x3f80"})

    def test_flushing_is_no_failure(self):
        code, row, text = self.convert("if x & 0x7f800000 == 0: return x >> 31 << 15")
        self.assertEqual((code, row["verdict"], row["wrong"]), (0, "pass", 0), text)
        self.assertGreater(row["flushed"], 10)

    def test_the_interpreter_converts(self):
        report = self.folder / "report.json"
        done = subprocess.run([ASSAY, "validate", "--interpreter", "--functions", "@small", "--json", str(report)],
                              capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = json.loads(report.read_text())["rows"]
        self.assertEqual(len(rows), 16)
        self.assertEqual({row["verdict"] for row in rows}, {"pass"})


if __name__ == "__main__":
    ASSAY = sys.argv.pop(1)
    unittest.main()
