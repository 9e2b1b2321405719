"""A place for one hostile case: a folder for the job, secrets outside of it, canaries that must not
appear, and assay run there, as root or as somebody else."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

# What compiles where nobody says which (frontend/compilers.def), and what needs no translator.
TRANSLATED = next((f"clang-{version}" for version in (15, 19, 18, 17, 16, 21)
                   if shutil.which(f"clang-{version}") and shutil.which(f"llvm-spirv-{version}")), "clang-15")
COMPILERS = (TRANSLATED, "clang-22")

SECRET = 20231  # what secret.h defines
CANARY_TEXT = "the-canary-was-read"

PLUGIN = """
#include <stdio.h>
__attribute__((constructor)) static void run(void) {
  FILE *file = fopen("%s", "w");
  if (file) fclose(file);
}
"""

# Prints what a macro holds, and stores it.
SHOWS_SECRET = 'kernel void k(global int *p) { p[0] = SECRET; printf("%d\\n", SECRET); }\n'
PLAIN = "kernel void k(global int *p) { p[0] = 1; }\n"


class Place:
    assay = ""  # set by the command line
    user = None  # a user's number, where root runs the tests as somebody else

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="walls-", dir="/tmp")).resolve()
        self.root.chmod(0o777)
        for name in ("job", "outside", "tmp", "home", "canaries", "bin"):
            (self.root / name).mkdir()
            (self.root / name).chmod(0o777)
        self.write("outside/secret.h", f"#define SECRET {SECRET}\n// {CANARY_TEXT}\n")
        self.write("outside/secret.bin", CANARY_TEXT[:16])
        self.canary = self.root / "canaries/ran"
        self.environment = dict(
            PATH=f"{self.root}/bin:{os.environ['PATH']}",
            HOME=f"{self.root}/home",
            XDG_CACHE_HOME=f"{self.root}/home/cache",
            TMPDIR=f"{self.root}/tmp",
        )
        for name in ("ASSAY_SANDBOX", "LD_LIBRARY_PATH"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def write(self, name, text, mode=0o644):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.parent.chmod(0o777)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        path.chmod(mode)
        if self.user is not None:
            os.chown(path, self.user, self.user)
        return path

    def link(self, name, target):
        (self.root / name).symlink_to(target)

    def job(self, name="job/job.json", **fields):
        """Writes a job with one buffer of one int."""
        whole = {
            "module": "k.cl",
            "global": 1,
            "args": [{"buffer": {"type": "int", "count": 1, "init": {"fill": 0}}}],
        }
        whole.update(fields)
        return str(self.write(name, json.dumps(whole)))

    def plugin(self):
        """A library that writes the canary as soon as it is loaded."""
        source = self.write("outside/plugin.c", PLUGIN % self.canary)
        path = self.root / "outside/plugin.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", path, source], check=True)
        path.chmod(0o755)
        return path

    def compiler(self, body, name=TRANSLATED):
        """A script in the compiler's place."""
        self.write(f"bin/{name}", "#!/bin/sh\n" + body, 0o755)

    def _options(self):
        options = dict(cwd=self.root / "job", env=self.environment)
        if self.user is not None:
            options.update(user=self.user, group=self.user, extra_groups=[])
        return options

    def has_namespaces(self):
        """Whether the best wall can be had: not without bubblewrap, and not in a chroot."""
        if self.environment.get("ASSAY_SANDBOX", "namespaces") != "namespaces" or not shutil.which("bwrap"):
            return False
        return subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], check=False,
                              stderr=subprocess.DEVNULL, **self._options()).returncode == 0

    def run(self, *arguments, cwd=None, timeout=120):
        options = self._options()
        if cwd is not None:
            options["cwd"] = cwd
        done = subprocess.run(
            [self.assay, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=timeout, **options)
        return done.returncode, done.stdout.decode(errors="replace")

    def start(self, *arguments):
        return subprocess.Popen(
            [self.assay, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, **self._options())

    def resident(self, pid):
        """Bytes that a process and what it started have in memory."""
        total, left = 0, [pid]
        while left:
            one = left.pop()
            try:
                pages = pathlib.Path(f"/proc/{one}/statm").read_text().split()[1]
                total += int(pages) * os.sysconf("SC_PAGESIZE")
                children = pathlib.Path(f"/proc/{one}/task/{one}/children").read_text()
                left += [int(child) for child in children.split()]
            except (OSError, IndexError):
                continue
        return total

    def processes(self, word):
        """The processes, not our own, whose command line or environment has a word."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            if int(folder.name) == os.getpid():
                continue
            try:
                state = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
                if state != "Z" and word.encode() in (folder / "cmdline").read_bytes():
                    found.append(folder.name)
            except OSError:
                continue
        return found
