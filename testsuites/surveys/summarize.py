#!/usr/bin/env python3
"""Writes README.md of this folder from the reports in it: what was measured, and every violation.

usage: python3 testsuites/surveys/summarize.py
"""

import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
MAX_ROWS = 60  # operations with violations listed per report; conversions alone can be hundreds

INTRO = """# Surveys of real implementations

Reports of `assay validate`, as data: each file has the device's versions, the options and the seed,
so that it can be made again. This page is written by `summarize.py`.

A row of a violation is the worst or first answer that breaks a rule; its command, run against the
same driver, shows it again. `rule` is the allowance or clause that decided; an ulp of `inf` is an
answer of the wrong class. `in widths` are the vector widths whose answers fail. `reproduce.py` runs
the commands of a report and says which do not fail again.
"""


def label(report):
    device = report["device"]
    if device["kind"] == "opencl":
        return f'{device["platform"]}, {device["name"]}, driver {device["driver_version"]}'
    return f'{device["kind"]} {device["name"]}'


def count(report, verdict):
    return sum(result["verdict"] == verdict for result in report["results"])


def overview(reports):
    lines = [
        "| file | device | level | operations | pass | fail | other | inputs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, report in reports:
        results = report["results"]
        passed, failed = count(report, "pass"), count(report, "fail")
        inputs = sum(result["inputs"] for result in results)
        lines.append(
            f'| [{name}]({name}) | {label(report)} | {report["run"]["level"]} | {len(results)} | '
            f"{passed} | {failed} | {len(results) - passed - failed} | {inputs:,} |"
        )
    return "\n".join(lines)


def violations(name, report):
    failed = [result for result in report["results"] if result["verdict"] == "fail"]
    if not failed:
        return ""
    lines = [
        f"\n## {label(report)}\n\n{name}, level {report['run']['level']}\n",
        "| function | format | limit | ulp | input | observed | expected | in widths | rule |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    commands = []
    for result in failed[:MAX_ROWS]:
        shown = result["failures"][0]
        worst = result.get("worst")
        if worst is not None and "rule" in worst:
            shown = worst
        ulp = shown["ulp"]
        ulp = f"{ulp:.6g}" if isinstance(ulp, (int, float)) else (ulp or "-")
        widths = ", ".join(result.get("failures_by_width", {}))
        lines.append(
            f'| {result["function"]} | {result["format"]} | {result["limit"]["text"]} | {ulp} | '
            f'`{" ".join(shown["args"])}` | `{shown["observed"]}` | `{shown["expected"]}` | '
            f'{widths} | {shown.get("rule", "")} |'
        )
        commands.append(shown["reproduce"])
    if len(failed) > MAX_ROWS:
        lines.append(f"\n{len(failed) - MAX_ROWS} more operations fail; the file has them all.")
    return "\n".join(lines) + "\n\n```\n" + "\n".join(commands) + "\n```\n"


def lost(name, report):
    lines = [
        f"| {result['function']} | {result['format']} | {width['width']} | {width['message']} |"
        for result in report["results"]
        for width in result.get("lost_widths", [])
    ]
    if not lines:
        return ""
    head = [
        f"\n### Widths that gave no answer: {name}\n",
        "| function | format | width | what happened |",
        "|---|---|---|---|",
    ]
    return "\n".join(head + lines) + "\n"


def main():
    reports = [(path.name, json.loads(path.read_text())) for path in sorted(HERE.glob("*.json"))]
    text = INTRO + "\n" + overview(reports) + "\n"
    for name, report in reports:
        text += violations(name, report) + lost(name, report)
    (HERE / "README.md").write_text(text)


if __name__ == "__main__":
    main()
