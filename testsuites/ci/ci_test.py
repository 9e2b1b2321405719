#!/usr/bin/env python3
"""What .ci/run does around `./dev test`: it clones, passes arguments and exit codes on, and cleans up.

usage: python3 testsuites/ci/ci_test.py

A small repository has the real .ci/run and a `dev` that says what it was given.  Exit code 77: no git.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

RUN = pathlib.Path(__file__).resolve().parents[2] / ".ci" / "run"
DEV = """#!/usr/bin/env bash
[[ $1 == test ]] || exit 0
printf '%s\\n' "$PWD" >"$SAID.folder"
printf '%s|' "${@:2}" >"$SAID.arguments"
printf '%s' "$CCACHE_BASEDIR" >"$SAID.base"
git rev-parse HEAD >"$SAID.revision"
cp content "$SAID.content"
if [[ -n ${WAITS:-} ]]; then
  sleep 1000 &
  printf '%s' $! >"$SAID.child"
  wait
fi
mkdir read_only && touch read_only/file && chmod a-w read_only
printf 'the summary\\n'
exit "${CODE:-0}"
"""


class CiTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.root = self.folder / "root"
        (self.root / ".ci").mkdir(parents=True)
        shutil.copy(RUN, self.root / ".ci" / "run")
        (self.root / "dev").write_text(DEV)
        (self.root / "dev").chmod(0o755)
        (self.root / "content").write_text("first")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("CCACHE_", "GIT_"))},
            "HOME": str(self.folder),
            "TMPDIR": str(self.temporary),
            "SAID": str(self.folder / "said"),
            **{f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=first")
        (self.root / "content").write_text("second")
        self.git("commit", "--quiet", "--all", "--message=second")

    def git(self, *words):
        command = ["git", "-C", str(self.root), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=self.environment).stdout.strip()

    def said(self, what):
        return (self.folder / f"said.{what}").read_text()

    def run_ci(self, *words, root=None, **environment):
        command = [str((root or self.root) / ".ci" / "run"), *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**self.environment, **environment}, timeout=60)
        self.assertEqual(list(self.temporary.iterdir()), [], done.stdout)
        return done

    def test_runs_in_a_clone_with_another_path(self):
        done = self.run_ci("-R", "two words", "")
        self.assertEqual((done.returncode, done.stdout), (0, "the summary\n"))
        self.assertEqual(self.said("arguments"), "-R|two words||")
        self.assertIn(" ", self.said("folder"))
        self.assertFalse(self.said("folder").isascii())
        self.assertEqual(self.said("revision").strip(), self.git("rev-parse", "HEAD"))
        # The compiler's cache finds next time what this time stored.
        self.assertEqual(self.said("base"), self.said("folder").strip())
        first = self.said("folder")
        self.run_ci()
        self.assertEqual(self.said("folder"), first)
        self.run_ci(CCACHE_BASEDIR="/elsewhere")
        self.assertEqual(self.said("base"), "/elsewhere")

    def test_passes_the_exit_code_on(self):
        done = self.run_ci(CODE="8")
        self.assertEqual((done.returncode, done.stdout), (8, "the summary\n"))

    def test_names_what_is_not_committed(self):
        (self.root / "content").write_text("third")
        (self.root / "new").write_text("")
        done = self.run_ci()
        self.assertIn("are not committed", done.stdout)
        self.assertIn(" M content\n?? new\n", done.stdout)
        self.assertTrue(done.stdout.endswith("the summary\n"), done.stdout)
        self.assertEqual(self.said("content"), "second")

    def test_runs_from_detached_shallow_and_linked_checkouts(self):
        first = self.git("rev-parse", "HEAD~")
        self.git("worktree", "add", "--quiet", "--detach", str(self.folder / "linked"), first)
        self.git("clone", "--quiet", "--depth=1", f"file://{self.root}", str(self.folder / "shallow"))
        for name, content in (("linked", "first"), ("shallow", "second")):
            with self.subTest(name):
                self.assertEqual(self.run_ci(root=self.folder / name).returncode, 0)
                self.assertEqual(self.said("content"), content)
        self.git("checkout", "--quiet", "--detach", first)
        self.assertEqual(self.run_ci().returncode, 0)
        self.assertEqual(self.said("content"), "first")

    def test_runs_what_belongs_to_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        for path in [self.root, *self.root.rglob("*")]:
            os.chown(path, 65534, 65534)
        done = self.run_ci()
        self.assertEqual((done.returncode, done.stdout), (0, "the summary\n"))

    def test_two_at_a_time_do_not_meet(self):
        self.run_ci()
        taken = pathlib.Path(self.said("folder").strip()).parent
        taken.mkdir()
        subprocess.run([str(self.root / ".ci" / "run")], check=True, env=self.environment, capture_output=True)
        self.assertEqual(list(self.temporary.iterdir()), [taken])
        other = self.said("folder").strip()
        self.assertNotEqual(pathlib.Path(other).parent, taken)
        self.assertIn(" ", other)
        self.assertFalse(other.isascii())

    def test_leaves_nothing_when_it_is_interrupted(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number):
                child = self.folder / "said.child"
                child.unlink(missing_ok=True)
                process = subprocess.Popen([str(self.root / ".ci" / "run")], env={**self.environment, "WAITS": "1"},
                                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                end = time.monotonic() + 60
                while not (child.exists() and child.read_text()) and time.monotonic() < end:
                    time.sleep(0.02)
                process.send_signal(number)
                said, _ = process.communicate(timeout=60)
                self.assertEqual((process.returncode, said), (code, ""))
                self.assertEqual(list(self.temporary.iterdir()), [])
                status = pathlib.Path(f"/proc/{child.read_text()}/status")
                self.assertTrue(not status.exists() or "State:\tZ" in status.read_text())

    def test_says_that_there_is_no_commit(self):
        shutil.rmtree(self.root / ".git")
        done = self.run_ci()
        self.assertEqual(done.returncode, 1)
        self.assertIn("is no git checkout", done.stdout)


if __name__ == "__main__":
    if not shutil.which("git"):
        print("no git here", file=sys.stderr)
        sys.exit(77)
    unittest.main()
