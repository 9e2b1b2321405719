#!/usr/bin/env python3
"""Writes the modules and jobs of this folder: ./generate.py [FAMILY...]

What is expected comes from Python's integers and fractions (exact.py) and, for the mathematical
functions, from mpmath with 400 bits; never from assay.
"""

import importlib
import sys

sys.dont_write_bytecode = True

FAMILIES = ["integers", "floats", "structure", "memory", "control", "parallel", "functions", "vectors",
            "subgroups", "extensions", "extension_memory", "enqueue", "pipes", "named_barriers",
            "image_jobs", "matrices", "device_library", "translator", "hostile"]

if __name__ == "__main__":
    for family in sys.argv[1:] or FAMILIES:
        importlib.import_module(family).write_all()
