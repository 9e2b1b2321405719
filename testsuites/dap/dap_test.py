#!/usr/bin/env python3
"""`assay dap` as an editor sees it: every request that it claims to know, and what is no request.

    dap_test.py --assay build/release/bin/assay [--messages FILE] [unittest's arguments]

FILE gets every message of the adapter, for check_types.py.
"""

import argparse
import os
import sys
import unittest
from pathlib import Path


def load_tests(loader, _tests, _pattern):
    """Those of all *_test.py here."""
    names = sorted(path.stem for path in Path(__file__).resolve().parent.glob("*_test.py"))
    return unittest.TestSuite(loader.loadTestsFromName(name) for name in names if name != "dap_test")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--messages")
    known, rest = parser.parse_known_args()
    os.environ["ASSAY_PROGRAM"] = os.path.abspath(known.assay)
    if known.messages:
        Path(known.messages).write_text("")
        os.environ["ASSAY_DAP_MESSAGES"] = os.path.abspath(known.messages)
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    unittest.main(argv=[sys.argv[0]] + rest)
