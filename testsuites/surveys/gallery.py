#!/usr/bin/env python3
"""Builds docs/gallery/ from the reports in this folder: the page, and what was found in each driver.

usage: gallery.py --assay PROGRAM [--output FOLDER] [--check]

`./dev gallery` calls it. NAME.findings.tsv beside NAME.json groups the report's violations by cause,
in words: each line has operations ("sin float", with * and [] as in file names) and a sentence. Every
operation that fails or lost a vector width has to be in exactly one line, and nothing else in any.
--check writes nothing and says what is wrong: a finding without its violation, a violation without its
finding, a file that is not what would be written (exit code 1).
"""

import argparse
import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GALLERY = HERE.parents[1] / "docs" / "gallery"

INTRO = """# Gallery: what was found in real drivers

These are reports of `assay validate` on OpenCL drivers and C math libraries. `index.html` in this folder
shows all of them on one page that needs no network: open it in a browser for the plot of every function,
the worst inputs and the differences between versions. The reports are in
[testsuites/surveys](../../testsuites/surveys/README.md); `errors.html` and [errors.md](errors.md) are tables of the
largest errors, functions down and drivers across; the tests confirm every violation with an
independent oracle. `./dev gallery` writes this folder.

For each report there are the violations by cause, then one row for each operation with the worst or first
answer that breaks a rule, and the commands that show them again on the same driver. `rule` is the broken
rule; an ulp of `inf` means an answer of the wrong class; `in widths` lists the vector widths with failing
answers.
"""


def operation(result):
    return f'{result["function"]} {result["format"]}'


def read_findings(name):
    path = HERE / f"{name}.findings.tsv"
    if not path.exists():
        return []
    findings = []
    for number, line in enumerate(path.read_text().splitlines()[1:], start=2):
        operations, tab, text = line.partition("\t")
        if not (operations.strip() and tab and text.strip()):
            sys.exit(f"{path}:{number}: operations, a tab and a sentence are wanted here")
        findings.append(([pattern.strip() for pattern in operations.split(",")], text.strip()))
    return findings


def has_finding(result):
    return result["verdict"] == "fail" or bool(result.get("lost_widths"))


def match(findings, results):
    """The results of each finding, and sentences about what does not fit."""
    wrong = []
    owners = {}
    groups = []
    for patterns, text in findings:
        group = []
        for pattern in patterns:
            found = [r for r in results if fnmatch.fnmatchcase(operation(r), pattern)]
            if not found:
                wrong.append(f"'{pattern}' is no operation of the report")
            group += found
        for result in group:
            name = operation(result)
            if not has_finding(result):
                wrong.append(f"'{name}' has a finding, but passes")
            if name in owners:
                wrong.append(f"'{name}' has two findings")
            owners[name] = text
        groups.append((patterns, text, group))
    wrong += [
        f"'{operation(r)}' fails or lost a width, and has no finding"
        for r in results
        if has_finding(r) and operation(r) not in owners
    ]
    return groups, wrong


def facts(group):
    """What the report says of these operations: rules, and widths where not all fail."""
    rules = {f["rule"] for r in group for f in r["failures"]}
    rules |= {"gave no answer" for r in group if r.get("lost_widths")}
    return "; ".join(sorted(rules))


def findings_text(groups):
    lines = [
        f"- {', '.join(f'`{pattern}`' for pattern in patterns)} ({facts(group)}): {text}"
        for patterns, text, group in groups
    ]
    return "\n".join(lines) + "\n"


def report(assay, paths, option):
    command = [assay, "report", *(str(path.relative_to(HERE)) for path in paths), option, "-"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE)
    if ran.returncode not in (0, 1):
        sys.exit(ran.stderr)
    return ran.stdout


def error_page(assay, paths):
    """The table of the largest errors as a page: which one is written depends on the name."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "errors.html"
        command = [assay, "report", *(str(path.relative_to(HERE)) for path in paths), "--table", page]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE)
        if ran.returncode not in (0, 1):
            sys.exit(ran.stderr)
        return page.read_text()


def readme(assay, paths, findings):
    text = report(assay, paths, "--markdown")
    # The table of every operation is what the page is for.
    text = text[: text.index("\n## Every operation")]
    text = INTRO + "\n" + text.split("\n", 2)[2]
    for name, groups in findings.items():
        if not groups:
            continue  # nothing is violated: the report has no heading
        heading = re.compile(rf"^(## [A-Z]+\d* {re.escape(name)}): violations\n\n(.*\n)\n", re.MULTILINE)
        text, count = heading.subn(lambda m: f"{m[1]}\n\n{m[2]}\n{findings_text(groups)}\n", text)
        assert count == 1, f"no heading for {name}"
    return text


def content(text):
    """Of the page the data: its style may change without a new gallery."""
    data = re.search(r'id="data">(.*?)</script>', text)
    return data[1] if data else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", required=True, help="the program")
    parser.add_argument("--output", default=GALLERY, type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    paths = sorted(HERE.glob("*.json"))
    findings, wrong = {}, []
    for path in paths:
        results = json.loads(path.read_text())["results"]
        groups, problems = match(read_findings(path.stem), results)
        findings[path.stem] = groups
        wrong += [f"{path.stem}.findings.tsv: {problem}" for problem in problems]
    program = pathlib.Path(options.assay).resolve()
    if not wrong:
        wanted = {
            "README.md": readme(program, paths, findings),
            "index.html": report(program, paths, "--html"),
            "errors.md": report(program, paths, "--table"),
            "errors.html": error_page(program, paths),
        }
        for name, text in wanted.items():
            target = options.output / name
            if not options.check:
                options.output.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
                print(f"{target}: {len(paths)} reports, {len(text) / 1e6:.2f} MB")
            elif not target.exists() or content(target.read_text()) != content(text):
                wrong.append(f"{target} is not what ./dev gallery writes; run it and read the difference")
    for problem in wrong:
        print(problem)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
