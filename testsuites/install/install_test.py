#!/usr/bin/env python3
"""An installed copy is whole: its program runs, and no link in its documents leads nowhere.

usage: install_test.py --build FOLDER --cmake PROGRAM
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *#*$", re.MULTILINE)


def slug(heading):
    """The anchor that a heading has, as GitHub makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def without_code(text):
    """Code is no text with links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^    .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "``", text)


def dead_links(document):
    for target in LINK.findall(without_code(document.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        file = document.parent / path if path else document
        if not file.exists():
            yield target
        elif anchor and file.suffix == ".md" and anchor not in map(slug, HEADING.findall(file.read_text())):
            yield target


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", default="cmake")
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        subprocess.run([options.cmake, "--install", options.build, "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
        # A second time, over the first.
        subprocess.run([options.cmake, "--install", options.build, "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
        program = prefix / "bin" / "assay"
        ran = subprocess.run([program, "eval", "sin", "1"], capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            failures.append(f"{program}: {ran.stderr}")
        [readme] = [path for path in prefix.rglob("README.md") if path.parent.name == "assay"]
        documents = readme.parent
        for name in ("tools/dap/vscode/package.json", "tools/dap/vscode/extension.js",
                     "tools/dap/emacs/assay-dap.el", "docs/schemas/assay-golden-1.schema.json",
                     "testsuites/surveys/glibc-2.36.json"):
            if not (documents / name).exists():
                failures.append(f"{name} is not installed")
        links = 0
        for document in sorted(documents.rglob("*.md")):
            links += len(LINK.findall(without_code(document.read_text())))
            failures += [f"{document.relative_to(documents)}: {target} leads nowhere"
                         for target in dead_links(document)]
        # A compiler that is not there is named with its packages.
        kernel = pathlib.Path(folder) / "k.cl"
        kernel.write_text("kernel void k(global int* a) { a[0] = 1; }\n")
        bare = subprocess.run([program, "run", kernel, "-g", "1", "-a", "int[1]=0"], capture_output=True, text=True,
                              check=False, env={"PATH": folder, "HOME": folder})
        if bare.returncode != 2 or "apt install clang-15 libclang-common-15-dev llvm-spirv-15" not in bare.stderr:
            failures.append(f"without a compiler: {bare.returncode}, {bare.stderr}")
    print(f"{links} links")
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures or links < 100 else 0)


if __name__ == "__main__":
    main()
