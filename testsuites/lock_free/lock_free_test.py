#!/usr/bin/env python3
"""Right lock-free algorithms must be silent, and each of their weakened variants must be found.

    testsuites/lock_free/lock_free_test.py --assay build/release/bin/assay            # as the test does
    testsuites/lock_free/lock_free_test.py --assay build/release/bin/assay --full     # 200 seeds, bounded:3
    testsuites/lock_free/lock_free_test.py --assay ... treiber_stack --jobs-in DIR    # keeps the job files
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def buffer_of(text):
    """A list of uints, or `TYPE[COUNT]` of zeros."""
    if isinstance(text, list):
        return {"type": "uint", "count": len(text), "init": {"data": text}}
    kind, count = text.rstrip("]").split("[")
    return {"type": kind, "count": int(count), "init": {"fill": 0}}


def job_of(name, row, define):
    """The job of an algorithm; `define` weakens it (macros, of SPIR-V a specialization constant), None: as it is."""
    launches = row.get("launches", {"f": list(row["args"])})
    job = {"module": row.get("module", f"{name}.cl"), "local": [row.get("local", row["items"])], "forward_progress": "work-item",
           "buffers": {key: buffer_of(text) for key, text in row["args"].items()},
           "launches": [{"kernel": kernel, "global": [row["items"]],
                         "args": [{"buffer": key} for key in keys]} for kernel, keys in launches.items()],
           "expect": {"findings": [], "buffers": {key: {"data": data} for key, data in row["expect"].items()}}}
    if "module" not in row:
        job["build_options"] = " -D".join(["-cl-std=CL3.0", *(define or "").split()])
    elif define:
        number, value = define.split("=")
        job["spec_constants"] = {number: int(value)}
    if "check" in launches:
        job["launches"][1] |= {"global": [1], "local": [1]}
    if "sub_group_size" in row:
        job["sub_group_size"] = row["sub_group_size"]
    return job


class Suite:
    def __init__(self, assay, folder, arguments):
        self.assay, self.folder, self.limit = assay, folder, arguments.limit
        self.ways = {"one run": ["--seed", "0"],
                     "seeds": ["--seed", "1", "--many-seeds", str(arguments.seeds)],
                     "explored": ["--explore", "bounded:3", "--max-runs", str(arguments.runs)],
                     "more seeds": ["--seed", "1", "--many-seeds", "200"],
                     "explored further": ["--explore", "bounded:3", "--max-runs", "5000"]}
        for path in [*HERE.glob("*.cl"), *HERE.glob("*.h"), *HERE.glob("*.spvasm")]:
            shutil.copy(path, folder)

    def run(self, name, row, define, way):
        """(what was found, the reproducing command); what is found is rules and `wrong value`."""
        path = self.folder / f"{name}{'.' + define.replace('=', '-') if define else ''}.json"
        path.write_text(json.dumps(job_of(name, row, define), indent=1) + "\n")
        command = [str(self.assay), "run", "--job", str(path), *self.ways[way], "--threads", "1"]
        if "cl_version" in row:
            command += ["--cl-version", row["cl_version"]]
        try:
            process = subprocess.run([*command, "--json", "-"], capture_output=True, text=True, timeout=self.limit)
            report = json.loads(process.stdout)
        except subprocess.TimeoutExpired:
            return [f"no end within {self.limit} s"], " ".join(command)
        except ValueError:
            return [f"no report: {process.stderr.strip()[:500]}"], " ".join(command)
        found = [finding["rule"] for finding in report["findings"]]
        wrong = [one for one in report["expectations"] if one["what"] != "findings" and one["met"] is False]
        found += ["wrong value"] * len(wrong)
        if report["end"] not in ("completed", "deadlock"):
            found.append(f"end: {report['end']}")
        replay = next((one.get("replay") for one in report["findings"] + wrong), "")
        return sorted(set(found)), replay or " ".join(command)

    def check_right(self, name, row):
        """Errors of the algorithm as it is."""
        allowed = set(row.get("one run", []))  # warnings that its need of progress gives
        errors = []
        for way in ("one run", "seeds", "explored"):
            found, replay = self.run(name, row, None, way)
            if set(found) - (allowed if way == "one run" else set()):
                errors.append(f"{name}, {way}: {', '.join(found)}\n    {replay}")
        return errors

    def check_weak(self, name, row, define):
        """(errors of a weakened variant, in which way it was found)."""
        wanted = row["weak"][define]
        seen = []
        for way in ("seeds", "explored", "more seeds", "explored further"):
            found, _ = self.run(name, row, define, way)
            if any(one.startswith(wanted) for one in found):
                return [], f"{way}: {', '.join(found)}"
            seen += found
        return [f"{name} -D{define}: {wanted} was not found; {', '.join(sorted(set(seen))) or 'nothing'} was"], "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="algorithms; default: all")
    parser.add_argument("--assay", required=True, type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=12,
                        help="a weakened variant that is not found has up to 200, and a longer exploration")
    parser.add_argument("--runs", type=int, default=150, help="most runs of an exploration")
    parser.add_argument("--full", action="store_true", help="200 seeds, and explorations of up to 5000 runs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--limit", type=int, default=300, help="seconds for one command")
    parser.add_argument("--jobs-in", type=pathlib.Path, help="keep the job files in this folder")
    parser.add_argument("--verbose", action="store_true", help="say how each variant was found")
    arguments = parser.parse_args()
    if arguments.full:
        arguments.seeds, arguments.runs = 200, 5000
    table = json.loads((HERE / "algorithms.json").read_text())
    unknown = set(arguments.names) - set(table)
    if unknown:
        parser.error(f"no algorithm {', '.join(sorted(unknown))}; there are {', '.join(table)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.jobs_in or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        suite = Suite(arguments.assay.resolve(), folder, arguments)
        errors = []
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            right = {name: pool.submit(suite.check_right, name, table[name])
                     for name in arguments.names or table}
            weak = {(name, define): pool.submit(suite.check_weak, name, table[name], define)
                    for name in right for define in table[name]["weak"]}
            for name, future in right.items():
                errors += future.result()
                if arguments.verbose:
                    print(f"{name}: {'accused' if future.result() else 'silent'}", flush=True)
            for (name, define), future in weak.items():
                errors += future.result()[0]
                if arguments.verbose:
                    print(f"{name} -D{define}: {future.result()[1]}", flush=True)
    for error in errors:
        print(error, file=sys.stderr)
    print(f"{len(right)} algorithms, {len(weak)} weakened variants: {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
