"""What the tests of this folder have in common: runs of assay, and a count of what they came to."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile


class Suite:
    """Checks with their names; `finish` gives the exit code."""

    def __init__(self, description, add=None):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--assay", type=pathlib.Path, required=True)
        parser.add_argument("--seed", type=int, default=1)
        if add is not None:
            add(parser)
        self.options = parser.parse_args()
        self.assay = str(self.options.assay.resolve())
        self.checked = 0
        self.failed = 0
        self.keeper = tempfile.TemporaryDirectory(prefix="assay-files-")
        self.folder = pathlib.Path(self.keeper.name)
        # Compiled kernels of these tests are nobody else's.
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"))

    def check(self, good, what):
        self.checked += 1
        if not good:
            self.failed += 1
            print(f"FAILED: {what}", flush=True)
        return good

    def run(self, *words, **more):
        """Standard output and error are bytes; what hangs ends the test."""
        more.setdefault("timeout", 600)
        if "stdout" not in more:
            more["stdout"] = subprocess.PIPE
        return subprocess.run([self.assay, *map(str, words)], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              env=self.environment, **more)

    def ends(self, done, code, what, *texts):
        """The exit code, and what is said on standard error."""
        said = done.stderr.decode(errors="replace")
        self.check(done.returncode == code, f"{what}: exit code {done.returncode}, not {code}: {said[-400:]}")
        for text in texts:
            self.check(text in said, f"{what}: '{text}' is missing in: {said[-400:]}")

    def finish(self):
        print(f"{self.checked} checks, {self.failed} failed")
        self.keeper.cleanup()
        sys.exit(1 if self.failed else 0)


# A device on a pipe that answers every operation with its first operand.
ECHO_DEVICE = r'''
import sys
print("assay-pipe/1 line", flush=True)
for line in GREETING:
    sys.stdout.buffer.write(line + b"\n")
print("format float", flush=True)
print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "task":
        sys.stdout.buffer.write(TASK + b"\n")
        sys.stdout.flush()
    elif words[0] == "run":
        rows = [sys.stdin.readline().split()[0] for _ in range(int(words[2]))]
        WORK(len(rows))
        print("\n".join(rows), flush=True)
'''


def echo_device(path, greeting=(), task=b"ok", work="lambda count: None"):
    """Writes the device; the command that starts it."""
    head = f"GREETING = {list(greeting)!r}\nTASK = {task!r}\nimport time\nWORK = {work}\n"
    path.write_text(head + ECHO_DEVICE)
    return f"{sys.executable} -B {path}"
