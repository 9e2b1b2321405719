#!/usr/bin/env python3
"""Installs the client of package-lock.json into a build folder and runs editor_client.js with it.

    editor_client.py --assay build/release/bin/assay --folder build/release/editor_client

Exit code 77 where there is no node or npm, or where the package registry cannot be reached.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77


def install(folder):
    lock = (HERE / "package-lock.json").read_bytes()
    done = folder / "installed-lock.json"
    if done.is_file() and done.read_bytes() == lock:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder / name)
    npm = subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, capture_output=True, text=True
    )
    if npm.returncode != 0:
        sys.stderr.write(npm.stderr)
        print("npm could not install the client (is the registry there?)")
        sys.exit(SKIPPED)
    done.write_bytes(lock)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--folder", required=True, type=Path)
    options = parser.parse_args()
    if shutil.which("node") is None or shutil.which("npm") is None:
        print("node and npm are missing: ./dev setup installs them")
        sys.exit(SKIPPED)
    install(options.folder)
    script = str(HERE / "editor_client.js")
    sys.exit(subprocess.run(["node", script, str(Path(options.assay).resolve()), str(options.folder.resolve())]).returncode)


if __name__ == "__main__":
    main()
