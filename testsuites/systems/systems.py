#!/usr/bin/env python3
"""Builds and tries the present commit in other systems' roots, and prints a table.

    ./dev systems                                  # all systems, all steps: hours
    ./dev systems --systems trixie --steps build,validate,run
    ./dev systems --systems '' --write docs/systems.md   # the table that docs show, of what was tried before

Each system is a root made by debootstrap, below --folder, in which a clone of the commit is built.  Needs root
and debootstrap.  A root is kept, and what was built there is built on: with --offline on another machine, too, if
`./dev setup` has filled the root before.  Steps (in_root.sh says what each does):
build, tests, validate, run, exec, wheel, deb, tarball; arm64 is compiled by a cross compiler and has the first two
(in_arm64.sh).  A system that cannot build assay gets the tarball and the wheel of --packages-from, which is built
first.  The result of each step is kept in FOLDER/results/SYSTEM.json; the table shows all that are kept.  A
result is forgotten when another commit is tried in its root.  Exit code 1 where a step fails, 2 for wrong options.
"""
import argparse
import contextlib
import datetime
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SYSTEMS = {"bullseye": "Debian 11", "bookworm": "Debian 12", "trixie": "Debian 13", "forky": "Debian 14 (testing)",
           "sid": "Debian sid", "arm64": "Debian 13, compiled for arm64, under QEMU"}
# What the administrator of a machine trusts beside Debian's own, such as a company's proxy.
ADDED_CERTIFICATES = pathlib.Path("/usr/local/share/ca-certificates")
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
STEPS = ["build", "tests", "validate", "run", "exec", "wheel", "deb", "tarball"]
# What is made in one system and tried in all: the files' names.
PACKAGES = {"wheel": "*.whl", "tarball": "assay-*.tar.gz"}
# GCC 10 has not enough of C++20.
RUNS_PACKAGES_ONLY = {"bullseye"}
# Crosses to another processor in a root of this suite; has the steps of in_arm64.sh.
CROSSES = {"arm64": "trixie"}
CROSSED_STEPS = {"build", "tests"}


def fail(message):
    sys.exit(f"systems.py: {message}")


@contextlib.contextmanager
def mounted(root):
    """What drivers and sandboxes look at."""
    made = []
    try:
        for kind, place in (("proc", "proc"), ("sysfs", "sys")):
            target = root / place
            if not os.path.ismount(target):
                subprocess.run(["mount", "-t", kind, kind, target], check=True)
                made.append(target)
        # Terminals and shared memory are mounts of their own.
        for place in ("dev", "dev/pts", "dev/shm"):
            target = root / place
            if os.path.ismount(f"/{place}") and not os.path.ismount(target):
                subprocess.run(["mount", "--bind", f"/{place}", target], check=True)
                made.append(target)
        yield
    finally:
        for target in reversed(made):
            subprocess.run(["umount", "-l", target], check=False)


def make_root(suite, root, mirror):
    if (root / "root/.made").exists():
        return
    if shutil.which("debootstrap") is None:
        fail("debootstrap is not installed: apt-get install debootstrap")
    if root.exists():
        fail(f"{root} is no whole root; remove it (look for mounts first: findmnt -R {root})")
    print(f"{suite}: debootstrap ...", file=sys.stderr, flush=True)
    subprocess.run(["debootstrap", "--variant=minbase", "--include=git,ca-certificates", suite, root,
                    *([mirror] if mirror else [])],
                   check=True, stdout=subprocess.DEVNULL)
    (root / "root/.made").touch()


def trust_as_here(root):
    """PyPI and Debian may be reached through a proxy whose certificate only this machine knows."""
    added = sorted(ADDED_CERTIFICATES.glob("*.crt"))
    if not added:
        return
    folder = root / ADDED_CERTIFICATES.relative_to("/")
    folder.mkdir(parents=True, exist_ok=True)
    for certificate in added:
        shutil.copy(certificate, folder)
    subprocess.run(["chroot", root, "update-ca-certificates"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def present_commit():
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=True, capture_output=True,
                          text=True).stdout.strip()


def take_commit(root, revision):
    clone = root / "root/assay"
    # Tests run programs of the clone as nobody, too.
    (root / "root").chmod(0o755)
    if not clone.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", ROOT, clone], check=True)
    subprocess.run(["git", "-C", clone, "fetch", "--quiet", ROOT, revision], check=True)
    subprocess.run(["git", "-C", clone, "checkout", "--quiet", "--detach", "--force", revision], check=True)


def run_step(root, step, logs, arguments):
    """(whether it succeeded, its last line)"""
    script = "in_arm64.sh" if root.name in CROSSES else "in_root.sh"
    shutil.copy(HERE / script, root / "root" / script)
    log = logs / f"{root.name}-{step}.log"
    start = time.monotonic()
    with open(log, "wb") as output:
        try:
            code = subprocess.run(["chroot", root, "/usr/bin/env", "-i", "HOME=/root", "TERM=dumb", "LANG=C.UTF-8",
                                   # pip and Node.js bring certificates of their own otherwise.
                                   f"PIP_CERT={CERTIFICATES}", f"NODE_EXTRA_CA_CERTS={CERTIFICATES}",
                                   *(["ASSAY_NO_SETUP=1"] if arguments.offline else []),
                                   "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                   "bash", f"/root/{script}", step,
                                   *(["TGZ", "DEB", "WHEEL"] if root.name == arguments.packages_from else ["DEB"])],
                                  stdin=subprocess.DEVNULL, stdout=output,
                                  stderr=subprocess.STDOUT, timeout=arguments.timeout).returncode
        except subprocess.TimeoutExpired:
            code = None
    minutes = (time.monotonic() - start) / 60
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    last = lines[-1].strip() if lines else ""
    said = last.removeprefix("result: ") if last.startswith("result: ") else ""
    if code == 0:
        return True, said or "yes"
    why = "no end in time" if code is None else said or f"no: {last[:60]}"
    print(f"  {step}: {why} ({log}, {minutes:.0f} min)", file=sys.stderr, flush=True)
    return False, why


class Results:
    """What was tried in a system's root, kept in a file: another run of this command adds steps to it."""

    def __init__(self, folder, suite):
        self.file = folder / "results" / f"{suite}.json"
        self.revision, self.date, self.steps = "", "", {}
        if self.file.exists():
            kept = json.loads(self.file.read_text())
            self.revision, self.date = kept["revision"], kept["date"]
            # step: (whether it succeeded, what the table says)
            self.steps = {step: tuple(result) for step, result in kept["steps"].items()}

    def begin(self, revision, root):
        """Another commit's results and packages are forgotten."""
        if revision != self.revision:
            self.revision, self.steps = revision, {}
            shutil.rmtree(root / "root/assay/build/packages", ignore_errors=True)

    def add(self, step, result):
        self.date = datetime.date.today().isoformat()
        self.steps[step] = result
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(json.dumps({"revision": self.revision, "date": self.date, "steps": self.steps}, indent=2))


def take_packages(arguments, root, kind):
    """Copies the tarball or the wheels of --packages-from to where in_root.sh looks."""
    made = arguments.folder / arguments.packages_from / "root/assay/build/packages"
    files = sorted(made.glob(PACKAGES[kind]))
    if not files:
        fail(f"{made} has no {PACKAGES[kind]}: first ./dev systems --systems {arguments.packages_from} --steps {kind}")
    place = root / "root/packages"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for file in files:
        shutil.copy(file, place)


def steps_of(suite, steps):
    if suite in CROSSES:
        return [step for step in steps if step in CROSSED_STEPS]
    if suite in RUNS_PACKAGES_ONLY:
        return [step for step in steps if step in PACKAGES]
    return steps


def try_system(suite, steps, arguments, logs, revision):
    """Whether all steps succeeded."""
    root = arguments.folder / suite
    make_root(CROSSES.get(suite, suite), root, arguments.mirror)
    results = Results(arguments.folder, suite)
    results.begin(revision, root)
    with mounted(root):
        trust_as_here(root)
        if suite not in RUNS_PACKAGES_ONLY:
            take_commit(root, revision)
        for step in steps_of(suite, steps):
            print(f"{suite}: {step} ...", file=sys.stderr, flush=True)
            if step in PACKAGES and suite != arguments.packages_from:
                take_packages(arguments, root, step)
            result = run_step(root, step, logs, arguments)
            results.add(step, result)
            if not result[0] and step == "build":
                return False
    return all(good for good, _ in results.steps.values())


def table(folder, command):
    """All results that are kept."""
    lines = ["# Systems", "",
             "assay is built from source and tried in a new root of each system. The tarball and the wheels are made",
             "on Debian 12 and tried on each system. An empty place was not tried. A test that needs what a system",
             "does not have is skipped, and counts as tried.", "",
             "A row is what `./dev systems --systems NAME` gives at its revision. The table shows the kept",
             f"results, by `{command}`.", "",
             "| system | revision, day | " + " | ".join(STEPS) + " |", "|---|---|" + "---|" * len(STEPS)]
    for suite, name in SYSTEMS.items():
        results = Results(folder, suite)
        if results.steps:
            row = [results.steps[step][1] if step in results.steps else "" for step in STEPS]
            lines.append(f"| {name} ({suite}) | {results.revision[:8]}, {results.date} | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def chosen(parser, text, known, what):
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in known:
            parser.error(f"no {what} '{name}'; there are {', '.join(known)}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--steps", default=",".join(STEPS))
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path.home() / ".cache/assay-systems",
                        help="where the roots are (default: %(default)s)")
    parser.add_argument("--mirror", help="of Debian (default: debootstrap's)")
    parser.add_argument("--offline", action="store_true", help="install nothing: the roots have what is needed")
    parser.add_argument("--packages-from", default="bookworm", help="whose tarball is tried elsewhere")
    parser.add_argument("--timeout", type=float, default=7200, help="seconds of one step")
    parser.add_argument("--write", metavar="FILE", help="write the table as Markdown")
    arguments = parser.parse_args()
    systems = chosen(parser, arguments.systems, SYSTEMS, "system")
    steps = chosen(parser, arguments.steps, STEPS, "step")
    if os.geteuid() != 0:
        fail("roots are made and entered by root: sudo ./dev systems")
    logs = arguments.folder / "logs"
    try:
        logs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"--folder: {logs} cannot be made: {error.strerror}")
    # It makes the packages that the others try.
    systems.sort(key=lambda suite: suite != arguments.packages_from)
    # All have this one, whatever is committed meanwhile.
    revision = present_commit()
    good = [try_system(suite, steps, arguments, logs, revision) for suite in systems]
    # Where the roots are is no matter of the table.
    words = [word for before, word in zip(sys.argv, sys.argv[1:])
             if before != "--folder" and not word.startswith("--folder")]
    text = table(arguments.folder, shlex.join(["./dev", "systems", *words]))
    if arguments.write:
        pathlib.Path(arguments.write).write_text(text)
    print(text, end="")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
