#!/usr/bin/env python3
"""Golden vectors of small formats and of matrix products, checked by fractions; a changed file is told.

usage: PYTHONPATH=build/release/python python3 testsuites/golden/small_test.py ASSAY

The evaluation of conversions is that of testsuites/matrix/conversions_test.py, which shares no code with assay.
"""
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "matrix"))
import conversions_test  # noqa: E402


class SmallGolden(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assay(self, *words):
        done = subprocess.run([ASSAY, "golden", *words], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    def made(self, *words):
        code, text = self.assay("make", *words, "--out", str(self.folder))
        self.assertEqual(code, 0, text)
        return {path.name: json.loads(path.read_text()) for path in self.folder.glob("*.json")}

    def test_conversions_are_right(self):
        files = self.made("convert_e4m3_sat", "convert_e2m1_inf", "--formats", "half,e5m2", "--rounding", "rte,rtn", "--level", "smoke")
        files |= self.made("convert_bf16_sr", "--formats", "float", "--level", "smoke")
        self.assertEqual(len(files), 9)
        for file in files.values():
            source, target = (conversions_test.Format(file[name]) for name in ("from", "to"))
            self.assertEqual(file["count"], len(file["vectors"]))
            for vector in file["vectors"]:
                args = [int(arg, 16) for arg in vector["args"]]
                kind, negative, value = source.decode(args[0])
                place = None if value is None else conversions_test.Place(target, value)
                word = args[1] if file["rounding"] == "stochastic" else 0
                right = conversions_test.expected(target, "zero" if value == 0 else kind, negative, place, file["rounding"], word,
                                                  file["overflow"])
                if right == "nan":
                    self.assertEqual(vector["accepted"], "nan")
                else:
                    self.assertEqual((int(vector["expected"], 16), vector["accepted"]), (right, vector["expected"]), vector)

    def test_products_are_right(self):
        file = self.made("matrix_e4m3_f32_3x2x32", "--samples", "6")["matrix_e4m3_f32_3x2x32.json"]
        form, single = conversions_test.Format("e4m3"), conversions_test.Format("f32")
        ranges = 0
        for product in file["products"]:
            a, b, c = ([[*decoder.decode(int(bits, 16))] for bits in product[name]]
                       for name, decoder in (("a", form), ("b", form), ("c", single)))
            for i in range(3):
                for j in range(2):
                    at = i * 2 + j
                    terms = [(a[i * 32 + l], b[l * 2 + j]) for l in range(32)]
                    if c[at][0] != "finite" or any(x[0] != "finite" for pair in terms for x in pair):
                        continue
                    sign = lambda term: -term[2] if term[1] else term[2]
                    total = sum((sign(x) * sign(y) for x, y in terms), sign(c[at]))
                    exact = self.value(single, product["exact"][at])
                    low, high = (self.value(single, bits) for bits in product["any-order"][at])
                    self.assertTrue(low <= total <= high)
                    if total:
                        place = conversions_test.Place(single, abs(total))
                        self.assertEqual(abs(exact), single.value(place.low + place.is_next("nearest-even", 0, False)))
                    for model in ("ieee-sequential", "ieee-tree", "nvidia-hopper-mma"):
                        self.assertTrue(low <= self.value(single, product[model][at]) <= high)
                    ranges += 1
        self.assertGreater(ranges, 20)

    @staticmethod
    def value(form, bits):
        kind, negative, value = form.decode(int(bits, 16))
        return (-value if negative else value) if kind == "finite" else Fraction(0)

    def test_eval_says_the_same(self):
        for name, source, text in (("e4m3_sat_rtz", "half", "0x5d01"), ("e5m2", "double", "0x3ff4000000000000"), ("f32", "e4m3", "0x81"),
                                   ("e2m1_rtp", "bf16", "0x4049"), ("e8m0_sat", "float", "0x7f7fffff")):
            done = subprocess.run([ASSAY, "eval", f"convert_{name}", text, "--format", source, "--json", "-"], capture_output=True,
                                  text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            words = name.split("_")
            rounding = {"rtz": "toward-zero", "rtp": "up"}.get(words[-1], "nearest-even")
            form = conversions_test.Format({"half": "f16", "float": "f32", "double": "f64"}.get(source, source))
            target = conversions_test.Format(words[0])
            kind, negative, value = form.decode(int(text, 16))
            right = conversions_test.expected(target, "zero" if value == 0 else kind, negative, conversions_test.Place(target, value),
                                              rounding, 0, "saturate" if "sat" in words else "ieee")
            self.assertEqual(int(json.loads(done.stdout)["results"][0]["bits"], 16), right, name)
        for words, message in ((("convert_e4m3", "1.7", "--format", "e5m2"), "next to it are 1.5 and 1.75"),
                               (("convert_e4m3_sr", "1"), "takes one operand of f32 and a word"),
                               (("mx_e4m3", *["1"] * 33), "takes up to 32 numbers")):
            done = subprocess.run([ASSAY, "eval", *words], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
        done = subprocess.run([ASSAY, "eval", "mx_e2m1", "12", "-1", "--json", "-"], capture_output=True, text=True, timeout=60)
        self.assertEqual([one["bits"] for one in json.loads(done.stdout)["results"]], ["0x80", "0x7", "0x9"])

    def test_a_changed_file_is_told(self):
        self.made("convert_e2m1", "--formats", "e4m3", "--level", "exhaustive")
        self.made("matrix_s8_s32_2x2x4", "--samples", "1")
        code, text = self.assay("verify", str(self.folder))
        self.assertEqual(code, 0, text)
        self.assertIn("257 vectors in 2 files", text)
        for path in self.folder.glob("*.json"):
            original = path.read_text()
            name = '"expected":"0x0"' if "convert" in path.name else '"exact":["0x'
            self.assertIn(name, original)
            changed = original.replace(name, name[:-1] + ("1" if name[-1] == '"' else "f") + name[-1:], 1)
            path.write_text(changed)
            code, text = self.assay("verify", str(path))
            self.assertEqual(code, 1, text)
            self.assertIn("CHANGED", text)
            # With a new digest the content is still not what the operands give.
            body = changed[:changed.rindex('"sha256"')]
            path.write_text(body + f'"sha256": "{hashlib.sha256(body.encode()).hexdigest()}"}}\n')
            code, text = self.assay("verify", str(path))
            self.assertEqual(code, 1, text)
            self.assertIn("DIFFERENT", text)
            path.write_text(original)

    def test_wrong_calls_say_what_is_right(self):
        for words, message in ((("convert_e4m3", "sin"), "runs of their own"), (("matrix_f16_f33_2x2x2",), "'accumulator' must be one of"),
                               (("matrix_f16_f32_2x2",), "is no product"), (("convert_e4m3", "--as", "csv"), "JSON only"),
                               (("convert_e4m3", "--level", "exhaustive", "--formats", "float"), "at most 16 bits")):
            code, text = self.assay("make", *words, "--out", str(self.folder))
            self.assertEqual(code, 2, text)
            self.assertIn(message, text)


if __name__ == "__main__":
    ASSAY = sys.argv.pop(1)
    unittest.main()
