"""The packages of package-lock.json, for tests that skip where they cannot be had."""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def need_node():
    if shutil.which("node") is None or shutil.which("npm") is None:
        skip("node and npm are missing: ./dev setup installs them")


def install(folder):
    """Installs them there, once; several tests may ask for it at the same time."""
    need_node()
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = (HERE / "package-lock.json").read_bytes()
        done = folder / "installed-lock.json"
        if done.is_file() and done.read_bytes() == wanted:
            return
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder / name)
        npm = subprocess.run(
            ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, capture_output=True, text=True
        )
        if npm.returncode != 0:
            sys.stderr.write(npm.stderr)
            skip("npm could not install the packages (is the registry there?)")
        done.write_bytes(wanted)
