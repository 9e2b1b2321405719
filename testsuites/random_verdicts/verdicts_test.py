#!/usr/bin/env python3
"""Are faults seen, and kernels made small?  verdicts.py with answers that are made up here instead of assay's."""
import tempfile
import unittest

import generate
import plants
import reduce
import verdicts

SHA = {place: "aa" for place in generate.RESULTS}


def finding(rule, line, after=False):
    return {"rule": rule, "source": f"/x/x.cl:{line}:3", "message": "", "after_undefined_behavior": after, "place": line,
            "count": 1, "global_id": [0, 0, 0]}


def result(findings=(), code=0, buffers=None, instructions=5):
    return verdicts.Result(code, SHA if buffers is None else buffers, list(findings), instructions, "", [])


class Judging(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.planted = generate.write(5, folder.name, "division")
        lines = (self.planted.folder / "x.cl").read_text().splitlines()
        self.line = 1 + next(place for place, text in enumerate(lines) if text.endswith("// planted: division"))

    def kind(self, *arguments):
        with self.assertRaises(verdicts.Failure) as raised:
            verdicts.judge(self.planted, "all", *arguments)
        return raised.exception.kind

    def test_planted(self):
        found = finding("arithmetic-division-by-zero", self.line)
        verdicts.judge(self.planted, "all", result([found], 1), True)
        verdicts.judge(self.planted, "all", result([found, finding("race-nonatomic", 1, after=True)], 1), True)
        verdicts.judge(self.planted, "all", result(), False)

    def test_missed_or_wrong(self):
        self.assertEqual(self.kind(result(), True), "all: missed division")
        elsewhere = finding("arithmetic-division-by-zero", 1)
        self.assertEqual(self.kind(result([elsewhere], 1), True), "all: missed division")
        here = finding("arithmetic-division-by-zero", self.line)
        self.assertEqual(self.kind(result([here, finding("race-nonatomic", 1)], 1), True), "all: finds race-nonatomic")
        self.assertEqual(self.kind(result([here], 1), False), "all: finds arithmetic-division-by-zero")

    def test_right_kernels_differ(self):
        other = dict(SHA, **{generate.RESULTS[1]: "bb"})
        for found in (result(buffers=other), result([finding("race-nonatomic", 1)], 1), result(code=4), result(instructions=6)):
            with self.assertRaises(verdicts.Failure):
                verdicts.must_agree("bare", result(), found)
        verdicts.must_agree("bare", result(), result())


class Generating(unittest.TestCase):
    def test_is_a_function_of_the_seed(self):
        for plant in (None, *plants.PLANTS):
            a, b = (generate.Kernel(7, plant).source() for _ in range(2))
            self.assertEqual(a, b)
            self.assertEqual(a.count("// planted"), plant is not None)


class Reducing(unittest.TestCase):
    SOURCE = """\
kernel void k() {
  a();
  if (x) {
    b();
    for (;;) {
      c();
      d();
    }
  } else {
    e();
  }
}
"""

    def test_drops_statements_and_conditions(self):
        small = reduce.reduced(self.SOURCE, lambda text: "c();" in text and text.startswith("kernel"))
        self.assertEqual([line.strip() for line in small.splitlines()], ["kernel void k() {", "c();", "}"])
        self.assertEqual(reduce.reduced(self.SOURCE, lambda text: False), self.SOURCE)


if __name__ == "__main__":
    unittest.main()
