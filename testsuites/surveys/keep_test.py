#!/usr/bin/env python3
"""keep.py refuses what is no one run; reproduce.py asks passes and largest errors too.

usage: python3 testsuites/surveys/keep_test.py
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import keep  # noqa: E402
import reproduce  # noqa: E402

ASKED = {"level": "smoke", "seed": 1, "samples": 0, "profile": "full", "math": "default", "build_options": "", "spec": "opencl-c"}


def report(function, **options):
    asked = {**ASKED, **options}
    row = {
        "function": function,
        "format": "float",
        "asked_with": asked,
        "verdict": "pass",
        "max_ulp": 0.5,
        "worst": {"args": ["0x1"], "observed": "0x2", "width": 1, "reproduce": f"assay validate --functions {function}"},
        "failures": [],
    }
    return {"schema": "assay-validate/1", "device": {"name": "d"}, "run": {"tool": "assay", "width": [1], **asked}, "results": [row]}


def kept(folder, *reports):
    """What keep.py wrote, or its message."""
    paths = []
    for i, one in enumerate(reports):
        paths.append(folder / f"{i}.json")
        paths[-1].write_text(json.dumps(one))
    command = (
        "import sys, pathlib, keep; keep.HERE = pathlib.Path(sys.argv.pop(1)); keep.main()"
    )
    arguments = [str(paths[0]), "kept", *map(str, paths[1:])]
    ran = subprocess.run(
        [sys.executable, "-B", "-c", command, str(folder), *arguments],
        capture_output=True, text=True, check=False, cwd=HERE,
    )
    if ran.returncode != 0:
        return ran.stderr
    return json.loads((folder / "kept.json").read_text())


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        merged = kept(folder, report("sin"), report("cos"))
        assert [r["function"] for r in merged["results"]] == ["sin", "cos"], merged
        # The two rows of sqrt and 1 / x that were false had been measured with this option.
        rounded = report("sqrt", build_options="-cl-fp32-correctly-rounded-divide-sqrt")
        for other in (rounded, report("sqrt", level="exhaustive"), report("sqrt", seed=2), report("sqrt", spec="cts")):
            message = kept(folder, report("sin"), other)
            assert isinstance(message, str) and "not the run of" in message, message
        other_device = report("cos")
        other_device["device"]["name"] = "another"
        assert "another device" in kept(folder, report("sin"), other_device)
        forged = report("sin")
        forged["results"] += copy.deepcopy(rounded["results"])
        assert "was asked with build_options" in kept(folder, forged)
        silent = report("sin")
        del silent["results"][0]["asked_with"]
        assert "do not say what they were asked with" in kept(folder, silent)

    both = report("sin")
    both["results"] += report("cos")["results"]
    both["results"][1]["worst_all"] = {**both["results"][1]["worst"], "args": ["0x3"]}
    asked = list(reproduce.questions(both, 0))
    assert [fails for _, _, fails in asked] == [False, False, False], asked
    assert len(list(reproduce.questions(both, 1))) == 1

    # A device that answers otherwise than the report says is told.
    with tempfile.TemporaryDirectory() as name:
        answers = pathlib.Path(name) / "assay"
        again = report("sin")
        again["results"][0]["worst"]["observed"] = "0x4"
        answers.write_text(f"#!/bin/sh\ncat <<'E'\n{json.dumps(again)}\nE\n")
        answers.chmod(0o755)
        question = next(reproduce.questions(report("sin"), 0))
        assert reproduce.ask(str(answers), question, float("inf")).startswith("0x4 in place of 0x2")
        again["results"][0]["worst"]["observed"] = "0x2"
        answers.write_text(f"#!/bin/sh\ncat <<'E'\n{json.dumps(again)}\nE\n")
        assert reproduce.ask(str(answers), question, float("inf")) == ""
        answers.write_text("#!/bin/sh\nexit 1\n")
        assert "exit code 1" in reproduce.ask(str(answers), question, float("inf"))
    assert keep.difference({"a": 1, "max_failures": 1}, {"a": 1, "max_failures": 2}) == ""


if __name__ == "__main__":
    main()
