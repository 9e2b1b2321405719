#!/usr/bin/env python3
"""Runs the commands and jobs that the documents show, and compares their output.

usage: docs_test.py --assay PROGRAM [--drivers]

A command is an indented line "$ ./assay ..." of README.md or docs/**/*.md; the lines below it, to the next
command or the block's end, are what it prints, stdout and stderr together.  "[...]" stands for any text
in a line, and alone in a line for any lines.  Sessions of the debugger are compared by DebugTutorial.
The answers of a driver depend on the machine: such a command runs only with --drivers, and must only
end with 0 or 1.  A job is an indented block that begins with {"module": "NAME.cl"; NAME.cl lies in
docs/examples.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ANY = re.escape("[...]")


def blocks_of(text):
    """The indented blocks, without their indentation, each with the number of its first line."""
    block, first = [], 0
    for number, line in enumerate([*text.splitlines(), "end"], 1):
        if line.startswith("    "):
            first = first or number
            block.append(line[4:])
        elif block and line.strip():
            yield first, block
            block, first = [], 0
        elif block:
            block.append("")


def commands_of(path):
    for first, block in blocks_of(path.read_text()):
        begins = [i for i, line in enumerate(block) if line.startswith("$ ")]
        for begin, end in zip(begins, [*begins[1:], len(block)]):
            shown = "\n".join(block[begin + 1:end]).strip("\n")
            yield f"{path.relative_to(ROOT)}:{first + begin}", block[begin][2:], shown


def jobs_of(path):
    for first, block in blocks_of(path.read_text()):
        name = re.match(r'\{"module": "(\w+)\.cl"', block[0])
        if name:
            yield f"{path.relative_to(ROOT)}:{first}", name[1], "\n".join(block)


def pattern_of(shown):
    lines = [r"(?:.*\n)*?" if line.strip() == "[...]" else re.escape(line).replace(ANY, ".*") + r"\n"
             for line in shown.splitlines()]
    return re.compile("".join(lines))


def run(command, folder):
    process = subprocess.run(command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return process.returncode, process.stdout


def check_command(place, command, shown, folder, drivers):
    """What is wrong; None: it is not run here."""
    if not command.startswith("./assay ") or " debug " in command:
        return None
    is_driver = "--opencl" in command
    if is_driver and not drivers:
        return None
    code, output = run(command, folder)
    if code not in (0, 1):
        return f"{place}: '{command}' ends with {code}:\n{output}"
    if shown and not is_driver and not pattern_of(shown).fullmatch(output):
        return f"{place}: '{command}' prints\n{output}instead of\n{shown}"
    return ""


def check_job(place, name, text, folder):
    job = folder / "docs/examples" / f"{name}.json"
    job.write_text(text)
    code, output = run(f"./assay run --job {job.relative_to(folder)}", folder)
    return "" if code == 0 else f"{place}: the job ends with {code}:\n{output}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--drivers", action="store_true")
    arguments = parser.parse_args()
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        # As in a clone, but nothing is left in the sources.
        folder = pathlib.Path(temporary)
        os.symlink(pathlib.Path(arguments.assay).resolve(), folder / "assay")
        os.symlink(ROOT / "testsuites", folder / "testsuites")
        (folder / "docs/examples").mkdir(parents=True)
        for example in (ROOT / "docs/examples").iterdir():
            (folder / "docs/examples" / example.name).write_bytes(example.read_bytes())
        for path in documents:
            for command in commands_of(path):
                results.append(check_command(*command, folder, arguments.drivers))
            for job in jobs_of(path):
                results.append(check_job(*job, folder))
    ran = [result for result in results if result is not None]
    wrong = [result for result in ran if result]
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{len(ran)} commands and jobs ran, {len(wrong)} differ, {len(results) - len(ran)} are left to others")
    return 1 if wrong or len(ran) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
