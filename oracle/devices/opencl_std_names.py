#!/usr/bin/env python3
"""The instructions of OpenCL.std as rows of C++: {"acos", 0},

usage: opencl_std_names.py GRAMMAR OUTPUT
"""

import json
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as stream:
        rows = json.load(stream)["instructions"]
    with open(sys.argv[2], "w", encoding="utf-8") as stream:
        stream.write("// Generated from SPIRV-Headers' grammar by oracle/devices/opencl_std_names.py.\n")
        stream.writelines(f"{{{json.dumps(row['opname'])}, {row['opcode']}}},\n" for row in rows)


if __name__ == "__main__":
    main()
