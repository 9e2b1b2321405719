"""--level search as its users run it: on a library that is wrong in a small region of its operands.

usage: search_test.py --assay PROGRAM --cc COMPILER
"""

import argparse
import json
import math
import os
import pathlib
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ASSAY = ""
CC = "cc"
EVALUATIONS = 60000
SAMPLES = 60000


def assay(*words, timeout=300):
    """Runs assay; its output, messages and code."""
    done = subprocess.run([ASSAY, *words], capture_output=True, text=True, timeout=timeout, check=False)
    return done.stdout, done.stderr, done.returncode


def number(text):
    """A float from its bits."""
    return struct.unpack("<f", struct.pack("<I", int(text, 16)))[0]


def read(path):
    with open(path, "rb") as file:
        return file.read()


class SearchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp(prefix="assay_search_")
        cls.library = os.path.join(cls.root, "libnear.so")
        subprocess.run([CC, "-O2", "-shared", "-fPIC", "-fno-builtin", "-o", cls.library,
                        str(HERE / "near_a_point.c"), "-lm"], check=True)
        cls.searched = os.path.join(cls.root, "searched.json")
        cls.table, cls.messages, cls.code = cls.search("--json", cls.searched)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root, ignore_errors=True)

    @classmethod
    def validate(cls, *words, samples=SAMPLES):
        return assay("validate", "--library", cls.library, "--functions", "hypot", "--formats", "float",
                     "--samples", str(samples), "--no-origin", *words)

    @classmethod
    def search(cls, *words, evaluations=EVALUATIONS):
        return cls.validate("--level", "search", "--search-evaluations", str(evaluations), *words)

    def path(self, name):
        return os.path.join(self.root, name)

    def result(self, path=None):
        return json.loads(read(path or self.searched))["results"][0]

    def test_finds_what_as_many_random_inputs_miss(self):
        out, messages, code = self.validate("--level", "standard", "--json", self.path("sampled.json"),
                                            samples=SAMPLES + EVALUATIONS)
        self.assertEqual(code, 0, out + messages)
        sampled = self.result(self.path("sampled.json"))
        self.assertNotIn("search", sampled)
        self.assertEqual(self.code, 1, self.table + self.messages)
        searched = self.result()
        self.assertEqual(searched["inputs"], sampled["inputs"])
        self.assertGreater(searched["max_ulp"], 24)
        x, y = (abs(number(text)) for text in searched["worst"]["args"])
        self.assertLess(abs(math.log2(x) + 82.75) + abs(math.log2(y) + 69.5), 0.2)

    def test_report_says_what_was_searched(self):
        search = self.result()["search"]
        self.assertEqual(search["evaluations"], EVALUATIONS)
        self.assertTrue(search["complete"])
        self.assertGreater(search["boxes"], search["excluded"])
        self.assertEqual(search["worst"]["args"], self.result()["worst"]["args"])
        run = json.loads(read(self.searched))["run"]
        self.assertEqual((run["level"], run["search_evaluations"]), ("search", EVALUATIONS))
        self.assertIn(f"searched with {EVALUATIONS} evaluations: {search['boxes']} boxes", self.table)
        page = self.path("page.html")
        out, messages, code = assay("report", self.searched, "--html", page)
        self.assertEqual(code, 1, messages)
        self.assertIn(f"searched with {EVALUATIONS} evaluations".encode(), read(page))

    def test_the_command_of_a_failure_shows_it(self):
        worst = self.result()["worst"]
        out, messages, code = assay(*shlex.split(worst["reproduce"])[1:])
        self.assertEqual(code, 1, out + messages)
        self.assertIn(worst["observed"], out)

    def test_two_searches_are_the_same(self):
        again = self.path("again.json")
        _, messages, code = self.search("--json", again, "--threads", "1")
        self.assertEqual(code, 1, messages)
        self.assertEqual(read(again), read(self.searched))
        other = self.path("other.json")
        self.search("--json", other, "--seed", "2")
        self.assertNotEqual(self.result(other)["search"]["worst"], self.result()["search"]["worst"])

    def test_an_interrupted_search_begins_again(self):
        evaluations = 20 * EVALUATIONS
        whole = self.path("whole.json")
        self.search("--json", whole, evaluations=evaluations)
        part = self.path("part.json")
        words = [ASSAY, "validate", "--library", self.library, "--functions", "hypot", "--formats", "float",
                 "--samples", str(SAMPLES), "--no-origin", "--level", "search", "--search-evaluations",
                 str(evaluations), "--json", part, "--checkpoint-every", "0", "--progress"]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            # The checkpoint is written while the plan is asked; the search begins after it.
            deadline = time.monotonic() + 60
            while not os.path.exists(part + ".checkpoint") and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=60)
        self.assertEqual(code, 130)
        interrupted = self.result(part)
        self.assertFalse(interrupted.get("search", {"complete": False})["complete"])
        _, messages, code = self.search("--json", part, "--resume", evaluations=evaluations)
        self.assertEqual(code, 1, messages)
        self.assertEqual(read(part), read(whole))
        _, messages, code = self.search("--json", part, "--resume")
        self.assertEqual(code, 2, "there is no checkpoint any more: " + messages)

    def test_a_recording_has_the_answers_to_the_search(self):
        recording = self.path("answers")
        _, messages, code = self.search("--record", recording)
        self.assertEqual(code, 1, messages)
        again = self.path("recorded.json")
        _, messages, code = assay("validate", "--recorded", recording, "--functions", "hypot",
                                  "--formats", "float", "--json", again, "--no-origin")
        self.assertEqual(code, 1, messages)
        for field in ("inputs", "max_ulp", "failure_count"):
            self.assertEqual(self.result(again)[field], self.result()[field], field)

    def test_what_does_not_go_with_a_search_is_refused_with_a_remedy(self):
        for words, message in (
                (("--shard", "1/2", "--json", self.path("s.json")), "divide --functions"),
                (("--shards", "2", "--json", self.path("s.json")), "divide --functions"),
                (("--at", "1,2"), "--at brings all of its inputs: leave out one")):
            out, messages, code = self.search(*words)
            self.assertEqual(code, 2, out + messages)
            self.assertIn(message, messages)
        _, messages, code = assay("validate", "--recorded", self.searched, "--level", "search")
        self.assertEqual(code, 2)
        self.assertIn("--recorded brings all of its inputs", messages)
        _, messages, code = self.validate("--level", "standard", "--search-evaluations", "5")
        self.assertEqual(code, 2)
        self.assertIn("--search-evaluations needs --level search", messages)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--cc", default="cc")
    options, rest = parser.parse_known_args()
    ASSAY, CC = options.assay, options.cc
    unittest.main(argv=[sys.argv[0], *rest])
