"""The packages of package-lock.json, for tests that skip where they cannot be had."""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
# What npm's message has where there is no network, or no registry behind it.
UNREACHABLE = ("ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "ERR_SOCKET_TIMEOUT", "E503")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def need_node():
    if shutil.which("node") is None or shutil.which("npm") is None:
        skip("node and npm are missing: ./dev setup installs them")


def npm(words, folder):
    """Skips where the registry cannot be reached; anything else that fails is an error."""
    ran = subprocess.run(["npm", *words], cwd=folder, capture_output=True, text=True)
    if ran.returncode == 0:
        return
    sys.stderr.write(ran.stderr)
    if any(name in ran.stderr for name in UNREACHABLE):
        skip("the package registry cannot be reached")
    sys.exit(f"npm {words[0]} failed in {folder}")


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
        npm(["ci", "--no-audit", "--no-fund", "--ignore-scripts"], folder)
        done.write_bytes(wanted)
