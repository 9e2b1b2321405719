#!/usr/bin/env python3
"""A project finds assay's library with find_package, and its programs print what they should.

usage: examples_test.py --cmake PROGRAM --build FOLDER --cxx PROGRAM --examples FOLDER
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

EXPECTED = {
    "judge_a_function": (
        r"assay \d+\.\d+\.\d+; the limit of sin is 4 ulp \(.*7\.4.*\)\n"
        r"\d+ of 1024 answers break it, from x = 0\.\d+ on; the largest error is \d+\.\d ulp\n"
        r"sin\(1\) is 0\.841470957, ours is 0\.841666698\n"
    ),
    "run_a_kernel": (
        r"scale\.cl:3:\d+: memory-out-of-bounds\n(scale\.cl:3:\d+:"
        r" memory-out-of-bounds\n)?completed; a\[0\] is 3\n"
    ),
}
# A header that includes what is not installed would not compile alone.
ALONE = '#include "assay/{name}"\nint main() {{ return 0; }}\n'


def run(command, **options):
    ran = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--cmake", "--build", "--cxx", "--examples"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay à ") as temporary:
        folder = pathlib.Path(temporary)
        prefix, build = folder / "prefix", folder / "build"
        run([options.cmake, "--install", options.build, "--component", "dev", "--prefix", prefix])
        headers = sorted(path.name for path in (prefix / "include" / "assay").iterdir())
        assert headers == ["judge.h", "numerics.h", "result.h", "session.h", "version.h"], headers
        for header in headers:
            source = folder / "alone.cc"
            source.write_text(ALONE.format(name=header))
            run(
                [
                    options.cxx,
                    "-std=c++20",
                    "-Wall",
                    "-Wextra",
                    "-Wpedantic",
                    "-Werror",
                    "-fsyntax-only",
                    "-I",
                    prefix / "include",
                    source,
                ]
            )
        run(
            [
                options.cmake,
                "-S",
                options.examples,
                "-B",
                build,
                f"-DCMAKE_PREFIX_PATH={prefix}",
                f"-DCMAKE_CXX_COMPILER={options.cxx}",
                "-DCMAKE_BUILD_TYPE=Release",
            ]
        )
        run([options.cmake, "--build", build])
        for name, expected in EXPECTED.items():
            output = run([build / name], cwd=folder)
            if not re.fullmatch(expected, output):
                sys.exit(f"{name} prints\n{output}which is not\n{expected}")
    print(f"{len(EXPECTED)} programs")


if __name__ == "__main__":
    main()
