#!/usr/bin/env python3
"""Installs the client of package-lock.json into a build folder and runs editor_client.js with it.

    editor_client.py --assay build/release/bin/assay --folder build/release/dap_packages

Exit code 77 where there is no node or npm, or where the package registry cannot be reached.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from npm_packages import HERE, install


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--folder", required=True, type=Path)
    options = parser.parse_args()
    install(options.folder)
    script = str(HERE / "editor_client.js")
    sys.exit(subprocess.run(["node", script, str(Path(options.assay).resolve()), str(options.folder.resolve())]).returncode)


if __name__ == "__main__":
    main()
