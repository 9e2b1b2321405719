#!/usr/bin/env python3
"""Are faults seen, and kernels made small?  verdicts.py with answers that are made up here instead of assay's."""
import pathlib
import random
import tempfile
import unittest
from unittest import mock

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


class Replaying(unittest.TestCase):
    """A right kernel, and one with a finding; the answers to recordings and to repetitions are made up."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def kinds(self, check, plant, recording, *repetitions):
        """Of the failures with each of these answers to a repetition; "" for none."""
        made = []
        for repetition in repetitions:
            def answer(options, written, words, changes=None, command="run", of=None):
                (written.folder / "report.json").write_text("{}")
                return repetition if of else recording
            with mock.patch.object(verdicts, "execute", answer):
                written = generate.write(5, self.folder, plant)
                found = set()
                for seed in range(20):  # every kind of run
                    try:
                        check(written, random.Random(seed))
                        found.add("")
                    except verdicts.Failure as failure:
                        found.add(failure.kind)
                made.append(found)
        return made

    def test_right_kernels(self):
        def check(written, rng):
            verdicts.replayed(None, written, result(), rng, "replay")
        other = dict(SHA, **{generate.RESULTS[0]: "bb"})
        same, bytes_, found, code = self.kinds(check, None, result(), result(), result(buffers=other),
                                               result([finding("race-nonatomic", 1)], 1), result(code=4))
        self.assertEqual(same, {""})
        self.assertEqual(bytes_, {"replay"})
        self.assertEqual(found, {"replay", "replay: race-nonatomic"})
        self.assertEqual(code, {"replay"})

    def test_planted_kernels(self):
        generate.write(5, self.folder, "division")
        lines = (self.folder / "x.cl").read_text().splitlines()
        line = 1 + next(place for place, text in enumerate(lines) if text.endswith("// planted: division"))
        one = dict(finding("arithmetic-division-by-zero", line), replay="assay run 'a file' --seed 3")
        more = dict(one, count=2)

        def check(written, rng):
            verdicts.replay_planted(None, written, rng, True)
        same, missed, often = self.kinds(check, "division", result([one], 1), result([one], 1), result(), result([more], 1))
        self.assertEqual(same, {""})
        self.assertEqual(missed, {"replay: missed division"})
        self.assertEqual(often, {"", "replay"})


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
