#!/usr/bin/env python3
"""Loads every OpenCL C program of real projects and says what becomes of each.

    survey.py --assay build/release/bin/assay --sources FOLDER [PROJECT...]

FOLDER has one folder a project, with the project's sources; projects.json names them, where each comes from, which of
its files are programs, and what its host code defines. Nothing of the projects is kept here.

Host programs give their kernels macros (-D T=float) and text that comes before them. projects.json says which: `options`,
`prelude` (lines), `before` (files before those that a pattern names), `raw_strings` (a file is a literal of C++). What it
does not say the script asks clang for, and defines it: a type as float, a number as 4, a header's folder by -I. A program
that still does not compile is one that its host code puts together; it is counted apart and is nobody's fault.

Each program is loaded by `assay run FILE --list-kernels --json -`. The outcome is one of
  runs       every kernel can run
  partly     some kernels can run; the others are refused for what the specification calls optional
  refused    no kernel can run, for images, sub-groups, pipes, enqueue or a named vendor's function
  fault      assay, or a translator that it calls, fails: this is our fault
  none       the file has no kernel: others include it
  foreign    the source is not complete OpenCL C
The page docs/real_projects.md is written to --page, and every program's outcome as JSON to --json. What that file says of other
projects than those that are named is kept, so that one project can be asked again.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MAX_ROUNDS = 60
HERE = pathlib.Path(__file__).resolve().parent

UNKNOWN_TYPE = re.compile(r"error: unknown type name '(\w+)'")
UNDECLARED = re.compile(r"error: use of undeclared identifier '(\w+)'")
IMPLICIT = re.compile(r"error: implicit declaration of function '(\w+)'")
NOT_FOUND = re.compile(r"fatal error: '([^']+)' file not found")
FIRST_ERROR = re.compile(r"(?:error|fatal error): (.*)")


class Definitions:
    """The build options of one program, and what is still missing in it."""

    def __init__(self, options, root, text):
        self.options = list(options)
        self.root = root
        self.text = text
        self.seen = set()

    def add(self, word):
        if word in self.seen:
            return False
        self.seen.add(word)
        self.options.append(word)
        return True

    def learn(self, messages):
        """Adds what clang's messages ask for; False where they ask for nothing new."""
        new = False
        for name in NOT_FOUND.findall(messages):
            for found in sorted(self.root.rglob(pathlib.PurePath(name).name)):
                if str(found).endswith(name.removeprefix("./")):
                    folder = str(found)[: -len(name.removeprefix("./"))].rstrip("/")
                    new |= self.add(f"-I{folder}")
                    break
        for name in UNKNOWN_TYPE.findall(messages):
            new |= self.add(f"-D{name}=float")
        if not new:
            for name in UNDECLARED.findall(messages)[:8]:
                # What a function would be nobody can guess.
                if not re.search(rf"\b{name}\s*\(", self.text):
                    new |= self.add(f"-D{name}=4")
        return new


def complete(path, options, root, clang, seconds):
    """Build options with which clang takes the program, or the first error that is left."""
    definitions = Definitions(options, root, path.read_text(errors="replace"))
    for _ in range(MAX_ROUNDS):
        line = [clang, "-x", "cl", "-cl-std=CL1.2", "--target=spir64-unknown-unknown", "-fsyntax-only",
                "-Xclang", "-finclude-default-header", "-fno-color-diagnostics", "-ferror-limit=40",
                "-D__OPENCL_VERSION__=120", f"-I{path.parent}"] + definitions.options + [str(path)]
        try:
            done = subprocess.run(line, capture_output=True, text=True, errors="replace", timeout=seconds)
        except subprocess.TimeoutExpired:
            return definitions.options, None
        if done.returncode == 0:
            return definitions.options, None
        if not definitions.learn(done.stderr):
            first = FIRST_ERROR.search(done.stderr)
            return definitions.options, first.group(1) if first else done.stderr.strip()[:200]
    return definitions.options, "still incomplete after many definitions"


def quoted(words):
    return " ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)


def load(path, options, arguments):
    """What assay says of the program: (exit code, report or None, messages)."""
    line = [arguments.assay, "run", str(path), "--list-kernels", "--json", "-", "--timeout",
            str(arguments.timeout), "--build-options", quoted(options + [f"-I{path.parent}"])]
    try:
        done = subprocess.run(line, capture_output=True, text=True, errors="replace",
                              timeout=arguments.timeout + 30)
    except subprocess.TimeoutExpired:
        return 124, None, "no end within the limit"
    try:
        report = json.loads(done.stdout) if done.stdout.strip() else None
    except ValueError:
        report = None
    return done.returncode, report, done.stderr.strip()


OPTIONAL = re.compile(r"image|sampler|sub.?group|pipe|enqueue|device-side|queue_t|ndrange_t|clk_event|cl_amd_|cl_intel_|cl_nv_|"
                      r"cl_arm_|cl_qcom_|amd_|intel_|qcom_|nv_|arm_", re.IGNORECASE)


def outcome(code, report, messages):
    if report is not None and code in (0, 3):
        kernels = report.get("kernels", [])
        if not kernels:
            return "none", ""
        runs = [kernel for kernel in kernels if kernel.get("runs")]
        if kernels and len(runs) == len(kernels):
            return "runs", ""
        reasons = [kernel.get("reason", "") for kernel in kernels if not kernel.get("runs")]
        if any(not OPTIONAL.search(reason) for reason in reasons):
            return "fault", next(reason for reason in reasons if not OPTIONAL.search(reason))
        return ("partly" if runs else "refused"), reasons[0]
    last = messages.splitlines()
    error = next((line for line in last if "error" in line), last[-1] if last else f"exit {code}")
    if code == 3 and OPTIONAL.search(error):
        return "refused", error
    if code == 2 and re.search(r"\berror:", messages) and re.search(
            r"(implicit declaration of function|undeclared identifier|unknown type name) '(\w+)'", messages):
        name = re.search(r"(?:implicit declaration of function|undeclared identifier|unknown type name) '(\w+)'",
                         messages).group(1)
        if OPTIONAL.search(name) or OPTIONAL.search(error):
            return "refused", error
    return "fault", error


def programs(project, root):
    for path in sorted(root.rglob("*")):
        relative = str(path.relative_to(root))
        if not path.is_file() or path.suffix not in (".cl", ".opencl"):
            continue
        if any(fnmatch.fnmatch(relative, pattern) for pattern in project.get("not_programs", [])):
            continue
        patterns = project.get("programs", ["*"])
        if any(fnmatch.fnmatch(relative, pattern) for pattern in patterns):
            yield path


RAW_STRING = re.compile(r'R"\((.*?)\)"', re.DOTALL)


def as_source(project, root, path, folder):
    """The program as its host hands it over, in a file that ends in .cl."""
    relative = str(path.relative_to(root))
    before = [root / name for pattern, names in project.get("before", {}).items()
              if fnmatch.fnmatch(relative, pattern) for name in names]
    prelude = project.get("prelude", [])
    if path.suffix == ".cl" and not before and not prelude:
        return path
    text = "".join(line + "\n" for line in prelude)
    for part in before + [path]:
        content = part.read_text(errors="replace")
        if project.get("raw_strings"):
            content = "\n".join(RAW_STRING.findall(content))
        text += f'#line 1 "{part.relative_to(root)}"\n{content}\n'
    copy = pathlib.Path(folder) / (path.stem + ".cl")
    copy.write_text(text)
    return copy


def judge(job):
    name, project, root, path, arguments = job
    options = [option.replace("@", str(root)) for option in project.get("options", [])]
    with tempfile.TemporaryDirectory() as folder:
        source = as_source(project, root, path, folder)
        extra = [] if source == path else [f"-I{path.parent}"]
        options, missing = complete(source, options + extra, root, arguments.clang, arguments.timeout)
        code, report, messages = load(source, options, arguments)
        what, why = outcome(code, report, messages)
    if what == "fault" and missing is not None:
        what, why = ("refused" if OPTIONAL.search(missing) else "foreign"), missing
    count = len(report.get("kernels", [])) if report else 0
    return {"project": name, "program": str(path.relative_to(root)), "outcome": what, "reason": why[:300],
            "kernels": count, "exit": code}


def table(rows, projects):
    lines = ["| project | source | programs | runs | partly | refused | none | foreign | assay's fault | kernels |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for name in sorted({row["project"] for row in rows}):
        mine = [row for row in rows if row["project"] == name]
        count = collections.Counter(row["outcome"] for row in mine)
        kernels = sum(row["kernels"] for row in mine)
        lines.append(f"| {name} | {projects[name]['source']} | {len(mine)} | " +
                     " | ".join(str(count[what]) for what in ("runs", "partly", "refused", "none", "foreign", "fault")) +
                     f" | {kernels} |")
    return "\n".join(lines) + "\n"


PAGE = """# Kernels of real projects

Every OpenCL C program of these projects was given to `assay run FILE --list-kernels`, by

    testsuites/real_projects/survey.py --assay build/release/bin/assay --sources FOLDER --json rows.json --page docs/real_projects.md

FOLDER has one folder a project with its sources, from where the second column says; nothing of them is kept in this
repository. [projects.json](../testsuites/real_projects/projects.json) says what a project's host program gives its
kernels: macros, and text that comes before them. Where it does not say, the script defines what the compiler misses.

| column | programs |
|---|---|
| runs | every kernel can be executed |
| partly | some kernels can; the others are refused |
| refused | every kernel is refused, for images, samplers, sub-groups, pipes, enqueued kernels or a named vendor's function |
| none | there is no kernel in the file: others include it |
| foreign | no complete OpenCL C: a template, or a piece that the host program puts together with others |
| assay's fault | assay, or a compiler that it starts, fails, or a kernel is refused for another reason |

*kernels* counts the kernels of the first three. `--list-kernels` prepares each kernel and executes none.

"""


def page(rows, projects):
    text = PAGE + table(rows, projects)
    sampled = sorted(name for name in {row["project"] for row in rows} if projects[name].get("sampled"))
    for name in sampled:
        text += f"\nOf {name} {projects[name]['sampled']}.\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*", help="only these")
    parser.add_argument("--assay", required=True)
    parser.add_argument("--sources", required=True, type=pathlib.Path)
    parser.add_argument("--clang", default="clang-15")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one program")
    parser.add_argument("--every", type=int, default=1, help="only every Nth program of a project")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.assay = os.path.abspath(arguments.assay)
    projects = json.loads((HERE / "projects.json").read_text())
    unknown = [name for name in arguments.projects if name not in projects]
    if unknown:
        sys.exit(f"survey.py: projects.json has no {', '.join(unknown)}")
    jobs = []
    for name, project in projects.items():
        root = (arguments.sources / name).resolve()
        if (arguments.projects and name not in arguments.projects) or not root.is_dir():
            continue
        jobs += [(name, project, root, path, arguments) for path in list(programs(project, root))[:: arguments.every]]
    if not jobs:
        sys.exit(f"survey.py: no project's folder in {arguments.sources}")
    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(judge, jobs):
            rows.append(row)
            if row["outcome"] == "fault":
                print(f"{row['project']}/{row['program']}: {row['reason']}", flush=True)
    if arguments.json and arguments.json.exists():
        asked = {job[0] for job in jobs}
        rows += [row for row in json.loads(arguments.json.read_text()) if row["project"] not in asked]
    text = table(rows, projects)
    print(text, end="")
    if arguments.page:
        arguments.page.write_text(page(rows, projects))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if any(row["outcome"] == "fault" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
