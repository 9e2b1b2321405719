"""Validations in shards: processes of this machine, Slurm and GNU parallel, while shards are killed.

Every test compares bytes with the report of one run without shards.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import cluster

ASSAY = ""
DEVICE = ["--library", "libm.so.6"]
# Some pass and some fail; in some shards there is nothing of a function.
QUESTION = ["--functions", "sin,lgamma_r,cbrt,fma,convert_uchar_rtz", "--formats",
            "float,double", "--level", "standard", "--samples", "600000", "--threads", "1"]
MOST_KILLS = 2  # of a shard: it is given up after three


def assay(*words, cwd=None, timeout=300):
    """Runs assay; its output, messages and code."""
    done = subprocess.run([ASSAY, *words], capture_output=True, text=True, cwd=cwd,
                          timeout=timeout, check=False)
    return done.stdout, done.stderr, done.returncode


def shard_processes(folder):
    """Process numbers of the shards whose files are in a folder, with the shards' numbers.  A shard's child has the
    shard's words until it becomes another program: it is none."""
    found, parents = [], {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if os.path.basename(words[0]) != os.path.basename(ASSAY):
            continue
        for word in words:
            path = word.removeprefix("--json=")
            if path.startswith(folder + "/") and path.endswith(".json"):
                found.append((int(name), os.path.basename(path)))
    shards = {pid for pid, _ in found}
    return [one for one in found if parents[one[0]] not in shards]


class Killer(threading.Thread):
    """Kills random shards of a folder until it is stopped, each at most so often; or always all."""

    def __init__(self, folder, seed, most=MOST_KILLS):
        super().__init__()
        self.folder = folder
        self.random = random.Random(seed)
        self.most = most
        self.kills = {}
        self.ended = threading.Event()

    def run(self):
        always = self.most > MOST_KILLS
        while not self.ended.wait(0.001 if always else self.random.uniform(0.005, 0.1)):
            for pid, shard in shard_processes(self.folder):
                if not always and self.random.random() < 0.4:
                    continue
                if self.kills.get(shard, 0) >= self.most:
                    continue
                try:
                    os.kill(pid, signal.SIGKILL)
                    self.kills[shard] = self.kills.get(shard, 0) + 1
                except ProcessLookupError:
                    pass

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()


def read(path):
    with open(path, "rb") as file:
        return file.read()


class SweepTest(unittest.TestCase):
    """Each test has a folder with a blank and a letter outside of ASCII in its name."""

    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp(prefix="assay sweep à ")
        cls.whole = os.path.join(cls.root, "whole.json")
        _, messages, cls.code = assay("validate", *DEVICE, *QUESTION, "--no-origin", "--json",
                                      cls.whole)
        assert cls.code in (0, 1), messages

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root, ignore_errors=True)

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.root)
        self.report = os.path.join(self.folder, "r.json")

    def check_merged(self, code, messages):
        self.assertEqual(code, self.code, messages)
        self.assertEqual(read(self.report), read(self.whole))
        self.assertFalse(os.path.exists(self.report + ".shards"), "the shards are merged")

    def wait_for_shards(self, process):
        """Until a shard runs; a sweep that has ended before has no time to be disturbed."""
        while not shard_processes(self.report + ".shards"):
            self.assertIsNone(process.poll(), "it ended before a shard was seen")
            time.sleep(0.002)

    def test_the_whole_fails_and_passes(self):
        with open(self.whole, encoding="utf-8") as file:
            verdicts = {result["verdict"] for result in json.load(file)["results"]}
        self.assertLessEqual({"pass", "fail"}, verdicts)

    def test_shards_by_hand_in_any_order(self):
        paths = []
        for index in range(1, 4):
            paths.append(os.path.join(self.folder, f"{index}.json"))
            _, messages, code = assay("validate", *DEVICE, *QUESTION, "--no-origin", "--json",
                                      paths[-1], "--shard", f"{index}/3")
            self.assertIn(code, (0, 1), messages)
        partial = os.path.join(self.folder, "partial.json")
        _, messages, code = assay("merge", paths[2], paths[0], "--partial", partial)
        self.assertEqual(code, 0, messages)
        _, messages, code = assay("merge", partial, "--json", self.report)
        self.assertEqual(code, 2)
        self.assertIn("missing: 2", messages)
        self.assertFalse(os.path.exists(self.report))
        table, messages, code = assay("merge", paths[1], partial, "--json", self.report)
        self.check_merged(code, messages)
        self.assertIn("lgamma", table)

    def test_processes_that_are_killed(self):
        with Killer(self.report + ".shards", 1) as killer:
            _, messages, code = assay("validate", *DEVICE, *QUESTION, "--no-origin", "--shards",
                                      "7", "--json", self.report, "--checkpoint-every", "0")
        self.assertGreater(sum(killer.kills.values()), 0, "too quick to be killed")
        self.check_merged(code, messages)

    def test_a_shard_that_always_dies_is_given_up(self):
        words = [*DEVICE, *QUESTION, "--no-origin", "--shards", "5", "--json", self.report]
        with Killer(self.report + ".shards", 2, most=1000):
            _, messages, code = assay("validate", *words)
        self.assertEqual(code, 4, messages)
        self.assertIn("was killed 3 times (signal 9)", messages)
        _, messages, code = assay("validate", *words)
        self.assertEqual(code, 2)
        self.assertIn("--resume", messages)
        _, messages, code = assay("validate", *words, "--resume")
        self.check_merged(code, messages)

    def test_interrupted_and_resumed(self):
        words = ["validate", *DEVICE, *QUESTION, "--no-origin", "--shards", "6", "--json",
                 self.report]
        with subprocess.Popen([ASSAY, *words], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            self.wait_for_shards(process)
            process.send_signal(signal.SIGINT)
            messages = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 130, messages)
        self.assertEqual(shard_processes(self.report + ".shards"), [])
        _, messages, code = assay(*words, "--resume")
        self.check_merged(code, messages)

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_parallel(self):
        script, messages, code = assay("sweep", "--parallel", "--shards", "7", "--json", self.report,
                                       "--no-origin", "--", *DEVICE, *QUESTION)
        self.assertEqual(code, 0, messages)
        home = dict(os.environ, HOME=self.folder)
        with Killer(self.report + ".shards", 3) as killer:
            done = subprocess.run([script.rstrip("\n"), "-j", "2"], capture_output=True, text=True,
                                  env=home, timeout=300, check=False)
        self.assertGreater(sum(killer.kills.values()), 0, "too quick to be killed")
        self.assertEqual(done.returncode, self.code, done.stderr)
        self.assertEqual(read(self.report), read(self.whole))

    def test_wrong_options(self):
        one = ["validate", *DEVICE, "--functions", "exp", "--formats", "float"]
        wrong = {("--shard", "1/2"): "--json FILE", ("--shard", "3/2", "--json", self.report):
                 "1 to 2", ("--shard", "x", "--json", self.report): "I/N",
                 ("--shards", "2"): "--json FILE", ("--shards", "0", "--json", self.report): "1",
                 ("--shard", "1/2", "--json", self.report, "--level", "search"): "no plan",
                 ("--shard", "1/2", "--json", self.report, "--at", "1.0"): "--at",
                 ("--shard", "1/2", "--json", self.report, "--html", "x.html"): "merge",
                 ("--shards", "2", "--shard", "1/2", "--json", self.report): "one of them",
                 ("--shards", "2", "--devices", "0,1", "--json", self.report): "--opencl PLATFORM",
                 ("--processes", "2"): "--shards N"}
        for words, expected in wrong.items():
            _, messages, code = assay(*one, *words, cwd=self.folder)
            self.assertEqual(code, 2, (words, messages))
            self.assertIn(expected, messages, words)
        for words, expected in {
                ("--slurm", "--shards", "2", "--json", self.report): "behind --",
                ("--shards", "2", "--json", self.report, "--"): "--slurm and --parallel",
                ("--slurm", "--shards", "2", "--", *DEVICE): "--json FILE",
                ("--slurm", "--shards", "2", "--json", self.report, "--", "--json", "x"): "own",
                ("--slurm", "--json", self.report, "--", *DEVICE): "--shards"}.items():
            _, messages, code = assay("sweep", *words, cwd=self.folder)
            self.assertEqual(code, 2, (words, messages))
            self.assertIn(expected, messages, words)
        self.assertEqual(os.listdir(self.folder), [])

    def test_files_that_are_no_shards(self):
        wrong = os.path.join(self.folder, "wrong.json")
        for content, expected in {"": "not JSON", "{}": "schema",
                                  '{"schema": "assay-shard/2"}': "assay-shard/1"}.items():
            with open(wrong, "w", encoding="utf-8") as file:
                file.write(content)
            _, messages, code = assay("merge", wrong)
            self.assertEqual(code, 2, messages)
            self.assertIn(expected, messages)
            self.assertIn("wrong.json", messages)
        _, messages, code = assay("merge", self.whole)
        self.assertEqual(code, 2, messages)
        self.assertIn("whole report", messages)
        _, messages, code = assay("merge", self.folder + "/absent.json")
        self.assertEqual(code, 2, messages)
        self.assertIn("absent.json", messages)


class SlurmTest(SweepTest):
    """On a cluster of this test's own."""

    @classmethod
    def setUpClass(cls):
        try:
            cls.cluster = cluster.Cluster()
            cls.cluster.__enter__()
        except cluster.CannotStart as why:
            raise unittest.SkipTest(f"no Slurm cluster can be started here: {why}") from why
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()
        super().tearDownClass()

    def sweep(self, shards, *words, question=None):
        """A sweep on the cluster that goes on while the test does."""
        words = ["sweep", "--slurm", "--shards", str(shards), "--json", self.report, "--no-origin",
                 "--poll", "0.5", "--rounds", "8", *words, "--", *DEVICE, *(question or QUESTION)]
        return subprocess.Popen([ASSAY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.cluster.environment, text=True)

    def test_shards_and_the_node_are_killed(self):
        with Killer(self.report + ".shards", 4) as killer:
            with self.sweep(7) as process:
                self.wait_for_shards(process)
                self.cluster.kill_slurmd()
                time.sleep(1)
                self.cluster.start_slurmd()
                messages = process.communicate(timeout=240)[1]
        self.assertGreater(sum(killer.kills.values()), 0, "too quick to be killed")
        self.check_merged(process.returncode, messages + self.cluster.words())

    def test_wrong_options_end_the_sweep(self):
        with self.sweep(3, question=["--functions", "sinn"]) as process:
            messages = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 2, messages)
        self.assertIn("refuses its options", messages)
        self.assertIn("sinn", messages)

    def test_sbatch_refuses(self):
        with self.sweep(3, "--sbatch=-p nowhere") as process:
            messages = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 4, messages)
        self.assertIn("nowhere", messages)

    def test_cancelled_by_the_user(self):
        with self.sweep(6) as process:
            self.wait_for_shards(process)
            process.send_signal(signal.SIGINT)
            messages = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, messages)
        with self.sweep(6, "--resume") as process:
            messages = process.communicate(timeout=240)[1]
        self.check_merged(process.returncode, messages)


def slurm_only():
    """The tests of Slurm without those that they inherit."""
    names = [name for name in vars(SlurmTest) if name.startswith("test_")]
    return unittest.TestSuite(SlurmTest(name) for name in names)


def main():
    global ASSAY
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--slurm", action="store_true", help="only the tests of Slurm")
    options = parser.parse_args()
    ASSAY = os.path.abspath(options.assay)
    loader = unittest.defaultTestLoader
    suite = slurm_only() if options.slurm else loader.loadTestsFromTestCase(SweepTest)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if result.skipped and result.testsRun == 0:
        print("SKIPPED:", result.skipped[0][1])
        sys.exit(77)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
