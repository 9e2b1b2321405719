#!/usr/bin/env python3
"""An installed copy is whole: its program runs, and no link in its documents leads nowhere, nor in those
of the sources.

usage: install_test.py --build FOLDER --cmake PROGRAM
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

import links

SOURCES = pathlib.Path(__file__).resolve().parents[2]
FILES = ("share/man/man1/assay.1", "share/man/man1/assay-golden-make.1", "share/bash-completion/completions/assay",
         "share/zsh/site-functions/_assay", "share/fish/vendor_completions.d/assay.fish")
DOCUMENTS = ("tools/dap/vscode/package.json", "tools/dap/vscode/extension.js", "tools/dap/emacs/assay-dap.el",
             "docs/schemas/assay-golden-1.schema.json", "testsuites/surveys/glibc-2.36.json", "copyright",
             "docs/ci/gitlab-ci.yml")


def source_documents():
    """Documents of the sources; a build may lie among them."""
    folders = ("assay", "base", "docs", "driver", "frontend", "interp", "layer", "numerics", "oracle", "testsuites",
               "tools", "python")
    found = [path for folder in folders for path in (SOURCES / folder).rglob("*.md")
             if "node_modules" not in path.parts]
    return [*SOURCES.glob("*.md"), *found]


def compiler_failures(program, folder):
    """A compiler that is not there is named with its packages, and nothing that only a clone has."""
    kernel = folder / "k.cl"
    kernel.write_text("kernel void k(global int* a) { a[0] = 1; }\n")
    for words in (["run", kernel, "-g", "1", "-a", "int[1]=0"], ["validate", "--interpreter", "--functions", "sin"],
                  ["debug", "--batch", kernel, "-g", "1", "-a", "int[1]=0"]):
        bare = subprocess.run([program, *words], capture_output=True, text=True, check=False,
                              env={"PATH": str(folder), "HOME": str(folder)})
        wanted = "apt install clang-15 libclang-common-15-dev llvm-spirv-15 bubblewrap"
        if bare.returncode != 2 or wanted not in bare.stderr or "./dev" in bare.stderr:
            yield f"without a compiler, {words[0]}: {bare.returncode}, {bare.stderr}"


def help_failures(program, documents, folder):
    """SARIF leads to the installed documents."""
    sarif = folder / "k.sarif"
    kernel = folder / "race.cl"
    kernel.write_text("kernel void k(global int* a) { a[0] = get_global_id(0); }\n")
    done = subprocess.run([program, "run", kernel, "-g", "4", "-a", "int[1]=0", "--sarif", sarif],
                          capture_output=True, text=True, check=False)
    if "apt install" in done.stderr:
        return  # no compiler here
    uri = json.loads(sarif.read_text())["runs"][0]["tool"]["driver"]["rules"][0]["helpUri"]
    path, _, anchor = urllib.parse.unquote(uri).removeprefix("file://").partition("#")
    if pathlib.Path(path) != documents / "docs/rules.md" or f'<a id="{anchor}"></a>' not in pathlib.Path(path).read_text():
        yield f"helpUri {uri} leads nowhere"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", default="cmake")
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        for _ in range(2):  # a second time, over the first
            subprocess.run([options.cmake, "--install", options.build, "--prefix", prefix], check=True,
                           stdout=subprocess.DEVNULL)
        program = prefix / "bin" / "assay"
        ran = subprocess.run([program, "eval", "sin", "1"], capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            failures.append(f"{program}: {ran.stderr}")
        documents = prefix / "share/doc/assay"
        missing = [name for name in FILES if not (prefix / name).exists()]
        missing += [name for name in DOCUMENTS if not (documents / name).exists()]
        failures += [f"{name} is not installed" for name in missing]
        counts = []
        for root, found in ((documents, documents.rglob("*.md")), (SOURCES, source_documents())):
            count, dead = links.check(root, found)
            counts.append(count)
            failures += dead
        # The pages for people in browsers.
        for page in documents.rglob("*.html"):
            for target in re.findall(r'(?:href|src)="([^"#:{}$]+)"', page.read_text()):
                if not (page.parent / target).exists():
                    failures.append(f"{page}: {target} leads nowhere")
        failures += compiler_failures(program, pathlib.Path(folder))
        failures += help_failures(program, documents, pathlib.Path(folder))
    print(f"{counts[0]} links in the installed documents, {counts[1]} in those of the sources")
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures or min(counts) < 100 else 0)


if __name__ == "__main__":
    main()
