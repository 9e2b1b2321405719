#!/usr/bin/env python3
"""assay matrix probe against planted models: it finds their numbers, goes on, and reports a single wrong result.

usage: python3 testsuites/devices/matrix_test.py ASSAY

The device is model_matrix.py, which computes with Python's integers and shares no code with assay.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import matrix_device  # noqa: E402
import model_matrix  # noqa: E402
import recorded_matrix  # noqa: E402

COMMON = {"arithmetic": "fused", "grouping": "consecutive", "addend": "fused", "product_exponent": "sum", "truncation": "toward-zero",
          "minimum_exponent": -1000, "result_rounding": "toward-zero", "subnormal_inputs": True, "subnormal_results": True,
          "zero_sign": "positive", "nan": "0x7fffffff"}


def model(name, k, **numbers):
    form, accumulator = name.split("-")
    return {"name": name, "input": form, "accumulator": accumulator, "m": 8, "n": 8, "k": k, **COMMON, **numbers}


PLANTED = [
    model("f16-f16", 8, block=4, alignment_bits=17, result_bits=10, result_rounding="nearest-even", nan="0x7fff"),
    model("bf16-f32", 8, block=4, grouping="interleaved", alignment_bits=23, result_bits=21, product_exponent="normalized"),
    model("tf32-f32", 8, block=8, alignment_bits=24, result_bits=23, truncation="down", zero_sign="ieee", subnormal_inputs=False),
    model("e5m2-f32", 8, block=4, grouping="pairs", addend="last", alignment_bits=14, result_bits=16),
    {"name": "s8-s32", "input": "s8", "accumulator": "s32", "m": 8, "n": 8, "k": 8, "arithmetic": "integer"}]
SAMPLES = 48


class MatrixProbe(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "found.json"

    def probe(self, device, file, dots):
        """Exit code and the model file."""
        command = [ASSAY, "matrix", "probe", "--pipe", f"'{sys.executable}' -B '{HERE / device}' '{file}'", "--output", str(self.output),
                   "--samples", str(SAMPLES), "--dots", str(dots)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=250)
        found = json.loads(self.output.read_text()) if self.output.exists() else None
        return done.returncode, found, done.stdout + done.stderr

    def test_finds_planted_numbers(self):
        file = self.folder / "planted.json"
        file.write_text(json.dumps({"schema": "assay-matrix-model/1", "device": "planted", "instructions": PLANTED}))
        code, found, text = self.probe("model_matrix.py", file, 6000)
        self.assertEqual(code, 0, text)
        for planted, entry in zip(PLANTED, found["instructions"], strict=True):
            evidence = entry["evidence"]
            self.assertEqual(evidence["unexplained_samples"], 0)
            self.assertGreaterEqual(evidence["dot_products"], 6000)
            for number, value in planted.items():
                others = evidence["other_values_that_fit_as_well"].get(number, [])
                if entry[number] != value:  # not determined by the samples, and the probe says so
                    self.assertIn(str(value).lower(), others, f"{planted['name']}: {number}")
            if planted["arithmetic"] == "fused":
                for number in ("block", "alignment_bits", "result_rounding"):
                    self.assertEqual(entry[number], planted[number], planted["name"])
        # The same command goes on where it was.
        before = [entry["evidence"]["tiles"] for entry in found["instructions"]]
        code, found, text = self.probe("model_matrix.py", file, 7000)
        self.assertEqual(code, 0, text)
        for entry, tiles in zip(found["instructions"], before, strict=True):
            self.assertGreater(entry["evidence"]["tiles"], tiles)

    def test_reports_one_wrong_result(self):
        planted = PLANTED[0]
        instruction = matrix_device.Instruction(planted["name"], planted["m"], planted["n"], planted["k"])
        data = bytearray(model_matrix.Compute([planted]).tiles(instruction, 1, 0, 100))
        wrong = 90 * 64 + 13  # after the samples: row 1, column 5 of the tile 90
        data[2 * wrong] ^= 1
        file = self.folder / "device.recorded"
        recorded_matrix.write(file, "recorded", "1", "", 1, [(instruction, bytes(data))])
        code, found, text = self.probe("recorded_matrix.py", file, 6400)
        self.assertEqual(code, 1, text)
        evidence = found["instructions"][0]["evidence"]
        self.assertEqual((evidence["dot_products"], evidence["disagreements"]), (6400, 1))
        example = evidence["examples"][0]
        self.assertEqual((example["tile"], example["row"], example["column"]), (90, 1, 5))


if __name__ == "__main__":
    ASSAY = sys.argv.pop(1)
    unittest.main()
